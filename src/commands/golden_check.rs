//! `golden check`: is the set well formed, and can it carry a verdict?

use super::{load_baseline, load_config, load_golden, no_baseline};
use crate::cli::Global;
use crate::config::Config;
use crate::exit::{ExitStatus, Failure};
use crate::golden::{GoldenSet, check::fitness, digest};
use crate::id::QueryId;
use crate::pipeline::names;
use crate::sink;

pub(super) fn check(global: &Global, locked: bool) -> anyhow::Result<ExitStatus> {
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
    if locked {
        refuse_changes(&config, &golden)?;
    }
    Ok(ExitStatus::Pass)
}

/// Refuses a set that is not the one that the baseline was measured with.
fn refuse_changes(config: &Config, golden: &GoldenSet) -> anyhow::Result<()> {
    let Some(baseline) = load_baseline(&config.baseline)? else { return Err(no_baseline(&config.baseline).into()) };
    if baseline.provenance.golden_digest == digest::digest(golden) {
        return Ok(());
    }
    let new = golden.queries.iter().map(|query| &query.id).filter(|id| baseline.run.answer(id).is_none());
    let gone = baseline.run.iter().map(|(id, _)| id).filter(|id| golden.query(id).is_none());
    let said = |what: &str, ids: Vec<&QueryId>| {
        (!ids.is_empty()).then(|| format!("\n  {what}: {} ({})", ids.len(), names(ids)))
    };
    let edits =
        [said("edited", baseline.edited(golden).collect()), said("new", new.collect()), said("gone", gone.collect())];
    Err(Failure::Input(format!(
        "{}: the golden set is not the one that the baseline was measured with{}\nhint: take the edits back, or measure \
         the baseline again with the pipeline of the main branch",
        config.golden.display(),
        edits.into_iter().flatten().collect::<String>()
    ))
    .into())
}
