//! `docs/configuration.md` says what the program does: its keys, its defaults, the ends of its ranges.

use std::collections::BTreeSet;
use std::path::Path;

use recall_gate::config::load_text;
use recall_gate::pipeline::bm25::LANGUAGES;
use serde_json::{Map, Value, json};

const PAGE: &str = include_str!("../../docs/configuration.md");
const SCHEMA: &str = include_str!("../../src/config/schema.rs");
const PUBLISHED: &str = include_str!("../../src/schemas/config.json");

/// A row of a table of keys.
struct Row<'a> {
    key: &'a str,
    default: &'a str,
    range: &'a str,
}

fn rows() -> Vec<Row<'static>> {
    let cells =
        |line: &'static str| -> Vec<&'static str> { line.trim_matches('|').split('|').map(str::trim).collect() };
    let row = |line| match cells(line).as_slice() {
        [key, _, default, range, meaning] if key.starts_with('`') => {
            assert!(meaning.ends_with('.'), "{key}: {meaning}");
            Some(Row { key: key.trim_matches('`'), default, range })
        }
        _ => None,
    };
    PAGE.lines().filter(|line| line.starts_with("| `")).filter_map(row).collect()
}

/// Every field of every struct of the schema, by its full name.
fn keys() -> BTreeSet<String> {
    let prefixes = [
        ("RawConfig", ""),
        ("RawPipeline", "pipeline."),
        ("RawHttp", "pipeline.http."),
        ("RawSetup", "pipeline.http.setup[]."),
        ("RawVector", "pipeline.http.vector."),
        ("RawBm25", "pipeline.bm25."),
        ("RawGate", "gate."),
        ("RawReport", "report."),
    ];
    let structs = regex::Regex::new(r"(?s)struct (Raw\w+) \{(.*?)\n\}").unwrap();
    let field = regex::Regex::new(r"(?m)^    pub\(super\) (\w+):").unwrap();
    let mut keys = BTreeSet::new();
    for found in structs.captures_iter(SCHEMA) {
        let known = prefixes.iter().find(|(name, _)| *name == &found[1]);
        let (_, prefix) = known.unwrap_or_else(|| panic!("say where {} stands", &found[1]));
        keys.extend(field.captures_iter(&found[2]).map(|field| format!("{prefix}{}", &field[1])));
    }
    keys
}

/// What stands in back-quotes.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The smallest configuration in which a key means something.
fn smallest(key: &str) -> Value {
    if key.starts_with("pipeline.http") {
        json!({"pipeline": {"http": {"url": "http://localhost/?q={{query}}", "results": "$.hits", "setup": [{"url": "http://localhost/"}]}}})
    } else if key.starts_with("pipeline.bm25") {
        json!({"pipeline": {"bm25": {"documents": "docs"}}})
    } else if key == "depth" {
        // The default metrics need ten results.
        json!({"pipeline": {"command": ["answer"]}, "gate": {"metrics": ["mrr"]}})
    } else if key == "pipeline.missing" {
        json!({"pipeline": {"run": "results.trec"}})
    } else {
        json!({"pipeline": {"command": ["answer"]}})
    }
}

/// The configuration with a value at a key, read.
fn with(key: &str, value: Value) -> Result<String, String> {
    let mut whole = smallest(key);
    let mut place = &mut whole;
    for step in key.split('.') {
        let (name, is_list) = step.strip_suffix("[]").map_or((step, false), |name| (name, true));
        let object = place.as_object_mut().unwrap();
        place = object.entry(name).or_insert_with(|| Value::Object(Map::new()));
        if is_list {
            place = &mut place[0];
        }
    }
    *place = value;
    load(&whole)
}

