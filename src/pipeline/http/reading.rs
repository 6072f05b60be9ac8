//! What is read from the answer of an engine: the hits, and in each hit an id, a score and a text.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use serde_json::Value;
use serde_json_path::JsonPath;

use crate::id::ResultId;
use crate::run::jsonl::excerpt;
use crate::run::{RankedResult, Ranking};

/// A JSONPath (RFC 9535) to a list.
#[derive(Clone, Debug)]
pub struct ListPath {
    source: String,
    path: JsonPath,
    /// The list that the last step walks; `None` where the path leads to the list itself.
    list: Option<JsonPath>,
}

/// Where a value is found.
#[derive(Clone, Debug)]
pub enum Field {
    /// In each hit.
    InHit {
        /// As it was written.
        source: String,
        /// From the hit.
        path: JsonPath,
    },
    /// In a list beside the hits, at the same place.
    Beside(ListPath),
}

/// How an answer is read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The hits, best first.
    pub results: ListPath,
    /// What identifies a hit; `None` is `id`, or the hit itself where that is no object.
    pub id: Option<Field>,
    /// The engine's own score; it never changes the order.
    pub score: Option<Field>,
    /// The passage.
    pub text: Option<Field>,
    /// A smaller score is a better one: scores are kept negated, so that more is better everywhere.
    pub lower_is_better: bool,
    /// An answer without the list means "nothing found".
    pub absent_is_empty: bool,
}

impl ListPath {
    /// The response itself.
    #[must_use]
    pub fn root() -> Self {
        Self { source: "$".to_owned(), path: JsonPath::default(), list: None }
    }

    /// Reads a path that begins with `$`.
    ///
    /// # Errors
    /// Says what is wrong with it, and after `; ` what to write.
    pub fn parse(source: &str) -> Result<Self, String> {
        let path = absolute(source)?;
        let list = match last_segment(source) {
            Some(start) if walks(&source[start..]) => Some(absolute(&source[..start])?),
            _ => None,
        };
        Ok(Self { source: source.to_owned(), path, list })
    }

    /// The items; `None` where there is no such list, or it is null.
    fn items<'a>(&self, response: &'a Value) -> Result<Option<Vec<&'a Value>>, String> {
        let not_a_list =
            |value: &Value| Err(format!("`{}` leads to {}, not to a list", self.source, excerpt(&value.to_string())));
        let lists = self.list.as_ref().unwrap_or(&self.path).query(response).all();
        if lists.iter().all(|value| value.is_null()) {
            return Ok(None);
        }
        if self.list.is_some() {
            return match lists.iter().find(|value| !value.is_array() && !value.is_object()) {
                Some(value) => not_a_list(value),
                None => Ok(Some(self.path.query(response).all())),
            };
        }
        match lists.as_slice() {
            [Value::Array(items)] => Ok(Some(items.iter().collect())),
            [other] => not_a_list(other),
            _ => Err(format!("`{}` leads to {} lists, not to one", self.source, lists.len())),
        }
    }
}

impl Field {
    /// Reads a path: one that begins with `$` is a list beside the hits, any other leads into a hit; `@` is the hit.
    ///
    /// # Errors
    /// As [`ListPath::parse`].
    pub fn parse(source: &str) -> Result<Self, String> {
        if source.starts_with('$') {
            return ListPath::parse(source).map(Self::Beside);
        }
        let from_hit = match source.strip_prefix('@') {
            Some(rest) => format!("${rest}"),
            None if source.starts_with('[') => format!("${source}"),
            None => format!("$.{source}"),
        };
        let path = JsonPath::parse(&from_hit).map_err(|error| wrong_path(source, &error.to_string()))?;
        Ok(Self::InHit { source: source.to_owned(), path })
    }
}

fn absolute(source: &str) -> Result<JsonPath, String> {
    if !source.starts_with('$') {
        return Err(format!("`{source}` does not begin with `$`; write a path from the response, such as `$.hits[*]`"));
    }
    JsonPath::parse(source).map_err(|error| wrong_path(source, &error.to_string()))
}

fn wrong_path(source: &str, error: &str) -> String {
    let error = error.lines().next().unwrap_or_default();
    format!("`{source}` is no JSONPath ({error}); a name with other than letters and digits is written `['@name']`")
}

/// Whether a step leads to many nodes (`.*`, `[*]`, `[2:]`, `[?…]`) and not to one (`.hits`, `['hits']`, `[0]`).
fn walks(step: &str) -> bool {
    let inside = step.trim_start_matches(['.', '[']).trim_start();
    inside.starts_with(['*', '?'])
        || (step.starts_with('[') && !inside.starts_with(['\'', '"']) && inside.contains([':', ',']))
}

/// Where the last step of a path begins.
fn last_segment(source: &str) -> Option<usize> {
    let mut start = None;
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, character) in source.char_indices() {
        match (quote, character) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None, '[') => {
                if depth == 0 {
                    start = Some(at);
                }
                depth += 1;
            }
            (None, ']') => depth = depth.saturating_sub(1),
            (None, '.') if depth == 0 => start = Some(at),
            // Anything else, and what stands in quotes.
            _ => {}
        }
    }
    start
}

