//! Errors in a file that the user wrote: each with its place, the value and the remedy, all at once.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::exit::Failure;

mod place;
mod structure;

pub use place::{Place, Step, places, walk};
pub use structure::{in_json, in_yaml, nearest};

/// More problems than this are counted and not shown.
const SHOWN: usize = 20;

/// A mistake at a node of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where it is, from the root.
    pub path: Vec<Step>,
    /// What is wrong, with the value.
    pub message: String,
    /// What to do.
    pub remedy: String,
    /// The node that it contradicts.
    pub earlier: Option<Vec<Step>>,
}

impl Finding {
    /// A mistake that contradicts nothing else.
    pub fn new(path: Vec<Step>, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path, message: message.into(), remedy: remedy.into(), earlier: None }
    }
}

/// A mistake with its place, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Option<Place>,
    /// What is wrong, with the value.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

/// Finds the places of `findings` with `locate`, which gets every path wanted in one call.
pub fn located(findings: Vec<Finding>, locate: impl FnOnce(&[Vec<Step>]) -> Vec<Option<Place>>) -> Vec<Problem> {
    let wanted: Vec<Vec<Step>> = findings
        .iter()
        .flat_map(|finding| [finding.path.clone(), finding.earlier.clone().unwrap_or_default()])
        .collect();
    let places = locate(&wanted);
    let problem = |(finding, places): (Finding, &[Option<Place>])| {
        let earlier = finding.earlier.and(places[1]).map(|place| format!(", first on line {}", place.line));
        Problem { place: places[0], message: finding.message + &earlier.unwrap_or_default(), remedy: finding.remedy }
    };
    findings.into_iter().zip(places.chunks(2)).map(problem).collect()
}

/// One error out of all problems of a file.
#[must_use]
pub fn failure(path: &Path, text: &str, problems: &[Problem]) -> Failure {
    let mut problems: Vec<&Problem> = problems.iter().collect();
    problems.sort_by_key(|problem| problem.place.map(|place| (place.line, place.column)));
    let mut shown: Vec<String> = problems.iter().take(SHOWN).map(|problem| render(path, text, problem)).collect();
    if problems.len() > SHOWN {
        shown.push(format!("{} more in {}", problems.len() - SHOWN, path.display()));
    }
    // The program writes the first `error: ` itself, as in front of every error.
    Failure::Input(shown.join("\n\nerror: "))
}

fn render(path: &Path, text: &str, problem: &Problem) -> String {
    let Some(place) = problem.place else {
        return format!("{}: {}\nhint: {}", path.display(), problem.message, problem.remedy);
    };
    let line = text.split('\n').nth(place.line - 1).unwrap_or_default().trim_end_matches('\r');
    let offset = |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
    let (start, end) = (offset(place.column), offset(place.column + place.length));
    let name = path.display().to_string();
    let snippet = Snippet::source(line)
        .line_start(place.line)
        .path(name)
        .annotation(AnnotationKind::Primary.span(start..end.max(start)));
    let report = Level::ERROR
        .primary_title(problem.message.as_str())
        .element(snippet)
        .element(Level::HELP.message(problem.remedy.as_str()));
    let rendered = Renderer::plain().render(&[report]);
    rendered.strip_prefix("error: ").unwrap_or(&rendered).to_owned()
}
