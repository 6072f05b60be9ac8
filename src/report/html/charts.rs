//! Pictures as SVG in the page: each has a sentence that says the same.

use super::{View, scrolled, text};
use crate::metrics::Metric;
use crate::verdict::{MetricVerdict, SAME, points, signed};

const WIDTH: f64 = 320.0;
const WIDE: f64 = 900.0;
const HEIGHT: f64 = 150.0;
const MARGIN: f64 = 14.0;

/// An image that is read out as `label`.
fn image(width: f64, height: f64, label: &str, content: &str) -> String {
    format!("<svg viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{label}\">{content}</svg>")
}

fn vertical(class: &str, x: f64, top: f64, bottom: f64) -> String {
    format!("<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\"/>")
}

/// Words at `x`, anchored so that they stay inside.
fn label(x: f64, y: f64, width: f64, words: &str) -> String {
    let anchor = match x / width {
        share if share < 0.25 => "start",
        share if share > 0.75 => "end",
        _ => "middle",
    };
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>")
}

/// The resampled means of a metric with zero, what was observed, and the bounds.
pub(super) fn distribution(metric: &MetricVerdict) -> String {
    let histogram = &metric.histogram;
    let marks = [0.0, metric.delta, metric.bounds.lower, metric.bounds.upper, histogram.low, histogram.high];
    let (low, high) = marks.iter().fold((-0.005_f64, 0.005_f64), |(low, high), mark| (low.min(*mark), high.max(*mark)));
    let x = |value: f64| MARGIN + (WIDTH - 2.0 * MARGIN) * (value - low) / (high - low);
    let (top, bottom) = (38.0, HEIGHT - 22.0);
    let most = histogram.counts.iter().max().copied().unwrap_or(1).max(1) as f64;
    let bars = histogram.counts.len().max(1) as f64;
    let step = (histogram.high - histogram.low) / bars;
    let mut path = String::new();
    for (index, count) in histogram.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let left = x(histogram.low + step * index as f64);
        let right = x(histogram.low + step * (index + 1) as f64).max(left + 2.0);
        let height = (bottom - top) * *count as f64 / most;
        path.push_str(&format!("M{left:.1} {bottom:.1}V{:.1}H{right:.1}V{bottom:.1}z", bottom - height));
    }
    let (lower, upper) = (x(metric.bounds.lower), x(metric.bounds.upper));
    let class = if metric.delta < -SAME { "s-drop" } else { "s-gain" };
    let content = [
        format!(
            "<rect class=\"s-band\" x=\"{lower:.1}\" width=\"{:.1}\" y=\"{top:.1}\" height=\"{:.1}\"/>",
            (upper - lower).max(1.0),
            bottom - top
        ),
        format!("<path class=\"s-bar\" d=\"{path}\"/>"),
        format!("<path class=\"s-axis\" d=\"M{MARGIN} {bottom:.1}H{:.1}\"/>", WIDTH - MARGIN),
        vertical("s-zero", x(0.0), 18.0, bottom),
        label(x(0.0), 14.0, WIDTH, "0"),
        vertical(class, x(metric.delta), top, bottom),
        label(x(metric.delta), top - 6.0, WIDTH, &signed(metric.delta)),
        label(x(low), HEIGHT - 6.0, WIDTH, &signed(low)),
        label(x(high), HEIGHT - 6.0, WIDTH, &signed(high)),
    ];
    let said = format!(
        "{}: observed {}, 90 % bounds {} to {}, in points",
        metric.metric,
        signed(metric.delta),
        signed(metric.bounds.lower),
        signed(metric.bounds.upper)
    );
    format!(
        "<figure>{}<figcaption>{said}.</figcaption>\
         </figure>\n",
        image(WIDTH, HEIGHT, &said, &content.concat())
    )
}

