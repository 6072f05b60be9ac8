//! The one model that every report renders: facts ready to print, not yet escaped for any format.

use std::collections::BTreeMap;
use std::path::Path;

use crate::advice;
use crate::baseline::Provenance;
use crate::comparison::{ComparedQuery, Comparison, Move, Side};
use crate::config::GateConfig;
use crate::golden::{GoldenSet, digest};
use crate::metrics::Metric;
use crate::verdict::{Floor, MetricStatus, MetricVerdict, SAME, Slice, Status, Verdict};

/// The frozen set, as a report names it.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldenFacts {
    /// `sha256:…` over queries and judgments.
    pub digest: String,
    /// All queries.
    pub queries: usize,
    /// Those with an answer.
    pub answerable: usize,
    /// Those marked as having none.
    pub unanswerable: usize,
    /// Whether queries or judgments differ from those the baseline was measured with; `None` where nobody knows.
    pub changed_since_baseline: Option<bool>,
}

/// Where the baseline comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BaselineFacts {
    /// As the user wrote it.
    pub path: String,
    /// The commit it was measured at.
    pub commit: Option<String>,
    /// When, RFC 3339; `None` for a run that is no baseline.
    pub created: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

impl BaselineFacts {
    /// The facts of a committed baseline.
    #[must_use]
    pub fn new(path: &Path, provenance: &Provenance) -> Self {
        Self {
            path: path.display().to_string(),
            commit: provenance.commit.clone(),
            created: Some(provenance.created.clone()),
            reason: Some(provenance.reason.clone()),
        }
    }
}

/// How it was tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestFacts {
    /// Accepted rate of false alarms.
    pub alpha: f64,
    /// The least drop that fails, a fraction.
    pub min_drop: f64,
    /// Resamples on which the numbers rest.
    pub resamples: usize,
    /// Seed of the resampling.
    pub seed: u64,
}

/// One result of the current run.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultFacts {
    /// As the pipeline returned it.
    pub id: String,
    /// The document it belongs to.
    pub document: String,
    /// What is known about it.
    pub grade: Option<u8>,
}

/// One query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryFacts {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Scores in the baseline; `None` where it is new.
    pub baseline: Option<BTreeMap<Metric, f64>>,
    /// Scores now; `None` where it was not answered.
    pub current: Option<BTreeMap<Metric, f64>>,
    /// The current ranking.
    pub results: Vec<ResultFacts>,
    /// Relevant documents that moved.
    pub moves: Vec<Move>,
}

/// A query that lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Loser {
    /// Its place in [`View::queries`].
    pub query: usize,
    /// Every gated metric that changed for it: name, score before, score now.
    pub changes: Vec<(Metric, f64, f64)>,
}

/// A query whose relevant documents are all out of reach.
#[derive(Clone, Debug, PartialEq)]
pub struct TailEntry {
    /// Its place in [`View::queries`].
    pub query: usize,
    /// It found something in the baseline.
    pub new: bool,
}

/// All that a report may show.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The version of recall-gate.
    pub tool_version: String,
    /// The verdict.
    pub status: Status,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
    /// What it means and what to do.
    pub advice: String,
    /// What else a reader should know, a sentence each.
    pub warnings: Vec<String>,
    /// The golden set.
    pub golden: GoldenFacts,
    /// The baseline, where there is one.
    pub baseline: Option<BaselineFacts>,
    /// The test.
    pub test: TestFacts,
    /// Gated metrics first.
    pub metrics: Vec<MetricVerdict>,
    /// Tags and sources.
    pub slices: Vec<Slice>,
    /// Floors, kept or broken.
    pub floors: Vec<Floor>,
    /// Every query, by id.
    pub queries: Vec<QueryFacts>,
    /// Those that lost in a gated metric, the worst first.
    pub losers: Vec<Loser>,
    /// Answerable queries with nothing relevant in reach, by id.
    pub tail: Vec<TailEntry>,
    /// How many results "in reach" means.
    pub tail_depth: usize,
    /// How much the pipeline disagrees with itself; `None` where either side was asked once.
    pub repeats: Option<Repeats>,
    /// The last lines of a failed pipeline's standard error.
    pub stderr_tail: Option<String>,
}

/// What surrounds a comparison.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The frozen set.
    pub golden: &'a GoldenSet,
    /// Where the baseline comes from.
    pub baseline: Option<BaselineFacts>,
    /// The digest that the baseline was measured with.
    pub baseline_digest: Option<&'a str>,
    /// The gate's settings.
    pub gate: &'a GateConfig,
    /// Results asked for per query.
    pub depth: usize,
}

impl View {
    /// The view of a finished comparison.
    #[must_use]
    pub fn new(context: &Context<'_>, comparison: &Comparison<'_>, verdict: Verdict) -> Self {
        let tail_depth = reach(context);
        let metrics = &verdict.metrics;
        let mut view = Self::blank(context);
        view.status = verdict.status;
        view.losers = losers(comparison, metrics);
        view.tail = tail(comparison, tail_depth);
        view.queries = comparison.queries.iter().map(query_facts).collect();
        view.repeats = repeats(comparison, context.gate);
        view.test.resamples = verdict.resamples;
        view.advice = advice::advice(verdict.status, metrics);
        view.reasons = verdict.reasons;
        view.warnings = verdict.warnings;
        view.metrics = verdict.metrics;
        view.slices = verdict.slices;
        view.floors = verdict.floors;
        view
    }

