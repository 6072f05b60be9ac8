//! Why a query got worse, told from its two rankings and its judgments alone.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeSet;

use crate::comparison::{ComparedQuery, Move, Side};
use crate::id::DocumentId;
use crate::judgments::Grade;
use crate::metrics::{GradedRanking, Metric};
use crate::verdict::{SAME, counted, signed};

/// Of more documents that came in, only so many prefixes and all of them are tried for the bounds: with a thousand results
/// a query, a report must not take longer than the test.
const MOST_PREFIXES: usize = 20;

/// What happened to the relevant document that explains the loss best; places count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It is not in the corpus: the label points at nothing.
    UnknownId(Move),
    /// The pipeline returned so few results that its old place does not exist any more.
    FewerResults {
        /// The document.
        moved: Move,
        /// Results in the baseline.
        before: usize,
        /// Results now.
        now: usize,
    },
    /// It is no longer retrieved.
    Lost(Move),
    /// It is still retrieved, and all that is newly above it are documents that nobody judged.
    Displaced(Move),
    /// It is still retrieved, below documents of which at least one is judged.
    PushedDown(Move),
    /// The query has no answer, and the pipeline now returns something.
    Answered {
        /// Results now.
        now: usize,
    },
    /// No relevant document moved: unjudged documents changed, or the repeats of the pipeline differ.
    Unsteady,
}

/// The kinds of [`Cause`], in the order in which one is preferred to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// See [`Cause::UnknownId`].
    UnknownId,
    /// See [`Cause::FewerResults`].
    FewerResults,
    /// See [`Cause::Lost`].
    Lost,
    /// See [`Cause::Displaced`].
    Displaced,
    /// See [`Cause::PushedDown`].
    PushedDown,
    /// See [`Cause::Answered`].
    Answered,
    /// See [`Cause::Unsteady`].
    Unsteady,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::UnknownId,
        Self::FewerResults,
        Self::Lost,
        Self::Displaced,
        Self::PushedDown,
        Self::Answered,
        Self::Unsteady,
    ];

    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::UnknownId => "unknown_id",
            Self::FewerResults => "fewer_results",
            Self::Lost => "lost",
            Self::Displaced => "displaced_by_unjudged",
            Self::PushedDown => "pushed_down",
            Self::Answered => "answered",
            Self::Unsteady => "unsteady",
        }
    }

    /// The name for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::UnknownId => "id unknown to the corpus",
            Self::FewerResults => "fewer results",
            Self::Lost => "lost",
            Self::Displaced => "displaced by unjudged",
            Self::PushedDown => "pushed down",
            Self::Answered => "answered without an answer",
            Self::Unsteady => "unsteady",
        }
    }

    /// The end of "N queries …".
    #[must_use]
    pub fn predicate(self) -> &'static str {
        match self {
            Self::UnknownId => "point at a document that the corpus does not have",
            Self::FewerResults => "got fewer results than before",
            Self::Lost => "lost a document altogether",
            Self::Displaced => "have a document displaced by unjudged ones",
            Self::PushedDown => "have a document pushed down",
            Self::Answered => "have no answer and got one",
            Self::Unsteady => "differ although no relevant document moved",
        }
    }
}