fn load(whole: &Value) -> Result<String, String> {
    let config = load_text(&whole.to_string(), Path::new("recall-gate.yaml"));
    config.map(|config| format!("{config:?}")).map_err(|error| error.to_string())
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

#[test]
fn the_page_has_every_key_once() {
    let shown: Vec<String> = rows().iter().map(|row| row.key.to_owned()).collect();
    let unique: BTreeSet<String> = shown.iter().cloned().collect();
    assert_eq!(shown.len(), unique.len(), "a key stands there twice");
    let keys = keys();
    assert!(keys.len() > 50, "{keys:?}");
    assert_eq!(unique, keys);
}

#[test]
fn what_the_page_calls_a_default_changes_nothing_when_it_is_written() {
    let mut tried = 0;
    for row in rows() {
        let [default] = quoted(row.default)[..] else { continue };
        if row.default != format!("`{default}`") {
            continue;
        }
        assert_eq!(with(row.key, yaml(default)), load(&smallest(row.key)), "{}", row.key);
        tried += 1;
    }
    assert!(tried >= 20, "{tried}");
}

#[test]
fn ranges_end_where_the_page_says() {
    let mut tried = 0;
    for row in rows().iter().filter(|row| !row.range.is_empty()) {
        let is = |text: &str| with(row.key, yaml(text)).is_ok();
        let values = quoted(row.range);
        let [first, last] = values[..] else {
            assert!(values.len() > 2, "{}: {}", row.key, row.range);
            words(row, &values);
            continue;
        };
        tried += 1;
        if row.range.contains(" or ") {
            words(row, &values);
        } else if row.range.starts_with("above ") {
            assert!(!is(first) && is("0.001") && is(last), "{}", row.key);
            assert!(!is(&(last.parse::<f64>().unwrap() + 0.001).to_string()), "{}", row.key);
        } else {
            assert_eq!(row.range, format!("`{first}` to `{last}`"), "{}", row.key);
            assert!(is(first) && is(last), "{}", row.key);
            let outside = match (first.parse::<f64>(), last.parse::<f64>()) {
                (Ok(first), Ok(last)) => [(first - 1.0).to_string(), (last + 1.0).to_string()],
                _ if first == "1ms" => ["0s".to_owned(), "24h 1s".to_owned()],
                _ => ["0KiB".to_owned(), "1025MiB".to_owned()],
            };
            for value in outside {
                assert!(!is(&value), "{}: {value}", row.key);
            }
        }
    }
    assert!(tried >= 10, "{tried}");
}

/// A key that takes one of a few words.
fn words(row: &Row<'_>, values: &[&str]) {
    for value in values {
        let taken = with(row.key, yaml(value));
        assert!(taken.is_ok(), "{}: {value}: {taken:?}", row.key);
    }
    assert!(with(row.key, json!("nonsense")).is_err(), "{}", row.key);
}

/// What `recall-gate schema config` says of a key.
fn published(key: &str) -> Value {
    let schema: Value = serde_json::from_str(PUBLISHED).unwrap();
    let pointer = format!("/properties/{}", key.replace("[].", "/items/properties/").replace('.', "/properties/"));
    schema.pointer(&pointer).unwrap_or_else(|| panic!("the published schema has no {pointer}")).clone()
}

#[test]
fn the_published_schema_says_the_same() {
    let (mut defaults, mut ranges) = (0, 0);
    for row in rows() {
        let node = published(row.key);
        let values = quoted(row.range);
        let number = |index: usize| yaml(values[index]).as_f64();
        if let Some(default) = node.get("default") {
            assert_eq!(row.default, format!("`{}`", quoted(row.default).join("")), "{}", row.key);
            let shown = yaml(quoted(row.default)[0]);
            assert!(shown == *default || shown.as_f64().is_some() && shown.as_f64() == default.as_f64(), "{}", row.key);
            defaults += 1;
        }
        for (limit, index) in [("minimum", 0), ("exclusiveMinimum", 0), ("maximum", 1)] {
            if let Some(limit) = node.get(limit).filter(|_| row.key != "gate.seed") {
                assert_eq!(number(index), limit.as_f64(), "{}", row.key);
                ranges += 1;
            }
        }
        if let Some(words) = node.get("enum").and_then(Value::as_array) {
            let words: BTreeSet<&str> = words.iter().filter_map(Value::as_str).collect();
            assert_eq!(values.iter().copied().collect::<BTreeSet<_>>(), words, "{}", row.key);
            ranges += 1;
        }
    }
    assert!(defaults >= 10 && ranges >= 15, "{defaults} defaults, {ranges} ends of ranges");
}

#[test]
fn every_language_is_named() {
    let row = rows().into_iter().find(|row| row.key == "pipeline.bm25.language").unwrap();
    assert_eq!(quoted(row.range), LANGUAGES.map(|(name, _)| name));
}
