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
        let scores: Vec<f64> = sides.filter_map(|side| side.scores.get(metric)).copied().collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let mean = if scores.is_empty() { "-".to_owned() } else { points(mean) };
        vec![metric.to_string(), scores.len().to_string(), mean]
    });
    let lines = align(&std::iter::once(header).chain(rows).collect::<Vec<_>>(), false);
    std::iter::once("Means, in points".to_owned())
        .chain(lines.into_iter().map(|line| format!("  {line}")))
        .flat_map(|line| [line, "\n".to_owned()])
        .collect()
}
