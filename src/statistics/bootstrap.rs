//! The paired bootstrap under the null hypothesis that nothing changed (Efron & Tibshirani 1993, ch. 16), for one
//! metric: resample queries with replacement and centre what comes out on the observed mean.

use rayon::prelude::*;

use super::deltas::Deltas;
use super::resample::Stream;

/// Resamples that one task draws; large enough to hide the cost of a task, small enough for two cores to share.
const CHUNK: usize = 256;

/// In which direction a change is tested. Everything is one-sided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Did it get worse?
    Drop,
    /// The mirror image: did it get better?
    Gain,
}

impl Side {
    /// A sum seen from this side: negative means a change in the direction tested.
    pub(super) fn oriented(self, sum: i64) -> i64 {
        match self {
            Self::Drop => sum,
            Self::Gain => -sum,
        }
    }
}

/// The sums of resampled deltas of several metrics over the same queries: `result[metric][resample]`, in units.
///
/// Every metric sees the same draws, which is what keeps their dependence for the family. `first` is the first
/// resample drawn, so that a stream can be continued.
#[must_use]
pub fn resampled_sums(metrics: &[&Deltas], stream: Stream, first: usize, last: usize) -> Vec<Vec<i64>> {
    let queries = metrics.first().map_or(0, |deltas| deltas.len());
    let width = metrics.len();
    // Query by query, so that one draw touches one cache line whatever the number of metrics.
    let rows: Vec<i64> =
        (0..queries).flat_map(|query| metrics.iter().map(move |deltas| deltas.units()[query])).collect();
    let starts: Vec<usize> = (first..last).step_by(CHUNK).collect();
    let chunks: Vec<Vec<i64>> = starts
        .into_par_iter()
        .map(|start| {
            let end = last.min(start + CHUNK);
            let mut sums = vec![0_i64; (end - start) * width];
            for (resample, sum) in (start..end).zip(sums.chunks_exact_mut(width.max(1))) {
                for index in stream.indices(resample, queries) {
                    for (total, delta) in sum.iter_mut().zip(&rows[index * width..(index + 1) * width]) {
                        *total += delta;
                    }
                }
            }
            sums
        })
        .collect();
    (0..width)
        .map(|metric| chunks.iter().flat_map(|sums| sums.iter().skip(metric).step_by(width).copied()).collect())
        .collect()
}

/// The p-value of one metric alone: how often chance moves the mean as far as was seen, (1 + count)/(B + 1).
///
/// The +1 keeps it valid at any number of resamples (Davison & Hinkley 1997; Phipson & Smyth 2010); a resample that
/// equals the observed change within rounding counts against rejection.
#[must_use]
pub fn p_value(deltas: &Deltas, resampled: &[i64], side: Side) -> f64 {
    let limit = 2 * side.oriented(deltas.sum()) + deltas.tolerance();
    share(resampled.iter().filter(|&&sum| side.oriented(sum) <= limit).count(), resampled.len())
}

/// (1 + count) / (resamples + 1).
pub(super) fn share(count: usize, resamples: usize) -> f64 {
    (1 + count) as f64 / (resamples + 1) as f64
}
