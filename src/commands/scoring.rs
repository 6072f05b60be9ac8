//! What the baseline commands show of a run: its means, or its comparison with the baseline it would replace.

use crate::baseline::Baseline;
use crate::comparison::{Comparison, Measures, compare};
use crate::config::Config;
use crate::exit::Failure;
use crate::golden::GoldenSet;
use crate::report::view::{BaselineFacts, Context, View};
use crate::report::{means, terminal};
use crate::run::Run;
use crate::verdict::decide;

/// A configuration and a golden set to score runs with.
pub(super) struct Scoring<'a> {
    pub(super) config: &'a Config,
    pub(super) golden: &'a GoldenSet,
}

impl Scoring<'_> {
    fn with_comparison<T>(&self, before: &Run, after: &Run, use_it: impl FnOnce(&Comparison<'_>) -> T) -> T {
        let metrics = self.config.all_metrics();
        let documents = &self.config.document_id;
        let measures = Measures { metrics: &metrics, documents, min_score: self.config.min_score };
        use_it(&compare(self.golden, before, after, measures))
    }

    /// The terminal report of `after` against the committed baseline.
    pub(super) fn comparison_text(&self, before: &Baseline, after: &Run) -> String {
        let context = Context {
            golden: self.golden,
            baseline: Some(BaselineFacts::new(&self.config.baseline, &before.provenance)),
            baseline_digest: Some(&before.provenance.golden_digest),
            gate: &self.config.gate,
            depth: self.config.depth,
        };
        self.with_comparison(&before.run, after, |comparison| {
            let verdict = decide(comparison, &self.config.gate, &self.config.report_metrics);
            terminal::render(&View::new(&context, comparison, verdict))
        })
    }

    /// The mean of every metric.
    pub(super) fn means_text(&self, run: &Run) -> String {
        self.with_comparison(run, run, |comparison| means::render(comparison, &self.config.all_metrics()))
    }

    /// Refuses a run in which no judged document appears at all: its ids are not those of the labels.
    ///
    /// # Errors
    /// [`Failure::CannotJudge`] with an id of either kind.
    pub(super) fn refuse_foreign_ids(&self, run: &Run) -> anyhow::Result<()> {
        self.with_comparison(run, run, |comparison| match comparison.foreign_ids() {
            None => Ok(()),
            Some((judged, answered)) => Err(Failure::CannotJudge(format!(
                "no judged document appears in any answer: the golden set speaks of `{judged}`, the pipeline of \
                 `{answered}`\nhint: set `document_id` so that result ids map to the judged ids"
            ))
            .into()),
        })
    }
}
