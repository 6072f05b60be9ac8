//! `JUnit` XML, which test tabs of CI services read: each gated metric, floor and pinned query is a test case.
//!
//! In the narrow form that Jenkins' schema accepts: no place in a file, times as digits.

use super::escape::{clip, xml};
use super::view::View;
use super::words;
use crate::verdict::{MetricStatus, MetricVerdict, Status, points, signed};

/// Queries named in the failure of a metric.
const NAMED: usize = 20;
/// Characters of an attribute.
const LONGEST: usize = 500;

/// How a test case ended.
enum Outcome {
    Passed,
    Skipped(String),
    /// A message and what stands below it.
    Failed(String, String),
    Error(String, String),
}

struct Case {
    name: String,
    outcome: Outcome,
}

/// The report as XML.
#[must_use]
pub fn render(view: &View<'_>) -> String {
    let slices = view.slices.iter().filter(|slice| slice.gated).map(|slice| {
        let cases = slice.metrics.iter().filter(|metric| metric.gated).map(|metric| metric_case(view, metric));
        (format!("slices.{}", slice.name), cases.collect())
    });
    let metrics = view.metrics.iter().filter(|metric| metric.gated).map(|metric| metric_case(view, metric));
    let suites: Vec<(String, Vec<Case>)> =
        [("measurement".to_owned(), vec![measurement(view)]), ("metrics".to_owned(), metrics.collect())]
            .into_iter()
            .chain(slices)
            .chain([("floors".to_owned(), floors(view)), ("pinned".to_owned(), pinned(view))])
            .filter(|(_, cases)| !cases.is_empty())
            .collect();
    let all: Vec<&Case> = suites.iter().flat_map(|(_, cases)| cases).collect();
    let suites: String = suites.iter().map(|(name, cases)| suite(name, cases)).collect();
    let (tests, failures, errors, _) = counts(all.into_iter());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"recall-gate\" tests=\"{tests}\" \
         failures=\"{failures}\" errors=\"{errors}\" time=\"0.000\">\n{suites}</testsuites>\n"
    )
}

/// Tests, failures, errors and skipped ones.
fn counts<'a>(cases: impl Iterator<Item = &'a Case>) -> (usize, usize, usize, usize) {
    cases.fold((0, 0, 0, 0), |(tests, failures, errors, skipped), case| match case.outcome {
        Outcome::Passed => (tests + 1, failures, errors, skipped),
        Outcome::Skipped(_) => (tests + 1, failures, errors, skipped + 1),
        Outcome::Failed(..) => (tests + 1, failures + 1, errors, skipped),
        Outcome::Error(..) => (tests + 1, failures, errors + 1, skipped),
    })
}

fn suite(name: &str, cases: &[Case]) -> String {
    let (tests, failures, errors, skipped) = counts(cases.iter());
    let class = format!("recall-gate.{name}");
    let cases: String = cases.iter().map(|case| case_xml(&class, case)).collect();
    format!(
        "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" \
         time=\"0.000\">\n{cases}  </testsuite>\n",
        attribute(&class)
    )
}

fn case_xml(class: &str, case: &Case) -> String {
    let start =
        format!("    <testcase classname=\"{}\" name=\"{}\" time=\"0.000\"", attribute(class), attribute(&case.name));
    let failed = |element: &str, kind: &str, message: &str, text: &str| {
        let (message, text) = (attribute(message), log_safe(&xml(text)));
        format!(
            "{start}>\n      <{element} type=\"{kind}\" message=\"{message}\">{text}</{element}>\n    </testcase>\n"
        )
    };
    match &case.outcome {
        Outcome::Passed => format!("{start}/>\n"),
        Outcome::Skipped(why) => {
            format!("{start}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", attribute(why))
        }
        Outcome::Failed(message, text) => failed("failure", "regression", message, text),
        Outcome::Error(message, text) => failed("error", "could-not-measure", message, text),
    }
}

fn attribute(text: &str) -> String {
    log_safe(&xml(&clip(&text.replace(['\n', '\t'], " "), LONGEST)))
}

/// The runner of GitHub Actions would obey `##[…]` and `::…::` where this is printed to a log.
fn log_safe(text: &str) -> String {
    text.replace("##[", "##&#91;").replace("::", ":&#58;")
}

fn measurement(view: &View<'_>) -> Case {
    let outcome = match view.status {
        Status::CouldNotMeasure => {
            let stderr = view.stderr_tail.clone().unwrap_or_default();
            Outcome::Error(view.reasons.first().cloned().unwrap_or_default(), view.reasons.join("\n") + "\n" + &stderr)
        }
        Status::Pass | Status::Regression => Outcome::Passed,
    };
    Case { name: "could be judged".to_owned(), outcome }
}

fn metric_case(view: &View<'_>, metric: &MetricVerdict) -> Case {
    let change = format!(
        "{} {} → {} ({} points, 90 % bounds {} to {}, p {}), {} of {} queries worse",
        metric.metric,
        points(metric.baseline),
        points(metric.current),
        signed(metric.delta),
        signed(metric.bounds.lower),
        signed(metric.bounds.upper),
        words::probability(metric.p_adjusted),
        metric.worse,
        metric.queries
    );
    let outcome = match metric.status {
        MetricStatus::Regression => Outcome::Failed(change, worst(view, metric)),
        MetricStatus::NotCompared => Outcome::Skipped(format!("{} queries are too few to judge", metric.queries)),
        MetricStatus::Improved | MetricStatus::Pass | MetricStatus::Warning => Outcome::Passed,
    };
    Case { name: metric.metric.to_string(), outcome }
}

/// The queries that lost in a metric, with their causes.
fn worst(view: &View<'_>, metric: &MetricVerdict) -> String {
    let losers = view
        .losers
        .iter()
        .filter(|loser| loser.changes.iter().any(|(changed, before, now)| *changed == metric.metric && now < before));
    let lines = losers.map(|loser| {
        let query = &view.queries[loser.query];
        let line = query.line.map(|line| format!(" ({}:{line})", view.golden.file.path)).unwrap_or_default();
        let causes = words::diagnosis(query).join("; ");
        format!("{}{line}: {}: {causes}", query.id, clip(&query.text, LONGEST))
    });
    let lines: Vec<String> = lines.collect();
    let more = lines.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!("\nand {more} more") };
    lines.into_iter().take(NAMED).collect::<Vec<_>>().join("\n") + &more
}

fn floors(view: &View<'_>) -> Vec<Case> {
    let cases = view.floors.iter().map(|floor| {
        let outcome =
            if floor.is_broken() { Outcome::Failed(floor.sentence(), String::new()) } else { Outcome::Passed };
        Case { name: format!("{} at least {}", floor.metric, points(floor.least)), outcome }
    });
    cases.collect()
}

fn pinned(view: &View<'_>) -> Vec<Case> {
    let cases = view.pinned.iter().map(|pinned| {
        let query = &view.queries[pinned.query];
        let outcome = match &pinned.failure {
            Some(failure) => Outcome::Failed(failure.clone(), words::diagnosis(query).join("\n")),
            None => Outcome::Passed,
        };
        Case { name: format!("{}: {}", query.id, query.text), outcome }
    });
    cases.collect()
}
