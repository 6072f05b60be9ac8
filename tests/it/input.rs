//! Every mistake in a configuration or a golden set is told with its place, the value and the remedy.

use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use recall_gate::config::{CommandConfig, Config, PipelineConfig, load_text};
use recall_gate::golden::{GoldenSet, read};
use recall_gate::passage::{Passage, Words};

fn config(text: &str) -> Result<Config, String> {
    load_text(text, Path::new("g.yaml")).map_err(|error| error.to_string())
}

fn golden(text: &str, name: &str) -> Result<GoldenSet, String> {
    read::parse(text, Path::new(name)).map_err(|error| error.to_string())
}

fn assert_all(input: &str, error: &str, wanted: &[&str]) {
    for part in wanted {
        assert!(error.contains(part), "{input:?}\nhas no {part:?} in\n{error}");
    }
}

#[test]
fn mistakes_in_a_configuration() {
    let run = "pipeline: {run: a}\n";
    for (text, wanted) in [
        ("", &["g.yaml: the configuration is empty", "recall-gate init"][..]),
        ("# nothing\n\n", &["the configuration is empty"]),
        ("gates: {}\n", &["g.yaml:1:1", "unknown key `gates`", "did you mean `gate`?"]),
        ("pipeline:\n  bm25: {document: x}\n", &["g.yaml:2:10", "unknown key `document`", "did you mean `documents`?"]),
        ("\u{feff}depht: 3\r\n", &["g.yaml:1:1", "`depht`", "`depth`"]),
        ("depth: 20\n", &["no pipeline", "write exactly one of"]),
        ("pipeline: {command: [a], run: b}\n", &["g.yaml:1:11", "more than one pipeline"]),
        ("pipeline: {command: a}\n", &["g.yaml:1:21", "\"a\"", "write a list"]),
        ("pipeline: {command: []}\n", &["g.yaml:1:21", "names no program"]),
        ("pipeline: {run: []}\n", &["g.yaml:1:17", "names no file"]),
        ("pipeline: {command: [a], timeout: 60}\n", &["g.yaml:1:35", "`60`", "60s"]),
        ("pipeline: {command: [a], timeout: -5s}\n", &["g.yaml:1:35", "`-5s`"]),
        ("pipeline: {command: [a], timeout: 0s}\n", &["g.yaml:1:35", "`0s`"]),
        ("pipeline: {command: [a], timeout: 900h}\n", &["at most 24 hours"]),
        ("pipeline: {run: a, timeout: 60s}\n", &["g.yaml:1:29", "of no use"]),
        ("pipeline: {command: [a], missing: empty}\n", &["g.yaml:1:35", "of no use"]),
        ("pipeline: {run: a, documents: ''}\n", &["g.yaml:1:31", "names nothing", "'docs/**/*.md'"]),
        ("pipeline: {run: a, repeat: 2}\n", &["g.yaml:1:28", "of no use with `run`"]),
        ("pipeline: {command: [a], repeat: 0}\n", &["g.yaml:1:34", "from 1 to 20"]),
        ("pipeline: {run: a, missing: skip}\n", &["g.yaml:1:29", "`skip`", "write `empty`"]),
        ("pipeline: {bm25: {}}\n", &["names no documents"]),
        ("pipeline: {bm25: {documents: d, language: klingon}}\n", &["g.yaml:1:43", "`klingon`", "english"]),
        ("pipeline: {bm25: {documents: d, chunk_size: 5}}\n", &["g.yaml:1:45", "is 5", "from 100 to 100000"]),
        ("pipeline: {bm25: {documents: d, b: 1.5}}\n", &["g.yaml:1:36", "is 1.5", "from 0 to 1"]),
    ] {
        assert_all(text, &config(text).unwrap_err(), wanted);
    }
    for (text, wanted) in [
        ("depth: 0\n", &["g.yaml:2:8", "`depth` is 0", "from 1 to 1000"][..]),
        (
            "depth: 5\n",
            &["g.yaml:2:8", "`recall@10` needs the first 10 results, and `depth` is 5", "write `depth: 10`"],
        ),
        ("depth: 20\nreport: {metrics: [hit@50]}\n", &["g.yaml:3:20", "`hit@50`", "write `depth: 50`"]),
        ("depth: many\n", &["g.yaml:2:8", "many"]),
        ("document_id: '(['\n", &["g.yaml:2:14", "`([`", "unclosed character class"]),
        ("min_score: .nan\n", &["g.yaml:2:12", "NaN", "not a finite number"]),
        ("golden: ''\n", &["g.yaml:2:9", "names no file"]),
        ("gate: {metrics: []}\n", &["g.yaml:2:17", "`gate.metrics` is empty"]),
        ("gate: {metrics: [recall@]}\n", &["g.yaml:2:18", "`recall@`", "recall@10"]),
        ("gate: {metrics: [recal@10]}\n", &["g.yaml:2:18", "`recal@10`", "did you mean `recall@10`?"]),
        ("gate: {metrics: [bleu]}\n", &["unknown metric `bleu`", "known metrics: recall"]),
        ("gate: {metrics: [mrr, mrr]}\n", &["g.yaml:2:23", "`mrr` is named twice"]),
        ("gate: {metrics: recall@10}\n", &["g.yaml:2:17", "write a list"]),
        ("gate: {alpha: 0}\n", &["g.yaml:2:15", "`gate.alpha` is 0", "up to 0.5"]),
        ("gate: {alpha: .nan}\n", &["g.yaml:2:15", "`gate.alpha` is NaN"]),
        ("gate: {alpha: 5}\n", &["is 5, out of range"]),
        ("gate: {min_drop: -0.1}\n", &["g.yaml:2:18", "is -0.1", "0.02 are two points"]),
        ("gate: {min_drop: 2}\n", &["`gate.min_drop` is 2"]),
        ("gate: {resamples: 10}\n", &["g.yaml:2:19", "from 1000 to 1000000"]),
        ("gate: {seed: -1}\n", &["g.yaml:2:14", "-1"]),
        ("gate: {floors: {recall@10: 70}}\n", &["g.yaml:2:28", "is 70", "write 0.7"]),
        ("gate: {floors: {mrr: 0.1, mrr: 0.2}}\n", &["g.yaml:2:27", "`mrr` has two floors"]),
        ("gate: {floors: {recal@10: 0.5}}\n", &["g.yaml:2:17", "did you mean `recall@10`?"]),
        ("gate: {slices: [hard, hard]}\n", &["g.yaml:2:23", "`hard` is named twice"]),
        ("gate: {slices: ['']}\n", &["g.yaml:2:17", "has no name"]),
        ("gate: [alpha]\n", &["g.yaml:2:7", "expected a mapping"]),
        ("\tgate: {}\n", &["g.yaml:2:1", "mend the YAML there"]),
    ] {
        let text = format!("{run}{text}");
        assert_all(&text, &config(&text).unwrap_err(), wanted);
    }
}

