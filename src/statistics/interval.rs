//! How large the change may be: the bounds that are printed.

use super::deltas::{Deltas, mean_of};

/// What lies outside each bound: 5 % to either side, whatever alpha is, so that two reports compare.
const TAIL: f64 = 0.05;

/// A 90 % interval of the mean delta, fractions; 95 % confidence to either side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The worst change that is still plausible.
    pub lower: f64,
    /// The best.
    pub upper: f64,
}

/// The wider of the percentile and the reflected (basic) bootstrap interval on either side: whichever of the two is
/// too short on skewed deltas, the other is not (Davison & Hinkley 1997, ch. 5).
#[must_use]
pub fn bounds(deltas: &Deltas, resampled: &[i64]) -> Bounds {
    let mean = deltas.mean();
    let Some((low, high)) = tails(resampled).filter(|_| !deltas.is_empty()) else {
        return Bounds { lower: mean, upper: mean };
    };
    let (low, high) = (mean_of(low, deltas.len()), mean_of(high, deltas.len()));
    Bounds { lower: low.min(2.0 * mean - high), upper: high.max(2.0 * mean - low) }
}

/// The k-th smallest and the k-th largest resample, k = ⌊0.05 (B + 1)⌋.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a count of resamples, which is far below 2^53"
)]
fn tails(resampled: &[i64]) -> Option<(i64, i64)> {
    let k = (TAIL * (resampled.len() + 1) as f64).floor() as usize;
    let mut sums = resampled.to_vec();
    if k == 0 || sums.len() < k {
        return None;
    }
    let low = *sums.select_nth_unstable(k - 1).1;
    let from_top = sums.len() - k;
    let high = *sums.select_nth_unstable(from_top).1;
    Some((low, high))
}

/// The largest drop that the data do not exclude with 95 % confidence, a fraction.
///
/// Where hardly anything changed the resamples know no losses, so it never goes below what `n` queries without a
/// single loss leave possible, 1 − 0.05^(1/n) (the exact form of the rule of three, Hanley & Lippman-Hand 1983).
#[must_use]
pub fn worst_plausible_drop(bounds: Bounds, queries: usize) -> f64 {
    let unseen = if queries == 0 { 1.0 } else { 1.0 - TAIL.powf(1.0 / queries as f64) };
    unseen.max(-bounds.lower)
}
