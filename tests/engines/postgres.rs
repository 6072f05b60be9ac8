//! PostgreSQL full-text search, asked by `examples/postgres/answer.py` as a `command` pipeline.

use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use crate::corpus::{chunks, doubled, half, repository, succeed};
use crate::gate::{Gate, mean, words};
use crate::server::{Server, free_port, installed};

/// Whom PostgreSQL runs as where the tests run as root, which it refuses: nobody, by the number that is usual.
const NOBODY: u32 = 65534;

struct Postgres {
    _server: Server,
    folder: tempfile::TempDir,
    port: u16,
}

impl Postgres {
    fn start() -> Self {
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        let data = folder.path().join("data");
        let root = folder.path().metadata().unwrap().uid() == 0;
        // Where the files really are: root's home, through which the link leads, is closed to others.
        let programs = installed("postgresql").canonicalize().unwrap();
        let program = |name: &str| {
            let mut command = Command::new(programs.join(name));
            command.arg("-D").arg(&data).current_dir(folder.path());
            if root {
                command.uid(NOBODY).gid(NOBODY);
            }
            command
        };
        if root {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        succeed(program("initdb").args("-A trust -U gate -E UTF8 --locale=C --no-sync".split(' ')));
        let mut server = program("postgres");
        server.args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]);
        let ready = || {
            let mut command = Command::new(programs.join("pg_isready"));
            command.args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]).status().unwrap().success()
        };
        let server = Server::start(&mut server, &folder.path().join("log"), ready);
        Self { _server: server, folder, port }
    }

    /// How psql finds the server, and a shell finds psql.
    fn environment(&self) -> [(&'static str, String); 5] {
        let path = std::env::var("PATH").unwrap();
        [
            ("PGHOST", "127.0.0.1".to_owned()),
            ("PGPORT", self.port.to_string()),
            ("PGUSER", "gate".to_owned()),
            ("PGDATABASE", "postgres".to_owned()),
            ("PATH", format!("{}:{path}", installed("postgresql").display())),
        ]
    }

    fn psql(&self) -> Command {
        let mut command = Command::new(installed("postgresql/psql"));
        command.args(["-X", "-q"]).envs(self.environment());
        command
    }

    /// Replaces what is in the index.
    fn index(&self, chunks: &str, language: &str) {
        let file: PathBuf = self.folder.path().join("chunks.jsonl");
        std::fs::write(&file, chunks).unwrap();
        let file = format!("chunks={}", file.display());
        let language = format!("language={language}");
        let script = repository("examples/postgres/index.sql");
        succeed(self.psql().args(["-v", &language, "-v", &file]).arg("-f").arg(script));
    }

    fn gate(&self, more: &str) -> Gate {
        let script = repository("examples/postgres/answer.py");
        let gate = Gate::new(&format!("command: [python3, '{}'{more}]", script.display()));
        self.environment().into_iter().fold(gate, |gate, (name, value)| gate.env(name, value))
    }
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn a_lost_half_and_a_lost_stemmer_are_caught() {
    let (postgres, chunks) = (Postgres::start(), chunks());
    let gate = postgres.gate("");
    postgres.index(&chunks, "english");
    let metrics = gate.accept();
    assert!(mean(&metrics, "recall@10") > 0.6, "{metrics}");
    postgres.index(&half(&chunks), "english");
    gate.reject();
    // The index no longer stems, the queries still do.
    postgres.index(&chunks, "simple");
    let outcome = gate.run(&["run"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stdout.contains("recall@10 fell by"), "{}", outcome.stdout);
    assert!(!gate.path().join("here").exists(), "a query was run by a shell");
    assert_eq!(succeed(postgres.psql().args(["-At", "-c", "select count(*) > 0 from docs"])), "t\n");
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn ties_keep_their_order_and_a_database_that_is_gone_is_no_empty_ranking() {
    let postgres = Postgres::start();
    postgres.index(&doubled(&chunks()), "english");
    let gate = postgres.gate("");
    assert_eq!(gate.run(&["baseline", "update", "--reason", "first", "--yes"]).code, 0);
    let outcome = gate.run(&["run", "--check-determinism"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(!words(&outcome.stdout).contains("Asked twice"), "{}", outcome.stdout);
    drop(postgres);
    let outcome = gate.run(&["run"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(words(&outcome.stdout).contains("Connection refused"), "psql's own words: {}", outcome.stdout);
}
