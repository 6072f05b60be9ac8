//! The system under test: query text in, ranked result ids out.
//!
//! A new kind of pipeline is a file here that implements [`Pipeline`], a section in `config/schema.rs` and a line in
//! [`open`].

use std::fmt::Display;
use std::path::Path;

use crate::config::PipelineConfig;
use crate::id::{QueryId, ResultId};
use crate::run::Run;

pub mod bm25;
pub mod chunk;
pub mod command;
pub mod corpus;
pub mod floor;
pub mod http;
pub mod listing;
pub mod originals;
mod pipes;
pub mod process;
mod program;
pub mod stored;
pub mod text;
pub mod watchdog;

/// One question as a pipeline sees it: no judgments, no tags.
#[derive(Clone, Debug)]
pub struct Question {
    /// The id of the golden query.
    pub id: QueryId,
    /// The text to search for.
    pub text: String,
}

/// What a caller learns while a pipeline works, for a progress bar.
pub trait Progress: Sync {
    /// One more query was answered.
    fn answered(&self);
}

/// A [`Progress`] that nobody watches.
pub struct Unwatched;

impl Progress for Unwatched {
    fn answered(&self) {}
}

/// Something that answers queries.
///
/// The whole batch is handed over at once, so that an implementation chooses its own concurrency.
pub trait Pipeline {
    /// What is measured, in one line without secrets; it is stored in the baseline.
    fn description(&self) -> String;

    /// Answers every question with at most `depth` results each.
    ///
    /// # Errors
    /// Whatever keeps the answers from being complete and well formed: the message names the queries concerned and
    /// ends in what to do. A missing answer is an error, never an empty ranking.
    fn ask(&self, questions: &[Question], depth: usize, progress: &dyn Progress) -> Result<Answers, PipelineError>;

    /// Asks one question and writes down what was sent and what came back, for a person who sets a pipeline up.
    fn trace(&self, question: &Question, depth: usize) -> Trace {
        Trace { steps: Vec::new(), outcome: self.ask(std::slice::from_ref(question), depth, &Unwatched) }
    }

    /// The id of everything that it could return, where it knows.
    fn corpus(&self) -> Option<Vec<ResultId>> {
        None
    }
}

/// A complete set of answers.
#[derive(Debug, Default)]
pub struct Answers {
    /// One ranking for every question asked, and for no other, none longer than the depth asked for.
    pub run: Run,
    /// What a person should know although it is no error, a sentence each.
    pub warnings: Vec<String>,
}

/// One question in slow motion.
#[derive(Debug)]
pub struct Trace {
    /// What was sent and what came back, each with a title; without secrets, not yet escaped.
    pub steps: Vec<(String, String)>,
    /// What was read from it.
    pub outcome: Result<Answers, PipelineError>,
}

impl Default for Trace {
    fn default() -> Self {
        Self { steps: Vec::new(), outcome: Ok(Answers::default()) }
    }
}

/// The pipeline could not be measured: a message for people, with the end of its standard error where it has one.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct PipelineError {
    /// What happened, to which queries, and what to do.
    pub message: String,
    /// The last lines that the pipeline wrote to standard error, as it wrote them (not yet escaped).
    pub stderr_tail: Option<String>,
}

impl PipelineError {
    /// An error without standard error.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), stderr_tail: None }
    }
}

/// Prepares the configured pipeline; `folder` is where a program starts.
///
/// # Errors
/// Where it cannot be prepared: documents that are not there, a language without a stemmer.
pub fn open(config: &PipelineConfig, folder: &Path) -> Result<Box<dyn Pipeline>, PipelineError> {
    Ok(match config {
        PipelineConfig::Command(config) => Box::new(
            command::CommandPipeline::new(config.command.clone(), &config.directory, config.timeout)
                .with_environment(config.environment.clone())
                .with_startup_timeout(config.startup_timeout)
                .with_watchdog(std::env::current_exe().ok()),
        ),
        PipelineConfig::Http(config) => Box::new(http::HttpPipeline::new((**config).clone(), folder)),
        PipelineConfig::Bm25(config) => Box::new(bm25::Bm25Pipeline::open(config, folder)?),
        PipelineConfig::Run { files, missing_is_empty } => {
            Box::new(stored::StoredPipeline::new(files.clone(), *missing_is_empty, folder))
        }
    })
}

/// A path as the configuration in `folder` writes it: what is committed should not say where a checkout lies.
fn relative(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

/// The first few of many names, for a message.
pub(crate) fn names<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    const SHOWN: usize = 5;
    let mut names = names.into_iter();
    let mut text = names.by_ref().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.count() {
        0 => {}
        more => text.push_str(&format!(" and {more} more")),
    }
    text
}
