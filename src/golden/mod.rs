//! The golden set: queries with graded judgments, frozen on purpose.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use crate::id::{QueryId, ResultId};
use crate::judgments::Judgments;
use crate::run::Run;
use crate::run::shard::Shard;

pub mod check;
pub mod difference;
pub mod digest;
pub mod import;
pub mod lines;
mod raw;
pub mod read;
pub mod rename;
pub mod stale;

/// The tag of a query that may never get worse.
pub const PINNED: &str = "pinned";

/// One question of the golden set.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Unique within the set.
    pub id: QueryId,
    /// What is sent to the pipeline; never empty.
    pub text: String,
    /// Where the question came from: `logs`, `support`, `synthetic` or any other word.
    pub source: Option<String>,
    /// Slices of the report; [`PINNED`] has a meaning of its own.
    pub tags: Vec<String>,
    /// What is known about documents for this query; none is above grade 0 where the query is unanswerable.
    pub judgments: Judgments,
    /// Marked as having no answer in the corpus.
    pub unanswerable: bool,
}

impl Query {
    /// Whether the query carries the tag `pinned`.
    #[must_use]
    pub fn is_pinned(&self) -> bool {
        self.tags.iter().any(|tag| tag == PINNED)
    }
}

/// The queries, in the order of the file; ids are unique.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoldenSet {
    /// At least one, unless the set was built by hand.
    pub queries: Vec<Query>,
}

impl GoldenSet {
    /// Finds a query by id.
    #[must_use]
    pub fn query(&self, id: &QueryId) -> Option<&Query> {
        self.queries.iter().find(|query| &query.id == id)
    }

    /// The queries with judged passages that `run` answers with a result without text, with the first such result:
    /// nobody can tell whether it holds a passage.
    pub fn textless<'a>(&'a self, run: &'a Run) -> impl Iterator<Item = (&'a QueryId, &'a ResultId)> {
        self.queries.iter().filter(|query| !query.judgments.passages().is_empty()).filter_map(|query| {
            let mut results = run.repeats(&query.id)?.iter().flatten();
            Some((&query.id, &results.find(|result| result.text.is_none())?.id))
        })
    }

    /// Every query whose number in the file, from 1, is `number`, `number + of`, `number + 2·of`, …
    #[must_use]
    pub fn shard(&self, shard: Shard) -> Self {
        let queries = self.queries.iter().skip(shard.number - 1).step_by(shard.of);
        Self { queries: queries.cloned().collect() }
    }

    /// The queries that have an answer.
    pub fn answerable(&self) -> impl Iterator<Item = &Query> {
        self.queries.iter().filter(|query| !query.unanswerable)
    }
}
