//! Several metrics at once: the step-down maximum over common resamples (Westfall & Young 1993; Romano & Wolf 2005).
//!
//! It keeps the chance that *any* metric raises a false alarm at alpha, and pays less for it than Holm's correction
//! because the metrics of one ranking move together.

use super::bootstrap::{Side, share};
use super::deltas::Deltas;

/// Statistics closer than this are tied, and a tie counts against rejection.
const TIE: f64 = 1e-9;

/// One metric of the family with its resampled sums; all members have the same number of resamples.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// The observed deltas.
    pub deltas: &'a Deltas,
    /// Σ delta of every resample, in units.
    pub resampled: &'a [i64],
    /// The metric's own p-value, below which the adjusted one never goes.
    pub p_value: f64,
}

/// The observed change over its spread, positive in the direction tested.
fn statistic(deltas: &Deltas, side: Side) -> f64 {
    let sum = side.oriented(deltas.sum());
    let spread = deltas.spread();
    match (spread > 0.0, sum < 0) {
        (true, _) => -(sum as f64) / spread,
        (false, true) => f64::INFINITY,
        (false, false) => f64::NEG_INFINITY,
    }
}

/// What the statistic would be in one resample if nothing had changed.
fn resampled_statistic(resampled: i64, observed: i64, spread: f64, side: Side) -> f64 {
    if spread > 0.0 { -(side.oriented(resampled - observed) as f64) / spread } else { f64::NEG_INFINITY }
}

/// The adjusted p-value of every member, in the order given.
#[must_use]
pub fn adjusted_p_values(members: &[Member<'_>], side: Side) -> Vec<f64> {
    let statistics: Vec<f64> = members.iter().map(|member| statistic(member.deltas, side)).collect();
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by(|&a, &b| statistics[b].total_cmp(&statistics[a]));

    let resamples = members.first().map_or(0, |member| member.resampled.len());
    let scales: Vec<(i64, f64)> = members.iter().map(|member| (member.deltas.sum(), member.deltas.spread())).collect();
    let mut counts = vec![0_usize; members.len()];
    for resample in 0..resamples {
        let mut largest = f64::NEG_INFINITY;
        for &index in order.iter().rev() {
            let (observed, spread) = scales[index];
            let resampled = members[index].resampled[resample];
            largest = largest.max(resampled_statistic(resampled, observed, spread, side));
            if largest >= statistics[index] - TIE {
                counts[index] += 1;
            }
        }
    }

    let mut adjusted = vec![1.0; members.len()];
    let mut least = 0.0_f64;
    for index in order {
        least = least.max(share(counts[index], resamples));
        adjusted[index] = least.max(members[index].p_value);
    }
    adjusted
}
