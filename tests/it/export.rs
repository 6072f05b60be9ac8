//! What is exported is read back with the same scores and the same labels.

use crate::common::project::{Project, golden, hundred};

#[test]
fn a_run_and_a_golden_set_survive_the_formats_of_other_tools() {
    let project = Project::with_config("pipeline: {run: answers.jsonl}\ndocument_id: '^([^#]+)'\n");
    project.write(
        "golden/queries.yaml",
        golden(60).replace("d007: 2", "d007: 2, other: 1") + "  - {id: none, text: t, unanswerable: true}\n",
    );
    let answer = |n: usize| {
        let first = if n.is_multiple_of(7) { "x" } else { "other#1" };
        format!("{{\"id\":\"q{n:03}\",\"results\":[\"{first}\",\"other#1\",\"other#2\",\"d{n:03}#4\"]}}\n")
    };
    let answers: String = (0..60).map(answer).collect();
    project.write("answers.jsonl", answers + "{\"id\":\"none\",\"results\":[\"x\"]}\n");
    assert_eq!(project.run(&["baseline", "update", "--reason", "first", "--yes"]).code, 0);
    for format in ["trec", "beir"] {
        let outcome = project.run(&["export", format, format]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let run = format!("{format}/run.trec");
        let outcome = project.run(&["compare", "baselines/main.jsonl", &run, "--report", "json=report.json"]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let report: serde_json::Value = serde_json::from_str(&project.read("report.json")).unwrap();
        for metric in report["metrics"].as_array().unwrap() {
            // A repeat has a name of its own, which nobody judged.
            if metric["name"] != "judged@10" {
                assert_eq!(metric["baseline"], metric["current"], "{metric}");
            }
        }
    }
    let digest = |config: &str| {
        let outcome = project.run(&["--config", config, "golden", "check"]);
        outcome.stdout.lines().find(|line| line.starts_with("sha256:")).map(str::to_owned).unwrap()
    };
    project.write("all.txt", project.read("trec/qrels.txt") + "none 0 nowhere 0\n");
    for (queries, judgments, output) in
        [("beir/queries.jsonl", "all.txt", "imported.yaml"), ("trec/topics.tsv", "all.txt", "imported.jsonl")]
    {
        let outcome = project.run(&["golden", "import", queries, judgments, "--output", output]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        project.write("imported-gate.yaml", format!("golden: {output}\npipeline: {{run: answers.jsonl}}\n"));
        project.write(
            "golden/queries.yaml",
            project
                .read("golden/queries.yaml")
                .replace("text: t, unanswerable: true}", "text: t, unanswerable: true, grades: {nowhere: 0}}"),
        );
        assert_eq!(digest("imported-gate.yaml"), digest("recall-gate.yaml"), "{output}");
        assert_eq!(
            project.run(&["golden", "import", queries, judgments, "--output", output]).code,
            2,
            "not over a file"
        );
    }
}

#[test]
fn a_stored_run_is_exported_as_well() {
    let project = hundred();
    project.write("other.jsonl", "{\"id\":\"q000\",\"results\":[\"only one\"]}\n");
    let outcome = project.run(&["export", "trec", "out", "--run", "other.jsonl"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(project.read("out/run.trec"), "q000 Q0 only%20one 1 1 recall-gate\n");
    assert_eq!(project.run(&["export", "csv", "out"]).code, 2);
}
