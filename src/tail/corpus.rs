//! The documents as they were written, where they are at hand.

use std::collections::BTreeMap;

use super::language::{self, Language};
use super::words::{Vocabulary, words};
use crate::id::DocumentId;

/// Longer documents than this, in words, are long.
const LONG: usize = 800;

/// What is known of the texts of the corpus.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    documents: BTreeMap<DocumentId, String>,
    /// The words of the corpus; `None` unless every document is known.
    vocabulary: Option<Vocabulary>,
}

impl Texts {
    /// The texts of every document of the corpus.
    #[must_use]
    pub fn complete(documents: BTreeMap<DocumentId, String>) -> Self {
        let vocabulary = Vocabulary::new(documents.values().map(String::as_str));
        Self { vocabulary: (!documents.is_empty()).then_some(vocabulary), documents }
    }

    /// The words of the corpus, where all of them are known.
    #[must_use]
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        self.vocabulary.as_ref()
    }

    /// Every document of the corpus, where all of them are known.
    #[must_use]
    pub fn all(&self) -> Option<&BTreeMap<DocumentId, String>> {
        self.vocabulary.as_ref().map(|_| &self.documents)
    }

    /// The text of a document.
    #[must_use]
    pub fn text(&self, document: &DocumentId) -> Option<&str> {
        self.documents.get(document).map(String::as_str)
    }
}

/// What a document is like: `a table`, `code`, `a list`, `long text`, and its language.
#[must_use]
pub fn kinds(text: &str) -> Vec<&'static str> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let many = |count: usize| count * 5 >= lines.len() && count >= 2;
    let count = |is: fn(&str) -> bool| lines.iter().filter(|line| is(line)).count();
    let mut kinds = Vec::new();
    if count(|line| line.matches('|').count() >= 2) >= 2 || text.contains("<table") {
        kinds.push("a table");
    }
    if text.contains("```") || text.contains("<pre") || many(count(is_code)) {
        kinds.push("code");
    }
    if many(count(is_item)) || text.contains("<li>") {
        kinds.push("a list");
    }
    if words(text).len() > LONG {
        kinds.push("long text");
    }
    kinds
}

fn is_code(line: &str) -> bool {
    line.ends_with([';', '{', '}']) || line.starts_with("$ ") || line.contains("();")
}

fn is_item(line: &str) -> bool {
    let numbered = line.trim_start_matches(|character: char| character.is_ascii_digit());
    line.starts_with("- ") || line.starts_with("* ") || (numbered.len() < line.len() && numbered.starts_with(". "))
}

/// The language of a document.
#[must_use]
pub fn language(text: &str) -> Option<&'static Language> {
    language::detect(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_of_a_kind() {
        assert_eq!(kinds("# A\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"), ["a table"]);
        assert_eq!(kinds("Run:\n\n```sh\nmake\n```\n"), ["code"]);
        assert_eq!(kinds("Steps\n1. one\n2. two\n- three\n"), ["a list"]);
        assert_eq!(kinds(&"word ".repeat(801)), ["long text"]);
        assert!(kinds("One sentence; and another.\nA third.").is_empty());
    }
}
