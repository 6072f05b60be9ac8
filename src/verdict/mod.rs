//! From a comparison to a verdict: the only place where the domain and the statistics meet.
//!
//! [`decide`] is the rule; the files beside it hold the reasons other than a significant drop.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeSet;

use crate::comparison::{ComparedQuery, Comparison};
use crate::config::GateConfig;
use crate::exit::ExitStatus;
use crate::golden::PINNED;
use crate::metrics::Metric;
use crate::statistics::{self, Candidate, Deltas, Outcome, Sample, Stream};

mod absolute;
mod fitness;
mod metric;
mod words;

pub use absolute::{Floor, WorsePinned};
pub use metric::{MetricStatus, MetricVerdict, metric_status};
pub use words::points;

/// Fewer compared queries than this cannot carry a verdict.
pub const FEWEST_QUERIES: usize = 20;
/// Fewer than this are judged with a warning.
pub const FEW_QUERIES: usize = 30;
/// The least unanswerable queries for `abstention` to be gated.
pub const FEWEST_UNANSWERABLE: usize = 10;
/// Scores closer than this are the same; also the unit in which deltas are summed.
pub const SAME: f64 = 1e-9;

/// The three ways a run can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No drop shown.
    Pass,
    /// A significant drop of at least `min_drop`, a floor broken, or a pinned query worse.
    Regression,
    /// Nothing can be said.
    CouldNotMeasure,
}

impl From<Status> for ExitStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Pass => Self::Pass,
            Status::Regression => Self::Regression,
            Status::CouldNotMeasure => Self::CannotJudge,
        }
    }
}

/// Part of the golden set, by tag or by source; reported, outside the correction.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// `tag NAME` or `source NAME`.
    pub name: String,
    /// Compared queries in it, unanswerable ones included.
    pub queries: usize,
    /// The gated metrics over these queries alone.
    pub metrics: Vec<MetricVerdict>,
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What decides the exit code.
    pub status: Status,
    /// Why, a sentence each; never empty.
    pub reasons: Vec<String>,
    /// What a reader should know beside it, a sentence each.
    pub warnings: Vec<String>,
    /// Gated metrics in the order of the configuration, then those that are only shown.
    pub metrics: Vec<MetricVerdict>,
    /// By tag, then by source.
    pub slices: Vec<Slice>,
    /// Every floor, kept or broken.
    pub floors: Vec<Floor>,
    /// Pinned queries that got worse.
    pub pinned: Vec<WorsePinned>,
    /// Resamples on which the numbers rest.
    pub resamples: usize,
}

/// Decides whether `comparison` shows a regression.
///
/// `shown` are metrics that are reported and never gate.
#[must_use]
pub fn decide(comparison: &Comparison<'_>, gate: &GateConfig, shown: &[Metric]) -> Verdict {
    let queries: Vec<&ComparedQuery<'_>> = comparison.queries.iter().filter(|query| query.is_paired()).collect();
    let (metrics, resamples) = test_metrics(&queries, gate, &gate.metrics, shown);
    let floors = absolute::floors(comparison, &gate.floors);
    let pinned = absolute::worse_pinned(&queries, &gate.metrics);
    let obstacles = fitness::obstacles(comparison, &metrics);

    let mut failures = words::regressions(&metrics, gate.alpha);
    failures.extend(floors.iter().filter(|floor| floor.is_broken()).map(Floor::sentence));
    failures.extend(pinned.iter().map(WorsePinned::sentence));
    let (status, reasons) = if !obstacles.is_empty() {
        (Status::CouldNotMeasure, [obstacles, failures].concat())
    } else if !failures.is_empty() {
        (Status::Regression, failures)
    } else {
        (Status::Pass, words::pass(&metrics))
    };
    let warnings = fitness::warnings(comparison, &metrics, gate);
    let slices = slices(&queries, gate);
    Verdict { status, reasons, warnings, metrics, slices, floors, pinned, resamples }
}

/// Tests `gated` as one family, and `shown` beside it.
fn test_metrics(
    queries: &[&ComparedQuery<'_>],
    gate: &GateConfig,
    gated: &[Metric],
    shown: &[Metric],
) -> (Vec<MetricVerdict>, usize) {
    let metrics: Vec<(Metric, bool)> =
        gated.iter().map(|metric| (*metric, true)).chain(shown.iter().map(|metric| (*metric, false))).collect();
    // Unanswerable queries are a set of their own, with draws of their own.
    let of = |unanswerable: bool| {
        let stream = if unanswerable { Stream::named(gate.seed, "unanswerable") } else { Stream::new(gate.seed) };
        let members = metrics.iter().filter(move |(metric, _)| (*metric == Metric::Abstention) == unanswerable);
        let candidates = members.map(|(metric, gated)| {
            let deltas = Deltas::new(queries.iter().filter_map(|query| query.delta(*metric)));
            let gated = *gated && deltas.len() >= fewest(*metric);
            (*metric, Candidate { deltas, gated })
        });
        let (metrics, candidates): (Vec<Metric>, Vec<Candidate>) = candidates.unzip();
        (metrics, Sample { stream, metrics: candidates })
    };
    let (names, samples): (Vec<Vec<Metric>>, Vec<Sample>) = [of(false), of(true)].into_iter().unzip();
    let tested = statistics::test(&samples, gate.alpha, gate.resamples);
    let family = samples.iter().flat_map(|sample| &sample.metrics).filter(|candidate| candidate.gated).count();

    let outcomes: Vec<(Metric, &Candidate, &Outcome)> = names
        .iter()
        .flatten()
        .zip(samples.iter().flat_map(|sample| &sample.metrics))
        .zip(tested.outcomes.iter().flatten())
        .map(|((metric, candidate), outcome)| (*metric, candidate, outcome))
        .collect();
    let verdicts = metrics.iter().filter_map(|(metric, gated)| {
        let (_, candidate, outcome) = outcomes.iter().find(|(name, ..)| name == metric)?;
        Some(metric::judge(*metric, *gated, queries, candidate, outcome, gate, family))
    });
    (verdicts.collect(), tested.resamples)
}

/// The least queries with which a metric may block.
fn fewest(metric: Metric) -> usize {
    if metric == Metric::Abstention { FEWEST_UNANSWERABLE } else { 1 }
}

/// Every tag and source that some compared queries have and some have not.
fn slices(queries: &[&ComparedQuery<'_>], gate: &GateConfig) -> Vec<Slice> {
    let tags: BTreeSet<&str> = queries.iter().flat_map(|query| query.query.tags.iter().map(String::as_str)).collect();
    let sources: BTreeSet<&str> = queries.iter().filter_map(|query| query.query.source.as_deref()).collect();
    let by_tag = tags.into_iter().filter(|tag| *tag != PINNED).map(|tag| {
        let members = queries.iter().filter(|query| query.query.tags.iter().any(|own| own == tag));
        (format!("tag {tag}"), members.copied().collect::<Vec<_>>())
    });
    let by_source = sources.into_iter().map(|source| {
        let members = queries.iter().filter(|query| query.query.source.as_deref() == Some(source));
        (format!("source {source}"), members.copied().collect::<Vec<_>>())
    });
    by_tag
        .chain(by_source)
        .filter(|(_, members)| members.len() < queries.len())
        .map(|(name, members)| Slice {
            name,
            queries: members.len(),
            metrics: test_metrics(&members, gate, &[], &gate.metrics).0,
        })
        .collect()
}

#[cfg(test)]
mod tests;
