//! What the gate, as configured, would say of changes whose effect is known: simulated from a golden set's own rankings.
//!
//! A simulated change picks, for every query, one of two rankings: the baseline's own, or one that is worse in a known
//! way. Every metric is computed from the ranking that was picked, so that metrics depend on each other as they really
//! do. Where nothing changed, both sides pick at random with the same chances: whatever differs is noise.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use rayon::prelude::*;

use crate::comparison::Comparison;
use crate::config::GateConfig;
use crate::metrics::{GradedRanking, Metric, Place};
use crate::statistics::{Candidate, Deltas, Sample, Stream, outcomes, queries_needed};
use crate::verdict::{MetricStatus, metric_status};

/// The drops that are simulated, as fractions.
pub const DROPS: [f64; 5] = [0.01, 0.02, 0.03, 0.05, 0.10];

/// Places by which a query slips.
const SLIP: usize = 3;

/// Resamples of one simulated test: a threshold at 5 % needs no more.
const RESAMPLES: usize = 1_000;

/// How queries get worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every relevant document leaves the ranking.
    Lost,
    /// Every relevant document slips down by three places.
    Slipped,
}

/// How much is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Simulated changes per cell, at least 1.
    pub trials: usize,
    /// Share of the queries whose ranking is at random one of two on either side, whatever the change does.
    pub noise: f64,
    /// The drop that should be caught, as a fraction.
    pub drop: f64,
}

/// One cell: how often the gate spoke of a drop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The drop in the mean of [`Row::metric`], a fraction; 0 where nothing changed.
    pub drop: f64,
    /// Share of the changes that fail the gate; `None` where the ranking cannot lose so much in this way.
    pub fails: Option<f64>,
    /// Share of the changes that are significant, whatever `min_drop` says.
    pub significant: Option<f64>,
}

/// One way to get worse.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Which way.
    pub kind: Kind,
    /// The gated metric in which the drops are measured.
    pub metric: Metric,
    /// Nothing changed, then every one of [`DROPS`].
    pub cells: Vec<Cell>,
}

/// What a calibration found.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Answerable queries.
    pub queries: usize,
    /// As simulated.
    pub trials: usize,
    /// As simulated.
    pub noise: f64,
    /// Queries lost, then queries slipped.
    pub rows: Vec<Row>,
    /// The drop asked for.
    pub drop: f64,
    /// Answerable queries with which it would fail the gate four times in five, by losing queries; `None` where
    /// `min_drop` lets it pass however many there are.
    pub queries_needed: Option<usize>,
}

/// The standard error of a share that was simulated.
#[must_use]
pub fn standard_error(share: f64, trials: usize) -> f64 {
    (share * (1.0 - share) / trials as f64).sqrt()
}

/// Simulates changes to the current side of `comparison`; `progress` is told of every one.
///
/// `None` where no gated metric is about answerable queries, or there are none.
pub fn calibrate(
    comparison: &Comparison<'_>,
    gate: &GateConfig,
    settings: Settings,
    progress: &(dyn Fn() + Sync),
) -> Option<Calibration> {
    let metrics: Vec<Metric> = gate.metrics.iter().copied().filter(|metric| *metric != Metric::Abstention).collect();
    let sides = comparison.queries.iter().filter(|query| !query.query.unanswerable);
    let rankings: Vec<GradedRanking> = sides.filter_map(|query| Some(query.current.as_ref()?.graded())).collect();
    let first = *metrics.first()?;
    if rankings.is_empty() {
        return None;
    }
    let scores = |worse: fn(&GradedRanking) -> GradedRanking| -> Vec<[Vec<f64>; 2]> {
        let all = |ranking: &GradedRanking| metrics.iter().filter_map(|metric| metric.score(ranking)).collect();
        rankings.iter().map(|ranking| [all(ranking), all(&worse(ranking))]).collect()
    };
    let (lost, slipped) = (scores(lost), scores(slipped));
    let simulate = |kind, metric: Metric, scores: &[[Vec<f64>; 2]]| {
        let column = metrics.iter().position(|gated| *gated == metric).unwrap_or(0);
        let simulation = Simulation { scores, column, gate, settings, progress };
        let drops = std::iter::once(0.0).chain(DROPS);
        Row { kind, metric, cells: drops.map(|drop| simulation.cell(drop)).collect() }
    };
    // Recall may not notice a slip; a metric that looks at places does.
    let by_place = metrics.iter().find(|metric| matches!(metric, Metric::Ndcg(_) | Metric::ReciprocalRank(_)));
    Some(Calibration {
        queries: rankings.len(),
        trials: settings.trials,
        noise: settings.noise,
        rows: vec![
            simulate(Kind::Lost, first, &lost),
            simulate(Kind::Slipped, by_place.copied().unwrap_or(first), &slipped),
        ],
        drop: settings.drop,
        queries_needed: needed(&lost, gate, settings),
    })
}

