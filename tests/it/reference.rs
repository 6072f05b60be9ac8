//! Scores and verdicts on public collections and real runs, against the values of independent tools.

use std::path::Path;

use recall_gate::comparison::{Comparison, Measures, compare};
use recall_gate::config::{Bm25Config, GateConfig};
use recall_gate::golden::GoldenSet;
use recall_gate::id::{DocumentPattern, QueryId};
use recall_gate::metrics::Metric;
use recall_gate::passage::OVERLAP;
use recall_gate::pipeline::bm25::Bm25Pipeline;
use recall_gate::pipeline::stored::StoredPipeline;
use recall_gate::pipeline::{Pipeline, Question, Unwatched};
use recall_gate::run::Run;
use recall_gate::verdict::{MetricStatus, Status, decide};

use crate::common::collection::{golden, rows, texts};
use crate::common::shared;

/// How far a score may be from its reference value, which is written with ten decimals.
const TOLERANCE: f64 = 1e-9;

/// Columns of the reference values and the metrics they are.
const COLUMNS: [(&str, Metric); 7] = [
    ("recall@5", Metric::Recall(5)),
    ("recall@10", Metric::Recall(10)),
    ("recall@20", Metric::Recall(20)),
    ("rr@10", Metric::ReciprocalRank(Some(10))),
    ("rr", Metric::ReciprocalRank(None)),
    ("ndcg@10_exp", Metric::Ndcg(10)),
    ("judged@10", Metric::Judged(10)),
];

fn metric(column: &str) -> Metric {
    COLUMNS.iter().find(|(name, _)| *name == column).unwrap().1
}

/// Reads a TREC run as `run: …, missing: empty` does.
fn stored(path: &Path, golden: &GoldenSet) -> Run {
    let questions: Vec<Question> =
        golden.queries.iter().map(|query| Question { id: query.id.clone(), text: query.text.clone() }).collect();
    StoredPipeline::new(vec![path.to_owned()], true, Path::new("")).ask(&questions, 1000, &Unwatched).unwrap().run
}

fn compared<'a>(golden: &'a GoldenSet, before: &'a Run, after: &'a Run, metrics: &'a [Metric]) -> Comparison<'a> {
    let documents = Box::leak(Box::new(DocumentPattern::default()));
    compare(golden, before, after, Measures { metrics, documents, min_score: None, overlap: OVERLAP })
}

/// Checks the columns of one file of per-query values; returns how many values were compared.
fn check_scores(set: &str, file: &str, columns: &[&str], keep: impl Fn(u8) -> u8) -> Option<usize> {
    let expected = rows(&shared(&format!("data/expected/{file}.per_query.tsv"))?);
    let golden = golden(&shared(&format!("data/{set}/qrels.tsv"))?, keep);
    let metrics: Vec<Metric> = columns.iter().map(|column| metric(column)).collect();
    let mut runs: Vec<&str> = expected.iter().map(|row| row["run"].as_str()).collect();
    runs.dedup();
    let mut checked = 0;
    for name in runs {
        let run = stored(&shared(&format!("data/{set}/runs/{name}.run"))?, &golden);
        let comparison = compared(&golden, &run, &run, &metrics);
        for row in expected.iter().filter(|row| row["run"] == name) {
            let id = QueryId::new(row["query"].as_str());
            let query = comparison.queries.iter().find(|query| query.query.id == id).unwrap();
            let side = query.current.as_ref().unwrap();
            for (column, metric) in columns.iter().zip(&metrics) {
                let wanted = row[*column].parse::<f64>().ok();
                // A query without a relevant document has no score of this kind, where the reference writes NA.
                let wanted = wanted.filter(|_| row["n_relevant"] != "0");
                let got = side.scores.get(metric).copied();
                let agree = match (got, wanted) {
                    (Some(got), Some(wanted)) => (got - wanted).abs() <= TOLERANCE,
                    (None, None) => true,
                    _ => false,
                };
                assert!(agree, "{file} {name} query {id} {column}: {got:?}, the reference has {wanted:?}");
                checked += 1;
            }
        }
    }
    Some(checked)
}

#[test]
fn every_score_agrees_with_the_reference() {
    let all: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    let mut checked = 0;
    for set in ["cranfield", "rag-chunks", "xquad-es", "robust03"] {
        let Some(values) = check_scores(set, set, &all, |grade| grade) else { return };
        checked += values;
    }
    let binary = ["recall@5", "recall@10", "recall@20", "rr@10", "rr"];
    let Some(values) = check_scores("cranfield", "cranfield.rel3", &binary, |grade| if grade >= 3 { grade } else { 0 })
    else {
        return;
    };
    assert!(checked + values > 60_000, "only {} values were compared", checked + values);
}

#[test]
fn special_cases_get_the_recommended_value() {
    let Some(qrels) = shared("data/edge/qrels.tsv") else { return };
    let golden = golden(&qrels, |grade| grade);
    let metrics = [Metric::Recall(5), Metric::ReciprocalRank(None), Metric::Ndcg(10)];
    let scores = |file: &str, query: &str| -> Option<Vec<f64>> {
        let run = stored(&shared(&format!("data/edge/{file}.run")).unwrap(), &golden);
        let comparison = compared(&golden, &run, &run, &metrics);
        let query = comparison.queries.iter().find(|compared| compared.query.id.as_str() == query).unwrap();
        let side = query.current.as_ref().unwrap();
        metrics.iter().map(|metric| side.scores.get(metric).copied()).collect()
    };
    let close = |got: Option<Vec<f64>>, wanted: [f64; 3]| {
        let got = got.unwrap();
        assert!(got.iter().zip(wanted).all(|(got, wanted)| (got - wanted).abs() < 5e-5), "{got:?} {wanted:?}");
    };
    close(scores("base", "q1"), [1.0, 1.0, 0.8354]);
    close(scores("base", "q2"), [0.0, 0.0, 0.0]);
    assert_eq!(scores("base", "q3"), None, "no relevant document: undefined, not 0");
    close(scores("base", "q4"), [1.0, 0.5, 0.6309]);
    close(scores("base", "q5"), [1.0, 0.5, 0.7328]);
    assert_eq!(scores("base", "q7"), None, "only a negative grade");
    close(scores("rankscore", "q1"), [1.0, 1.0, 0.7364]);
    // A repeated document keeps its places and earns nothing: b stands at 4, where the tools that drop repeats see it
    // at 2 (0.9468) and those that count them exceed 1.
    close(scores("dup", "q1"), [2.0 / 3.0, 1.0, (7.0 + 3.0 / 5_f64.log2()) / (7.0 + 3.0 / 3_f64.log2() + 0.5)]);
}

