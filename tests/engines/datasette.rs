//! SQLite FTS5 behind Datasette: a GET, and a query language that questions are not written in.

use std::process::{Command, Stdio};

use crate::corpus::{chunks, doubled, half, queries, repository, succeed};
use crate::gate::{Gate, mean, words};
use crate::server::{Server, answers, free_port, installed};

/// The files of a database; it is served as long as a [`Server`] is kept.
struct Datasette {
    folder: tempfile::TempDir,
    port: u16,
}

impl Datasette {
    fn new(chunks: &str) -> Self {
        let datasette = Self { folder: tempfile::tempdir().unwrap(), port: free_port() };
        datasette.index(chunks);
        datasette
    }

    /// Replaces what is in the index.
    fn index(&self, chunks: &str) {
        let file = |name: &str| self.folder.path().join(name);
        std::fs::write(file("chunks.jsonl"), chunks).unwrap();
        let mut command = Command::new(installed("datasette/bin/python"));
        command.arg(repository("tests/engines/index/datasette.py"));
        succeed(command.args(["chunks.jsonl", "shop.db", "metadata.json"].map(file)));
    }

    fn start(&self) -> Server {
        let mut command = Command::new(installed("datasette/bin/datasette"));
        command.args(["shop.db", "-m", "metadata.json", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
        command.current_dir(self.folder.path());
        Server::start(&mut command, &self.folder.path().join("log"), || answers(self.port, "/-/versions.json"))
    }

    /// The preset with the canned query `query`.
    fn preset(&self, query: &str) -> String {
        let server = format!("http://127.0.0.1:{}", self.port);
        format!("http:\n  preset: datasette\n  with: {{server: '{server}', database: shop, query: {query}}}\n")
    }
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn a_lost_half_and_the_worst_first_are_caught() {
    let chunks = chunks();
    let datasette = Datasette::new(&chunks);
    let _server = datasette.start();
    let gate = Gate::new(&datasette.preset("search"));
    let metrics = gate.accept();
    assert!(mean(&metrics, "recall@10") > 0.6, "{metrics}");
    datasette.index(&half(&chunks));
    gate.reject();
    datasette.index(&chunks);
    gate.configure(&datasette.preset("reversed"));
    let outcome = gate.run(&["run"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stdout.contains("recall@10 fell by"), "{}", outcome.stdout);
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn a_question_that_is_no_query_is_an_error_with_a_remedy() {
    let datasette = Datasette::new(&chunks());
    let _server = datasette.start();
    let url = format!("http://127.0.0.1:{}/shop/search.json?q={{{{query}}}}&k={{{{k}}}}&_shape=array", datasette.port);
    let gate = Gate::new(&format!("http: {{url: '{url}', results: '$[*]', retries: 0}}"));
    let outcome = gate.run(&["baseline", "update", "--reason", "x", "--yes"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    let words = words(&(outcome.stdout + &outcome.stderr));
    assert!(words.contains("400 Bad Request") && words.contains("{{query|any_word}}"), "{words}");
    assert!(words.contains(&format!("of {} queries are unanswered", queries())), "{words}");
    assert!(!gate.path().join("baselines/main.jsonl").exists(), "no baseline was written");
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn ties_in_another_order_each_time_are_noticed() {
    let datasette = Datasette::new(&doubled(&chunks()));
    let _server = datasette.start();
    for (query, is_stable) in [("search", true), ("unstable", false)] {
        let gate = Gate::new(&datasette.preset(query));
        assert_eq!(gate.run(&["baseline", "update", "--reason", "first", "--yes"]).code, 0);
        let outcome = gate.run(&["run", "--check-determinism"]);
        assert_eq!(words(&outcome.stdout).contains("Asked twice"), !is_stable, "{query}: {outcome:?}");
    }
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn a_server_that_is_still_starting_is_waited_for() {
    let datasette = Datasette::new(&chunks());
    let pipeline = datasette.preset("search");
    let gate = Gate::new(&pipeline);
    let server = datasette.start();
    gate.accept();
    drop(server);
    // Without a word about waiting, nobody is there.
    let outcome = gate.run(&["run"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    let wanted = format!("{0} of {0} queries are unanswered", queries());
    assert!(words(&outcome.stdout).contains(&wanted), "{}", outcome.stdout);
    let ready = format!("http://127.0.0.1:{}/-/versions.json", datasette.port);
    gate.configure(&format!("{pipeline}  wait_for: '{ready}'\nstartup_timeout: 2m\n"));
    let mut command = gate.command(&["run"]);
    let early = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _server = datasette.start();
    let output = early.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}
