//! The program as people and CI run it: commands, exit codes, files.

use crate::common::project::{Project, answers, golden, hundred};

/// A report without its line ends, which fall anywhere.
fn words(report: &str) -> String {
    report.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn two_lost_queries_of_a_hundred_are_noise_and_twelve_are_not() {
    let project = hundred();
    for (lost, code, wanted) in [
        (0, 0, "Retrieval is unchanged on every query"),
        (2, 0, "within chance"),
        (12, 1, "recall@10 fell by 12.0 points (100.0 → 88.0)"),
    ] {
        project.write("answers.jsonl", answers(100, lost));
        let outcome = project.run(&["run"]);
        assert_eq!(outcome.code, code, "{outcome:?}");
        assert!(words(&outcome.stdout).contains(wanted), "{lost}: {}", outcome.stdout);
    }
    let report = project.run(&["run"]).stdout;
    assert!(report.contains("q000") && report.contains("question 0"), "the worst queries are named: {report}");
}

#[test]
fn a_pipeline_that_breaks_on_one_query_cannot_be_judged() {
    let project = hundred();
    project.write("answers.jsonl", answers(99, 0));
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stdout.contains("`q099`"), "{}", outcome.stdout);
}

#[test]
fn wrong_input_is_exit_2_before_anything_is_measured() {
    let project = hundred();
    let marker = project.path().join("started");
    for (config, wanted) in [
        ("pipeline: {command: [touch, started]}\ngates: {alpha: 0.05}\n", "gates"),
        ("pipeline: {command: [touch, started]}\ngate: {alpha: 5}\n", "alpha"),
        ("pipeline: {command: [touch, started]}\ngolden: none.yaml\n", "none.yaml"),
        ("pipeline: {command: [touch, started]}\ngate: {slices: [hrad]}\n", "`hrad`"),
        ("pipeline: {command: [touch, started]}\nbaseline: answers.jsonl\n", "answers.jsonl"),
    ] {
        project.write("recall-gate.yaml", config);
        let outcome = project.run(&["run"]);
        assert_eq!(outcome.code, 2, "{config}: {outcome:?}");
        assert!(outcome.stderr.contains(wanted) && outcome.stdout.is_empty(), "{outcome:?}");
        assert!(!marker.exists(), "{config}: the pipeline was started");
    }
    assert_eq!(project.run(&["run", "--no-such-flag"]).code, 2);
    let outcome = Project::new().run(&["run"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("recall-gate init"), "{outcome:?}");
}

#[test]
fn without_a_baseline_run_says_what_to_do() {
    let project = Project::with_config("pipeline: {run: answers.jsonl}\n");
    project.write("golden/queries.yaml", golden(100));
    project.write("answers.jsonl", answers(100, 0));
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stdout.contains("baseline update"), "{}", outcome.stdout);
}

#[test]
fn an_empty_golden_set_is_never_green() {
    let project = hundred();
    for (file, text) in
        [("golden/queries.yaml", ""), ("golden/queries.yaml", "queries: []\n"), ("golden/queries.yaml", "# none\n")]
    {
        project.write(file, text);
        let outcome = project.run(&["run"]);
        assert_eq!(outcome.code, 2, "{text:?}: {outcome:?}");
        assert!(outcome.stderr.contains("golden/queries.yaml"), "{outcome:?}");
    }
}