/// For every gated metric a bar per query, sorted.
pub(super) fn changes(view: &View<'_>) -> String {
    let gated = view.metrics.iter().filter(|metric| metric.gated && metric.queries > 0);
    let figures: String = gated.map(|metric| sorted(view, metric)).collect();
    if figures.is_empty() {
        figures
    } else {
        format!("<div class=\"wide\"><div class=\"figures\">\n{figures}</div></div>\n")
    }
}

fn sorted(view: &View<'_>, metric: &MetricVerdict) -> String {
    let mut deltas: Vec<f64> = view.queries.iter().filter_map(|query| query.delta(metric.metric)).collect();
    deltas.sort_by(f64::total_cmp);
    let middle = HEIGHT / 2.0;
    let step = (WIDE - 2.0 * MARGIN) / deltas.len().max(1) as f64;
    let (mut down, mut up) = (String::new(), String::new());
    for (index, delta) in deltas.iter().enumerate().filter(|(_, delta)| delta.abs() > SAME) {
        let x = MARGIN + step * (index as f64 + 0.5);
        let path = if *delta < 0.0 { &mut down } else { &mut up };
        path.push_str(&format!("M{x:.1} {middle:.0}V{:.1}", middle - delta * (middle - 16.0)));
    }
    let width = (step * 0.8).clamp(0.5, 8.0);
    let content = format!(
        "<path class=\"f-bad\" stroke-width=\"{width:.1}\" d=\"{down}\"/><path class=\"f-good\" stroke-width=\"{width:.1}\" \
         d=\"{up}\"/><path class=\"s-axis\" d=\"M{MARGIN} {middle:.0}H{:.1}\"/><text x=\"{MARGIN}\" y=\"12\">+100</text>\
         <text x=\"{MARGIN}\" y=\"{:.0}\">-100</text>",
        WIDE - MARGIN,
        HEIGHT - 3.0
    );
    let said = format!(
        "{}: {} queries worse, {} the same, {} better, the largest changes {} and {} points",
        metric.metric,
        metric.worse,
        metric.same,
        metric.better,
        signed(deltas.first().copied().unwrap_or(0.0)),
        signed(deltas.last().copied().unwrap_or(0.0))
    );
    format!("<figure>{}<figcaption>{said}.</figcaption></figure>\n", image(WIDE, HEIGHT, &said, &content))
}

/// A line through points; `y` from 0 to 1 upwards.
fn line(class: &str, points: &[(f64, f64)], height: f64) -> String {
    let place = |(x, y): &(f64, f64)| format!("{x:.1} {:.1}", MARGIN + (height - 3.0 * MARGIN) * (1.0 - y));
    let path: Vec<String> = points.iter().map(place).collect();
    let dot = points.first().filter(|_| points.len() == 1).map(|_| "h.1").unwrap_or_default();
    format!("<path class=\"{class}\" stroke-linecap=\"round\" d=\"M{}{dot}\"/>", path.join("L"))
}

/// Recall by how many results are looked at.
pub(super) fn depths(view: &View<'_>) -> String {
    let (Some(first), Some(last)) = (view.depths.first(), view.depths.last()) else { return String::new() };
    let height = 220.0;
    let span = (last.depth - first.depth).max(1) as f64;
    let x = |depth: usize| 40.0 + (WIDE - 40.0 - MARGIN) * (depth - first.depth) as f64 / span;
    let before: Vec<(f64, f64)> = view.depths.iter().map(|point| (x(point.depth), point.baseline)).collect();
    let now: Vec<(f64, f64)> = view.depths.iter().map(|point| (x(point.depth), point.current)).collect();
    let axis = height - 2.0 * MARGIN;
    let content = format!(
        "<path class=\"s-axis\" d=\"M40 {MARGIN}V{axis:.1}H{:.1}\"/>{}{}<text x=\"4\" y=\"{:.1}\">100</text><text x=\"18\" \
         y=\"{axis:.1}\">0</text>{}{}",
        WIDE - MARGIN,
        line("s-before", &before, height),
        line("s-now", &now, height),
        MARGIN + 5.0,
        label(x(first.depth), height - 8.0, WIDE, &first.depth.to_string()),
        label(x(last.depth), height - 8.0, WIDE, &format!("{} results", last.depth)),
    );
    let said = format!(
        "Recall over the first {} results: {} in the baseline, {} now",
        last.depth,
        points(last.baseline),
        points(last.current)
    );
    let cell = |value: f64| format!("<td class=\"n\">{}</td>", points(value));
    let rows = view.depths.iter().map(|point| {
        format!(
            "<tr><th scope=\"row\" class=\"n\">{}</th>{}{}</tr>\n",
            point.depth,
            cell(point.baseline),
            cell(point.current)
        )
    });
    format!(
        "<figure>{}<figcaption>{said}. Dashed: baseline; solid: now.</figcaption></figure>\n<details><summary>The numbers\
         </summary>\n<table><thead><tr><th scope=\"col\" class=\"n\">results</th><th scope=\"col\" class=\"n\">baseline</th>\
         <th scope=\"col\" class=\"n\">now</th></tr></thead>\n<tbody>{}</tbody></table>\n</details>\n",
        image(WIDE, height, &said, &content),
        rows.collect::<String>()
    )
}

