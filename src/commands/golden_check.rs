//! `golden check`: is the set well formed, and can it carry a verdict?

use super::{load_config, load_golden};
use crate::cli::Global;
use crate::exit::ExitStatus;
use crate::golden::{check::fitness, digest};
use crate::sink;

pub(super) fn check(global: &Global) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let golden = load_golden(&config)?;
    let answerable = golden.answerable().count();
    let mut text = format!(
        "{}: {} queries, {answerable} answerable, {} unanswerable\n{}\n",
        config.golden.display(),
        golden.queries.len(),
        golden.queries.len() - answerable,
        digest::digest(&golden),
    );
    for warning in fitness(&golden) {
        text.push_str(&format!("warning: {warning}\n"));
    }
    sink::print(&text, global.color.into())?;
    Ok(ExitStatus::Pass)
}
