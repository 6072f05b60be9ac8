//! The report that people read in a terminal and in a CI log: 80 columns, no meaning in colour alone.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

use super::escape::{terminal_line, terminal_lines, without_commands};
use super::table::{align, cut};
use super::view::{Loser, QueryFacts, View};
use super::words;
use crate::comparison::Move;
use crate::metrics::Metric;
use crate::verdict::{FEWEST_QUERIES, MetricStatus, MetricVerdict, Status, points, signed};

/// Columns.
const WIDTH: usize = 80;
/// Queries listed of those that lost, and of the tail.
const LISTED: usize = 10;
/// Traits named that failing queries share.
const FINDINGS: usize = 5;
/// Lines shown of a failed pipeline's standard error.
const STDERR_LINES: usize = 15;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();

/// Renders with ANSI styles; everything from outside is escaped.
#[must_use]
pub fn render(view: &View<'_>) -> String {
    let mut page = Page::default();
    headline(&mut page, view);
    metrics(&mut page, view);
    floors(&mut page, view);
    losers(&mut page, view);
    tail(&mut page, view);
    slices(&mut page, view);
    steps(&mut page, view);
    footer(&mut page, view);
    // A line may start with an id, and an id may be anything.
    without_commands(&page.text)
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn line(&mut self, line: impl Display) {
        self.text.push_str(line.to_string().trim_end());
        self.text.push('\n');
    }

    fn styled(&mut self, style: Style, line: impl Display) {
        self.line(format_args!("{style}{line}{style:#}"));
    }

    fn title(&mut self, title: impl Display) {
        self.line("");
        self.styled(BOLD, title);
    }

    /// A paragraph, wrapped and indented by two.
    fn paragraph(&mut self, text: &str) {
        // An id is never broken at its hyphens: people copy it.
        let options = textwrap::Options::new(WIDTH)
            .initial_indent("  ")
            .subsequent_indent("  ")
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        for line in textwrap::wrap(&terminal_line(text), options) {
            self.line(line);
        }
    }
}

fn headline(page: &mut Page, view: &View<'_>) {
    let style = match view.status {
        Status::Pass => GREEN,
        Status::Regression => RED,
        Status::CouldNotMeasure => YELLOW,
    };
    page.styled(style, words::verdict(view.status));
    for reason in &view.reasons {
        for line in reason.lines() {
            page.paragraph(line);
        }
    }
    if let Some(stderr) = &view.stderr_tail {
        page.title("The end of the pipeline's standard error");
        let lines = terminal_lines(stderr);
        for line in &lines[lines.len().saturating_sub(STDERR_LINES)..] {
            page.line(format_args!("  {DIM}│{DIM:#} {line}"));
        }
    }
    page.line("");
    page.paragraph(&view.advice);
    for warning in &view.warnings {
        page.line("");
        page.paragraph(&format!("warning: {warning}"));
    }
    if view.golden.changed_since_baseline == Some(true) {
        page.line("");
        page.paragraph("warning: The golden set is not the one that the baseline was measured with.");
    }
}

fn metrics(page: &mut Page, view: &View<'_>) {
    if view.metrics.is_empty() {
        return;
    }
    let header = ["", "before", "now", "delta", "90 % bounds", "p", "verdict"].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = std::iter::once(header).chain(view.metrics.iter().map(metric_row)).collect();
    let counts_header =
        ["", "queries", "better", "worse", "same", "excluded", "detectable"].map(str::to_owned).to_vec();
    let counts: Vec<Vec<String>> = std::iter::once(counts_header).chain(view.metrics.iter().map(counts_row)).collect();

    page.title("Metrics, in points");
    lines_of_metrics(page, view, &align(&rows, true));
    page.line("");
    lines_of_metrics(page, view, &align(&counts, false));
    page.line("");
    page.paragraph(
        "excluded: a larger drop is ruled out with 95 % confidence; detectable: the smallest drop that the gate would \
         catch four times in five.",
    );
}

/// The header, the gated metrics, and those that are only shown, apart.
fn lines_of_metrics(page: &mut Page, view: &View<'_>, lines: &[String]) {
    let mut lines = lines.iter();
    if let Some(header) = lines.next() {
        page.line(format_args!("  {DIM}{header}{DIM:#}"));
    }
    let mut gated = true;
    for (metric, line) in view.metrics.iter().zip(lines) {
        if gated && !metric.gated {
            gated = false;
            page.line(format_args!("  {DIM}shown, never gating{DIM:#}"));
        }
        let style = style_of(metric.status);
        page.line(format_args!("  {style}{line}{style:#}"));
    }
}

fn style_of(status: MetricStatus) -> Style {
    match status {
        MetricStatus::Regression => RED,
        MetricStatus::Warning => YELLOW,
        MetricStatus::Improved => GREEN,
        MetricStatus::Pass | MetricStatus::NotCompared => Style::new(),
    }
}

fn metric_row(metric: &MetricVerdict) -> Vec<String> {
    let name = metric.metric.to_string();
    if metric.queries == 0 {
        return vec![name, "-".into(), "-".into(), "-".into(), "-".into(), "-".into(), "no queries".into()];
    }
    vec![
        name,
        points(metric.baseline),
        points(metric.current),
        signed(metric.delta),
        format!("{} to {}", signed(metric.bounds.lower), signed(metric.bounds.upper)),
        words::probability(metric.p_adjusted),
        words::metric(metric.status).to_owned(),
    ]
}

