//! One answer a line: `{"id": …, "results": [id | {"id", "score", "text"}]}`, what a `command` pipeline prints, what
//! `--save-run` writes and what a baseline holds.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use serde_json::{Map, Value};

use super::{RankedResult, Ranking, Run};
use crate::id::{QueryId, ResultId};

/// How much of an offending line an error quotes, in characters.
const QUOTED: usize = 120;

/// Reads one line that a pipeline wrote.
///
/// # Errors
/// Says what is wrong and quotes the value; it names no line number, which only the caller knows.
pub fn parse_answer(line: &str) -> Result<(QueryId, Ranking), String> {
    let (id, object) = parse_object(line)?;
    let ranking = parse_ranking(&id, "results", object.get("results"))?;
    Ok((QueryId::new(id), ranking))
}

/// Reads one line of a file, which may have the answers of other times in `repeats`.
fn parse_stored(line: &str) -> Result<(QueryId, Vec<Ranking>), String> {
    let (id, object) = parse_object(line)?;
    let mut rankings = vec![parse_ranking(&id, "results", object.get("results"))?];
    match object.get("repeats") {
        None => {}
        Some(Value::Array(repeats)) => {
            for repeat in repeats {
                rankings.push(parse_ranking(&id, "repeats", Some(repeat))?);
            }
        }
        Some(other) => return Err(format!("`repeats` of query `{id}` is {}, not a list", excerpt(&other.to_string()))),
    }
    Ok((QueryId::new(id), rankings))
}

fn parse_object(line: &str) -> Result<(String, Map<String, Value>), String> {
    let value: Value = serde_json::from_str(line)
        .map_err(|error| format!("not JSON ({}): `{}`", without_place(&error), excerpt(line)))?;
    let Value::Object(object) = value else {
        return Err(format!("not a JSON object: `{}`", excerpt(line)));
    };
    let id = match object.get("id") {
        None => return Err(format!("no `id`: `{}`", excerpt(line))),
        Some(id) => id_text(id).ok_or_else(|| format!("`id` is {id}, not a non-empty string"))?,
    };
    Ok((id, object))
}

fn parse_ranking(id: &str, key: &str, value: Option<&Value>) -> Result<Ranking, String> {
    let results = match value {
        Some(Value::Array(results)) => results,
        Some(other) => return Err(format!("`{key}` of query `{id}` is {}, not a list", excerpt(&other.to_string()))),
        None => return Err(format!("query `{id}` has no `{key}` (an empty list means \"nothing found\")")),
    };
    let result = |(place, result): (usize, &Value)| {
        parse_result(result).map_err(|error| format!("query `{id}`, result {}: {error}", place + 1))
    };
    results.iter().enumerate().map(result).collect()
}

fn parse_result(value: &Value) -> Result<RankedResult, String> {
    if let Some(id) = id_text(value) {
        return Ok(RankedResult { id: ResultId::new(id), score: None, text: None });
    }
    let Value::Object(object) = value else {
        return Err(format!("{} is neither a non-empty id nor an object with one", excerpt(&value.to_string())));
    };
    let id = match object.get("id") {
        None => return Err(format!("no `id` in {}", excerpt(&value.to_string()))),
        Some(id) => id_text(id).ok_or_else(|| format!("`id` is {id}, not a non-empty string"))?,
    };
    let score = match object.get("score") {
        None | Some(Value::Null) => None,
        Some(score) => Some(
            score
                .as_f64()
                .filter(|score| score.is_finite())
                .ok_or_else(|| format!("`score` of `{id}` is {}, not a finite number", excerpt(&score.to_string())))?,
        ),
    };
    let text = match object.get("text") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(other) => return Err(format!("`text` of `{id}` is {}, not a string", excerpt(&other.to_string()))),
    };
    Ok(RankedResult { id: ResultId::new(id), score, text })
}

/// Ids of engines are often integers: their digits are kept, never a float.
fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) if number.is_u64() || number.is_i64() => Some(number.to_string()),
        _ => None,
    }
}

/// Writes one line, without the line end.
#[must_use]
pub fn format_answer(query: &QueryId, repeats: &[Ranking]) -> String {
    Value::Object(answer_object(query, repeats)).to_string()
}

/// What [`format_answer`] writes, for a file whose lines say more.
pub(crate) fn answer_object(query: &QueryId, repeats: &[Ranking]) -> Map<String, Value> {
    let results = |ranking: &Ranking| -> Value { ranking.iter().map(format_result).collect() };
    let mut object = Map::new();
    object.insert("id".into(), query.as_str().into());
    object.insert("results".into(), repeats.first().map_or_else(|| Value::Array(Vec::new()), results));
    if repeats.len() > 1 {
        object.insert("repeats".into(), repeats[1..].iter().map(results).collect());
    }
    object
}

