//! Parts of the golden set.

use std::collections::BTreeSet;

use super::{MetricVerdict, Slice};
use crate::comparison::ComparedQuery;
use crate::golden::PINNED;

/// The compared queries with one tag or source.
pub(super) struct Part<'a> {
    /// `tag NAME` or `source NAME`.
    pub(super) name: String,
    pub(super) queries: Vec<&'a ComparedQuery<'a>>,
}

impl Part<'_> {
    /// Whether a configuration means this part by `name`.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name.split_once(' ').is_some_and(|(_, own)| own == name)
    }

    pub(super) fn with(&self, metrics: Vec<MetricVerdict>) -> Slice {
        let gated = metrics.iter().any(|metric| metric.gated);
        Slice { name: self.name.clone(), queries: self.queries.len(), metrics, gated }
    }
}

/// Every tag and source that some of `queries` have and some have not.
pub(super) fn of<'a>(queries: &[&'a ComparedQuery<'a>]) -> Vec<Part<'a>> {
    let tags: BTreeSet<&str> = queries.iter().flat_map(|query| query.query.tags.iter().map(String::as_str)).collect();
    let sources: BTreeSet<&str> = queries.iter().filter_map(|query| query.query.source.as_deref()).collect();
    let by_tag = tags.into_iter().filter(|tag| *tag != PINNED).map(|tag| Part {
        name: format!("tag {tag}"),
        queries: queries.iter().copied().filter(|query| query.query.tags.iter().any(|own| own == tag)).collect(),
    });
    let by_source = sources.into_iter().map(|source| Part {
        name: format!("source {source}"),
        queries: queries.iter().copied().filter(|query| query.query.source.as_deref() == Some(source)).collect(),
    });
    by_tag.chain(by_source).filter(|part| part.queries.len() < queries.len()).collect()
}
