//! Finds the `document_id` pattern that a pipeline's result ids seem to need.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeMap;

use crate::id::{DocumentId, ResultId};

/// More ids than this show nothing new.
const LOOKED_AT: usize = 500;

/// A pattern with an id that it maps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// A regular expression for `document_id`.
    pub pattern: String,
    /// A result as the pipeline returns it.
    pub result: ResultId,
    /// The judged document that the pattern makes of it.
    pub document: DocumentId,
}

impl Mapping {
    /// What to write, with the example.
    #[must_use]
    pub fn remedy(&self) -> String {
        format!(
            "`document_id: '{}'` would make the judged `{}` of the result `{}`",
            self.pattern.replace('\'', "''"),
            self.document,
            self.result
        )
    }
}

/// What stands around a judged id in a result id: the text before it, and how the text behind it begins.
type Surroundings<'a> = (&'a str, Option<char>);

/// The pattern that most judged ids speak for, `None` where too few are part of any result id.
#[must_use]
pub fn mapping<'a>(
    judged: impl Iterator<Item = &'a DocumentId>,
    results: impl Iterator<Item = &'a ResultId>,
) -> Option<Mapping> {
    let judged: Vec<&DocumentId> = judged.take(LOOKED_AT).collect();
    let results: Vec<&ResultId> = results.take(LOOKED_AT).collect();
    let mut votes: BTreeMap<Surroundings<'_>, Vec<(&ResultId, &DocumentId)>> = BTreeMap::new();
    for document in &judged {
        let around = results.iter().filter_map(|result| {
            let (before, behind) = result.as_str().split_once(document.as_str())?;
            Some(((before, behind.chars().next()), *result))
        });
        for (surroundings, result) in around {
            votes.entry(surroundings).or_default().push((result, document));
        }
    }
    let ((before, behind), votes) = votes.into_iter().max_by_key(|(_, votes)| votes.len())?;
    let documents = votes.iter().map(|(_, document)| document).collect::<std::collections::BTreeSet<_>>().len();
    let is_inside = |character: char| judged.iter().any(|document| document.as_str().contains(character));
    let before = regex::escape(before);
    let pattern = match behind {
        None => format!("^{before}(.+)$"),
        Some(character) if !is_inside(character) => {
            // The few characters that mean something between brackets.
            let escape = if "\\]^-[&~".contains(character) { "\\" } else { "" };
            format!("^{before}([^{escape}{character}]+)")
        }
        Some(_) => return None,
    };
    let (result, document) = votes.first()?;
    // One or two may be chance.
    (documents >= 3.min(judged.len())).then(|| Mapping {
        pattern,
        result: (*result).clone(),
        document: (*document).clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(judged: &[&str], results: &[&str]) -> Option<String> {
        let judged: Vec<DocumentId> = judged.iter().map(|id| DocumentId::new(*id)).collect();
        let results: Vec<ResultId> = results.iter().map(|id| ResultId::new(*id)).collect();
        mapping(judged.iter(), results.iter()).map(|mapping| mapping.pattern)
    }

    #[test]
    fn chunks_paths_and_prefixes_are_recognised() {
        let judged = ["returns", "en/faq", "shipping"];
        assert_eq!(pattern(&judged, &["returns#1", "en/faq#12", "shipping#2", "x"]).unwrap(), "^([^#]+)");
        assert_eq!(pattern(&judged, &["v2:returns", "v2:en/faq", "v2:shipping"]).unwrap(), "^v2:(.+)$");
        assert_eq!(pattern(&judged, &["d/returns.md", "d/en/faq.md", "d/shipping.md"]).unwrap(), "^d/([^.]+)");
    }

    #[test]
    fn chance_is_no_mapping() {
        assert_eq!(pattern(&["a", "b", "c"], &["x1", "y2"]), None);
        assert_eq!(pattern(&["aa", "bb", "cc"], &["x-aa-1", "unrelated"]), None);
        assert_eq!(pattern(&[], &[]), None);
    }

    #[test]
    fn what_is_suggested_works() {
        let judged = ["a-1", "b-1", "c-1"];
        let results = ["docs/a-1#p/3", "docs/b-1#p/4", "docs/c-1#p/5"];
        let documents =
            crate::id::DocumentPattern::new(regex::Regex::new(&pattern(&judged, &results).unwrap()).unwrap());
        for (result, wanted) in results.iter().zip(judged) {
            assert_eq!(documents.document(&ResultId::new(*result)).as_str(), wanted);
        }
    }
}
