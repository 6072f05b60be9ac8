//! `run`: measure, compare, decide. The story of the program on one page.

use super::{load_baseline, load_config, load_golden, measure};
use crate::cli::{Global, RunArguments};
use crate::comparison::{Measures, compare};
use crate::config::PipelineConfig;
use crate::exit::ExitStatus;
use crate::files;
use crate::report::view::{BaselineFacts, Context, View};
use crate::run::jsonl;
use crate::sink::Sink;
use crate::verdict::decide;

pub(super) fn run(global: &Global, arguments: RunArguments) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let golden = load_golden(&config.golden)?;
    let baseline_path = arguments.baseline.as_ref().unwrap_or(&config.baseline);
    let sink = Sink::open(arguments.reports, global.color.into(), global.quiet)?;
    if let Some(path) = &arguments.save_run {
        files::check_writable(path)?;
    }
    let baseline = load_baseline(baseline_path)?;
    let mut context = Context {
        golden: &golden,
        baseline: None,
        baseline_digest: baseline.as_ref().map(|baseline| baseline.provenance.golden_digest.as_str()),
        gate: &config.gate,
        depth: config.depth,
    };
    let Some(baseline) = &baseline else {
        let reason = format!(
            "There is no baseline `{}` to compare with. Measure one on the main branch and commit it: \
             `recall-gate baseline update --reason \"first baseline\"`.",
            baseline_path.display()
        );
        sink.write(&View::failed(&context, reason, None))?;
        return Ok(ExitStatus::CannotJudge);
    };
    context.baseline = Some(BaselineFacts::new(baseline_path, &baseline.provenance));

    let stored = PipelineConfig::Run { files: arguments.runs.clone(), missing_is_empty: false };
    let pipeline = if arguments.runs.is_empty() { &config.pipeline } else { &stored };
    let answers = match measure(pipeline, &config, &golden, global) {
        Ok(answers) => answers,
        Err(error) => {
            sink.write(&View::failed(&context, error.message, error.stderr_tail))?;
            return Ok(ExitStatus::CannotJudge);
        }
    };
    // Kept before it is judged: a fault further down must not cost the measurement.
    if let Some(path) = &arguments.save_run {
        files::write_atomically(path, jsonl::format_run(&answers.run).as_bytes())?;
    }

    let metrics = config.all_metrics();
    let measures = Measures { metrics: &metrics, documents: &config.document_id, min_score: config.min_score };
    let comparison = compare(&golden, &baseline.run, &answers.run, measures);
    let mut verdict = decide(&comparison, &config.gate, &config.report_metrics);
    verdict.warnings.extend(answers.warnings);
    let status = verdict.status.into();
    sink.write(&View::new(&context, &comparison, verdict))?;
    Ok(status)
}
