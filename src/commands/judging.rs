//! One way to judge, whatever command asks for it.

use super::passages_unread;
use crate::baseline::Baseline;
use crate::baseline::history::Entry;
use crate::comparison::{ComparedQuery, Comparison, Measures, compare};
use crate::config::Config;
use crate::exit::Failure;
use crate::golden::GoldenSet;
use crate::id::QueryId;
use crate::metrics::Metric;
use crate::pipeline::names;
use crate::report::view::{BaselineFacts, Context, Surroundings};
use crate::run::Run;
use crate::verdict::{MetricStatus, Verdict, counted, decide, points};

/// A configuration and a golden set to judge runs with.
pub(super) struct Judging<'a> {
    config: &'a Config,
    golden: &'a GoldenSet,
    /// Both sides are judged by as many results per query.
    depth: usize,
    metrics: Vec<Metric>,
    warnings: Vec<String>,
}

impl<'a> Judging<'a> {
    /// Judges by as many results as the configuration asks for.
    pub(super) fn new(config: &'a Config, golden: &'a GoldenSet) -> Self {
        Self { config, golden, depth: config.depth, metrics: config.all_metrics(), warnings: Vec::new() }
    }

    /// Judges by as many results as the baseline has and the configuration asks for: a deeper side would find more
    /// without being better.
    ///
    /// # Errors
    /// The reason where the baseline is too shallow for a metric that can fail.
    pub(super) fn against(config: &'a Config, golden: &'a GoldenSet, baseline: &Baseline) -> Result<Self, String> {
        let mut judging = Self::new(config, golden);
        let edited: Vec<&QueryId> = baseline.edited(golden).collect();
        if !edited.is_empty() {
            judging.warnings.push(format!(
                "Edited since the baseline was measured, in text, grades or marks: {} ({}). Both sides are scored with \
                 today's judgments.",
                counted(edited.len(), "query", "queries"),
                names(edited)
            ));
        }
        if let Some(message) = passages_unread(golden, &baseline.run) {
            return Err(format!(
                "In the baseline, {message}. Measure it again with the pipeline of the main branch: `recall-gate baseline \
                 update --reason \"texts for passages\"`."
            ));
        }
        let kept = baseline.provenance.depth;
        if kept >= config.depth {
            return Ok(judging);
        }
        judging.depth = kept;
        let is_deeper = |metric: &Metric| metric.cutoff().is_some_and(|k| k > kept);
        let can_fail = config.gate.metrics.iter().chain(config.gate.floors.iter().map(|(metric, _)| metric));
        if let Some(metric) = can_fail.copied().find(|metric| is_deeper(metric)) {
            return Err(format!(
                "The baseline keeps the first {kept} results of each query, and {metric} needs more. Measure it again at \
                 the new depth with the pipeline of the main branch: `recall-gate baseline update --reason \"depth {}\"`.",
                config.depth
            ));
        }
        judging.warnings.push(format!(
            "The baseline keeps {kept} results of each query and `depth` is {}: both sides are judged by {kept}.",
            config.depth
        ));
        judging.metrics.retain(|metric| !is_deeper(metric));
        Ok(judging)
    }

    /// The part of a run that is judged.
    pub(super) fn cut(&self, run: &Run) -> Run {
        let mut run = run.clone();
        run.cut(self.depth);
        run
    }

