//! A golden set and a run in the formats of other tools: TREC (`trec_eval`, `ir_measures`, `ranx`) and BEIR.
//!
//! A result whose document stands earlier in the ranking keeps its place under a name of its own, so that those tools
//! count as [`crate::metrics`] does, instead of dropping it and moving up what stands below.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeMap;

use serde_json::json;

use crate::golden::{GoldenSet, Query};
use crate::id::{DocumentId, DocumentPattern};
use crate::run::Run;

/// `query Q0 document place score recall-gate`, a result a line, queries in the order of the set. Scores count down from
/// the depth, so that every tool keeps the order; those of the pipeline may be tied, or rise.
#[must_use]
pub fn trec_run(golden: &GoldenSet, run: &Run, documents: &DocumentPattern) -> String {
    let depth = run.iter().flat_map(|(_, repeats)| repeats).map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for query in exported(golden) {
        let mut seen: BTreeMap<DocumentId, usize> = BTreeMap::new();
        for (index, result) in run.answer(&query.id).into_iter().flatten().enumerate() {
            let document = documents.document(&result.id);
            let times = seen.entry(document.clone()).and_modify(|times| *times += 1).or_insert(1);
            let mut name = column(document.as_str());
            if *times > 1 {
                name.push_str(&format!("~repeat-{times}"));
            }
            let id = column(query.id.as_str());
            text.push_str(&format!("{id} Q0 {name} {} {} recall-gate\n", index + 1, depth - index));
        }
    }
    text
}

/// `query 0 document grade`, a judgment a line.
#[must_use]
pub fn trec_qrels(golden: &GoldenSet) -> String {
    let line = |(query, document, grade)| format!("{query} 0 {document} {grade}\n");
    judgments(golden).map(line).collect()
}

/// `query<TAB>text`, a query a line.
#[must_use]
pub fn topics(golden: &GoldenSet) -> String {
    let line = |query: &Query| format!("{}\t{}\n", column(query.id.as_str()), one_line(&query.text));
    exported(golden).map(line).collect()
}

/// BEIR's `queries.jsonl`; what BEIR has no field for is in `metadata`.
#[must_use]
pub fn beir_queries(golden: &GoldenSet) -> String {
    let line = |query: &Query| {
        let metadata = json!({"tags": query.tags, "source": query.source, "unanswerable": query.unanswerable});
        json!({"_id": column(query.id.as_str()), "text": query.text, "metadata": metadata}).to_string() + "\n"
    };
    exported(golden).map(line).collect()
}

/// BEIR's `qrels/test.tsv`.
#[must_use]
pub fn beir_qrels(golden: &GoldenSet) -> String {
    let line = |(query, document, grade)| format!("{query}\t{document}\t{grade}\n");
    std::iter::once("query-id\tcorpus-id\tscore\n".to_owned()).chain(judgments(golden).map(line)).collect()
}

/// The queries that these formats cannot say, since their judgments are of passages.
pub fn left_out(golden: &GoldenSet) -> impl Iterator<Item = &Query> {
    golden.queries.iter().filter(|query| !query.judgments.passages().is_empty())
}

fn exported(golden: &GoldenSet) -> impl Iterator<Item = &Query> {
    golden.queries.iter().filter(|query| query.judgments.passages().is_empty())
}

fn judgments(golden: &GoldenSet) -> impl Iterator<Item = (String, String, u8)> {
    exported(golden).flat_map(|query| {
        let id = column(query.id.as_str());
        query.judgments.iter().map(move |(document, grade)| (id.clone(), column(document.as_str()), grade.value()))
    })
}

/// An id as a column: white space would begin the next one, so it is percent-encoded.
fn column(id: &str) -> String {
    id.chars().fold(String::new(), |mut column, character| {
        if character.is_whitespace() || character == '%' {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).bytes();
            column.extend(bytes.map(|byte| format!("%{byte:02X}")));
        } else {
            column.push(character);
        }
        column
    })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{jsonl, trec};

    fn golden() -> GoldenSet {
        let text = "queries:\n- {id: b, text: \"two\\n lines\", tags: [hard], grades: {'a doc': 2, z: 0}}\n- {id: a, text: t, unanswerable: true}\n- {id: p, text: t, passages: [{quote: x, grade: 1}]}\n";
        crate::golden::read::parse(text, std::path::Path::new("q.yaml")).unwrap()
    }

    #[test]
    fn every_place_is_kept_and_no_id_spills_into_the_next_column() {
        let pattern = DocumentPattern::new(regex::Regex::new("^([^#]+)").unwrap());
        let run = jsonl::parse_run(
            "{\"id\":\"b\",\"results\":[\"z#1\",{\"id\":\"z#2\",\"score\":9},\"a doc#1\"]}\n{\"id\":\"a\",\"results\":[\"5%\"]}\n{\"id\":\"p\",\"results\":[\"x\"]}\n",
        )
        .unwrap();
        let text = trec_run(&golden(), &run, &pattern);
        assert_eq!(
            text,
            "b Q0 z 1 3 recall-gate\nb Q0 z~repeat-2 2 2 recall-gate\nb Q0 a%20doc 3 1 recall-gate\na Q0 5%25 1 3 recall-gate\n"
        );
        let read = trec::parse_run(&text).unwrap();
        assert_eq!(read.warnings, Vec::<String>::new());
        assert_eq!(trec_qrels(&golden()), "b 0 a%20doc 2\nb 0 z 0\n");
        assert_eq!(topics(&golden()), "b\ttwo lines\na\tt\n");
        assert_eq!(beir_qrels(&golden()), "query-id\tcorpus-id\tscore\nb\ta%20doc\t2\nb\tz\t0\n");
        assert!(
            beir_queries(&golden())
                .starts_with("{\"_id\":\"b\",\"text\":\"two\\n lines\",\"metadata\":{\"tags\":[\"hard\"],")
        );
        assert_eq!(left_out(&golden()).count(), 1);
    }
}
