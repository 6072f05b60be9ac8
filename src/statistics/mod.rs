//! The decision rule: a paired bootstrap under the null with a step-down maximum over the gated metrics.
//!
//! This module knows numbers only, no queries and no metrics. [`test`] is the rule; the files beside it are its parts
//! in the order in which it uses them. `docs/statistics.md` says why it is this rule.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

mod bootstrap;
mod deltas;
mod family;
mod fisher;
mod histogram;
mod interval;
mod power;
mod resample;

pub use bootstrap::{Side, p_value, resampled_sums};
pub use deltas::Deltas;
pub use family::{Member, adjusted_p_values};
pub use fisher::{Table, holm};
pub use histogram::Histogram;
pub use interval::{Bounds, bounds, worst_plausible_drop};
pub use power::{detectable_drop, queries_needed};
pub use resample::Stream;

/// The number of resamples to which a close verdict goes on.
pub const RESAMPLES_WHEN_CLOSE: usize = 100_000;

/// Metrics over one set of queries, which are resampled together.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Where this set's draws come from.
    pub stream: Stream,
    /// One entry per metric, all of the same length.
    pub metrics: Vec<Candidate>,
}

/// One metric of a [`Sample`].
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its deltas, by query.
    pub deltas: Deltas,
    /// Whether it can block, and so belongs to the family that is corrected for.
    pub gated: bool,
}

/// What the test says about one metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The 90 % interval of the mean delta.
    pub bounds: Bounds,
    /// Chance of a drop like this if nothing had changed, this metric alone.
    pub p_value: f64,
    /// The same, corrected for the whole family; equal to `p_value` outside it.
    pub p_adjusted: f64,
    /// `p_adjusted` of the mirrored test, for improvements.
    pub gain_p_adjusted: f64,
}

/// The outcomes of [`test`], in the shape of its samples.
#[derive(Clone, Debug)]
pub struct Tested {
    /// Resamples on which the outcomes rest.
    pub resamples: usize,
    /// `outcomes[sample][metric]`.
    pub outcomes: Vec<Vec<Outcome>>,
    /// `histograms[sample][metric]` of the resampled means.
    pub histograms: Vec<Vec<Histogram>>,
}

/// Tests every metric of every sample.
///
/// Starts with `resamples`; where a gated metric comes within a factor of two of `alpha`, the same streams go on to
/// [`RESAMPLES_WHEN_CLOSE`], because two seeds would disagree too often there.
#[must_use]
pub fn test(samples: &[Sample], alpha: f64, resamples: usize) -> Tested {
    let mut sums = draw(samples, 0, resamples);
    let outcomes = judge(samples, &sums);
    if resamples >= RESAMPLES_WHEN_CLOSE || !is_close(samples, &outcomes, alpha) {
        return Tested { resamples, outcomes, histograms: histograms(samples, &sums) };
    }
    for (known, more) in
        sums.iter_mut().flatten().zip(draw(samples, resamples, RESAMPLES_WHEN_CLOSE).into_iter().flatten())
    {
        known.extend(more);
    }
    let histograms = histograms(samples, &sums);
    Tested { resamples: RESAMPLES_WHEN_CLOSE, outcomes: judge(samples, &sums), histograms }
}

fn histograms(samples: &[Sample], sums: &[Vec<Vec<i64>>]) -> Vec<Vec<Histogram>> {
    let of = |(sample, sums): (&Sample, &Vec<Vec<i64>>)| {
        let metrics = sample.metrics.iter().zip(sums);
        metrics.map(|(metric, resampled)| Histogram::new(resampled, metric.deltas.len())).collect()
    };
    samples.iter().zip(sums).map(of).collect()
}

/// Tests with exactly as many resamples, however close it is: for simulations, in which chance averages out.
#[must_use]
pub fn outcomes(samples: &[Sample], resamples: usize) -> Vec<Vec<Outcome>> {
    judge(samples, &draw(samples, 0, resamples))
}

/// `result[sample][metric][resample]`.
fn draw(samples: &[Sample], first: usize, last: usize) -> Vec<Vec<Vec<i64>>> {
    samples
        .iter()
        .map(|sample| {
            let deltas: Vec<&Deltas> = sample.metrics.iter().map(|metric| &metric.deltas).collect();
            resampled_sums(&deltas, sample.stream, first, last)
        })
        .collect()
}

fn judge(samples: &[Sample], sums: &[Vec<Vec<i64>>]) -> Vec<Vec<Outcome>> {
    let drop = one_side(samples, sums, Side::Drop);
    let gain = one_side(samples, sums, Side::Gain);
    let mut values = drop.into_iter().zip(gain);
    samples
        .iter()
        .zip(sums)
        .map(|(sample, sums)| {
            let metrics = sample.metrics.iter().zip(sums).zip(values.by_ref());
            metrics
                .map(|((metric, resampled), ((p_value, p_adjusted), (_, gain_p_adjusted)))| Outcome {
                    bounds: bounds(&metric.deltas, resampled),
                    p_value,
                    p_adjusted,
                    gain_p_adjusted,
                })
                .collect()
        })
        .collect()
}

/// Every metric's own and adjusted p-value on one side, sample after sample.
fn one_side(samples: &[Sample], sums: &[Vec<Vec<i64>>], side: Side) -> Vec<(f64, f64)> {
    let metrics = samples.iter().zip(sums).flat_map(|(sample, sums)| sample.metrics.iter().zip(sums));
    let tested: Vec<(bool, Member<'_>)> = metrics
        .map(|(metric, resampled)| {
            let p_value = p_value(&metric.deltas, resampled, side);
            (metric.gated, Member { deltas: &metric.deltas, resampled, p_value })
        })
        .collect();
    let family: Vec<Member<'_>> = tested.iter().filter(|(gated, _)| *gated).map(|(_, member)| *member).collect();
    let mut adjusted = adjusted_p_values(&family, side).into_iter();
    tested
        .iter()
        .map(|(gated, member)| {
            let own = member.p_value;
            (own, if *gated { adjusted.next().unwrap_or(own) } else { own })
        })
        .collect()
}

fn is_close(samples: &[Sample], outcomes: &[Vec<Outcome>], alpha: f64) -> bool {
    let near = |p: f64| (alpha / 2.0..=alpha * 2.0).contains(&p);
    let metrics = samples.iter().flat_map(|sample| &sample.metrics).zip(outcomes.iter().flatten());
    metrics
        .filter(|(metric, _)| metric.gated)
        .any(|(_, outcome)| near(outcome.p_adjusted) || near(outcome.gain_p_adjusted))
}

#[cfg(test)]
mod tests;
