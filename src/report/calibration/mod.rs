//! What `calibrate` shows.

use std::str::FromStr;

use crate::calibration::{Calibration, Kind};
use crate::config::GateConfig;
use crate::sink::Shares;
use crate::verdict::points;

pub mod html;
pub mod json;
pub mod terminal;

/// A kind of calibration report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Tables and sentences, 80 columns.
    Terminal,
    /// For machines; stable.
    Json,
    /// One page without anything from elsewhere, with the curve.
    Html,
}

impl Format {
    /// The report as text.
    #[must_use]
    pub fn render(self, calibration: &Calibration, gate: &GateConfig) -> String {
        match self {
            Self::Terminal => terminal::render(calibration, gate),
            Self::Json => json::render(calibration, gate),
            Self::Html => html::render(calibration, gate),
        }
    }
}

impl Shares for Format {}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "terminal" => Ok(Self::Terminal),
            "json" => Ok(Self::Json),
            "html" => Ok(Self::Html),
            _ => Err(format!("unknown report format `{text}`; known are terminal, json and html")),
        }
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Lost => "queries are lost",
        Kind::Slipped => "queries slip",
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// What was simulated, and what follows, a sentence each.
fn sentences(calibration: &Calibration, gate: &GateConfig) -> Vec<String> {
    let alarms = calibration.rows.iter().filter_map(|row| row.cells.first()?.fails);
    let worst = alarms.fold(0.0, f64::max);
    let error = crate::calibration::standard_error(worst, calibration.trials);
    let needed = match calibration.queries_needed {
        Some(needed) => format!(
            "To catch a drop of {} points four times in five, about {needed} answerable queries like these are needed; \
             the set has {}.",
            points(calibration.drop),
            calibration.queries
        ),
        None => format!(
            "No number of queries catches a drop of {} points four times in five: it must exceed `min_drop`, which is \
             {} points.",
            points(calibration.drop),
            points(gate.min_drop)
        ),
    };
    vec![
        format!(
            "Each cell is {} simulated changes of these rankings. A query is lost when every relevant document leaves its \
             ranking; it slips when they stand three places lower. Beside that, the rankings of {} of the queries are at \
             random one or the other on either side, which is what \"nothing changed\" looks like.",
            calibration.trials,
            percent(calibration.noise)
        ),
        format!(
            "False alarms: at most {} (± {}), where alpha = {} allows {}.",
            percent(worst),
            percent(error),
            gate.alpha,
            percent(gate.alpha)
        ),
        needed,
    ]
}
