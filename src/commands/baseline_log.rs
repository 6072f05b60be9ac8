//! `baseline log`: every update, and what it cost or gained.

use super::{history_path, load_config, load_history};
use crate::cli::Global;
use crate::exit::{ExitStatus, Failure};
use crate::report::history;
use crate::sink;

pub(super) fn log(global: &Global) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let entries = load_history(&config.baseline)?;
    if entries.is_empty() {
        return Err(Failure::CannotJudge(format!(
            "there is no history `{}`\nhint: every `recall-gate baseline update` adds a line to it",
            history_path(&config.baseline).display()
        ))
        .into());
    }
    sink::print(&history::render(&entries, &config.all_metrics()), global.color.into())?;
    Ok(ExitStatus::Pass)
}
