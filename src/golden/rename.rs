//! Renames a document in the text of a golden set, and leaves every other byte as it is.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::path::Path;

use super::{GoldenSet, Query, read};
use crate::diagnostic::{Place, Step, places};
use crate::exit::Failure;
use crate::id::DocumentId;
use crate::judgments::Judgments;
use crate::passage::Passage;

/// The new text, and how many judgments it renamed.
///
/// # Errors
/// [`Failure::Input`] where the set is not sound, no query judges `old`, a query judges both, or the text is written in a
/// way that cannot be edited in place.
pub fn rename(text: &str, path: &Path, old: &DocumentId, new: &DocumentId) -> Result<(String, usize), Failure> {
    let set = read::parse(text, path)?;
    let refuse = |message: String| Failure::Input(format!("{}: {message}", path.display()));
    let judging: Vec<usize> = (0..set.queries.len()).filter(|index| judges(&set, *index, old)).collect();
    if judging.is_empty() {
        return Err(refuse(format!("no query judges `{old}`\nhint: write the id as the golden set does")));
    }
    if let Some(both) = judging.iter().find(|index| judges(&set, **index, new)) {
        let query = &set.queries[*both].id;
        return Err(refuse(format!(
            "query `{query}` judges `{old}` and `{new}`\nhint: remove one of the two grades first"
        )));
    }
    let mut keys = locate(text, path, &set, &judging, old);
    // From the end, so that no place moves before its turn.
    keys.sort_by_key(|place| std::cmp::Reverse((place.line, place.column)));
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for place in &keys {
        let line = &mut lines[place.line - 1];
        let offset = |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
        let (start, end) = (offset(place.column), offset(place.column + place.length));
        let written = written(&line[start..end], new);
        line.replace_range(start..end, &written);
    }
    let renamed = lines.join("\n");
    // An alias or an odd way of writing may stand elsewhere than it seems: nothing is written that was not read back.
    let is_right = read::parse(&renamed, path).is_ok_and(|after| after == expected(set, old, new));
    if is_right {
        Ok((renamed, judging.len()))
    } else {
        Err(refuse(format!("`{old}` cannot be renamed in place\nhint: rename it by hand")))
    }
}

fn judges(set: &GoldenSet, index: usize, document: &DocumentId) -> bool {
    let judgments = &set.queries[index].judgments;
    judgments.grade(document).is_some() || passages_of(&set.queries[index], document).next().is_some()
}

/// The passages of a document.
fn passages_of<'a>(query: &'a Query, document: &'a DocumentId) -> impl Iterator<Item = &'a Passage> {
    query.judgments.passages().iter().filter(move |passage| passage.document.as_ref() == Some(document))
}

fn locate(text: &str, path: &Path, set: &GoldenSet, judging: &[usize], old: &DocumentId) -> Vec<Place> {
    if !read::is_lines(path) {
        let wanted: Vec<Vec<Step>> = judging
            .iter()
            .flat_map(|index| steps(&set.queries[*index], old).into_iter().map(move |steps| (index, steps)))
            .map(|(index, steps)| [vec![Step::key("queries"), Step::Index(*index)], steps].concat())
            .collect();
        let lines: Vec<&str> = text.split('\n').collect();
        return places(text, &wanted).into_iter().flatten().filter(|place| stands_at(&lines, *place, old)).collect();
    }
    let written = text.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty());
    let wanted = written.enumerate().filter(|(index, _)| judging.contains(index));
    wanted
        .flat_map(|(index, (number, line))| {
            let found = places(line, &steps(&set.queries[index], old)).into_iter().flatten();
            let found = found.filter(|place| stands_at(&[line], *place, old));
            found.map(|place| Place { line: number + 1, ..place }).collect::<Vec<_>>()
        })
        .collect()
}

/// Where the document may stand in a query: as the key of a grade, and in any of its passages.
fn steps(query: &Query, old: &DocumentId) -> Vec<Vec<Step>> {
    let key = query.judgments.grade(old).map(|_| vec![Step::key("grades"), Step::Name(old.to_string())]);
    let passages = 0..query.judgments.passages().len();
    let passages = passages.map(|index| vec![Step::key("passages"), Step::Index(index), Step::key("document")]);
    key.into_iter().chain(passages).collect()
}

