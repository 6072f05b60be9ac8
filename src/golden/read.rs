//! Reads a golden set from YAML or JSONL, and says everything that is wrong with it at once.

use std::collections::BTreeMap;
use std::path::Path;

use super::raw::{RawGrade, RawQuery, RawSet};
use super::{GoldenSet, Query};
use crate::diagnostic::{self, Finding, Place, Problem, Step, failure, in_json, in_yaml, located};
use crate::exit::Failure;
use crate::id::{DocumentId, QueryId};
use crate::judgments::{Grade, Judgments};
use crate::passage::Passage;

/// The YAML reader takes about twenty times the size of its text; larger sets are JSONL.
const LARGEST_YAML: usize = 64 << 20;

/// Reads the text of the file `path`, which is JSONL if its name ends so and YAML otherwise.
///
/// # Errors
/// [`Failure::Input`] with every mistake: its line and column, the value and the remedy.
pub fn parse(text: &str, path: &Path) -> Result<GoldenSet, Failure> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (set, problems) = if is_lines(path) { parse_lines(&text) } else { parse_yaml(&text) };
    if problems.is_empty() { Ok(set) } else { Err(failure(path, &text, &problems)) }
}

/// Whether a file of this name has a query a line.
pub(super) fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl" || extension == "ndjson")
}

fn parse_yaml(text: &str) -> (GoldenSet, Vec<Problem>) {
    let whole = |message: &str, remedy: &str| {
        let problem = Problem { place: None, message: message.to_owned(), remedy: remedy.to_owned() };
        (GoldenSet::default(), vec![problem])
    };
    if text.len() > LARGEST_YAML {
        return whole("more than 64 MiB of YAML", "write a golden set of this size as .jsonl, a query a line");
    }
    let written = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#') && *line != "---";
    match text.lines().find(written) {
        None => return whole("the golden set is empty", "list queries below `queries:`; about 100 carry a verdict"),
        Some(line) if line.starts_with('-') => {
            return whole("the file is a list", "write `queries:` above the list, and the list below it");
        }
        Some(_) => {}
    }
    let set: RawSet = match serde_yaml::from_str(text) {
        Ok(set) => set,
        Err(error) => return (GoldenSet::default(), vec![in_yaml(&error)]),
    };
    let queries = set.queries.unwrap_or_default();
    if queries.is_empty() {
        return whole("the golden set has no queries", "list them below `queries:`; about 100 carry a verdict");
    }
    let (set, findings) = check(queries);
    let locate = |wanted: &[Vec<Step>]| {
        let under = |path: &Vec<Step>| [vec![Step::key("queries")], path.clone()].concat();
        diagnostic::places(text, &wanted.iter().map(under).collect::<Vec<_>>())
    };
    (set, located(findings, locate))
}

fn parse_lines(text: &str) -> (GoldenSet, Vec<Problem>) {
    let mut queries = Vec::new();
    let mut numbers = Vec::new();
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str::<RawQuery>(line) {
            Ok(query) => {
                queries.push(query);
                numbers.push(index + 1);
            }
            Err(error) => problems.push(in_json(&error, index + 1)),
        }
    }
    if queries.is_empty() && problems.is_empty() {
        let message = "the golden set is empty".to_owned();
        problems.push(Problem {
            place: None,
            message,
            remedy: "write a query a line; about 100 carry a verdict".into(),
        });
    }
    let lines: Vec<&str> = text.lines().collect();
    let (set, findings) = check(queries);
    let place = |path: &Vec<Step>| {
        let Some((Step::Index(query), rest)) = path.split_first() else { return None };
        let number = numbers[*query];
        let place = diagnostic::places(lines[number - 1], &[rest.to_vec()])[0];
        Some(place.map_or(Place::new(number, 1), |place| Place { line: number, ..place }))
    };
    problems.extend(located(findings, |wanted| wanted.iter().map(place).collect()));
    (set, problems)
}

/// Turns what was written into queries; the path of a finding starts with the number of the query.
fn check(raw: Vec<RawQuery>) -> (GoldenSet, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut queries = Vec::new();
    for (index, raw) in raw.into_iter().enumerate() {
        if let Some(id) = &raw.id {
            match seen.get(id) {
                Some(first) => findings.push(Finding {
                    earlier: Some(vec![Step::Index(*first), Step::key("id")]),
                    ..Finding::new(
                        vec![Step::Index(index), Step::key("id")],
                        format!("query id `{id}` is used twice"),
                        "give each query an id of its own",
                    )
                }),
                None => {
                    seen.insert(id.clone(), index);
                }
            }
        }
        queries.extend(check_query(index, raw, &mut findings));
    }
    (GoldenSet { queries }, findings)
}

