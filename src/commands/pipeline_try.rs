//! `pipeline try`: one question, so that setting a pipeline up takes a minute.

use super::{cannot_judge, load_config};
use crate::cli::Global;
use crate::exit::ExitStatus;
use crate::id::QueryId;
use crate::pipeline::{self, Question};
use crate::report::trace;
use crate::sink;

pub(super) fn try_query(global: &Global, query: String, k: usize, full: bool) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let pipeline = pipeline::open(&config.pipeline, &config.folder).map_err(cannot_judge)?;
    let question = Question { id: QueryId::new("try"), text: query };
    let traced = pipeline.trace(&question, k);
    // Shown also where it ends in an error: what came back is what explains it.
    sink::print(&trace::steps(&traced.steps, full), global.color.into())?;
    let answers = traced.outcome.map_err(cannot_judge)?;
    let ranking = answers.run.answer(&question.id).cloned().unwrap_or_default();
    sink::print(&trace::ranking(&ranking, &config.document_id), global.color.into())?;
    Ok(ExitStatus::Pass)
}
