//! `docs/troubleshooting.md` explains messages that the program has.

use std::collections::BTreeSet;
use std::path::Path;

const PAGE: &str = include_str!("../../docs/troubleshooting.md");

/// Every text in the source, with `…` where a value is put in and without back-quotes.
fn texts() -> BTreeSet<String> {
    let literal = regex::Regex::new(r#""((?:[^"\\]|\\(?s:.))*)""#).unwrap();
    let continued = regex::Regex::new(r"\\\n\s*").unwrap();
    let value = regex::Regex::new(r"\{[^{}]*\}").unwrap();
    let mut texts = BTreeSet::new();
    for entry in walkdir::WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let entry = entry.unwrap();
        if entry.path().extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = std::fs::read_to_string(entry.path()).unwrap();
        // What only looks like the start of a text: a quotation mark in a character or in a comment.
        let source = source.replace("'\"'", "").replace("'\\\"'", "");
        let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        let source = lines.collect::<Vec<_>>().join("\n");
        for found in literal.captures_iter(&source) {
            let text = continued.replace_all(&found[1], "").replace("\\\"", "\"").replace("{{", "").replace("}}", "");
            texts.insert(value.replace_all(&text, "…").replace('`', ""));
        }
    }
    texts
}

#[test]
fn every_message_that_is_explained_is_one_of_the_program() {
    let texts = texts();
    let mut explained = BTreeSet::new();
    let mut strangers = Vec::new();
    for heading in PAGE.lines().filter_map(|line| line.strip_prefix("### `")) {
        let message = heading.strip_suffix('`').unwrap_or_else(|| panic!("{heading}"));
        assert!(explained.insert(message), "explained twice: {message}");
        if !texts.iter().any(|text| text.contains(message)) {
            strangers.push(message);
        }
    }
    assert_eq!(strangers, Vec::<&str>::new());
    assert!(explained.len() >= 50, "{}", explained.len());
}

#[test]
fn a_message_that_the_program_does_not_have_is_noticed() {
    assert!(!texts().iter().any(|text| text.contains("there is no such message …")));
}
