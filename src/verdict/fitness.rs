//! Whether the comparison can carry a verdict at all.

use std::collections::BTreeSet;

use super::metric::{MetricStatus, MetricVerdict};
use super::{FEW_QUERIES, FEWEST_QUERIES, FEWEST_UNANSWERABLE, Slice, counted};
use crate::comparison::{Comparison, Side};
use crate::config::GateConfig;
use crate::id::DocumentId;
use crate::metrics::Metric;

/// The share of all queries, of either side, that must be on both.
const LEAST_PAIRED: f64 = 0.9;

/// A share of documents that no mere loss of quality makes strangers to the baseline.
const ALL_BUT_A_FEW: f64 = 0.9;

/// A share of documents that is worth a word.
const MOST: f64 = 0.5;

/// How many ids a sentence names.
const NAMED: usize = 5;

/// What makes a verdict impossible, a sentence each.
pub(super) fn obstacles(comparison: &Comparison<'_>, metrics: &[MetricVerdict]) -> Vec<String> {
    let missing = comparison.missing_queries().map(crate::id::QueryId::as_str).collect::<Vec<_>>();
    let missing = (!missing.is_empty())
        .then(|| format!("The current run has no answer to {}.", named(&missing, "query", "queries")));
    [missing, ids_changed(comparison), too_few_paired(comparison), too_few_compared(metrics)]
        .into_iter()
        .flatten()
        .collect()
}

fn too_few_paired(comparison: &Comparison<'_>) -> Option<String> {
    let paired = comparison.queries.iter().filter(|query| query.is_paired()).count();
    let all = comparison.queries.len() + comparison.gone.len();
    ((paired as f64) < LEAST_PAIRED * all as f64).then(|| {
        format!(
            "Only {paired} of {all} queries are on both sides, and at least 90 % must be: the golden set and the \
             baseline have drifted apart. Update the baseline with the pipeline of the main branch."
        )
    })
}

fn too_few_compared(metrics: &[MetricVerdict]) -> Option<String> {
    let gated: Vec<&MetricVerdict> = metrics.iter().filter(|metric| metric.gated).collect();
    if let Some(metric) = gated.iter().find(|metric| metric.metric != Metric::Abstention) {
        return (metric.queries < FEWEST_QUERIES).then(|| {
            format!(
                "{} answerable {} cannot carry a verdict: with fewer than {FEWEST_QUERIES} the test is wrong more often \
                 than it says. Add queries to the golden set; about 100 catch a drop of 5 to 10 points.",
                metric.queries,
                if metric.queries == 1 { "query" } else { "queries" },
            )
        });
    }
    let nothing_compared = gated.iter().all(|metric| metric.status == MetricStatus::NotCompared);
    nothing_compared.then(|| {
        format!(
            "No gated metric could be compared: abstention needs {FEWEST_UNANSWERABLE} unanswerable queries. Add some \
             or gate another metric."
        )
    })
}

/// How far the two sides speak of the same documents.
struct Renaming {
    /// Relevant documents that the baseline found.
    judged: usize,
    /// Those of them that appear in no answer now.
    gone: Vec<DocumentId>,
    /// Documents answered now.
    answered: usize,
    /// Those of them that appear in no answer of the baseline.
    unknown: Vec<DocumentId>,
}

impl Renaming {
    fn of(comparison: &Comparison<'_>) -> Self {
        let (mut judged, mut before, mut now) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for query in &comparison.queries {
            let found = query.baseline.as_ref().map(documents).unwrap_or_default();
            judged.extend(query.query.judgments.relevant().map(|(id, _)| id).filter(|id| found.contains(id)).cloned());
            // Not collected at once, which would hold every place of the runs.
            before.extend(found);
            now.extend(query.current.as_ref().map(documents).unwrap_or_default());
        }
        Self {
            judged: judged.len(),
            gone: judged.difference(&now).cloned().collect(),
            answered: now.len(),
            unknown: now.difference(&before).cloned().collect(),
        }
    }

    /// Whether more than `share` of the documents, judged and answered alike, changed.
    fn exceeds(&self, share: f64) -> bool {
        self.gone.len() as f64 > share * self.judged as f64 && self.unknown.len() as f64 > share * self.answered as f64
    }

