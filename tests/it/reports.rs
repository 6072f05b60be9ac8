//! Reports of the real program, in every format.

use serde_json::Value;

use crate::common::project::{Project, answers, hundred};

/// The JSON report of a run.
fn json(project: &Project) -> Value {
    let outcome = project.run(&["run", "--report", "json"]);
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// The answers of [`answers`] with some lines replaced.
fn answers_but(changed: &[(usize, &str)]) -> String {
    let text = answers(100, 0);
    let line = |(number, line): (usize, &str)| match changed.iter().find(|(query, _)| *query == number) {
        Some((_, results)) => format!("{{\"id\":\"q{number:03}\",\"results\":{results}}}\n"),
        None => format!("{line}\n"),
    };
    text.lines().enumerate().map(line).collect()
}

#[test]
fn every_query_that_got_worse_carries_its_cause() {
    let project = hundred();
    project.write("recall-gate.yaml", "pipeline: {run: answers.jsonl, documents: corpus.jsonl}\n");
    let corpus: String = (0..100).filter(|n| *n != 3).map(|n| format!("{{\"id\":\"d{n:03}\"}}\n")).collect();
    project.write("corpus.jsonl", corpus + "{\"id\":\"other\"}\n{\"id\":\"new\"}\n");
    project.write(
        "answers.jsonl",
        answers_but(&[
            (0, r#"["new","other"]"#),
            (1, "[]"),
            (2, r#"["new","d002"]"#),
            (3, r#"["new","other"]"#),
            (4, r#"["other","d004"]"#),
        ]),
    );
    let report = json(&project);
    let cause = |query: usize| report["queries"][query]["cause"]["kind"].as_str().unwrap_or("none").to_owned();
    let causes: Vec<String> = (0..6).map(cause).collect();
    assert_eq!(
        causes,
        ["lost", "fewer_results", "displaced_by_unjudged", "unknown_id", "displaced_by_unjudged", "none"]
    );
    assert_eq!(report["causes"]["displaced_by_unjudged"], 2);
    assert_eq!(report["causes"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 5);
    let unjudged = &report["queries"][0]["cause"]["unjudged"];
    assert_eq!(unjudged["documents"], serde_json::json!(["new"]), "`other` was there before");
    assert_eq!((unjudged["delta_worst"].as_f64(), unjudged["delta_best"].as_f64()), (Some(-1.0), Some(0.0)));
    let terminal = project.run(&["run"]).stdout;
    for wanted in [
        "Of 5 queries, 1 points at a document that the corpus does not have",
        "fewer results, 0 instead of 2: `d001` stood at place 1",
        "displaced by unjudged: `d002`, place 1 → place 2",
        "1 unjudged document came in; if judged, recall@10 -100.0 to 0.0",
    ] {
        assert!(terminal.contains(wanted), "{wanted}\n{terminal}");
    }
}
