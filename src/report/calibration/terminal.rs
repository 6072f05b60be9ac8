//! The calibration in a terminal: 80 columns.

use super::{name, percent, sentences};
use crate::calibration::{Calibration, Cell, DROPS};
use crate::config::GateConfig;
use crate::report::table::align;
use crate::verdict::points;

/// Columns.
const WIDTH: usize = 80;

/// Renders without styles.
#[must_use]
pub fn render(calibration: &Calibration, gate: &GateConfig) -> String {
    let mut text = table("Chance that the gate fails (exit 1)", calibration, |cell| cell.fails);
    text.push_str(&table("Chance that the drop is significant, whatever its size", calibration, |cell| {
        cell.significant
    }));
    for sentence in sentences(calibration, gate) {
        let options = textwrap::Options::new(WIDTH).initial_indent("  ").subsequent_indent("  ");
        text.push_str(&textwrap::fill(&sentence, options));
        text.push_str("\n\n");
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn table(title: &str, calibration: &Calibration, value: fn(&Cell) -> Option<f64>) -> String {
    let drops = DROPS.iter().map(|drop| format!("-{}", points(*drop)));
    let header = ["drop, in points".to_owned(), "of".to_owned(), "none".to_owned()].into_iter().chain(drops).collect();
    let rows = calibration.rows.iter().map(|row| {
        let cells = row.cells.iter().map(|cell| value(cell).map_or_else(|| "-".to_owned(), percent));
        [name(row.kind).to_owned(), row.metric.to_string()].into_iter().chain(cells).collect()
    });
    let lines = align(&std::iter::once(header).chain(rows).collect::<Vec<Vec<String>>>(), false);
    let lines: String = lines.into_iter().map(|line| format!("  {line}\n")).collect();
    format!("{title}\n{lines}\n")
}
