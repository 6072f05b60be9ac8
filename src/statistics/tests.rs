use proptest::prelude::*;
use statrs::distribution::{Binomial, DiscreteCDF as _};

use super::*;

fn flips(n: usize, down: usize, up: usize) -> Vec<f64> {
    let mut deltas = vec![0.0; n];
    deltas[..down].fill(-1.0);
    deltas[down..down + up].fill(1.0);
    deltas
}

fn sample(metrics: &[(&[f64], bool)]) -> Sample {
    let metrics = metrics
        .iter()
        .map(|(deltas, gated)| Candidate { deltas: Deltas::new(deltas.iter().copied()), gated: *gated })
        .collect();
    Sample { stream: Stream::new(42), metrics }
}

fn one(deltas: &[f64]) -> Outcome {
    test(&[sample(&[(deltas, true)])], 0.05, 10_000).outcomes[0][0]
}

#[test]
fn lost_queries_have_the_p_value_of_the_binomial_law() {
    for down in 1..=12_u64 {
        let exact = Binomial::new(f64::from(u32::try_from(down).unwrap()) / 100.0, 100).unwrap().sf(2 * down - 1);
        let samples = [sample(&[(&flips(100, usize::try_from(down).unwrap(), 0), true)])];
        let seen = test(&samples, 0.05, 100_000).outcomes[0][0].p_value;
        let error = (exact * (1.0 - exact) / 100_000.0).sqrt();
        assert!((seen - exact).abs() < 5.0 * error + 1.5e-5, "{down} lost: {seen} is not {exact}");
    }
}

#[test]
fn two_lost_queries_of_a_hundred_are_noise_and_twelve_are_not() {
    assert!(one(&flips(100, 2, 0)).p_adjusted > 0.1);
    assert!(one(&flips(100, 12, 0)).p_adjusted < 0.001);
}

#[test]
fn nothing_changed_means_p_is_1_and_bounds_are_0() {
    for n in [1, 2, 100, 10_000] {
        let outcome = one(&vec![0.0; n]);
        assert_eq!((outcome.p_value, outcome.p_adjusted, outcome.gain_p_adjusted), (1.0, 1.0, 1.0));
        assert_eq!(outcome.bounds, Bounds { lower: 0.0, upper: 0.0 });
    }
}

#[test]
fn a_loss_that_all_queries_share_has_no_spread_and_is_as_significant_as_can_be() {
    let outcome = one(&[-0.5; 30]);
    assert!((outcome.p_adjusted - 1.0 / 10_001.0).abs() < 1e-12);
    assert!((outcome.gain_p_adjusted - 1.0).abs() < 1e-12);
}

#[test]
fn no_queries_at_all_do_not_panic() {
    assert!((one(&[]).p_value - 1.0).abs() < 1e-12);
    assert!(test(&[], 0.05, 1000).outcomes.is_empty());
}

#[test]
fn a_close_verdict_goes_on_to_100_000_resamples_and_a_clear_one_does_not() {
    let resamples = |deltas: &[f64]| test(&[sample(&[(deltas, true)])], 0.05, 10_000).resamples;
    assert_eq!(resamples(&flips(100, 4, 0)), 100_000);
    assert_eq!(resamples(&flips(100, 12, 0)), 10_000);
    assert_eq!(resamples(&flips(100, 1, 0)), 10_000);
    let shown_only = test(&[sample(&[(&flips(100, 4, 0), false)])], 0.05, 10_000);
    assert_eq!(shown_only.resamples, 10_000, "only what can block is worth the time");
}

#[test]
fn continuing_a_stream_gives_what_one_long_draw_gives() {
    let deltas = Deltas::new(flips(50, 6, 1));
    let whole = resampled_sums(&[&deltas], Stream::new(7), 0, 3000);
    let parts: Vec<i64> = [0..1000, 1000..3000]
        .into_iter()
        .flat_map(|part| resampled_sums(&[&deltas], Stream::new(7), part.start, part.end).remove(0))
        .collect();
    assert_eq!(whole[0], parts);
}

#[test]
fn the_answer_does_not_depend_on_threads() {
    let samples = [sample(&[(&flips(100, 4, 1), true), (&flips(100, 7, 3), true), (&flips(100, 9, 9), false)])];
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| test(&samples, 0.05, 10_000).outcomes)
    };
    assert_eq!(run(1), run(7));
}

