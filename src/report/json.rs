//! The machine-readable report. Its shape is stable; `schema_version` changes when a field changes its meaning.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::view::{QueryFacts, View};
use crate::causes::Diagnosis;
use crate::comparison::Move;
use crate::id::{DocumentId, QueryId};
use crate::metrics::Metric;
use crate::verdict::{MetricStatus, MetricVerdict, Status};

/// The version of the shape below.
const SCHEMA_VERSION: u32 = 1;

/// The report as pretty-printed JSON; scores are fractions with full precision.
#[must_use]
pub fn render(view: &View<'_>) -> String {
    let baseline = view.baseline.as_ref().map(|baseline| {
        json!({
            "path": baseline.path,
            "commit": baseline.commit,
            "created": baseline.created,
            "reason": baseline.reason,
        })
    });
    let slices = view.slices.iter().map(|slice| {
        json!({
            "name": slice.name,
            "queries": slice.queries,
            "gated": slice.gated,
            "metrics": slice.metrics.iter().map(metric).collect::<Vec<_>>(),
        })
    });
    let repeats = view.repeats.as_ref().map(|repeats| {
        let spread = repeats.spread.iter().map(|(metric, spread)| (metric.to_string(), Value::from(*spread)));
        json!({
            "baseline": repeats.baseline,
            "current": repeats.current,
            "restless_queries": repeats.restless,
            "spread": spread.collect::<Map<_, _>>(),
        })
    });
    let report = json!({
        "schema_version": SCHEMA_VERSION,
        "tool_version": view.tool_version,
        "verdict": match view.status {
            Status::Pass => "pass",
            Status::Regression => "regression",
            Status::CouldNotMeasure => "could_not_measure",
        },
        "reasons": view.reasons,
        "advice": view.advice,
        "steps": view.steps.iter().map(|step| json!({ "rule": step.rule, "sentence": step.sentence })).collect::<Vec<_>>(),
        "warnings": view.warnings,
        "golden": {
            "digest": view.golden.digest,
            "queries": view.golden.queries,
            "answerable": view.golden.answerable,
            "unanswerable": view.golden.unanswerable,
            "changed_since_baseline": view.golden.changed_since_baseline,
        },
        "baseline": baseline,
        "test": {
            "alpha": view.test.alpha,
            "min_drop": view.test.min_drop,
            "resamples": view.test.resamples,
            "seed": view.test.seed,
            "correction": "step-down maximum",
        },
        "repeats": repeats,
        "metrics": view.metrics.iter().map(metric).collect::<Vec<_>>(),
        "slices": slices.collect::<Vec<_>>(),
        "tail": tail(view),
        "causes": view.causes.iter().map(|(kind, count)| (kind.name().to_owned(), json!(count))).collect::<Map<_, _>>(),
        "queries": view.queries.iter().map(query).collect::<Vec<_>>(),
    });
    // The alternate form is pretty-printed. In a log, the runner of GitHub Actions would obey `##[…]` anywhere in a line;
    // it only stands in strings, where JSON has another way of writing it.
    format!("{report:#}\n").replace("##[", "##\\u005b")
}

fn metric(metric: &MetricVerdict) -> Value {
    json!({
        "name": metric.metric.to_string(),
        "gated": metric.gated,
        "queries": metric.queries,
        "baseline": metric.baseline,
        "current": metric.current,
        "delta": metric.delta,
        "ci_lower": metric.bounds.lower,
        "ci_upper": metric.bounds.upper,
        "p_value": metric.p_value,
        "p_adjusted": metric.p_adjusted,
        "worst_plausible_drop": metric.worst_plausible_drop,
        "detectable_drop": metric.detectable_drop,
        "better": metric.better,
        "worse": metric.worse,
        "same": metric.same,
        "verdict": match metric.status {
            MetricStatus::Improved => "improved",
            MetricStatus::Pass => "pass",
            MetricStatus::Warning => "warning",
            MetricStatus::Regression => "regression",
            MetricStatus::NotCompared => "not_compared",
        },
    })
}

fn query(query: &QueryFacts<'_>) -> Value {
    let results = query.results();
    let results =
        results.iter().map(|result| json!({ "id": result.id, "document": result.document, "grade": result.grade }));
    json!({
        "id": query.id,
        "text": query.text,
        "tags": query.tags,
        "baseline": query.baseline.as_ref().map(scores),
        "current": query.current.as_ref().map(scores),
        "results": results.collect::<Vec<_>>(),
        "moves": query.moves.iter().map(moved).collect::<Vec<_>>(),
        "cause": query.diagnosis.as_ref().map(cause),
    })
}

fn moved(change: &Move) -> Value {
    json!({
        "document": change.document.as_str(),
        "grade": change.grade.value(),
        "from": change.from,
        "to": change.to,
    })
}

fn cause(diagnosis: &Diagnosis) -> Value {
    let unjudged = diagnosis.unjudged.as_ref().map(|unjudged| {
        json!({
            "metric": unjudged.metric.to_string(),
            "documents": unjudged.documents.iter().map(DocumentId::as_str).collect::<Vec<_>>(),
            "delta_worst": unjudged.worst,
            "delta_best": unjudged.best,
        })
    });
    json!({
        "kind": diagnosis.cause.kind().name(),
        "document": diagnosis.cause.moved().map(|change| change.document.as_str()),
        "sentence": diagnosis.cause.sentence(),
        "unjudged": unjudged,
    })
}

fn scores(scores: &BTreeMap<Metric, f64>) -> Value {
    Value::Object(scores.iter().map(|(metric, score)| (metric.to_string(), json!(score))).collect::<Map<_, _>>())
}

fn tail(view: &View<'_>) -> Value {
    let id = |query: usize| view.queries[query].id.as_str();
    let findings = view.analysis.findings.iter().map(|finding| {
        json!({
            "outcome": finding.outcome.name(),
            "group": finding.group,
            "with": finding.table.with,
            "queries": finding.table.group,
            "rest_with": finding.table.rest_with,
            "rest_queries": finding.table.rest,
            "p_value": finding.p_value,
            "p_adjusted": finding.p_adjusted,
            "shown": finding.is_shown(),
            "named": finding.queries.iter().map(QueryId::as_str).collect::<Vec<_>>(),
        })
    });
    json!({
        "metric": Metric::Recall(view.tail_depth).to_string(),
        "queries": view.tail.iter().map(|entry| id(entry.query)).collect::<Vec<_>>(),
        "new": view.tail.iter().filter(|entry| entry.new).map(|entry| id(entry.query)).collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
    })
}
