//! A dialogue with a program that reads a JSON line for each question and writes one for each answer, in any order.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::pipes::{self, Output, Tail};
use super::process::{Group, describe};
use super::{PipelineError, Progress, Question, names};
use crate::id::QueryId;

/// How often it is looked whether a silent program has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How long the output of a program that has ended is still read, where a process that it left behind keeps it open.
const GRACE: Duration = Duration::from_secs(1);

/// A program, started once for all questions.
#[derive(Debug)]
pub(super) struct Program {
    command: Vec<String>,
    directory: PathBuf,
    environment: Vec<(String, String)>,
    timeout: Duration,
    startup_timeout: Duration,
    watchdog: Option<PathBuf>,
}

/// What a program answered, in good order and completely.
#[derive(Debug)]
pub(super) struct Said<T> {
    /// An answer to every question.
    pub(super) answers: BTreeMap<QueryId, T>,
    /// A sentence each.
    pub(super) warnings: Vec<String>,
}

impl Program {
    /// Runs `command` (program and arguments) in `directory`; silence on its standard output for longer than `timeout`
    /// ends it.
    pub(super) fn new(command: Vec<String>, directory: &Path, timeout: Duration) -> Self {
        let directory = directory.to_owned();
        let environment = Vec::new();
        Self { command, directory, environment, timeout, startup_timeout: timeout, watchdog: None }
    }

    /// Sets variables of its environment.
    pub(super) fn with_environment(mut self, environment: Vec<(String, String)>) -> Self {
        self.environment = environment;
        self
    }

    /// Allows a longer silence before the first answer, in which it loads a model.
    pub(super) fn with_startup_timeout(mut self, timeout: Duration) -> Self {
        self.startup_timeout = timeout;
        self
    }

    /// Lets `executable`, which is this program, end the processes if we are killed.
    pub(super) fn with_watchdog(mut self, executable: Option<PathBuf>) -> Self {
        self.watchdog = executable;
        self
    }

    /// The command as a shell would take it.
    pub(super) fn words(&self) -> String {
        self.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// Writes the line of every question, and reads an answer to each with `parse`.
    pub(super) fn ask<T>(
        &self,
        questions: &[Question],
        line: impl Fn(&Question) -> Value,
        parse: impl Fn(&str) -> Result<(QueryId, T), String>,
        progress: &dyn Progress,
    ) -> Result<Said<T>, PipelineError> {
        let mut group = Group::start(&self.command, &self.directory, &self.environment, self.watchdog.as_deref())
            .map_err(PipelineError::new)?;
        if let Some(stdin) = group.stdin.take() {
            let lines: String = questions.iter().map(|question| line(question).to_string() + "\n").collect();
            pipes::write(stdin, lines.into_bytes());
        }
        let tail = group.stderr.take().map(pipes::tail);
        let Some(output) = group.stdout.take().map(pipes::lines) else {
            return Err(PipelineError::new("the program has no standard output"));
        };
        let asked = questions.iter().map(|question| &question.id).collect();
        let dialogue =
            Dialogue { asked, timeout: self.timeout, startup_timeout: self.startup_timeout, parse, progress };
        let outcome = dialogue.hold(&group, &output);
        // Before its last words are read, since a process that it left behind may keep standard error open too.
        group.kill();
        outcome.map_err(|message| PipelineError { message, stderr_tail: tail.and_then(Tail::end) })
    }
}

/// A word as a shell would take it, for people to read.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// What is asked, and how long an answer may take.
struct Dialogue<'a, Parse> {
    asked: BTreeSet<&'a QueryId>,
    timeout: Duration,
    startup_timeout: Duration,
    parse: Parse,
    progress: &'a dyn Progress,
}

type Heard<T> = BTreeMap<QueryId, T>;

