//! The calibration for machines.

use serde_json::{Value, json};

use crate::calibration::{Calibration, Kind, standard_error};
use crate::config::GateConfig;

/// Renders pretty-printed JSON; every number is a fraction with full precision.
#[must_use]
pub fn render(calibration: &Calibration, gate: &GateConfig) -> String {
    let rows: Vec<Value> = calibration
        .rows
        .iter()
        .map(|row| {
            let cells = row.cells.iter().map(|cell| {
                let error = cell.fails.map(|share| standard_error(share, calibration.trials));
                json!({ "drop": cell.drop, "fails": cell.fails, "significant": cell.significant, "standard_error": error })
            });
            let kind = match row.kind {
                Kind::Lost => "lost",
                Kind::Slipped => "slipped",
            };
            json!({ "kind": kind, "metric": row.metric.to_string(), "cells": cells.collect::<Vec<_>>() })
        })
        .collect();
    let value = json!({
        "schema_version": 1,
        "tool_version": env!("CARGO_PKG_VERSION"),
        "queries": calibration.queries,
        "trials": calibration.trials,
        "noise": calibration.noise,
        "test": { "alpha": gate.alpha, "min_drop": gate.min_drop, "seed": gate.seed },
        "rows": rows,
        "drop": calibration.drop,
        "queries_needed": calibration.queries_needed,
    });
    format!("{value:#}\n")
}
