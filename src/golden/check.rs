//! Whether a sound golden set can also carry a verdict.

use std::collections::BTreeMap;

use super::GoldenSet;
use crate::verdict::{FEWEST_QUERIES, FEWEST_UNANSWERABLE, counted};

/// With fewer answerable queries than this only large drops are caught.
const ENOUGH: usize = 100;

/// The share of queries that should be hard on purpose.
const HARD: f64 = 0.2;

/// What is missing, a sentence each.
#[must_use]
pub fn fitness(set: &GoldenSet) -> Vec<String> {
    let answerable = set.answerable().count();
    let unanswerable = set.queries.len() - answerable;
    let mut warnings = Vec::new();
    if answerable < FEWEST_QUERIES {
        warnings.push(format!(
            "Too few answerable queries for a verdict: {answerable}. `run` needs {FEWEST_QUERIES} at least, and about {ENOUGH} \
             to catch a drop of 5 to 10 points."
        ));
    } else if answerable < ENOUGH {
        warnings.push(format!(
            "{answerable} answerable queries catch only large drops; about {ENOUGH} catch one of 5 to 10 points."
        ));
    }
    if unanswerable < FEWEST_UNANSWERABLE {
        warnings.push(format!(
            "Too few unanswerable queries for `abstention` to gate: {unanswerable} of the {FEWEST_UNANSWERABLE} it needs."
        ));
    }
    let hard = set.queries.iter().filter(|query| query.tags.iter().any(|tag| tag == "hard")).count();
    if (hard as f64) < HARD * set.queries.len() as f64 {
        warnings.push(format!(
            "Tagged `hard`: {hard} of {} queries; a set that is solved cannot show a gain, and a fifth should be hard.",
            set.queries.len()
        ));
    }
    warnings.extend(twins(set));
    warnings
}

/// Queries that ask the same count twice in every mean.
fn twins(set: &GoldenSet) -> Option<String> {
    let mut texts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for query in &set.queries {
        let words: Vec<&str> = query.text.split_whitespace().collect();
        texts.entry(words.join(" ").to_lowercase()).or_default().push(query.id.as_str());
    }
    let same: Vec<String> =
        texts.into_values().filter(|ids| ids.len() > 1).map(|ids| format!("`{}`", ids.join("` = `"))).collect();
    let shown = same.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
    (!same.is_empty()).then(|| format!("Asked more than once: {} ({shown}).", counted(same.len(), "text", "texts")))
}
