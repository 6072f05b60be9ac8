//! The deltas of one metric as whole numbers, so that no sum depends on its order.

/// Units in a score of 1.
const UNITS: f64 = 1e9;

/// One delta (score now − score before) per query, in units of 1e-9, in the order of the query ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deltas {
    units: Vec<i64>,
}

impl Deltas {
    /// Rounds deltas given as fractions in `-1..=1`.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a delta lies in -1..=1, its units fit i64 with room to spare")]
    pub fn new(deltas: impl IntoIterator<Item = f64>) -> Self {
        Self { units: deltas.into_iter().map(|delta| (delta * UNITS).round() as i64).collect() }
    }

    /// How many queries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether there is no query.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The deltas in units of 1e-9.
    #[must_use]
    pub fn units(&self) -> &[i64] {
        &self.units
    }

    /// Σ delta, in units.
    #[must_use]
    pub fn sum(&self) -> i64 {
        self.units.iter().sum()
    }

    /// The mean delta, a fraction; 0 for no queries.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.is_empty() { 0.0 } else { mean_of(self.sum(), self.len()) }
    }

    /// √(Σ delta² − (Σ delta)²/n), in units: the scale that makes metrics comparable.
    #[must_use]
    pub fn spread(&self) -> f64 {
        let n = self.len() as i128;
        let sum = i128::from(self.sum());
        let squares: i128 = self.units.iter().map(|&delta| i128::from(delta) * i128::from(delta)).sum();
        if n == 0 { 0.0 } else { ((n * squares - sum * sum) as f64 / n as f64).sqrt() }
    }

    /// Ties within rounding: two units for every query (each delta is off by at most half a unit, on either side of
    /// the comparison).
    #[must_use]
    #[expect(clippy::cast_possible_wrap, reason = "no list of queries has 2^62 entries")]
    pub fn tolerance(&self) -> i64 {
        2 * self.len() as i64
    }
}

/// A sum in units over `n` queries as a mean, a fraction.
pub(super) fn mean_of(sum: i64, n: usize) -> f64 {
    sum as f64 / UNITS / n as f64
}
