//! What people and machines are shown. [`view::View`] holds the facts; every format is one file with one function
//! `render(&View) -> String`, and a new format is such a file and a line in [`Format`].
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::str::FromStr;

pub mod calibration;
pub mod escape;
pub mod history;
pub mod json;
pub mod means;
pub mod provenance;
mod table;
pub mod terminal;
pub mod trace;
pub mod view;

/// A kind of report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people, 80 columns, with colour where the terminal has it.
    Terminal,
    /// For machines; stable.
    Json,
}

impl Format {
    /// The report as text. Terminal reports carry ANSI styles, which the writer strips where they are not wanted.
    #[must_use]
    pub fn render(self, view: &view::View) -> String {
        match self {
            Self::Terminal => terminal::render(view),
            Self::Json => json::render(view),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "terminal" => Ok(Self::Terminal),
            "json" => Ok(Self::Json),
            _ => Err(format!("unknown report format `{text}`; known are terminal and json")),
        }
    }
}