/// The means of every update of the baseline.
pub(super) fn history(view: &View<'_>) -> String {
    let (Some(first), Some(last)) = (view.history.first(), view.history.last()) else { return String::new() };
    let gated: Vec<Metric> = view.metrics.iter().filter(|metric| metric.gated).map(|metric| metric.metric).collect();
    let names: Vec<String> = gated.iter().map(ToString::to_string).collect();
    let known: Vec<&String> =
        names.iter().filter(|name| view.history.iter().any(|entry| entry.means.contains_key(*name))).take(3).collect();
    let span = (view.history.len() - 1).max(1) as f64;
    let height = 180.0;
    let lines = known.iter().zip(["s-now", "s-before", "s-third"]).map(|(name, class)| {
        let places = view.history.iter().enumerate().filter_map(|(index, entry)| {
            Some((40.0 + (WIDE - 40.0 - MARGIN) * index as f64 / span, *entry.means.get(*name)?))
        });
        line(class, &places.collect::<Vec<_>>(), height)
    });
    let axis = height - 2.0 * MARGIN;
    let content = format!(
        "<path class=\"s-axis\" d=\"M40 {MARGIN}V{axis:.1}H{:.1}\"/>{}<text x=\"4\" y=\"{:.1}\">100</text><text x=\"18\" \
         y=\"{axis:.1}\">0</text>",
        WIDE - MARGIN,
        lines.collect::<String>(),
        MARGIN + 5.0
    );
    let said = format!(
        "{} from {} to {}",
        crate::verdict::counted(view.history.len(), "update", "updates"),
        text(day(&first.created)),
        text(day(&last.created))
    );
    let legend: Vec<String> =
        known.iter().zip(["solid", "dashed", "dotted"]).map(|(name, look)| format!("{look}: {name}")).collect();
    let header: String = known.iter().map(|name| format!("<th scope=\"col\" class=\"n\">{name}</th>")).collect();
    let rows = view.history.iter().rev().map(|entry| {
        let mean = |name: &&String| entry.means.get(*name).map_or_else(|| "–".to_owned(), |mean| points(*mean));
        let means: String = known.iter().map(|name| format!("<td class=\"n\">{}</td>", mean(name))).collect();
        format!(
            "<tr><th scope=\"row\">{}</th>{means}<td>{}</td></tr>\n",
            text(day(&entry.created)),
            text(&entry.reason)
        )
    });
    format!(
        "<figure>{}<figcaption>{said}; {}.</figcaption></figure>\n{}",
        image(WIDE, height, &said, &content),
        legend.join(", "),
        scrolled(
            "History of the baseline",
            &format!(
                "<table><thead><tr><th scope=\"col\">updated</th>{header}<th scope=\"col\">reason</th></tr></thead>\n<tbody>{}\
                 </tbody></table>\n",
                rows.collect::<String>()
            )
        )
    )
}

fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or_default()
}
