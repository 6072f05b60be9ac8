use super::*;
use crate::comparison::{Measures, compare};
use crate::golden::{GoldenSet, Query};
use crate::id::{DocumentId, DocumentPattern, QueryId, ResultId};
use crate::judgments::{Grade, Judgments};
use crate::passage::OVERLAP;
use crate::run::{RankedResult, Run};

fn gate(min_drop: f64) -> GateConfig {
    GateConfig {
        metrics: vec![Metric::Recall(10), Metric::ReciprocalRank(Some(10)), Metric::Ndcg(10)],
        min_drop,
        seed: 7,
        ..GateConfig::default()
    }
}

/// A set of queries that find their one document at place 1, 2 or 3.
fn calibration(queries: usize, min_drop: f64, settings: Settings) -> Calibration {
    let id = |n: usize| QueryId::new(format!("q{n:04}"));
    let query = |n: usize| Query {
        id: id(n),
        text: "t".into(),
        source: None,
        tags: Vec::new(),
        judgments: [(DocumentId::new("d"), Grade::new(2).unwrap())].into_iter().collect::<Judgments>(),
        unanswerable: false,
    };
    let golden = GoldenSet { queries: (0..queries).map(query).collect() };
    let mut run = Run::default();
    for n in 0..queries {
        let ranking = (0..5).map(|place| if place == n % 3 { "d".to_owned() } else { format!("x{place}") });
        let result = |id| RankedResult { id: ResultId::new(id), score: None, text: None };
        run.insert(id(n), ranking.map(result).collect());
    }
    let metrics = gate(min_drop).metrics;
    let documents = DocumentPattern::default();
    let measures = Measures { metrics: &metrics, documents: &documents, min_score: None, overlap: OVERLAP };
    let comparison = compare(&golden, &run, &run, measures);
    calibrate(&comparison, &gate(min_drop), settings, &|| ()).unwrap()
}

fn settings(drop: f64) -> Settings {
    Settings { trials: 150, noise: 0.04, drop }
}

#[test]
fn nothing_changed_seldom_fails_and_ten_points_nearly_always_do() {
    let calibration = calibration(100, 0.02, settings(0.05));
    for row in &calibration.rows {
        let fails: Vec<f64> = row.cells.iter().map(|cell| cell.fails.unwrap()).collect();
        assert!(fails[0] <= 0.05 + 3.0 * standard_error(0.05, 150), "{row:?}");
        assert!(fails[5] > 0.85, "{row:?}");
        assert!(fails.windows(2).all(|pair| pair[1] >= pair[0] - 0.08), "{row:?}");
    }
}

#[test]
fn the_number_of_queries_asked_for_catches_the_drop() {
    let wanted = calibration(100, 0.0, settings(0.05)).queries_needed.unwrap();
    let power = calibration(wanted, 0.0, settings(0.05)).rows[0].cells[4].fails.unwrap();
    assert!((0.68..=0.92).contains(&power), "{wanted} queries catch 5 points with {power}");
}

#[test]
fn what_min_drop_lets_pass_no_number_of_queries_catches() {
    assert_eq!(calibration(50, 0.05, settings(0.05)).queries_needed, None);
    assert!(calibration(50, 0.05, settings(0.08)).queries_needed.is_some());
}

#[test]
fn without_noise_nothing_ever_fails() {
    let quiet = calibration(30, 0.0, Settings { trials: 50, noise: 0.0, drop: 0.05 });
    assert!(quiet.rows.iter().all(|row| row.cells[0].fails.unwrap().abs() < 1e-12), "{quiet:?}");
}

#[test]
fn the_same_whatever_the_threads() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let alone = one.install(|| calibration(40, 0.02, settings(0.05)));
    assert_eq!(alone, calibration(40, 0.02, settings(0.05)));
}
