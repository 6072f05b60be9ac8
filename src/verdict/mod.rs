//! From a comparison to a verdict: the only place where the domain and the statistics meet.
//!
//! [`decide`] is the rule; the files beside it hold the reasons other than a significant drop.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use crate::comparison::{ComparedQuery, Comparison};
use crate::config::GateConfig;
use crate::exit::ExitStatus;
use crate::metrics::Metric;
use crate::statistics::{self, Candidate, Deltas, Histogram, Outcome, Sample, Stream};

mod absolute;
mod displaced;
mod fitness;
mod metric;
mod slices;
mod words;

pub use absolute::{Floor, WorsePinned};
pub use metric::{MetricStatus, MetricVerdict, metric_status};
pub use words::{counted, points, signed};

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

/// Part of the golden set, by tag or by source: only shown, outside the correction, unless the gate names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// `tag NAME` or `source NAME`.
    pub name: String,
    /// Compared queries in it, unanswerable ones included.
    pub queries: usize,
    /// The gated metrics over these queries alone.
    pub metrics: Vec<MetricVerdict>,
    /// Whether its metrics can block.
    pub gated: bool,
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
    /// Those that gate, then the others; each by tag, then by source.
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
    let (gating, shown_slices): (Vec<_>, Vec<_>) =
        slices::of(&queries).into_iter().partition(|slice| gate.slices.iter().any(|name| slice.is_called(name)));
    let groups: Vec<Group<'_>> = std::iter::once(Group { slice: None, queries: &queries, gated: &gate.metrics, shown })
        .chain(gating.iter().map(|slice| Group {
            slice: Some(&slice.name),
            queries: &slice.queries,
            gated: &gate.metrics,
            shown: &[],
        }))
        .collect();
    let (mut tested, resamples) = test(&groups, gate);
    let gated_slices: Vec<Slice> =
        gating.iter().zip(tested.split_off(1)).map(|(slice, metrics)| slice.with(metrics)).collect();
    let metrics = tested.pop().unwrap_or_default();
    let floors = absolute::floors(comparison, gate);
    let pinned = absolute::worse_pinned(&queries, &gate.metrics);
    let obstacles = fitness::obstacles(comparison, &metrics);

    let mut failures = words::regressions(&metrics, None, gate.alpha);
    failures.extend(
        gated_slices.iter().flat_map(|slice| words::regressions(&slice.metrics, Some(&slice.name), gate.alpha)),
    );
    failures.extend(floors.iter().filter(|floor| floor.is_broken()).map(Floor::sentence));
    failures.extend(pinned.iter().map(WorsePinned::sentence));
    let (status, reasons) = if !obstacles.is_empty() {
        (Status::CouldNotMeasure, [obstacles, failures].concat())
    } else if !failures.is_empty() {
        (Status::Regression, failures)
    } else {
        (Status::Pass, words::pass(&metrics))
    };
    let mut warnings = fitness::warnings(comparison, &metrics, gate);
    warnings.extend(gated_slices.iter().filter_map(fitness::small_slice));
    warnings.extend(displaced::sentence(&queries, &metrics));
    let shown_slices = shown_slices.iter().map(|slice| {
        // Outside the correction: what is only shown must not make the gate blunter.
        let group = Group { slice: None, queries: &slice.queries, gated: &[], shown: &gate.metrics };
        slice.with(test(&[group], gate).0.pop().unwrap_or_default())
    });
    let slices = gated_slices.into_iter().chain(shown_slices).collect();
    Verdict { status, reasons, warnings, metrics, slices, floors, pinned, resamples }
}

/// Queries that are tested together.
struct Group<'a> {
    /// `None` for the whole set.
    slice: Option<&'a str>,
    queries: &'a [&'a ComparedQuery<'a>],
    gated: &'a [Metric],
    shown: &'a [Metric],
}

impl Group<'_> {
    /// Unanswerable queries are a set of their own, with draws of their own, as is every slice.
    fn sample(&self, unanswerable: bool, seed: u64) -> (Vec<Metric>, Sample) {
        let stream = match (self.slice, unanswerable) {
            (None, false) => Stream::new(seed),
            (None, true) => Stream::named(seed, "unanswerable"),
            (Some(slice), false) => Stream::named(seed, slice),
            (Some(slice), true) => Stream::named(seed, &format!("{slice} unanswerable")),
        };
        let metrics = self.metrics().filter(|(metric, _)| (*metric == Metric::Abstention) == unanswerable);
        let candidates = metrics.map(|(metric, gated)| {
            let deltas = Deltas::new(self.queries.iter().filter_map(|query| query.delta(metric)));
            let gated = gated && deltas.len() >= self.fewest(metric);
            (metric, Candidate { deltas, gated })
        });
        let (metrics, candidates): (Vec<Metric>, Vec<Candidate>) = candidates.unzip();
        (metrics, Sample { stream, metrics: candidates })
    }

    /// Every metric with whether it may block.
    fn metrics(&self) -> impl Iterator<Item = (Metric, bool)> {
        let gated = self.gated.iter().map(|metric| (*metric, true));
        gated.chain(self.shown.iter().map(|metric| (*metric, false)))
    }

    /// The least queries with which a metric may block; the whole set has an obstacle of its own for too few.
    fn fewest(&self, metric: Metric) -> usize {
        match (metric, self.slice) {
            (Metric::Abstention, _) => FEWEST_UNANSWERABLE,
            (_, Some(_)) => FEWEST_QUERIES,
            (_, None) => 1,
        }
    }
}

/// Tests the gated metrics of all groups as one family, and the others beside it; also the resamples it took.
fn test(groups: &[Group<'_>], gate: &GateConfig) -> (Vec<Vec<MetricVerdict>>, usize) {
    let sampled =
        groups.iter().flat_map(|group| [false, true].map(|unanswerable| group.sample(unanswerable, gate.seed)));
    let (names, samples): (Vec<Vec<Metric>>, Vec<Sample>) = sampled.unzip();
    let tested = statistics::test(&samples, gate.alpha, gate.resamples);
    let family = samples.iter().flat_map(|sample| &sample.metrics).filter(|candidate| candidate.gated).count();
    let of = |group: usize, metric: Metric| -> Option<(&Candidate, &Outcome, &Histogram)> {
        (2 * group..2 * group + 2).find_map(|sample| {
            let at = names[sample].iter().position(|name| *name == metric)?;
            Some((&samples[sample].metrics[at], &tested.outcomes[sample][at], &tested.histograms[sample][at]))
        })
    };
    let verdicts = groups.iter().enumerate().map(|(index, group)| {
        let judged = group.metrics().filter_map(|(metric, gated)| {
            let (candidate, outcome, histogram) = of(index, metric)?;
            let verdict = metric::judge(metric, gated, group.queries, candidate, outcome, gate, family);
            Some(MetricVerdict { histogram: histogram.clone(), ..verdict })
        });
        judged.collect()
    });
    (verdicts.collect(), tested.resamples)
}

#[cfg(test)]
mod tests;
