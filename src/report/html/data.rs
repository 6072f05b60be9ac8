//! The rankings for the script: every id once, a place as two numbers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::super::escape::{clip, terminal_line};
use super::super::view::{QueryFacts, ResultFacts, View};
use super::super::words;
use super::queries::{change, labels, order};
use crate::verdict::points;

/// Characters of a passage.
const PASSAGE: usize = 240;
/// Bytes of all passages: with more, a page would be slow to open.
const PASSAGES: usize = 400_000;

/// Places of all rankings together, of either side: a page of a thousand queries must open at once. Of deeper rankings
/// the first places are shown, of each as many.
const PLACES: usize = 25_000;
/// So many places are shown of each ranking however many there are.
const LEAST_PLACES: usize = 10;

/// As JSON in which nothing ends a script or is a command of a log.
pub(super) fn json(view: &View<'_>) -> String {
    let mut ids = Ids::default();
    let most = (PLACES / view.queries.len().max(1)).max(LEAST_PLACES);
    let tail: BTreeSet<usize> = view.tail.iter().map(|entry| entry.query).collect();
    let queries: Vec<Value> = order(view)
        .into_iter()
        .map(|index| {
            let query = &view.queries[index];
            let (before, now) = (query.before(), query.results());
            json!({
                "tags": labels(query).map(terminal_line).collect::<Vec<_>>(),
                "change": change(view, query),
                "tail": tail.contains(&index),
                "notes": notes(view, query),
                "before": ids.ranking(&before, most),
                "before_count": before.len(),
                "now": ids.ranking(&now, most),
                "now_count": now.len(),
            })
        })
        .collect();
    let data = json!({
        "ids": ids.names,
        "documents": ids.documents,
        "texts": ids.texts,
        "queries": queries,
    });
    data.to_string().replace('<', "\\u003c").replace("##[", "##\\u005b")
}

/// What is said above the two rankings: why it lost, and its scores.
fn notes(view: &View<'_>, query: &QueryFacts<'_>) -> Vec<String> {
    let scores = view.metrics.iter().filter(|metric| metric.gated).filter_map(|metric| {
        let (before, now) =
            (query.baseline.as_ref()?.get(&metric.metric)?, query.current.as_ref()?.get(&metric.metric)?);
        Some(format!("{} {} → {}", metric.metric, points(*before), points(*now)))
    });
    let scores = scores.collect::<Vec<_>>().join(", ");
    let notes = words::diagnosis(query).into_iter().chain(Some(scores).filter(|scores| !scores.is_empty()));
    notes.map(|note| terminal_line(&note)).collect()
}

#[derive(Default)]
struct Ids {
    known: BTreeMap<String, usize>,
    names: Vec<String>,
    /// The number of the document of each id.
    documents: Vec<usize>,
    document_numbers: BTreeMap<String, usize>,
    texts: Map<String, Value>,
    text_bytes: usize,
}

impl Ids {
    fn ranking(&mut self, ranking: &[ResultFacts], most: usize) -> Vec<i64> {
        ranking.iter().take(most).flat_map(|result| [self.id(result), result.grade.map_or(-1, i64::from)]).collect()
    }

    #[expect(clippy::cast_possible_wrap, reason = "a count of ids, far below 2^63")]
    fn id(&mut self, result: &ResultFacts) -> i64 {
        let next = self.names.len();
        let id = *self.known.entry(result.id.clone()).or_insert(next);
        if id == next {
            let documents = self.document_numbers.len();
            self.documents.push(*self.document_numbers.entry(result.document.clone()).or_insert(documents));
            self.names.push(terminal_line(&result.id));
        }
        let key = id.to_string();
        if let Some(text) = result.text.as_ref().filter(|_| !self.texts.contains_key(&key)) {
            let text = clip(&terminal_line(text), PASSAGE);
            if self.text_bytes + text.len() <= PASSAGES {
                self.text_bytes += text.len();
                self.texts.insert(key, text.into());
            }
        }
        id as i64
    }
}
