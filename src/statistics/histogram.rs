//! The shape of the resampled means, for people to look at; nothing is decided by it.

use super::deltas::mean_of;

/// Bars of a [`Histogram`].
const BARS: usize = 48;

/// How often each resampled mean came up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// The left edge of the first bar, a fraction.
    pub low: f64,
    /// The right edge of the last bar, a fraction; equal to `low` where all resamples agree.
    pub high: f64,
    /// Resamples per bar, from left to right; empty where there is none.
    pub counts: Vec<usize>,
}

impl Histogram {
    /// Counts the means of `sums`, in units, over `queries` queries.
    #[must_use]
    pub fn new(sums: &[i64], queries: usize) -> Self {
        let (Some(&least), Some(&most)) = (sums.iter().min(), sums.iter().max()) else { return Self::default() };
        if queries == 0 {
            return Self::default();
        }
        let (low, high) = (mean_of(least, queries), mean_of(most, queries));
        if least == most {
            return Self { low, high, counts: vec![sums.len()] };
        }
        let mut counts = vec![0; BARS];
        let width = i128::from(most) - i128::from(least);
        for sum in sums {
            let bar = (i128::from(*sum) - i128::from(least)) * BARS as i128 / width;
            // The largest sum is the right edge of the last bar.
            counts[usize::try_from(bar).unwrap_or(0).min(BARS - 1)] += 1;
        }
        Self { low, high, counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resample_is_in_one_bar() {
        let sums: Vec<i64> = (0..=4800).map(|step| step * 1_000_000).collect();
        let histogram = Histogram::new(&sums, 10);
        assert_eq!(histogram.counts.iter().sum::<usize>(), sums.len());
        assert_eq!(histogram.counts[..47], [100; 47]);
        assert_eq!(histogram.counts[47], 101);
        assert!((histogram.low, histogram.high) == (0.0, 0.48));
    }

    #[test]
    fn what_never_moves_is_one_bar() {
        assert_eq!(Histogram::new(&[0, 0, 0], 3), Histogram { low: 0.0, high: 0.0, counts: vec![3] });
        assert_eq!(Histogram::new(&[], 3), Histogram::default());
    }
}