#[test]
fn a_second_metric_costs_something_and_a_metric_without_change_costs_nothing() {
    let alone = one(&flips(100, 5, 0)).p_adjusted;
    let family = |other: &[f64]| {
        test(&[sample(&[(&flips(100, 5, 0), true), (other, true)])], 0.05, 10_000).outcomes[0][0].p_adjusted
    };
    let mut elsewhere = vec![0.0; 100];
    elsewhere[50..60].fill(0.4);
    elsewhere[60..70].fill(-0.4);
    assert!(family(&elsewhere) > alone);
    assert_eq!(family(&[0.0; 100]).to_bits(), alone.to_bits());
}

#[test]
fn one_loss_among_small_gains_is_not_a_drop_the_other_way_round() {
    let mut deltas = vec![0.005; 100];
    deltas[0] = -1.0;
    let p = one(&deltas).p_value;
    assert!((p - 0.264).abs() < 0.02, "{p}");
}

#[test]
fn the_bounds_hold_the_mean_and_the_rule_of_three_limits_the_worst_drop() {
    let outcome = one(&flips(100, 7, 1));
    assert!(outcome.bounds.lower < -0.06 && -0.06 < outcome.bounds.upper);
    let quiet = worst_plausible_drop(Bounds { lower: 0.0, upper: 0.0 }, 100);
    assert!((quiet - 0.029_513_049_607).abs() < 1e-9, "{quiet}");
    assert!((worst_plausible_drop(Bounds { lower: -0.2, upper: 0.0 }, 100) - 0.2).abs() < 1e-12);
}

fn deltas() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![4 => Just(0.0), 1 => -1.0..=1.0_f64, 1 => Just(-1.0), 1 => Just(1.0)], 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn swapping_the_sides_mirrors_everything(deltas in deltas()) {
        let forth = one(&deltas);
        let back = one(&deltas.iter().map(|delta| -delta).collect::<Vec<_>>());
        prop_assert_eq!(forth.p_adjusted.to_bits(), back.gain_p_adjusted.to_bits());
        prop_assert_eq!(forth.gain_p_adjusted.to_bits(), back.p_adjusted.to_bits());
        prop_assert!((forth.bounds.lower + back.bounds.upper).abs() < 1e-12);
        prop_assert!((forth.bounds.upper + back.bounds.lower).abs() < 1e-12);
    }

    #[test]
    fn p_values_are_probabilities_and_the_adjusted_one_is_never_smaller(first in deltas(), second in deltas()) {
        let n = first.len().min(second.len());
        let tested = test(&[sample(&[(&first[..n], true), (&second[..n], true)])], 0.05, 1000);
        for outcome in &tested.outcomes[0] {
            prop_assert!(outcome.p_value > 0.0 && outcome.p_adjusted <= 1.0);
            prop_assert!(outcome.p_adjusted >= outcome.p_value);
            prop_assert!(outcome.bounds.lower <= outcome.bounds.upper);
        }
    }

    #[test]
    fn losing_one_more_query_never_raises_p_beyond_noise(down in 1..20_usize) {
        let p = |down| one(&flips(100, down, 0)).p_value;
        prop_assert!(p(down + 1) <= p(down) + 0.005);
    }

    /// What was no drop among sixty queries is none because of further ones that did not move. (Both p-values are resampled
    /// 100,000 times where they are close to 5 %, so that 7 % is far from it.)
    #[test]
    fn unchanged_queries_never_make_a_drop_significant(down in 1..12_usize, up in 0..4_usize, more in 1..300_usize) {
        let p = |n| one(&flips(n, down, up)).p_value;
        prop_assume!(p(60) > 0.07);
        prop_assert!(p(60 + more) > 0.05, "{} {}", p(60 + more), p(60));
    }
}

#[test]
fn extremes_have_the_verdict_that_anybody_would_give() {
    let p = |deltas: &[f64]| one(deltas).p_value;
    assert!(p(&[-1.0]) < 0.001, "one query that is lost has no spread; the verdict asks for more queries");
    assert!((p(&[0.0]) - 1.0).abs() < 1e-12);
    assert!((p(&[0.3; 50]) - 1.0).abs() < 1e-12, "all gain alike");
    let mut huge = vec![0.0; 100];
    huge[17] = -1.0;
    assert!(p(&huge) > 0.2, "one lost query of a hundred");
    let mut many = vec![0.0; 10_000];
    many[..3].fill(-1.0);
    assert!(p(&many) > 0.05, "three of ten thousand");
    many[..40].fill(-1.0);
    assert!(p(&many) < 0.001, "forty of ten thousand are no chance, however small the drop");
}
