//! `command`: a program that answers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::program::Program;
use super::{Answers, Pipeline, PipelineError, Progress, Question};
use crate::run::{Run, jsonl};

/// A program, started once for all questions.
#[derive(Debug)]
pub struct CommandPipeline(Program);

impl CommandPipeline {
    /// Runs `command` (program and arguments) in `directory`; silence on its standard output for longer than `timeout`
    /// ends it.
    #[must_use]
    pub fn new(command: Vec<String>, directory: &Path, timeout: Duration) -> Self {
        Self(Program::new(command, directory, timeout))
    }

    /// Sets variables of its environment.
    #[must_use]
    pub fn with_environment(self, environment: Vec<(String, String)>) -> Self {
        Self(self.0.with_environment(environment))
    }

    /// Allows a longer silence before the first answer, in which it loads a model.
    #[must_use]
    pub fn with_startup_timeout(self, timeout: Duration) -> Self {
        Self(self.0.with_startup_timeout(timeout))
    }

    /// Lets `executable`, which is this program, end the processes if we are killed.
    #[must_use]
    pub fn with_watchdog(self, executable: Option<PathBuf>) -> Self {
        Self(self.0.with_watchdog(executable))
    }
}

impl Pipeline for CommandPipeline {
    fn description(&self) -> String {
        format!("command: {}", self.0.words())
    }

    fn ask(&self, questions: &[Question], depth: usize, progress: &dyn Progress) -> Result<Answers, PipelineError> {
        let line = |question: &Question| json!({ "id": question.id.as_str(), "query": question.text, "k": depth });
        let parse = |line: &str| {
            let (query, mut ranking) = jsonl::parse_answer(line)?;
            ranking.truncate(depth);
            Ok((query, ranking))
        };
        let said = self.0.ask(questions, line, parse, progress)?;
        let mut run = Run::default();
        for (query, ranking) in said.answers {
            run.insert(query, ranking);
        }
        Ok(Answers { run, warnings: said.warnings })
    }
}
