//! Chroma: vectors alone, made by `embed.py`, in a collection whose id has to be looked up.

use std::process::Command;

use crate::corpus::{chunks, doubled, half, repository, succeed};
use crate::gate::{Gate, mean, words};
use crate::server::{Server, answers, free_port, installed};

struct Chroma {
    _server: Server,
    folder: tempfile::TempDir,
    port: u16,
}

impl Chroma {
    fn start() -> Self {
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        let mut command = Command::new(installed("chroma/bin/chroma"));
        command.args(["run", "--host", "127.0.0.1", "--port", &port.to_string()]);
        command.arg("--path").arg(folder.path().join("data"));
        let ready = || answers(port, "/api/v2/heartbeat");
        let server = Server::start(&mut command, &folder.path().join("log"), ready);
        Self { _server: server, folder, port }
    }

    /// Replaces the collection, by one with another id.
    fn index(&self, chunks: &str) {
        let file = self.folder.path().join("chunks.jsonl");
        std::fs::write(&file, chunks).unwrap();
        let mut command = Command::new(installed("chroma/bin/python"));
        command.arg(repository("tests/engines/index/chroma.py")).arg(format!("http://127.0.0.1:{}", self.port));
        // It imports `embed.py`, and a test leaves nothing in the work tree.
        succeed(command.arg(file).env("PYTHONDONTWRITEBYTECODE", "1"));
    }

    /// The preset, with `vector` for the queries.
    fn pipeline(&self, collection: &str, vector: &str) -> String {
        format!(
            "http:
  preset: chroma
  with: {{server: 'http://127.0.0.1:{}', collection: {collection}}}
  vector: {vector}",
            self.port
        )
    }
}

/// The program that made the vectors of the documents, or another model of the same size.
fn model(number: u32) -> String {
    let script = repository("tests/engines/embed.py");
    format!("{{command: [python3, '{}', --model, '{number}']}}", script.display())
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn a_lost_half_and_another_model_are_caught() {
    let (chroma, chunks) = (Chroma::start(), chunks());
    let gate = Gate::new(&chroma.pipeline("docs", &model(1)));
    chroma.index(&chunks);
    let metrics = gate.accept();
    assert!(mean(&metrics, "recall@10") > 0.5, "{metrics}");
    chroma.index(&half(&chunks));
    gate.reject();
    chroma.index(&chunks);
    let outcome = gate.run(&["run"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    gate.configure(&chroma.pipeline("docs", &model(2)));
    let outcome = gate.run(&["run"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stdout.contains("recall@10 fell by"), "{}", outcome.stdout);
}

/// As somebody would write it who knows no preset, and creates the collection where it may be missing.
#[test]
#[ignore = "needs real servers: make test-engines"]
fn ties_of_a_pipeline_without_a_preset_keep_their_order() {
    let chroma = Chroma::start();
    chroma.index(&doubled(&chunks()));
    let base = format!("http://127.0.0.1:{}/api/v2/tenants/default_tenant/databases/default_database", chroma.port);
    let gate = Gate::new(&format!(
        "http:
  setup:
    - {{url: '{base}/collections', body: {{name: docs, get_or_create: true}}, capture: {{collection: $.id}}}}
  url: '{base}/collections/{{{{collection}}}}/query'
  body: {{query_embeddings: ['{{{{vector}}}}'], n_results: '{{{{k}}}}', include: [distances]}}
  results: $.ids[0][*]
  result_id: '@'
  score: $.distances[0][*]
  lower_is_better: true
  vector: {}",
        model(1)
    ));
    gate.accept();
    let outcome = gate.run(&["run", "--check-determinism"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(!words(&outcome.stdout).contains("Asked twice"), "{}", outcome.stdout);
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn what_cannot_be_asked_is_no_empty_ranking() {
    let chroma = Chroma::start();
    chroma.index(&chunks());
    let gate = Gate::new(&chroma.pipeline("docs", &model(1)));
    gate.accept();
    // A model of another size, whose vectors are in a file.
    let run = std::fs::read_to_string(gate.path().join("baselines/main.jsonl")).unwrap();
    let ids =
        run.lines().skip(1).map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].to_string());
    let vectors: String = ids.map(|id| format!("{{\"id\":{id},\"vector\":[0.5,0.5,0.5]}}\n")).collect();
    std::fs::write(gate.path().join("vectors.jsonl"), vectors).unwrap();
    for (pipeline, wanted) in [
        (chroma.pipeline("docs", "{file: vectors.jsonl}"), "400 Bad Request"),
        (chroma.pipeline("docs", "{file: vectors.jsonl}"), "dimension"),
        (chroma.pipeline("dosc", &model(1)), "404 Not Found"),
        (chroma.pipeline("dosc", &model(1)), "request 1 of `setup`"),
        (chroma.pipeline("docs", "{command: [python3, -c, 'raise SystemExit(\"no model\")']}"), "no model"),
    ] {
        gate.configure(&pipeline);
        let outcome = gate.run(&["run"]);
        assert_eq!(outcome.code, 3, "{outcome:?}");
        assert!(words(&outcome.stdout).contains(wanted), "{wanted}: {}", outcome.stdout);
    }
}
