//! Where a baseline comes from, for people.

use super::escape::terminal_line;
use super::table::align;
use crate::baseline::Provenance;

/// One fact a line; `golden_unchanged` says whether today's golden set is the one it was measured with.
#[must_use]
pub fn render(provenance: &Provenance, golden_unchanged: bool) -> String {
    let commit = provenance.commit.as_deref().unwrap_or("unknown (not in git)");
    let dirty = if provenance.dirty { ", with uncommitted changes" } else { "" };
    let golden = if golden_unchanged { "unchanged since" } else { "changed since" };
    let rows = [
        ("created", provenance.created.clone()),
        ("reason", provenance.reason.clone()),
        ("author", provenance.author.clone().unwrap_or_else(|| "unknown".to_owned())),
        ("commit", format!("{commit}{dirty}")),
        ("pipeline", provenance.pipeline.clone()),
        ("depth", provenance.depth.to_string()),
        ("repeat", provenance.repeat.to_string()),
        ("queries", provenance.queries.to_string()),
        ("golden set", golden.to_owned()),
        ("tool", format!("recall-gate {}", provenance.tool_version)),
    ];
    let rows: Vec<Vec<String>> =
        rows.iter().map(|(name, value)| vec![(*name).to_owned(), terminal_line(value)]).collect();
    align(&rows, true).into_iter().flat_map(|line| [line, "\n".to_owned()]).collect()
}
