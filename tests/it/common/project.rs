//! A temporary folder with a configuration, and the program run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A project of a user; gone when it is dropped.
pub struct Project {
    folder: tempfile::TempDir,
}

/// How a run of the program ended.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Project {
    /// An empty project.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A project with `config` as its `recall-gate.yaml`.
    pub fn with_config(config: &str) -> Self {
        let project = Self::new();
        project.write("recall-gate.yaml", config);
        project
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file, and the folders it needs.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, contents).unwrap();
        path
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The program with its arguments, in this folder, not in CI and without a terminal.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recall-gate"));
        command.args(arguments).current_dir(self.path()).env_remove("CI").stdin(Stdio::null());
        command
    }

    /// Runs it.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        self.command(arguments).output().unwrap().into()
    }
}

/// The golden set of `queries` questions `q000`, … whose answers are `d000`, …, as YAML.
pub fn golden(queries: usize) -> String {
    let query = |n: usize| format!("  - {{id: q{n:03}, text: question {n}, grades: {{d{n:03}: 2}}}}\n");
    format!("queries:\n{}", (0..queries).map(query).collect::<String>())
}

/// A run that finds every answer first, but none for the first `lost` queries.
pub fn answers(queries: usize, lost: usize) -> String {
    let answer = |n: usize| {
        let document = if n < lost { "elsewhere".to_owned() } else { format!("d{n:03}") };
        format!("{{\"id\":\"q{n:03}\",\"results\":[\"{document}\",\"other\"]}}\n")
    };
    (0..queries).map(answer).collect()
}

/// A project of 100 queries with a committed baseline that answers all of them.
pub fn hundred() -> Project {
    let project = Project::with_config("pipeline: {run: answers.jsonl}\n");
    project.write("golden/queries.yaml", golden(100));
    project.write("answers.jsonl", answers(100, 0));
    let outcome = project.run(&["baseline", "update", "--reason", "first", "--yes"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    project
}
