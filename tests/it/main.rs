//! All integration tests in one binary: it links once.

mod common;

mod cli;
mod command;
mod examples;
mod input;
mod reference;
mod statistics;