/// Whether the id stands at a place; a passage may be of another document, or of none.
fn stands_at(lines: &[&str], place: Place, old: &DocumentId) -> bool {
    let line = lines.get(place.line - 1).copied().unwrap_or_default();
    let written: String = line.chars().skip(place.column - 1).take(place.length).collect();
    serde_yaml::from_str::<String>(&written).is_ok_and(|id| id == old.as_str())
}

/// The new id, in quotes where the old one had them or the new one needs them.
fn written(old: &str, new: &DocumentId) -> String {
    let id = new.as_str();
    let is_plain = id.starts_with(|c: char| c.is_ascii_alphabetic())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || "/_.-".contains(c))
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&id.to_lowercase().as_str());
    if is_plain && !old.starts_with(['"', '\'']) { id.to_owned() } else { serde_json::Value::from(id).to_string() }
}

fn expected(mut set: GoldenSet, old: &DocumentId, new: &DocumentId) -> GoldenSet {
    for query in &mut set.queries {
        let renamed = |document: &DocumentId| if document == old { new.clone() } else { document.clone() };
        let mut judgments: Judgments =
            query.judgments.iter().map(|(document, grade)| (renamed(document), grade)).collect();
        for passage in query.judgments.passages() {
            let document = passage.document.as_ref().map(renamed);
            if let Some(passage) = Passage::new(&passage.quote, document, passage.grade) {
                judgments.insert_passage(passage);
            }
        }
        query.judgments = judgments;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(text: &str, path: &str, old: &str, new: &str) -> Result<(String, usize), String> {
        rename(text, Path::new(path), &DocumentId::new(old), &DocumentId::new(new)).map_err(|error| error.to_string())
    }

    #[test]
    fn only_the_keys_change() {
        let text = "# a is here\r\nqueries:\r\n  - id: a # a\r\n    text: a\r\n    grades: {b: 1, a: 2}\r\n  - {id: b, text: é, grades: {\"a\": 1}}\r\n";
        let (after, count) = renamed(text, "q.yaml", "a", "c/d").unwrap();
        assert_eq!(count, 2);
        assert_eq!(after, text.replace("b: 1, a: 2", "b: 1, c/d: 2").replace("\"a\": 1", "\"c/d\": 1"));
        let (odd, _) = renamed(text, "q.yaml", "a", "no: é").unwrap();
        assert!(odd.contains("b: 1, \"no: é\": 2"), "{odd}");
        let lines = "{\"id\":\"a\",\"text\":\"a\",\"grades\":{\"a\":1}}\n\n{\"id\":\"b\",\"text\":\"a\",\"grades\":{\"b\":1}}\n";
        assert_eq!(renamed(lines, "q.jsonl", "b", "z").unwrap().0, lines.replace("{\"b\":1}", "{\"z\":1}"));
    }

    #[test]
    fn the_documents_of_passages_change_too() {
        let text = "queries:\n  - id: q\n    text: t\n    passages:\n      - {quote: z, document: b, grade: 1}\n      - {quote: a, document: 'a', grade: 2}\n      - {quote: a, grade: 1}\n";
        let (after, count) = renamed(text, "q.yaml", "a", "c").unwrap();
        assert_eq!((after, count), (text.replace("'a'", "\"c\""), 1));
        let line = "{\"id\":\"q\",\"text\":\"a\",\"passages\":[{\"quote\":\"a\",\"document\":\"a\",\"grade\":1}]}\n";
        assert_eq!(renamed(line, "q.jsonl", "a", "c").unwrap().0, line.replace("document\":\"a", "document\":\"c"));
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        let text = "queries:\n  - {id: q, text: t, grades: {a: 1, b: 2}}\n";
        assert!(renamed(text, "q.yaml", "x", "y").unwrap_err().contains("no query judges `x`"));
        assert!(renamed(text, "q.yaml", "a", "b").unwrap_err().contains("query `q` judges `a` and `b`"));
        let alias = "queries:\n  - {id: q, text: t, grades: &g {a: 1}}\n  - {id: r, text: t, grades: *g}\n";
        assert_eq!(renamed(alias, "q.yaml", "a", "b").unwrap().0, alias.replace("a: 1", "b: 1"));
        let key = "queries:\n  - {id: q, text: &x a, grades: {*x : 1}}\n";
        assert!(renamed(key, "q.yaml", "a", "b").unwrap_err().contains("rename it by hand"));
    }
}
