//! The report as one page that loads nothing: styles and script stand in it, and its policy allows no others.

use sha2::{Digest as _, Sha256};

use super::escape::{html, html_prose, terminal_line, without_commands};
use super::view::View;
use super::words;
use crate::verdict::{FEWEST_QUERIES, MetricStatus, MetricVerdict, Slice, Status, points, signed};

mod charts;
mod data;
mod queries;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Renders the page; the same view gives the same bytes.
#[must_use]
pub fn render(view: &View<'_>) -> String {
    let sections = [
        ("metrics", "Metrics", metrics(view)),
        ("next", "What to do next", steps(view)),
        ("changes", "Every query's change", charts::changes(view)),
        ("depth", "Recall by depth", charts::depths(view)),
        ("tail", "The tail", tail(view)),
        ("queries", "Queries", queries::table(view)),
        ("slices", "Slices", slices(view)),
        ("history", "History of the baseline", charts::history(view)),
    ];
    let sections: Vec<(&str, &str, String)> = sections.into_iter().filter(|(.., text)| !text.is_empty()).collect();
    let links: String =
        sections.iter().map(|(id, title, _)| format!("<li><a href=\"#{id}\">{title}</a></li>")).collect();
    let sections: String = sections
        .iter()
        .map(|(id, title, text)| {
            format!("<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n{text}</section>\n")
        })
        .collect();
    let body = format!(
        "<a class=\"skip\" href=\"#main\">To the report</a>\n<header>\n{}<nav aria-label=\"Sections\"><ul>{links}</ul></nav>\n\
         </header>\n<main id=\"main\">\n{sections}</main>\n<footer>\n{}</footer>\n",
        headline(view),
        footer(view)
    );
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{policy}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>recall-gate: {}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{}<script type=\"application/json\" \
         id=\"data\">{}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        words::verdict(view.status),
        without_commands(&body),
        data::json(view)
    )
}

/// The digest by which a policy knows a style or a script.
fn hash(text: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digest = Sha256::digest(text.as_bytes());
    let mut encoded = String::new();
    for bytes in digest.chunks(3) {
        let bits = bytes.iter().fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte)) << (8 * (3 - bytes.len()));
        for place in 0..4 {
            let index = (bits >> (18 - 6 * place)) & 63;
            encoded.push(if place > bytes.len() { '=' } else { char::from(ALPHABET[index as usize]) });
        }
    }
    encoded
}

/// Text from outside in one line.
fn text(text: &str) -> String {
    html(&terminal_line(text))
}

/// Our own prose with text from outside in back-quotes.
fn prose(text: &str) -> String {
    html_prose(&terminal_line(text))
}

fn list<'a>(sentences: impl Iterator<Item = &'a String>) -> String {
    let items: String = sentences.map(|sentence| format!("<li>{}</li>\n", prose(sentence))).collect();
    if items.is_empty() { items } else { format!("<ul>\n{items}</ul>\n") }
}

fn headline(view: &View<'_>) -> String {
    let class = match view.status {
        Status::Pass => "pass",
        Status::Regression => "regression",
        Status::CouldNotMeasure => "could-not-measure",
    };
    let stderr = view.stderr_tail.as_ref().map(|stderr| {
        let lines: Vec<String> = stderr.lines().map(|line| format!("<code>{}</code>", text(line))).collect();
        format!("<p>The end of the pipeline's standard error:</p>\n<p>{}</p>\n", lines.join("<br>\n"))
    });
    let warnings = if view.warnings.is_empty() {
        String::new()
    } else {
        format!(
            "<details><summary>{}</summary>\n{}</details>\n",
            crate::verdict::counted(view.warnings.len(), "warning", "warnings"),
            list(view.warnings.iter())
        )
    };
    format!(
        "<div class=\"verdict {class}\">\n<h1>recall-gate: {}</h1>\n{}{}<p>{}</p>\n{warnings}</div>\n",
        words::verdict(view.status),
        list(view.reasons.iter()),
        stderr.unwrap_or_default(),
        prose(&view.advice)
    )
}

fn class_of(status: MetricStatus) -> &'static str {
    match status {
        MetricStatus::Regression => "bad",
        MetricStatus::Warning => "warn",
        MetricStatus::Improved => "good",
        MetricStatus::Pass | MetricStatus::NotCompared => "",
    }
}

/// A table that can be scrolled by keyboard where it is too wide.
fn scrolled(label: &str, table: &str) -> String {
    format!("<section class=\"scroll\" aria-label=\"{label}, as a table\" tabindex=\"0\">\n{table}</section>\n")
}

