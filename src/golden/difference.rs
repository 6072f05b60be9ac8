//! What an edit of the golden set changed.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::{BTreeMap, BTreeSet};

use super::{GoldenSet, Query};
use crate::id::{DocumentId, QueryId};
use crate::judgments::Grade;

/// The edits from one set to another; tags other than `pinned`, and sources, are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Queries that only the new set has.
    pub added: Vec<QueryId>,
    /// Queries that only the old set has.
    pub removed: Vec<QueryId>,
    /// Queries of both sets with what changed, a few words each.
    pub edited: Vec<(QueryId, Vec<String>)>,
}

impl Difference {
    /// Compares two sets; queries come in the order of their set.
    #[must_use]
    pub fn between(old: &GoldenSet, new: &GoldenSet) -> Self {
        let only = |set: &GoldenSet, other: &GoldenSet| {
            set.queries.iter().map(|query| &query.id).filter(|id| other.query(id).is_none()).cloned().collect()
        };
        let edited = new.queries.iter().filter_map(|query| {
            let changes = changes(old.query(&query.id)?, query);
            (!changes.is_empty()).then(|| (query.id.clone(), changes))
        });
        Self { added: only(new, old), removed: only(old, new), edited: edited.collect() }
    }

    /// Whether the sets decide alike.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.edited.is_empty()
    }
}

/// Documents and passages with their grades.
fn grades(query: &Query) -> BTreeMap<&DocumentId, Grade> {
    let passages = query.judgments.passages().iter().map(|passage| (&passage.name, passage.grade));
    query.judgments.iter().chain(passages).collect()
}

fn changes(old: &Query, new: &Query) -> Vec<String> {
    let mut changes = Vec::new();
    if old.text != new.text {
        changes.push("text".to_owned());
    }
    if old.unanswerable != new.unanswerable {
        changes.push(if new.unanswerable { "now unanswerable" } else { "now answerable" }.to_owned());
    }
    if old.is_pinned() != new.is_pinned() {
        changes.push(if new.is_pinned() { "now pinned" } else { "no longer pinned" }.to_owned());
    }
    let (before, now) = (grades(old), grades(new));
    let judged: BTreeSet<&DocumentId> = before.keys().chain(now.keys()).copied().collect();
    for document in judged {
        let word =
            |grade: Option<&Grade>| grade.map_or_else(|| "unjudged".to_owned(), |grade| grade.value().to_string());
        let (before, now) = (before.get(document), now.get(document));
        if before != now {
            changes.push(format!("`{document}` {} → {}", word(before), word(now)));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edit_that_decides_is_named() {
        let parse = |text: &str| crate::golden::read::parse(text, std::path::Path::new("q.yaml")).unwrap();
        let old = parse(
            "queries:\n- {id: a, text: t, grades: {x: 1, y: 0}}\n- {id: b, text: t, unanswerable: true}\n- {id: c, text: t, grades: {x: 1}}\n",
        );
        let new = parse(
            "queries:\n- {id: a, text: u, tags: [pinned, hard], grades: {x: 2, z: 1}}\n- {id: b, text: t, grades: {q: 1}}\n- {id: d, text: t, grades: {x: 1}}\n",
        );
        let difference = Difference::between(&old, &new);
        assert_eq!((difference.added[0].as_str(), difference.removed[0].as_str()), ("d", "c"));
        assert_eq!(difference.edited[0].1, ["text", "now pinned", "`x` 1 → 2", "`y` 0 → unjudged", "`z` unjudged → 1"]);
        assert_eq!(difference.edited[1].1, ["now answerable", "`q` unjudged → 1"]);
        assert!(Difference::between(&old, &old).is_empty());
    }
}
