//! The numbers that stand for each question, for engines that search by vector alone.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::program::Program;
use super::super::{PipelineError, Question, Unwatched, names};
use crate::config::VectorSource;
use crate::files;
use crate::id::QueryId;
use crate::run::jsonl::excerpt;

/// A vector for every question.
///
/// # Errors
/// Where one is missing, is no list of numbers, or is longer or shorter than the others.
pub(super) fn vectors(
    source: &VectorSource,
    questions: &[Question],
    folder: &Path,
    timeout: Duration,
) -> Result<BTreeMap<QueryId, Vec<f64>>, PipelineError> {
    let vectors = match source {
        VectorSource::Command(command) => {
            let line = |question: &Question| json!({ "id": question.id.as_str(), "query": question.text });
            Program::new(command.clone(), folder, timeout)
                .with_watchdog(std::env::current_exe().ok())
                .ask(questions, line, parse, &Unwatched)
                .map_err(|error| PipelineError { message: format!("the vectors: {}", error.message), ..error })?
                .answers
        }
        VectorSource::File(path) => in_file(path)?,
    };
    let missing: Vec<&QueryId> =
        questions.iter().map(|question| &question.id).filter(|id| !vectors.contains_key(*id)).collect();
    if !missing.is_empty() {
        return Err(PipelineError::new(format!(
            "there is no vector for {} of {} queries: {}\nhint: a line is {{\"id\": …, \"vector\": […]}}",
            missing.len(),
            questions.len(),
            names(missing)
        )));
    }
    let lengths: BTreeMap<usize, &QueryId> = vectors.iter().map(|(id, vector)| (vector.len(), id)).collect();
    match lengths.iter().collect::<Vec<_>>().as_slice() {
        [(one, first), (other, second), ..] => Err(PipelineError::new(format!(
            "the vector of query `{first}` has {one} numbers and that of `{second}` has {other}\nhint: make all vectors \
             with the same model"
        ))),
        _ => Ok(vectors),
    }
}

fn in_file(path: &Path) -> Result<BTreeMap<QueryId, Vec<f64>>, PipelineError> {
    let text = files::read_text(path).map_err(|error| PipelineError::new(error.to_string()))?;
    let mut vectors = BTreeMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = |what: String| PipelineError::new(format!("{}:{}: {what}", path.display(), index + 1));
        let (id, vector) = parse(line).map_err(at)?;
        if vectors.insert(id.clone(), vector).is_some() {
            return Err(at(format!("query `{id}` has a vector already\nhint: remove one of the two lines")));
        }
    }
    Ok(vectors)
}

fn parse(line: &str) -> Result<(QueryId, Vec<f64>), String> {
    let value: Value = serde_json::from_str(line).map_err(|_| format!("not JSON: `{}`", excerpt(line)))?;
    let id = match value.get("id") {
        Some(Value::String(id)) if !id.is_empty() => QueryId::new(id.as_str()),
        _ => return Err(format!("no `id`: `{}`", excerpt(line))),
    };
    let numbers = value.get("vector").and_then(Value::as_array).filter(|numbers| !numbers.is_empty());
    let vector: Option<Vec<f64>> = numbers.and_then(|numbers| numbers.iter().map(Value::as_f64).collect());
    match vector {
        Some(vector) => Ok((id, vector)),
        None => Err(format!("`vector` of query `{id}` is no list of numbers: `{}`", excerpt(line))),
    }
}
