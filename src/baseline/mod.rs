//! The baseline: a run that was committed on purpose, with who, when, why and at which commit.
//!
//! It keeps rankings, not scores, so that mending a label never needs the old pipeline again.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::golden::digest::fingerprint;
use crate::golden::{GoldenSet, Query};
use crate::id::QueryId;
use crate::run::{Run, jsonl};

pub mod history;

/// The version of the file format that this program writes and reads.
pub const FORMAT: u32 = 1;

/// Where a baseline comes from; the first line of its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The file format; also what tells a baseline from any other run.
    pub recall_gate_baseline: u32,
    /// When it was measured, RFC 3339 in UTC, whole seconds.
    pub created: String,
    /// The commit that was checked out, `None` outside git.
    pub commit: Option<String>,
    /// Whether files differed from that commit.
    pub dirty: bool,
    /// Who updated it, as git knows them.
    pub author: Option<String>,
    /// Why it was updated.
    pub reason: String,
    /// The version of recall-gate.
    pub tool_version: String,
    /// What was measured, without secrets.
    pub pipeline: String,
    /// Results asked for per query.
    pub depth: usize,
    /// How often the pipeline was asked; not written where that is once.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub repeat: usize,
    /// The golden set it was measured with.
    pub golden_digest: String,
    /// Answers in the file, so that a cut file is noticed.
    pub queries: usize,
}

fn once() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_once(repeat: &usize) -> bool {
    *repeat == 1
}

/// A committed run.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// Where it comes from.
    pub provenance: Provenance,
    /// What the pipeline answered then.
    pub run: Run,
    /// The [`fingerprint`] of each golden query as it was then; a query may lack one.
    pub golden: BTreeMap<QueryId, String>,
}

impl Baseline {
    /// The queries of `golden` that were edited since: their text, a grade, a mark or a pin. New queries are not among
    /// them.
    pub fn edited<'a>(&self, golden: &'a GoldenSet) -> impl Iterator<Item = &'a QueryId> {
        let is_edited = |query: &&Query| self.golden.get(&query.id).is_some_and(|known| *known != fingerprint(query));
        golden.queries.iter().filter(is_edited).map(|query| &query.id)
    }
}

/// Every line of the file with its end: the provenance, then one query a line by id, so that a diff shows which rankings changed.
pub fn lines(baseline: &Baseline) -> impl Iterator<Item = String> {
    let header = serde_json::to_string(&baseline.provenance).unwrap_or_default();
    let answers = baseline.run.iter().map(|(query, repeats)| {
        let mut object = jsonl::answer_object(query, repeats);
        if let Some(fingerprint) = baseline.golden.get(query) {
            object.insert("golden".into(), fingerprint.as_str().into());
        }
        serde_json::Value::Object(object).to_string()
    });
    std::iter::once(header).chain(answers).map(|line| line + "\n")
}

/// Reads what [`lines`] gives.
///
/// # Errors
/// `line N: …` with what is wrong and what to do; a merge conflict, a cut file and a newer format are named as such.
pub fn parse(text: &str) -> Result<Baseline, String> {
    if let Some(line) = text.split('\n').position(is_conflict_marker) {
        return Err(format!(
            "line {}: a merge conflict was left in the file\nhint: take one side (`git checkout --theirs` or `--ours`), \
             then measure again with `recall-gate baseline update`",
            line + 1
        ));
    }
    let (header, _) = text.split_once('\n').unwrap_or((text, ""));
    let provenance = parse_header(header)?;
    let lines = || text.split('\n').enumerate().skip(1).map(|(index, line)| (index + 1, line));
    let run = jsonl::parse_lines(lines()).map_err(damaged)?;
    let marks = lines().filter_map(|(_, line)| serde_json::from_str::<Mark>(line).ok());
    let golden = marks.filter_map(|mark| Some((QueryId::new(mark.id), mark.golden?))).collect();
    if run.len() != provenance.queries {
        return Err(damaged(format!("the first line promises {} queries, {} follow", provenance.queries, run.len())));
    }
    Ok(Baseline { provenance, run, golden })
}

