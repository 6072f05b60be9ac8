//! What a verdict means, and what to work on next: plain sentences from the numbers. `docs/advice.md` has the sources.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use crate::comparison::Comparison;
use crate::metrics::Metric;
use crate::verdict::{MetricStatus, MetricVerdict, Status, points};

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

/// How good retrieval is now; means over the answerable queries, fractions, by the first repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// Results that were looked at.
    pub depth: usize,
    /// Answerable queries.
    pub queries: usize,
    /// recall@10.
    pub recall_10: f64,
    /// recall@20.
    pub recall_20: f64,
    /// Recall over everything that was returned.
    pub recall: f64,
    /// mrr@10.
    pub mrr_10: f64,
    /// Unanswerable queries, and those of them that got no answer.
    pub unanswerable: (usize, usize),
    /// judged@10 in the baseline and now.
    pub judged_10: Option<(f64, f64)>,
    /// recall@10 of the embedded search on the same corpus.
    pub bm25_recall_10: Option<f64>,
}

impl Level {
    /// The level of the current side; `floor` has the embedded search on its current side.
    #[must_use]
    pub fn new(comparison: &Comparison<'_>, depth: usize, floor: Option<&Comparison<'_>>) -> Self {
        let unanswerable = || comparison.queries.iter().filter(|query| query.query.unanswerable);
        let abstained =
            unanswerable().filter(|query| query.current.as_ref().is_some_and(|side| side.abstained)).count();
        let now = |metric| mean(comparison, metric, false);
        let judged = Metric::Judged(10);
        Self {
            depth,
            queries: comparison.queries.iter().filter(|query| !query.query.unanswerable).count(),
            recall_10: now(Metric::Recall(10)).unwrap_or(0.0),
            recall_20: now(Metric::Recall(20)).unwrap_or(0.0),
            recall: now(Metric::Recall(depth)).unwrap_or(0.0),
            mrr_10: now(Metric::ReciprocalRank(Some(10))).unwrap_or(0.0),
            unanswerable: (unanswerable().count(), abstained),
            judged_10: mean(comparison, judged, true).zip(now(judged)),
            bm25_recall_10: floor.and_then(|floor| mean(floor, Metric::Recall(10), false)),
        }
    }
}

fn mean(comparison: &Comparison<'_>, metric: Metric, baseline: bool) -> Option<f64> {
    let answerable = comparison.queries.iter().filter(|query| !query.query.unanswerable);
    let sides = answerable.filter_map(|query| if baseline { query.baseline.as_ref() } else { query.current.as_ref() });
    let scores: Vec<f64> =
        sides.filter_map(|side| side.scores.get(&metric).copied().or_else(|| metric.score(&side.graded()))).collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

/// Below this recall@10, a fraction, the answer is missing too often for anything behind retrieval to matter more.
const LOW_RECALL: f64 = 0.7;
/// From this recall@10 on, what is left to gain is in the order.
const HIGH_RECALL: f64 = 0.85;
/// Below this mrr@10, the answer does not stand near the top.
const LOW_MRR: f64 = 0.6;
/// What a reranker could lift into the first ten, at the least.
const WITHIN_REACH: f64 = 0.05;
/// Below this recall over everything returned, the ceiling is low.
const LOW_CEILING: f64 = 0.8;
/// Below this share of unanswerable queries without results there is no working threshold.
const LOW_ABSTENTION: f64 = 0.5;
/// The least unanswerable queries to say so.
const SOME_UNANSWERABLE: usize = 5;
/// A fall of judged@10 that makes a drop doubtful.
const FEWER_JUDGED: f64 = 0.02;
/// How far the embedded search must be ahead.
const AHEAD: f64 = 0.02;
/// From this recall@10 on a set can hardly get better, nor tell much.
const SATURATED: f64 = 0.98;

/// One thing to work on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The rule, a heading of `docs/advice.md`.
    pub rule: &'static str,
    /// What to do and why, in numbers.
    pub sentence: String,
}

/// A sentence where the rule has something to say.
pub type Rule = fn(&Level) -> Option<String>;

/// Every rule by name, in the order of what to do first.
pub const RULES: &[(&str, Rule)] = &[
    ("label-first", label_first),
    ("bm25-floor", bm25_floor),
    ("retrieval-first", retrieval_first),
    ("ceiling", ceiling),
    ("reranker-pays", reranker_pays),
    ("order-not-retrieval", order_not_retrieval),
    ("no-threshold", no_threshold),
    ("saturated", saturated),
];

/// What to work on, the most urgent first; nothing where there is no answerable query.
#[must_use]
pub fn steps(level: &Level) -> Vec<Step> {
    if level.queries == 0 {
        return Vec::new();
    }
    RULES.iter().filter_map(|(rule, step)| Some(Step { rule, sentence: step(level)? })).collect()
}

