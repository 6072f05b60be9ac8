//! What the README and the example promise, run.

use std::path::Path;
use std::process::Command;

use crate::common::project::{Outcome, Project, golden};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs the program on a configuration of this repository.
fn gate(arguments: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recall-gate"));
    command.args(arguments).current_dir(root()).output().unwrap().into()
}

/// Runs `ingest.py` and judges what it made, as `make eval-broken` and `make eval-refactored` do.
fn ingested(flags: &[&str]) -> Outcome {
    let project = Project::new();
    let script = root().join("examples/helpdesk/ingest.py");
    let status = Command::new("python3")
        .arg(script)
        .args(flags)
        .arg(root().join("examples/helpdesk/docs"))
        .arg(project.path().join("chunks.jsonl"))
        .status()
        .unwrap();
    assert!(status.success());
    let config = std::fs::read_to_string(root().join("recall-gate.yaml")).unwrap();
    assert!(config.contains("documents: examples/helpdesk/docs"));
    project.write("recall-gate.yaml", config.replace("examples/helpdesk/docs", "chunks.jsonl"));
    for file in ["golden/queries.yaml", "baselines/main.jsonl"] {
        project.write(file, std::fs::read(root().join(file)).unwrap());
    }
    project.run(&["run"])
}

#[test]
fn this_repository_passes_its_own_gate() {
    let outcome = gate(&["run"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.contains("unchanged on every query"), "{}", outcome.stdout);
}

#[test]
fn the_broken_ingestion_is_caught_and_the_refactored_one_is_not() {
    let broken = ingested(&["--drop-tables", "--cut-at", "1200"]);
    assert_eq!(broken.code, 1, "{broken:?}");
    assert!(broken.stdout.contains("recall@10 fell by"), "{}", broken.stdout);

    let refactored = ingested(&[]);
    assert_eq!(refactored.code, 0, "{refactored:?}");
    assert!(!refactored.stdout.contains("unchanged on every query"), "it moves a query or two: {}", refactored.stdout);
}

/// The golden set is what the contract asks of one, and is not solved by the search that serves as the default.
#[test]
fn the_golden_set_is_large_mixed_and_not_solved() {
    let path = root().join("golden/queries.yaml");
    let golden = recall_gate::golden::read::parse(&std::fs::read_to_string(&path).unwrap(), &path).unwrap();
    let tagged = |tag: &str| golden.queries.iter().filter(|query| query.tags.iter().any(|own| own == tag)).count();
    assert!(golden.queries.len() >= 100);
    assert!(golden.queries.len() - golden.answerable().count() >= 12);
    assert!(tagged("hard") * 5 >= golden.queries.len(), "{} are hard", tagged("hard"));
    for kind in ["synonym", "split", "negation", "acronym", "table", "misspelling"] {
        assert!(tagged(kind) >= 5, "{} are tagged {kind}", tagged(kind));
    }
    assert!(golden.queries.iter().all(|query| query.source.is_some()));
    let documents = root().join("examples/helpdesk/docs");
    for query in &golden.queries {
        for (document, _) in query.judgments.iter() {
            let exists = ["md", "html"].iter().any(|kind| documents.join(format!("{document}.{kind}")).exists());
            assert!(exists, "{} names {document}, which does not exist", query.id);
        }
    }
    let report = gate(&["run", "--report", "json"]).stdout;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let hard = report["slices"].as_array().unwrap().iter().find(|slice| slice["name"] == "tag hard").unwrap();
    let recall = hard["metrics"][0]["current"].as_f64().unwrap();
    assert!((0.3..0.8).contains(&recall), "recall@10 of the hard queries is {recall}");
}

/// What the README shows is what the program prints.
#[test]
fn the_reports_of_the_readme_are_real() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let blocks: Vec<&str> = readme.split("```text\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let outputs = [ingested(&["--drop-tables", "--cut-at", "1200"]).stdout, ingested(&[]).stdout];
    assert_eq!(blocks.len(), outputs.len());
    for (block, output) in blocks.iter().zip(&outputs) {
        for line in block.lines().filter(|line| *line != "[…]") {
            assert!(output.lines().any(|printed| printed == line), "{line:?} is not in\n{output}");
        }
    }
}

/// The README's own pipeline, out of the README.
#[test]
fn the_script_of_the_readme_is_a_pipeline() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let block = |language: &str| {
        let rest = readme.split(&format!("```{language}\n")).nth(1).unwrap();
        rest.split("```").next().unwrap()
    };
    let (script, config) = (block("python"), block("yaml"));
    assert!(script.lines().filter(|line| !line.is_empty()).count() <= 10);
    let project = Project::with_config(config);
    project.write("pipeline/answer.py", script);
    for n in 0..30 {
        project.write(&format!("docs/d{n:03}.md"), format!("The answer to question {n} is number{n}."));
    }
    let questions = golden(30).replace("text: question ", "text: where is number");
    project.write("golden/queries.yaml", questions);
    let update = project.run(&["baseline", "update", "--reason", "first", "--yes"]);
    assert_eq!(update.code, 0, "{update:?}");
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let found = project.read("baselines/main.jsonl").lines().filter(|line| line.contains("\"results\":[\"d0")).count();
    assert_eq!(found, 30, "the script finds something for every question");
    project.write("docs/d004.md", "gone");
    project.write("pipeline/answer.py", script.replace("\"results\"", "\"result\""));
    assert_eq!(project.run(&["run"]).code, 3);
}

/// Every console block of the README names commands and targets that exist.
#[test]
fn the_readme_names_only_what_exists() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    let words: Vec<&str> = readme.split(|c: char| c.is_whitespace() || c == '`').collect();
    for pair in words.windows(2).filter(|pair| pair[0] == "make" && !pair[1].is_empty()) {
        let target = pair[1].trim_matches(|c: char| !c.is_alphanumeric());
        assert!(makefile.contains(&format!("\n{target}:")), "make {target}");
    }
    for (_, rest) in readme.match_indices("](").map(|(at, _)| readme[at + 2..].split_at(0)) {
        let link = rest.split(')').next().unwrap();
        assert!(link.starts_with("http") || root().join(link).exists(), "{link}");
    }
}