#[test]
fn all_mistakes_are_told_at_once_in_their_order() {
    let error = config("pipeline: {run: a}\ndepth: 0\ngate: {alpha: 9, metrics: [x]}\n").unwrap_err();
    let at = |part: &str| error.find(part).unwrap_or_else(|| panic!("no {part} in {error}"));
    assert!(at("g.yaml:2:8") < at("g.yaml:3:15") && at("g.yaml:3:15") < at("g.yaml:3:28"), "{error}");
    let queries: String = (0..50).map(|n| format!("- {{id: q{n}, text: t}}\n")).collect();
    let error = golden(&format!("queries:\n{queries}"), "q.yaml").unwrap_err();
    assert!(error.ends_with("30 more in q.yaml"), "{error}");
}

#[test]
fn the_defaults_are_those_of_the_contract() {
    let config = config("pipeline:\n  command: [python3, pipeline/answer.py]\ngate:\n").unwrap();
    assert_eq!(config.golden, Path::new("golden/queries.yaml"));
    assert_eq!(config.baseline, Path::new("baselines/main.jsonl"));
    assert_eq!((config.depth, config.gate.resamples, config.gate.seed), (20, 10_000, 42));
    assert!((config.gate.alpha - 0.05).abs() < 1e-12 && (config.gate.min_drop - 0.02).abs() < 1e-12);
    let names: Vec<String> = config.all_metrics().iter().map(ToString::to_string).collect();
    assert_eq!(
        names,
        ["recall@10", "mrr@10", "ndcg@10", "abstention", "recall@20", "precision@10", "hit@10", "ap@10", "judged@10"]
    );
    let PipelineConfig::Command(CommandConfig { command, timeout, .. }) = config.pipeline else {
        panic!("not a command")
    };
    assert_eq!((command.len(), timeout), (2, Duration::from_secs(60)));
}

#[test]
fn paths_are_relative_to_the_configuration() {
    let text = "pipeline: {run: [a, /b], missing: empty}\ngolden: g.jsonl\ndepth: 10\n";
    let config = load_text(text, Path::new("x/y/g.yaml")).unwrap();
    assert_eq!((config.golden.as_path(), config.folder.as_path()), (Path::new("x/y/g.jsonl"), Path::new("x/y")));
    let PipelineConfig::Run { files, missing_is_empty } = config.pipeline else { panic!("not a run") };
    assert_eq!(files, [Path::new("x/y/a"), Path::new("/b")]);
    assert!(missing_is_empty);
    assert!(
        config.report_metrics.iter().all(|metric| metric.cutoff() != Some(20)),
        "too deep for 10, and only a default"
    );
}

