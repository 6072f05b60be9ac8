//! Sentences that every format for people has; not yet escaped.

use super::table::cut;
use super::view::{QueryFacts, Repeats, View};
use crate::causes::Kind;
use crate::comparison::Move;
use crate::id::QueryId;
use crate::verdict::{MetricStatus, Status, counted, points};

/// Queries named of a group.
const NAMED: usize = 5;

/// The verdict in capitals.
pub(super) fn verdict(status: Status) -> &'static str {
    match status {
        Status::Pass => "PASS",
        Status::Regression => "REGRESSION",
        Status::CouldNotMeasure => "COULD NOT MEASURE",
    }
}

/// The verdict as a sign, beside the word and never instead of it.
pub(super) fn sign(status: Status) -> &'static str {
    match status {
        Status::Pass => "✅",
        Status::Regression => "❌",
        Status::CouldNotMeasure => "⚠️",
    }
}

/// The verdict on one metric.
pub(super) fn metric(status: MetricStatus) -> &'static str {
    match status {
        MetricStatus::Regression => "REGRESSION",
        MetricStatus::Warning => "warning",
        MetricStatus::Improved => "improved",
        MetricStatus::Pass => "no drop",
        MetricStatus::NotCompared => "too few",
    }
}

/// A p-value with as many digits as mean something.
pub(super) fn probability(p: f64) -> String {
    if p < 0.0001 { "<0.0001".to_owned() } else { format!("{p:.4}") }
}

/// What was compared, and how, a line each.
pub(super) fn footer(view: &View<'_>) -> Vec<String> {
    let golden = &view.golden;
    let set = format!(
        "golden set: {} queries, {} answerable, {} unanswerable",
        golden.queries, golden.answerable, golden.unanswerable
    );
    let baseline = view.baseline.as_ref().map(|baseline| {
        let created = baseline.created.as_ref().map(|created| format!(" of {created}")).unwrap_or_default();
        let commit = baseline.commit.as_ref().map(|commit| format!(" at {}", cut(commit, 13))).unwrap_or_default();
        let reason = baseline.reason.as_ref().map(|reason| format!(", \"{reason}\"")).unwrap_or_default();
        format!("baseline: {}{created}{commit}{reason}", baseline.path)
    });
    let test = format!(
        "test: paired bootstrap, step-down maximum, alpha {}, min_drop {}, {} resamples, seed {}",
        view.test.alpha, view.test.min_drop, view.test.resamples, view.test.seed
    );
    [Some(set), baseline, view.repeats.as_ref().map(repeated), Some(test)].into_iter().flatten().collect()
}

/// How much of a difference is the pipeline's own.
fn repeated(repeats: &Repeats) -> String {
    let times = |count: usize| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let spread: Vec<String> =
        repeats.spread.iter().map(|(metric, spread)| format!("{metric} {}", points(*spread))).collect();
    format!(
        "repeats: asked {} in the baseline and {} now; {} queries score differently from time to time, and the means by up \
         to (in points): {}",
        times(repeats.baseline),
        times(repeats.current),
        repeats.restless,
        spread.join(", ")
    )
}

/// Why the queries that lost did, counted.
pub(super) fn causes(view: &View<'_>) -> String {
    let lost = counted(view.losers.len(), "query", "queries");
    let parts: Vec<String> =
        view.causes.iter().map(|(kind, count)| format!("{count} {}", predicate(*kind, *count))).collect();
    let unjudged = view.queries.iter().filter_map(|query| query.diagnosis.as_ref()?.unjudged.as_ref());
    let undone = unjudged.filter(|unjudged| unjudged.best >= 0.0).count();
    let undone = match undone {
        0 => String::new(),
        _ => format!(" In {undone}, the unjudged documents that came in could outweigh the loss: label them."),
    };
    format!("Of {lost}, {}.{undone}", parts.join(", "))
}

fn predicate(kind: Kind, count: usize) -> String {
    let many = kind.predicate();
    if count != 1 {
        return many.to_owned();
    }
    // `1 has`, `1 points`, `1 differs`; past tenses stay.
    match many.split_once(' ') {
        Some(("have", rest)) => format!("has {rest}"),
        Some(("point", rest)) => format!("points {rest}"),
        Some(("differ", rest)) => format!("differs {rest}"),
        _ => many.to_owned(),
    }
}

/// What failing queries have in common, a sentence each with the queries named.
pub(super) fn findings(view: &View<'_>) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for finding in &view.analysis.findings {
        sentences.push(format!("{} {}", finding.sentence(), named(&finding.queries)));
    }
    let tested = view.analysis.tested.values().max().copied().unwrap_or(0);
    if sentences.is_empty() && tested > 0 && !view.tail.is_empty() {
        sentences.push(format!("None of {} sets the queries that fail apart.", counted(tested, "trait", "traits")));
    }
    sentences
}

fn named(queries: &[QueryId]) -> String {
    let shown: Vec<String> = queries.iter().take(NAMED).map(|query| format!("`{query}`")).collect();
    let more = if queries.len() > NAMED { format!(" and {} more", queries.len() - NAMED) } else { String::new() };
    format!("({}{more})", shown.join(", "))
}

/// Why one query lost, a line each.
pub(super) fn diagnosis(query: &QueryFacts<'_>) -> Vec<String> {
    let Some(diagnosis) = &query.diagnosis else { return Vec::new() };
    let unjudged = diagnosis.unjudged.iter().map(crate::causes::Unjudged::sentence);
    std::iter::once(diagnosis.cause.sentence()).chain(unjudged).collect()
}

/// The relevant documents that moved and of which the cause does not speak.
pub(super) fn other_moves<'a>(query: &'a QueryFacts<'_>) -> impl Iterator<Item = &'a Move> {
    let told = query.diagnosis.as_ref().and_then(|diagnosis| diagnosis.cause.moved());
    query.moves.iter().filter(move |change| Some(*change) != told)
}
