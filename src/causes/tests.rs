use super::*;
use crate::comparison::{Measures, compare};
use crate::golden::{GoldenSet, Query};
use crate::id::{DocumentPattern, QueryId, ResultId};
use crate::run::{RankedResult, Run};

/// The diagnosis of one query with the grades `judged`, whose two rankings are written as words.
fn diagnosed(judged: &[(&str, u8)], before: &str, now: &str, corpus: Option<&str>) -> Option<Diagnosis> {
    let id = QueryId::new("q");
    let judged = judged.iter().map(|(id, grade)| (DocumentId::new(*id), Grade::new(*grade).unwrap()));
    let judgments: crate::judgments::Judgments = judged.collect();
    let query = Query {
        id: id.clone(),
        text: "text".into(),
        source: None,
        tags: Vec::new(),
        unanswerable: !judgments.is_answerable(),
        judgments,
    };
    let golden = GoldenSet { queries: vec![query] };
    let run = |words: &str| {
        let result = |id: &str| RankedResult { id: ResultId::new(id), score: None, text: None };
        let mut run = Run::default();
        run.insert(id.clone(), words.split(' ').filter(|word| !word.is_empty()).map(result).collect());
        run
    };
    let metrics = [Metric::Recall(3), Metric::ReciprocalRank(Some(3)), Metric::Abstention];
    let documents = DocumentPattern::default();
    let (before, now) = (run(before), run(now));
    let comparison = compare(
        &golden,
        &before,
        &now,
        Measures { metrics: &metrics, documents: &documents, min_score: None, overlap: crate::passage::OVERLAP },
    );
    let corpus = corpus.map(|words| words.split(' ').map(DocumentId::new).collect());
    diagnose(&comparison.queries[0], &metrics, corpus.as_ref())
}

fn kind(before: &str, now: &str) -> Option<Kind> {
    diagnosed(&[("a", 2), ("z", 0)], before, now, None).map(|diagnosis| diagnosis.cause.kind())
}

#[test]
fn every_loss_has_one_cause() {
    assert_eq!(kind("a b c d", "a b c d"), None);
    assert_eq!(kind("b a c d", "a b c d"), None, "a gain has no cause");
    assert_eq!(kind("b c d a", "b c d e"), None, "below the reach of every metric nothing is lost");
    assert_eq!(kind("a b c d", "e b c d"), Some(Kind::Lost));
    assert_eq!(kind("b c a d", "b c"), Some(Kind::FewerResults));
    assert_eq!(kind("a b c d", ""), Some(Kind::FewerResults));
    assert_eq!(kind("b a c d", "b c e"), Some(Kind::Lost), "there are fewer results, but its place still exists");
    assert_eq!(kind("a b c d", "e a b c"), Some(Kind::Displaced));
    assert_eq!(kind("a b c d", "z a b c"), Some(Kind::PushedDown), "z is judged irrelevant");
    assert_eq!(kind("a b c d", "b c d a"), Some(Kind::Displaced), "out of reach, but still retrieved");
}

#[test]
fn a_document_that_the_corpus_does_not_have_is_no_loss_of_quality() {
    let cause = |corpus| diagnosed(&[("a", 2)], "a b", "c b", Some(corpus)).unwrap().cause.kind();
    assert_eq!(cause("b c"), Kind::UnknownId);
    assert_eq!(cause("a b c"), Kind::Lost);
}

#[test]
fn the_best_document_names_the_cause() {
    let diagnosis = diagnosed(&[("a", 1), ("b", 2)], "a b c", "c d e", None).unwrap();
    assert_eq!(diagnosis.cause.moved().unwrap().document.as_str(), "b");
}

#[test]
fn an_unanswerable_query_got_results() {
    let diagnosis = diagnosed(&[("z", 0)], "", "a b", None).unwrap();
    assert_eq!(diagnosis.cause, Cause::Answered { now: 2 });
    assert_eq!(diagnosis.unjudged, None);
}

/// By hand, recall@3: one relevant document of one lost, with two newcomers: (0 + m)/(1 + m) − 1/(1 + m), best at m = 2.
#[test]
fn labels_bound_the_delta() {
    let unjudged = diagnosed(&[("a", 2)], "a b c", "b d e", None).unwrap().unjudged.unwrap();
    assert_eq!(unjudged.documents, ["d", "e"].map(DocumentId::new));
    assert!((unjudged.best - 1.0 / 3.0).abs() < 1e-12, "{unjudged:?}");
    // Worst: `c`, which left, was relevant as well: 0/2 − 2/2.
    assert!((unjudged.worst + 1.0).abs() < 1e-12, "{unjudged:?}");

    // Found 1 of 2 instead of 2 of 2: measured −1/2; one newcomer relevant, 2/3 − 2/3; `c` relevant, 1/3 − 3/3.
    let unjudged = diagnosed(&[("a", 2), ("b", 1)], "a b c", "a x y", None).unwrap().unjudged.unwrap();
    assert!((unjudged.best - (3.0 / 4.0 - 2.0 / 4.0)).abs() < 1e-12, "{unjudged:?}");
    assert!((unjudged.worst - (1.0 / 3.0 - 1.0)).abs() < 1e-12, "{unjudged:?}");

    let judged = diagnosed(&[("a", 2), ("z", 0)], "a b c", "b z c", None).unwrap();
    assert_eq!(judged.unjudged, None, "all that came in is judged");
}