    /// Pairs two runs that were [`cut`](Self::cut).
    pub(super) fn compare<'r>(&'r self, before: &'r Run, after: &'r Run) -> Comparison<'r>
    where
        'a: 'r,
    {
        let documents = &self.config.document_id;
        let measures = Measures {
            metrics: &self.metrics,
            documents,
            min_score: self.config.min_score,
            overlap: self.config.passage_overlap,
        };
        compare(self.golden, before, after, measures)
    }

    /// The verdict, with the warnings of whoever measured.
    pub(super) fn decide(&self, comparison: &Comparison<'_>, measured: Vec<String>) -> Verdict {
        let shown = self.config.report_metrics.iter().filter(|metric| self.metrics.contains(metric)).copied();
        let mut verdict = decide(comparison, &self.config.gate, &shown.collect::<Vec<_>>());
        verdict.warnings.extend(self.warnings.iter().cloned().chain(measured));
        verdict
    }

    /// What the edits of the golden set alone did to the baseline, kept apart from what the pipeline did: `then` is the
    /// update that the baseline comes from, with the means by the judgments of that time.
    pub(super) fn relabelling(&self, comparison: &Comparison<'_>, then: Option<&Entry>) -> Option<String> {
        let moved = |metric: &Metric| {
            let sides = |side: fn(&ComparedQuery<'_>, Metric) -> Option<f64>| {
                let scores: Vec<f64> = comparison.queries.iter().filter_map(|query| side(query, *metric)).collect();
                (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
            };
            let before = sides(|query, metric| query.baseline.as_ref()?.scores.get(&metric).copied())?;
            let now = sides(|query, metric| {
                query.baseline.as_ref()?;
                query.current.as_ref()?.scores.get(&metric).copied()
            })?;
            let (labels, pipeline) = (points(before - then?.means.get(&metric.to_string())?), points(now - before));
            (labels != "0.0")
                .then(|| format!("{metric} by {labels} through the golden set and {pipeline} through the pipeline"))
        };
        let moved: Vec<String> = self.config.gate.metrics.iter().filter_map(moved).collect();
        (!moved.is_empty()).then(|| format!("In points, since the baseline was measured: {}.", moved.join("; ")))
    }

    /// What other metrics or cut-offs than at the time of the baseline do to the means, on the baseline's own rankings.
    pub(super) fn other_metrics(&self, before: &Run, then: Option<&Entry>) -> Option<String> {
        let then = then?;
        let mean = |metric: Metric| {
            let documents = &self.config.document_id;
            let measures = Measures {
                metrics: &[metric],
                documents,
                min_score: self.config.min_score,
                overlap: self.config.passage_overlap,
            };
            compare(self.golden, before, before, measures).current_mean(metric)
        };
        let family = |metric: &Metric| metric.to_string().split('@').next().unwrap_or_default().to_owned();
        let new = self.config.gate.metrics.iter().filter(|metric| !then.means.contains_key(&metric.to_string()));
        let said = new.filter_map(|metric| {
            let known = then.means.keys().filter_map(|name| name.parse::<Metric>().ok());
            let old = known.into_iter().find(|known| family(known) == family(metric))?;
            let (was, is) = (mean(old)?, mean(*metric)?);
            Some(format!(
                "{metric} instead of {old} moves the mean by {} ({} → {})",
                points(is - was),
                points(was),
                points(is)
            ))
        });
        let said: Vec<String> = said.collect();
        (!said.is_empty()).then(|| {
            format!("Gated otherwise than when the baseline was measured; on the same rankings, {}.", said.join("; "))
        })
    }

    /// A word where the baseline itself has worn down, update by update, below the best that it ever was.
    pub(super) fn erosion(&self, baseline: &Baseline, best: Option<&Baseline>) -> Option<String> {
        let best = best?;
        let (before, after) = (self.cut(&best.run), self.cut(&baseline.run));
        let verdict = decide(&self.compare(&before, &after), &self.config.gate, &[]);
        let worn: Vec<String> = verdict
            .metrics
            .iter()
            .filter(|metric| metric.status == MetricStatus::Regression)
            .map(|metric| format!("{} by {} points", metric.metric, points(-metric.delta)))
            .collect();
        (!worn.is_empty()).then(|| {
            format!(
                "The baseline itself has worn down since {} (\"{}\"): {}, and not by chance. `recall-gate baseline log` \
                 shows how.",
                best.provenance.created,
                best.provenance.reason,
                worn.join(", ")
            )
        })
    }

    /// What a report says beside the comparison.
    pub(super) fn context(&self, baseline: Option<BaselineFacts>, digest: Option<&'a str>) -> Context<'a> {
        Context {
            golden: self.golden,
            baseline,
            baseline_digest: digest,
            gate: &self.config.gate,
            depth: self.depth,
            surroundings: Surroundings::default(),
        }
    }

    /// Every metric that is judged.
    pub(super) fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// Refuses a run in which no judged document appears at all: its ids are not those of the labels.
    ///
    /// # Errors
    /// [`Failure::CannotJudge`] with an id of either kind.
    pub(super) fn refuse_foreign_ids(&self, run: &Run) -> Result<(), Failure> {
        let comparison = self.compare(run, run);
        let Some((judged, answered)) = comparison.foreign_ids() else { return Ok(()) };
        let hint = match comparison.mapping() {
            Some(mapping) => mapping.remedy(),
            None => "set `document_id` so that result ids map to the judged ids".to_owned(),
        };
        Err(Failure::CannotJudge(format!(
            "no judged document appears in any answer: the golden set speaks of `{judged}`, the pipeline of \
             `{answered}`\nhint: {hint}"
        )))
    }
}
