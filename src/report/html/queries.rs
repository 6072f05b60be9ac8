//! The table of queries, which the script sorts, filters and opens. Without it, it is still a table.

use std::collections::BTreeSet;

use super::super::escape::clip;
use super::super::view::{QueryFacts, View};
use super::super::words;
use super::{html, prose, scrolled, text};
use crate::metrics::Metric;
use crate::verdict::{SAME, signed};

/// Characters of a query.
const LONGEST: usize = 300;

pub(super) fn table(view: &View<'_>) -> String {
    if view.queries.is_empty() {
        return String::new();
    }
    let gated: Vec<Metric> = view.metrics.iter().filter(|metric| metric.gated).map(|metric| metric.metric).collect();
    let column = |name: &str, class: &str| {
        format!("<th scope=\"col\" class=\"{class}\"><button type=\"button\">{name}</button></th>")
    };
    let metrics: String = gated.iter().map(|metric| column(&metric.to_string(), "n")).collect();
    let head =
        [column("query", ""), column("text", ""), column("tags", "optional"), metrics, column("cause", "optional")];
    let order = order(view);
    let rows: String = order.iter().map(|index| row(view, *index, &gated)).collect();
    let causes =
        if view.losers.is_empty() { String::new() } else { format!("<p>{}</p>\n", prose(&words::causes(view))) };
    format!(
        "{causes}<p>Each query opens to its two rankings side by side.</p>\n{}{}",
        controls(view),
        scrolled(
            "Queries",
            &format!(
                "<table id=\"query-table\"><caption>Changes in points; those that lost most first</caption><thead><tr>{}</tr>\
                 </thead>\n<tbody>{rows}</tbody></table>\n",
                head.concat()
            )
        )
    )
}

/// The losers, the worst first, then every other query by id.
pub(super) fn order(view: &View<'_>) -> Vec<usize> {
    let losers: Vec<usize> = view.losers.iter().map(|loser| loser.query).collect();
    let lost: BTreeSet<usize> = losers.iter().copied().collect();
    losers.into_iter().chain((0..view.queries.len()).filter(|index| !lost.contains(index))).collect()
}

fn controls(view: &View<'_>) -> String {
    let tags: BTreeSet<&str> = view.queries.iter().flat_map(labels).collect();
    let options: String = tags.iter().map(|tag| format!("<option>{}</option>", text(tag))).collect();
    format!(
        "<div class=\"controls\"><label>Search <input id=\"search\" type=\"search\" autocomplete=\"off\"></label>\n<label>Tag or \
         source <select id=\"tag\"><option value=\"\">any</option>{options}</select></label>\n<label>Change <select \
         id=\"change\"><option value=\"\">any</option><option value=\"worse\">worse</option><option \
         value=\"better\">better</option><option value=\"same\">same</option><option value=\"tail\">finds nothing</option>\
         </select></label>\n<span id=\"count\" role=\"status\">{} queries</span></div>\n",
        view.queries.len()
    )
}

/// Tags and source.
pub(super) fn labels<'a>(query: &'a QueryFacts<'_>) -> impl Iterator<Item = &'a str> {
    query.tags.iter().chain(&query.source).map(String::as_str)
}

/// `worse` where any gated metric fell, `better` where some rose and none fell.
pub(super) fn change(view: &View<'_>, query: &QueryFacts<'_>) -> &'static str {
    let gated = view.metrics.iter().filter(|metric| metric.gated);
    let deltas: Vec<f64> = gated.filter_map(|metric| query.delta(metric.metric)).collect();
    if deltas.iter().any(|delta| *delta < -SAME) {
        "worse"
    } else if deltas.iter().any(|delta| *delta > SAME) {
        "better"
    } else {
        "same"
    }
}

fn row(view: &View<'_>, index: usize, gated: &[Metric]) -> String {
    let query = &view.queries[index];
    let link = view.golden.file.url.as_ref().zip(query.line).map(|(url, line)| {
        format!(
            " <a href=\"{}#L{line}\" aria-label=\"{} in the golden set\">line {line}</a>",
            html(url),
            text(&query.id)
        )
    });
    let tags: Vec<String> = labels(query).map(text).collect();
    let cells: String = gated.iter().map(|metric| cell(query, *metric)).collect();
    let cause = query.diagnosis.as_ref().map(|diagnosis| diagnosis.cause.kind().label());
    format!(
        "<tr><td><button type=\"button\" class=\"open\" aria-expanded=\"false\">{}</button>{}</td><td>{}</td><td \
         class=\"optional\">{}</td>{cells}<td class=\"optional\">{}</td></tr>\n",
        text(&clip(&query.id, LONGEST)),
        link.unwrap_or_default(),
        text(&clip(&query.text, LONGEST)),
        tags.join(", "),
        cause.unwrap_or_default()
    )
}

fn cell(query: &QueryFacts<'_>, metric: Metric) -> String {
    match query.delta(metric) {
        Some(delta) => {
            let class = if delta < -SAME {
                "n bad"
            } else if delta > SAME {
                "n good"
            } else {
                "n"
            };
            format!("<td class=\"{class}\" data-v=\"{delta:.4}\">{}</td>", signed(delta))
        }
        // Between losses and gains.
        None => "<td class=\"n\" data-v=\"0\">–</td>".to_owned(),
    }
}
