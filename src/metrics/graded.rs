//! A ranking with judgments laid over it: all that a metric needs to know.

use std::collections::BTreeSet;

use crate::id::{DocumentId, DocumentPattern};
use crate::judgments::{Grade, Judgments};
use crate::run::RankedResult;

/// One place of a ranking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The document that the result belongs to.
    pub document: DocumentId,
    /// What is known about it for this query.
    pub grade: Option<Grade>,
    /// An earlier place has the same document: this one keeps its place and earns nothing.
    pub repeat: bool,
}

impl Place {
    /// The grade that this place earns: 0 for unjudged documents and for repeats.
    #[must_use]
    pub fn earned(&self) -> Grade {
        match self.grade {
            Some(grade) if !self.repeat => grade,
            _ => Grade::default(),
        }
    }

    /// Whether a relevant document stands here for the first time.
    #[must_use]
    pub fn is_relevant(&self) -> bool {
        self.earned().is_relevant()
    }
}

/// The places of one ranking and the grades that an ideal one would earn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradedRanking {
    /// As answered, best first.
    pub places: Vec<Place>,
    /// Every positive grade of the query, best first; its length is the number of relevant documents.
    pub ideal: Vec<Grade>,
}

impl GradedRanking {
    /// Lays `judgments` over `results`.
    #[must_use]
    pub fn new(results: &[RankedResult], judgments: &Judgments, pattern: &DocumentPattern) -> Self {
        let mut seen = BTreeSet::new();
        let places = results
            .iter()
            .map(|result| {
                let document = pattern.document(&result.id);
                let repeat = !seen.insert(document.clone());
                Place { grade: judgments.grade(&document), document, repeat }
            })
            .collect();
        let mut ideal: Vec<Grade> = judgments.relevant().map(|(_, grade)| grade).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        Self { places, ideal }
    }

    /// The first `k` places, or all where there are fewer.
    #[must_use]
    pub fn first(&self, k: usize) -> &[Place] {
        &self.places[..k.min(self.places.len())]
    }

    /// Relevant documents in the first `k` places.
    #[must_use]
    pub fn relevant_in(&self, k: usize) -> usize {
        self.first(k).iter().filter(|place| place.is_relevant()).count()
    }
}

/// `part / whole` for counts of results; 0 where `whole` is 0.
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
