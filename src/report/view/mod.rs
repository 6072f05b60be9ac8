//! The one model that every report renders: facts ready to print, not yet escaped for any format.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::advice;
use crate::baseline::Provenance;
use crate::baseline::history::Entry;
use crate::causes::Kind;
use crate::comparison::{ComparedQuery, Comparison, Measures, compare};
use crate::config::GateConfig;
use crate::golden::{GoldenSet, digest};
use crate::id::{DocumentId, DocumentPattern, QueryId};
use crate::metrics::Metric;
use crate::passage::OVERLAP;
use crate::run::Run;
use crate::tail::{self, Analysis, Texts};
use crate::verdict::{Floor, MetricVerdict, Slice, Status, Verdict};

mod depths;
mod queries;

pub use depths::Depth;
pub use queries::{Loser, Pinned, QueryFacts, ResultFacts, TailEntry};

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
    /// Where its file is.
    pub file: GoldenFile,
}

/// Where the golden set can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoldenFile {
    /// Relative to the repository, with `/`; empty where nobody said.
    pub path: String,
    /// Its page on a forge, to which `#L12` can be added; `None` outside one.
    pub url: Option<String>,
    /// The line of every query, from 1.
    pub lines: BTreeMap<QueryId, usize>,
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

/// All that a report may show.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The version of recall-gate.
    pub tool_version: String,
    /// The verdict.
    pub status: Status,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
    /// What it means and what to do.
    pub advice: String,
    /// What to work on next, the most urgent first.
    pub steps: Vec<advice::Step>,
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
    pub queries: Vec<QueryFacts<'a>>,
    /// Those that lost in a gated metric, the worst first.
    pub losers: Vec<Loser>,
    /// How many of those that lost have each cause, in the order of [`Kind::ALL`]; only causes that some have.
    pub causes: Vec<(Kind, usize)>,
    /// Every pinned query that both sides answered, by id.
    pub pinned: Vec<Pinned>,
    /// Answerable queries with nothing relevant in reach, by id.
    pub tail: Vec<TailEntry>,
    /// How many results "in reach" means.
    pub tail_depth: usize,
    /// Mean recall by the number of results looked at, over the answerable queries of both sides.
    pub depths: Vec<Depth>,
    /// What failing queries have in common.
    pub analysis: Analysis,
    /// The updates of the baseline, the oldest first.
    pub history: Vec<Entry>,
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
    /// What somebody looked up.
    pub surroundings: Surroundings,
}

/// What a report knows beside the comparison; all of it may be missing.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Where the golden set is.
    pub golden_file: GoldenFile,
    /// Every document, where that is known.
    pub corpus: Option<BTreeSet<DocumentId>>,
    /// The updates of the baseline, the oldest first.
    pub history: Vec<Entry>,
    /// The documents themselves.
    pub texts: Texts,
    /// What the embedded search answers on the same corpus.
    pub floor: Option<Run>,
}

impl<'a> View<'a> {
    /// The view of a finished comparison.
    #[must_use]
    pub fn new(context: &Context<'_>, comparison: &'a Comparison<'a>, verdict: Verdict) -> Self {
        let tail_depth = reach(context);
        let metrics = &verdict.metrics;
        let mut view = Self::blank(context);
        view.status = verdict.status;
        view.queries = queries_of(context, comparison);
        view.losers = queries::losers(comparison, metrics);
        view.causes = queries::causes(&view.queries);
        view.pinned = queries::pinned(comparison, &verdict.pinned);
        view.tail = queries::tail(comparison, tail_depth);
        view.analysis = tail::analyse(comparison, tail_depth, &context.gate.metrics, &context.surroundings.texts);
        view.steps = advice::steps(&level(context, comparison));
        view.depths = depths::depths(comparison, context.depth);
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
            steps: Vec::new(),
            warnings: Vec::new(),
            golden: GoldenFacts {
                queries: context.golden.queries.len(),
                answerable,
                unanswerable: context.golden.queries.len() - answerable,
                changed_since_baseline: context.baseline_digest.map(|known| known != digest),
                digest,
                file: context.surroundings.golden_file.clone(),
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
            causes: Vec::new(),
            pinned: Vec::new(),
            tail: Vec::new(),
            tail_depth: reach(context),
            depths: Vec::new(),
            analysis: Analysis::default(),
            history: context.surroundings.history.clone(),
            repeats: None,
            stderr_tail: None,
        }
    }
}

/// What a report says of each query.
#[must_use]
pub fn queries_of<'a>(context: &Context<'_>, comparison: &'a Comparison<'a>) -> Vec<QueryFacts<'a>> {
    queries::facts(context, comparison)
}

/// How good the current side is, and the embedded search beside it.
fn level(context: &Context<'_>, comparison: &Comparison<'_>) -> advice::Level {
    let floor = context.surroundings.floor.as_ref();
    let documents = DocumentPattern::default();
    let measures = Measures { metrics: &[], documents: &documents, min_score: None, overlap: OVERLAP };
    let floor = floor.map(|floor| compare(context.golden, floor, floor, measures));
    advice::Level::new(comparison, context.depth, floor.as_ref())
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
