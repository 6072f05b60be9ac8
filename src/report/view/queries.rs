//! The queries of a report: what each scored, where its documents moved, and why it lost.

use std::collections::BTreeMap;

use super::Context;
use crate::causes::{Diagnosis, Kind, diagnose};
use crate::comparison::{ComparedQuery, Comparison, Move, Side};
use crate::golden::PINNED;
use crate::judgments::Grade;
use crate::metrics::Metric;
use crate::report::escape::clip;
use crate::verdict::{MetricStatus, MetricVerdict, SAME, WorsePinned};

/// Unjudged results that keep their passage.
const PASSAGES: usize = 10;
/// Characters of a passage that are kept.
const PASSAGE: usize = 600;

/// One result of a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultFacts {
    /// As the pipeline returned it.
    pub id: String,
    /// The document it belongs to.
    pub document: String,
    /// What is known about it.
    pub grade: Option<u8>,
    /// A result above it is of the same document.
    pub repeat: bool,
    /// The start of the passage, where the pipeline gives it and somebody may want to read it: for what is judged, and for
    /// the first ten.
    pub text: Option<String>,
}

/// One query.
#[derive(Clone, Debug)]
pub struct QueryFacts<'a> {
    compared: &'a ComparedQuery<'a>,
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Marked as having no answer.
    pub unanswerable: bool,
    /// The line of the golden set on which its id stands, from 1.
    pub line: Option<usize>,
    /// Every judged document with its grade, by id.
    pub grades: Vec<(String, u8)>,
    /// Scores in the baseline; `None` where it is new.
    pub baseline: Option<BTreeMap<Metric, f64>>,
    /// Scores now; `None` where it was not answered.
    pub current: Option<BTreeMap<Metric, f64>>,
    /// Relevant documents that moved.
    pub moves: Vec<Move>,
    /// Why it got worse, where it did.
    pub diagnosis: Option<Diagnosis>,
}

impl QueryFacts<'_> {
    /// The ranking of the baseline; empty where the query is new. Made anew each time, as [`results`](Self::results) is:
    /// of a large set few rankings are shown, and all of them together are larger than the runs.
    #[must_use]
    pub fn before(&self) -> Vec<ResultFacts> {
        self.compared.baseline.as_ref().map_or_else(Vec::new, results)
    }

    /// The current ranking.
    #[must_use]
    pub fn results(&self) -> Vec<ResultFacts> {
        self.compared.current.as_ref().map_or_else(Vec::new, results)
    }

    /// Score now − score in the baseline, where both sides have one.
    #[must_use]
    pub fn delta(&self, metric: Metric) -> Option<f64> {
        Some(self.current.as_ref()?.get(&metric)? - self.baseline.as_ref()?.get(&metric)?)
    }
}

/// A query that lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Loser {
    /// Its place in [`super::View::queries`].
    pub query: usize,
    /// Every gated metric that changed for it: name, score before, score now.
    pub changes: Vec<(Metric, f64, f64)>,
}

/// A pinned query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// Its place in [`super::View::queries`].
    pub query: usize,
    /// Why it fails the build, a sentence; `None` where it is as good as it was.
    pub failure: Option<String>,
}

/// A query whose relevant documents are all out of reach.
#[derive(Clone, Debug, PartialEq)]
pub struct TailEntry {
    /// Its place in [`super::View::queries`].
    pub query: usize,
    /// It found something in the baseline.
    pub new: bool,
}

pub(super) fn facts<'a>(context: &Context<'_>, comparison: &'a Comparison<'a>) -> Vec<QueryFacts<'a>> {
    let corpus = context.surroundings.corpus.as_ref();
    let facts = comparison.queries.iter().map(|query| QueryFacts {
        line: context.surroundings.golden_file.lines.get(&query.query.id).copied(),
        diagnosis: diagnose(query, &context.gate.metrics, corpus),
        ..facts_of(query)
    });
    facts.collect()
}

