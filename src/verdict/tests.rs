use super::*;
use crate::comparison::{Measures, compare};
use crate::golden::{GoldenSet, PINNED, Query};
use crate::id::{DocumentId, DocumentPattern, QueryId, ResultId};
use crate::judgments::{Grade, Judgments};
use crate::passage::OVERLAP;
use crate::run::{RankedResult, Ranking, Run};

/// A set of `answerable` queries with one right document each, `q000` → `d000`, and of unanswerable ones.
fn golden(answerable: usize, unanswerable: usize) -> GoldenSet {
    let query = |id: String, judgments, unanswerable| Query {
        text: format!("text of {id}"),
        id: QueryId::new(id),
        source: Some("logs".into()),
        tags: Vec::new(),
        judgments,
        unanswerable,
    };
    let mut queries = Vec::new();
    for number in 0..answerable {
        let judged = [(DocumentId::new(format!("d{number:03}")), Grade::new(2).unwrap())];
        queries.push(query(format!("q{number:03}"), judged.into_iter().collect(), false));
    }
    for number in 0..unanswerable {
        queries.push(query(format!("u{number:03}"), Judgments::default(), true));
    }
    GoldenSet { queries }
}

/// A ranking of ten results with the right document at `place`, or without it.
fn ranking(number: usize, place: Option<usize>) -> Ranking {
    let results = (1..=10).map(|at| if Some(at) == place { format!("d{number:03}") } else { format!("x{at:03}") });
    results.map(|id| RankedResult { id: ResultId::new(id), score: None, text: None }).collect()
}

/// A run over `golden(answerable, unanswerable)`; `place` says where the right document of a query stands, `answers`
/// whether an unanswerable query gets results.
fn run(
    answerable: usize,
    unanswerable: usize,
    place: impl Fn(usize) -> Option<usize>,
    answers: impl Fn(usize) -> bool,
) -> Run {
    let mut run = Run::default();
    for number in 0..answerable {
        run.insert(QueryId::new(format!("q{number:03}")), ranking(number, place(number)));
    }
    for number in 0..unanswerable {
        let results = if answers(number) { ranking(999, None) } else { Vec::new() };
        run.insert(QueryId::new(format!("u{number:03}")), results);
    }
    run
}

fn gate() -> GateConfig {
    GateConfig {
        metrics: vec![Metric::Recall(10), Metric::ReciprocalRank(Some(10)), Metric::Ndcg(10), Metric::Abstention],
        ..GateConfig::default()
    }
}

fn verdict(golden: &GoldenSet, baseline: &Run, current: &Run, gate: &GateConfig) -> Verdict {
    let mut metrics = gate.metrics.clone();
    metrics.extend(gate.floors.iter().map(|(metric, _)| *metric).filter(|metric| !gate.metrics.contains(metric)));
    metrics.push(Metric::Hit(1));
    let measures =
        Measures { metrics: &metrics, documents: &DocumentPattern::default(), min_score: None, overlap: OVERLAP };
    decide(&compare(golden, baseline, current, measures), gate, &[Metric::Hit(1)])
}

/// The verdict when the right documents of the first `lost` of `n` queries are lost.
fn after_losing(n: usize, lost: usize) -> Verdict {
    let baseline = run(n, 0, |_| Some(1), |_| false);
    let current = run(n, 0, |number| (number >= lost).then_some(1), |_| false);
    verdict(&golden(n, 0), &baseline, &current, &gate())
}

fn status_of(verdict: &Verdict, metric: Metric) -> MetricStatus {
    verdict.metrics.iter().find(|own| own.metric == metric).unwrap().status
}

#[test]
fn two_lost_queries_of_a_hundred_pass_and_twelve_fail() {
    let passed = after_losing(100, 2);
    assert_eq!(passed.status, Status::Pass);
    assert!(
        passed.reasons[0].starts_with("No drop shown; excluded is a drop of more than 5.0 points in"),
        "{:?}",
        passed.reasons
    );
    let failed = after_losing(100, 12);
    assert_eq!(failed.status, Status::Regression);
    assert!(failed.reasons[0].starts_with("recall@10 fell by 12.0 points (100.0 → 88.0)"), "{:?}", failed.reasons);
}

