//! The history of the baseline, for people.

use super::escape::terminal_line;
use super::table::{align, cut};
use crate::baseline::history::Entry;
use crate::metrics::Metric;
use crate::verdict::points;

/// Columns left for a reason.
const REASON: usize = 30;

/// A line per update with its means and what it cost or gained, the newest first, under a curve per metric.
#[must_use]
pub fn render(entries: &[Entry], metrics: &[Metric]) -> String {
    let names: Vec<String> = metrics.iter().map(ToString::to_string).collect();
    let known: Vec<&String> =
        names.iter().filter(|name| entries.iter().any(|entry| entry.means.contains_key(*name))).take(3).collect();
    let header = ["updated".to_owned()].into_iter().chain(known.iter().map(|name| (*name).clone()));
    let header: Vec<String> = header.chain(["reason".to_owned()]).collect();
    let rows = entries.iter().enumerate().rev().map(|(index, entry)| {
        let before = index.checked_sub(1).map(|before| &entries[before]);
        let means = known.iter().map(|name| cell(entry.means.get(*name), before.and_then(|b| b.means.get(*name))));
        let day = entry.created.split('T').next().unwrap_or_default();
        let reason = cut(&terminal_line(&entry.reason), REASON);
        [terminal_line(day)].into_iter().chain(means).chain([reason]).collect()
    });
    let curves = known.iter().map(|name| {
        let means: Vec<f64> = entries.iter().filter_map(|entry| entry.means.get(*name).copied()).collect();
        format!("{name}  {}", sparkline(&means))
    });
    let table = align(&std::iter::once(header).chain(rows).collect::<Vec<Vec<String>>>(), true);
    curves.chain([String::new()]).chain(table).map(|line| line + "\n").collect()
}

fn cell(mean: Option<&f64>, before: Option<&f64>) -> String {
    let Some(mean) = mean else { return "-".to_owned() };
    match before.map(|before| points(mean - before)) {
        Some(change) if change.starts_with('-') => format!("{} ({change})", points(*mean)),
        Some(change) if change != "0.0" => format!("{} (+{change})", points(*mean)),
        _ => format!("{}       ", points(*mean)).trim_end().to_owned(),
    }
}

/// A curve of one line, from the lowest to the highest of `values`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of seven steps")]
fn sparkline(values: &[f64]) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (low, high) = values.iter().fold((1.0_f64, 0.0_f64), |(low, high), value| (low.min(*value), high.max(*value)));
    let step = |value: &f64| if high > low { ((value - low) / (high - low) * 7.0).round() as usize } else { 3 };
    values.iter().map(|value| STEPS[step(value).min(7)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_from_its_lowest_to_its_highest() {
        assert_eq!(sparkline(&[0.5, 0.6, 0.7]), "▁▅█");
        assert_eq!(sparkline(&[0.5, 0.5]), "▄▄");
        assert_eq!(sparkline(&[]), "");
    }
}
