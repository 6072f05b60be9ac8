//! The program in a project of its own, and what it must say of a server.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::project::{Outcome, Project};
use crate::corpus::golden;

/// A project with the golden set of the example, and the environment in which the program runs.
pub(crate) struct Gate {
    project: Project,
    environment: Vec<(String, String)>,
}

impl Gate {
    /// A project whose `pipeline:` section is `pipeline`.
    pub(crate) fn new(pipeline: &str) -> Self {
        let gate = Self { project: Project::new(), environment: Vec::new() };
        gate.project.write("golden/queries.yaml", golden());
        gate.configure(pipeline);
        gate
    }

    /// Sets a variable of the environment.
    pub(crate) fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    /// Replaces the `pipeline:` section.
    pub(crate) fn configure(&self, pipeline: &str) {
        let pipeline: String = pipeline.lines().map(|line| format!("  {line}\n")).collect();
        self.project.write("recall-gate.yaml", format!("document_id: '^([^#]+)'\npipeline:\n{pipeline}"));
    }

    /// Its folder.
    pub(crate) fn path(&self) -> &Path {
        self.project.path()
    }

    /// Reads a file of it.
    pub(crate) fn read(&self, name: &str) -> String {
        self.project.read(name)
    }

    /// The program with its arguments and environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.command(arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs the program.
    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        self.command(arguments).output().unwrap().into()
    }

    /// Commits what the server answers now as the baseline, and finds it unchanged.
    ///
    /// Returns the means of the report, to show that the server found something.
    pub(crate) fn accept(&self) -> Value {
        let outcome = self.run(&["baseline", "update", "--reason", "first", "--yes"]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let outcome = self.run(&["run", "--report", "terminal", "--report", "json=report.json"]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(outcome.stdout.contains("unchanged on every query"), "{}", outcome.stdout);
        let report: Value = serde_json::from_str(&self.project.read("report.json")).unwrap();
        report["metrics"].clone()
    }

    /// Finds a regression, and that a pinned query is lost whose document is gone.
    pub(crate) fn reject(&self) {
        let outcome = self.run(&["run"]);
        assert_eq!(outcome.code, 1, "{outcome:?}");
        assert!(outcome.stdout.contains("recall@10 fell by"), "{}", outcome.stdout);
        assert!(outcome.stdout.contains("Pinned query `es-contrasena` got worse"), "{}", outcome.stdout);
    }

    /// Asserts that no file of the project, whatever wrote it, holds `secret`.
    pub(crate) fn assert_nowhere(&self, secret: &str) {
        let mut files = 0;
        for entry in walkdir::WalkDir::new(self.path()) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                files += 1;
                let text = String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned();
                assert!(!text.contains(secret), "{} holds it", entry.path().display());
            }
        }
        assert!(files > 1, "the configuration and the golden set at least");
    }
}

/// A report without its line ends, which fall anywhere.
pub(crate) fn words(report: &str) -> String {
    report.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The mean of a metric in a report.
pub(crate) fn mean(metrics: &Value, name: &str) -> f64 {
    let metric = metrics.as_array().unwrap().iter().find(|metric| metric["name"] == name).unwrap();
    metric["current"].as_f64().unwrap()
}
