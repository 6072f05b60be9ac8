//! Markdown for the summary of a workflow and for a comment under a pull request.
//!
//! The verdict comes first, and what matters least is left out first where GitHub would take no more.

use super::escape::{clip, markdown, markdown_prose};
use super::view::{Loser, QueryFacts, View};
use super::words;
use crate::metrics::Metric;
use crate::verdict::{FEWEST_QUERIES, MetricStatus, MetricVerdict, Slice, points, signed};

/// Bytes of a comment; GitHub takes 65,536 characters.
pub const COMMENT: usize = 65_000;
/// Bytes of a summary; GitHub takes 1 MiB a step, which other tools may want to share.
pub const SUMMARY: usize = 900 * 1024;

/// By this line a later run finds the comment to replace.
const MARK: &str = "<!-- recall-gate -->\n";
/// Queries in the open; the others are folded.
const SHOWN: usize = 10;
/// Characters of a text from outside.
const LONGEST: usize = 160;
/// Characters of a sentence.
const SENTENCE: usize = 1_500;
/// Sentences of one kind.
const SENTENCES: usize = 12;

/// A part of the report that can be left out.
struct Section {
    /// What is left out, for the word that says so.
    name: &'static str,
    /// The least important goes first.
    importance: u8,
    text: String,
}

/// Renders at most `limit` bytes.
#[must_use]
pub fn render(view: &View<'_>, limit: usize) -> String {
    let sections = vec![
        Section { name: "the metrics", importance: 9, text: metrics(view) },
        Section { name: "the floors", importance: 8, text: floors(view) },
        Section { name: "the queries that lost most", importance: 7, text: worst(view) },
        Section { name: "what to do next", importance: 6, text: steps(view) },
        Section { name: "the warnings", importance: 5, text: warnings(view) },
        Section { name: "the tail", importance: 4, text: tail(view) },
        Section { name: "the slices", importance: 3, text: slices(view) },
        Section { name: "all queries that lost", importance: 1, text: others(view) },
        Section { name: "how it was tested", importance: 6, text: footer(view) },
    ];
    fit(head(view), sections, limit)
}

/// Leaves out the least important sections until the rest fits.
fn fit(head: String, mut sections: Vec<Section>, limit: usize) -> String {
    let mut left_out: Vec<&str> = Vec::new();
    loop {
        let note = match left_out.as_slice() {
            [] => String::new(),
            names => format!("\nLeft out, since GitHub takes no more: {}.\n", names.join(", ")),
        };
        let size = head.len() + note.len() + sections.iter().map(|section| section.text.len()).sum::<usize>();
        let least = (0..sections.len()).min_by_key(|index| sections[*index].importance);
        match least {
            Some(least) if size > limit => {
                let section = sections.remove(least);
                if !section.text.is_empty() {
                    left_out.push(section.name);
                }
            }
            _ => return head + &sections.into_iter().map(|section| section.text).collect::<String>() + &note,
        }
    }
}

fn head(view: &View<'_>) -> String {
    let (sign, word) = (words::sign(view.status), words::verdict(view.status));
    let mut text = format!("{MARK}## {sign} recall-gate: {word}\n\n");
    for reason in view.reasons.iter().take(SENTENCES) {
        text.push_str(&format!("- {}\n", sentence(reason)));
    }
    if view.reasons.len() > SENTENCES {
        text.push_str(&format!("- and {} more reasons\n", view.reasons.len() - SENTENCES));
    }
    text.push_str(&format!("\n{}\n", sentence(&view.advice)));
    if let Some(stderr) = &view.stderr_tail {
        let lines: Vec<&str> = stderr.trim_end().lines().collect();
        let last = &lines[lines.len().saturating_sub(SENTENCES)..];
        let last: String = last.iter().map(|line| format!("{}<br>", markdown(&clip(line, LONGEST)))).collect();
        text.push_str(&format!("\nThe end of the pipeline's standard error:\n\n<code>{last}</code>\n"));
    }
    text
}

fn sentence(text: &str) -> String {
    markdown_prose(&clip(text, SENTENCE))
}

