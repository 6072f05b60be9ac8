//! One query: both rankings side by side, what moved and why. For terminals from 80 columns on.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr as _;

use super::escape::{terminal_line, without_commands};
use super::table::{cut, pad};
use super::view::{QueryFacts, ResultFacts};
use super::words;
use crate::verdict::{counted, points};

/// The narrowest page.
const NARROWEST: usize = 80;
/// Between the two rankings.
const GAP: &str = "   ";
/// Columns of a move, such as `↓ 11`.
const MOVE: usize = 6;
/// Lines of a passage.
const PASSAGE: usize = 3;
/// Passages shown.
const PASSAGES: usize = 5;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RELEVANT: Style = AnsiColor::Green.on_default().bold();
const IRRELEVANT: Style = AnsiColor::Red.on_default();

/// Renders `query` at `width` columns, with ANSI styles; `place` says where it stands in the golden set.
#[must_use]
pub fn render(query: &QueryFacts<'_>, place: &str, width: usize) -> String {
    let width = width.max(NARROWEST);
    let mut lines: Vec<String> = Vec::new();
    heading(&mut lines, query, place, width);
    scores(&mut lines, query);
    for sentence in words::diagnosis(query) {
        wrapped(&mut lines, &sentence, width);
    }
    for (document, grade) in missing(query) {
        wrapped(&mut lines, &format!("not retrieved now: `{document}` (grade {grade})"), width);
    }
    lines.push(String::new());
    rankings(&mut lines, query, width);
    passages(&mut lines, query, width);
    let text = lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect::<String>();
    without_commands(&text)
}

fn heading(lines: &mut Vec<String>, query: &QueryFacts<'_>, place: &str, width: usize) {
    lines.push(format!("{BOLD}{}{BOLD:#}", cut(&terminal_line(&query.id), width)));
    wrapped(lines, &query.text, width);
    let mark = query.unanswerable.then(|| "no answer".to_owned());
    let tags = (!query.tags.is_empty()).then(|| query.tags.join(", "));
    let known = [Some(place.to_owned()), query.source.clone(), tags, mark];
    let known: Vec<String> = known.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    lines.push(format!("  {DIM}{}{DIM:#}", cut(&terminal_line(&known.join(" · ")), width - 2)));
}

fn wrapped(lines: &mut Vec<String>, text: &str, width: usize) {
    let options = textwrap::Options::new(width)
        .initial_indent("  ")
        .subsequent_indent("  ")
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    lines.extend(textwrap::wrap(&terminal_line(text), options).into_iter().map(std::borrow::Cow::into_owned));
}

fn scores(lines: &mut Vec<String>, query: &QueryFacts<'_>) {
    let metrics = query.current.iter().chain(&query.baseline).flat_map(|scores| scores.keys());
    let metrics: std::collections::BTreeSet<_> = metrics.collect();
    let score = |score: Option<&f64>| score.map_or_else(|| "–".to_owned(), |score| points(*score));
    let of = |metric| {
        let before = query.baseline.as_ref().and_then(|scores| scores.get(metric));
        let now = query.current.as_ref().and_then(|scores| scores.get(metric));
        vec![format!("  {metric}"), score(before), "→".to_owned(), score(now)]
    };
    lines.push(String::new());
    let rows: Vec<Vec<String>> = metrics.into_iter().map(of).collect();
    lines.extend(super::table::align(&rows, false));
    lines.push(String::new());
}

/// Relevant documents that are nowhere in the current ranking.
fn missing<'a>(query: &'a QueryFacts<'_>) -> impl Iterator<Item = &'a (String, u8)> {
    let results = query.results();
    let is_found = move |document: &str| results.iter().any(|result| result.document == document);
    query.grades.iter().filter(move |(document, grade)| *grade > 0 && !is_found(document))
}

fn rankings(lines: &mut Vec<String>, query: &QueryFacts<'_>, width: usize) {
    let column = (width - GAP.len()) / 2;
    let title = |name: &str, ranking: &[ResultFacts], known: bool| {
        let count = if known { counted(ranking.len(), "result", "results") } else { "not asked".to_owned() };
        pad(&format!("{name}: {count}"), column)
    };
    let (baseline, current) = (query.before(), query.results());
    let before = title("baseline", &baseline, query.baseline.is_some());
    let now = title("now", &current, query.current.is_some()).trim_end().to_owned();
    lines.push(format!("{BOLD}{before}{GAP}{now}{BOLD:#}"));
    for index in 0..baseline.len().max(current.len()) {
        let left = cell(&baseline, &current, index, "gone", column);
        let right = cell(&current, &baseline, index, "new", column);
        lines.push(format!("{left}{GAP}{right}"));
    }
    lines.push(format!("{DIM}The grade is beside the place, · is unjudged; ↓ and ↑ with the place opposite.{DIM:#}"));
}

/// One place of a ranking: place, grade, id, and where the document stands in the other ranking.
fn cell(own: &[ResultFacts], other: &[ResultFacts], index: usize, absent: &str, width: usize) -> String {
    let is_left = absent == "gone";
    let Some(result) = own.get(index) else { return " ".repeat(if is_left { width } else { 0 }) };
    let place = other.iter().position(|known| known.document == result.document);
    let moved = match place {
        _ if result.repeat => "again".to_owned(),
        None => absent.to_owned(),
        Some(place) if place == index => "=".to_owned(),
        // On the left where it went, on the right where it came from.
        Some(place) => {
            let went_down = if is_left { place > index } else { place < index };
            format!("{} {}", if went_down { '↓' } else { '↑' }, place + 1)
        }
    };
    let (mark, style) = match result.grade {
        None => ("·".to_owned(), Style::new()),
        Some(0) => ("0".to_owned(), IRRELEVANT),
        Some(grade) => (grade.to_string(), RELEVANT),
    };
    let id = width - 3 - 1 - 2 - 1 - 1 - MOVE;
    let text = format!(
        "{:>3} {} {} {}",
        index + 1,
        pad(&mark, 2),
        pad(&cut(&terminal_line(&result.id), id), id),
        pad(&moved, MOVE)
    );
    let text = text.trim_end();
    // The right side ends the line.
    let rest = if is_left { width.saturating_sub(text.width()) } else { 0 };
    format!("{style}{text}{style:#}{}", " ".repeat(rest))
}

fn passages(lines: &mut Vec<String>, query: &QueryFacts<'_>, width: usize) {
    let results = query.results();
    let texts = results.iter().enumerate().filter_map(|(index, result)| Some((index, result, result.text.as_ref()?)));
    // What is judged tells most; then what stands first.
    let (judged, others): (Vec<_>, Vec<_>) = texts.partition(|(_, result, _)| result.grade.is_some());
    let mut shown: Vec<_> = judged.into_iter().chain(others).take(PASSAGES).collect();
    shown.sort_by_key(|(index, ..)| *index);
    if !shown.is_empty() {
        lines.push(String::new());
        lines.push(format!("{BOLD}Passages{BOLD:#}"));
    }
    for (index, result, text) in shown {
        lines.push(format!("{:>3} {}", index + 1, cut(&terminal_line(&result.id), width - 4)));
        let mut passage = Vec::new();
        wrapped(&mut passage, text, width - 2);
        let more = passage.len() > PASSAGE;
        passage.truncate(PASSAGE);
        if let (true, Some(last)) = (more, passage.last_mut()) {
            last.push('…');
        }
        lines.extend(passage.iter().map(|line| styled(DIM, format!("  {line}"))));
    }
}

fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
