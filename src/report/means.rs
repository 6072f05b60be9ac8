//! The scores of one run, where there is nothing to compare it with.

use super::table::align;
use crate::comparison::Comparison;
use crate::metrics::Metric;
use crate::verdict::points;

/// One line per metric: its mean over the queries that have it.
#[must_use]
pub fn render(comparison: &Comparison<'_>, metrics: &[Metric]) -> String {
    let header = ["", "queries", "mean"].map(str::to_owned).to_vec();
    let rows = metrics.iter().map(|metric| {
        let sides = comparison.queries.iter().filter_map(|query| query.current.as_ref());
        let queries = sides.filter(|side| side.scores.contains_key(metric)).count();
        let mean = comparison.current_mean(*metric).map_or_else(|| "-".to_owned(), points);
        vec![metric.to_string(), queries.to_string(), mean]
    });
    let lines = align(&std::iter::once(header).chain(rows).collect::<Vec<_>>(), false);
    std::iter::once("Means, in points".to_owned())
        .chain(lines.into_iter().map(|line| format!("  {line}")))
        .flat_map(|line| [line, "\n".to_owned()])
        .collect()
}