/// How many queries catch the drop, if they are like those of the set.
fn needed(scores: &[[Vec<f64>; 2]], gate: &GateConfig, settings: Settings) -> Option<usize> {
    // A query that is at random lost on either side differs half of the time.
    let squares = |[kept, worse]: &[Vec<f64>; 2]| (kept[0] - worse[0]).powi(2);
    let losses: Vec<f64> = scores.iter().map(|[kept, worse]| kept[0] - worse[0]).collect();
    let total: f64 = losses.iter().sum();
    let mean_square = scores.iter().map(squares).sum::<f64>() / scores.len() as f64;
    let loss = if total > 0.0 { losses.iter().map(|loss| loss * loss).sum::<f64>() / total } else { 1.0 };
    // One test: a lost query is lost to every metric, so that the family costs next to nothing.
    queries_needed(settings.drop, gate.min_drop, settings.noise / 2.0 * mean_square, loss, gate.alpha, 1)
}

fn lost(ranking: &GradedRanking) -> GradedRanking {
    let places = ranking.places.iter().map(|place| Place { grade: None, held: None, ..place.clone() });
    GradedRanking { places: places.collect(), ideal: ranking.ideal.clone() }
}

fn slipped(ranking: &GradedRanking) -> GradedRanking {
    let above = std::iter::repeat_n(Place::default(), SLIP);
    GradedRanking { places: above.chain(ranking.places.iter().cloned()).collect(), ideal: ranking.ideal.clone() }
}

/// Changes of one kind.
struct Simulation<'a> {
    /// Of every query, its scores as it is and as it would be, by metric.
    scores: &'a [[Vec<f64>; 2]],
    /// The metric in which drops are measured.
    column: usize,
    gate: &'a GateConfig,
    settings: Settings,
    progress: &'a (dyn Fn() + Sync),
}

impl Simulation<'_> {
    fn cell(&self, drop: f64) -> Cell {
        let most: f64 = self.scores.iter().map(|[kept, worse]| kept[self.column] - worse[self.column]).sum::<f64>()
            / self.scores.len() as f64;
        let chance = if drop > 0.0 { drop / most } else { 0.0 };
        if chance.is_nan() || chance > 1.0 {
            (0..self.settings.trials).for_each(|_| (self.progress)());
            return Cell { drop, fails: None, significant: None };
        }
        let outcomes: Vec<(bool, bool)> = (0..self.settings.trials)
            .into_par_iter()
            .map(|trial| {
                let outcome = self.trial(trial, drop, chance);
                (self.progress)();
                outcome
            })
            .collect();
        let share = |of: fn(&(bool, bool)) -> bool| {
            Some(outcomes.iter().filter(|outcome| of(outcome)).count() as f64 / self.settings.trials as f64)
        };
        Cell { drop, fails: share(|(fails, _)| *fails), significant: share(|(_, significant)| *significant) }
    }

    /// Whether one simulated change fails the gate, and whether it is significant.
    fn trial(&self, trial: usize, drop: f64, chance: f64) -> (bool, bool) {
        let stream = Stream::named(self.gate.seed, &format!("calibration {drop} {trial}"));
        // Restless or not, before, after, hit by the change or not.
        let draws: Vec<f64> = stream.fractions(4 * self.scores.len()).collect();
        let picked: Vec<(usize, usize)> = draws
            .chunks_exact(4)
            .map(|draws| {
                let worse = |draw: f64| usize::from(draws[0] < self.settings.noise && draw < 0.5);
                (worse(draws[1]), worse(draws[2]).max(usize::from(draws[3] < chance)))
            })
            .collect();
        let metrics = 0..self.scores[0][0].len();
        let candidates = metrics.map(|metric| {
            let delta = |(scores, (before, after)): (&[Vec<f64>; 2], &(usize, usize))| {
                scores[*after][metric] - scores[*before][metric]
            };
            Candidate { deltas: Deltas::new(self.scores.iter().zip(&picked).map(delta)), gated: true }
        });
        let sample = Sample { stream: Stream::named(self.gate.seed, "resamples"), metrics: candidates.collect() };
        let outcomes = outcomes(std::slice::from_ref(&sample), RESAMPLES);
        let status = sample
            .metrics
            .iter()
            .zip(outcomes.iter().flatten())
            .map(|(candidate, outcome)| metric_status(true, candidate, outcome, self.gate));
        let status: Vec<MetricStatus> = status.collect();
        let fails = status.contains(&MetricStatus::Regression);
        (fails, fails || status.contains(&MetricStatus::Warning))
    }
}

#[cfg(test)]
mod tests;
