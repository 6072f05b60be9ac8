//! A run: what a pipeline answered, query by query.
//!
//! An empty ranking ("nothing found") is an answer; a query without a ranking is a *missing* answer, and a run that
//! misses one cannot be judged.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::id::{QueryId, ResultId};

pub mod jsonl;
pub mod oddities;
pub mod shard;
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
///
/// A pipeline that answers differently each time is asked several times; the first of these *repeats* is what is shown,
/// and all of them are scored.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// One ranking per repeat, never none. Shared, since a run is looked at by many and changed by few.
    answers: BTreeMap<QueryId, Arc<Vec<Ranking>>>,
    /// Every result once: a run names the same ones over and over.
    known: BTreeSet<ResultId>,
}

impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        self.answers == other.answers
    }
}

impl Run {
    /// Adds the answer to `query`; `false` where there already is one, which then stays.
    pub fn insert(&mut self, query: QueryId, ranking: Ranking) -> bool {
        self.insert_repeats(query, vec![ranking])
    }

    /// As [`insert`](Self::insert), with every repeat; `false` also where there is none.
    pub fn insert_repeats(&mut self, query: QueryId, mut repeats: Vec<Ranking>) -> bool {
        if repeats.is_empty() || self.answers.contains_key(&query) {
            return false;
        }
        for ranking in &mut repeats {
            ranking.shrink_to_fit();
            for result in ranking {
                match self.known.get(&result.id) {
                    Some(known) => result.id = known.clone(),
                    None => {
                        self.known.insert(result.id.clone());
                    }
                }
            }
        }
        self.answers.insert(query, Arc::new(repeats));
        true
    }

    /// Adds the answers of another time that the same pipeline was asked; queries that are not in this run are left out.
    pub fn repeat(&mut self, again: Self) {
        for (query, rankings) in again.answers {
            if let Some(known) = self.answers.get_mut(&query) {
                Arc::make_mut(known).extend(Arc::unwrap_or_clone(rankings));
            }
        }
    }

    /// The first answer to `query`, `None` where it is missing.
    #[must_use]
    pub fn answer(&self, query: &QueryId) -> Option<&Ranking> {
        self.repeats(query)?.first()
    }

    /// Every answer to `query`, at least one, `None` where it is missing.
    #[must_use]
    pub fn repeats(&self, query: &QueryId) -> Option<&[Ranking]> {
        self.answers.get(query).map(|repeats| repeats.as_slice())
    }

    /// All answers with their repeats, by query id.
    pub fn iter(&self) -> impl Iterator<Item = (&QueryId, &[Ranking])> {
        self.answers.iter().map(|(query, repeats)| (query, repeats.as_slice()))
    }

    /// Every result of the run once, and perhaps some that were cut away.
    pub fn results(&self) -> impl Iterator<Item = &ResultId> {
        self.known.iter()
    }

    /// How often the query was asked that was asked most; 0 for an empty run.
    #[must_use]
    pub fn times_asked(&self) -> usize {
        self.answers.values().map(|repeats| repeats.len()).max().unwrap_or(0)
    }

    /// The queries whose repeats rank differently, by id.
    pub fn restless(&self) -> impl Iterator<Item = &QueryId> {
        let ids = |ranking: &Ranking| ranking.iter().map(|result| result.id.clone()).collect::<Vec<_>>();
        let differ = move |repeats: &[Ranking]| repeats.windows(2).any(|pair| ids(&pair[0]) != ids(&pair[1]));
        self.iter().filter(move |(_, repeats)| differ(repeats)).map(|(query, _)| query)
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

    /// Drops the texts of every result of the queries that `keep` does not ask for.
    pub fn forget_texts(&mut self, keep: impl Fn(&QueryId) -> bool) {
        for (_, repeats) in self.answers.iter_mut().filter(|(query, _)| !keep(query)) {
            if repeats.iter().flatten().any(|result| result.text.is_some()) {
                for result in Arc::make_mut(repeats).iter_mut().flatten() {
                    result.text = None;
                }
            }
        }
    }

    /// Cuts every ranking to its first `depth` results.
    pub fn cut(&mut self, depth: usize) {
        for repeats in self.answers.values_mut() {
            if repeats.iter().any(|ranking| ranking.len() > depth) {
                for ranking in Arc::make_mut(repeats) {
                    ranking.truncate(depth);
                }
            }
        }
    }
}