impl Reading {
    /// Reads the first `depth` hits of a response.
    ///
    /// # Errors
    /// Says what is not there or not as it should be, with the start of the value.
    pub fn read(&self, response: &Value, depth: usize) -> Result<Ranking, String> {
        let Some(hits) = self.results.items(response)? else {
            if self.absent_is_empty {
                return Ok(Ranking::new());
            }
            return Err(format!(
                "the answer has no `{}`: {}\nhint: `results` names the list of hits; where an engine leaves it out when \
                 nothing is found, write `absent: empty`",
                self.results.source,
                excerpt(&response.to_string())
            ));
        };
        let ids = Column::new(self.id.as_ref(), response, hits.len())?;
        let scores = Column::new(self.score.as_ref(), response, hits.len())?;
        let texts = Column::new(self.text.as_ref(), response, hits.len())?;
        let result = |(place, hit): (usize, &Value)| {
            self.result(hit, &ids, &scores, &texts, place).map_err(|error| format!("hit {}: {error}", place + 1))
        };
        hits.into_iter().take(depth).enumerate().map(result).collect()
    }

    fn result(
        &self,
        hit: &Value,
        ids: &Column<'_>,
        scores: &Column<'_>,
        texts: &Column<'_>,
        place: usize,
    ) -> Result<RankedResult, String> {
        let id = match ids {
            Column::Absent => hit.get("id").or((!hit.is_object()).then_some(hit)),
            _ => ids.get(hit, place)?,
        };
        let Some(id) = id else {
            let name = self.id.as_ref().map_or("id", Field::source);
            return Err(format!(
                "no `{name}` in {}\nhint: `result_id` is the path from a hit to its id",
                excerpt(&hit.to_string())
            ));
        };
        let score = scores.get(hit, place)?.map(number).transpose()?.flatten();
        let text = match texts.get(hit, place)? {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            // Engines that store several passages in a field answer with a list of them.
            Some(Value::Array(parts)) if parts.iter().all(Value::is_string) => {
                Some(parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"))
            }
            Some(other) => return Err(format!("its text is {}, not a string", excerpt(&other.to_string()))),
        };
        Ok(RankedResult {
            id: ResultId::new(id_text(id)?),
            score: score.map(|score| if self.lower_is_better { -score } else { score }),
            text,
        })
    }
}

/// One value for each hit.
enum Column<'a> {
    Absent,
    InHit(&'a JsonPath),
    Beside(Vec<&'a Value>),
}

impl<'a> Column<'a> {
    fn new(field: Option<&'a Field>, response: &'a Value, hits: usize) -> Result<Self, String> {
        let list = match field {
            None => return Ok(Self::Absent),
            Some(Field::InHit { path, .. }) => return Ok(Self::InHit(path)),
            Some(Field::Beside(list)) => list,
        };
        let Some(values) = list.items(response)? else { return Ok(Self::Absent) };
        if values.len() != hits {
            return Err(format!("`{}` has {} values for {hits} hits", list.source, values.len()));
        }
        Ok(Self::Beside(values))
    }

    fn get<'b>(&'b self, hit: &'b Value, place: usize) -> Result<Option<&'b Value>, String> {
        Ok(match self {
            Self::Absent => None,
            Self::Beside(values) => values.get(place).copied(),
            Self::InHit(path) => {
                let found = path.query(hit).all();
                if found.len() > 1 {
                    return Err(format!("`{path}` leads to {} values in it, not to one", found.len()));
                }
                found.first().copied()
            }
        })
    }
}

impl Field {
    fn source(&self) -> &str {
        match self {
            Self::InHit { source, .. } => source,
            Self::Beside(list) => &list.source,
        }
    }
}

/// Integers keep their digits; a float has lost some already.
fn id_text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Ok(text.clone()),
        Value::Number(number) if number.is_u64() || number.is_i64() => Ok(number.to_string()),
        Value::Number(number) => {
            Err(format!("its id {number} is no 64-bit integer and would lose digits; have the engine send it as text"))
        }
        other => Err(format!("its id is {}, not a non-empty text or an integer", excerpt(&other.to_string()))),
    }
}

