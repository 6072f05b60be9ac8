//! `run`: measure, compare, decide. The story of the program on one page.

use super::against::Base;
use super::judging::Judging;
use super::surroundings::surroundings;
use super::{Check, best_path, load_baseline, load_config, load_golden, load_history, measure, shard};
use crate::cli::{Global, RunArguments};
use crate::exit::ExitStatus;
use crate::files;
use crate::golden::stale::stale_labels;
use crate::report::Format;
use crate::report::view::{BaselineFacts, Context, View};
use crate::run::jsonl;
use crate::sink::Sink;

pub(super) fn run(global: &Global, arguments: RunArguments) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let golden = load_golden(&config)?;
    if let (Some(shard), Some(path)) = (arguments.shard, &arguments.save_run) {
        return shard::measure_part(global, &config, &golden, shard, path);
    }
    let baseline_path = arguments.baseline.as_ref().unwrap_or(&config.baseline);
    let sink = Sink::open(arguments.reports, Format::Terminal, global.color.into(), global.quiet)?;
    if let Some(path) = &arguments.save_run {
        files::check_writable(path)?;
    }
    let Some(baseline) = load_baseline(baseline_path)? else {
        let reason = format!(
            "There is no baseline `{}` to compare with. Measure one on the main branch and commit it: \
             `recall-gate baseline update --reason \"first baseline\"`.",
            baseline_path.display()
        );
        let context = Judging::new(&config, &golden).context(None, None);
        let view = View::failed(&context, reason, None);
        sink.write(|format: Format| format.render(&view))?;
        return Ok(ExitStatus::CannotJudge);
    };
    let facts = BaselineFacts::new(baseline_path, &baseline.provenance);
    let digest = Some(baseline.provenance.golden_digest.as_str());
    let cannot_judge = |reason: String, stderr_tail: Option<String>| {
        let context = Judging::new(&config, &golden).context(Some(facts.clone()), digest);
        let view = View::failed(&context, reason, stderr_tail);
        sink.write(|format: Format| format.render(&view))?;
        Ok(ExitStatus::CannotJudge)
    };
    let base =
        arguments.against.as_deref().map(|reference| Base::read(&config, baseline_path, reference)).transpose()?;
    let judging = match Judging::against(&config, &golden, &baseline) {
        Ok(judging) => judging,
        Err(reason) => return cannot_judge(reason, None),
    };

    let check = if arguments.check_determinism { Check::Determinism } else { Check::Nothing };
    let measured = match measure(&arguments.stored, &config, &golden, check, global) {
        Ok(measured) => measured,
        Err(error) => return cannot_judge(error.message, error.stderr_tail),
    };
    // Kept before it is judged: a fault further down must not cost the measurement.
    if let Some(path) = &arguments.save_run {
        files::write_lines_atomically(path, jsonl::lines(&measured.run))?;
    }

    let (before, after) = (judging.cut(&baseline.run), judging.cut(&measured.run));
    let comparison = judging.compare(&before, &after);
    let mut warnings = measured.warnings;
    warnings.extend(measured.corpus.as_ref().and_then(|corpus| stale_labels(&golden, corpus)));
    warnings.extend(judging.erosion(&baseline, load_baseline(&best_path(baseline_path))?.as_ref()));
    let history = load_history(baseline_path)?;
    let origin = history.iter().rev().find(|entry| entry.created == baseline.provenance.created);
    warnings.extend(judging.relabelling(&comparison, origin));
    warnings.extend(judging.other_metrics(&before, origin));
    if let Some(base) = base {
        warnings.extend(base.sentences(&config, &golden, &baseline, &measured.run));
    }
    let verdict = judging.decide(&comparison, warnings);
    let status = verdict.status.into();
    let surroundings = surroundings(&config, measured.corpus, history)?;
    let context = Context { surroundings, ..judging.context(Some(facts.clone()), digest) };
    let view = View::new(&context, &comparison, verdict);
    sink.write(|format: Format| format.render(&view))?;
    Ok(status)
}