#[test]
fn a_second_update_changes_only_the_header() {
    let project = hundred();
    let first = project.read("baselines/main.jsonl");
    let outcome = project.run(&["baseline", "update", "--reason", "second", "-y"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let second = project.read("baselines/main.jsonl");
    let rest = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    assert_eq!(rest(&first), rest(&second));
    let header = |text: &str| -> serde_json::Map<String, serde_json::Value> {
        serde_json::from_str(text.lines().next().unwrap()).unwrap()
    };
    let (first, second) = (header(&first), header(&second));
    let changed: Vec<&str> = first.keys().filter(|key| first[*key] != second[*key]).map(String::as_str).collect();
    assert!(changed.iter().all(|key| ["created", "commit", "reason"].contains(key)), "{changed:?}");
    assert_eq!(second["reason"], "second");
    assert_eq!(project.read("baselines/main.jsonl").lines().count(), 101, "a query a line");
}

#[test]
fn the_baseline_moves_only_on_purpose() {
    let project = hundred();
    let before = project.read("baselines/main.jsonl");
    project.write("answers.jsonl", answers(100, 30));
    assert_eq!(project.run(&["run"]).code, 1);
    for (arguments, wanted) in [
        (&["baseline", "update", "--reason", "x"][..], "--yes"),
        (&["baseline", "update", "--reason", " ", "--yes"][..], "is empty"),
        (&["baseline", "update", "--yes"][..], "--reason"),
    ] {
        let outcome = project.run(arguments);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains(wanted), "{outcome:?}");
    }
    let worse = project.run(&["baseline", "update", "--reason", "x", "--yes"]);
    assert_eq!(worse.code, 1, "{worse:?}");
    assert!(worse.stderr.contains("--accept-drop"), "{worse:?}");
    let update = ["baseline", "update", "--reason", "x", "--yes", "--accept-drop"];
    let in_ci = project.command(&update).env("CI", "true").output().unwrap();
    assert_eq!(in_ci.status.code(), Some(2));
    assert_eq!(project.read("baselines/main.jsonl"), before);
    let allowed = project.command(&update).arg("--allow-ci").env("CI", "true").output().unwrap();
    assert_eq!(allowed.status.code(), Some(0));
    assert_ne!(project.read("baselines/main.jsonl"), before);
}

#[test]
fn both_sides_are_scored_with_todays_judgments_and_changed_queries_are_named() {
    let project = hundred();
    // A label is mended, one query is new, one is gone.
    let text = golden(101)
        .replace("{d005: 2}", "{elsewhere: 2}")
        .replace("  - {id: q007, text: question 7, grades: {d007: 2}}\n", "");
    project.write("golden/queries.yaml", text);
    project.write("answers.jsonl", answers(101, 0));
    let outcome = project.run(&["run", "--report", "json"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let report: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["golden"]["changed_since_baseline"], true);
    assert_eq!(report["metrics"][0]["queries"], 99);
    assert_eq!(report["metrics"][0]["worse"], 0, "the mended label costs both sides the same");
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("`q100`") && warnings.contains("`q007`"), "{warnings}");
    assert!(warnings.contains("1 query (`q005`)"), "the edit is named: {warnings}");
    let apart = "recall@10 by -1.0 through the golden set and 0.0 through the pipeline";
    assert!(warnings.contains(apart), "q005 lost its answer on both sides: {warnings}");
    let locked = project.run(&["golden", "check", "--locked"]);
    assert_eq!(locked.code, 2, "{locked:?}");
    for wanted in ["edited: 1 (`q005`)", "new: 1 (`q100`)", "gone: 1 (`q007`)"] {
        assert!(locked.stderr.contains(wanted), "{}", locked.stderr);
    }
}

#[test]
fn a_golden_set_that_nobody_touched_is_locked() {
    let project = hundred();
    assert_eq!(project.run(&["golden", "check", "--locked"]).code, 0);
    std::fs::remove_file(project.path().join("baselines/main.jsonl")).unwrap();
    assert_eq!(project.run(&["golden", "check"]).code, 0);
    assert_eq!(project.run(&["golden", "check", "--locked"]).code, 3);
}

#[test]
fn reports_go_where_they_are_asked_for() {
    let project = hundred();
    let outcome = project.run(&[
        "run",
        "--report",
        "json=out/report.json",
        "--report",
        "terminal",
        "--save-run",
        "out/run.jsonl",
    ]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let report: serde_json::Value = serde_json::from_str(&project.read("out/report.json")).unwrap();
    assert_eq!(report["verdict"], "pass");
    assert!(outcome.stdout.contains("recall@10"));
    assert_eq!(project.read("out/run.jsonl"), project.read("answers.jsonl"));
    assert_eq!(project.run(&["run", "--quiet"]).stdout, "");
    let outcome = project.run(&["run", "--report", "json=answers.jsonl/x"]);
    assert_eq!(outcome.code, 2, "a report that cannot be written is told before the pipeline starts: {outcome:?}");
}

#[test]
fn compare_is_the_same_test_between_two_files() {
    let project = hundred();
    project.write("worse.jsonl", answers(100, 12));
    assert_eq!(project.run(&["compare", "answers.jsonl", "worse.jsonl"]).code, 1);
    assert_eq!(project.run(&["compare", "worse.jsonl", "answers.jsonl"]).code, 0);
    assert_eq!(project.run(&["compare", "baselines/main.jsonl", "answers.jsonl"]).code, 0);
    assert_eq!(project.run(&["compare", "answers.jsonl", "none.jsonl"]).code, 2);
    project.write("part.jsonl", answers(95, 0));
    assert_eq!(project.run(&["compare", "answers.jsonl", "part.jsonl"]).code, 3, "five answers are missing");
    assert_eq!(project.run(&["compare", "answers.jsonl", "part.jsonl", "--missing", "empty"]).code, 1);
    assert_eq!(project.run(&["run", "--run", "part.jsonl", "--missing", "empty"]).code, 1);
    let before = project.read("baselines/main.jsonl");
    let partial = project.run(&["baseline", "update", "--reason", "x", "--yes", "--run", "part.jsonl"]);
    assert_eq!((partial.code, project.read("baselines/main.jsonl")), (3, before), "a partial run is no baseline");
}

/// A ranking that goes deeper finds more without being better, so both sides are judged by as many results.
#[test]
fn a_baseline_of_another_depth_is_neither_favoured_nor_wronged() {
    let project = hundred();
    // Every other answer stands first, the rest at place 15.
    let answers: String = (0..100)
        .map(|n| {
            let others = (0..n % 2 * 14).map(|place| format!("\"x{place}\",")).collect::<String>();
            format!("{{\"id\":\"q{n:03}\",\"results\":[{others}\"d{n:03}\"]}}\n")
        })
        .collect();
    project.write("answers.jsonl", answers);
    let config = |depth: usize, metric: &str| {
        project.write(
            "recall-gate.yaml",
            format!("pipeline: {{run: answers.jsonl}}\ndepth: {depth}\ngate: {{metrics: [{metric}]}}\n"),
        );
    };
    config(20, "mrr");
    assert_eq!(project.run(&["baseline", "update", "--reason", "deep", "--yes", "--accept-drop"]).code, 0);
    config(10, "mrr");
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 0, "place 15 is out of reach on both sides: {}", outcome.stdout);

    assert_eq!(project.run(&["baseline", "update", "--reason", "shallow", "--yes"]).code, 0);
    config(10, "mrr@1");
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let apart = "on the same rankings, mrr@1 instead of mrr moves the mean by 0.0 (50.0 → 50.0)";
    assert!(words(&outcome.stdout).contains(apart), "{}", outcome.stdout);
    config(20, "mrr");
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 0);
    assert!(words(&outcome.stdout).contains("both sides are judged by 10"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("improved"), "{}", outcome.stdout);
    config(20, "recall@15");
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(words(&outcome.stdout).contains("keeps the first 10 results"), "{}", outcome.stdout);
}

#[test]
fn slow_erosion_is_noticed_and_the_log_shows_how() {
    let project = hundred();
    let update = |lost: usize, reason: &str| {
        project.write("answers.jsonl", answers(100, lost));
        let outcome = project.run(&["baseline", "update", "--reason", reason, "--yes"]);
        assert_eq!(outcome.code, 0, "each step alone is noise: {outcome:?}");
    };
    update(2, "two");
    assert!(!project.run(&["run"]).stdout.contains("worn down"), "two lost queries are noise");
    update(5, "five");
    update(7, "seven");
    update(9, "nine");
    let report = words(&project.run(&["run"]).stdout);
    assert!(
        report.contains("The baseline itself has worn down since") && report.contains("recall@10 by 9.0 points"),
        "{report}"
    );
    let log = project.run(&["baseline", "log"]);
    assert_eq!(log.code, 0, "{log:?}");
    assert!(log.stdout.contains("recall@10  █"), "{}", log.stdout);
    assert!(log.stdout.contains("91.0 (-2.0)") && log.stdout.contains("first"), "{}", log.stdout);
    assert!(log.stdout.lines().all(|line| line.chars().count() <= 80), "{}", log.stdout);
    update(0, "mended");
    assert!(!project.path().join("baselines/best.jsonl").exists(), "the best is the baseline itself");
    assert_eq!(project.read("baselines/history.jsonl").lines().count(), 6);
    project.write("baselines/history.jsonl", "x");
    assert_eq!(project.run(&["baseline", "log"]).code, 2);
}

#[test]
fn ids_that_changed_under_the_labels_are_told_with_the_mapping_that_would_fit() {
    let project = hundred();
    let chunks = answers(100, 0).replace("\"d", "\"docs/d").replace("\",\"other", "#2\",\"other");
    project.write("answers.jsonl", &chunks);
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    let fits = "`document_id: '^docs/([^#]+)'` would make the judged `d000` of the result `docs/d000#2`";
    assert!(words(&outcome.stdout).contains(fits), "{}", outcome.stdout);
    std::fs::remove_file(project.path().join("baselines/main.jsonl")).unwrap();
    let first = project.run(&["baseline", "update", "--reason", "x", "--yes"]);
    assert_eq!(first.code, 3);
    assert!(first.stderr.contains(fits), "{}", first.stderr);
    project.write("recall-gate.yaml", "pipeline: {run: answers.jsonl}\ndocument_id: '^docs/([^#]+)'\n");
    assert_eq!(project.run(&["baseline", "update", "--reason", "x", "--yes"]).code, 0);
}

fn git(project: &Project, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.current_dir(project.path()).args(["-c", "user.name=N", "-c", "user.email=m@example.org"]);
    assert!(command.args(arguments).output().unwrap().status.success(), "{arguments:?}");
}

#[test]
fn a_change_that_edits_its_own_judge_is_never_silently_green() {
    let project = hundred();
    assert!(project.run(&["run", "--against", "main"]).stderr.contains("needs git"));
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "first"]);
    git(&project, &["switch", "-qc", "change"]);
    let clean = project.run(&["run", "--against", "main"]);
    assert_eq!(clean.code, 0, "{clean:?}");
    assert!(!clean.stdout.contains("This change"), "{}", clean.stdout);
    assert!(project.run(&["run", "--against", "no-such"]).stderr.contains("git knows no `no-such`"));
    assert_eq!(project.run(&["run", "--against", "--help"]).code, 2);

    // The pipeline loses twelve answers, and the change moves the baseline and edits a label so that it is green.
    project.write("answers.jsonl", answers(100, 12));
    let edited = golden(101)
        .replace("{d050: 2}", "{d050: 1, other: 2}")
        .replace("  - {id: q060, text: question 60, grades: {d060: 2}}\n", "");
    project.write("golden/queries.yaml", edited);
    project.write("answers.jsonl", answers(101, 12));
    assert_eq!(project.run(&["baseline", "update", "--reason", "smaller index", "--yes", "--accept-drop"]).code, 0);
    git(&project, &["commit", "-qam", "change"]);
    let outcome = project.run(&["run", "--against", "main"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let report = words(&outcome.stdout);
    for wanted in [
        "This change moves the baseline: \"smaller index\"",
        "Against that of main the verdict would be: REGRESSION (recall@10 ",
        "recall@10 fell by 12.1 points",
        "This change edits the golden set of main: 1 added (`q100`), 1 removed (`q060`), 1 edited (`q050`: `d050` 2 → 1, `other` unjudged → 2)",
        "With the pipeline held still, that alone moves",
    ] {
        assert!(report.contains(wanted), "{wanted}\n{report}");
    }
}

#[test]
fn a_shallow_clone_is_told_what_to_fetch() {
    let project = hundred();
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "first"]);
    git(&project, &["switch", "-qc", "change"]);
    git(&project, &["commit", "-q", "--allow-empty", "-m", "second"]);
    let source = format!("file://{}", project.path().display());
    let clone = Project::new();
    git(&clone, &["clone", "-q", "--depth", "1", &source, "."]);
    git(&clone, &["fetch", "-q", "--depth", "1", "origin", "main:main"]);
    for reference in ["main", "origin/main"] {
        let outcome = clone.run(&["run", "--against", reference]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains("fetch-depth: 0"), "{}", outcome.stderr);
    }
}

