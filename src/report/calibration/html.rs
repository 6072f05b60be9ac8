//! The calibration as one page: the curve, the table under it, and what they mean. It loads nothing.

use super::{name, percent, sentences};
use crate::calibration::{Calibration, Cell, Row};
use crate::config::GateConfig;
use crate::verdict::points;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;\
color:#1b1f24;background:#fff}table{border-collapse:collapse;margin:1rem 0}th,td{padding:.25rem .75rem;\
text-align:right;border-bottom:1px solid #d0d7de}th:first-child,td:first-child{text-align:left}\
svg{width:100%;height:auto}svg text{font-size:13px;fill:currentColor}.axis{stroke:#8c959f}.grid{stroke:#d0d7de}\
.a{stroke:#0b5cad;fill:#0b5cad}.b{stroke:#b3541e;fill:#b3541e}path{fill:none!important;stroke-width:2.5}\
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}.grid,th,td{stroke:#30363d;\
border-color:#30363d}.a{stroke:#6cb6ff;fill:#6cb6ff}.b{stroke:#f0a36b;fill:#f0a36b}}";

/// Renders the page. Nothing in it comes from outside but metric names, which have no markup.
#[must_use]
pub fn render(calibration: &Calibration, gate: &GateConfig) -> String {
    let paragraphs: String = sentences(calibration, gate)
        .iter()
        .map(|sentence| format!("<p>{}</p>\n", sentence.replace('&', "&amp;").replace('<', "&lt;")))
        .collect();
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>recall-gate calibration</title><style>{STYLE}</style></head><body>\n\
         <h1>What this gate would say</h1>\n{}\n{}\n{paragraphs}</body></html>\n",
        curve(calibration),
        table(calibration)
    )
}

fn table(calibration: &Calibration) -> String {
    let drops = calibration.rows.first().map_or(&[][..], |row| &row.cells);
    let header: String = drops.iter().map(|cell| format!("<th>{}</th>", points(-cell.drop))).collect();
    let rows: String = calibration
        .rows
        .iter()
        .map(|row| {
            let cells = row.cells.iter().map(|cell| cell.fails.map_or_else(|| "–".to_owned(), percent));
            let cells: String = cells.map(|cell| format!("<td>{cell}</td>")).collect();
            format!("<tr><td>{} ({})</td>{cells}</tr>\n", name(row.kind), row.metric)
        })
        .collect();
    format!(
        "<table><caption>Chance that the gate fails, by the change in points</caption><tr><th></th>{header}</tr>\n{rows}\
         </table>"
    )
}

/// The drawing area, in its own units.
const LEFT: f64 = 60.0;
const TOP: f64 = 20.0;
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 260.0;

fn curve(calibration: &Calibration) -> String {
    let most = calibration.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.drop).fold(0.01, f64::max);
    let x = |drop: f64| LEFT + WIDTH * drop / most;
    let y = |share: f64| TOP + HEIGHT * (1.0 - share);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" aria-label=\"Chance that the gate fails, by the size of the drop; \
         the same numbers stand in the table below\">",
        LEFT + WIDTH + 20.0,
        TOP + HEIGHT + 50.0
    );
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        svg.push_str(&format!(
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"end\">{:.0} %</text>",
            LEFT + WIDTH,
            y(share),
            y(share),
            LEFT - 8.0,
            y(share) + 4.0,
            share * 100.0
        ));
    }
    for cell in calibration.rows.first().map_or(&[][..], |row| &row.cells) {
        let (x, y) = (x(cell.drop), TOP + HEIGHT + 20.0);
        svg.push_str(&format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>", points(cell.drop)));
    }
    svg.push_str(&format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">drop, in points</text>",
        LEFT + WIDTH / 2.0,
        TOP + HEIGHT + 42.0
    ));
    for (row, class) in calibration.rows.iter().zip(["a", "b"]) {
        svg.push_str(&line(row, class, x, y));
    }
    svg + "</svg>"
}

fn line(row: &Row, class: &str, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) -> String {
    let known = |cell: &Cell| Some((x(cell.drop), y(cell.fails?)));
    let points: Vec<(f64, f64)> = row.cells.iter().filter_map(known).collect();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let dots: String = points.iter().map(|(x, y)| format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>")).collect();
    let label = if class == "a" { TOP + 14.0 } else { TOP + 32.0 };
    format!(
        "<g class=\"{class}\"><path d=\"M{}\"/>{dots}<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/></g><text x=\"{:.1}\" \
         y=\"{label:.1}\">{} ({})</text>",
        path.join("L"),
        LEFT + 20.0,
        label - 4.0,
        LEFT + 32.0,
        name(row.kind),
        row.metric
    )
}
