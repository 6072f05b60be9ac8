//! The sentences of a verdict.

use super::metric::{MetricStatus, MetricVerdict};

/// A fraction in points with one decimal, as people read it: 0.8213 → `82.1`.
#[must_use]
pub fn points(fraction: f64) -> String {
    let text = format!("{:.1}", fraction * 100.0);
    // A rounded-away minus sign says "worse" where nothing is.
    if text == "-0.0" { "0.0".to_owned() } else { text }
}

/// As [`points`], with a plus sign in front of a gain.
#[must_use]
pub fn signed(fraction: f64) -> String {
    let text = points(fraction);
    if fraction > 0.0 && text != "0.0" { format!("+{text}") } else { text }
}

/// `1 query`, `2 queries`.
#[must_use]
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A p-value with as many digits as mean something.
pub(super) fn probability(p: f64) -> String {
    if p < 0.0001 { "p below 0.0001".to_owned() } else { format!("p = {p:.4}") }
}

/// One sentence per metric that regressed, in `slice` or in the whole set.
pub(super) fn regressions(metrics: &[MetricVerdict], slice: Option<&str>, alpha: f64) -> Vec<String> {
    let within = slice.map(|slice| format!(" of {slice}")).unwrap_or_default();
    metrics
        .iter()
        .filter(|metric| metric.status == MetricStatus::Regression)
        .map(|metric| {
            format!(
                "{}{within} fell by {} points ({} → {}): chance alone gives such a drop with {}, and alpha is {alpha}.",
                metric.metric,
                points(-metric.delta),
                points(metric.baseline),
                points(metric.current),
                probability(metric.p_adjusted),
            )
        })
        .collect()
}

/// A green verdict says how much it excludes, so that it is never mistaken for proof.
pub(super) fn pass(metrics: &[MetricVerdict]) -> Vec<String> {
    let gated = metrics.iter().filter(|metric| metric.gated && metric.status != MetricStatus::NotCompared);
    let mut sentences = Vec::new();
    for metric in gated.clone() {
        if metric.status == MetricStatus::Warning {
            sentences.push(format!(
                "{} fell by {} points ({} → {}), which is not chance ({}) but below min_drop.",
                metric.metric,
                points(-metric.delta),
                points(metric.baseline),
                points(metric.current),
                probability(metric.p_adjusted),
            ));
        }
    }
    let mut excluded: Vec<(String, String)> = Vec::new();
    for metric in gated {
        let drop = points(metric.worst_plausible_drop);
        match excluded.iter_mut().find(|(known, _)| *known == drop) {
            Some((_, names)) => *names = format!("{names}, {}", metric.metric),
            None => excluded.push((drop, metric.metric.to_string())),
        }
    }
    let limits: Vec<String> = excluded.iter().map(|(drop, names)| format!("{drop} points in {names}")).collect();
    let shown = if sentences.is_empty() { "No drop shown" } else { "No drop that fails the gate" };
    sentences.insert(0, format!("{shown}; excluded is a drop of more than {}.", limits.join(", ")));
    sentences
}
