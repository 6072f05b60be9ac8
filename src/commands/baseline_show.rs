//! `baseline show`: where the baseline comes from, and what it scores with today's judgments.

use super::{Scoring, load_baseline, load_config, load_golden};
use crate::cli::Global;
use crate::exit::{ExitStatus, Failure};
use crate::golden::digest;
use crate::report::provenance;
use crate::sink;

pub(super) fn show(global: &Global) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let golden = load_golden(&config.golden)?;
    let Some(baseline) = load_baseline(&config.baseline)? else {
        return Err(Failure::CannotJudge(format!(
            "there is no baseline `{}`\nhint: `recall-gate baseline update --reason \"first baseline\"` measures one",
            config.baseline.display()
        ))
        .into());
    };
    let unchanged = baseline.provenance.golden_digest == digest::digest(&golden);
    let text = provenance::render(&baseline.provenance, unchanged);
    let means = Scoring { config: &config, golden: &golden }.means_text(&baseline.run);
    sink::print(&format!("{text}\n{means}"), global.color.into())?;
    Ok(ExitStatus::Pass)
}
