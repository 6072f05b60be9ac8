//! One plain sentence on what a verdict means and what to do about it.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use crate::verdict::{MetricStatus, MetricVerdict, Status};

/// A gain of this size, a fraction, leaves a gate that compares with the old level half blind.
const STALE: f64 = 0.1;

/// The sentence under the verdict.
#[must_use]
pub fn advice(status: Status, metrics: &[MetricVerdict]) -> String {
    let any = |wanted| metrics.iter().any(|metric| metric.gated && metric.status == wanted);
    let sentence = match status {
        Status::Regression if !any(MetricStatus::Regression) => {
            "No drop is shown by the test, but a promise of the configuration or of the golden set is broken: mend the \
             change, or take back the floor or the pin on purpose."
        }
        Status::Regression => {
            "This change makes retrieval worse, and not by chance: look at the queries below before merging. If it is \
             meant, move the baseline on purpose with `recall-gate baseline update --reason \"…\"`."
        }
        Status::CouldNotMeasure => {
            "This is no verdict on quality, good or bad: mend what is named above, then run again."
        }
        Status::Pass if any(MetricStatus::Warning) => {
            "Merge if you accept this small but real drop; lower `min_drop` if drops of this size should fail."
        }
        Status::Pass if metrics.iter().any(|metric| metric.gated && is_stale(metric)) => {
            "Retrieval is so much better than the baseline that a later change could lose most of the gain unnoticed: \
             `recall-gate baseline update --reason \"…\"` before the next one."
        }
        Status::Pass if any(MetricStatus::Improved) => {
            "Retrieval got better, and not by chance: lock the gain in with `recall-gate baseline update --reason \
             \"…\"`, so that the next change is measured against it."
        }
        Status::Pass if metrics.iter().all(|metric| metric.better + metric.worse == 0) => {
            "Retrieval is unchanged on every query of the golden set: safe to merge as far as this set can tell."
        }
        Status::Pass => {
            "What moved is within chance for a set of this size: safe to merge as far as this set can tell."
        }
    };
    sentence.to_owned()
}

fn is_stale(metric: &MetricVerdict) -> bool {
    metric.status == MetricStatus::Improved && metric.delta >= STALE
}
