//! What is said about one metric.

use super::SAME;
use crate::comparison::ComparedQuery;
use crate::config::GateConfig;
use crate::metrics::Metric;
use crate::statistics::{Bounds, Candidate, Histogram, Outcome, detectable_drop, worst_plausible_drop};

/// The verdict of one metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricStatus {
    /// A significant gain of at least `min_drop`.
    Improved,
    /// Not significant: a drop is not shown.
    Pass,
    /// A significant drop smaller than `min_drop`, or any significant drop of a metric that is only shown.
    Warning,
    /// A significant drop of at least `min_drop`.
    Regression,
    /// Too few queries have this metric.
    NotCompared,
}

/// One metric of the comparison; scores, deltas and bounds are fractions.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricVerdict {
    /// Which.
    pub metric: Metric,
    /// Whether it can block.
    pub gated: bool,
    /// Queries compared: those that have this metric on both sides.
    pub queries: usize,
    /// Mean score in the baseline.
    pub baseline: f64,
    /// Mean score now.
    pub current: f64,
    /// Mean delta.
    pub delta: f64,
    /// 90 % interval of the mean delta.
    pub bounds: Bounds,
    /// Chance of such a drop if nothing had changed.
    pub p_value: f64,
    /// The same, corrected for the family.
    pub p_adjusted: f64,
    /// The largest drop that is not excluded with 95 % confidence.
    pub worst_plausible_drop: f64,
    /// The smallest drop that would be caught four times in five.
    pub detectable_drop: f64,
    /// Queries that gained.
    pub better: usize,
    /// Queries that lost.
    pub worse: usize,
    /// Queries that did neither.
    pub same: usize,
    /// What follows.
    pub status: MetricStatus,
    /// The resampled means.
    pub histogram: Histogram,
}

pub(super) fn judge(
    metric: Metric,
    gated: bool,
    queries: &[&ComparedQuery<'_>],
    candidate: &Candidate,
    outcome: &Outcome,
    gate: &GateConfig,
    family: usize,
) -> MetricVerdict {
    let deltas: Vec<f64> = queries.iter().filter_map(|query| query.delta(metric)).collect();
    let mean_of = |score: fn(&ComparedQuery<'_>, Metric) -> Option<f64>| {
        let compared = queries.iter().filter(|query| query.delta(metric).is_some());
        mean(compared.filter_map(|query| score(query, metric)))
    };
    let better = deltas.iter().filter(|delta| **delta > SAME).count();
    let worse = deltas.iter().filter(|delta| **delta < -SAME).count();
    MetricVerdict {
        metric,
        gated,
        queries: deltas.len(),
        baseline: mean_of(|query, metric| query.baseline.as_ref()?.scores.get(&metric).copied()),
        current: mean_of(|query, metric| query.current.as_ref()?.scores.get(&metric).copied()),
        delta: candidate.deltas.mean(),
        bounds: outcome.bounds,
        p_value: outcome.p_value,
        p_adjusted: outcome.p_adjusted,
        worst_plausible_drop: worst_plausible_drop(outcome.bounds, deltas.len()).min(1.0),
        detectable_drop: detectable_drop(&deltas, one_loss(metric, queries), gate.alpha, family),
        better,
        worse,
        same: deltas.len() - better - worse,
        status: metric_status(gated, candidate, outcome, gate),
        histogram: Histogram::default(),
    }
}

/// What follows from the outcome of one metric.
#[must_use]
pub fn metric_status(gated: bool, candidate: &Candidate, outcome: &Outcome, gate: &GateConfig) -> MetricStatus {
    let deltas = &candidate.deltas;
    if deltas.is_empty() || (gated && !candidate.gated) {
        return MetricStatus::NotCompared;
    }
    // Compared as sums, so that a drop of exactly `min_drop` counts whatever the rounding of the mean.
    let least = deltas.len() as f64 * gate.min_drop * 1e9 - deltas.tolerance() as f64;
    let (sum, tolerance) = (deltas.sum(), deltas.tolerance());
    let is_large = sum.unsigned_abs() as f64 >= least;
    if outcome.p_adjusted <= gate.alpha && sum < -tolerance {
        if gated && is_large { MetricStatus::Regression } else { MetricStatus::Warning }
    } else if outcome.gain_p_adjusted <= gate.alpha && sum > tolerance && is_large {
        MetricStatus::Improved
    } else {
        MetricStatus::Pass
    }
}

/// What losing one document of one query costs on average: 1/R for recall with R relevant documents, else 1.
fn one_loss(metric: Metric, queries: &[&ComparedQuery<'_>]) -> f64 {
    match metric {
        Metric::Recall(_) => {
            let relevant =
                queries.iter().map(|query| query.query.judgments.answers().count()).filter(|count| *count > 0);
            let losses: Vec<f64> = relevant.map(|count| 1.0 / count as f64).collect();
            if losses.is_empty() { 1.0 } else { mean(losses.into_iter()) }
        }
        _ => 1.0,
    }
}

/// The mean of `scores`, 0 for none.
pub(super) fn mean(scores: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = scores.fold((0.0, 0_usize), |(sum, count), score| (sum + score, count + 1));
    if count == 0 { 0.0 } else { sum / count as f64 }
}
