//! `run`: answers that were measured before, in one or more files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Answers, Pipeline, PipelineError, Progress, Question, names, relative};
use crate::files;
use crate::id::QueryId;
use crate::run::shard::{self, Header};
use crate::run::{Ranking, Run, jsonl, trec};
use crate::verdict::counted;

/// A run read from files, whole: not yet cut or checked against a golden set.
#[derive(Debug, Default)]
pub struct Stored {
    /// Every answer of every file.
    pub run: Run,
    /// A sentence each.
    pub warnings: Vec<String>,
    /// Each file with what it says of itself, where it is a part of a run.
    pub parts: Vec<(String, Option<Header>)>,
}

/// Reads files and joins them; each is JSONL as `--save-run` writes it, a baseline, or a TREC run, told by its content.
///
/// # Errors
/// Where a file cannot be read, holds something else, or answers a query that another file answers too.
pub fn read(files: &[PathBuf]) -> Result<Stored, PipelineError> {
    let mut stored = Stored::default();
    let mut origins: BTreeMap<QueryId, &Path> = BTreeMap::new();
    for path in files {
        let File { run, warnings, part } = read_file(path)?;
        stored.parts.push((path.display().to_string(), part));
        stored.warnings.extend(warnings.into_iter().map(|warning| format!("{}: {warning}", path.display())));
        for (query, repeats) in run.iter() {
            if let Some(first) = origins.insert(query.clone(), path) {
                return Err(PipelineError::new(format!(
                    "query `{query}` is answered in `{}` and again in `{}`\nhint: the files of one run must not overlap",
                    first.display(),
                    path.display()
                )));
            }
            stored.run.insert_repeats(query.clone(), repeats.to_vec());
        }
    }
    Ok(stored)
}

/// One file of a run.
struct File {
    run: Run,
    warnings: Vec<String>,
    part: Option<Header>,
}

fn read_file(path: &Path) -> Result<File, PipelineError> {
    let text = files::read_text(path).map_err(|error| PipelineError::new(error.to_string()))?;
    parse(&text).map_err(|error| PipelineError::new(format!("{}: {error}", path.display())))
}

fn parse(text: &str) -> Result<File, String> {
    let Some((first, line)) = text.lines().enumerate().find(|(_, line)| !line.trim().is_empty()) else {
        return Err("the file is empty\nhint: expected JSONL (`--save-run`) or a TREC run".to_owned());
    };
    if !line.trim_start().starts_with('{') {
        return trec::parse_run(text).map(|parsed| File { run: parsed.run, warnings: parsed.warnings, part: None });
    }
    let is_baseline =
        serde_json::from_str::<Value>(line).is_ok_and(|value| value.get("recall_gate_baseline").is_some());
    let part = Header::parse(line);
    let start = if is_baseline || part.is_some() { first + 1 } else { first };
    let lines = text.split('\n').enumerate().skip(start).map(|(index, line)| (index + 1, line));
    Ok(File { run: jsonl::parse_lines(lines)?, warnings: Vec::new(), part })
}

/// A pipeline that answers from files.
#[derive(Debug)]
pub struct StoredPipeline {
    files: Vec<PathBuf>,
    missing_is_empty: bool,
    description: String,
    golden_digest: Option<String>,
}

impl StoredPipeline {
    /// Answers from `files`, named relative to `folder`; with `missing_is_empty` a query that none of them mentions found nothing.
    #[must_use]
    pub fn new(files: Vec<PathBuf>, missing_is_empty: bool, folder: &Path) -> Self {
        let names: Vec<String> = files.iter().map(|path| relative(path, folder)).collect();
        let description = format!("run: {}", names.join(", "));
        Self { description, files, missing_is_empty, golden_digest: None }
    }

    /// Takes parts of a run only if all of them are there and were measured with the golden set of this digest.
    #[must_use]
    pub fn of_golden_set(mut self, digest: String) -> Self {
        self.golden_digest = Some(digest);
        self
    }
}

impl Pipeline for StoredPipeline {
    fn description(&self) -> String {
        self.description.clone()
    }

