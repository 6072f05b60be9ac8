//! The three kinds of identifier, kept apart by type so that a chunk is never compared with a document.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use regex::Regex;
use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps `text` as it is; readers of files reject empty ids before they get here.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The identifier as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// Identifies a query of the golden set.
    QueryId
);
text_id!(
    /// Identifies what a pipeline returned, often a chunk such as `returns-policy#3`.
    ResultId
);
text_id!(
    /// Identifies what judgments are about.
    DocumentId
);

/// How a document id is read out of a result id (`document_id` in the configuration).
#[derive(Clone, Debug, Default)]
pub struct DocumentPattern(Option<Regex>);

impl DocumentPattern {
    /// Reads the document id from the first group of `pattern`, or from the whole match where there is no group.
    #[must_use]
    pub fn new(pattern: Regex) -> Self {
        Self(Some(pattern))
    }

    /// The document that `result` belongs to: the result id itself where there is no pattern or it does not match.
    #[must_use]
    pub fn document(&self, result: &ResultId) -> DocumentId {
        let matched = self.0.as_ref().and_then(|pattern| {
            let captures = pattern.captures(result.as_str())?;
            captures.get(1).or_else(|| captures.get(0))
        });
        match matched {
            Some(part) if !part.is_empty() => DocumentId::new(part.as_str()),
            _ => DocumentId(Arc::clone(&result.0)),
        }
    }
}

/// The documents of results: each result is mapped once, and each document is one piece of memory, since a run names the
/// same ones over and over.
#[derive(Clone, Debug)]
pub struct Documents<'a> {
    pattern: &'a DocumentPattern,
    of: BTreeMap<ResultId, DocumentId>,
}

impl<'a> Documents<'a> {
    /// Maps `results` with `pattern`.
    #[must_use]
    pub fn new<'r>(pattern: &'a DocumentPattern, results: impl Iterator<Item = &'r ResultId>) -> Self {
        let mut documents = Self { pattern, of: BTreeMap::new() };
        // Without a pattern a result is its document.
        if pattern.0.is_some() {
            let mut known = BTreeSet::new();
            for result in results {
                documents.learn(result, &mut known);
            }
        }
        documents
    }

    fn learn(&mut self, result: &ResultId, known: &mut BTreeSet<DocumentId>) {
        if self.of.contains_key(result) {
            return;
        }
        let document = self.pattern.document(result);
        let document = if let Some(known) = known.get(&document) {
            known.clone()
        } else {
            known.insert(document.clone());
            document
        };
        self.of.insert(result.clone(), document);
    }

    /// The document that `result` belongs to.
    #[must_use]
    pub fn document(&self, result: &ResultId) -> DocumentId {
        self.of.get(result).cloned().unwrap_or_else(|| self.pattern.document(result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(pattern: &str, result: &str) -> String {
        let pattern = DocumentPattern::new(Regex::new(pattern).unwrap());
        pattern.document(&ResultId::new(result)).to_string()
    }

    #[test]
    fn first_group_then_whole_match_then_the_id_itself() {
        assert_eq!(document("^([^#]+)", "returns#3"), "returns");
        assert_eq!(document("^[a-z]+", "returns#3"), "returns");
        assert_eq!(document("^x-(.*)", "returns#3"), "returns#3");
        assert_eq!(document("^x?", "returns#3"), "returns#3", "an empty match names no document");
    }
}
