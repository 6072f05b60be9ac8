//! `compare A B`: the same test between two stored runs.

use std::path::Path;

use super::judging::Judging;
use super::surroundings::surroundings;
use super::{load_config, load_golden, passages_unread};
use crate::cli::{CompareArguments, Global};
use crate::exit::{ExitStatus, Failure};
use crate::pipeline::stored;
use crate::report::Format;
use crate::report::view::{BaselineFacts, Context, View};
use crate::run::{Ranking, Run};
use crate::sink::Sink;

pub(super) fn compare(global: &Global, arguments: CompareArguments) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let golden = load_golden(&config)?;
    let sink = Sink::open(arguments.reports, Format::Terminal, global.color.into(), global.quiet)?;
    let judging = Judging::new(&config, &golden);
    let missing_is_empty = arguments.missing.is_empty(&config.pipeline);
    let read = |path: &Path| -> anyhow::Result<(Run, Vec<String>)> {
        let stored = stored::read(&[path.to_owned()]).map_err(|error| Failure::Input(error.message))?;
        let mut run = judging.cut(&stored.run);
        if let Some(message) = passages_unread(&golden, &run) {
            return Err(Failure::CannotJudge(format!("{}: {message}", path.display())).into());
        }
        for query in golden.queries.iter().filter(|_| missing_is_empty) {
            run.insert(query.id.clone(), Ranking::new());
        }
        Ok((run, stored.warnings))
    };
    let ((before, mut warnings), (after, more)) = (read(&arguments.before)?, read(&arguments.after)?);
    warnings.extend(more);

    let comparison = judging.compare(&before, &after);
    let verdict = judging.decide(&comparison, warnings);
    let status = verdict.status.into();
    let facts = BaselineFacts { path: arguments.before.display().to_string(), ..BaselineFacts::default() };
    let surroundings = surroundings(&config, None, Vec::new())?;
    let context = Context { surroundings, ..judging.context(Some(facts), None) };
    let view = View::new(&context, &comparison, verdict);
    sink.write(|format: Format| format.render(&view))?;
    Ok(status)
}
