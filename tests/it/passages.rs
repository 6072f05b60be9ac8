//! Judgments of passages outlive a change of the chunking, which renames every chunk.

use serde_json::json;

use crate::common::project::{Project, answers, golden};

const QUERIES: usize = 40;

fn passages() -> String {
    let query = |n: usize| {
        format!(
            "  - id: q{n:03}\n    text: question {n}\n    passages:\n      - {{quote: \"answer {n} is “on the  page”\", \
             document: page, grade: 2}}\n"
        )
    };
    format!("queries:\n{}", (0..QUERIES).map(query).collect::<String>())
}

/// A run whose chunks are called after `name` and hold `text(n)`.
fn run(name: &str, text: impl Fn(usize) -> String) -> String {
    let answer = |n: usize| {
        json!({"id": format!("q{n:03}"), "results": [
            {"id": format!("page#{name}-other"), "text": "Nothing of the kind."},
            {"id": format!("page#{name}-{n}"), "text": text(n)},
        ]})
        .to_string()
            + "\n"
    };
    (0..QUERIES).map(answer).collect()
}

fn project() -> Project {
    let project = Project::with_config("pipeline: {run: answers.jsonl}\ndocument_id: '^([^#]+)'\n");
    project.write("golden/queries.yaml", passages());
    project.write("answers.jsonl", run("small", |n| format!("Answer {n} is \"on the page\".")));
    let outcome = project.run(&["baseline", "update", "--reason", "first", "--yes"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    project
}

#[test]
fn a_new_chunking_is_no_regression_and_a_cut_quote_is_one() {
    let project = project();
    project.write(
        "answers.jsonl",
        run("large", |n| format!("Before it.\n\n<b>ANSWER</b> {n} is 'on\nthe page', and more.")),
    );
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(
        outcome.stdout.contains("unchanged on every query") || outcome.stdout.contains("0.0"),
        "{}",
        outcome.stdout
    );

    // Two thirds of the quote are enough, a third is not.
    project.write("answers.jsonl", run("cut", |n| format!("Before it. Answer {n} is on the")));
    assert_eq!(project.run(&["run"]).code, 0);
    project.write("answers.jsonl", run("cut", |n| format!("Before it. Answer {n} is")));
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stdout.contains("“answer"), "the passage is named: {}", outcome.stdout);
    project.write("recall-gate.yaml", project.read("recall-gate.yaml") + "passage_overlap: 0.4\n");
    assert_eq!(project.run(&["run"]).code, 0);
}

#[test]
fn texts_are_kept_where_a_passage_has_to_be_found_and_only_there() {
    let project = project();
    assert!(project.read("baselines/main.jsonl").contains("Answer 3 is"));
    project.write("golden/queries.yaml", golden(QUERIES));
    project.write("answers.jsonl", answers(QUERIES, 0));
    std::fs::remove_file(project.path().join("baselines/main.jsonl")).unwrap();
    let outcome = project.run(&["baseline", "update", "--reason", "documents", "--yes"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(!project.read("baselines/main.jsonl").contains("\"text\""));
}

#[test]
fn results_without_text_cannot_be_judged_by_passages() {
    let project = project();
    project.write("bare.jsonl", answers(QUERIES, 0));
    let outcome = project.run(&["run", "--run", "bare.jsonl"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    let said = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("query `q000` has judged passages, and result `d000` has no text"), "{said}");
    assert_eq!(project.run(&["compare", "baselines/main.jsonl", "bare.jsonl"]).code, 3);

    // A passage is judged that nobody judged when the baseline was measured.
    project.write("golden/queries.yaml", golden(QUERIES));
    project.write("answers.jsonl", answers(QUERIES, 0));
    std::fs::remove_file(project.path().join("baselines/main.jsonl")).unwrap();
    let outcome = project.run(&["baseline", "update", "--reason", "documents", "--yes"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    project.write("golden/queries.yaml", passages());
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 3);
    let said = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("In the baseline, query `q000` has judged passages"), "{said}");
}

#[test]
fn mistakes_in_passages_have_a_place() {
    for (passages, wanted) in [
        ("[{quote: '…', grade: 2}]", "query `q`: passage 1 has no words"),
        ("[{quote: a, grade: two}]", "grade \"two\" of passage 1 is not a whole number"),
        ("[{quote: a, grade: 11}]", "grade 11 of passage 1 is out of range"),
        ("[{quote: a}]", "grade (nothing) of passage 1"),
        ("[{quote: a, grade: 1}, {quote: ' a', grade: 2}]", "the passage “a” is judged twice"),
        ("[{qoute: a, grade: 1}]", "did you mean `quote`?"),
        ("[{quote: a, grade: 0}]", "query `q` has no grade above 0"),
    ] {
        let project = Project::with_config("pipeline: {run: a.jsonl}\n");
        project.write("golden/queries.yaml", format!("queries:\n  - id: q\n    text: t\n    passages: {passages}\n"));
        let outcome = project.run(&["golden", "check"]);
        assert_eq!(outcome.code, 2, "{passages}: {outcome:?}");
        assert!(
            outcome.stderr.contains(wanted) && outcome.stderr.contains("queries.yaml:"),
            "{wanted}: {}",
            outcome.stderr
        );
    }
}
