//! `baseline show`: where the baseline comes from, and what it scores with today's judgments.

use super::judging::Judging;
use super::{load_baseline, load_config, load_golden, no_baseline};
use crate::cli::Global;
use crate::exit::ExitStatus;
use crate::golden::digest;
use crate::report::{means, provenance};
use crate::sink;

pub(super) fn show(global: &Global) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let golden = load_golden(&config)?;
    let Some(baseline) = load_baseline(&config.baseline)? else { return Err(no_baseline(&config.baseline).into()) };
    let unchanged = baseline.provenance.golden_digest == digest::digest(&golden);
    let text = provenance::render(&baseline.provenance, unchanged);
    let judging = Judging::new(&config, &golden);
    let run = judging.cut(&baseline.run);
    let means = means::render(&judging.compare(&run, &run), judging.metrics());
    sink::print(&format!("{text}\n{means}"), global.color.into())?;
    Ok(ExitStatus::Pass)
}