impl<T, Parse: Fn(&str) -> Result<(QueryId, T), String>> Dialogue<'_, Parse> {
    /// Reads answers until the program has ended.
    fn hold(&self, group: &Group, output: &Receiver<Output>) -> Result<Said<T>, String> {
        let mut answers = Heard::new();
        let mut number = 0;
        let mut heard = Instant::now();
        let mut ended: Option<(ExitStatus, Instant)> = None;
        // A line that has no end was cut off if the program failed, and is an answer if it did not.
        let mut rest = None;
        let left_behind = loop {
            match output.recv_timeout(LOOK) {
                Ok(Output::Line(line)) => {
                    number += 1;
                    if self.take(&mut answers, number, &line)? {
                        heard = Instant::now();
                    }
                }
                Ok(Output::Rest(line)) => {
                    rest = Some(line);
                    break false;
                }
                Ok(Output::Fault(fault)) => return Err(format!("line {} of its standard output {fault}", number + 1)),
                Ok(Output::End) | Err(RecvTimeoutError::Disconnected) => break false,
                Err(RecvTimeoutError::Timeout) => {
                    if ended.is_none() {
                        ended = look(group)?.map(|status| (status, Instant::now()));
                    }
                    match ended {
                        Some((_, since)) if since.max(heard).elapsed() > GRACE => break true,
                        None if heard.elapsed() > self.patience(&answers) => return Err(self.silent(&answers)),
                        _ => {}
                    }
                }
            }
        };
        let status = match ended {
            Some((status, _)) => status,
            None => self.wait(group, heard, &answers)?,
        };
        if !status.success() {
            let (answered, all) = (answers.len(), self.asked.len());
            return Err(format!(
                "the program {}, after answering {answered} of {all} queries\nhint: a pipeline that has answered ends \
                 with exit code 0",
                describe(status)
            ));
        }
        if let Some(line) = rest {
            self.take(&mut answers, number + 1, &line)?;
        }
        self.complete(&answers)?;
        let warning = "A process that the pipeline left behind kept its standard output open and was ended.";
        Ok(Said { answers, warnings: left_behind.then(|| warning.to_owned()).into_iter().collect() })
    }

    /// Takes one line of output; whether it was an answer.
    fn take(&self, answers: &mut Heard<T>, number: usize, line: &[u8]) -> Result<bool, String> {
        let at = |what: String| format!("line {number} of its standard output: {what}");
        let line = std::str::from_utf8(line).map_err(|error| {
            let place = error.valid_up_to();
            at(format!("not UTF-8 (byte 0x{:02x} at offset {place})\nhint: write JSON as UTF-8", line[place]))
        })?;
        if line.trim().is_empty() {
            return Ok(false);
        }
        let (query, answer) = (self.parse)(line).map_err(|error| {
            at(format!("{error}\nhint: standard output is for answers, one JSON line each; log to standard error"))
        })?;
        if !self.asked.contains(&query) {
            return Err(at(format!("query `{query}` was not asked\nhint: answer with the `id` of the question")));
        }
        if answers.contains_key(&query) {
            return Err(at(format!("query `{query}` was answered before\nhint: answer each question once")));
        }
        answers.insert(query, answer);
        self.progress.answered();
        Ok(true)
    }

    /// Waits for a program that has closed its output.
    fn wait(&self, group: &Group, heard: Instant, answers: &Heard<T>) -> Result<ExitStatus, String> {
        loop {
            if let Some(status) = look(group)? {
                return Ok(status);
            }
            if heard.elapsed() > self.patience(answers) {
                return Err(self.silent(answers));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// How long it may be silent now.
    fn patience(&self, answers: &Heard<T>) -> Duration {
        if answers.is_empty() { self.startup_timeout } else { self.timeout }
    }

    fn unanswered(&self, answers: &Heard<T>) -> Vec<&QueryId> {
        self.asked.iter().copied().filter(|id| !answers.contains_key(*id)).collect()
    }

    fn silent(&self, answers: &Heard<T>) -> String {
        let missing = self.unanswered(answers);
        let (all, timeout) = (self.asked.len(), self.patience(answers));
        if missing.is_empty() {
            return format!(
                "the program answered all {all} queries and did not end within {timeout:?}\nhint: end when standard \
                 input ends"
            );
        }
        let name = if answers.is_empty() && timeout != self.timeout { "startup_timeout" } else { "timeout" };
        format!(
            "no answer for {timeout:?}, the `{name}`; {} of {all} queries are unanswered: {}\nhint: flush each answer, \
             or raise `{name}` in the configuration; questions end where standard input ends",
            missing.len(),
            names(missing)
        )
    }

    fn complete(&self, answers: &Heard<T>) -> Result<(), String> {
        let missing = self.unanswered(answers);
        if missing.is_empty() {
            return Ok(());
        }
        Err(format!(
            "the program ended in good order without an answer to {} of {} queries: {}\nhint: where nothing was found, \
             answer with an empty list of `results`",
            missing.len(),
            self.asked.len(),
            names(missing)
        ))
    }
}

fn look(group: &Group) -> Result<Option<ExitStatus>, String> {
    group.try_wait().map_err(|error| format!("cannot tell whether the program still runs: {error}"))
}
