//! Two runs under one golden set: every query scored on both sides with the same judgments.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::golden::{GoldenSet, Query};
use crate::id::{DocumentId, DocumentPattern, Documents, QueryId, ResultId};
use crate::judgments::{Grade, Judgments};
use crate::metrics::{GradedRanking, Metric, abstained};
use crate::renaming::{Mapping, mapping};
use crate::run::{Ranking, Run};

/// What both sides are scored with.
#[derive(Clone, Copy, Debug)]
pub struct Measures<'a> {
    /// Every metric that is gated, shown or has a floor, each once.
    pub metrics: &'a [Metric],
    /// Result id to document id.
    pub documents: &'a DocumentPattern,
    /// A result scored at or below this counts as "nothing found".
    pub min_score: Option<f64>,
    /// The share of a judged passage that a result must hold, 0..=1.
    pub overlap: f64,
}

/// One side of one query.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    /// As answered, the first time.
    pub results: &'a Ranking,
    judgments: &'a Judgments,
    documents: Arc<Documents<'a>>,
    overlap: f64,
    /// One score for every metric that applies to the query, the mean over the repeats.
    pub scores: BTreeMap<Metric, f64>,
    /// The scores of each repeat, at least one.
    pub by_repeat: Vec<BTreeMap<Metric, f64>>,
    /// The pipeline found nothing, or nothing above `min_score`, every time.
    pub abstained: bool,
}

/// One query of the golden set on both sides.
#[derive(Clone, Debug)]
pub struct ComparedQuery<'a> {
    /// As the golden set has it today.
    pub query: &'a Query,
    /// `None` where the query is new since the baseline.
    pub baseline: Option<Side<'a>>,
    /// `None` where the current run does not mention the query.
    pub current: Option<Side<'a>>,
}

/// Where a relevant document or passage stood and stands; places count from 1, `None` is "not in the ranking".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The document, or the name of the passage.
    pub document: DocumentId,
    /// Its grade, above 0.
    pub grade: Grade,
    /// Its first place in the baseline.
    pub from: Option<usize>,
    /// Its first place now.
    pub to: Option<usize>,
}

/// The comparison, complete: nothing leaves it quietly.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// Every query of the golden set, by id (bytewise).
    pub queries: Vec<ComparedQuery<'a>>,
    /// Queries that only the baseline has.
    pub gone: Vec<QueryId>,
}

impl ComparedQuery<'_> {
    /// Score now − score in the baseline, where both sides have one.
    #[must_use]
    pub fn delta(&self, metric: Metric) -> Option<f64> {
        let before = self.baseline.as_ref()?.scores.get(&metric)?;
        Some(self.current.as_ref()?.scores.get(&metric)? - before)
    }

    /// The relevant documents whose place changed, by document id.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        let (Some(before), Some(now)) = (&self.baseline, &self.current) else { return Vec::new() };
        let (before, now) = (before.graded(), now.graded());
        let moves = self.query.judgments.answers().map(|(document, grade)| Move {
            from: before.place(document),
            to: now.place(document),
            document: document.clone(),
            grade,
        });
        moves.filter(|change| change.from != change.to).collect()
    }

    /// Whether both sides answered.
    #[must_use]
    pub fn is_paired(&self) -> bool {
        self.baseline.is_some() && self.current.is_some()
    }
}

impl Side<'_> {
    /// The document of every result, best first, with repeats.
    pub fn documents(&self) -> impl Iterator<Item = DocumentId> {
        self.results.iter().map(|result| self.documents.document(&result.id))
    }

    /// The results with judgments. Laid over them anew each time: the rankings of a large set take less room than what is
    /// known about each of their places.
    #[must_use]
    pub fn graded(&self) -> GradedRanking {
        GradedRanking::new(self.results, self.judgments, &self.documents, self.overlap)
    }
}