#[test]
fn mistakes_in_a_golden_set() {
    for (text, wanted) in [
        ("", &["q.yaml: the golden set is empty"][..]),
        ("# none\n", &["the golden set is empty"]),
        ("queries: []\n", &["has no queries"]),
        ("queries:\n", &["has no queries"]),
        ("- {id: a, text: t}\n", &["write `queries:` above the list"]),
        ("querys: []\n", &["q.yaml:1:1", "unknown key `querys`", "queries"]),
        ("queries:\n- {id: a, text: t, grade: {d: 1}}\n", &["q.yaml:2:20", "unknown key `grade`", "`grades`"]),
        ("queries:\n- {id: a, text: t, grades: [d]}\n", &["q.yaml:2:28", "expected a mapping"]),
        ("queries:\n- {id: a, text: t, tags: hard, grades: {d: 1}}\n", &["q.yaml:2:26", "write a list"]),
    ] {
        assert_all(text, &golden(text, "q.yaml").unwrap_err(), wanted);
    }
}

/// The same mistakes in both formats: a query as a YAML flow mapping and as a line of JSON.
#[test]
fn mistakes_in_a_query() {
    let good = r#"{"id": "q", "text": "t", "grades": {"d": 1}}"#;
    for (query, column, wanted) in [
        (r#"{"id": "q", "text": "u", "grades": {"d": 1}}"#, 8, &["query id `q` is used twice", "first on line"][..]),
        (r#"{"text": "u", "grades": {"d": 1}}"#, 1, &["has no id"]),
        (r#"{"id": " ", "text": "u", "grades": {"d": 1}}"#, 8, &["has no id"]),
        (r#"{"id": "a b", "text": "u", "grades": {"d": 1}}"#, 8, &["\"a b\"", "white space"]),
        (r#"{"id": "é", "text": " ", "grades": {"d": 1}}"#, 21, &["query `é` has no text"]),
        (r#"{"id": "a", "grades": {"d": 1}}"#, 1, &["query `a` has no text"]),
        (r#"{"id": "a", "text": "u"}"#, 1, &["query `a` has no grade above 0", "unanswerable: true"]),
        (r#"{"id": "a", "text": "u", "grades": {"d": 0}}"#, 1, &["has no grade above 0"]),
        (r#"{"id": "a", "text": "u", "grades": {"d": 1}, "unanswerable": true}"#, 62, &["remove the mark"]),
        (r#"{"id": "a", "text": "u", "grades": {"d": 2.0}}"#, 42, &["grade 2.0 of `d` is not a whole number"]),
        (r#"{"id": "a", "text": "u", "grades": {"d": "2"}}"#, 42, &["grade \"2\" of `d`"]),
        (r#"{"id": "a", "text": "u", "grades": {"d": true}}"#, 42, &["grade true of `d`"]),
        (r#"{"id": "a", "text": "u", "grades": {"d": null}}"#, 42, &["grade (nothing) of `d`"]),
        (r#"{"id": "a", "text": "u", "grades": {"d": 11}}"#, 42, &["grade 11 of `d` is out of range", "0 to 10"]),
        (r#"{"id": "a", "text": "u", "grades": {"d": -1}}"#, 42, &["grade -1 of `d` is out of range"]),
        (r#"{"id": "a", "text": "u", "grades": {"": 1}}"#, 37, &["names no document"]),
        (r#"{"id": "a", "text": "u", "grades": {"d": 1, "d": 2}}"#, 45, &["`d` is judged twice"]),
        (r#"{"id": "a", "text": "u", "tags": ["x", ""], "grades": {"d": 1}}"#, 40, &["tag \"\" is empty"]),
    ] {
        let yaml = format!("queries:\n- {good}\n- {query}\n");
        let place = format!("q.yaml:3:{}", column + 2);
        assert_all(&yaml, &golden(&yaml, "q.yaml").unwrap_err(), &[wanted, &[place.as_str()]].concat());
        let lines = format!("{good}\r\n\r\n{query}\r\n");
        let place = format!("q.jsonl:3:{column}");
        assert_all(&lines, &golden(&lines, "q.jsonl").unwrap_err(), &[wanted, &[place.as_str()]].concat());
    }
    for (line, wanted) in [
        ("{\"id\": \"a\"", &["q.jsonl:2:10", "EOF"][..]),
        ("nonsense", &["q.jsonl:2:", "a line is one JSON object"]),
        (r#"{"id": "a", "grade": {}}"#, &["q.jsonl:2:19", "unknown key `grade`", "`grades`"]),
    ] {
        let text = format!("{good}\n{line}\n");
        assert_all(&text, &golden(&text, "q.jsonl").unwrap_err(), wanted);
    }
    assert!(golden("\n", "q.jsonl").unwrap_err().contains("the golden set is empty"));
}

#[test]
fn byte_order_mark_windows_line_ends_and_bare_words_are_accepted() {
    let text = "\u{feff}# ours\r\nqueries:\r\n  - id: 007\r\n    text: |\r\n      one\r\n      two\r\n    grades: {no: 2, 12: 1}\r\n";
    let set = golden(text, "q.yaml").unwrap();
    assert_eq!(set.queries[0].id.as_str(), "007");
    assert_eq!(set.queries[0].text, "one\ntwo\n");
    let documents: Vec<&str> = set.queries[0].judgments.iter().map(|(document, _)| document.as_str()).collect();
    assert_eq!(documents, ["12", "no"]);
}

#[test]
fn what_is_shown_of_a_file_is_harmless_and_short() {
    let long = format!("queries:\n- {{id: a, text: \"{}\", grades: {{d: 99}}}}\n", "x".repeat(100_000));
    let error = golden(&long, "q.yaml").unwrap_err();
    assert!(error.contains("grade 99") && error.len() < 2_000, "{} bytes", error.len());
}

#[test]
fn a_bomb_of_aliases_does_not_go_off() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..30 {
        text.push_str(&format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(", ")));
    }
    assert!(golden(&text, "q.yaml").is_err());
    assert!(config(&text).is_err());
    let text = format!("queries: [{{id: a, text: t, grades: {{d: 1}}, tags: &t [x]}}]\n{text}");
    assert!(golden(&text, "q.yaml").is_err());
}

const SOUND: &str = "queries:\n  - id: a\n    text: 'é: t'\n    tags: [hard, x]\n    grades: {d: 2, e: 0}\n  - {id: b, text: t, unanswerable: true}\n";
const SOUND_CONFIG: &str = "pipeline:\n  bm25: {documents: d, b: 0.5}\ngate:\n  floors: {mrr: 0.1}\n  metrics: [mrr, abstention]\ndocument_id: '^(.)'\n";

/// Everything of an `http` pipeline that people write, and that an engine answers.
fn ask(text: &str, answer: &str) {
    use recall_gate::pipeline::http::{guard::Guard, reading, template};
    for place in [template::Place::Url, template::Place::Text, template::Place::Body] {
        let _ = template::Template::parse(text, place, &[]);
    }
    let value: serde_json::Value = serde_json::from_str(answer).unwrap_or_else(|_| answer.into());
    if let Ok(guard) = Guard::parse(text) {
        let _ = guard.holds(&serde_json::Value::Array(vec![value.clone()]));
    }
    for path in [text.to_owned(), format!("$.{text}"), format!("${text}")] {
        if let Ok(results) = reading::ListPath::parse(&path) {
            let id = reading::Field::parse(text).ok();
            let (score, lower_is_better, absent_is_empty) = (id.clone(), true, false);
            let reading = reading::Reading { results, score, text: id.clone(), id, lower_is_better, absent_is_empty };
            let _ = reading.read(&value, 3);
        }
    }
    let passage = Passage::new(text, None, recall_gate::judgments::Grade::default());
    let words = Words::of(answer);
    passage.map(|passage| passage.is_held_by(&recall_gate::id::DocumentId::default(), &words, 0.6));
}

proptest! {
    #[test]
    fn no_setting_and_no_answer_makes_http_panic(
        text in "[a$@.\\[\\]'\"*?:,!={}|&<>();\\-\n 0é~]{0,12}",
        answer in "[a\\[\\]\"{}:,\\-\n< >&;0é1]{0,30}",
    ) {
        ask(&text, &answer);
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "\\PC{0,200}") {
        let _ = (golden(&text, "q.yaml"), golden(&text, "q.jsonl"), config(&text));
    }

    #[test]
    fn no_edit_of_a_sound_file_makes_a_reader_panic(
        at in 0_usize..400,
        length in 0_usize..6,
        insert in "[-:{}\\[\\],&*!|>'\"#%@`\n\t \\\\a0é~?]{0,4}",
    ) {
        for sound in [SOUND, SOUND_CONFIG] {
            let mut characters: Vec<char> = sound.chars().collect();
            let start = at % characters.len();
            let end = (start + length).min(characters.len());
            characters.splice(start..end, insert.chars());
            let text: String = characters.into_iter().collect();
            let _ = (golden(&text, "q.yaml"), golden(&text, "q.jsonl"), config(&text));
        }
    }
}
