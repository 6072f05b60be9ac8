//! Typesense: full text, with a key.

use std::process::Command;

use nix::sys::signal::{Signal, killpg};

use crate::corpus::{chunks, doubled, half, queries, repository, succeed};
use crate::gate::{Gate, mean, words};
use crate::proxy::Proxy;
use crate::server::{Server, answers, free_port, installed};

const KEY: &str = "right-8c51f0e2b7";
const WRONG_KEY: &str = "wrong-3d94a7c06e";

struct Typesense {
    server: Server,
    folder: tempfile::TempDir,
    port: u16,
}

impl Typesense {
    fn start() -> Self {
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        let mut command = Command::new(installed("typesense/bin/typesense-server"));
        command.arg("--data-dir").arg(folder.path()).arg(format!("--api-key={KEY}"));
        command.args(["--api-address", "127.0.0.1", "--api-port", &port.to_string()]);
        command.args(["--peering-address", "127.0.0.1", "--peering-port", &free_port().to_string()]);
        let server = Server::start(&mut command, &folder.path().join("log"), || answers(port, "/health"));
        Self { server, folder, port }
    }

    /// Replaces what is in the index.
    fn index(&self, chunks: &str) {
        let file = self.folder.path().join("chunks.jsonl");
        std::fs::write(&file, chunks).unwrap();
        let mut command = Command::new(installed("typesense/bin/python"));
        command.arg(repository("tests/engines/index/typesense.py")).arg(format!("http://127.0.0.1:{}", self.port));
        succeed(command.arg(file).env("TYPESENSE_API_KEY", KEY));
    }

    fn gate(&self) -> Gate {
        Gate::new(&preset(self.port, "docs")).env("TYPESENSE_API_KEY", KEY)
    }
}

fn preset(port: u16, collection: &str) -> String {
    format!(
        "http:
  preset: typesense
  with: {{server: 'http://127.0.0.1:{port}', collection: {collection}, fields: 'title,text'}}
  retries: 1"
    )
}

/// A search by GET, as the documentation of Typesense shows it first.
fn by_hand(port: u16, collection: &str) -> String {
    let url = format!("http://127.0.0.1:{port}/collections/{collection}/documents/search");
    format!(
        "http:
  url: '{url}?q={{{{query}}}}&query_by=title,text&per_page={{{{k}}}}&include_fields=id&drop_tokens_threshold={{{{k}}}}'
  headers: {{X-TYPESENSE-API-KEY: '{{{{env.TYPESENSE_API_KEY}}}}'}}
  results: $.hits[*]
  result_id: document.id
  score: text_match
  expect: ['$.search_cutoff == false']
  retries: 1"
    )
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn a_lost_half_is_caught_and_a_new_index_of_the_same_is_not() {
    let (typesense, chunks) = (Typesense::start(), chunks());
    let gate = typesense.gate();
    typesense.index(&chunks);
    let metrics = gate.accept();
    assert!(mean(&metrics, "recall@10") > 0.5, "{metrics}");
    typesense.index(&half(&chunks));
    gate.reject();
    typesense.index(&chunks);
    // By GET as by the POST of the preset.
    gate.configure(&by_hand(typesense.port, "docs"));
    let outcome = gate.run(&["run"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.contains("unchanged on every query"), "{}", outcome.stdout);
    let shown = gate.run(&["pipeline", "try", "how long is a gift card valid"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stdout.contains("en/gift-cards#"), "{}", shown.stdout);
    assert!(!shown.stdout.contains(KEY) && !shown.stderr.contains(KEY), "{shown:?}");
    gate.assert_nowhere(KEY);
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn a_wrong_key_is_told_apart_from_finding_nothing_and_never_shown() {
    let typesense = Typesense::start();
    typesense.index(&chunks());
    let gate = typesense.gate();
    gate.accept();
    let before = gate.read("baselines/main.jsonl");
    let gate = gate.env("TYPESENSE_API_KEY", WRONG_KEY);
    for pipeline in [preset(typesense.port, "docs"), by_hand(typesense.port, "docs")] {
        gate.configure(&pipeline);
        for arguments in [
            &["run", "--report", "terminal", "--report", "json=report.json", "--save-run", "run.jsonl"][..],
            &["baseline", "update", "--reason", "x", "--yes"],
        ] {
            let outcome = gate.run(arguments);
            assert_eq!(outcome.code, 3, "{outcome:?}");
            let words = outcome.stdout + &outcome.stderr;
            assert!(words.contains("401 Unauthorized"), "{words}");
            assert!(!words.contains(WRONG_KEY), "{words}");
        }
        assert_eq!(gate.read("baselines/main.jsonl"), before);
        gate.assert_nowhere(WRONG_KEY);
    }
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn a_server_that_dies_in_the_middle_leaves_queries_that_are_named() {
    let typesense = Typesense::start();
    typesense.index(&chunks());
    let gate = typesense.gate();
    gate.accept();
    let before = gate.read("baselines/main.jsonl");
    let group = typesense.server.group();
    let proxy = Proxy::start(typesense.port, move |number| {
        if number == 60 {
            killpg(group, Signal::SIGKILL).unwrap();
        }
    });
    gate.configure(&preset(proxy.port, "docs"));
    let outcome = gate.run(&["run"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(proxy.asked().len() >= 60, "it was killed while it was asked");
    let words = words(&outcome.stdout);
    assert!(words.contains(&format!("of {} queries are unanswered: `", queries())), "{words}");
    assert!(!words.contains(&format!("{0} of {0}", queries())), "the first ones were answered: {words}");
    assert_eq!(gate.run(&["baseline", "update", "--reason", "x", "--yes"]).code, 3);
    assert_eq!(gate.read("baselines/main.jsonl"), before);
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn an_error_inside_an_answer_of_success_is_no_empty_ranking() {
    let typesense = Typesense::start();
    typesense.index(&chunks());
    let gate = typesense.gate();
    gate.accept();
    // `multi_search` answers 200, and says 404 inside.
    gate.configure(&preset(typesense.port, "dosc"));
    let outcome = gate.run(&["run"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    let words = words(&outcome.stdout);
    assert!(words.contains("answered 200 OK, but") && words.contains("Not found."), "{words}");
    gate.configure(&by_hand(typesense.port, "dosc"));
    let outcome = gate.run(&["run"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stdout.contains("404 Not Found"), "{}", outcome.stdout);
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn a_query_is_sent_as_it_is_and_ties_keep_their_order() {
    let typesense = Typesense::start();
    typesense.index(&doubled(&chunks()));
    let proxy = Proxy::start(typesense.port, |_| ());
    let gate = Gate::new(&format!("{}\n  concurrency: 1", preset(proxy.port, "docs"))).env("TYPESENSE_API_KEY", KEY);
    gate.accept();
    let sent = proxy.asked();
    assert_eq!(sent.len(), 2 * queries(), "a request for each query, twice");
    let bodies: Vec<&str> = sent.iter().map(|request| request.split_once("\r\n\r\n").unwrap().1).collect();
    assert!(bodies.iter().any(|body| body.contains("{{env.TYPESENSE_API_KEY}} {{query}} {{k|json}}")));
    assert!(bodies.iter().all(|body| !body.contains(KEY)), "a query must not get at the key");
    let outcome = gate.run(&["run", "--check-determinism"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(!outcome.stdout.contains("Asked twice"), "{}", outcome.stdout);
}