fn metrics(view: &View<'_>) -> String {
    if view.metrics.is_empty() {
        return String::new();
    }
    let header = ["before", "now", "delta", "90 % bounds", "p", "better", "worse", "same", "excluded", "detectable"];
    let header: String = header.iter().map(|name| format!("<th scope=\"col\" class=\"n\">{name}</th>")).collect();
    let rows: String = view.metrics.iter().map(metric_row).collect();
    let floors = view.floors.iter().map(|floor| {
        let word = if floor.is_broken() { "<strong class=\"bad\">BROKEN</strong>" } else { "kept" };
        format!("<li>floor of {}: {}, now {}: {word}</li>\n", floor.metric, points(floor.least), points(floor.current))
    });
    let floors: String = floors.collect();
    let (gated, shown): (Vec<_>, Vec<_>) =
        view.metrics.iter().filter(|metric| metric.queries > 0).partition(|metric| metric.gated);
    let figures = |metrics: &[&MetricVerdict]| {
        let figures: String = metrics.iter().map(|metric| charts::distribution(metric)).collect();
        format!("<div class=\"figures\">\n{figures}</div>\n")
    };
    let shown = if shown.is_empty() {
        String::new()
    } else {
        format!("<details><summary>Those that are only shown</summary>\n{}</details>\n", figures(&shown))
    };
    let floors = if floors.is_empty() { floors } else { format!("<ul>\n{floors}</ul>\n") };
    format!(
        "{}<p class=\"muted\">excluded: a larger drop is ruled out with 95 % confidence; detectable: the smallest drop that the \
         gate would catch four times in five.</p>\n{floors}<h3>What chance makes of it</h3>\n<p class=\"muted\">Bars: the mean changes \
         of resampled queries; dashed: no change; the line: what was observed; shaded: its 90 % bounds. The farther the dashed \
         line is from the bars, the less likely is chance.</p>\n{}{shown}",
        scrolled(
            "Metrics",
            &format!(
                "<table><caption>In points; gated metrics in bold</caption><thead><tr><th scope=\"col\">metric</th>{header}\
                 <th scope=\"col\">verdict</th></tr></thead>\n<tbody>{rows}</tbody></table>\n"
            )
        ),
        figures(&gated)
    )
}

fn metric_row(metric: &MetricVerdict) -> String {
    let name = metric.metric.to_string();
    let name = if metric.gated { name } else { format!("<span class=\"muted\">{name}</span>") };
    let head = format!("<th scope=\"row\">{name}</th>");
    if metric.queries == 0 {
        return format!("<tr>{head}<td colspan=\"11\">no queries</td></tr>\n");
    }
    let cells = [
        points(metric.baseline),
        points(metric.current),
        signed(metric.delta),
        format!("{} to {}", signed(metric.bounds.lower), signed(metric.bounds.upper)),
        html(&words::probability(metric.p_adjusted)),
        metric.better.to_string(),
        metric.worse.to_string(),
        metric.same.to_string(),
        points(metric.worst_plausible_drop),
        points(metric.detectable_drop),
    ];
    let cells: String = cells.iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect();
    let (class, word) = (class_of(metric.status), words::metric(metric.status));
    format!("<tr>{head}{cells}<td class=\"{class}\">{word}</td></tr>\n")
}

fn steps(view: &View<'_>) -> String {
    let items: String = view.steps.iter().map(|step| format!("<li>{}</li>\n", prose(&step.sentence))).collect();
    if items.is_empty() { items } else { format!("<ol>\n{items}</ol>\n") }
}

fn tail(view: &View<'_>) -> String {
    if view.queries.is_empty() {
        return String::new();
    }
    let name = crate::metrics::Metric::Recall(view.tail_depth);
    let (new, old): (Vec<_>, Vec<_>) = view.tail.iter().partition(|entry| entry.new);
    let item = |entry: &&super::view::TailEntry| {
        let query = &view.queries[entry.query];
        let new = if entry.new { "<strong class=\"warn\">new</strong> " } else { "" };
        format!("<li>{new}<code>{}</code> {}</li>\n", text(&query.id), text(&query.text))
    };
    let items: String = new.iter().chain(&old).map(item).collect();
    let listed = match items.as_str() {
        "" => String::new(),
        _ => format!("<details><summary>The queries, new ones first</summary>\n<ul>\n{items}</ul>\n</details>\n"),
    };
    format!(
        "<p>{} of {} answerable queries have {name} = 0, {} of them new.</p>\n{}{listed}",
        view.tail.len(),
        view.golden.answerable,
        new.len(),
        list(words::findings(view).iter())
    )
}

fn slices(view: &View<'_>) -> String {
    let Some(metric) = view.metrics.iter().find(|metric| metric.gated) else { return String::new() };
    let rows: String = view.slices.iter().filter_map(|slice| slice_row(slice, metric)).collect();
    if rows.is_empty() {
        return rows;
    }
    let header = ["queries", "before", "now", "delta", "90 % bounds"];
    let header: String = header.iter().map(|name| format!("<th scope=\"col\" class=\"n\">{name}</th>")).collect();
    scrolled(
        "Slices",
        &format!(
            "<table><caption>By {}, in points; slices that do not gate are not corrected</caption><thead><tr>\
             <th scope=\"col\">slice</th>{header}<th scope=\"col\">note</th></tr></thead>\n<tbody>{rows}</tbody></table>\n",
            metric.metric
        ),
    )
}

fn slice_row(slice: &Slice, leading: &MetricVerdict) -> Option<String> {
    let metric = slice.metrics.iter().find(|own| own.metric == leading.metric && own.queries > 0)?;
    let note = match metric.status {
        _ if metric.queries < FEWEST_QUERIES => "too few",
        MetricStatus::Regression => "<strong class=\"bad\">REGRESSION</strong>",
        _ if metric.gated => "gates",
        _ => "",
    };
    let cells = [
        metric.queries.to_string(),
        points(metric.baseline),
        points(metric.current),
        signed(metric.delta),
        format!("{} to {}", signed(metric.bounds.lower), signed(metric.bounds.upper)),
    ];
    let cells: String = cells.iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect();
    Some(format!("<tr><th scope=\"row\">{}</th>{cells}<td>{note}</td></tr>\n", text(&slice.name)))
}

fn footer(view: &View<'_>) -> String {
    let lines = words::footer(view);
    let lines: String = lines.iter().map(|line| format!("<p class=\"muted\">{}</p>\n", prose(line))).collect();
    format!("{lines}<p class=\"muted\">recall-gate {}</p>\n", view.tool_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `openssl dgst -sha256 -binary | base64` writes them.
    #[test]
    fn digests_are_base64() {
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(hash("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }
}
