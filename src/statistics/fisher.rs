//! Fisher's exact test of a two-by-two table, and Holm's correction for many such tests.

use statrs::function::factorial::ln_binomial;

/// A table of two groups and one outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Members of the first group with the outcome.
    pub with: usize,
    /// Members of the first group.
    pub group: usize,
    /// Members of the second group with the outcome.
    pub rest_with: usize,
    /// Members of the second group.
    pub rest: usize,
}

impl Table {
    /// The chance that the first group has the outcome at least as often as it has, if belonging to it made no
    /// difference: the upper tail of the hypergeometric distribution with the margins held (Fisher 1935).
    ///
    /// 1 where a group is empty. `with` must not exceed `group`, nor `rest_with` exceed `rest`.
    #[must_use]
    pub fn p_more_often(self) -> f64 {
        let outcomes = self.with + self.rest_with;
        if self.group == 0 || self.rest == 0 {
            return 1.0;
        }
        let all = ln_choose(self.group + self.rest, outcomes);
        let chance = |with: usize| (ln_choose(self.group, with) + ln_choose(self.rest, outcomes - with) - all).exp();
        let most = self.group.min(outcomes);
        (self.with..=most).map(chance).sum::<f64>().min(1.0)
    }

    /// The share of the first group with the outcome; 0 for an empty group.
    #[must_use]
    pub fn share(self) -> f64 {
        share(self.with, self.group)
    }

    /// The share of the second group with the outcome; 0 for an empty group.
    #[must_use]
    pub fn rest_share(self) -> f64 {
        share(self.rest_with, self.rest)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn ln_choose(n: usize, k: usize) -> f64 {
    ln_binomial(n as u64, k as u64)
}

/// Adjusts p-values so that the chance of any false one among all of them stays below the level at which each is then
/// judged (Holm 1979); in the order given.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        least = least.max((p_values[index] * (p_values.len() - rank) as f64).min(1.0));
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(with: usize, group: usize, rest_with: usize, rest: usize) -> f64 {
        Table { with, group, rest_with, rest }.p_more_often()
    }

    /// Summed as whole fractions.
    #[test]
    fn known_tables() {
        for (table, wanted) in [
            // Fisher's tea: C(4,3)·C(4,1)/C(8,4) + C(4,4)·C(4,0)/C(8,4) = 17/70.
            (p(3, 4, 1, 4), 17.0 / 70.0),
            (p(4, 4, 0, 4), 1.0 / 70.0),
            (p(7, 9, 12, 151), SEVEN_OF_NINE),
            (p(0, 9, 0, 151), 1.0),
            (p(5, 5, 5, 5), 1.0),
            (p(8, 10, 1, 15), EIGHT_OF_TEN),
        ] {
            assert!((table - wanted).abs() <= 1e-9 * wanted.max(1e-3), "{table} {wanted}");
        }
    }

    const SEVEN_OF_NINE: f64 = 3.373_715_025_555_094e-6;
    const EIGHT_OF_TEN: f64 = 0.000_335_295_341_352_684_2;

    #[test]
    fn an_empty_group_says_nothing() {
        assert!((p(0, 0, 3, 5), p(3, 5, 0, 0)) == (1.0, 1.0));
    }

    #[test]
    fn large_tables_neither_overflow_nor_exceed_one() {
        let likely = p(500, 1000, 50_000, 100_000);
        assert!((0.49..0.53).contains(&likely), "{likely}");
        assert!(p(900, 1000, 50_000, 100_000) < 1e-100);
    }

    /// The worked example of R's `p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm")`, shuffled.
    #[test]
    fn holm_steps_down() {
        let adjusted = holm(&[0.03, 0.01, 0.04, 0.02]);
        for (value, wanted) in adjusted.iter().zip([0.06, 0.04, 0.06, 0.06]) {
            assert!((value - wanted).abs() < 1e-12, "{adjusted:?}");
        }
        assert!(holm(&[]).is_empty());
        assert!(holm(&[0.9, 0.8]).iter().all(|p| (p - 1.0).abs() < 1e-12));
    }
}
