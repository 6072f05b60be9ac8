//! On which line of its file a query stands, so that a report can point at it.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::read;
use crate::diagnostic::{Step, walk};
use crate::id::QueryId;

/// The line, from 1, of every query id in the text of the golden set `path`; none of a text that cannot be read.
#[must_use]
pub fn lines(text: &str, path: &Path) -> BTreeMap<QueryId, usize> {
    if read::is_lines(path) { of_jsonl(text) } else { of_yaml(text) }
}

fn of_yaml(text: &str) -> BTreeMap<QueryId, usize> {
    let mut lines = BTreeMap::new();
    walk(text, |path, scalar, place| {
        if let ([Step::Key(queries), Step::Index(_), Step::Key(id)], Some(scalar)) = (path, scalar)
            && queries == "queries"
            && id == "id"
        {
            lines.entry(QueryId::new(scalar)).or_insert(place.line);
        }
    });
    lines
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

fn of_jsonl(text: &str) -> BTreeMap<QueryId, usize> {
    let named = text.lines().enumerate().filter_map(|(index, line)| {
        let Named { id } = serde_json::from_str(line).ok()?;
        Some((QueryId::new(id), index + 1))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, path: &str) -> Vec<(String, usize)> {
        lines(text, Path::new(path)).into_iter().map(|(id, line)| (id.to_string(), line)).collect()
    }

    #[test]
    fn the_line_is_that_of_the_id() {
        let yaml = "# x\r\nqueries:\r\n  - text: id\r\n    id: b\r\n  - {grades: {id: 2}, id: \"a\", text: t}\r\n";
        assert_eq!(found(yaml, "q.yaml"), [("a".to_owned(), 5), ("b".to_owned(), 4)]);
        assert_eq!(
            found("{\"id\":\"b\"}\n\nx\n{\"id\":\"a\"}\n", "q.jsonl"),
            [("a".to_owned(), 4), ("b".to_owned(), 1)]
        );
        assert!(found("queries: [", "q.yaml").is_empty());
    }
}