/// Scores `baseline` and `current` with today's judgments and pairs them.
#[must_use]
pub fn compare<'a>(
    golden: &'a GoldenSet,
    baseline: &'a Run,
    current: &'a Run,
    measures: Measures<'a>,
) -> Comparison<'a> {
    let results = [baseline, current].into_iter().flat_map(Run::results);
    let documents = Arc::new(Documents::new(measures.documents, results));
    let side = |query: &'a Query, run: &'a Run| score(query, run.repeats(&query.id)?, measures, &documents);
    let mut queries: Vec<ComparedQuery<'a>> = golden
        .queries
        .iter()
        .map(|query| ComparedQuery { query, baseline: side(query, baseline), current: side(query, current) })
        .collect();
    queries.sort_by(|a, b| a.query.id.cmp(&b.query.id));
    let known: BTreeSet<&QueryId> = golden.queries.iter().map(|query| &query.id).collect();
    let gone = baseline.iter().map(|(id, _)| id).filter(|id| !known.contains(id)).cloned().collect();
    Comparison { queries, gone }
}

/// Scores every repeat; the scores of the side are their means.
fn score<'a>(
    query: &'a Query,
    repeats: &'a [Ranking],
    measures: Measures<'a>,
    documents: &Arc<Documents<'a>>,
) -> Option<Side<'a>> {
    let results = repeats.first()?;
    let graded = |ranking: &Ranking| GradedRanking::new(ranking, &query.judgments, documents, measures.overlap);
    let first = graded(results);
    let mut by_repeat = vec![score_once(query, results, &first, measures)];
    by_repeat.extend(repeats[1..].iter().map(|ranking| score_once(query, ranking, &graded(ranking), measures)));
    let mut scores = by_repeat.first()?.clone();
    for (metric, score) in &mut scores {
        *score = by_repeat.iter().filter_map(|scores| scores.get(metric)).sum::<f64>() / by_repeat.len() as f64;
    }
    let abstained = repeats.iter().all(|ranking| abstained(ranking, measures.min_score));
    let (documents, overlap) = (Arc::clone(documents), measures.overlap);
    Some(Side { results, judgments: &query.judgments, documents, overlap, scores, by_repeat, abstained })
}

fn score_once(
    query: &Query,
    ranking: &Ranking,
    graded: &GradedRanking,
    measures: Measures<'_>,
) -> BTreeMap<Metric, f64> {
    if query.unanswerable {
        let score = f64::from(u8::from(abstained(ranking, measures.min_score)));
        let asked = measures.metrics.iter().filter(|metric| **metric == Metric::Abstention);
        asked.map(|metric| (*metric, score)).collect()
    } else {
        measures.metrics.iter().filter_map(|metric| Some((*metric, metric.score(graded)?))).collect()
    }
}

impl Comparison<'_> {
    /// Queries without an answer in the baseline.
    pub fn new_queries(&self) -> impl Iterator<Item = &QueryId> {
        self.queries.iter().filter(|query| query.baseline.is_none()).map(|query| &query.query.id)
    }

    /// Queries without an answer in the current run.
    pub fn missing_queries(&self) -> impl Iterator<Item = &QueryId> {
        self.queries.iter().filter(|query| query.current.is_none()).map(|query| &query.query.id)
    }

    /// What makes documents of the current results, as far as it can be told from the judged ids.
    #[must_use]
    pub fn mapping(&self) -> Option<Mapping> {
        let judged: BTreeSet<&DocumentId> =
            self.queries.iter().flat_map(|query| query.query.judgments.relevant()).map(|(id, _)| id).collect();
        let sides = self.queries.iter().filter_map(|query| query.current.as_ref());
        let results: BTreeSet<&ResultId> = sides.flat_map(|side| side.results).map(|result| &result.id).collect();
        mapping(judged.into_iter(), results.into_iter())
    }

    /// The mean score of the current side over the queries that have the metric, `None` where none has.
    #[must_use]
    pub fn current_mean(&self, metric: Metric) -> Option<f64> {
        let scores = self.queries.iter().filter_map(|query| query.current.as_ref()?.scores.get(&metric).copied());
        let scores: Vec<f64> = scores.collect();
        (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
    }

    /// An id that was judged and an id that was answered, where no judged document appears in any current answer: the
    /// two sides speak of documents in different ways. `None` where they meet, or where nothing was answered.
    #[must_use]
    pub fn foreign_ids(&self) -> Option<(&DocumentId, DocumentId)> {
        let mut answered = None;
        for query in &self.queries {
            for place in query.current.iter().flat_map(|side| side.graded().places) {
                if place.grade.is_some() {
                    return None;
                }
                answered = answered.or(Some(place.document));
            }
        }
        let judged = self.queries.iter().flat_map(|query| query.query.judgments.relevant()).next();
        Some((judged?.0, answered?))
    }
}