#[test]
fn a_significant_drop_below_min_drop_only_warns() {
    let baseline = run(1000, 0, |_| Some(1), |_| false);
    let current = run(1000, 0, |number| (number >= 15).then_some(1), |_| false);
    let small = verdict(&golden(1000, 0), &baseline, &current, &gate());
    assert_eq!(small.status, Status::Pass);
    assert_eq!(status_of(&small, Metric::Recall(10)), MetricStatus::Warning);
    assert!(small.reasons.iter().any(|reason| reason.contains("below min_drop")), "{:?}", small.reasons);

    let exact = run(1000, 0, |number| (number >= 20).then_some(1), |_| false);
    let exact = verdict(&golden(1000, 0), &baseline, &exact, &gate());
    assert_eq!(exact.status, Status::Regression, "a drop of exactly min_drop is large enough");
}

#[test]
fn a_gain_is_told_by_the_same_rule() {
    let baseline = run(100, 0, |number| (number >= 12).then_some(1), |_| false);
    let current = run(100, 0, |_| Some(1), |_| false);
    let gained = verdict(&golden(100, 0), &baseline, &current, &gate());
    assert_eq!(gained.status, Status::Pass);
    assert_eq!(status_of(&gained, Metric::Recall(10)), MetricStatus::Improved);
    let small = run(100, 0, |number| (number >= 10).then_some(1), |_| false);
    let small = verdict(&golden(100, 0), &baseline, &small, &gate());
    assert_eq!(status_of(&small, Metric::Recall(10)), MetricStatus::Pass, "two gained queries are noise as well");
}

#[test]
fn metrics_that_are_only_shown_never_fail() {
    let baseline = run(100, 0, |_| Some(1), |_| false);
    let current = run(100, 0, |_| Some(2), |_| false);
    let gate = GateConfig { metrics: vec![Metric::Recall(10)], ..gate() };
    let shown = verdict(&golden(100, 0), &baseline, &current, &gate);
    assert_eq!(shown.status, Status::Pass);
    assert_eq!(status_of(&shown, Metric::Hit(1)), MetricStatus::Warning);
}

#[test]
fn abstention_blocks_from_ten_unanswerable_queries_on() {
    let losing = |unanswerable| {
        let baseline = run(50, unanswerable, |_| Some(1), |_| false);
        let current = run(50, unanswerable, |_| Some(1), |_| true);
        verdict(&golden(50, unanswerable), &baseline, &current, &gate())
    };
    let enough = losing(10);
    assert_eq!(enough.status, Status::Regression);
    assert_eq!(status_of(&enough, Metric::Abstention), MetricStatus::Regression);
    let few = losing(9);
    assert_eq!(few.status, Status::Pass);
    assert_eq!(status_of(&few, Metric::Abstention), MetricStatus::NotCompared);
    assert!(few.warnings.iter().any(|warning| warning.contains("has 9 of the 10")), "{:?}", few.warnings);
}

#[test]
fn few_queries_cannot_carry_a_verdict() {
    assert_eq!(after_losing(19, 0).status, Status::CouldNotMeasure);
    assert_eq!(after_losing(19, 19).status, Status::CouldNotMeasure);
    let few = after_losing(20, 0);
    assert_eq!(few.status, Status::Pass);
    assert!(few.warnings.iter().any(|warning| warning.contains("20 queries are few")), "{:?}", few.warnings);
    assert!(after_losing(30, 0).warnings.is_empty());
}

