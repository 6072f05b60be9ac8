//! One question in slow motion: what was sent, what came back, what was read from it.

use super::escape::{terminal_line, terminal_lines};
use super::table::{align, cut};
use crate::id::DocumentPattern;
use crate::run::Ranking;
use crate::verdict::counted;

/// Lines of a response that are shown unless all are asked for.
const LINES: usize = 40;

/// Columns of a shown line.
const WIDTH: usize = 100;

/// What was sent and what came back; `full` shows every line whole.
#[must_use]
pub fn steps(steps: &[(String, String)], full: bool) -> String {
    steps.iter().map(|(title, text)| format!("{}\n{}\n", terminal_line(title), block(text, full))).collect()
}

fn block(text: &str, full: bool) -> String {
    let lines = terminal_lines(text);
    let shown = if full { lines.len() } else { LINES.min(lines.len()) };
    let line = |line: &String| format!("  {}", if full { line.clone() } else { cut(line, WIDTH) });
    let mut text: Vec<String> = lines[..shown].iter().map(line).collect();
    if shown < lines.len() {
        text.push(format!("  [{} more; --full shows them]", counted(lines.len() - shown, "line", "lines")));
    }
    text.join("\n") + "\n"
}

/// What was read, with the document that each result belongs to.
#[must_use]
pub fn ranking(ranking: &Ranking, documents: &DocumentPattern) -> String {
    if ranking.is_empty() {
        return "Read: nothing found\n".to_owned();
    }
    let header = ["", "result", "document", "score", "text"].map(str::to_owned).to_vec();
    let rows = ranking.iter().enumerate().map(|(index, result)| {
        vec![
            (index + 1).to_string(),
            terminal_line(result.id.as_str()),
            terminal_line(documents.document(&result.id).as_str()),
            result.score.map_or_else(|| "-".to_owned(), |score| score.to_string()),
            result.text.as_deref().map(|text| cut(&terminal_line(text), 40)).unwrap_or_default(),
        ]
    });
    let lines = align(&std::iter::once(header).chain(rows).collect::<Vec<_>>(), true);
    let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
    format!("Read: {}, best first\n{lines}", counted(ranking.len(), "result", "results"))
}
