//! A run measured in parts on several machines is judged as if it had been measured on one.

use crate::common::project::{Project, golden};

const PIPELINE: &str = "
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    number = question['id'][1:]
    print(json.dumps({'id': question['id'], 'results': [{'id': 'd' + number, 'score': 1.5, 'text': 't'}]}))
";

fn project() -> Project {
    let project = Project::with_config("pipeline: {command: [python3, answer.py]}\n");
    project.write("answer.py", PIPELINE);
    project.write("golden/queries.yaml", golden(101));
    let outcome = project.run(&["baseline", "update", "--reason", "first", "--yes"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    for part in 1..=5 {
        let (shard, file) = (format!("{part}/5"), format!("part-{part}.jsonl"));
        let outcome = project.run(&["run", "--shard", &shard, "--save-run", &file]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let count = if part == 1 { 21 } else { 20 };
        assert!(outcome.stderr.contains(&format!("part {shard}: {count} of 101 queries answered")), "{outcome:?}");
        assert_eq!(outcome.stdout, "");
    }
    project
}

#[test]
fn the_parts_are_judged_as_the_whole() {
    let project = project();
    project.run(&["run", "--report", "json=whole.json"]);
    let mut arguments = vec!["run", "--report", "json=parts.json", "--run"];
    let files: Vec<String> = (1..=5).rev().map(|part| format!("part-{part}.jsonl")).collect();
    arguments.extend(files.iter().map(String::as_str));
    let outcome = project.run(&arguments);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(project.read("whole.json"), project.read("parts.json"));
}

#[test]
fn missing_doubled_and_foreign_parts_are_refused() {
    let project = project();
    let files = ["part-1.jsonl", "part-2.jsonl", "part-3.jsonl", "part-4.jsonl", "part-5.jsonl"];
    let refused = |files: &[&str], wanted: &str| {
        let outcome = project.run(&[&["run", "--run"], files].concat());
        assert_eq!(outcome.code, 3, "{outcome:?}");
        let said = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(wanted), "{wanted}: {said}");
    };
    refused(&files[..4], "missing parts of the run: 5/5");
    refused(&[&files[..], &files[..1]].concat(), "is answered in");
    project.write("other.jsonl", "{\"id\":\"x\",\"results\":[]}\n");
    refused(&[&files[..], &["other.jsonl"]].concat(), "and `other.jsonl` is none");
    project.write("golden/queries.yaml", project.read("golden/queries.yaml").replace("question 7,", "question seven,"));
    refused(&files, "was measured with another golden set");
}

#[test]
fn a_part_that_fails_leaves_nothing_and_nonsense_is_refused() {
    let project = project();
    project.write("answer.py", "import sys; sys.exit('no model')");
    let outcome = project.run(&["run", "--shard", "1/5", "--save-run", "new.jsonl"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stderr.contains("no model"), "{outcome:?}");
    assert!(!project.path().join("new.jsonl").exists());
    for arguments in [
        &["run", "--shard", "6/5", "--save-run", "x"][..],
        &["run", "--shard", "1/5"],
        &["run", "--shard", "1/5", "--save-run", "x", "--run", "part-1.jsonl"],
        &["run", "--shard", "200/500", "--save-run", "x"],
    ] {
        assert_eq!(project.run(arguments).code, 2, "{arguments:?}");
    }
}