fn table(header: &[&str], numbers: bool, rows: impl Iterator<Item = Vec<String>>) -> String {
    let align = |(index, _): (usize, &&str)| if numbers && index > 0 { " --: |" } else { " --- |" };
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let header_line =
        format!("| {} |\n|{}\n", header.join(" | "), header.iter().enumerate().map(align).collect::<String>());
    header_line + &rows.map(|row| line(&row)).collect::<String>()
}

fn metrics(view: &View<'_>) -> String {
    if view.metrics.is_empty() {
        return String::new();
    }
    let header =
        ["points", "before", "now", "delta", "90 % bounds", "p", "better", "worse", "same", "excluded", "verdict"];
    let rows = view.metrics.iter().map(metric_row);
    format!("\n{}\nA larger drop than *excluded* is ruled out with 95 % confidence.\n", table(&header, true, rows))
}

fn metric_row(metric: &MetricVerdict) -> Vec<String> {
    let name = if metric.gated { format!("**{}**", metric.metric) } else { metric.metric.to_string() };
    if metric.queries == 0 {
        return [vec![name], vec!["–".to_owned(); 9], vec!["no queries".to_owned()]].concat();
    }
    let word = words::metric(metric.status);
    vec![
        name,
        points(metric.baseline),
        points(metric.current),
        signed(metric.delta),
        format!("{} to {}", signed(metric.bounds.lower), signed(metric.bounds.upper)),
        words::probability(metric.p_adjusted),
        metric.better.to_string(),
        metric.worse.to_string(),
        metric.same.to_string(),
        points(metric.worst_plausible_drop),
        if metric.status == MetricStatus::Regression { format!("**{word}**") } else { word.to_owned() },
    ]
}

fn floors(view: &View<'_>) -> String {
    if view.floors.is_empty() {
        return String::new();
    }
    let rows = view.floors.iter().map(|floor| {
        let word = if floor.is_broken() { "**BROKEN**" } else { "kept" };
        vec![floor.metric.to_string(), points(floor.current), points(floor.least), word.to_owned()]
    });
    format!("\n{}", table(&["floors", "now", "floor", ""], true, rows))
}

/// The id of a query, as a link to its line where the forge is known.
fn link(view: &View<'_>, query: &QueryFacts<'_>) -> String {
    let id = format!("<code>{}</code>", markdown(&clip(&query.id, LONGEST)));
    match (&view.golden.file.url, query.line) {
        // An address is percent-encoded; what stands between the quotes is still escaped.
        (Some(url), Some(line)) => format!("<a href=\"{}#L{line}\">{id}</a>", super::escape::html(url)),
        (None, Some(line)) => format!("{id} (line {line})"),
        (_, None) => id,
    }
}

fn loser_row(view: &View<'_>, loser: &Loser) -> Vec<String> {
    let query = &view.queries[loser.query];
    let changes: Vec<String> = loser
        .changes
        .iter()
        .map(|(metric, before, now)| format!("{metric} {} → {}", points(*before), points(*now)))
        .collect();
    let causes: Vec<String> =
        words::diagnosis(query).iter().map(|cause| markdown_prose(&clip(cause, LONGEST))).collect();
    vec![link(view, query), markdown(&clip(&query.text, LONGEST)), changes.join("<br>"), causes.join("<br>")]
}

const LOSER_HEADER: [&str; 4] = ["query", "text", "points", "cause"];

fn worst(view: &View<'_>) -> String {
    if view.losers.is_empty() {
        return String::new();
    }
    let rows = view.losers.iter().take(SHOWN).map(|loser| loser_row(view, loser));
    format!(
        "\n### Queries that lost most ({} of {})\n\n{}\n\n{}",
        view.losers.len().min(SHOWN),
        view.losers.len(),
        sentence(&words::causes(view)),
        table(&LOSER_HEADER, false, rows)
    )
}

fn others(view: &View<'_>) -> String {
    if view.losers.len() <= SHOWN {
        return String::new();
    }
    let rows = view.losers.iter().skip(SHOWN).map(|loser| loser_row(view, loser));
    folded(&format!("The other {} queries that lost", view.losers.len() - SHOWN), &table(&LOSER_HEADER, false, rows))
}

