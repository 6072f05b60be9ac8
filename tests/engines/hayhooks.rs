//! Haystack behind Hayhooks: a framework that people build their pipelines with, and its envelope.

use std::process::Command;

use crate::corpus::{chunks, doubled, half, repository};
use crate::gate::{Gate, mean, words};
use crate::server::{Server, answers, free_port, installed};

struct Hayhooks {
    _server: Server,
    _folder: tempfile::TempDir,
    port: u16,
}

impl Hayhooks {
    /// Starts it over `chunks`, which it keeps in memory.
    fn start(chunks: &str) -> Self {
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        let file = folder.path().join("chunks.jsonl");
        std::fs::write(&file, chunks).unwrap();
        // Python writes what it compiles beside what it reads, and a test leaves nothing in the work tree.
        let wrapper = "search/pipeline_wrapper.py";
        std::fs::create_dir_all(folder.path().join("pipelines/search")).unwrap();
        let source = repository("tests/engines/index/hayhooks").join(wrapper);
        std::fs::copy(source, folder.path().join("pipelines").join(wrapper)).unwrap();
        let mut command = Command::new(installed("hayhooks/bin/hayhooks"));
        command.args(["run", "--host", "127.0.0.1", "--port", &port.to_string(), "--pipelines-dir"]);
        command.arg("pipelines").current_dir(folder.path());
        command.env("CHUNKS", file).env("HAYSTACK_TELEMETRY_ENABLED", "False");
        let server = Server::start(&mut command, &folder.path().join("log"), || answers(port, "/status"));
        Self { _server: server, _folder: folder, port }
    }

    fn preset(&self) -> String {
        let server = format!("http://127.0.0.1:{}", self.port);
        format!("http: {{preset: hayhooks, with: {{server: '{server}', pipeline: search}}, retries: 0}}")
    }
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn a_lost_half_is_caught_and_a_wrong_request_is_no_empty_ranking() {
    let chunks = chunks();
    let hayhooks = Hayhooks::start(&chunks);
    let gate = Gate::new(&hayhooks.preset());
    let metrics = gate.accept();
    assert!(mean(&metrics, "recall@10") > 0.6, "{metrics}");

    let url = |pipeline: &str| format!("http://127.0.0.1:{}/{pipeline}/run", hayhooks.port);
    for (url, field, wanted) in
        [(url("saerch"), "query", "404 Not Found"), (url("search"), "question", "422 Unprocessable Entity")]
    {
        gate.configure(&format!(
            "http: {{url: '{url}', body: {{{field}: '{{{{query}}}}', top_k: '{{{{k}}}}'}}, results: '$.result[*]', \
             retries: 0}}"
        ));
        let outcome = gate.run(&["run"]);
        assert_eq!(outcome.code, 3, "{outcome:?}");
        assert!(outcome.stdout.contains(wanted), "{}", outcome.stdout);
    }

    drop(hayhooks);
    let hayhooks = Hayhooks::start(&half(&chunks));
    gate.configure(&hayhooks.preset());
    gate.reject();
}

#[test]
#[ignore = "needs real servers: make test-engines"]
fn ties_keep_their_order() {
    let hayhooks = Hayhooks::start(&doubled(&chunks()));
    let gate = Gate::new(&hayhooks.preset());
    gate.accept();
    let outcome = gate.run(&["run", "--check-determinism"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(!words(&outcome.stdout).contains("Asked twice"), "{}", outcome.stdout);
}
