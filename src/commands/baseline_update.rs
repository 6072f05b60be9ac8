//! `baseline update`: the only thing that moves the baseline, and only on purpose.

use std::io::{BufRead as _, IsTerminal as _};

use super::{Scoring, load_baseline, load_config, load_golden, measure, tell};
use crate::baseline::{self, Baseline, FORMAT, Provenance};
use crate::cli::{Global, UpdateArguments};
use crate::config::PipelineConfig;
use crate::environment;
use crate::exit::{ExitStatus, Failure};
use crate::files;
use crate::golden::digest;
use crate::sink;

pub(super) fn update(global: &Global, arguments: UpdateArguments) -> anyhow::Result<ExitStatus> {
    let reason = arguments.reason.trim().to_owned();
    check_permission(&reason, &arguments)?;
    let config = load_config(&global.config)?;
    let golden = load_golden(&config.golden)?;
    files::check_writable(&config.baseline)?;
    let old = load_baseline(&config.baseline)?;

    let is_stored = !arguments.runs.is_empty();
    let stored = PipelineConfig::Run { files: arguments.runs, missing_is_empty: false };
    let pipeline = if is_stored { &stored } else { &config.pipeline };
    let answers = measure(pipeline, &config, &golden, global).map_err(super::cannot_judge)?;
    for warning in &answers.warnings {
        tell(global, &format!("warning: {warning}"))?;
    }
    let scoring = Scoring { config: &config, golden: &golden };
    scoring.refuse_foreign_ids(&answers.run)?;
    let comparison = match &old {
        Some(old) => scoring.comparison_text(old, &answers.run),
        None => scoring.means_text(&answers.run),
    };
    if !global.quiet {
        sink::print(&comparison, global.color.into())?;
    }
    if !arguments.yes && !confirmed(&config.baseline.display().to_string())? {
        tell(global, "nothing was written")?;
        return Ok(ExitStatus::Pass);
    }

    let commit = environment::commit(&config.folder);
    let provenance = Provenance {
        recall_gate_baseline: FORMAT,
        created: environment::now(),
        commit: commit.hash,
        dirty: commit.dirty,
        author: commit.author,
        reason,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        pipeline: super::describe(pipeline, &config)?,
        depth: config.depth,
        golden_digest: digest::digest(&golden),
        queries: answers.run.len(),
    };
    let baseline = Baseline { provenance, run: answers.run };
    files::write_atomically(&config.baseline, baseline::format(&baseline).as_bytes())?;
    tell(global, &format!("wrote {}: {} queries; commit it", config.baseline.display(), baseline.run.len()))?;
    Ok(ExitStatus::Pass)
}

/// Everything that must be known before the pipeline is kept busy.
fn check_permission(reason: &str, arguments: &UpdateArguments) -> anyhow::Result<()> {
    let refusal = if reason.is_empty() {
        "`--reason` is empty\nhint: say why the baseline moves; the next reader of a verdict will want to know"
    } else if environment::is_ci() && !arguments.allow_ci {
        "a baseline moves on purpose, and CI=true says that nobody is here\nhint: update it on your machine and commit \
         it, or pass `--allow-ci`"
    } else if !arguments.yes && !std::io::stdin().is_terminal() {
        "there is no terminal to ask on\nhint: pass `--yes` to write the baseline without a question"
    } else {
        return Ok(());
    };
    Err(Failure::Input(refusal.into()).into())
}

fn confirmed(path: &str) -> anyhow::Result<bool> {
    use std::io::Write as _;
    write!(std::io::stderr(), "\nMake this the new baseline in {path}? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
