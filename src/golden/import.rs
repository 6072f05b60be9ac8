//! Reads the queries and judgments of test collections (BEIR, TREC) into a golden set.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{GoldenSet, Query};
use crate::id::{DocumentId, QueryId};
use crate::judgments::{Grade, Judgments};
use crate::run::jsonl::excerpt;

/// A golden set with what was left out of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// In the order of the queries.
    pub golden: GoldenSet,
    /// Queries that nobody judged.
    pub unjudged: Vec<QueryId>,
    /// Judgments of queries that are not there.
    pub foreign: usize,
}

/// Puts queries (BEIR's JSONL, or `id<TAB>text` lines) and judgments (BEIR's TSV with its header, or TREC's four columns)
/// together. A negative grade is 0; a query whose every grade is 0 has no answer.
///
/// # Errors
/// `queries line N: …` or `judgments line N: …`, with the value and what to do.
pub fn import(queries: &str, judgments: &str) -> Result<Imported, String> {
    let mut judged = BTreeMap::new();
    for (index, line) in lines(judgments) {
        let (query, document, grade) = match judgment(line, index) {
            Ok(Some(judgment)) => judgment,
            Ok(None) => continue,
            Err(error) => return Err(format!("judgments line {}: {error}", index + 1)),
        };
        let known: &mut Judgments = judged.entry(query.clone()).or_default();
        if !known.insert(document.clone(), grade) {
            return Err(format!(
                "judgments line {}: query `{query}` judges `{document}` a second time; remove one of the two",
                index + 1
            ));
        }
    }
    let mut imported = Imported::default();
    let mut seen = std::collections::BTreeSet::new();
    for (index, line) in lines(queries) {
        let (id, text) = query(line).map_err(|error| format!("queries line {}: {error}", index + 1))?;
        if !seen.insert(id.clone()) {
            return Err(format!("queries line {}: query `{id}` is there twice; remove one of the two", index + 1));
        }
        match judged.remove(&id) {
            None => imported.unjudged.push(id),
            Some(judgments) => imported.golden.queries.push(Query {
                id,
                text,
                source: None,
                tags: Vec::new(),
                unanswerable: !judgments.is_answerable(),
                judgments,
            }),
        }
    }
    imported.foreign = judged.values().map(|judgments| judgments.iter().count()).sum();
    if imported.golden.queries.is_empty() {
        return Err("no query has a judgment; do both files speak of the same query ids?".to_owned());
    }
    Ok(imported)
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty())
}

fn query(line: &str) -> Result<(QueryId, String), String> {
    let (id, text) = if line.trim_start().starts_with('{') {
        let value: Value = serde_json::from_str(line).map_err(|_| format!("not JSON: `{}`", excerpt(line)))?;
        let field = |names: [&str; 2]| {
            let value = names.iter().find_map(|name| value.get(name))?;
            value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|number| number.to_string()))
        };
        let missing = |name| format!("no `{name}`; expected {{\"_id\", \"text\"}}: `{}`", excerpt(line));
        (field(["_id", "id"]).ok_or_else(|| missing("_id"))?, field(["text", "query"]).ok_or_else(|| missing("text"))?)
    } else {
        let (id, text) = line.split_once('\t').ok_or_else(|| {
            format!("neither a JSON object nor two columns with a tab between them: `{}`", excerpt(line))
        })?;
        (id.trim().to_owned(), text.trim().to_owned())
    };
    if id.is_empty() || id.chars().any(char::is_whitespace) || text.trim().is_empty() {
        return Err(format!("an id without white space and a text are needed: `{}`", excerpt(line)));
    }
    Ok((QueryId::new(id), text))
}

