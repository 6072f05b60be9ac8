//! `run --shard K/N`: one machine's part of a run, kept for the one that decides.

use std::path::Path;

use super::{Check, cannot_judge, measure, tell};
use crate::cli::{Global, Missing, StoredArguments};
use crate::config::Config;
use crate::exit::{ExitStatus, Failure};
use crate::files;
use crate::golden::{GoldenSet, digest};
use crate::run::jsonl;
use crate::run::shard::{Header, Shard};

pub(super) fn measure_part(
    global: &Global,
    config: &Config,
    golden: &GoldenSet,
    shard: Shard,
    path: &Path,
) -> anyhow::Result<ExitStatus> {
    let part = golden.shard(shard);
    if part.queries.is_empty() {
        let message = format!("part {shard} has no query: the golden set has {}", golden.queries.len());
        return Err(Failure::Input(message).into());
    }
    files::check_writable(path)?;
    let stored = StoredArguments { runs: Vec::new(), missing: Missing::Config };
    let measured = measure(&stored, config, &part, Check::Nothing, global).map_err(cannot_judge)?;
    let header = Header { recall_gate_shard: shard, golden_digest: digest::digest(golden), depth: config.depth };
    files::write_lines_atomically(path, std::iter::once(header.line()).chain(jsonl::lines(&measured.run)))?;
    for warning in &measured.warnings {
        tell(global, &format!("warning: {warning}"))?;
    }
    let (asked, all) = (part.queries.len(), golden.queries.len());
    tell(global, &format!("part {shard}: {asked} of {all} queries answered, kept in `{}`", path.display()))?;
    Ok(ExitStatus::Pass)
}
