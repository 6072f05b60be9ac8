//! recall-gate: a CI gate that tells a real drop in retrieval quality from noise.
//!
//! The modules stand in the order in which the data flows. Everything from [`run`] to [`verdict`] is pure: no file,
//! clock, network, environment or terminal. `commands::run` is the story in one page.

pub mod exit;
pub mod export;
pub mod files;
pub mod golden;
pub mod id;
pub mod judgments;
pub mod metrics;
pub mod run;
pub mod statistics;

pub mod baseline;
pub mod causes;
pub mod comparison;
pub mod renaming;
pub mod verdict;

pub mod calibration;

pub mod advice;
pub mod report;

pub mod cli;
pub mod commands;
pub mod config;
pub mod diagnostic;
pub mod environment;
mod pairs;
pub mod passage;
pub mod pipeline;
pub mod progress;
pub mod sink;
