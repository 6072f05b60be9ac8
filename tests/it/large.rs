//! Ten thousand queries through HTTP: every one answered, in a bounded memory.
#![cfg(target_os = "linux")]

use std::process::Child;
use std::time::Duration;

use serde_json::json;

use crate::common::project::Project;
use crate::common::server::{Answer, Server};

const QUERIES: usize = 10_000;
const DEPTH: usize = 100;

/// The largest memory that a program had while it ran, in MB, and how it ended.
fn watched(mut child: Child) -> (usize, i32) {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok()).unwrap_or(0);
        most = most.max(kilobytes / 1000);
        if let Some(status) = child.try_wait().unwrap() {
            return (most, status.code().unwrap_or(-1));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn ten_thousand_queries_fit_in_200_megabytes() {
    let server = Server::start(|asked| {
        let number: usize = asked.json()["query"].as_str().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let hit = |place: usize| json!({"id": format!("document-{}#chunk", (number + place) % QUERIES), "score": 1.0 / (place + 1) as f64});
        Answer::from(&json!({"hits": (0..DEPTH).map(hit).collect::<Vec<_>>()}))
    });
    let project = Project::with_config(&format!(
        "pipeline:\n  http: {{url: '{}/search', body: {{query: '{{{{query}}}}', k: '{{{{k}}}}'}}, results: '$.hits[*]', \
         score: score, concurrency: 32}}\ndepth: {DEPTH}\ndocument_id: '^([^#]+)'\ngolden: golden.jsonl\n\
         gate: {{metrics: [recall@10, ndcg@10], resamples: 1000}}\n",
        server.url
    ));
    let query = |n: usize| {
        json!({"id": format!("query-{n}"), "text": format!("question {n}"), "grades": {format!("document-{n}"): 2}})
            .to_string()
            + "\n"
    };
    project.write("golden.jsonl", (0..QUERIES).map(query).collect::<String>());
    for arguments in [&["baseline", "update", "--reason", "first", "--yes", "-q"][..], &["run", "-q"]] {
        let before = server.asked().len();
        let (megabytes, code) = watched(project.command(arguments).spawn().unwrap());
        assert_eq!(code, 0, "{arguments:?}");
        assert_eq!(server.asked().len() - before, QUERIES, "{arguments:?}");
        eprintln!("{arguments:?}: {megabytes} MB");
        assert!(megabytes < 200, "{arguments:?} needs {megabytes} MB");
    }
    assert_eq!(project.read("baselines/main.jsonl").lines().count(), QUERIES + 1);
}
