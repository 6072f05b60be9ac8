//! The decision rule against exact p-values that were computed elsewhere, by convolution instead of resampling.

use recall_gate::statistics::{
    Candidate, Deltas, Outcome, Sample, Side, Stream, bounds, p_value, resampled_sums, test, worst_plausible_drop,
};
use serde_json::Value;

fn vectors() -> Option<Value> {
    let path = crate::common::shared("reference/bootstrap_vectors.json")?;
    Some(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))).unwrap()
}

fn pair(value: &Value) -> (f64, f64) {
    (number(&value[0]), number(&value[1]))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

fn deltas(rle: &Value) -> Deltas {
    Deltas::new(list(rle).iter().flat_map(|entry| std::iter::repeat_n(number(&entry[0]), count(&entry[1]))))
}

fn tested(metrics: Vec<Deltas>, resamples: usize) -> Vec<Outcome> {
    let metrics = metrics.into_iter().map(|deltas| Candidate { deltas, gated: true }).collect();
    test(&[Sample { stream: Stream::new(42), metrics }], 0.05, resamples).outcomes.remove(0)
}

#[test]
fn the_stream_draws_the_indices_of_the_reference() {
    let Some(vectors) = vectors() else { return };
    let check = &vectors["splitmix_check"];
    for (n, field) in [(100, "first_20_indices"), (7, "n7")] {
        let wanted: Vec<usize> = list(&check[field]).iter().map(count).collect();
        let drawn: Vec<usize> = (0..).flat_map(|b| Stream::new(42).indices(b, n)).take(20).collect();
        assert_eq!(drawn, wanted, "n = {n}");
    }
}

#[test]
fn p_values_of_one_metric_meet_the_exact_ones() {
    let Some(vectors) = vectors() else { return };
    let cases = list(&vectors["single"]);
    assert!(cases.len() > 30);
    for case in cases {
        let id = &case["id"];
        let deltas = deltas(&case["deltas_rle"]);
        assert_eq!(deltas.len(), count(&case["n"]), "{id}");
        assert!((deltas.mean() - number(&case["mean_delta"])).abs() < 1e-9, "{id}");
        let outcome = tested(vec![deltas.clone()], 100_000).remove(0);
        let (exact, tolerance) = (number(&case["exact"]["p_shift"]), number(&case["tol_mc_b100k"]["p_shift"]));
        let p = outcome.p_value;
        assert!((p - exact).abs() <= tolerance, "{id}: p {p} is not {exact} ± {tolerance}");
        let significant = outcome.p_adjusted <= 0.05 && deltas.sum() < -deltas.tolerance();
        assert_eq!(Value::from(significant), case["significant_at_005"], "{id}: p {p}");
    }
}

#[test]
fn bounds_lie_where_the_exact_quantiles_allow() {
    let Some(vectors) = vectors() else { return };
    for case in list(&vectors["single"]) {
        let id = &case["id"];
        let deltas = deltas(&case["deltas_rle"]);
        let sums = resampled_sums(&[&deltas], Stream::new(42), 0, 100_000);
        let seen = bounds(&deltas, &sums[0]);
        for (value, field) in [(seen.lower, "envelope_lower_accept"), (seen.upper, "envelope_upper_accept")] {
            let (low, high) = pair(&case["ci90"][field]);
            assert!((low - 1e-9..=high + 1e-9).contains(&value), "{id}: {value} is not within {low}..{high}");
        }
        let floor = worst_plausible_drop(seen, deltas.len());
        let (low, high) = pair(&case["ci90"]["envelope_lower_accept"]);
        let least = number(&case["worst_drop_floor"]);
        assert!((least.max(-high) - 1e-9..=least.max(-low) + 1e-9).contains(&floor), "{id}: {floor}");
    }
}

#[test]
fn counts_equal_the_reference_bit_for_bit() {
    let Some(vectors) = vectors() else { return };
    let mut compared = 0;
    for case in list(&vectors["single"]) {
        let Some(reference) = case.get("mc_splitmix").filter(|value| value.is_object()) else { continue };
        let deltas = deltas(&case["deltas_rle"]);
        let resamples = count(&reference["B"]);
        let sums = resampled_sums(&[&deltas], Stream::new(reference["seed"].as_u64().unwrap()), 0, resamples);
        let p = p_value(&deltas, &sums[0], Side::Drop);
        let wanted = number(&reference["p_shift"]);
        assert!((p - wanted).abs() < 1e-11, "{}: {p} is not {wanted}", case["id"]);
        compared += 1;
    }
    assert!(compared > 10, "only {compared} cases have counts");
}

#[test]
fn adjusted_p_values_of_several_metrics_meet_the_reference() {
    let Some(vectors) = vectors() else { return };
    let cases = list(&vectors["multi"]);
    assert!(cases.len() >= 7);
    for case in cases {
        let names = list(&case["metrics"]);
        let rows = list(&case["rows_rle"]);
        let metrics = (0..names.len())
            .map(|metric| {
                let runs = rows.iter().map(|row| (number(&row[0][metric]), count(&row[1])));
                Deltas::new(runs.flat_map(|(delta, times)| std::iter::repeat_n(delta, times)))
            })
            .collect();
        for (name, outcome) in names.iter().zip(tested(metrics, 100_000)) {
            let key = name.as_str().unwrap();
            let wanted = number(&case["p_adjusted"][key]);
            let tolerance = number(&case["maxT_shift_bootstrap"]["tol_mc_b100k"][key]);
            let p = outcome.p_adjusted;
            assert!((p - wanted).abs() <= tolerance, "{} {key}: {p} is not {wanted} ± {tolerance}", case["id"]);
            assert_eq!(Value::from(p <= 0.05), case["significant_at_005"][key], "{} {key}", case["id"]);
        }
    }
}
