//! Reads the public collections of the shared material into golden sets.

use std::collections::BTreeMap;
use std::path::Path;

use recall_gate::golden::{GoldenSet, Query};
use recall_gate::id::{DocumentId, QueryId};
use recall_gate::judgments::{Grade, Judgments};

/// The rows of a tab-separated file as maps from column to value.
pub fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let row = |line: &str| columns.iter().map(ToString::to_string).zip(line.split('\t').map(str::to_owned)).collect();
    lines.map(row).collect()
}

/// A golden set from BEIR judgments; `keep` says which grade a judgment has, a negative one being none at all.
///
/// A query without a relevant document is unanswerable, as an import would mark it.
pub fn golden(qrels: &Path, keep: impl Fn(u8) -> u8) -> GoldenSet {
    let mut judged: BTreeMap<String, Judgments> = BTreeMap::new();
    for row in rows(qrels) {
        let grade = row["score"].parse::<i64>().unwrap().max(0);
        let grade = Grade::new(keep(u8::try_from(grade).unwrap())).unwrap();
        judged.entry(row["query-id"].clone()).or_default().insert(DocumentId::new(row["corpus-id"].as_str()), grade);
    }
    let query = |(id, judgments): (String, Judgments)| Query {
        text: id.clone(),
        id: QueryId::new(id),
        source: None,
        tags: Vec::new(),
        unanswerable: !judgments.is_answerable(),
        judgments,
    };
    GoldenSet { queries: judged.into_iter().map(query).collect() }
}

/// The texts of BEIR's `queries.jsonl` by id.
pub fn texts(path: &Path) -> BTreeMap<String, String> {
    let field = |line: &serde_json::Value, name: &str| line[name].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            (field(&line, "_id"), field(&line, "text"))
        })
        .collect()
}