#[test]
fn a_drifted_set_cannot_be_judged_and_what_left_is_named() {
    let baseline = run(100, 0, |_| Some(1), |_| false);
    let current = run(88, 0, |_| Some(1), |_| false);
    let drifted = verdict(&golden(88, 0), &baseline, &current, &gate());
    assert_eq!(drifted.status, Status::CouldNotMeasure);
    assert!(drifted.reasons[0].contains("88 of 100"), "{:?}", drifted.reasons);

    let current = run(95, 0, |_| Some(1), |_| false);
    let near = verdict(&golden(95, 0), &baseline, &current, &gate());
    assert_eq!(near.status, Status::Pass);
    assert!(near.warnings[0].contains("gone from the golden set: 5 queries (`q095`"), "{:?}", near.warnings);

    let current = run(105, 0, |_| Some(1), |_| false);
    let grown = verdict(&golden(105, 0), &baseline, &current, &gate());
    assert!(grown.warnings[0].contains("not compared: 5 queries (`q100`"), "{:?}", grown.warnings);
    assert_eq!(grown.metrics[0].queries, 100);
}

#[test]
fn a_query_without_an_answer_makes_the_run_unfit() {
    let baseline = run(100, 0, |_| Some(1), |_| false);
    let current = run(99, 0, |_| Some(1), |_| false);
    let partial = verdict(&golden(100, 0), &baseline, &current, &gate());
    assert_eq!(partial.status, Status::CouldNotMeasure);
    assert!(partial.reasons[0].contains("no answer to 1 query (`q099`)"), "{:?}", partial.reasons);
}

#[test]
fn changed_ids_are_not_a_regression_but_a_broken_index_is() {
    let baseline = run(100, 0, |_| Some(1), |_| false);
    let mut renamed = Run::default();
    for (query, repeats) in baseline.iter() {
        let results = repeats[0]
            .iter()
            .map(|result| RankedResult { id: ResultId::new(format!("doc-{}", result.id)), ..result.clone() });
        renamed.insert(query.clone(), results.collect());
    }
    let changed = verdict(&golden(100, 0), &baseline, &renamed, &gate());
    assert_eq!(changed.status, Status::CouldNotMeasure);
    assert!(
        changed.reasons[0].contains("was `d000`") && changed.reasons[0].contains("is `doc-d000`"),
        "{:?}",
        changed.reasons
    );

    let broken = run(100, 0, |_| None, |_| false);
    assert_eq!(verdict(&golden(100, 0), &baseline, &broken, &gate()).status, Status::Regression);
    let mut silent = Run::default();
    for (query, _) in baseline.iter() {
        silent.insert(query.clone(), Vec::new());
    }
    let silent = verdict(&golden(100, 0), &baseline, &silent, &gate());
    assert_eq!(silent.status, Status::Regression, "nothing found is an answer, and a bad one");
    assert!(silent.warnings.iter().any(|warning| warning.contains("false abstention")), "{:?}", silent.warnings);
}

#[test]
fn floors_and_pinned_queries_need_no_statistics() {
    let mut set = golden(100, 0);
    let baseline = run(100, 0, |_| Some(1), |_| false);
    let current = run(100, 0, |number| if number == 7 { None } else { Some(1) }, |_| false);
    assert_eq!(verdict(&set, &baseline, &current, &gate()).status, Status::Pass);

    let floor = GateConfig { floors: vec![(Metric::Recall(5), 0.995)], ..gate() };
    let broken = verdict(&set, &baseline, &current, &floor);
    assert_eq!(broken.status, Status::Regression);
    assert_eq!(broken.reasons, ["recall@5 is 99.0 (90 % bounds 97.0 to 100.0), below its floor of 99.5."]);

    set.queries[7].tags.push(PINNED.to_owned());
    let pinned = verdict(&set, &baseline, &current, &gate());
    assert_eq!(pinned.status, Status::Regression);
    assert!(
        pinned.reasons[0].contains("`q007`") && pinned.reasons[0].contains("`d007` place 1 → not found"),
        "{:?}",
        pinned.reasons
    );
}

