//! The smallest drop that the gate would probably catch: for planning, not for excusing a verdict afterwards
//! (Hoenig & Heisey 2001).

use statrs::distribution::{Binomial, ContinuousCDF as _, DiscreteCDF as _, Normal, Poisson};

/// The chance of catching the drop that is printed.
const POWER: f64 = 0.8;

/// Halvings of an interval within 0..=1: enough for the last bit that anybody prints.
const HALVINGS: u32 = 50;

/// The smallest mean drop, a fraction, that a family of `tests` metrics at level `alpha` catches with a chance of 80 %.
///
/// `deltas` are fractions; `loss_when_unchanged` is the size of one loss where nothing has changed yet. The usual
/// 2.49·sd/√n takes the spread of a quiet comparison for granted, but a drop brings its own spread: here each lost
/// query adds its square.
#[must_use]
pub fn detectable_drop(deltas: &[f64], loss_when_unchanged: f64, alpha: f64, tests: usize) -> f64 {
    let n = deltas.len();
    if n == 0 {
        return 1.0;
    }
    let level = alpha / tests.max(1) as f64;
    let squares: f64 = deltas.iter().map(|delta| delta * delta).sum();
    let absolute: f64 = deltas.iter().map(|delta| delta.abs()).sum();
    let loss = if absolute > 0.0 { squares / absolute } else { loss_when_unchanged };
    let by_spread = solve_spread(n as f64, (squares + loss * loss) / (n as f64 + 2.0), loss, level);
    let by_count = loss * mean_for(losses_needed(n as u64, level)) / n as f64;
    by_spread.max(by_count).min(1.0)
}

/// The most queries that [`queries_needed`] asks for.
const MOST_QUERIES: usize = 10_000_000;

/// The queries with which a `drop` fails the gate with a power of 80 %; `None` where it never does, because it is not
/// larger than `min_drop`, or where ten million are too few.
///
/// `variance` is that of one delta without the drop, `loss` the size of one loss, both as fractions; `tests` is the
/// size of the family. The formula is that of [`detectable_drop`], solved for the number of queries, and the observed
/// drop must also reach `min_drop`.
#[must_use]
pub fn queries_needed(drop: f64, min_drop: f64, variance: f64, loss: f64, alpha: f64, tests: usize) -> Option<usize> {
    let level = alpha / tests.max(1) as f64;
    let z_power = Normal::standard().inverse_cdf(POWER);
    let enough = |queries: usize| {
        let n = queries as f64;
        let by_count = loss * mean_for(losses_needed(queries as u64, level)) / n;
        let under_drop = (variance + loss * drop - drop * drop).max(0.0);
        let reaches = drop - z_power * (under_drop / n).sqrt() >= min_drop;
        reaches && by_count <= drop && solve_spread(n, variance + loss * loss / (n + 2.0), loss, level) <= drop
    };
    let mut high = 1;
    while !enough(high) {
        high *= 2;
        if high > MOST_QUERIES {
            return None;
        }
    }
    let mut low = high / 2;
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        if enough(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// Solves δ√n = z(level)·√(s² + gδ) + z(power)·√(s² + gδ − δ²) for δ in 0..=1.
fn solve_spread(n: f64, variance: f64, loss: f64, level: f64) -> f64 {
    let standard = Normal::standard();
    let (z_level, z_power) = (standard.inverse_cdf(1.0 - level), standard.inverse_cdf(POWER));
    halve(|drop| {
        let under_null = variance + loss * drop;
        let under_drop = (under_null - drop * drop).max(0.0);
        drop * n.sqrt() >= z_level * under_null.sqrt() + z_power * under_drop.sqrt()
    })
}

/// How many queries must be lost, all else equal, before the test rejects: the smallest k with
/// P(Bin(n, k/n) ≥ 2k) ≤ level.
fn losses_needed(n: u64, level: f64) -> u64 {
    (1..=n).find(|&k| Binomial::new(k as f64 / n as f64, n).is_ok_and(|lost| lost.sf(2 * k - 1) <= level)).unwrap_or(n)
}

/// The mean at which a Poisson number of losses reaches `k` with a chance of 80 %.
fn mean_for(k: u64) -> f64 {
    let top = 4.0 * k as f64 + 4.0;
    top * halve(|share| Poisson::new(top * share).is_ok_and(|losses| losses.sf(k - 1) >= POWER))
}

/// The smallest point of 0..=1 at which a monotone condition holds.
fn halve(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_lost_queries_of_a_hundred_are_needed_at_5_percent() {
        assert_eq!(losses_needed(100, 0.05), 4);
        assert_eq!(losses_needed(1, 0.05), 1);
    }

    #[test]
    fn a_poisson_mean_of_5_515_gives_four_losses_four_times_in_five() {
        assert!((mean_for(4) - 5.515_04).abs() < 1e-4, "{}", mean_for(4));
    }

    #[test]
    fn more_queries_catch_smaller_drops_and_more_metrics_only_larger_ones() {
        let quiet = |n: usize, tests| detectable_drop(&vec![0.0; n], 1.0, 0.05, tests);
        assert!(quiet(300, 1) < quiet(100, 1));
        assert!(quiet(100, 1) < quiet(100, 3));
        assert!((quiet(100, 1) - 0.055_15).abs() < 0.02, "{}", quiet(100, 1));
        assert!((quiet(3, 1) - 1.0).abs() < 1e-9);
        assert!((detectable_drop(&[], 1.0, 0.05, 1) - 1.0).abs() < 1e-9);
    }
}