/// A grade, or what is wrong with it and what to do.
fn checked_grade(written: &RawGrade) -> Result<Grade, (&'static str, &'static str)> {
    let RawGrade::Whole(value) = written else {
        return Err(("is not a whole number", "grades are 0 (irrelevant), 1 (useful) and 2 (direct answer), up to 10"));
    };
    u8::try_from(*value).ok().and_then(Grade::new).ok_or(("is out of range", "grades go from 0 to 10"))
}

fn check_query(index: usize, raw: RawQuery, findings: &mut Vec<Finding>) -> Option<Query> {
    let before = findings.len();
    let mut report = |steps: Vec<Step>, message: String, remedy: &str| {
        findings.push(Finding::new([vec![Step::Index(index)], steps].concat(), message, remedy));
    };
    let id = raw.id.unwrap_or_default();
    let name = if id.is_empty() { format!("query number {}", index + 1) } else { format!("query `{id}`") };
    if id.trim().is_empty() {
        report(vec![Step::key("id")], format!("query number {} has no id", index + 1), "add `id:`, a short name");
    } else if id.chars().any(|character| character.is_whitespace() || character.is_control()) {
        let message = format!("query id {id:?} holds white space or a control character");
        report(vec![Step::key("id")], message, "use letters, digits, `-`, `_` and `.`; TREC files have no other way");
    }
    let text = raw.text.unwrap_or_default();
    if text.trim().is_empty() {
        report(vec![Step::key("text")], format!("{name} has no text"), "add `text:`, the question as people ask it");
    }
    for (number, tag) in raw.tags.iter().flatten().enumerate() {
        if tag.trim().is_empty() || tag.chars().any(char::is_control) {
            let message = format!("{name}: tag {tag:?} is empty or holds a control character");
            report(vec![Step::key("tags"), Step::Index(number)], message, "name the slice, or remove the tag");
        }
    }
    let mut judgments = Judgments::default();
    for (document, grade) in raw.grades.map(|grades| grades.0).unwrap_or_default() {
        let at = || vec![Step::key("grades"), Step::key(document.as_str())];
        let key = || vec![Step::key("grades"), Step::Name(document.clone())];
        if document.trim().is_empty() {
            report(key(), format!("{name}: a judgment names no document"), "write `document: grade`");
            continue;
        }
        let grade = match checked_grade(&grade) {
            Ok(grade) => grade,
            Err((what, remedy)) => {
                report(at(), format!("{name}: grade {grade} of `{document}` {what}"), remedy);
                continue;
            }
        };
        if !judgments.insert(DocumentId::new(document.as_str()), grade) {
            report(key(), format!("{name}: document `{document}` is judged twice"), "keep one of the two grades");
        }
    }
    for (number, raw) in raw.passages.into_iter().flatten().enumerate() {
        let at = |key: &str| vec![Step::key("passages"), Step::Index(number), Step::key(key)];
        let written = raw.grade.unwrap_or(RawGrade::Other("(nothing)".to_owned()));
        let grade = match checked_grade(&written) {
            Ok(grade) => grade,
            Err((what, remedy)) => {
                report(at("grade"), format!("{name}: grade {written} of passage {} {what}", number + 1), remedy);
                continue;
            }
        };
        let quote = raw.quote.unwrap_or_default();
        let document = raw.document.filter(|document| !document.trim().is_empty()).map(DocumentId::new);
        match Passage::new(&quote, document, grade) {
            None => report(
                at("quote"),
                format!("{name}: passage {} has no words", number + 1),
                "quote the text that answers",
            ),
            Some(passage) => {
                let said = passage.name.clone();
                if !judgments.insert_passage(passage) {
                    report(at("quote"), format!("{name}: the passage {said} is judged twice"), "keep one of the two");
                }
            }
        }
    }
    let unanswerable = raw.unanswerable.unwrap_or(false);
    if unanswerable && judgments.is_answerable() {
        let message = format!("{name} is marked `unanswerable` and has a grade above 0");
        report(vec![Step::key("unanswerable")], message, "remove the mark, or the grades above 0");
    } else if !unanswerable && !judgments.is_answerable() && findings.len() == before {
        let message = format!("{name} has no grade above 0");
        let remedy = "add what answers it to `grades` or `passages`, or mark it `unanswerable: true`";
        findings.push(Finding::new(vec![Step::Index(index)], message, remedy));
    }
    (findings.len() == before).then(|| Query {
        id: QueryId::new(id),
        text,
        source: raw.source,
        tags: raw.tags.unwrap_or_default(),
        judgments,
        unanswerable,
    })
}
