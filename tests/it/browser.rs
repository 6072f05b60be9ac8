//! The HTML report in a real browser.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::checkers::{checker, chromium, found};
use crate::common::project::{Project, answers, hundred};
use crate::reports::hostile;

/// What `page.mjs` saw; `None` where there is no browser.
fn opened(project: &Project, report: &str) -> Option<Value> {
    let (modules, browser) = (checker("node_modules")?, chromium()?);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checkers/page.mjs");
    let output = Command::new("node")
        .args([&script, modules.parent().unwrap(), &browser, &project.path().join(report)])
        .args(std::env::var_os("RECALL_GATE_PICTURES"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn nothing(seen: &Value, what: &str) {
    assert_eq!(seen[what], serde_json::json!([]), "{what}: {seen:#}");
}

#[test]
fn the_page_works_by_keyboard_and_has_no_accessibility_violation() {
    let project = hundred();
    project.write("answers.jsonl", answers(100, 12));
    assert_eq!(project.run(&["run", "--report", "html=report.html"]).code, 1);
    let Some(seen) = opened(&project, "report.html") else { return };
    for what in ["violations", "errors", "requests"] {
        nothing(&seen, what);
    }
    assert_eq!(seen["title"], "recall-gate: REGRESSION");
    assert_eq!(seen["overflow"], 0, "nothing is wider than a telephone");
    assert_eq!((seen["rows"].as_u64(), seen["worse"].as_u64()), (Some(100), Some(12)));
    assert_eq!(
        (seen["places"].as_u64(), seen["lines"].as_u64()),
        (Some(4), Some(1)),
        "`other` kept its place: {seen:#}"
    );
    // Every number with a 7 in it.
    assert_eq!(seen["found"].as_array().unwrap().len(), 19, "{seen:#}");
    assert_eq!(seen["said"], "19 of 100 queries");
    assert_eq!(seen["ascending"], serde_json::json!(["q000", "q001"]));
    assert_eq!(seen["descending"], serde_json::json!(["q099", "q098"]));
}

#[test]
fn nothing_from_outside_runs_or_shows_as_markup_in_the_page() {
    let project = hostile();
    let outcome = project.run(&["run", "--report", "html=report.html"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let page = project.read("report.html");
    assert_eq!(page.matches("<script").count(), 2, "the data and the script of the page");
    assert!(!page.contains("<img") && !page.contains("<b>d0") && !page.contains('\u{202e}'));
    let Some(seen) = opened(&project, "report.html") else { return };
    for what in ["violations", "errors", "requests"] {
        nothing(&seen, what);
    }
}

#[test]
fn the_page_is_valid_html() {
    let project = hostile();
    project.run(&["run", "--report", "html=report.html"]);
    let Some(jar) = checker("node_modules/vnu-jar/build/dist/vnu.jar") else { return };
    let mut java = Command::new("java");
    java.args(["-Xss2m", "-jar"]).arg(jar).args(["--errors-only", "report.html"]).current_dir(project.path());
    let Some(output) = found(java.output()) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_page_without_a_comparison_is_a_page() {
    let project = hundred();
    project.write("answers.jsonl", "");
    assert_eq!(project.run(&["run", "--report", "html=report.html"]).code, 3);
    let Some(seen) = opened(&project, "report.html") else { return };
    assert_eq!(seen["title"], "recall-gate: COULD NOT MEASURE");
    for what in ["violations", "errors", "requests"] {
        nothing(&seen, what);
    }
}

#[test]
fn a_thousand_queries_stay_under_two_megabytes() {
    let project = Project::with_config("pipeline: {run: answers.jsonl}\n");
    let query = |n: usize| {
        format!(
            "  - {{id: query-{n:04}, text: a question of a usual length with the number {n}, tags: [t{}], grades: {{document-{n:04}: 2}}}}\n",
            n % 9
        )
    };
    project.write("golden/queries.yaml", format!("queries:\n{}", (0..1000).map(query).collect::<String>()));
    // Twenty passages each, of another document in every query; now every second ranking is turned round.
    let run = |turned: bool| -> String {
        let answer = |n: usize| {
            let mut ids: Vec<usize> = (0..20).map(|place| (n + place * 37) % 1000).collect();
            if turned && n.is_multiple_of(2) {
                ids.reverse();
            }
            let result = |id: usize| {
                let text = format!("The passage of document {id}, which goes on for a while. ").repeat(8);
                serde_json::json!({ "id": format!("document-{id:04}#{}", id % 4), "text": text })
            };
            let results: Vec<Value> = ids.into_iter().map(result).collect();
            format!("{}\n", serde_json::json!({ "id": format!("query-{n:04}"), "results": results }))
        };
        (0..1000).map(answer).collect()
    };
    project.write("recall-gate.yaml", "pipeline: {run: answers.jsonl}\ndocument_id: '^([^#]+)'\n");
    project.write("answers.jsonl", run(false));
    assert_eq!(project.run(&["baseline", "update", "--reason", "first", "--yes"]).code, 0);
    project.write("answers.jsonl", run(true));
    assert_eq!(project.run(&["run", "--report", "html=report.html"]).code, 1);
    let size = project.read("report.html").len();
    assert!(size < 2_000_000, "{size} bytes");
}
