//! What `export` writes is read by the tools of the field, which score every query as the gate does.

use std::process::Command;

use serde_json::Value;

use crate::common::project::{Outcome, Project};
use crate::corpus::{repository, succeed};
use crate::server::installed;

#[test]
#[ignore = "needs trec_eval, ir_measures and ranx: make test-engines"]
fn three_tools_score_an_exported_run_as_the_gate_does() {
    let project = Project::new();
    let export = project.path().join("export");
    let config = repository("recall-gate.yaml");
    let config = config.to_str().unwrap();
    let run = |arguments: &[&str]| -> Outcome { project.run(&[&["--config", config], arguments].concat()) };
    let outcome = run(&["export", "trec", export.to_str().unwrap()]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    // The baseline against itself: its scores by every metric.
    let baseline = repository("baselines/main.jsonl");
    let text = std::fs::read_to_string(config).unwrap();
    let more = project.write(
        "gate.yaml",
        format!(
            "golden: {}\nbaseline: {}\npipeline: {{run: {1}}}\nreport: {{metrics: [mrr, precision@10, hit@10]}}\n{}",
            repository("golden/queries.yaml").display(),
            baseline.display(),
            text.lines().filter(|line| line.starts_with("document_id")).collect::<Vec<_>>().join("\n")
        ),
    );
    let outcome = project.run(&["--config", more.to_str().unwrap(), "run", "--report", "json"]);
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let ours = |query: &str, metric: &str| {
        let queries = report["queries"].as_array().unwrap();
        queries.iter().find(|known| known["id"] == query).unwrap()["current"][metric].as_f64().unwrap()
    };
    for tool in ["trec_eval", "ir_measures", "ranx"] {
        let python = installed("tools").join("bin/python");
        let script = repository("tests/engines/score.py");
        let printed = succeed(Command::new(python).arg(script).arg(tool).arg(&export));
        let theirs: Value = serde_json::from_str(&printed).unwrap();
        let mut compared = 0;
        for (metric, scores) in theirs.as_object().unwrap() {
            for (query, score) in scores.as_object().unwrap() {
                let (score, ours) = (score.as_f64().unwrap(), ours(query, metric));
                assert!((score - ours).abs() < 1e-6, "{tool}: {metric} of {query} is {score}, ours {ours}");
                compared += 1;
            }
        }
        assert!(compared > 600, "{tool}: only {compared} scores");
    }
}