#[test]
fn pairs_of_real_runs_get_the_verdict_of_their_p_values() {
    let mut decided = 0;
    let mut borderline = 0;
    for set in ["cranfield", "rag-chunks", "xquad-es", "robust03"] {
        let Some(pairs) = shared(&format!("data/expected/{set}.pairs.tsv")) else { return };
        let golden = golden(&shared(&format!("data/{set}/qrels.tsv")).unwrap(), |grade| grade);
        for pair in rows(&pairs) {
            let run = |name: &str| stored(&shared(&format!("data/{set}/runs/{name}.run")).unwrap(), &golden);
            let (first, second) = (run(&pair["run_a"]), run(&pair["run_b"]));
            let p: f64 = pair["paired_t_p"].parse().unwrap_or(1.0);
            let gain: f64 = pair["mean_b_minus_a"].parse().unwrap();
            // Where the t test and a bootstrap may differ, or where the drop is that of `min_drop`.
            if (0.05..0.2).contains(&p) || (gain.abs() - 0.02).abs() < 1e-9 {
                borderline += 1;
                continue;
            }
            let metrics = [metric(&pair["metric"])];
            let gate = GateConfig { metrics: metrics.to_vec(), ..GateConfig::default() };
            for (before, after, delta) in [(&first, &second, gain), (&second, &first, -gain)] {
                let verdict = decide(&compared(&golden, before, after, &metrics), &gate, &[]);
                let significant = p / 2.0 < gate.alpha;
                let wanted = match delta {
                    _ if !significant => MetricStatus::Pass,
                    drop if drop <= -gate.min_drop => MetricStatus::Regression,
                    drop if drop < 0.0 => MetricStatus::Warning,
                    gain if gain >= gate.min_drop => MetricStatus::Improved,
                    _ => verdict.metrics[0].status,
                };
                let about =
                    format!("{set} {} {} {}: p {p}, delta {delta}", pair["run_a"], pair["run_b"], pair["metric"]);
                assert_eq!(verdict.metrics[0].status, wanted, "{about}");
                let fails = wanted == MetricStatus::Regression;
                assert_eq!(verdict.status, if fails { Status::Regression } else { Status::Pass }, "{about}");
                assert!((verdict.metrics[0].delta - delta).abs() < TOLERANCE, "{about}: {}", verdict.metrics[0].delta);
                decided += 1;
            }
        }
    }
    println!("{decided} verdicts, {borderline} borderline pairs left out");
    assert!(borderline * 5 < decided, "{borderline} borderline pairs beside {decided} verdicts");
}

/// Mean recall@10 and nDCG@10 of the embedded search on a collection.
fn embedded(set: &str, language: &str) -> Option<(f64, f64)> {
    let documents = shared(&format!("data/{set}/docs.jsonl"))?;
    let golden = golden(&shared(&format!("data/{set}/qrels.tsv"))?, |grade| grade);
    let texts = texts(&shared(&format!("data/{set}/queries.jsonl"))?);
    let questions: Vec<Question> = golden
        .queries
        .iter()
        .map(|query| Question { id: query.id.clone(), text: texts[query.id.as_str()].clone() })
        .collect();
    let config = Bm25Config { documents, language: language.to_owned(), chunk_size: 1000, k1: 1.2, b: 0.75 };
    let pipeline = Bm25Pipeline::open(&config, Path::new("")).unwrap();
    let run = pipeline.ask(&questions, 10, &Unwatched).unwrap().run;
    let metrics = [Metric::Recall(10), Metric::Ndcg(10)];
    let comparison = compared(&golden, &run, &run, &metrics);
    let mean = |metric: Metric| {
        let scores = || comparison.queries.iter().filter_map(|query| query.current.as_ref()?.scores.get(&metric));
        scores().sum::<f64>() / scores().count() as f64
    };
    Some((mean(metrics[0]), mean(metrics[1])))
}

#[test]
fn the_embedded_search_finds_what_lucene_with_a_stemmer_finds() {
    let Some((recall, ndcg)) = embedded("cranfield", "english") else { return };
    println!("cranfield: recall@10 {recall:.4}, nDCG@10 {ndcg:.4}");
    assert!((recall - 0.3988).abs() < 0.02 && (ndcg - 0.3575).abs() < 0.02, "{recall} {ndcg}");

    let (recall, ndcg) = embedded("xquad-es", "spanish").unwrap();
    let (_, foreign) = embedded("xquad-es", "english").unwrap();
    println!("xquad-es: recall@10 {recall:.4}, nDCG@10 {ndcg:.4}; with the English stemmer nDCG@10 {foreign:.4}");
    assert!((recall - 0.993).abs() < 0.02 && (ndcg - 0.970).abs() < 0.02, "{recall} {ndcg}");
    assert!(ndcg > foreign, "{ndcg} {foreign}");
}
