//! Annotations of a pull request: workflow commands of GitHub Actions, a line each.

use super::escape::{clip, workflow_data, workflow_property};
use super::view::{Loser, View};
use super::words;
use crate::verdict::{Status, points};

/// GitHub shows ten annotations of one kind per step: these many queries, and one that sums up.
const QUERIES: usize = 9;
/// Characters of a text from outside.
const LONGEST: usize = 300;

/// The queries that lost most, each on its line of the golden set, and what the verdict is.
#[must_use]
pub fn render(view: &View<'_>) -> String {
    let level = match view.status {
        Status::Regression | Status::CouldNotMeasure => "error",
        // A green run must not look red: what moved is worth a look, no more.
        Status::Pass => "notice",
    };
    let shown = view.losers.iter().take(QUERIES).map(|loser| query(view, loser, level));
    shown.chain([summary(view, level)]).collect()
}

fn query(view: &View<'_>, loser: &Loser, level: &str) -> String {
    let query = &view.queries[loser.query];
    let changes: Vec<String> = loser
        .changes
        .iter()
        .map(|(metric, before, now)| format!("{metric} {} → {}", points(*before), points(*now)))
        .collect();
    let title = format!("{}: {}", clip(&query.id, LONGEST), changes.join(", "));
    let message =
        [clip(&query.text, LONGEST)].into_iter().chain(words::diagnosis(query)).collect::<Vec<_>>().join("\n");
    let place = match query.line {
        Some(line) => format!("file={},line={line},", workflow_property(&view.golden.file.path)),
        None => String::new(),
    };
    format!("::{level} {place}title={}::{}\n", workflow_property(&title), workflow_data(&message))
}

fn summary(view: &View<'_>, level: &str) -> String {
    let more = view.losers.len().saturating_sub(QUERIES);
    let more = if more == 0 { String::new() } else { format!("\n{more} more queries lost and are not annotated.") };
    let message: Vec<String> = view.reasons.iter().map(|reason| clip(reason, 4 * LONGEST)).collect();
    let title = format!("recall-gate: {}", words::verdict(view.status));
    format!("::{level} title={}::{}\n", workflow_property(&title), workflow_data(&(message.join("\n") + &more)))
}
