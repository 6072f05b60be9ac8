use std::collections::BTreeMap;

use super::*;
use crate::comparison::{Measures, compare};
use crate::golden::{GoldenSet, Query};
use crate::id::{DocumentId, DocumentPattern, ResultId};
use crate::judgments::Grade;
use crate::run::{RankedResult, Run};

/// The analysis of queries with a text each, of which some find nothing; the baseline found all.
fn analysed(queries: &[(String, bool)], texts: &Texts) -> Analysis {
    let id = |n: usize| QueryId::new(format!("q{n:03}"));
    let document = |n: usize| format!("d{n:03}");
    let query = |(n, (text, _)): (usize, &(String, bool))| Query {
        id: id(n),
        text: text.clone(),
        source: None,
        tags: Vec::new(),
        unanswerable: false,
        judgments: [(DocumentId::new(document(n)), Grade::new(2).unwrap())].into_iter().collect(),
    };
    let golden = GoldenSet { queries: queries.iter().enumerate().map(query).collect() };
    let run = |all: bool| {
        let mut run = Run::default();
        for (n, (_, fails)) in queries.iter().enumerate() {
            let found = if *fails && !all { "x".to_owned() } else { document(n) };
            run.insert(id(n), vec![RankedResult { id: ResultId::new(found), score: None, text: None }]);
        }
        run
    };
    let (before, now) = (run(true), run(false));
    let documents = DocumentPattern::default();
    let measures = Measures {
        metrics: &[Metric::Recall(10)],
        documents: &documents,
        min_score: None,
        overlap: crate::passage::OVERLAP,
    };
    analyse(&compare(&golden, &before, &now, measures), 10, &[Metric::Recall(10)], texts)
}

fn many(count: usize, text: &str, fails: usize) -> Vec<(String, bool)> {
    (0..count).map(|n| (text.to_owned(), n < fails)).collect()
}

#[test]
fn queries_with_an_acronym_that_find_nothing_are_found() {
    let queries = [many(9, "what is the RMA form", 7), many(91, "what is the return form", 7)].concat();
    let analysis = analysed(&queries, &Texts::default());
    let finding = &analysis.findings[0];
    assert_eq!(finding.sentence(), "7 of the 9 queries with an acronym find nothing; of the rest 8 %.");
    assert!(finding.is_shown() && finding.queries.len() == 7, "{finding:?}");
    assert_eq!(finding.queries[0].as_str(), "q000");
    let worse = analysis.findings.iter().find(|finding| finding.outcome == Outcome::GotWorse).unwrap();
    assert_eq!(worse.sentence(), "7 of the 9 queries with an acronym got worse; of the rest 8 %.");
}

#[test]
fn what_chance_does_is_not_found() {
    let queries = [many(10, "what is the RMA form", 1), many(90, "what is the return form", 9)].concat();
    assert_eq!(analysed(&queries, &Texts::default()).findings, []);
    assert_eq!(analysed(&many(100, "the same", 50), &Texts::default()).findings, []);
}

#[test]
fn words_that_the_corpus_does_not_have_need_the_corpus() {
    let queries = [many(8, "surcharge for a wardrobe", 8), many(60, "delivery of an order", 2)].concat();
    let find = |texts: &Texts| {
        let analysis = analysed(&queries, texts);
        analysis
            .findings
            .iter()
            .any(|finding| finding.group == "with a word that no document has" && finding.is_shown())
    };
    let documents: BTreeMap<DocumentId, String> =
        (0..68).map(|n| (DocumentId::new(format!("d{n:03}")), "Delivery of orders".to_owned())).collect();
    assert!(find(&Texts::complete(documents)));
    assert!(!find(&Texts::default()), "a word may be in a document that nobody saw");
}

/// Each trait on a query that has it and on one that has not.
#[test]
fn every_trait_can_be_had_and_not_had() {
    let documents: BTreeMap<DocumentId, String> =
        [(DocumentId::new("d"), "| Größe | Preis |\n| --- | --- |\n| das ist | die Lieferung |".to_owned())].into();
    let texts = Texts::complete(documents);
    let groups = |text: &str| -> Vec<String> {
        let query = Query {
            id: QueryId::new("q"),
            text: text.to_owned(),
            source: Some("logs".into()),
            tags: vec!["hard".into(), crate::golden::PINNED.into()],
            judgments: [(DocumentId::new("d"), Grade::new(1).unwrap())].into_iter().collect(),
            unanswerable: false,
        };
        groups_of(&Subject::new(&query, &texts)).into_iter().flatten().flatten().collect()
    };
    let both = ["tagged `hard`", "from `logs`", "whose document is or has a table", "whose document is in German"];
    for text in ["die Lieferung", "anything"] {
        assert!(both.iter().all(|group| groups(text).contains(&(*group).to_owned())), "{:?}", groups(text));
    }
    for (name, has, has_not) in [
        ("in English", "what is the price", "was ist der Preis"),
        ("of at most three words", "the price", "what is the price of it"),
        ("of twelve words or more", "a b c d e f g h i j k l", "a b c d e f g h i j k"),
        ("with an acronym", "the RMA form", "the form"),
        ("with a number or a code", "form X-12", "form X"),
        ("with a negation", "Lieferung ohne Preis", "Lieferung mit Preis"),
        ("with a negation", "it doesn't work", "it works"),
        ("that are questions", "what is it", "delivery"),
        ("that are no questions", "delivery", "delivery?"),
        ("with a word that is probably misspelt", "Liefrung", "Sofa"),
        ("with a word that no document has", "Wohnwand", "Lieferung"),
        ("that share no word with their document", "couch", "Lieferung couch sofa tisch"),
        ("that share less than half of their words with their document", "Lieferung couch sofa tisch", "Lieferung"),
        ("in another language than their document", "what is the price", "was ist der Preis"),
    ] {
        assert!(groups(has).contains(&name.to_owned()), "{name}: {has}: {:?}", groups(has));
        assert!(!groups(has_not).contains(&name.to_owned()), "{name}: {has_not}: {:?}", groups(has_not));
    }
}
