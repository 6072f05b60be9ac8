//! The golden set: queries with graded judgments, frozen on purpose.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use crate::id::QueryId;
use crate::judgments::Judgments;

pub mod check;
pub mod difference;
pub mod digest;
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

    /// The queries that have an answer.
    pub fn answerable(&self) -> impl Iterator<Item = &Query> {
        self.queries.iter().filter(|query| !query.unanswerable)
    }
}