/// `None` for a header.
fn judgment(line: &str, index: usize) -> Result<Option<(QueryId, DocumentId, Grade)>, String> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let ([query, document, grade] | [query, _, document, grade]) = columns.as_slice() else {
        return Err(format!(
            "{} columns; expected BEIR's `query-id corpus-id score` or TREC's `query 0 document grade`: `{}`",
            columns.len(),
            excerpt(line)
        ));
    };
    let Ok(value) = grade.parse::<i64>() else {
        if index == 0 {
            return Ok(None);
        }
        return Err(format!("grade `{grade}` is not a whole number"));
    };
    let value = u8::try_from(value.max(0)).ok().and_then(Grade::new);
    let grade = value.ok_or_else(|| format!("grade {grade} is above {}", Grade::MAX))?;
    Ok(Some((QueryId::new(*query), DocumentId::new(*document), grade)))
}

/// The set as JSONL, a query a line.
#[must_use]
pub fn as_lines(golden: &GoldenSet) -> String {
    golden.queries.iter().map(|query| object(query).to_string() + "\n").collect()
}

/// The set as YAML, a query a paragraph; JSON strings are YAML strings that need no thought about quoting.
#[must_use]
pub fn as_yaml(golden: &GoldenSet) -> String {
    let query = |query: &Query| {
        let fields = object(query).as_object().cloned().unwrap_or_default();
        let lines: String = fields.iter().skip(1).map(|(key, value)| format!("    {key}: {value}\n")).collect();
        format!("  - id: {}\n{lines}", json!(query.id))
    };
    format!("queries:\n{}", golden.queries.iter().map(query).collect::<String>())
}

fn object(query: &Query) -> Value {
    let mut object = Map::new();
    object.insert("id".to_owned(), json!(query.id));
    object.insert("text".to_owned(), json!(query.text));
    if query.unanswerable {
        object.insert("unanswerable".to_owned(), true.into());
    }
    let grades: Map<String, Value> =
        query.judgments.iter().map(|(document, grade)| (document.to_string(), grade.value().into())).collect();
    if !grades.is_empty() {
        object.insert("grades".to_owned(), grades.into());
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::read;

    #[test]
    fn both_families_of_formats_give_the_same_set() {
        let beir = import(
            "{\"_id\":\"1\",\"text\":\"what: is #this\"}\n{\"_id\":\"2\",\"text\":\"t\"}\n{\"_id\":\"3\",\"text\":\"t\"}\n",
            "query-id\tcorpus-id\tscore\n1\td/1\t2\n1\td2\t-1\n2\td2\t0\n9\td\t1\n",
        )
        .unwrap();
        let trec = import("1\twhat: is #this\n2\tt\n3\tt\n", "1 0 d/1 2\n1 0 d2 -1\n2 0 d2 0\n9 0 d 1\n").unwrap();
        assert_eq!(beir, trec);
        assert_eq!((beir.unjudged.len(), beir.foreign), (1, 1));
        assert!(beir.golden.queries[1].unanswerable && !beir.golden.queries[0].unanswerable);
        for (text, name) in [(as_yaml(&beir.golden), "q.yaml"), (as_lines(&beir.golden), "q.jsonl")] {
            assert_eq!(read::parse(&text, std::path::Path::new(name)).unwrap(), beir.golden, "{text}");
        }
    }

    #[test]
    fn mistakes_name_the_line() {
        for (queries, judgments, wanted) in [
            ("1\tt\n", "1 0 d 2\n1 0 d 1\n", "judgments line 2: query `1` judges `d` a second time"),
            ("1\tt\n", "h h h\n1 d x\n", "judgments line 2: grade `x` is not a whole number"),
            ("1\tt\n", "1 0 d 11\n", "judgments line 1: grade 11 is above 10"),
            ("1\tt\n", "1 d\n", "judgments line 1: 2 columns"),
            ("1 t\n", "1 d 1\n", "queries line 1: neither"),
            ("{\"_id\":\"1\"}\n", "1 d 1\n", "queries line 1: no `text`"),
            ("1\tt\n1\tu\n", "1 d 1\n", "queries line 2: query `1` is there twice"),
            ("1\tt\n", "2 d 1\n", "same query ids"),
        ] {
            let error = import(queries, judgments).unwrap_err();
            assert!(error.contains(wanted), "{wanted}: {error}");
        }
    }
}
