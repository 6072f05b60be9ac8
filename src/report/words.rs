//! Sentences that every format for people has; not yet escaped.

use super::view::{QueryFacts, View};
use crate::causes::Kind;
use crate::comparison::Move;
use crate::verdict::counted;

/// Why the queries that lost did, counted.
pub(super) fn causes(view: &View) -> String {
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

/// Why one query lost, a line each.
pub(super) fn diagnosis(query: &QueryFacts) -> Vec<String> {
    let Some(diagnosis) = &query.diagnosis else { return Vec::new() };
    let unjudged = diagnosis.unjudged.iter().map(crate::causes::Unjudged::sentence);
    std::iter::once(diagnosis.cause.sentence()).chain(unjudged).collect()
}

/// The relevant documents that moved and of which the cause does not speak.
pub(super) fn other_moves(query: &QueryFacts) -> impl Iterator<Item = &Move> {
    let told = query.diagnosis.as_ref().and_then(|diagnosis| diagnosis.cause.moved());
    query.moves.iter().filter(move |change| Some(*change) != told)
}
