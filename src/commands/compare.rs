//! `compare A B`: the same test between two stored runs.

use std::path::Path;

use super::{cannot_judge, load_config, load_golden};
use crate::cli::{CompareArguments, Global};
use crate::comparison::{Measures, compare as pair};
use crate::exit::ExitStatus;
use crate::pipeline::stored;
use crate::report::view::{BaselineFacts, Context, View};
use crate::sink::Sink;
use crate::verdict::decide;

pub(super) fn compare(global: &Global, arguments: CompareArguments) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let golden = load_golden(&config.golden)?;
    let sink = Sink::open(arguments.reports, global.color.into(), global.quiet)?;
    let read = |path: &Path| -> anyhow::Result<stored::Stored> {
        let mut stored = stored::read(&[path.to_owned()]).map_err(cannot_judge)?;
        stored.run.cut(config.depth);
        Ok(stored)
    };
    let (before, after) = (read(&arguments.before)?, read(&arguments.after)?);

    let metrics = config.all_metrics();
    let measures = Measures { metrics: &metrics, documents: &config.document_id, min_score: config.min_score };
    let comparison = pair(&golden, &before.run, &after.run, measures);
    let mut verdict = decide(&comparison, &config.gate, &config.report_metrics);
    verdict.warnings.extend(before.warnings.into_iter().chain(after.warnings));
    let context = Context {
        golden: &golden,
        baseline: Some(BaselineFacts { path: arguments.before.display().to_string(), ..BaselineFacts::default() }),
        baseline_digest: None,
        gate: &config.gate,
        depth: config.depth,
    };
    let status = verdict.status.into();
    sink.write(&View::new(&context, &comparison, verdict))?;
    Ok(status)
}
