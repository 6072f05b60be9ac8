//! Which queries a resample draws: a counter-based stream, so that the answer does not depend on threads.

/// The increment of `SplitMix64` (Steele, Lea & Flood 2014), 2^64 over the golden ratio.
const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of query indices that can be read at any place.
///
/// The generator is written out here because the verdict must not change with the version of a crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    seed: u64,
}

impl Stream {
    /// The stream of the queries that most metrics share.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The stream of another set of queries, independent of the first; `name` tells the sets apart.
    #[must_use]
    pub fn named(seed: u64, name: &str) -> Self {
        // FNV-1a: any fixed hash will do, and this one is three lines that never change.
        let hash = name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        Self { seed: mix(seed ^ hash) }
    }

    /// `count` numbers in `0..1`, of 53 bits.
    pub fn fractions(self, count: usize) -> impl Iterator<Item = f64> {
        const SCALE: f64 = 1.0 / (1_u64 << 53) as f64;
        (1..=count as u64)
            .map(move |draw| (mix(self.seed.wrapping_add(draw.wrapping_mul(INCREMENT))) >> 11) as f64 * SCALE)
    }

    /// The indices of resample `resample`: `queries` draws from `0..queries`, with replacement.
    pub fn indices(self, resample: usize, queries: usize) -> impl Iterator<Item = usize> {
        let first = (resample as u64).wrapping_mul(queries as u64);
        let mut state = self.seed.wrapping_add(first.wrapping_mul(INCREMENT));
        (0..queries).map(move |_| {
            state = state.wrapping_add(INCREMENT);
            scale(mix(state), queries)
        })
    }
}

/// The output function of `SplitMix64`.
fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A 64-bit draw scaled to `0..n` by multiplication (Lemire 2019); the bias is below n / 2^64.
#[expect(clippy::cast_possible_truncation, reason = "the product shifted by 64 bits is below n, which is a usize")]
fn scale(draw: u64, n: usize) -> usize {
    ((u128::from(draw) * n as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resamples_can_be_read_in_any_order() {
        let stream = Stream::new(42);
        let all: Vec<usize> = (0..3).flat_map(|b| stream.indices(b, 7)).collect();
        assert_eq!(stream.indices(2, 7).collect::<Vec<_>>(), all[14..]);
        assert!(all.iter().all(|index| *index < 7));
    }

    #[test]
    fn named_streams_differ() {
        let first: Vec<usize> = Stream::new(42).indices(0, 100).collect();
        assert_ne!(Stream::named(42, "unanswerable").indices(0, 100).collect::<Vec<_>>(), first);
        assert_eq!(Stream::named(42, "x"), Stream::named(42, "x"));
        assert_ne!(Stream::named(42, "x"), Stream::named(42, "y"));
    }
}