fn folded(title: &str, text: &str) -> String {
    format!("\n<details><summary>{title}</summary>\n\n{text}\n</details>\n")
}

fn warnings(view: &View<'_>) -> String {
    if view.warnings.is_empty() {
        return String::new();
    }
    let shown = view.warnings.iter().take(SENTENCES).map(|warning| format!("- {}\n", sentence(warning)));
    let more = view.warnings.len().saturating_sub(SENTENCES);
    let more = if more == 0 { String::new() } else { format!("- and {more} more\n") };
    format!("\n### Worth knowing\n\n{}{more}", shown.collect::<String>())
}

fn steps(view: &View<'_>) -> String {
    if view.steps.is_empty() {
        return String::new();
    }
    let steps: String = view.steps.iter().map(|step| format!("1. {}\n", sentence(&step.sentence))).collect();
    format!("\n### What to do next\n\n{steps}")
}

fn tail(view: &View<'_>) -> String {
    if view.queries.is_empty() {
        return String::new();
    }
    let title = format!(
        "The tail: {} of {} answerable queries have {} = 0",
        view.tail.len(),
        view.golden.answerable,
        Metric::Recall(view.tail_depth)
    );
    let (new, old): (Vec<_>, Vec<_>) = view.tail.iter().partition(|entry| entry.new);
    let rows = new.into_iter().chain(old).map(|entry| {
        let query = &view.queries[entry.query];
        let word = if entry.new { "new" } else { "" };
        vec![link(view, query), markdown(&clip(&query.text, LONGEST)), word.to_owned()]
    });
    let findings: String = words::findings(view).iter().map(|finding| format!("- {}\n", sentence(finding))).collect();
    let common = match findings.as_str() {
        "" => String::new(),
        _ => format!("\n### What failing queries have in common\n\n{findings}"),
    };
    if view.tail.is_empty() {
        format!("{common}\n{title}.\n")
    } else {
        common + &folded(&title, &table(&["query", "text", ""], false, rows))
    }
}

fn slices(view: &View<'_>) -> String {
    let Some(metric) = view.metrics.iter().find(|metric| metric.gated) else { return String::new() };
    let rows: Vec<Vec<String>> = view.slices.iter().filter_map(|slice| slice_row(slice, metric.metric)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let header = ["slice", "queries", "before", "now", "delta", "90 % bounds", ""];
    folded(&format!("Slices by {}, in points", metric.metric), &table(&header, true, rows.into_iter()))
}

fn slice_row(slice: &Slice, metric: Metric) -> Option<Vec<String>> {
    let own = slice.metrics.iter().find(|own| own.metric == metric && own.queries > 0)?;
    let note = match own.status {
        _ if own.queries < FEWEST_QUERIES => "too few",
        MetricStatus::Regression => "**REGRESSION**",
        _ if own.gated => "gates",
        _ => "",
    };
    Some(vec![
        markdown(&clip(&slice.name, LONGEST)),
        own.queries.to_string(),
        points(own.baseline),
        points(own.current),
        signed(own.delta),
        format!("{} to {}", signed(own.bounds.lower), signed(own.bounds.upper)),
        note.to_owned(),
    ])
}

fn footer(view: &View<'_>) -> String {
    let lines = words::footer(view);
    let lines: Vec<String> = lines.iter().map(|line| markdown_prose(&clip(line, SENTENCE))).collect();
    format!("\n<sub>{}</sub>\n", lines.join("<br>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_important_goes_first_and_is_named() {
        let section = |name, importance| Section { name, importance, text: "x".repeat(50) };
        let sections = || vec![section("a", 3), section("b", 1), section("c", 2)];
        assert_eq!(fit("h".into(), sections(), 151), "h".to_owned() + &"x".repeat(150));
        let cut = fit("h".into(), sections(), 120);
        assert!(cut.ends_with("GitHub takes no more: b, c.\n") && cut.len() <= 120, "{cut}");
        assert!(fit("h".into(), sections(), 10).contains("b, c, a"));
    }
}
