//! Exit codes, and the failures that are not verdicts.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::process::ExitCode;

/// No drop shown.
pub const PASS: u8 = 0;
/// A significant drop of at least `min_drop`, a floor broken, or a pinned query worse.
pub const REGRESSION: u8 = 1;
/// The user's input is wrong: arguments, configuration, golden set, a damaged baseline. Also clap's own usage code.
pub const WRONG_INPUT: u8 = 2;
/// Nothing can be said: the pipeline failed, no baseline, too few queries, ids changed under the labels.
pub const CANNOT_JUDGE: u8 = 3;

/// How a command that did its work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// See [`PASS`].
    Pass,
    /// See [`REGRESSION`].
    Regression,
    /// See [`CANNOT_JUDGE`].
    CannotJudge,
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// What the user wrote is wrong; see [`WRONG_INPUT`].
    #[error("{0}")]
    Input(String),
    /// The measurement failed; see [`CANNOT_JUDGE`].
    #[error("{0}")]
    CannotJudge(String),
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(match status {
            ExitStatus::Pass => PASS,
            ExitStatus::Regression => REGRESSION,
            ExitStatus::CannotJudge => CANNOT_JUDGE,
        })
    }
}

/// The exit code of an error: that of the [`Failure`] in its chain.
///
/// An error without one is a fault of the machine (disk full, a file that cannot be read): nothing was judged, so it
/// is [`CANNOT_JUDGE`], never the code of a regression.
#[must_use]
pub fn code_of(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Failure>() {
        Some(Failure::Input(_)) => WRONG_INPUT,
        Some(Failure::CannotJudge(_)) | None => CANNOT_JUDGE,
    }
}