fn label_first(level: &Level) -> Option<String> {
    let (before, now) = level.judged_10?;
    (before - now >= FEWER_JUDGED).then(|| {
        format!(
            "Label first: judged@10 fell from {} to {}, so part of what looks like a drop is documents that nobody judged.",
            points(before),
            points(now)
        )
    })
}

fn bm25_floor(level: &Level) -> Option<String> {
    let floor = level.bm25_recall_10?;
    (floor - level.recall_10 >= AHEAD).then(|| {
        format!(
            "Plain BM25 over the same documents has recall@10 {}, the pipeline {}: look for a fault before tuning, and \
             consider adding lexical search.",
            points(floor),
            points(level.recall_10)
        )
    })
}

fn retrieval_first(level: &Level) -> Option<String> {
    (level.recall_10 < LOW_RECALL).then(|| {
        format!(
            "The prompt is not the problem: recall@10 is {}, so much of what is asked for never reaches the model. Work on \
             retrieval before anything behind it.",
            points(level.recall_10)
        )
    })
}

fn ceiling(level: &Level) -> Option<String> {
    (level.depth >= 20 && level.recall < LOW_CEILING).then(|| {
        format!(
            "The ceiling is low: even the first {} results hold only {} points of recall, which no reranker can lift. Look at \
             parsing and chunking: is the answer in the index at all?",
            level.depth,
            points(level.recall)
        )
    })
}

fn reranker_pays(level: &Level) -> Option<String> {
    let gain = level.recall_20 - level.recall_10;
    (level.depth >= 20 && gain >= WITHIN_REACH).then(|| {
        format!(
            "A reranker can pay: recall@20 is {} and recall@10 {}, so {} points wait at places 11 to 20.",
            points(level.recall_20),
            points(level.recall_10),
            points(gain)
        )
    })
}

fn order_not_retrieval(level: &Level) -> Option<String> {
    (level.recall_10 >= HIGH_RECALL && level.mrr_10 < LOW_MRR).then(|| {
        format!(
            "The order is the problem, not retrieval: recall@10 is {} and mrr@10 {}. Rerank, rather than index anew.",
            points(level.recall_10),
            points(level.mrr_10)
        )
    })
}

fn no_threshold(level: &Level) -> Option<String> {
    let (all, abstained) = level.unanswerable;
    (all >= SOME_UNANSWERABLE && (abstained as f64) < LOW_ABSTENTION * all as f64).then(|| {
        format!(
            "There is no working threshold: {} of {all} queries without an answer get results. Cut by score, so that the model \
             can say that it does not know.",
            all - abstained
        )
    })
}

fn saturated(level: &Level) -> Option<String> {
    (level.recall_10 >= SATURATED).then(|| {
        format!(
            "The golden set is solved (recall@10 {}): add harder queries, or it will show neither progress nor much harm.",
            points(level.recall_10)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A level at which no rule speaks.
    const FINE: Level = Level {
        depth: 20,
        queries: 100,
        recall_10: 0.9,
        recall_20: 0.92,
        recall: 0.92,
        mrr_10: 0.8,
        unanswerable: (10, 8),
        judged_10: Some((0.5, 0.5)),
        bm25_recall_10: Some(0.6),
    };

    #[test]
    fn each_rule_speaks_when_it_should_and_is_documented() {
        assert_eq!(steps(&FINE), []);
        let documentation = include_str!("../docs/advice.md");
        for (rule, level) in [
            ("label-first", Level { judged_10: Some((0.5, 0.47)), ..FINE }),
            ("bm25-floor", Level { bm25_recall_10: Some(0.93), ..FINE }),
            ("retrieval-first", Level { recall_10: 0.69, recall_20: 0.7, recall: 0.85, ..FINE }),
            ("ceiling", Level { recall_10: 0.76, recall_20: 0.78, recall: 0.79, ..FINE }),
            ("reranker-pays", Level { recall_10: 0.86, recall_20: 0.92, ..FINE }),
            ("order-not-retrieval", Level { mrr_10: 0.5, ..FINE }),
            ("no-threshold", Level { unanswerable: (10, 4), ..FINE }),
            ("saturated", Level { recall_10: 0.99, recall_20: 0.99, recall: 0.99, bm25_recall_10: None, ..FINE }),
        ] {
            let rules: Vec<&str> = steps(&level).iter().map(|step| step.rule).collect();
            assert_eq!(rules, [rule]);
            assert!(documentation.contains(&format!("## {rule}\n")), "{rule} has no heading in docs/advice.md");
        }
        assert_eq!(RULES.len(), documentation.matches("\n## ").count());
        assert_eq!(steps(&Level { queries: 0, ..FINE }), []);
        let shallow = Level { depth: 10, recall_10: 0.75, recall_20: 0.75, recall: 0.75, ..FINE };
        assert_eq!(steps(&shallow), [], "ten results say nothing of a ceiling");
    }
}
