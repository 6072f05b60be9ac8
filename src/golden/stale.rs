//! Labels of documents that are not there.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::{BTreeMap, BTreeSet};

use super::GoldenSet;
use crate::id::DocumentId;
use crate::verdict::counted;

/// Documents that are spelled out.
const NAMED: usize = 5;

/// A sentence on judged documents that `corpus` does not have, with the new name each may have now; `None` where all are
/// there.
#[must_use]
pub fn stale_labels(golden: &GoldenSet, corpus: &BTreeSet<DocumentId>) -> Option<String> {
    let mut gone: BTreeMap<&DocumentId, usize> = BTreeMap::new();
    for document in labels(golden) {
        if !corpus.contains(document) {
            *gone.entry(document).or_default() += 1;
        }
    }
    if gone.is_empty() {
        return None;
    }
    let judged: BTreeSet<&DocumentId> = labels(golden).collect();
    let free: Vec<&DocumentId> = corpus.iter().filter(|document| !judged.contains(document)).collect();
    let named = gone.keys().take(NAMED).map(|document| match likely(document, &free) {
        Some(now) => format!("`{document}` (now `{now}`?)"),
        None => format!("`{document}`"),
    });
    let named = named.collect::<Vec<_>>().join(", ");
    let more = if gone.len() > NAMED { format!(" and {} more", gone.len() - NAMED) } else { String::new() };
    Some(format!(
        "Judged, but not in the corpus: {}, with {}: {named}{more}. Labels that point at nothing look like \
         lost quality; `recall-gate golden rename OLD NEW` mends those of a document that was renamed.",
        counted(gone.len(), "document", "documents"),
        counted(gone.values().sum(), "label", "labels")
    ))
}

/// The document of every label.
fn labels(golden: &GoldenSet) -> impl Iterator<Item = &DocumentId> {
    golden.queries.iter().flat_map(|query| {
        let passages = query.judgments.passages().iter().filter_map(|passage| passage.document.as_ref());
        query.judgments.iter().map(|(document, _)| document).chain(passages)
    })
}

/// The document that nobody judged and that has the same last name, or nearly the same id.
fn likely<'a>(gone: &DocumentId, free: &[&'a DocumentId]) -> Option<&'a DocumentId> {
    let last = |id: &DocumentId| id.as_str().rsplit('/').next().unwrap_or_default().to_owned();
    let by_name: Vec<&&DocumentId> = free.iter().filter(|id| last(id) == last(gone)).collect();
    if let [only] = by_name.as_slice() {
        return Some(**only);
    }
    let likeness = |id: &DocumentId| strsim::normalized_damerau_levenshtein(id.as_str(), gone.as_str());
    let near = free.iter().map(|id| (likeness(id), *id)).filter(|(likeness, _)| *likeness >= 0.8);
    near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renamed_document_is_recognised_and_a_lost_one_is_named() {
        let text = "queries:\n- {id: a, text: t, grades: {en/returns: 2, lost: 1, faq: 1}}\n- {id: b, text: t, grades: {en/returns: 1}}\n";
        let golden = crate::golden::read::parse(text, std::path::Path::new("q.yaml")).unwrap();
        let corpus = |ids: &[&str]| ids.iter().map(|id| DocumentId::new(*id)).collect::<BTreeSet<_>>();
        let said = stale_labels(&golden, &corpus(&["help/returns", "faq", "other"])).unwrap();
        assert!(said.contains("2 documents, with 3 labels: `en/returns` (now `help/returns`?), `lost`."), "{said}");
        assert_eq!(stale_labels(&golden, &corpus(&["en/returns", "faq", "lost", "x"])), None);
    }
}
