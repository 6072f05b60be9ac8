//! All integration tests in one binary: it links once.

mod common;

mod cli;
mod examples;
mod reference;
mod statistics;
