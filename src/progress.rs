//! A progress bar on standard error, on a terminal only.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};

use crate::pipeline::Progress;

/// Counts answered queries.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar for `queries` queries, invisible where standard error is no terminal or `quiet` is asked for.
    #[must_use]
    pub fn new(queries: usize, quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(queries as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} queries, {per_sec}, {eta} left") {
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
