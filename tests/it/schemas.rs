//! The published schemas say what is true.

use std::collections::BTreeSet;
use std::path::Path;

use jsonschema::Validator;
use serde_json::Value;

use crate::common::project::{Project, answers, hundred};
use crate::reports::hostile;

fn schema(name: &str) -> Value {
    let outcome = Project::new().run(&["schema", name]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    serde_json::from_str(&outcome.stdout).unwrap()
}

fn validator(name: &str) -> Validator {
    jsonschema::draft202012::new(&schema(name)).unwrap()
}

fn assert_valid(validator: &Validator, value: &Value, what: &str) {
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}");
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

#[test]
fn every_report_is_valid_and_a_wrong_one_is_not() {
    let schema = validator("report");
    let project = hundred();
    let report = |project: &Project| -> Value {
        let stdout = project.run(&["run", "--report", "json"]).stdout;
        serde_json::from_str(&stdout).unwrap()
    };
    for lost in [0, 12] {
        project.write("answers.jsonl", answers(100, lost));
        assert_valid(&schema, &report(&project), &format!("{lost} lost"));
    }
    assert_valid(&schema, &report(&hostile()), "hostile");
    let mut wrong = report(&project);
    wrong["metrics"][0]["verdict"] = "fine".into();
    assert!(!schema.is_valid(&wrong));
    project.write("answers.jsonl", "");
    assert_valid(&schema, &report(&project), "could not measure");
    std::fs::remove_file(project.path().join("baselines/main.jsonl")).unwrap();
    assert_valid(&schema, &report(&project), "no baseline");

    let helpdesk = std::process::Command::new(env!("CARGO_BIN_EXE_recall-gate"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["run", "--report", "json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&helpdesk.stdout).unwrap();
    assert_valid(&schema, &report, "this repository");
    assert!(!report["tail"]["findings"].as_array().unwrap().is_empty(), "it shows findings");
}

#[test]
fn the_files_of_users_are_valid_and_what_the_program_refuses_is_not() {
    let (config, golden) = (validator("config"), validator("golden"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
    for file in ["recall-gate.yaml", "examples/helpdesk/broken.yaml", "src/commands/init/recall-gate.yaml"] {
        assert_valid(&config, &yaml(&read(file)), file);
    }
    for file in ["golden/queries.yaml", "src/commands/init/queries.yaml"] {
        assert_valid(&golden, &yaml(&read(file)), file);
    }
    let project = Project::new();
    project.write("golden/queries.yaml", crate::common::project::golden(30));
    for (text, is_valid) in [
        ("pipeline: {run: [a.jsonl, b.jsonl], missing: empty}", true),
        (
            "pipeline: {command: [x], timeout: 5s, repeat: 3, documents: 'docs/*.md'}\ngate: {floors: {recall@10: 0.7}}",
            true,
        ),
        ("pipeline: {http: {preset: txtai, concurrency: 8}, startup_timeout: 5m}\npassage_overlap: 0.5", true),
        ("pipeline: {command: [x], directory: d, env: {A: b}}", true),
        ("pipeline: {http: {preset: txtai, concurrency: 0}}", false),
        ("pipeline: {http: {url: 'http://h/?q={{query}}', results: hits}}", false),
        ("pipeline: {run: a.jsonl}\npassage_overlap: 0", false),
        ("pipeline: {run: a.jsonl}\ngate: {alpha: 0.6}", false),
        ("pipeline: {run: a.jsonl}\ngate: {metrics: [recal@10]}", false),
        ("pipeline: {run: a.jsonl}\ndepth: 0", false),
        ("pipeline: {bm25: {language: english}}", false),
        ("pipeline: {run: a.jsonl}\nreprot: {}", false),
        ("depth: 20", false),
    ] {
        assert_eq!(config.is_valid(&yaml(text)), is_valid, "{text}");
        project.write("recall-gate.yaml", text);
        let accepted = project.run(&["golden", "check"]).code != 2;
        assert_eq!(accepted, is_valid, "the program itself: {text}");
    }
    for (text, is_valid) in [
        ("queries: [{id: a, text: t, grades: {d: 2}}]", true),
        ("queries: [{id: a, text: t, unanswerable: true}]", true),
        ("queries: [{id: a, text: t, passages: [{quote: q, document: d, grade: 1}]}]", true),
        ("queries: [{id: a, text: t, passages: [{quote: q}]}]", false),
        ("queries: [{id: a b, text: t, grades: {d: 2}}]", false),
        ("queries: [{id: a, text: t, grades: {d: 11}}]", false),
        ("queries: [{id: a, text: t, grade: {d: 1}}]", false),
        ("queries: []", false),
    ] {
        assert_eq!(golden.is_valid(&yaml(text)), is_valid, "{text}");
        project.write("recall-gate.yaml", "pipeline: {run: a.jsonl}");
        project.write("golden/queries.yaml", text);
        assert_eq!(project.run(&["golden", "check"]).code != 2, is_valid, "the program itself: {text}");
    }
}

/// A key that is added to the program and not to the schema, or the other way round, is named.
#[test]
fn the_schema_of_the_configuration_has_every_key() {
    let schema = schema("config");
    let project = Project::new();
    for (path, pointer) in [
        ("zzzzzzzz: 1", "/properties"),
        ("pipeline: {zzzzzzzz: 1}", "/properties/pipeline/properties"),
        ("pipeline: {http: {zzzzzzzz: 1}}", "/properties/pipeline/properties/http/properties"),
        (
            "pipeline: {http: {setup: [{url: x, zzzzzzzz: 1}]}}",
            "/properties/pipeline/properties/http/properties/setup/items/properties",
        ),
        (
            "pipeline: {http: {vector: {zzzzzzzz: 1}}}",
            "/properties/pipeline/properties/http/properties/vector/properties",
        ),
        ("pipeline: {bm25: {zzzzzzzz: 1}}", "/properties/pipeline/properties/bm25/properties"),
        ("gate: {zzzzzzzz: 1}", "/properties/gate/properties"),
    ] {
        project.write("recall-gate.yaml", path);
        let outcome = project.run(&["run"]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        let (_, listed) = outcome.stderr.split_once("known keys: ").unwrap();
        let known: BTreeSet<&str> = listed.lines().next().unwrap().split(", ").map(str::trim).collect();
        let published: BTreeSet<&str> =
            schema.pointer(pointer).unwrap().as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(known, published, "{pointer}");
    }
}
