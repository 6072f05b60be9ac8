//! How long the gate itself takes, without the pipeline: `make bench`.

use criterion::{Criterion, criterion_group, criterion_main};
use recall_gate::comparison::{Measures, compare};
use recall_gate::config::GateConfig;
use recall_gate::golden::{GoldenSet, Query};
use recall_gate::id::{DocumentId, DocumentPattern, QueryId, ResultId};
use recall_gate::judgments::{Grade, Judgments};
use recall_gate::metrics::Metric;
use recall_gate::passage::OVERLAP;
use recall_gate::run::{RankedResult, Run, jsonl, trec};
use recall_gate::verdict::decide;

const GATED: [Metric; 3] = [Metric::Recall(10), Metric::ReciprocalRank(Some(10)), Metric::Ndcg(10)];

/// A number below `bound` that differs from call to call but not from run to run.
fn scattered(seed: usize, bound: usize) -> usize {
    (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % bound
}

fn golden(queries: usize) -> GoldenSet {
    let query = |n: usize| Query {
        id: QueryId::new(format!("q{n:05}")),
        text: format!("question {n}"),
        source: None,
        tags: Vec::new(),
        judgments: (0..3)
            .map(|part| (DocumentId::new(format!("d{}", n * 3 + part)), Grade::new(2).unwrap_or_default()))
            .collect::<Judgments>(),
        unanswerable: false,
    };
    GoldenSet { queries: (0..queries).map(query).collect() }
}

/// Rankings in which the right documents stand at scattered places.
fn run(queries: usize, depth: usize, seed: usize) -> Run {
    let mut run = Run::default();
    for n in 0..queries {
        let mut ids: Vec<String> = (0..depth).map(|place| format!("x{n}-{place}")).collect();
        for part in 0..3 {
            ids[scattered(seed + n * 3 + part, depth)] = format!("d{}", n * 3 + part);
        }
        let result = |(place, id): (usize, String)| RankedResult {
            id: ResultId::new(id),
            score: Some((depth - place) as f64),
            text: None,
        };
        run.insert(QueryId::new(format!("q{n:05}")), ids.into_iter().enumerate().map(result).collect());
    }
    run
}

fn judging(criterion: &mut Criterion) {
    let gate = GateConfig { metrics: GATED.to_vec(), ..GateConfig::default() };
    let documents = DocumentPattern::default();
    let measures = Measures { metrics: &GATED, documents: &documents, min_score: None, overlap: OVERLAP };
    for (queries, depth) in [(100, 20), (1_000, 20)] {
        let (golden, before, after) = (golden(queries), run(queries, depth, 1), run(queries, depth, 2));
        criterion.bench_function(&format!("score {queries} queries to depth {depth}, both sides"), |bencher| {
            bencher.iter(|| compare(&golden, &before, &after, measures));
        });
        let comparison = compare(&golden, &before, &after, measures);
        criterion.bench_function(&format!("decide over {queries} queries, 3 metrics"), |bencher| {
            bencher.iter(|| decide(&comparison, &gate, &[]));
        });
    }
}

fn reading(criterion: &mut Criterion) {
    let run = run(1_000, 100, 1);
    let lines = jsonl::lines(&run).collect::<String>();
    let mut rows = String::new();
    for (query, ranking) in run.iter() {
        for result in ranking.iter().flatten() {
            rows.push_str(&format!("{query} Q0 {} 0 {} t\n", result.id, result.score.unwrap_or_default()));
        }
    }
    criterion.bench_function("read 1,000 × 100 results, JSONL", |bencher| bencher.iter(|| jsonl::parse_run(&lines)));
    criterion.bench_function("read 1,000 × 100 results, TREC", |bencher| bencher.iter(|| trec::parse_run(&rows)));
}

criterion_group!(benches, judging, reading);
criterion_main!(benches);