impl Cause {
    /// Which kind it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::UnknownId(_) => Kind::UnknownId,
            Self::FewerResults { .. } => Kind::FewerResults,
            Self::Lost(_) => Kind::Lost,
            Self::Displaced(_) => Kind::Displaced,
            Self::PushedDown(_) => Kind::PushedDown,
            Self::Answered { .. } => Kind::Answered,
            Self::Unsteady => Kind::Unsteady,
        }
    }

    /// The document that explains the loss, where one does.
    #[must_use]
    pub fn moved(&self) -> Option<&Move> {
        match self {
            Self::UnknownId(moved)
            | Self::FewerResults { moved, .. }
            | Self::Lost(moved)
            | Self::Displaced(moved)
            | Self::PushedDown(moved) => Some(moved),
            Self::Answered { .. } | Self::Unsteady => None,
        }
    }

    /// One line for people, not yet escaped.
    #[must_use]
    pub fn sentence(&self) -> String {
        let place = |place: Option<usize>| place.map_or_else(|| "nowhere".to_owned(), |place| format!("place {place}"));
        match self {
            Self::UnknownId(moved) => {
                format!("id unknown to the corpus: `{}`, once at {}", moved.document, place(moved.from))
            }
            Self::FewerResults { moved, before, now } => {
                format!("fewer results, {now} instead of {before}: `{}` stood at {}", moved.document, place(moved.from))
            }
            Self::Lost(moved) => format!("lost: `{}`, once at {}", moved.document, place(moved.from)),
            Self::Displaced(moved) => {
                format!("displaced by unjudged: `{}`, {} → {}", moved.document, place(moved.from), place(moved.to))
            }
            Self::PushedDown(moved) => {
                format!("pushed down: `{}`, {} → {}", moved.document, place(moved.from), place(moved.to))
            }
            Self::Answered { now } => {
                format!("answered: there is no answer, and {} came", counted(*now, "result", "results"))
            }
            Self::Unsteady => "unsteady: no relevant document moved".to_owned(),
        }
    }
}

/// What labels could still do to a loss.
#[derive(Clone, Debug, PartialEq)]
pub struct Unjudged {
    /// The metric whose delta is bounded.
    pub metric: Metric,
    /// Documents without a judgment that are new within its reach, best place first; never empty.
    pub documents: Vec<DocumentId>,
    /// The delta if none of these were relevant and all unjudged ones that left were, a fraction.
    pub worst: f64,
    /// The delta if those of these were relevant that help, and none that left, a fraction.
    pub best: f64,
}

impl Unjudged {
    /// One line for people, not yet escaped.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!(
            "{} came in; if judged, {} {} to {}",
            counted(self.documents.len(), "unjudged document", "unjudged documents"),
            self.metric,
            signed(self.worst),
            signed(self.best)
        )
    }
}

/// Why one query got worse.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// The cause.
    pub cause: Cause,
    /// What labels could change about it; `None` where no unjudged document came in.
    pub unjudged: Option<Unjudged>,
}

/// Diagnoses a query that lost in at least one of `gated`; `None` for any other. `corpus` holds every document, where
/// that is known.
#[must_use]
pub fn diagnose(
    query: &ComparedQuery<'_>,
    gated: &[Metric],
    corpus: Option<&BTreeSet<DocumentId>>,
) -> Option<Diagnosis> {
    let (before, now) = (query.baseline.as_ref()?, query.current.as_ref()?);
    let is_lost = |metric: &&Metric| query.delta(**metric).is_some_and(|delta| delta < -SAME);
    let lost: Vec<Metric> = gated.iter().filter(is_lost).copied().collect();
    let leading = *lost.first()?;
    if query.query.unanswerable {
        return Some(Diagnosis { cause: Cause::Answered { now: now.results.len() }, unjudged: None });
    }
    // A document that moved below the reach of every metric that fell explains nothing.
    let reach = lost.iter().map(|metric| metric.cutoff().unwrap_or(usize::MAX)).max()?;
    let unjudged = query.delta(leading).and_then(|delta| unjudged(before, now, leading, delta));
    Some(Diagnosis { cause: cause(query, before, now, reach, corpus), unjudged })
}