    fn sentence(&self, comparison: &Comparison<'_>) -> String {
        let remedy = match comparison.mapping() {
            Some(mapping) => mapping.remedy(),
            None => "set `document_id` so that results map to the judged ids, or relabel".to_owned(),
        };
        let ids = |documents: &[DocumentId]| {
            documents.iter().take(3).map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
        };
        format!(
            "{} of {} judged documents that the baseline found appear in no answer, and {} of {} answered documents \
             are new (was {}; is {}). What to do: {}.",
            self.gone.len(),
            self.judged,
            self.unknown.len(),
            self.answered,
            ids(&self.gone),
            ids(&self.unknown),
            remedy
        )
    }
}

/// A pipeline whose ids changed retrieves nothing that is judged, and nothing that the baseline knows either; one that
/// got worse still returns known documents. (Of 42 pairs of TREC systems over half a million documents, the least
/// alike share 16 % of the judged and 17 % of the answered ones.)
fn ids_changed(comparison: &Comparison<'_>) -> Option<String> {
    let renaming = Renaming::of(comparison);
    renaming.exceeds(ALL_BUT_A_FEW).then(|| format!("The ids have changed: {}", renaming.sentence(comparison)))
}

/// Short of that, a rename is a suspicion, which must not turn a regression into "cannot judge".
fn ids_may_have_changed(comparison: &Comparison<'_>) -> Option<String> {
    let renaming = Renaming::of(comparison);
    (renaming.exceeds(MOST) && !renaming.exceeds(ALL_BUT_A_FEW))
        .then(|| format!("If documents were renamed, the drop may be no drop: {}", renaming.sentence(comparison)))
}

/// A slice that should gate and is too small for it.
pub(super) fn small_slice(slice: &Slice) -> Option<String> {
    let metric = slice.metrics.iter().find(|metric| metric.metric != Metric::Abstention)?;
    (metric.status == MetricStatus::NotCompared).then(|| {
        format!(
            "{} is shown but does not block: it has {} of the {FEWEST_QUERIES} answerable queries it needs.",
            slice.name, metric.queries
        )
    })
}

fn documents(side: &Side<'_>) -> BTreeSet<DocumentId> {
    side.documents().collect()
}

/// What a reader should know beside the verdict, a sentence each.
pub(super) fn warnings(comparison: &Comparison<'_>, metrics: &[MetricVerdict], gate: &GateConfig) -> Vec<String> {
    let mut warnings: Vec<String> = ids_may_have_changed(comparison).into_iter().collect();
    let new: Vec<&str> = comparison.new_queries().map(crate::id::QueryId::as_str).collect();
    if !new.is_empty() {
        warnings.push(format!("New since the baseline and not compared: {}.", named(&new, "query", "queries")));
    }
    let gone: Vec<&str> = comparison.gone.iter().map(crate::id::QueryId::as_str).collect();
    if !gone.is_empty() {
        warnings.push(format!("In the baseline but gone from the golden set: {}.", named(&gone, "query", "queries")));
    }
    let gated_with = |unanswerable: bool, queries: std::ops::Range<usize>| {
        metrics.iter().find(|metric| {
            let same_set = (metric.metric == Metric::Abstention) == unanswerable;
            metric.gated && same_set && queries.contains(&metric.queries)
        })
    };
    if let Some(few) = gated_with(false, FEWEST_QUERIES..FEW_QUERIES) {
        warnings.push(format!(
            "{} queries are few: false alarms are a little likelier than alpha = {}.",
            few.queries, gate.alpha
        ));
    }
    if let Some(few) = gated_with(true, 1..FEWEST_UNANSWERABLE) {
        warnings.push(format!(
            "abstention is shown but does not block: it has {} of the {FEWEST_UNANSWERABLE} unanswerable queries it needs.",
            few.queries,
        ));
    }
    let answerable = comparison.queries.iter().filter(|query| !query.query.unanswerable);
    let silent: Vec<&str> = answerable
        .filter(|query| query.current.as_ref().is_some_and(|side| side.abstained))
        .map(|query| query.query.id.as_str())
        .collect();
    if !silent.is_empty() {
        warnings.push(format!(
            "Answerable, but the pipeline found nothing (false abstention): {}.",
            named(&silent, "query", "queries")
        ));
    }
    warnings
}

/// `3 queries (a, b, c)`, with at most five named.
fn named(ids: &[&str], one: &str, many: &str) -> String {
    let shown = ids.iter().take(NAMED).map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    let more = if ids.len() > NAMED { format!(" and {} more", ids.len() - NAMED) } else { String::new() };
    format!("{} ({shown}{more})", counted(ids.len(), one, many))
}