/// Every line of a run with its end, one query a line by id.
pub fn lines(run: &Run) -> impl Iterator<Item = String> {
    run.iter().map(|(query, repeats)| format_answer(query, repeats) + "\n")
}

fn format_result(result: &RankedResult) -> Value {
    if result.score.is_none() && result.text.is_none() {
        return Value::from(result.id.as_str());
    }
    let mut object = Map::new();
    object.insert("id".into(), result.id.as_str().into());
    if let Some(score) = result.score {
        object.insert("score".into(), score.into());
    }
    if let Some(text) = &result.text {
        object.insert("text".into(), text.as_str().into());
    }
    Value::Object(object)
}

/// Reads a whole file of answers; blank lines are passed over.
///
/// # Errors
/// `line N: …` for the first line that is no answer or repeats a query.
pub fn parse_run(text: &str) -> Result<Run, String> {
    parse_lines(text.split('\n').enumerate().map(|(index, line)| (index + 1, line)))
}

/// Reads numbered lines into a run, for files that have a header of their own.
///
/// # Errors
/// As [`parse_run`].
pub fn parse_lines<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Run, String> {
    let mut run = Run::default();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let (query, repeats) = parse_stored(line).map_err(|error| format!("line {number}: {error}"))?;
        if run.answer(&query).is_some() {
            return Err(format!("line {number}: query `{query}` is answered twice; remove one of the two lines"));
        }
        run.insert_repeats(query, repeats);
    }
    Ok(run)
}

/// The start of a text, for an error message.
#[must_use]
pub fn excerpt(text: &str) -> String {
    let text = text.trim_end();
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// `serde_json` counts lines within the text it was given, which is always our line 1: only the column helps.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let bare = message.split(" at line ").next().unwrap_or(&message);
    format!("{bare}, column {}", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_may_mix_bare_ids_numbers_and_objects() {
        let (query, ranking) =
            parse_answer(r#"{"id":"q","results":["a",18446744073709551615,{"id":7,"score":-0.5,"text":"t"}]}"#)
                .unwrap();
        assert_eq!(query.as_str(), "q");
        let ids: Vec<_> = ranking.iter().map(|result| result.id.as_str()).collect();
        assert_eq!(ids, ["a", "18446744073709551615", "7"]);
        assert_eq!(ranking[2].score, Some(-0.5));
        assert_eq!(ranking[2].text.as_deref(), Some("t"));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let line = r#"{"id":"q","results":["a",{"id":"b","score":0.1},{"id":"c","score":1.0,"text":"é\n"}]}"#;
        let (query, ranking) = parse_answer(line).unwrap();
        assert_eq!(format_answer(&query, &[ranking]), line);
    }

    #[test]
    fn repeats_are_kept() {
        let text = "{\"id\":\"q\",\"results\":[\"a\"],\"repeats\":[[\"b\"],[]]}\n";
        let run = parse_run(text).unwrap();
        assert_eq!(run.repeats(&QueryId::new("q")).unwrap().len(), 3);
        assert_eq!(lines(&run).collect::<String>(), text);
        assert_eq!((run.times_asked(), run.restless().count()), (3, 1));
        assert!(
            parse_run(r#"{"id":"q","results":[],"repeats":[1]}"#).unwrap_err().contains("`repeats` of query `q` is 1")
        );
    }

    #[test]
    fn errors_quote_what_is_wrong() {
        for (line, wanted) in [
            ("Loading model…", "not JSON"),
            ("[1]", "not a JSON object"),
            ("{}", "no `id`"),
            (r#"{"id":"","results":[]}"#, "not a non-empty string"),
            (r#"{"id":"q"}"#, "has no `results`"),
            (r#"{"id":"q","results":{}}"#, "not a list"),
            (r#"{"id":"q","results":["a",""]}"#, "query `q`, result 2"),
            (r#"{"id":"q","results":[null]}"#, "neither a non-empty id"),
            (r#"{"id":"q","results":[{"id":"a","score":"NaN"}]}"#, "not a finite number"),
            (r#"{"id":"q","results":[{"id":"a","score":NaN}]}"#, "not JSON"),
            (r#"{"id":"q","results":[{"id":1.5}]}"#, "not a non-empty string"),
        ] {
            let error = parse_answer(line).unwrap_err();
            assert!(error.contains(wanted), "{line}: {error}");
        }
    }

    #[test]
    fn a_run_names_the_line_of_a_repeated_query() {
        let error = parse_run("{\"id\":\"q\",\"results\":[]}\r\n\n{\"id\":\"q\",\"results\":[]}\n").unwrap_err();
        assert!(error.starts_with("line 3: query `q` is answered twice"), "{error}");
    }
}