fn cause(
    query: &ComparedQuery<'_>,
    before: &Side<'_>,
    now: &Side<'_>,
    reach: usize,
    corpus: Option<&BTreeSet<DocumentId>>,
) -> Cause {
    let mut moves: Vec<Move> = query.moves();
    moves.retain(|change| change.from.is_some_and(|from| from <= reach && change.to.is_none_or(|to| to > from)));
    // The best document first; of equals, the one that stood highest.
    moves.sort_by_key(|change| (std::cmp::Reverse(change.grade), change.from));
    let is_unknown = |change: &&Move| corpus.is_some_and(|corpus| !corpus.contains(&change.document));
    let gone = || moves.iter().filter(|change| change.to.is_none());
    if let Some(moved) = gone().find(is_unknown) {
        return Cause::UnknownId(moved.clone());
    }
    let has_no_place = |change: &&Move| change.from.is_some_and(|from| from > now.results.len());
    if let Some(moved) = gone().find(has_no_place) {
        let (before, now) = (before.results.len(), now.results.len());
        return Cause::FewerResults { moved: moved.clone(), before, now };
    }
    if let Some(moved) = gone().next() {
        return Cause::Lost(moved.clone());
    }
    match moves.into_iter().next() {
        Some(moved) if only_unjudged_above(before, now, &moved) => Cause::Displaced(moved),
        Some(moved) => Cause::PushedDown(moved),
        None => Cause::Unsteady,
    }
}

/// Whether all that stands above a document now and did not before is unjudged.
fn only_unjudged_above(before: &Side<'_>, now: &Side<'_>, moved: &Move) -> bool {
    let (Some(from), Some(to)) = (moved.from, moved.to) else { return false };
    let (before, now) = (before.graded(), now.graded());
    let known: BTreeSet<&DocumentId> = before.first(from - 1).iter().map(|place| &place.document).collect();
    let mut risen = now.first(to - 1).iter().filter(|place| !known.contains(&place.document)).peekable();
    risen.peek().is_some() && risen.all(|place| place.grade.is_none())
}

/// Bounds on the delta over the labels of unjudged documents that came into reach or left it, as the residual of a
/// truncated or incompletely judged ranking (Moffat & Zobel 2008) bounds a score.
fn unjudged(before: &Side<'_>, now: &Side<'_>, metric: Metric, delta: f64) -> Option<Unjudged> {
    let reach = metric.cutoff().unwrap_or(usize::MAX);
    let (before, now) = (&before.graded(), &now.graded());
    let came = only_in(now, before, reach);
    if came.is_empty() || matches!(metric, Metric::Judged(_)) {
        return None;
    }
    let left = only_in(before, now, reach);
    let measured = metric.score(now)? - metric.score(before)?;
    let top = now.ideal.first().copied().unwrap_or_default();
    let change = |relevant: &[DocumentId]| {
        let [now, before] = [now, before].map(|side| metric.score(&relabelled(side, relevant, top)));
        Some(now? - before? - measured)
    };
    // Of as many relevant documents the highest placed change the delta most, so the extremes are among the prefixes.
    let changes = |documents: &[DocumentId]| -> Vec<f64> {
        let counts = (0..=documents.len().min(MOST_PREFIXES)).chain([documents.len()]);
        counts.filter_map(|count| change(&documents[..count])).collect()
    };
    let best = delta + changes(&came).into_iter().fold(0.0, f64::max);
    let worst = delta + changes(&left).into_iter().fold(0.0, f64::min);
    Some(Unjudged { metric, documents: came, worst: worst.max(-1.0), best: best.min(1.0) })
}

/// Unjudged documents in the first `reach` places of `side` and not in those of `other`, best place first.
fn only_in(side: &GradedRanking, other: &GradedRanking, reach: usize) -> Vec<DocumentId> {
    let known: BTreeSet<&DocumentId> = other.first(reach).iter().map(|place| &place.document).collect();
    let places = side.first(reach).iter();
    places
        .filter(|place| place.grade.is_none() && !place.repeat && !known.contains(&place.document))
        .map(|place| place.document.clone())
        .collect()
}

/// The ranking if every one of `relevant` had the grade `top`.
fn relabelled(ranking: &GradedRanking, relevant: &[DocumentId], top: Grade) -> GradedRanking {
    let mut ranking = ranking.clone();
    let known: BTreeSet<&DocumentId> = relevant.iter().collect();
    for place in &mut ranking.places {
        if known.contains(&place.document) {
            place.grade = Some(top);
        }
    }
    ranking.ideal.splice(0..0, relevant.iter().map(|_| top));
    ranking
}

#[cfg(test)]
mod tests;