#[test]
fn a_baseline_says_at_which_commit_and_whether_other_files_differed() {
    let project = hundred();
    let git = |arguments: &[&str]| git(&project, arguments);
    let header = || -> serde_json::Value {
        assert_eq!(project.run(&["baseline", "update", "--reason", "r", "--yes"]).code, 0);
        serde_json::from_str(project.read("baselines/main.jsonl").lines().next().unwrap()).unwrap()
    };
    assert_eq!(header()["commit"], serde_json::Value::Null, "works without git");
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    let clean = header();
    assert_eq!((clean["commit"].as_str().unwrap().len(), clean["dirty"].as_bool()), (40, Some(false)));
    assert_eq!(header()["dirty"], false, "the baseline itself does not count");
    project.write("golden/queries.yaml", golden(100) + "# edited\n");
    assert_eq!(header()["dirty"], true);
}

#[test]
fn labels_of_documents_that_are_gone_are_told_and_mended() {
    let project = hundred();
    for n in 0..100 {
        project.write(&format!("docs/en/d{n:03}.md"), "text");
    }
    std::fs::rename(project.path().join("docs/en/d004.md"), project.path().join("docs/en/d0004.md")).unwrap();
    project.write("ids.jsonl", (0..99).map(|n| format!("{{\"_id\":\"d{n:03}\"}}\n")).collect::<String>());
    for (documents, wanted) in [
        ("'docs/en/*.md'", "1 document, with 1 label: `d004` (now `d0004`?)"),
        ("ids.jsonl", "1 document, with 1 label: `d099`"),
        ("[sh, -c, 'seq -f d%03g 1 99']", "1 document, with 1 label: `d000`"),
    ] {
        project.write("recall-gate.yaml", format!("pipeline: {{run: answers.jsonl, documents: {documents}}}\n"));
        let outcome = project.run(&["run"]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(words(&outcome.stdout).contains(wanted), "{wanted}: {}", outcome.stdout);
    }
    for documents in ["'none/*.md'", "none.jsonl", "['false']", "[no-such-program]"] {
        project.write("recall-gate.yaml", format!("pipeline: {{run: answers.jsonl, documents: {documents}}}\n"));
        assert_eq!(project.run(&["run"]).code, 3, "{documents}");
    }
    let outcome = project.run(&["golden", "rename", "d004", "d0004"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(project.read("golden/queries.yaml"), golden(100).replace("d004", "d0004"));
    assert_eq!(project.run(&["golden", "rename", "d004", "x"]).code, 2);
    assert_eq!(project.run(&["golden", "rename", "d005", ""]).code, 2);
}

#[test]
fn an_update_mends_a_damaged_baseline() {
    let project = hundred();
    let good = project.read("baselines/main.jsonl");
    project.write("baselines/main.jsonl", &good[..good.len() / 2]);
    assert_eq!(project.run(&["run"]).code, 2);
    let outcome = project.run(&["baseline", "update", "--reason", "mended", "--yes"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stderr.contains("the old baseline is not compared with"), "{outcome:?}");
    assert_eq!(project.run(&["run"]).code, 0);
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let project = hundred();
    project.write("answers.jsonl", answers(100, 5));
    let report = |threads: &str| {
        let mut command = project.command(&["run", "--report", "json"]);
        command.env("RAYON_NUM_THREADS", threads).output().unwrap().stdout
    };
    let one = report("1");
    assert!(!one.is_empty());
    assert_eq!(one, report("2"));
    assert_eq!(one, report("7"));
}

#[test]
fn output_fits_80_columns_and_is_coloured_only_where_wanted() {
    let project = hundred();
    project.write("answers.jsonl", answers(100, 12));
    let plain = project.run(&["run"]).stdout;
    assert!(!plain.contains('\u{1b}'));
    let widest = plain.lines().max_by_key(|line| line.chars().count()).unwrap();
    assert!(widest.chars().count() <= 80, "{widest}");
    let coloured = project.run(&["run", "--color", "always"]).stdout;
    assert!(coloured.contains('\u{1b}'));
}

#[test]
fn text_from_outside_cannot_drive_the_terminal() {
    let project = Project::with_config("pipeline: {run: answers.jsonl}\n");
    let hostile = golden(100).replace("text: question 3,", "text: \"\\e[31mred\\e[0m \\x07\",");
    project.write("golden/queries.yaml", hostile);
    project.write("answers.jsonl", answers(100, 0).replace("\"other\"", "\"\\u001b]0;title\\u0007\""));
    assert_eq!(project.run(&["baseline", "update", "--reason", "\u{1b}[31m", "--yes"]).code, 0);
    project.write("answers.jsonl", answers(100, 12));
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 1);
    assert!(!outcome.stdout.contains('\u{1b}') && !outcome.stdout.contains('\u{7}'), "{:?}", outcome.stdout);
    assert!(!project.run(&["baseline", "show"]).stdout.contains('\u{1b}'));
}

#[test]
fn init_writes_a_start_that_is_accepted_and_overwrites_nothing() {
    let project = Project::new();
    let outcome = project.run(&["init"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    project.write("docs/returns-policy.md", "# Returns\n\nYou may return an order within 30 days.\n");
    assert_eq!(project.run(&["golden", "check"]).code, 0);
    let updated = project.run(&["baseline", "update", "--reason", "first", "--yes"]);
    assert_eq!(updated.code, 0, "{updated:?}");
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 3, "two answerable queries carry no verdict: {outcome:?}");
    project.write("golden/queries.yaml", "mine");
    let again = project.run(&["init"]);
    assert!(again.stdout.contains("kept  golden/queries.yaml"), "{again:?}");
    assert_eq!(project.read("golden/queries.yaml"), "mine");
}

/// What `init` shows as defaults must be the defaults.
#[test]
fn the_commented_values_of_init_are_the_defaults() {
    let project = Project::new();
    project.run(&["init"]);
    let text = project.read("recall-gate.yaml");
    let load = |text: &str| {
        let config = recall_gate::config::load_text(text, std::path::Path::new("recall-gate.yaml")).unwrap();
        format!("{config:?}")
    };
    let uncommented = |line: &str| match line.split_once('#') {
        Some((indent, value)) if indent.trim().is_empty() && !value.starts_with(' ') => format!("{indent}{value}"),
        _ => line.to_owned(),
    };
    let all = text.lines().map(uncommented).collect::<Vec<_>>().join("\n");
    assert!(all.contains("\n  seed: 42"), "{all}");
    assert_eq!(load(&all), load(&text));
}

#[test]
fn calibrate_says_what_the_gate_would_catch() {
    let project = hundred();
    let html =
        ["calibrate", "--trials", "50", "--report", "terminal", "--report", "json=c.json", "--report", "html=c.html"];
    let outcome = project.run(&html);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.lines().all(|line| line.chars().count() <= 80), "{}", outcome.stdout);
    assert!(words(&outcome.stdout).contains("the set has 100"), "{}", outcome.stdout);
    let report: serde_json::Value = serde_json::from_str(&project.read("c.json")).unwrap();
    assert_eq!(report["rows"][0]["cells"].as_array().unwrap().len(), 6);
    assert!(project.read("c.html").contains("<svg"));
    assert_eq!(project.run(&["calibrate", "--drop", "5"]).code, 2);
    std::fs::remove_file(project.path().join("baselines/main.jsonl")).unwrap();
    assert_eq!(project.run(&["calibrate"]).code, 3);
}

/// A pipeline that finds `d…` for a query in two calls of three, a counter telling the calls apart.
const RESTLESS: &str = r#"
import json, os, sys
call = int(open("calls").read()) if os.path.exists("calls") else 0
open("calls", "w").write(str(call + 1))
for line in sys.stdin:
    question = json.loads(line)
    number = int(question["id"][1:])
    found = number >= 30 or (number + call) % 3 > 0
    print(json.dumps({"id": question["id"], "results": ["d" + question["id"][1:] if found else "x"]}))
"#;

#[test]
fn a_pipeline_that_is_asked_several_times_is_scored_by_the_mean() {
    let project = hundred();
    project.write("restless.py", RESTLESS);
    project.write("recall-gate.yaml", "pipeline: {command: [python3, restless.py], repeat: 3}\n");
    let update = project.run(&["baseline", "update", "--reason", "three times", "--yes", "--accept-drop"]);
    assert_eq!(update.code, 0, "{update:?}");
    let baseline = project.read("baselines/main.jsonl");
    assert!(baseline.lines().next().unwrap().contains("\"repeat\":3"), "{baseline}");
    assert_eq!(baseline.lines().nth(1).unwrap().matches('[').count(), 4, "every repeat is kept");
    let outcome = project.run(&["run", "--report", "json=r.json", "--report", "terminal", "--save-run", "run.jsonl"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let report: serde_json::Value = serde_json::from_str(&project.read("r.json")).unwrap();
    assert!((report["metrics"][0]["current"].as_f64().unwrap() - 0.9).abs() < 1e-9, "{}", report["metrics"][0]);
    assert_eq!(report["metrics"][0]["same"], 100, "the mean of three is the same every time");
    assert_eq!(report["repeats"]["restless_queries"], 30);
    assert!(
        words(&outcome.stdout).contains("asked 3 times in the baseline and 3 times now; 30 queries"),
        "{}",
        outcome.stdout
    );
    assert_eq!(project.run(&["run", "--run", "run.jsonl"]).code, 0, "a stored run has its repeats");
}

#[test]
fn a_pipeline_that_is_not_deterministic_is_found_out() {
    let project = hundred();
    project.write("restless.py", RESTLESS);
    project.write("recall-gate.yaml", "pipeline: {command: [python3, restless.py]}\ngate: {min_drop: 0.5}\n");
    let outcome = project.run(&["run", "--check-determinism"]);
    let report = words(&outcome.stdout);
    assert!(report.contains("Asked twice, the pipeline ranked 20 of 100 queries differently: `q000`"), "{report}");
    project.write("recall-gate.yaml", "pipeline: {run: answers.jsonl}\n");
    assert!(!project.run(&["run", "--check-determinism"]).stdout.contains("Asked twice"));
}

#[test]
fn help_and_completions_are_there() {
    let project = Project::new();
    let help = project.run(&["--help"]);
    assert_eq!(help.code, 0);
    assert!(help.stdout.contains("Exit codes: 0 pass, 1 regression, 2 wrong input, 3 cannot judge"), "{}", help.stdout);
    assert!(project.run(&["completions", "bash"]).stdout.contains("recall-gate"));
}

#[test]
fn a_golden_set_in_another_encoding_is_told_with_its_place() {
    let project = hundred();
    project.write("golden/queries.yaml", b"queries:\n- {id: a, text: caf\xe9, grades: {d: 1}}\n");
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("golden/queries.yaml:2:20: not UTF-8 (byte 0xe9"), "{}", outcome.stderr);
}