    /// The view of a measurement that failed: there is nothing but the reason.
    #[must_use]
    pub fn failed(context: &Context<'_>, reason: String, stderr_tail: Option<String>) -> Self {
        Self { reasons: vec![reason], stderr_tail, ..Self::blank(context) }
    }

    fn blank(context: &Context<'_>) -> Self {
        let answerable = context.golden.answerable().count();
        let digest = digest::digest(context.golden);
        Self {
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            status: Status::CouldNotMeasure,
            reasons: Vec::new(),
            advice: advice::advice(Status::CouldNotMeasure, &[]),
            warnings: Vec::new(),
            golden: GoldenFacts {
                queries: context.golden.queries.len(),
                answerable,
                unanswerable: context.golden.queries.len() - answerable,
                changed_since_baseline: context.baseline_digest.map(|known| known != digest),
                digest,
            },
            baseline: context.baseline.clone(),
            test: TestFacts {
                alpha: context.gate.alpha,
                min_drop: context.gate.min_drop,
                resamples: context.gate.resamples,
                seed: context.gate.seed,
            },
            metrics: Vec::new(),
            slices: Vec::new(),
            floors: Vec::new(),
            queries: Vec::new(),
            losers: Vec::new(),
            tail: Vec::new(),
            tail_depth: reach(context),
            repeats: None,
            stderr_tail: None,
        }
    }
}

/// What the repeats of a pipeline say of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeats {
    /// Times asked in the baseline.
    pub baseline: usize,
    /// Times asked now.
    pub current: usize,
    /// Queries whose scores differ between the repeats now.
    pub restless: usize,
    /// Gated metrics with the distance between the best and the worst mean of a repeat now, a fraction.
    pub spread: Vec<(Metric, f64)>,
}

fn repeats(comparison: &Comparison<'_>, gate: &GateConfig) -> Option<Repeats> {
    let times = |side: fn(&ComparedQuery<'_>) -> Option<usize>| comparison.queries.iter().filter_map(side).max();
    let baseline = times(|query| Some(query.baseline.as_ref()?.by_repeat.len()))?;
    let current = times(|query| Some(query.current.as_ref()?.by_repeat.len()))?;
    if baseline.max(current) == 1 {
        return None;
    }
    let sides = || comparison.queries.iter().filter_map(|query| query.current.as_ref());
    let spread = gate.metrics.iter().filter_map(|metric| {
        let mean = |repeat: usize| {
            let scores: Vec<f64> =
                sides().filter_map(|side| side.by_repeat.get(repeat)?.get(metric).copied()).collect();
            (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
        };
        let means: Vec<f64> = (0..current).filter_map(mean).collect();
        let (low, high) = means.iter().fold((1.0, 0.0), |(low, high), mean| (mean.min(low), mean.max(high)));
        (!means.is_empty()).then_some((*metric, high - low))
    });
    let restless = sides().filter(|side| side.by_repeat.windows(2).any(|pair| pair[0] != pair[1])).count();
    Some(Repeats { baseline, current, restless, spread: spread.collect() })
}

/// The tail is about the first gated recall; without one, about everything that was asked for.
fn reach(context: &Context<'_>) -> usize {
    let recall = context.gate.metrics.iter().find_map(|metric| match metric {
        Metric::Recall(k) => Some(*k),
        _ => None,
    });
    recall.unwrap_or(context.depth)
}

fn query_facts(query: &ComparedQuery<'_>) -> QueryFacts {
    let results = query.current.as_ref().map_or_else(Vec::new, |side| {
        let places = side.results.iter().zip(&side.graded.places);
        let facts = places.map(|(result, place)| ResultFacts {
            id: result.id.to_string(),
            document: place.document.to_string(),
            grade: place.grade.map(crate::judgments::Grade::value),
        });
        facts.collect()
    });
    QueryFacts {
        id: query.query.id.to_string(),
        text: query.query.text.clone(),
        tags: query.query.tags.clone(),
        baseline: query.baseline.as_ref().map(|side| side.scores.clone()),
        current: query.current.as_ref().map(|side| side.scores.clone()),
        results,
        moves: query.moves(),
    }
}

/// Queries that lost, ordered by what they lost in the metric that matters most here, then over all gated metrics.
fn losers(comparison: &Comparison<'_>, metrics: &[MetricVerdict]) -> Vec<Loser> {
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

fn tail(comparison: &Comparison<'_>, depth: usize) -> Vec<TailEntry> {
    let recall = Metric::Recall(depth);
    // A query that finds something in one of several repeats is not in the tail.
    let finds = |side: &Side<'_>| match side.scores.get(&recall) {
        Some(score) => *score > 0.0,
        None => side.graded.found_in(depth) > 0,
    };
    let answerable = comparison.queries.iter().enumerate().filter(|(_, query)| !query.query.unanswerable);
    answerable
        .filter(|(_, query)| query.current.as_ref().is_some_and(|side| !finds(side)))
        .map(|(index, query)| TailEntry { query: index, new: query.baseline.as_ref().is_some_and(finds) })
        .collect()
}
