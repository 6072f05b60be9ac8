//! All integration tests in one binary: it links once.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says what it skipped"
)]

mod common;

mod browser;
mod cli;
mod command;
mod configuration_page;
mod docs;
mod examples;
mod export;
mod faults;
mod http;
mod input;
mod large;
mod passages;
mod pipelines_page;
mod presets;
mod reference;
mod reports;
mod schemas;
mod shards;
mod statistics;
mod troubleshooting_page;
