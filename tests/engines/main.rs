//! Real search servers, each started for a test, filled with the example help centre, and asked through the program.
//!
//! Plain `cargo test` leaves them out; `make test-engines` installs the servers and runs them.
#![cfg(unix)]
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::doc_markdown, reason = "SQLite and PostgreSQL are names of products, not of items")]

#[path = "../it/common/mod.rs"]
mod common;

mod corpus;
mod gate;
mod proxy;
mod server;

mod chroma;
mod datasette;
mod hayhooks;
mod postgres;
mod tools;
mod typesense;
