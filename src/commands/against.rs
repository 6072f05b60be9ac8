//! `run --against REF`: what a change did to its own judges, the baseline and the golden set.

use std::path::Path;

use super::judging::Judging;
use crate::baseline::{self, Baseline};
use crate::config::Config;
use crate::environment::Repository;
use crate::exit::Failure;
use crate::golden::GoldenSet;
use crate::golden::difference::Difference;
use crate::golden::read;
use crate::pipeline::names;
use crate::run::Run;
use crate::verdict::{Status, points};

/// Edits of single queries that are spelled out.
const SPELLED_OUT: usize = 10;

/// The judges as they were where the change began.
pub(super) struct Base {
    /// As it was named.
    reference: String,
    baseline: Option<Baseline>,
    golden: Option<GoldenSet>,
}

impl Base {
    /// Reads baseline and golden set at the merge base of the checkout and `reference`.
    ///
    /// # Errors
    /// [`Failure::Input`] outside git, for an unknown reference, in a clone that is too shallow, or where a file of that
    /// time cannot be read.
    pub(super) fn read(config: &Config, baseline: &Path, reference: &str) -> Result<Self, Failure> {
        let repository = Repository::at(&config.folder, reference).map_err(Failure::Input)?;
        let at = |path: &Path, error: String| Failure::Input(format!("{} at {reference}: {error}", path.display()));
        let old_baseline = repository.file(baseline).map_err(Failure::Input)?;
        let old_baseline = old_baseline.map(|text| baseline::parse(&text)).transpose();
        let golden = repository.file(&config.golden).map_err(Failure::Input)?;
        let golden = golden.map(|text| read::parse(&text, &config.golden)).transpose();
        Ok(Self {
            reference: reference.to_owned(),
            baseline: old_baseline.map_err(|error| at(baseline, error))?,
            golden: golden.map_err(|error| at(&config.golden, error.to_string()))?,
        })
    }

    /// What is said beside the verdict, a sentence each; `current` is the run that was measured, `baseline` the one of the
    /// checkout.
    pub(super) fn sentences(
        &self,
        config: &Config,
        golden: &GoldenSet,
        baseline: &Baseline,
        current: &Run,
    ) -> Vec<String> {
        [self.moved_baseline(config, golden, baseline, current), self.edited_golden(config, golden)]
            .into_iter()
            .flatten()
            .collect()
    }

    fn moved_baseline(
        &self,
        config: &Config,
        golden: &GoldenSet,
        baseline: &Baseline,
        current: &Run,
    ) -> Option<String> {
        let reference = &self.reference;
        let Some(old) = &self.baseline else {
            return Some(format!("There is no baseline at {reference}: this change adds the first."));
        };
        if old.provenance == baseline.provenance && old.run == baseline.run {
            return None;
        }
        let without = match Judging::against(config, golden, old) {
            Err(reason) => format!("could not be told: {reason}"),
            Ok(judging) => {
                let (before, after) = (judging.cut(&old.run), judging.cut(current));
                let verdict = judging.decide(&judging.compare(&before, &after), Vec::new());
                let word = match verdict.status {
                    Status::Pass => "pass",
                    Status::Regression => "REGRESSION",
                    Status::CouldNotMeasure => "could not measure",
                };
                let gated = verdict.metrics.iter().filter(|metric| metric.gated && metric.queries > 0);
                let means: Vec<String> = gated
                    .map(|metric| format!("{} {} → {}", metric.metric, points(metric.baseline), points(metric.current)))
                    .collect();
                format!("would be: {word} ({}). {}", means.join(", "), verdict.reasons.join(" "))
            }
        };
        Some(format!(
            "This change moves the baseline: \"{}\" ({}). Against that of {reference} the verdict {without}",
            baseline.provenance.reason,
            baseline.provenance.author.as_deref().unwrap_or("author unknown"),
        ))
    }

    fn edited_golden(&self, config: &Config, golden: &GoldenSet) -> Option<String> {
        let old = self.golden.as_ref()?;
        let difference = Difference::between(old, golden);
        if difference.is_empty() {
            return None;
        }
        let listed = |what: &str, ids: &[crate::id::QueryId]| {
            (!ids.is_empty()).then(|| format!("{} {what} ({})", ids.len(), names(ids)))
        };
        let shown = difference.edited.iter().take(SPELLED_OUT);
        let spelled: Vec<String> = shown.map(|(query, changes)| format!("`{query}`: {}", changes.join(", "))).collect();
        let edited =
            (!spelled.is_empty()).then(|| format!("{} edited ({})", difference.edited.len(), spelled.join("; ")));
        let parts = [listed("added", &difference.added), listed("removed", &difference.removed), edited];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        Some(format!(
            "This change edits the golden set of {}: {}.{}",
            self.reference,
            parts.join(", "),
            self.effect(config, old, golden).unwrap_or_default()
        ))
    }

    /// What the edits alone do to the means of the old baseline.
    fn effect(&self, config: &Config, old: &GoldenSet, new: &GoldenSet) -> Option<String> {
        let baseline = self.baseline.as_ref()?;
        let (before, after) = (Judging::new(config, old), Judging::new(config, new));
        let (old_run, new_run) = (before.cut(&baseline.run), after.cut(&baseline.run));
        let (before, after) = (before.compare(&old_run, &old_run), after.compare(&new_run, &new_run));
        let moved = config.gate.metrics.iter().filter_map(|metric| {
            let moved = points(after.current_mean(*metric)? - before.current_mean(*metric)?);
            (moved != "0.0").then(|| format!("{metric} by {moved}"))
        });
        let moved: Vec<String> = moved.collect();
        Some(if moved.is_empty() {
            " With the pipeline held still, that moves no gated mean.".to_owned()
        } else {
            format!(" With the pipeline held still, that alone moves {} points.", moved.join(", "))
        })
    }
}