/// What a line says of its golden query.
#[derive(Deserialize)]
struct Mark {
    id: String,
    golden: Option<String>,
}

fn parse_header(line: &str) -> Result<Provenance, String> {
    let value: serde_json::Value = serde_json::from_str(line)
        .map_err(|_| damaged(format!("line 1: not the header of a baseline: `{}`", jsonl::excerpt(line))))?;
    match value.get("recall_gate_baseline").and_then(serde_json::Value::as_u64) {
        Some(version) if version == u64::from(FORMAT) => {}
        Some(version) => {
            return Err(format!(
                "line 1: baseline format {version}, this recall-gate reads {FORMAT}\nhint: use the version that wrote it, or newer"
            ));
        }
        None => return Err(damaged(format!("line 1: not the header of a baseline: `{}`", jsonl::excerpt(line)))),
    }
    serde_json::from_value(value).map_err(|error| damaged(format!("line 1: {error}")))
}

fn damaged(what: impl std::fmt::Display) -> String {
    format!(
        "{what}\nhint: restore the committed file (`git checkout -- FILE`) or measure again with `recall-gate baseline update`"
    )
}

fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<< ", ">>>>>>> ", "||||||| "].iter().any(|marker| line.starts_with(marker)) || line.trim_end() == "======="
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ResultId;
    use crate::run::RankedResult;

    fn baseline() -> Baseline {
        let mut run = Run::default();
        let result = RankedResult { id: ResultId::new("é#1"), score: Some(1.25), text: None };
        run.insert(QueryId::new("b"), vec![result]);
        run.insert(QueryId::new("a"), Vec::new());
        let provenance = Provenance {
            recall_gate_baseline: FORMAT,
            created: "2026-01-02T03:04:05Z".into(),
            commit: None,
            dirty: false,
            author: None,
            reason: "first".into(),
            tool_version: "0.1.0".into(),
            pipeline: "bm25".into(),
            depth: 20,
            repeat: 1,
            golden_digest: "sha256:0".into(),
            queries: 2,
        };
        let golden = [(QueryId::new("a"), "0123456789ab".to_owned())].into();
        Baseline { provenance, run, golden }
    }

    #[test]
    fn one_query_a_line_by_id() {
        let text = lines(&baseline()).collect::<String>();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1], r#"{"id":"a","results":[],"golden":"0123456789ab"}"#);
        assert_eq!(lines[2], r#"{"id":"b","results":[{"id":"é#1","score":1.25}]}"#);
        let read = parse(&text).unwrap();
        assert_eq!(read.provenance, baseline().provenance);
        assert_eq!(read.golden, baseline().golden);
        assert_eq!(super::lines(&read).collect::<String>(), text);
        assert_eq!(parse(&text.replace('\n', "\r\n")).unwrap(), read, "a checkout with Windows line ends");
    }

    #[test]
    fn damage_is_named() {
        let text = lines(&baseline()).collect::<String>();
        for (damaged, wanted) in [
            (String::new(), "not the header"),
            (text.lines().skip(1).collect::<Vec<_>>().join("\n"), "not the header"),
            (text.lines().take(2).collect::<Vec<_>>().join("\n"), "promises 2 queries, 1 follow"),
            (text[..text.len() - 10].to_owned(), "line 3: not JSON"),
            (text.replace("\"recall_gate_baseline\":1", "\"recall_gate_baseline\":9"), "baseline format 9"),
            (text.replace("\"depth\":20", "\"depht\":20"), "unknown field `depht`"),
            (format!("<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> branch\n"), "line 1: a merge conflict"),
        ] {
            let error = parse(&damaged).unwrap_err();
            assert!(error.contains(wanted) && error.contains("hint: "), "{wanted}: {error}");
        }
    }
}
