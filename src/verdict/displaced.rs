//! Documents that nobody judged and that took the place of judged ones.

use std::collections::{BTreeMap, BTreeSet};

use super::{MetricStatus, MetricVerdict, SAME, counted, points};
use crate::comparison::{ComparedQuery, Side};
use crate::id::DocumentId;
use crate::metrics::Metric;

/// Documents that are spelled out.
const NAMED: usize = 5;

/// What to label before a drop is believed; `None` where no gated metric dropped, or where every document of the queries
/// that got worse is known.
pub(super) fn sentence(queries: &[&ComparedQuery<'_>], metrics: &[MetricVerdict]) -> Option<String> {
    let dropped = |metric: &&MetricVerdict| {
        metric.gated && matches!(metric.status, MetricStatus::Regression | MetricStatus::Warning)
    };
    let metric = metrics.iter().find(dropped)?.metric;
    let depth = metric.cutoff()?;
    let mut displacing: BTreeMap<DocumentId, usize> = BTreeMap::new();
    for query in queries.iter().filter(|query| query.delta(metric).is_some_and(|delta| delta < -SAME)) {
        let (Some(before), Some(now)) = (&query.baseline, &query.current) else { continue };
        let known = documents(before, depth, |_| true);
        for document in documents(now, depth, |is_judged| !is_judged).difference(&known) {
            *displacing.entry(document.clone()).or_default() += 1;
        }
    }
    if displacing.is_empty() {
        return None;
    }
    let mut by_count: Vec<(DocumentId, usize)> = displacing.into_iter().collect();
    by_count.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let named: Vec<String> = by_count
        .iter()
        .take(NAMED)
        .map(|(document, count)| if *count == 1 { format!("`{document}`") } else { format!("`{document}` in {count}") })
        .collect();
    let more = if by_count.len() > NAMED { format!(" and {} more", by_count.len() - NAMED) } else { String::new() };
    let judged = metrics.iter().find(|own| matches!(own.metric, Metric::Judged(_)) && own.delta < 0.0);
    let judged =
        judged.map(|own| format!(" ({} fell from {} to {})", own.metric, points(own.baseline), points(own.current)));
    Some(format!(
        "In the queries that got worse, {} that nobody judged {} new among the first {depth}{}: {}{more}. Label those \
         that answer: the drop is smaller by so much.",
        counted(by_count.len(), "document", "documents"),
        if by_count.len() == 1 { "is" } else { "are" },
        judged.unwrap_or_default(),
        named.join(", ")
    ))
}

/// The documents of the first `depth` places of which `wanted` says so, by whether they are judged.
fn documents(side: &Side<'_>, depth: usize, wanted: fn(bool) -> bool) -> BTreeSet<DocumentId> {
    let places = side.graded().places.into_iter().take(depth);
    places.filter(|place| wanted(place.grade.is_some())).map(|place| place.document).collect()
}
