//! Reports of the real program, in every format.

use serde_json::Value;

use crate::common::checkers::checker;
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

/// A hostile project: queries, ids and tags that would be markup, commands or escape sequences somewhere.
pub(crate) fn hostile() -> Project {
    let texts = [
        "</script><script>alert(1)</script><img src=x onerror=alert(1)>",
        "| ` [x](https://example.org) **b** @everyone #1 GH-1",
        "\u{1b}[31mred\u{7}\u{202e}evil",
        "::error::smuggled",
        "##[error]smuggled",
        "100 % of, these: two\r\n::set-output name=x::y",
        "]]> &amp; \u{0}",
    ];
    let project = Project::with_config("pipeline: {run: answers.jsonl}\n");
    let query = |n: usize| {
        let text = texts.get(n).map_or_else(|| format!("question {n}"), |text| (*text).to_owned());
        let id = if n == 3 { "::warning::q003".to_owned() } else { format!("q{n:03}") };
        let tags = if n == 1 { vec!["pinned", "a|b<i>"] } else { vec!["pinned"] };
        serde_json::json!({ "id": id, "text": text, "tags": tags, "grades": { format!("<b>d{n:03}"): 2 } })
    };
    let golden: String = (0..100).map(|n| format!("{}\n", query(n))).collect();
    project.write("golden/queries.jsonl", golden);
    project.write("recall-gate.yaml", "golden: golden/queries.jsonl\npipeline: {run: answers.jsonl}\n");
    let run = |lost: usize| -> String {
        let answer = |n: usize| {
            let found = if n < lost { "::error::](x)`|<u>".to_owned() } else { format!("<b>d{n:03}") };
            let id = query(n)["id"].clone();
            format!("{}\n", serde_json::json!({ "id": id, "results": [found, "##[error]other"] }))
        };
        (0..100).map(answer).collect()
    };
    project.write("answers.jsonl", run(0));
    let outcome = project.run(&["baseline", "update", "--reason", "first | `x` <i>", "--yes"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    project.write("answers.jsonl", run(12));
    project
}

/// What the runner of GitHub Actions takes for a command in a log.
fn commands(log: &str) -> Vec<&str> {
    let plain = |line: &&str| line.trim_start().starts_with("::") || line.contains("##[");
    log.lines().filter(plain).collect()
}

#[test]
fn no_report_carries_markup_or_commands_from_outside() {
    let project = hostile();
    for format in ["terminal", "json", "markdown", "comment", "junit", "html"] {
        let outcome = project.run(&["run", "--color", "always", "--report", format]);
        assert_eq!(outcome.code, 1, "{format}: {outcome:?}");
        assert_eq!(commands(&outcome.stdout), Vec::<&str>::new(), "{format}");
        // JSON is for machines, which read what was written.
        assert!(format == "json" || !outcome.stdout.contains(['\u{202e}', '\u{7}']), "{format}");
    }
    let markdown = project.run(&["run", "--report", "markdown"]).stdout;
    for markup in ["<script", "<img", "<i>", "<b>", "<u>", "](", "@everyone", " #1", "**b**", "| ` ["] {
        assert!(!markdown.contains(markup), "{markup}: {markdown}");
    }
    let columns: Vec<usize> =
        markdown.lines().filter(|line| line.contains("q001")).map(|line| line.matches(" | ").count()).collect();
    assert!(columns.contains(&3), "a bar in a text is no column: {markdown}");
}

#[test]
fn annotations_name_the_worst_queries_on_their_lines() {
    let project = hostile();
    let outcome =
        project.command(&["run", "--report", "github"]).env("GITHUB_WORKSPACE", project.path()).output().unwrap();
    assert_eq!(outcome.status.code(), Some(1));
    let log = String::from_utf8(outcome.stdout).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 10, "{log}");
    assert!(lines.iter().all(|line| line.starts_with("::error ")), "{log}");
    assert!(lines[0].starts_with("::error file=golden/queries.jsonl,line="), "{log}");
    assert!(lines[9].contains("3 more queries lost"), "{log}");
    let colons = |line: &str| line.matches("::").count();
    let titles = lines.iter().map(|line| line.split("::").nth(1).unwrap());
    assert!(titles.clone().all(|title| !title.contains('%') || title.contains("%3A")), "{log}");
    assert!(lines.iter().all(|line| colons(line) >= 2), "{log}");
    assert!(log.contains("100 %25 of, these: two"), "{log}");
    // Beside the report for people, in one log.
    let both = project.run(&["run", "--report", "terminal", "--report", "github"]);
    assert_eq!(both.code, 1);
    assert!(both.stdout.starts_with("REGRESSION") && commands(&both.stdout).len() == 10, "{}", both.stdout);
    assert_eq!(project.run(&["run", "--report", "terminal", "--report", "json"]).code, 2);

    let project = hundred();
    project.write("answers.jsonl", answers(100, 2));
    let green = project.run(&["run", "--report", "github"]);
    assert_eq!(green.code, 0);
    assert!(green.stdout.lines().all(|line| line.starts_with("::notice ")), "{}", green.stdout);
    assert!(green.stdout.contains("line=2,title=q000%3A recall@10 100.0 → 0.0"), "{}", green.stdout);
}

#[test]
fn markdown_stays_under_the_limits_of_github_and_says_what_it_left_out() {
    let project = Project::with_config("pipeline: {run: answers.jsonl}\n");
    let long = "long text of a question ".repeat(8);
    let query = |n: usize| format!("  - {{id: q{n:04}, text: '{long}', tags: [t{n}], grades: {{d{n:04}: 2}}}}\n");
    project.write("golden/queries.yaml", format!("queries:\n{}", (0..2000).map(query).collect::<String>()));
    let run = |lost: bool| -> String {
        let document = |n: usize| if lost { format!("x{n}") } else { format!("d{n:04}") };
        (0..2000).map(|n| format!("{{\"id\":\"q{n:04}\",\"results\":[\"{}\",\"o\"]}}\n", document(n))).collect()
    };
    project.write("answers.jsonl", run(false));
    assert_eq!(project.run(&["baseline", "update", "--reason", "first", "--yes"]).code, 0);
    project.write("answers.jsonl", run(true).replacen("\"x0\"", "\"d0000\"", 1));
    let outcome = project.run(&["run", "--report", "comment=comment.md", "--report", "markdown=summary.md"]);
    assert_ne!(outcome.code, 2, "{outcome:?}");
    let (comment, summary) = (project.read("comment.md"), project.read("summary.md"));
    assert!(comment.len() < 65_536, "{}", comment.len());
    assert!(summary.len() < 900 * 1024 && summary.len() > 65_536, "{}", summary.len());
    assert!(comment.contains("Left out, since GitHub takes no more: all queries that lost"), "{comment}");
    for text in [&comment, &summary] {
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
        assert!(text.contains("## ") && text.contains("| **recall@10** |"));
    }
}

#[test]
fn links_lead_to_the_line_of_the_query() {
    let project = hundred();
    project.write("answers.jsonl", answers(100, 12));
    let output = project
        .command(&["run", "--report", "comment"])
        .env("GITHUB_WORKSPACE", project.path())
        .env("GITHUB_SERVER_URL", "https://github.example")
        .env("GITHUB_REPOSITORY", "owner/name")
        .env("GITHUB_SHA", "0123abc")
        .output()
        .unwrap();
    let comment = String::from_utf8(output.stdout).unwrap();
    let link =
        "<a href=\"https://github.example/owner/name/blob/0123abc/golden/queries.yaml#L2\"><code>q000</code></a>";
    assert!(comment.contains(link), "{comment}");
}

#[test]
fn the_exit_code_does_not_depend_on_the_format() {
    let project = hundred();
    for (lost, code) in [(0, 0), (12, 1)] {
        project.write("answers.jsonl", answers(100, lost));
        for format in ["terminal", "json", "markdown", "comment", "github", "junit", "html"] {
            let outcome = project.run(&["run", "--report", format]);
            assert_eq!(outcome.code, code, "{format}: {outcome:?}");
            assert!(!outcome.stdout.is_empty());
            let again = project.run(&["run", "--report", format]);
            assert_eq!(again.stdout, outcome.stdout, "{format}: the same bytes");
        }
    }
    let unknown = project.run(&["run", "--report", "markdwon"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("did you mean `markdown`?"), "{unknown:?}");
}

#[test]
fn the_tail_is_explained_and_a_pipeline_that_loses_to_bm25_is_told() {
    let project = Project::with_config(
        "pipeline: {run: answers.jsonl, documents: 'docs/*.md'}\ngate: {metrics: [recall@10]}\ndepth: 20\n",
    );
    // Every seventh query has a code, and those are what the pipeline never finds.
    let text =
        |n: usize| if n.is_multiple_of(7) { format!("part RX-{n:03}") } else { format!("what is topic{n:03} about") };
    let query = |n: usize| format!("  - {{id: q{n:03}, text: {}, grades: {{d{n:03}: 2}}}}\n", text(n));
    project.write("golden/queries.yaml", format!("queries:\n{}", (0..70).map(query).collect::<String>()));
    for n in 0..70 {
        project.write(&format!("docs/d{n:03}.md"), format!("# Page\n\nOn RX-{n:03} and topic{n:03}.\n"));
    }
    let found = |n: usize| if n.is_multiple_of(7) { "d001".to_owned() } else { format!("d{n:03}") };
    let answers: String = (0..70).map(|n| format!("{{\"id\":\"q{n:03}\",\"results\":[\"{}\"]}}\n", found(n))).collect();
    project.write("answers.jsonl", answers);
    assert_eq!(project.run(&["baseline", "update", "--reason", "first", "--yes"]).code, 0);
    let report = json(&project);
    let finding = &report["tail"]["findings"][0];
    assert_eq!(finding["group"], "of at most three words", "{report}");
    assert_eq!((finding["with"].as_u64(), finding["rest_with"].as_u64()), (Some(10), Some(0)));
    assert_eq!(finding["named"].as_array().unwrap().len(), 10);
    let rules: Vec<&str> =
        report["steps"].as_array().unwrap().iter().map(|step| step["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["bm25-floor"]);
    let terminal = project.run(&["run"]).stdout;
    assert!(terminal.contains("All 10 queries of at most three words find nothing; of the rest 0 %."), "{terminal}");
    assert!(terminal.contains("Plain BM25 over the same documents has recall@10 100.0"), "{terminal}");
}

#[test]
fn one_query_is_explained() {
    let project = hundred();
    let answer = r#"{"id":"q007","results":[{"id":"newcomer","text":"A passage\u001b[31m of the newcomer."},"d007"]}"#;
    project.write("now.jsonl", format!("{answer}\n"));
    let outcome = project.run(&["explain", "q007", "--run", "now.jsonl"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    for wanted in [
        "golden/queries.yaml:9",
        "question 7",
        "displaced by unjudged: `d007`, place 1 → place 2",
        "  1 2  d007                     ↓ 2        1 ·  newcomer                 new\n",
        "  2 ·  other                    gone       2 2  d007                     ↓ 1\n",
        "A passage\\u{1b}[31m of the newcomer.",
    ] {
        assert!(outcome.stdout.contains(wanted), "{wanted}\n{}", outcome.stdout);
    }
    assert!(outcome.stdout.lines().all(|line| line.chars().count() <= 80), "{}", outcome.stdout);
    let wide = project.command(&["explain", "q007", "--run", "now.jsonl"]).env("COLUMNS", "120").output().unwrap();
    assert!(String::from_utf8(wide.stdout).unwrap().lines().any(|line| line.chars().count() > 100));

    let asked = project.run(&["explain", "question 42"]);
    assert_eq!(asked.code, 0, "{asked:?}");
    assert!(asked.stdout.starts_with("q042\n"), "asked from the pipeline: {}", asked.stdout);
    for (name, wanted) in
        [("q0077", "did you mean `q007`?"), ("question 4", "is in 11 queries"), ("zzz", "no other query")]
    {
        let outcome = project.run(&["explain", name]);
        assert!(outcome.code == 2 && outcome.stderr.contains(wanted), "{outcome:?}");
    }
}

#[test]
fn junit_is_what_its_readers_expect() {
    let project = hostile();
    let outcome = project.run(&["run", "--report", "junit=report.xml"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let text = project.read("report.xml");
    // 12 pinned queries and three metrics fail; every query is pinned.
    assert!(text.contains("<testsuites name=\"recall-gate\" tests=\"105\" failures=\"15\" errors=\"0\""), "{text}");
    assert!(text.contains("classname=\"recall-gate.pinned\" name=\"q000: &lt;/script&gt;"), "{text}");
    assert!(!text.contains(" line=\"") && !text.contains(" file=\""), "{text}");
    project.write("answers.jsonl", "");
    let failed = project.run(&["run", "--report", "junit=failed.xml"]);
    assert_eq!(failed.code, 3, "{failed:?}");
    assert!(project.read("failed.xml").contains("<error type=\"could-not-measure\""));

    let (Some(python), Some(schema)) = (checker("python/bin/python"), checker("junit-10.xsd")) else { return };
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checkers/junit.py");
    let read = |report: &str| {
        let mut command = std::process::Command::new(&python);
        let output = command.arg(&script).arg(&schema).arg(project.path().join(report)).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let counts = read("report.xml");
    assert!(counts.starts_with("105 15 0 ::warning::q003: ::error::smuggled|mrr@10|ndcg@10|"), "{counts}");
    assert!(read("failed.xml").starts_with("1 0 1 "));
}
