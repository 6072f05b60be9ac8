//! Where a node of a YAML text stands. serde forgets it, so a second reader walks the same text.

use saphyr_parser::{Event, Parser, Span};

/// One step from a node to a node in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value of a key; of the last one where a key stands twice.
    Key(String),
    /// The key itself.
    Name(String),
    /// An item of a list, from 0.
    Index(usize),
}

impl Step {
    /// The value of a key.
    pub fn key(name: impl Into<String>) -> Self {
        Self::Key(name.into())
    }
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// In characters, at least 1.
    pub length: usize,
}

impl Place {
    /// One character.
    #[must_use]
    pub fn new(line: usize, column: usize) -> Self {
        Self { line: line.max(1), column: column.max(1), length: 1 }
    }

    fn of(span: Span) -> Self {
        let same_line = span.start.line() == span.end.line();
        let length = if same_line { span.end.col().saturating_sub(span.start.col()) } else { 1 };
        Self { line: span.start.line(), column: span.start.col() + 1, length: length.max(1) }
    }
}

/// What a walk is in.
enum Level {
    List { next: usize },
    Map { key: Option<String> },
}

/// The place of each path in a YAML (or JSON) text, in one pass; that of the nearest node around it where the node
/// itself is not there, `None` where the text cannot be read.
#[must_use]
pub fn places(text: &str, wanted: &[Vec<Step>]) -> Vec<Option<Place>> {
    let mut found: Vec<Option<(usize, Place)>> = vec![None; wanted.len()];
    walk(text, |path, _, place| note(&mut found, wanted, path, place));
    found.into_iter().map(|place| place.map(|(_, place)| place)).collect()
}

/// Visits every node of a YAML (or JSON) text in the order written: its path, its text where it is a scalar, its place.
/// Ends where the text cannot be read.
pub fn walk(text: &str, mut visit: impl FnMut(&[Step], Option<&str>, Place)) {
    // Each level with the length of the path to it.
    let mut levels: Vec<(Level, usize)> = Vec::new();
    let mut path: Vec<Step> = Vec::new();
    for event in Parser::new_from_str(text) {
        let Ok((event, span)) = event else { break };
        let level = match event {
            Event::Scalar(..) | Event::Alias(_) => None,
            Event::SequenceStart(..) => Some(Level::List { next: 0 }),
            Event::MappingStart(..) => Some(Level::Map { key: None }),
            Event::SequenceEnd | Event::MappingEnd => {
                levels.pop();
                continue;
            }
            _ => continue,
        };
        path.truncate(levels.last().map_or(0, |(_, length)| *length));
        path.extend(enter(levels.last_mut().map(|(level, _)| level), &event));
        let scalar = if let Event::Scalar(text, ..) = &event { Some(text.as_ref()) } else { None };
        visit(&path, scalar, Place::of(span));
        levels.extend(level.map(|level| (level, path.len())));
    }
}

/// The step to a node that begins in `level`; `None` at the root.
fn enter(level: Option<&mut Level>, event: &Event<'_>) -> Option<Step> {
    match level? {
        Level::List { next } => {
            *next += 1;
            Some(Step::Index(*next - 1))
        }
        Level::Map { key } => Some(match (key.take(), event) {
            (Some(name), _) => Step::Key(name),
            (None, Event::Scalar(name, ..)) => {
                *key = Some(name.to_string());
                Step::Name(name.to_string())
            }
            // A key that is a list or an alias cannot be wanted.
            (None, _) => {
                *key = Some(String::new());
                Step::Name(String::new())
            }
        }),
    }
}

/// Keeps the place of the longest path found so far on the way to each path wanted.
fn note(found: &mut [Option<(usize, Place)>], wanted: &[Vec<Step>], path: &[Step], place: Place) {
    for (found, wanted) in found.iter_mut().zip(wanted) {
        let is_on_the_way = path.len() <= wanted.len() && path == &wanted[..path.len()];
        if is_on_the_way && found.is_none_or(|(length, _)| length <= path.len()) {
            *found = Some((path.len(), place));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, path: &[Step]) -> Option<(usize, usize)> {
        places(text, &[path.to_vec()])[0].map(|place| (place.line, place.column))
    }

    #[test]
    fn values_keys_and_items_are_found() {
        let text = "a: 1\nb:\n  - x\n  - {c: [é, z], d: 2}\ne: *none\n";
        let key = Step::key;
        assert_eq!(at(text, &[key("a")]), Some((1, 4)));
        assert_eq!(at(text, &[Step::Name("b".into())]), Some((2, 1)));
        assert_eq!(at(text, &[key("b"), Step::Index(0)]), Some((3, 5)));
        assert_eq!(at(text, &[key("b"), Step::Index(1), key("c"), Step::Index(1)]), Some((4, 13)));
        assert_eq!(at(text, &[key("b"), Step::Index(1), key("d")]), Some((4, 20)));
    }

    #[test]
    fn what_is_not_there_is_where_it_should_be() {
        assert_eq!(at("a: {b: 1}\n", &[Step::key("a"), Step::key("c")]), Some((1, 4)));
        assert_eq!(at("", &[Step::key("a")]), None);
    }

    #[test]
    fn of_two_equal_keys_the_last_counts() {
        assert_eq!(at("a: 1\na: 2\n", &[Step::Name("a".into())]), Some((2, 1)));
    }
}
