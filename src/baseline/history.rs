//! What became of the baseline: a line per update, and whether it has worn down.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Provenance;
use crate::comparison::Comparison;
use crate::metrics::Metric;

/// One update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// As in the header of the baseline.
    pub created: String,
    /// As in the header of the baseline.
    pub commit: Option<String>,
    /// As in the header of the baseline.
    pub author: Option<String>,
    /// As in the header of the baseline.
    pub reason: String,
    /// The golden set whose judgments gave the means.
    pub golden_digest: String,
    /// Queries answered.
    pub queries: usize,
    /// The mean of every metric at that time, a fraction, by name.
    pub means: BTreeMap<String, f64>,
}

impl Entry {
    /// An update of which `comparison` has the baseline as its current side.
    #[must_use]
    pub fn new(provenance: &Provenance, comparison: &Comparison<'_>, metrics: &[Metric]) -> Self {
        let means = metrics.iter().filter_map(|metric| Some((metric.to_string(), comparison.current_mean(*metric)?)));
        Self {
            created: provenance.created.clone(),
            commit: provenance.commit.clone(),
            author: provenance.author.clone(),
            reason: provenance.reason.clone(),
            golden_digest: provenance.golden_digest.clone(),
            queries: provenance.queries,
            means: means.collect(),
        }
    }
}

/// Writes one update a line, the oldest first.
#[must_use]
pub fn format(entries: &[Entry]) -> String {
    entries.iter().map(|entry| serde_json::to_string(entry).unwrap_or_default() + "\n").collect()
}

/// Reads what [`format`] wrote; blank lines are passed over.
///
/// # Errors
/// `line N: …` for the first line that is no update.
pub fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| {
                format!("line {}: {error}\nhint: restore the committed file (`git checkout -- FILE`)", index + 1)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_damage_is_named() {
        let entry = Entry {
            created: "2026-01-02T03:04:05Z".into(),
            commit: None,
            author: None,
            reason: "é \"x\"".into(),
            golden_digest: "sha256:0".into(),
            queries: 2,
            means: [("mrr".to_owned(), 0.5)].into(),
        };
        let text = format(&[entry.clone(), entry.clone()]);
        assert_eq!(text.lines().count(), 2);
        assert_eq!(parse(&text.replace('\n', "\r\n\r\n")).unwrap(), [entry.clone(), entry]);
        assert!(parse(&format!("{text}x\n")).unwrap_err().starts_with("line 3: "));
    }
}
