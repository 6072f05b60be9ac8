//! Reasons that need no test: floors and pinned queries.

use super::metric::mean;
use super::{SAME, points};
use crate::comparison::{ComparedQuery, Comparison, Move};
use crate::config::GateConfig;
use crate::id::QueryId;
use crate::metrics::Metric;
use crate::statistics::{Bounds, Deltas, Stream, bounds, resampled_sums};

/// The least mean that a metric may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// Which metric.
    pub metric: Metric,
    /// The least mean, a fraction.
    pub least: f64,
    /// The mean now, a fraction, over every query that has the metric, new ones included.
    pub current: f64,
    /// The 90 % interval of that mean, fractions.
    pub bounds: Bounds,
}

impl Floor {
    /// Whether the mean is below the floor.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.current < self.least - SAME
    }

    /// One sentence for people, for a floor that is broken.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!(
            "{} is {} (90 % bounds {} to {}), below its floor of {}.",
            self.metric,
            points(self.current),
            points(self.bounds.lower),
            points(self.bounds.upper),
            points(self.least)
        )
    }
}

/// A pinned query that lost in some gated metric.
#[derive(Clone, Debug, PartialEq)]
pub struct WorsePinned {
    /// The query.
    pub query: QueryId,
    /// The first gated metric in which it lost.
    pub metric: Metric,
    /// Its score in the baseline, a fraction.
    pub from: f64,
    /// Its score now.
    pub to: f64,
    /// The relevant documents that moved.
    pub moves: Vec<Move>,
}

impl WorsePinned {
    /// One sentence for people, not yet escaped.
    #[must_use]
    pub fn sentence(&self) -> String {
        let place =
            |place: Option<usize>| place.map_or_else(|| "not found".to_owned(), |place| format!("place {place}"));
        let moves: Vec<String> = self
            .moves
            .iter()
            .map(|change| format!("`{}` {} → {}", change.document, place(change.from), place(change.to)))
            .collect();
        let moved = if moves.is_empty() { String::new() } else { format!(": {}", moves.join(", ")) };
        format!(
            "Pinned query `{}` got worse in {} ({} → {}){moved}.",
            self.query,
            self.metric,
            points(self.from),
            points(self.to)
        )
    }
}

pub(super) fn floors(comparison: &Comparison<'_>, gate: &GateConfig) -> Vec<Floor> {
    let score = |query: &ComparedQuery<'_>, metric| query.current.as_ref()?.scores.get(&metric).copied();
    gate.floors
        .iter()
        .map(|&(metric, least)| {
            // A score is a delta from nothing.
            let scores = Deltas::new(comparison.queries.iter().filter_map(|query| score(query, metric)));
            let stream = Stream::named(gate.seed, "floor");
            let resampled = resampled_sums(&[&scores], stream, 0, gate.resamples).pop().unwrap_or_default();
            let current = mean(comparison.queries.iter().filter_map(|query| score(query, metric)));
            let Bounds { lower, upper } = bounds(&scores, &resampled);
            Floor { metric, least, current, bounds: Bounds { lower: lower.max(0.0), upper: upper.min(1.0) } }
        })
        .collect()
}

pub(super) fn worse_pinned(queries: &[&ComparedQuery<'_>], gated: &[Metric]) -> Vec<WorsePinned> {
    let pinned = queries.iter().filter(|query| query.query.is_pinned());
    pinned
        .filter_map(|query| {
            let metric =
                gated.iter().copied().find(|metric| query.delta(*metric).is_some_and(|delta| delta < -SAME))?;
            Some(WorsePinned {
                query: query.query.id.clone(),
                metric,
                from: *query.baseline.as_ref()?.scores.get(&metric)?,
                to: *query.current.as_ref()?.scores.get(&metric)?,
                moves: query.moves(),
            })
        })
        .collect()
}
