//! What people and machines are shown. [`view::View`] holds the facts; every format is one file with one function
//! `render(&View) -> String`, and a new format is such a file and a line in [`Format`].
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::str::FromStr;

use crate::diagnostic::nearest;
use crate::sink::Shares;

pub mod calibration;
pub mod escape;
pub mod explain;
pub mod github;
pub mod history;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod means;
pub mod provenance;
mod table;
pub mod terminal;
pub mod trace;
pub mod view;
mod words;

/// A kind of report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people, 80 columns, with colour where the terminal has it.
    Terminal,
    /// For machines; stable.
    Json,
    /// For the summary of a workflow.
    Markdown,
    /// The same, short enough for a comment under a pull request.
    Comment,
    /// Annotations of a pull request.
    Github,
    /// For the test tab of a CI service.
    Junit,
    /// One page for a browser.
    Html,
}

/// Every format by the name that a user writes.
const FORMATS: [(&str, Format); 7] = [
    ("terminal", Format::Terminal),
    ("json", Format::Json),
    ("markdown", Format::Markdown),
    ("comment", Format::Comment),
    ("github", Format::Github),
    ("junit", Format::Junit),
    ("html", Format::Html),
];

impl Format {
    /// The report as text. Terminal reports carry ANSI styles, which the writer strips where they are not wanted.
    #[must_use]
    pub fn render(self, view: &view::View<'_>) -> String {
        match self {
            Self::Terminal => terminal::render(view),
            Self::Json => json::render(view),
            Self::Markdown => markdown::render(view, markdown::SUMMARY),
            Self::Comment => markdown::render(view, markdown::COMMENT),
            Self::Github => github::render(view),
            Self::Junit => junit::render(view),
            Self::Html => html::render(view),
        }
    }
}

impl Shares for Format {
    fn shares_output(self) -> bool {
        self == Self::Github
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = FORMATS.iter().find(|(name, _)| *name == text);
        known.map(|(_, format)| *format).ok_or_else(|| {
            let names = FORMATS.map(|(name, _)| name);
            let hint = match nearest(text, &names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known are {}", names.join(", ")),
            };
            format!("unknown report format `{text}`; {hint}")
        })
    }
}