fn counts_row(metric: &MetricVerdict) -> Vec<String> {
    let counts = [metric.queries, metric.better, metric.worse, metric.same].map(|count| count.to_string());
    let drops = [metric.worst_plausible_drop, metric.detectable_drop].map(points);
    let drops = if metric.queries == 0 { ["-".to_owned(), "-".to_owned()] } else { drops };
    std::iter::once(metric.metric.to_string()).chain(counts).chain(drops).collect()
}

fn floors(page: &mut Page, view: &View<'_>) {
    if view.floors.is_empty() {
        return;
    }
    page.title("Floors, in points (90 % bounds)");
    let rows = view.floors.iter().map(|floor| {
        let word = if floor.is_broken() { "BROKEN" } else { "kept" };
        let bounds = format!("({} to {})", points(floor.bounds.lower), points(floor.bounds.upper));
        let least = format!("floor {}", points(floor.least));
        vec![floor.metric.to_string(), points(floor.current), bounds, least, word.to_owned()]
    });
    for (floor, line) in view.floors.iter().zip(align(&rows.collect::<Vec<_>>(), true)) {
        let style = if floor.is_broken() { RED } else { Style::new() };
        page.line(format_args!("  {style}{line}{style:#}"));
    }
}

fn losers(page: &mut Page, view: &View<'_>) {
    if view.losers.is_empty() {
        return;
    }
    page.title(format_args!("Queries that lost most ({} of {})", view.losers.len().min(LISTED), view.losers.len()));
    page.paragraph(&words::causes(view));
    for loser in view.losers.iter().take(LISTED) {
        loser_lines(page, &view.queries[loser.query], loser);
    }
}

fn loser_lines(page: &mut Page, query: &QueryFacts<'_>, loser: &Loser) {
    page.line(format_args!("  {}", query_line(query, WIDTH - 2)));
    let changes: Vec<String> = loser
        .changes
        .iter()
        .map(|(metric, before, now)| format!("{metric} {} → {}", points(*before), points(*now)))
        .collect();
    page.line(format_args!("    {DIM}{}{DIM:#}", cut(&changes.join(", "), WIDTH - 4)));
    for sentence in words::diagnosis(query) {
        page.line(format_args!("    {}", cut(&terminal_line(&sentence), WIDTH - 4)));
    }
    for change in words::other_moves(query) {
        page.line(format_args!("    {}", cut(&move_line(change), WIDTH - 4)));
    }
}

fn query_line(query: &QueryFacts<'_>, width: usize) -> String {
    cut(&format!("{}  {}", terminal_line(&query.id), terminal_line(&query.text)), width)
}

fn move_line(change: &Move) -> String {
    let place = |place: Option<usize>| place.map_or_else(|| "not found".to_owned(), |place| format!("place {place}"));
    format!(
        "{} (grade {}): {} → {}",
        terminal_line(change.document.as_str()),
        change.grade.value(),
        place(change.from),
        place(change.to)
    )
}

fn tail(page: &mut Page, view: &View<'_>) {
    if view.queries.is_empty() {
        return;
    }
    let name = Metric::Recall(view.tail_depth);
    let answerable = view.golden.answerable;
    page.title(format_args!("The tail: {} of {answerable} answerable queries have {name} = 0", view.tail.len()));
    for finding in words::findings(view).iter().take(FINDINGS) {
        page.paragraph(finding);
    }
    // What fell into the tail with this change comes first, whatever its id.
    let new = view.tail.iter().filter(|entry| entry.new);
    let old = view.tail.iter().filter(|entry| !entry.new);
    for entry in new.chain(old).take(LISTED) {
        let mark = if entry.new { "new  " } else { "     " };
        page.line(format_args!("  {YELLOW}{mark}{YELLOW:#}{}", query_line(&view.queries[entry.query], WIDTH - 7)));
    }
    if view.tail.len() > LISTED {
        page.line(format_args!("       and {} more (all of them are in the JSON report)", view.tail.len() - LISTED));
    }
}

fn slices(page: &mut Page, view: &View<'_>) {
    let Some(metric) = view.metrics.iter().find(|metric| metric.gated) else { return };
    let rows: Vec<Vec<String>> = view
        .slices
        .iter()
        .filter_map(|slice| {
            let metric = slice.metrics.iter().find(|own| own.metric == metric.metric && own.queries > 0)?;
            let bounds = format!("{} to {}", signed(metric.bounds.lower), signed(metric.bounds.upper));
            let scores = [points(metric.baseline), points(metric.current), signed(metric.delta), bounds];
            let note = match metric.status {
                _ if metric.queries < FEWEST_QUERIES => "too few",
                MetricStatus::Regression => "REGRESSION",
                _ if metric.gated => "gates",
                _ => "",
            };
            let scores = scores.into_iter().chain([note.to_owned()]);
            Some([cut(&terminal_line(&slice.name), 24), metric.queries.to_string()].into_iter().chain(scores).collect())
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    page.title(format_args!("Slices by {}, in points (those that do not gate are not corrected)", metric.metric));
    let header = ["", "queries", "before", "now", "delta", "90 % bounds", ""].map(str::to_owned).to_vec();
    let mut lines = align(&[vec![header], rows].concat(), true).into_iter();
    if let Some(header) = lines.next() {
        page.line(format_args!("  {DIM}{header}{DIM:#}"));
    }
    for line in lines {
        page.line(format_args!("  {line}"));
    }
}

fn steps(page: &mut Page, view: &View<'_>) {
    if view.steps.is_empty() {
        return;
    }
    page.title("What to do next");
    for step in &view.steps {
        page.paragraph(&step.sentence);
    }
}

fn footer(page: &mut Page, view: &View<'_>) {
    page.line("");
    for line in words::footer(view) {
        page.paragraph(&line);
    }
}
