//! `baseline update`: the only thing that moves the baseline, and only on purpose.

use std::collections::BTreeSet;
use std::io::{BufRead as _, IsTerminal as _};

use anyhow::Context as _;

use super::judging::Judging;
use super::{
    Check, Measured, best_path, history_path, load_baseline, load_config, load_golden, load_history, measure, tell,
};
use crate::baseline::history::{self, Entry};
use crate::baseline::{self, Baseline, FORMAT, Provenance};
use crate::cli::{Global, UpdateArguments};
use crate::config::Config;
use crate::environment;
use crate::exit::{ExitStatus, Failure};
use crate::files;
use crate::golden::stale::stale_labels;
use crate::golden::{GoldenSet, digest};
use crate::id::QueryId;
use crate::report::view::{BaselineFacts, View};
use crate::report::{means, terminal};
use crate::sink;

pub(super) fn update(global: &Global, arguments: &UpdateArguments) -> anyhow::Result<ExitStatus> {
    let reason = arguments.reason.trim().to_owned();
    check_permission(&reason, arguments)?;
    let config = load_config(&global.config)?;
    let golden = load_golden(&config)?;
    files::check_writable(&config.baseline)?;
    // A damaged baseline is what an update mends.
    let old = load_baseline(&config.baseline).or_else(|error| {
        tell(global, &format!("warning: the old baseline is not compared with: {error}"))?;
        Ok::<_, anyhow::Error>(None)
    })?;

    let measured = measure(&arguments.stored, &config, &golden, Check::Nothing, global).map_err(super::cannot_judge)?;
    let judging = Judging::new(&config, &golden);
    let mut after = judging.cut(&measured.run);
    judging.refuse_foreign_ids(&after)?;
    let (text, status) = match &old {
        Some(old) => compare_with(&config, &golden, old, &measured),
        None => (means::render(&judging.compare(&after, &after), judging.metrics()), ExitStatus::Pass),
    };
    if !global.quiet {
        sink::print(&text, global.color.into())?;
    }
    let stale = measured.corpus.as_ref().and_then(|corpus| stale_labels(&golden, corpus));
    for warning in measured.warnings.iter().chain(&stale) {
        tell(global, &format!("warning: {warning}"))?;
    }
    if status == ExitStatus::Regression && !arguments.accept_drop {
        tell(
            global,
            "nothing was written: the new baseline is worse than the old one; `--accept-drop` takes it all the same",
        )?;
        return Ok(status);
    }
    if !arguments.yes && !confirmed(&config.baseline.display().to_string())? {
        tell(global, "nothing was written")?;
        return Ok(ExitStatus::Pass);
    }

    let commit = environment::commit(&config.folder, config.baseline.parent().unwrap_or(&config.folder));
    let provenance = Provenance {
        recall_gate_baseline: FORMAT,
        created: environment::now(),
        commit: commit.hash,
        dirty: commit.dirty,
        author: commit.author,
        reason,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        pipeline: measured.description,
        depth: config.depth,
        repeat: after.times_asked(),
        golden_digest: digest::digest(&golden),
        queries: after.len(),
    };
    let fingerprints = golden.queries.iter().map(|query| (query.id.clone(), digest::fingerprint(query))).collect();
    // Texts are large and change without a reason; kept where a passage has to be found in them.
    let with_passages = golden.queries.iter().filter(|query| !query.judgments.passages().is_empty());
    let with_passages: BTreeSet<&QueryId> = with_passages.map(|query| &query.id).collect();
    after.forget_texts(|query| with_passages.contains(query));
    let baseline = Baseline { provenance, run: after, golden: fingerprints };
    let history = history_with(&config, &judging, old.as_ref(), &baseline)?;
    // The best first, since it may be the old baseline; the history last, since the next update adds what it lacks.
    keep_best(&config, &judging, old, &baseline)?;
    files::write_lines_atomically(&config.baseline, baseline::lines(&baseline))?;
    files::write_atomically(&history_path(&config.baseline), history::format(&history).as_bytes())?;
    tell(global, &format!("wrote {}: {} queries; commit it", config.baseline.display(), baseline.run.len()))?;
    Ok(ExitStatus::Pass)
}

/// The history with this update, and with the old baseline where it was measured before there was a history.
fn history_with(
    config: &Config,
    judging: &Judging<'_>,
    old: Option<&Baseline>,
    new: &Baseline,
) -> anyhow::Result<Vec<Entry>> {
    let entry = |baseline: &Baseline| {
        let run = judging.cut(&baseline.run);
        Entry::new(&baseline.provenance, &judging.compare(&run, &run), judging.metrics())
    };
    let mut history = load_history(&config.baseline)?;
    let is_known = |old: &&Baseline| history.last().is_some_and(|last| last.created == old.provenance.created);
    let forgotten = old.filter(|old| !is_known(old)).map(entry);
    history.extend(forgotten);
    history.push(entry(new));
    Ok(history)
}

/// Keeps the best of all baselines beside a worse one, by the first gated metric and today's judgments, so that slow
/// erosion is noticed; where the new one is the best there is nothing to keep.
fn keep_best(config: &Config, judging: &Judging<'_>, old: Option<Baseline>, new: &Baseline) -> anyhow::Result<()> {
    let path = best_path(&config.baseline);
    let mean = |baseline: &Baseline| {
        let run = judging.cut(&baseline.run);
        config.gate.metrics.iter().find_map(|metric| judging.compare(&run, &run).current_mean(*metric))
    };
    // A damaged file is given up: what it held is in the history of the repository.
    let best = load_baseline(&path).ok().flatten().or(old);
    match best.filter(|best| mean(new) < mean(best)) {
        Some(best) => files::write_lines_atomically(&path, baseline::lines(&best)),
        None if path.exists() => {
            std::fs::remove_file(&path).with_context(|| format!("cannot remove `{}`", path.display()))
        }
        None => Ok(()),
    }
}

/// The report of `run` and its verdict, or why there is none; an update mends what cannot be compared.
fn compare_with(config: &Config, golden: &GoldenSet, old: &Baseline, measured: &Measured) -> (String, ExitStatus) {
    let judging = match Judging::against(config, golden, old) {
        Ok(judging) => judging,
        Err(reason) => return (format!("{reason}\n"), ExitStatus::CannotJudge),
    };
    let (before, after) = (judging.cut(&old.run), judging.cut(&measured.run));
    let comparison = judging.compare(&before, &after);
    let facts = BaselineFacts::new(&config.baseline, &old.provenance);
    let context = judging.context(Some(facts), Some(&old.provenance.golden_digest));
    let verdict = judging.decide(&comparison, Vec::new());
    let status = verdict.status.into();
    (terminal::render(&View::new(&context, &comparison, verdict)), status)
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