    fn ask(&self, questions: &[Question], depth: usize, progress: &dyn Progress) -> Result<Answers, PipelineError> {
        let Stored { run: stored, mut warnings, parts } = read(&self.files)?;
        if let Some(digest) = &self.golden_digest {
            shard::check(&parts, digest, depth).map_err(PipelineError::new)?;
        }
        let mut run = Run::default();
        let mut missing = Vec::new();
        for question in questions {
            match stored.repeats(&question.id) {
                Some(repeats) => run.insert_repeats(question.id.clone(), repeats.to_vec()),
                None if self.missing_is_empty => run.insert(question.id.clone(), Ranking::new()),
                None => {
                    missing.push(&question.id);
                    continue;
                }
            };
            progress.answered();
        }
        if !missing.is_empty() {
            return Err(PipelineError::new(format!(
                "the run has no answer to {} of {} queries: {}\nhint: where absence means \"nothing found\" (a TREC \
                 run cannot say so otherwise), set `missing: empty` beside `run`",
                missing.len(),
                questions.len(),
                names(missing)
            )));
        }
        run.cut(depth);
        warnings.extend(foreign(&stored, &run));
        Ok(Answers { run, warnings })
    }
}

/// Answers to queries that nobody asks are no error, since a run may cover more than one golden set, but never silent.
fn foreign(stored: &Run, asked: &Run) -> Option<String> {
    let foreign: Vec<&QueryId> =
        stored.iter().map(|(query, _)| query).filter(|id| asked.answer(id).is_none()).collect();
    (!foreign.is_empty()).then(|| {
        format!(
            "The run answers {} that the golden set does not have: {}.",
            counted(foreign.len(), "query", "queries"),
            names(foreign)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Unwatched;

    fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn questions(ids: &[&str]) -> Vec<Question> {
        ids.iter().map(|id| Question { id: QueryId::new(*id), text: "?".into() }).collect()
    }

    #[test]
    fn files_of_every_format_are_joined_and_cut() {
        let folder = tempfile::tempdir().unwrap();
        let files = vec![
            write(folder.path(), "a.jsonl", "{\"id\":\"a\",\"results\":[\"x\",\"y\",\"z\"]}\n"),
            write(folder.path(), "b.run", "b Q0 x 1 2 t\nb Q0 y 2 1 t\n"),
            write(folder.path(), "c.jsonl", "{\"recall_gate_baseline\":1}\n{\"id\":\"c\",\"results\":[]}\n"),
        ];
        let answers =
            StoredPipeline::new(files, false, folder.path()).ask(&questions(&["a", "b"]), 2, &Unwatched).unwrap();
        assert_eq!(answers.run.len(), 2);
        assert_eq!(answers.run.answer(&QueryId::new("a")).unwrap().len(), 2);
        assert_eq!(answers.warnings, ["The run answers 1 query that the golden set does not have: `c`."]);
    }

    #[test]
    fn a_missing_answer_is_an_error_unless_it_means_nothing_found() {
        let folder = tempfile::tempdir().unwrap();
        let files = vec![write(folder.path(), "b.run", "b Q0 x 1 2 t\n")];
        let asked = questions(&["a", "b", "c"]);
        let error = StoredPipeline::new(files.clone(), false, folder.path()).ask(&asked, 2, &Unwatched).unwrap_err();
        assert!(error.message.contains("2 of 3 queries: `a`, `c`\nhint: "), "{error}");
        let answers = StoredPipeline::new(files, true, folder.path()).ask(&asked, 2, &Unwatched).unwrap();
        assert!(answers.run.answer(&QueryId::new("a")).unwrap().is_empty());
    }

    #[test]
    fn overlap_and_damage_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let one = write(folder.path(), "one.run", "b Q0 x 1 2 t\n");
        for (text, wanted) in [
            ("b Q0 y 1 2 t\n", "query `b` is answered in "),
            ("", "two.run: the file is empty"),
            ("\n{\"id\":\"a\"}\n", "two.run: line 2: query `a` has no `results`"),
            ("nonsense\n", "two.run: line 1: 1 columns"),
        ] {
            let two = write(folder.path(), "two.run", text);
            let error = read(&[one.clone(), two]).unwrap_err();
            assert!(error.message.contains(wanted), "{error}");
        }
        let error = read(&[folder.path().join("none")]).unwrap_err();
        assert!(error.message.contains("cannot read"), "{error}");
    }
}
