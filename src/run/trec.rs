//! TREC run files: `query Q0 document rank score tag`, a result a line.
//!
//! The order is that of `trec_eval`: score descending, ties by document id descending (bytes); the rank column is
//! ignored. What a reader of the file might take for another order is told as a warning.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeMap;

use super::{RankedResult, Run, jsonl::excerpt};
use crate::id::{QueryId, ResultId};

/// More tied neighbours than this share of all results are worth a warning: their order says nothing.
const MANY_TIES: f64 = 0.05;

/// A run with what a person should know about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The rankings in `trec_eval`'s order.
    pub run: Run,
    /// A sentence each.
    pub warnings: Vec<String>,
}

/// One line of the file.
#[derive(Debug)]
struct Row<'a> {
    document: &'a str,
    rank: Option<i64>,
    score: f64,
}

/// Reads a whole file; blank lines are passed over, columns are separated by any white space.
///
/// # Errors
/// `line N: …` for the first line that has not six columns or whose score is not a finite number.
pub fn parse_run(text: &str) -> Result<Parsed, String> {
    let mut rows: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let (query, row) = parse_row(line).map_err(|error| format!("line {}: {error}", index + 1))?;
        rows.entry(query).or_default().push(row);
    }
    let mut parsed = Parsed::default();
    let mut suspicions = Suspicions::default();
    for (query, mut rows) in rows {
        rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.document.as_bytes().cmp(a.document.as_bytes())));
        suspicions.look_at(query, &rows);
        let ranking =
            rows.iter().map(|row| RankedResult { id: ResultId::new(row.document), score: Some(row.score), text: None });
        parsed.run.insert(QueryId::new(query), ranking.collect());
    }
    parsed.warnings = suspicions.warnings();
    Ok(parsed)
}

fn parse_row(line: &str) -> Result<(&str, Row<'_>), String> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let &[query, _, document, rank, score, _] = columns.as_slice() else {
        return Err(format!(
            "{} columns instead of the six of a TREC run (`query Q0 document rank score tag`): `{}`",
            columns.len(),
            excerpt(line)
        ));
    };
    let score = score
        .parse()
        .ok()
        .filter(|score: &f64| score.is_finite())
        .ok_or_else(|| format!("score `{}` of `{}` is not a finite number", excerpt(score), excerpt(document)))?;
    // A negative zero would sort below zero and break a tie that trec_eval sees.
    Ok((query, Row { document, rank: rank.parse().ok(), score: score + 0.0 }))
}

/// What makes the order of a file doubtful, counted over all its queries.
#[derive(Debug, Default)]
struct Suspicions<'a> {
    contradicted: Vec<&'a str>,
    repeated: Vec<(&'a str, &'a str)>,
    tied: usize,
    results: usize,
}

impl<'a> Suspicions<'a> {
    /// Looks at the rows of one query, already in order.
    fn look_at(&mut self, query: &'a str, rows: &[Row<'a>]) {
        self.results += rows.len();
        // Equal scores are equal numbers read from text, not results of arithmetic.
        self.tied += rows.windows(2).filter(|pair| pair[0].score.total_cmp(&pair[1].score).is_eq()).count();
        let contradicts = |pair: &[Row<'_>]| {
            pair[0].score > pair[1].score && matches!((pair[0].rank, pair[1].rank), (Some(a), Some(b)) if a > b)
        };
        if rows.windows(2).any(contradicts) {
            self.contradicted.push(query);
        }
        let mut documents: Vec<&str> = rows.iter().map(|row| row.document).collect();
        documents.sort_unstable();
        if let Some(pair) = documents.windows(2).find(|pair| pair[0] == pair[1]) {
            self.repeated.push((query, pair[0]));
        }
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(first) = self.contradicted.first() {
            warnings.push(format!(
                "In {} of the queries, first `{first}`, the rank column contradicts the scores; as in trec_eval, the \
                 scores decide.",
                self.contradicted.len()
            ));
        }
        if let Some((query, document)) = self.repeated.first() {
            warnings.push(format!(
                "{} of the queries list a result twice, first `{query}` with `{document}`; the second keeps its place \
                 and earns nothing (trec_eval refuses such a file).",
                self.repeated.len()
            ));
        }
        let share = self.tied as f64 / self.results.max(1) as f64;
        if share > MANY_TIES {
            warnings.push(format!(
                "{:.0} % of the results are tied in score with the one above; as in trec_eval, ties stand by document \
                 id, descending, which may not be the order that the engine returned.",
                share * 100.0
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(parsed: &Parsed, query: &str) -> Vec<String> {
        let ranking = parsed.run.answer(&QueryId::new(query)).unwrap();
        ranking.iter().map(|result| result.id.to_string()).collect()
    }

    #[test]
    fn scores_decide_then_ids_descending_by_bytes() {
        let parsed = parse_run("q Q0 a 1 5 t\r\nq\tQ0\tz\t2\t5.0\tt\n\nq Q0 é 3 5e0 t\nq Q0 b 4 6 t\n").unwrap();
        assert_eq!(ids(&parsed, "q"), ["b", "é", "z", "a"]);
        assert!(parsed.warnings.iter().any(|warning| warning.starts_with("50 %")), "{:?}", parsed.warnings);
        assert!(parsed.warnings.iter().any(|warning| warning.contains("rank column contradicts")));
    }

    #[test]
    fn a_clean_file_has_no_warnings() {
        let parsed = parse_run("q Q0 a 0 2 t\nq Q0 b 1 1.5 t\np Q0 b 1 -0.0 t\n").unwrap();
        assert_eq!(parsed.warnings, Vec::<String>::new());
        assert_eq!(ids(&parsed, "q"), ["a", "b"]);
    }

    #[test]
    fn a_repeated_result_keeps_its_place_and_is_told() {
        let parsed = parse_run("q Q0 a 1 3 t\nq Q0 a 2 2 t\nq Q0 b 3 1 t\n").unwrap();
        assert_eq!(ids(&parsed, "q"), ["a", "a", "b"]);
        assert!(parsed.warnings[0].contains("`q` with `a`"), "{:?}", parsed.warnings);
    }

    #[test]
    fn errors_name_the_line_and_the_value() {
        for (text, wanted) in [
            ("q Q0 a 1 2 t\nq Q0 a 1 2", "line 2: 5 columns"),
            ("q Q0 a b 1 2 t", "line 1: 7 columns"),
            ("q Q0 a 1 nan t", "line 1: score `nan` of `a`"),
            ("q Q0 a 1 1e999 t", "line 1: score `1e999`"),
        ] {
            let error = parse_run(text).unwrap_err();
            assert!(error.starts_with(wanted), "{error}");
        }
    }
}
