//! A progress bar on standard error, on a terminal only.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};

use crate::pipeline::Progress;

/// Counts what is done.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar for as many `things` (a plural), invisible where standard error is no terminal or `quiet` is asked for.
    #[must_use]
    pub fn new(things: &str, count: usize, quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(count as u64);
        if let Ok(style) =
            ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {things}, {{per_sec}}, {{eta}} left"))
        {
            bar.set_style(style);
        }
        Self(bar)
    }
}

impl Progress for Bar {
    fn answered(&self) {
        self.0.inc(1);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