#[test]
fn slices_are_parts_and_never_the_whole() {
    let mut set = golden(40, 0);
    for query in &mut set.queries[..15] {
        query.tags.push("hard".into());
    }
    let baseline = run(40, 0, |_| Some(1), |_| false);
    let sliced = verdict(&set, &baseline, &baseline, &gate());
    assert_eq!(sliced.slices.len(), 1, "every query has the source `logs`, so that is no slice");
    assert_eq!((sliced.slices[0].name.as_str(), sliced.slices[0].queries), ("tag hard", 15));
    assert!(sliced.slices[0].metrics.iter().all(|metric| !metric.gated));
}

#[test]
fn a_slice_that_the_gate_names_blocks_inside_the_same_correction() {
    let mut set = golden(200, 0);
    for query in &mut set.queries[..40] {
        query.tags.push("hard".into());
    }
    let baseline = run(200, 0, |_| Some(1), |_| false);
    let current = run(200, 0, |n| (n >= 7).then_some(1), |_| false);
    let sliced = GateConfig { slices: vec!["hard".into()], min_drop: 0.1, ..gate() };
    let alone = verdict(&set, &baseline, &current, &GateConfig { min_drop: 0.1, ..gate() });
    assert_eq!(alone.status, Status::Pass, "3.5 points of the whole set are below min_drop");
    let gated = verdict(&set, &baseline, &current, &sliced);
    assert_eq!(gated.status, Status::Regression);
    assert!(gated.reasons[0].starts_with("recall@10 of tag hard fell by 17.5 points"), "{:?}", gated.reasons);
    assert!(gated.slices[0].gated && gated.slices[0].metrics[0].p_adjusted >= gated.slices[0].metrics[0].p_value);
    assert!(gated.metrics[0].p_adjusted >= alone.metrics[0].p_adjusted, "a larger family corrects more");
}

#[test]
fn a_slice_that_is_too_small_is_said_to_be_so() {
    let mut set = golden(100, 0);
    for query in &mut set.queries[..10] {
        query.tags.push("hard".into());
    }
    let baseline = run(100, 0, |_| Some(1), |_| false);
    let current = run(100, 0, |n| (n >= 9).then_some(1), |_| false);
    let sliced = GateConfig { slices: vec!["hard".into()], min_drop: 0.5, ..gate() };
    let verdict = verdict(&set, &baseline, &current, &sliced);
    assert_eq!(verdict.status, Status::Pass);
    assert!(verdict.warnings.iter().any(|warning| warning.contains("10 of the 20 answerable queries")), "{verdict:?}");
}

#[test]
fn the_order_of_the_golden_set_changes_nothing() {
    let set = golden(60, 0);
    let mut turned = set.clone();
    turned.queries.reverse();
    turned.queries.swap(3, 40);
    let baseline = run(60, 0, |n| Some(1 + n % 4), |_| false);
    let current = run(60, 0, |n| (n % 9 != 0).then_some(1 + n % 5), |_| false);
    assert_eq!(verdict(&set, &baseline, &current, &gate()), verdict(&turned, &baseline, &current, &gate()));
}

#[test]
fn unjudged_documents_that_displace_judged_ones_are_named_for_labelling() {
    let baseline = run(100, 0, |_| Some(1), |_| false);
    let mut current = Run::default();
    for (query, repeats) in baseline.iter() {
        let number: usize = query.as_str()[1..].parse().unwrap();
        let mut results = repeats[0].clone();
        if number < 12 {
            results[0].id = ResultId::new(if number < 7 { "news" } else { "x002" });
        }
        current.insert(query.clone(), results);
    }
    let named = |current: &Run| {
        let verdict = verdict(&golden(100, 0), &baseline, current, &gate());
        verdict.warnings.into_iter().find(|warning| warning.starts_with("In the queries that got worse"))
    };
    let said = named(&current).unwrap();
    assert!(said.contains("1 document that nobody judged is new among the first 10: `news` in 7."), "{said}");
    assert_eq!(named(&baseline), None);
}
