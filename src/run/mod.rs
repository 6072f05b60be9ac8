//! A run: what a pipeline answered, query by query.
//!
//! An empty ranking ("nothing found") is an answer; a query without a ranking is a *missing* answer, and a run that
//! misses one cannot be judged.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeMap;

use crate::id::{QueryId, ResultId};

pub mod jsonl;
pub mod trec;

/// One result of a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedResult {
    /// What the pipeline returned, not yet mapped to a document.
    pub id: ResultId,
    /// The pipeline's own score, finite; it never changes the order.
    pub score: Option<f64>,
    /// The passage, where the pipeline sends it; shown to people, never scored.
    pub text: Option<String>,
}

/// The results of one query, best first, in the order in which the pipeline answered.
pub type Ranking = Vec<RankedResult>;

/// The answers of a pipeline, in the order of their query ids (bytewise).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    answers: BTreeMap<QueryId, Ranking>,
}

impl Run {
    /// Adds the answer to `query`; `false` where there already is one, which then stays.
    pub fn insert(&mut self, query: QueryId, ranking: Ranking) -> bool {
        if self.answers.contains_key(&query) {
            return false;
        }
        self.answers.insert(query, ranking);
        true
    }

    /// The answer to `query`, `None` where it is missing.
    #[must_use]
    pub fn answer(&self, query: &QueryId) -> Option<&Ranking> {
        self.answers.get(query)
    }

    /// All answers, by query id.
    pub fn iter(&self) -> impl Iterator<Item = (&QueryId, &Ranking)> {
        self.answers.iter()
    }

    /// How many queries were answered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether nothing was answered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Cuts every ranking to its first `depth` results.
    pub fn cut(&mut self, depth: usize) {
        for ranking in self.answers.values_mut() {
            ranking.truncate(depth);
        }
    }
}