fn facts_of<'a>(query: &'a ComparedQuery<'a>) -> QueryFacts<'a> {
    QueryFacts {
        compared: query,
        id: query.query.id.to_string(),
        text: query.query.text.clone(),
        tags: query.query.tags.clone(),
        source: query.query.source.clone(),
        unanswerable: query.query.unanswerable,
        line: None,
        grades: query.query.judgments.iter().map(|(document, grade)| (document.to_string(), grade.value())).collect(),
        baseline: query.baseline.as_ref().map(|side| side.scores.clone()),
        current: query.current.as_ref().map(|side| side.scores.clone()),
        moves: query.moves(),
        diagnosis: None,
    }
}

fn results(side: &Side<'_>) -> Vec<ResultFacts> {
    let places = side.results.iter().zip(side.graded().places);
    let facts = places.map(|(result, place)| ResultFacts {
        id: result.id.to_string(),
        document: place.document.to_string(),
        grade: place.grade.map(Grade::value),
        repeat: place.repeat,
        text: result.text.as_ref().map(|text| clip(text, PASSAGE)),
    });
    let mut facts: Vec<ResultFacts> = facts.collect();
    for result in facts.iter_mut().skip(PASSAGES).filter(|result| result.grade.is_none()) {
        result.text = None;
    }
    facts
}

/// Queries that lost, ordered by what they lost in the metric that matters most here, then over all gated metrics.
pub(super) fn losers(comparison: &Comparison<'_>, metrics: &[MetricVerdict]) -> Vec<Loser> {
    let gated: Vec<&MetricVerdict> = metrics.iter().filter(|metric| metric.gated).collect();
    let Some(first) = gated.first() else { return Vec::new() };
    let regressed = gated.iter().find(|metric| metric.status == MetricStatus::Regression);
    let leading = regressed.unwrap_or(first).metric;
    let mut losers: Vec<(f64, f64, Loser)> = Vec::new();
    for (index, query) in comparison.queries.iter().enumerate() {
        let deltas: Vec<f64> = gated.iter().filter_map(|metric| query.delta(metric.metric)).collect();
        if !deltas.iter().any(|delta| *delta < -SAME) {
            continue;
        }
        let score = |side: &Option<Side<'_>>, metric| side.as_ref()?.scores.get(&metric).copied();
        let changes = gated.iter().filter_map(|metric| {
            let (before, now) = (score(&query.baseline, metric.metric)?, score(&query.current, metric.metric)?);
            ((now - before).abs() > SAME).then_some((metric.metric, before, now))
        });
        let loser = Loser { query: index, changes: changes.collect() };
        losers.push((query.delta(leading).unwrap_or(0.0), deltas.iter().sum(), loser));
    }
    losers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    losers.into_iter().map(|(.., loser)| loser).collect()
}

/// How many queries have each cause.
pub(super) fn causes(queries: &[QueryFacts<'_>]) -> Vec<(Kind, usize)> {
    let kinds: Vec<Kind> = queries.iter().filter_map(|query| Some(query.diagnosis.as_ref()?.cause.kind())).collect();
    let counted = Kind::ALL.map(|kind| (kind, kinds.iter().filter(|own| **own == kind).count()));
    counted.into_iter().filter(|(_, count)| *count > 0).collect()
}

pub(super) fn pinned(comparison: &Comparison<'_>, worse: &[WorsePinned]) -> Vec<Pinned> {
    let pinned = comparison.queries.iter().enumerate().filter(|(_, query)| query.is_paired());
    pinned
        .filter(|(_, query)| query.query.tags.iter().any(|tag| tag == PINNED))
        .map(|(index, query)| {
            let failure = worse.iter().find(|worse| worse.query == query.query.id).map(WorsePinned::sentence);
            Pinned { query: index, failure }
        })
        .collect()
}

pub(super) fn tail(comparison: &Comparison<'_>, depth: usize) -> Vec<TailEntry> {
    let recall = Metric::Recall(depth);
    // A query that finds something in one of several repeats is not in the tail.
    let finds = |side: &Side<'_>| match side.scores.get(&recall) {
        Some(score) => *score > 0.0,
        None => side.graded().found_in(depth) > 0,
    };
    let answerable = comparison.queries.iter().enumerate().filter(|(_, query)| !query.query.unanswerable);
    answerable
        .filter(|(_, query)| query.current.as_ref().is_some_and(|side| !finds(side)))
        .map(|(index, query)| TailEntry { query: index, new: query.baseline.as_ref().is_some_and(finds) })
        .collect()
}