/// A number, or one in a string as GraphQL engines send it; null is no score.
fn number(value: &Value) -> Result<Option<f64>, String> {
    let number = match value {
        Value::Null => return Ok(None),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    match number.filter(|number| number.is_finite()) {
        Some(number) => Ok(Some(number)),
        None => Err(format!("its score is {}, not a finite number", excerpt(&value.to_string()))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reading(results: &str, id: &str, score: &str) -> Reading {
        let field = |source: &str| (!source.is_empty()).then(|| Field::parse(source).unwrap());
        Reading {
            results: ListPath::parse(results).unwrap(),
            id: field(id),
            score: field(score),
            text: None,
            lower_is_better: false,
            absent_is_empty: false,
        }
    }

    fn read(reading: &Reading, response: &Value) -> Result<Vec<(String, Option<f64>)>, String> {
        let pair = |result: &RankedResult| (result.id.to_string(), result.score);
        Ok(reading.read(response, 2)?.iter().map(pair).collect())
    }

    fn pairs(expected: &[(&str, f64)]) -> Vec<(String, Option<f64>)> {
        expected.iter().map(|(id, score)| ((*id).to_owned(), Some(*score))).collect()
    }

    #[test]
    fn every_shape_of_the_engines_is_read() {
        let expected = pairs(&[("a", 2.0), ("b", 1.0)]);
        let hit = |id: &str, score: f64| json!({"id": id, "score": score, "doc": {"id": [id]}, "@search.score": score});
        let hits = json!([hit("a", 2.0), hit("b", 1.0), hit("c", 0.5)]);
        for (results, id, score, response) in [
            ("$.hits.hits[*]", "id", "score", json!({"hits": {"hits": hits}})),
            ("$.hits", "id", "score", json!({"hits": hits})),
            ("$[*]", "", "score", hits.clone()),
            ("$", "doc.id[0]", "['@search.score']", hits.clone()),
            ("$.results[0].hits[*]", "@.doc['id'][0]", "score", json!({"results": [{"hits": hits}]})),
            ("$.ids[0][*]", "@", "$.scores[0]", json!({"ids": [["a", "b", "c"]], "scores": [[2, "1.0", null]]})),
            ("$[1][0][2:]", "[0]", "[1]", json!([[0], [[[3], ["n"], ["a", 2], ["b", 1], ["c", 0]]]])),
        ] {
            assert_eq!(read(&reading(results, id, score), &response).unwrap(), expected, "{results}");
        }
    }

    #[test]
    fn digits_are_kept() {
        let response = json!({"hits": [{"id": 18_446_744_073_709_551_615_u64}, {"id": -9_007_199_254_740_993_i64}]});
        let ids = read(&reading("$.hits[*]", "id", ""), &response).unwrap();
        assert_eq!(ids[0].0, "18446744073709551615");
        assert_eq!(ids[1].0, "-9007199254740993");
        let response: Value =
            serde_json::from_str(r#"{"hits":[{"id":340282366920938463463374607431768211455}]}"#).unwrap();
        assert!(read(&reading("$.hits[*]", "id", ""), &response).unwrap_err().contains("would lose digits"));
    }

    #[test]
    fn nothing_found_is_told_from_a_path_that_leads_nowhere() {
        let mut reading = reading("$.root.children[*]", "id", "");
        assert_eq!(read(&reading, &json!({"root": {"children": []}})), Ok(Vec::new()));
        for response in [json!({"root": {}}), json!({"root": {"children": null}}), json!([])] {
            let error = read(&reading, &response).unwrap_err();
            assert!(error.contains("has no `$.root.children[*]`") && error.contains("absent: empty"), "{error}");
        }
        reading.absent_is_empty = true;
        assert_eq!(read(&reading, &json!({"root": {}})), Ok(Vec::new()));
        assert!(read(&reading, &json!({"root": {"children": 7}})).unwrap_err().contains("7, not to a list"));
    }

    #[test]
    fn distances_are_negated_so_that_more_is_better() {
        let mut reading = reading("$[*]", "id", "d");
        reading.lower_is_better = true;
        let response = json!([{"id": "a", "d": 0.5}, {"id": "b", "d": 1}]);
        assert_eq!(read(&reading, &response).unwrap(), pairs(&[("a", -0.5), ("b", -1.0)]));
    }

    #[test]
    fn what_is_wrong_names_the_hit() {
        for (id, score, response, wanted) in [
            ("key", "", json!([{"key": "a"}, {"id": "b"}]), "hit 2: no `key` in {\"id\":\"b\"}"),
            ("", "", json!([{"id": ""}]), "hit 1: its id is \"\""),
            ("", "", json!([{"id": 1.5}]), "would lose digits"),
            ("", "s", json!([{"id": "a", "s": "high"}]), "its score is \"high\""),
            ("", "$.s[*]", json!([{"id": "a"}]), ""),
            ("a[*]", "", json!([{"a": [1, 2]}]), "leads to 2 values"),
        ] {
            let outcome = read(&reading("$[*]", id, score), &response);
            if wanted.is_empty() {
                assert!(outcome.is_ok(), "a list beside that is not there gives no scores");
            } else {
                let error = outcome.unwrap_err();
                assert!(error.contains(wanted), "{error}");
            }
        }
        let error = read(&reading("$.a[*]", "@", "$.b[*]"), &json!({"a": [1, 2], "b": [1]})).unwrap_err();
        assert_eq!(error, "`$.b[*]` has 1 values for 2 hits");
        assert!(ListPath::parse("hits").unwrap_err().contains("begin with `$`"));
        assert!(Field::parse("@search.score").is_err(), "a name with an @ needs brackets");
    }
}
