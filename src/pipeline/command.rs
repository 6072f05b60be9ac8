//! `command`: a program that reads questions and writes answers, a JSON line each, in any order.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::json;

use super::pipes::{self, Output, Tail};
use super::process::{Group, describe};
use super::{Answers, Pipeline, PipelineError, Progress, Question, names};
use crate::id::QueryId;
use crate::run::{Run, jsonl};

/// How often it is looked whether a silent program has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How long the output of a program that has ended is still read, where a process that it left behind keeps it open.
const GRACE: Duration = Duration::from_secs(1);

/// A program, started once for all questions.
#[derive(Debug)]
pub struct CommandPipeline {
    command: Vec<String>,
    directory: PathBuf,
    timeout: Duration,
    watchdog: Option<PathBuf>,
}

impl CommandPipeline {
    /// Runs `command` (program and arguments) in `directory`; silence on its standard output for longer than `timeout`
    /// ends it.
    #[must_use]
    pub fn new(command: Vec<String>, directory: &Path, timeout: Duration) -> Self {
        Self { command, directory: directory.to_owned(), timeout, watchdog: None }
    }

    /// Lets `executable`, which is this program, end the processes if we are killed.
    #[must_use]
    pub fn with_watchdog(mut self, executable: Option<PathBuf>) -> Self {
        self.watchdog = executable;
        self
    }
}

impl Pipeline for CommandPipeline {
    fn description(&self) -> String {
        let words: Vec<String> = self.command.iter().map(|word| quoted(word)).collect();
        format!("command: {}", words.join(" "))
    }

    fn ask(&self, questions: &[Question], depth: usize, progress: &dyn Progress) -> Result<Answers, PipelineError> {
        let mut group =
            Group::start(&self.command, &self.directory, self.watchdog.as_deref()).map_err(PipelineError::new)?;
        if let Some(stdin) = group.stdin.take() {
            pipes::write(stdin, input(questions, depth));
        }
        let tail = group.stderr.take().map(pipes::tail);
        let Some(output) = group.stdout.take().map(pipes::lines) else {
            return Err(PipelineError::new("the program has no standard output"));
        };
        let asked = questions.iter().map(|question| &question.id).collect();
        let dialogue = Dialogue { asked, depth, timeout: self.timeout, progress };
        let outcome = dialogue.hold(&group, &output);
        // Before its last words are read, since a process that it left behind may keep standard error open too.
        group.kill();
        outcome.map_err(|message| PipelineError { message, stderr_tail: tail.and_then(Tail::end) })
    }
}

/// The lines that the program reads.
fn input(questions: &[Question], depth: usize) -> Vec<u8> {
    let line = |question: &Question| {
        json!({ "id": question.id.as_str(), "query": question.text, "k": depth }).to_string() + "\n"
    };
    questions.iter().map(line).collect::<String>().into_bytes()
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
struct Dialogue<'a> {
    asked: BTreeSet<&'a QueryId>,
    depth: usize,
    timeout: Duration,
    progress: &'a dyn Progress,
}

impl Dialogue<'_> {
    /// Reads answers until the program has ended.
    fn hold(&self, group: &Group, output: &Receiver<Output>) -> Result<Answers, String> {
        let mut run = Run::default();
        let mut number = 0;
        let mut heard = Instant::now();
        let mut ended: Option<(ExitStatus, Instant)> = None;
        // A line that has no end was cut off if the program failed, and is an answer if it did not.
        let mut rest = None;
        let left_behind = loop {
            match output.recv_timeout(LOOK) {
                Ok(Output::Line(line)) => {
                    number += 1;
                    if self.take(&mut run, number, &line)? {
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
                        None if heard.elapsed() > self.timeout => return Err(self.silent(&run)),
                        _ => {}
                    }
                }
            }
        };
        let status = match ended {
            Some((status, _)) => status,
            None => self.wait(group, heard, &run)?,
        };
        if !status.success() {
            let (answered, all) = (run.len(), self.asked.len());
            return Err(format!(
                "the program {}, after answering {answered} of {all} queries\nhint: a pipeline that has answered ends \
                 with exit code 0",
                describe(status)
            ));
        }
        if let Some(line) = rest {
            self.take(&mut run, number + 1, &line)?;
        }
        self.complete(&run)?;
        let warning = "A process that the pipeline left behind kept its standard output open and was ended.";
        Ok(Answers { run, warnings: left_behind.then(|| warning.to_owned()).into_iter().collect() })
    }

    /// Takes one line of output; whether it was an answer.
    fn take(&self, run: &mut Run, number: usize, line: &[u8]) -> Result<bool, String> {
        let at = |what: String| format!("line {number} of its standard output: {what}");
        let line = std::str::from_utf8(line).map_err(|error| {
            let place = error.valid_up_to();
            at(format!("not UTF-8 (byte 0x{:02x} at offset {place})\nhint: write JSON as UTF-8", line[place]))
        })?;
        if line.trim().is_empty() {
            return Ok(false);
        }
        let (query, mut ranking) = jsonl::parse_answer(line).map_err(|error| {
            at(format!("{error}\nhint: standard output is for answers, one JSON line each; log to standard error"))
        })?;
        if !self.asked.contains(&query) {
            return Err(at(format!("query `{query}` was not asked\nhint: answer with the `id` of the question")));
        }
        ranking.truncate(self.depth);
        if !run.insert(query.clone(), ranking) {
            return Err(at(format!("query `{query}` was answered before\nhint: answer each question once")));
        }
        self.progress.answered();
        Ok(true)
    }

    /// Waits for a program that has closed its output.
    fn wait(&self, group: &Group, heard: Instant, run: &Run) -> Result<ExitStatus, String> {
        loop {
            if let Some(status) = look(group)? {
                return Ok(status);
            }
            if heard.elapsed() > self.timeout {
                return Err(self.silent(run));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn unanswered(&self, run: &Run) -> Vec<&QueryId> {
        self.asked.iter().copied().filter(|id| run.answer(id).is_none()).collect()
    }

    fn silent(&self, run: &Run) -> String {
        let missing = self.unanswered(run);
        let (all, timeout) = (self.asked.len(), self.timeout);
        if missing.is_empty() {
            return format!(
                "the program answered all {all} queries and did not end within {timeout:?}\nhint: end when standard \
                 input ends"
            );
        }
        format!(
            "no answer for {timeout:?}, the `timeout`; {} of {all} queries are unanswered: {}\nhint: flush each answer, \
             or raise `timeout` in the configuration; questions end where standard input ends",
            missing.len(),
            names(missing)
        )
    }

    fn complete(&self, run: &Run) -> Result<(), String> {
        let missing = self.unanswered(run);
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
