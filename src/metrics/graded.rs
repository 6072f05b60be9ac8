//! A ranking with judgments laid over it: all that a metric needs to know.

use std::collections::BTreeSet;

use crate::id::{DocumentId, Documents};
use crate::judgments::{Grade, Judgments};
use crate::passage::{Passage, Words};
use crate::run::RankedResult;

/// One place of a ranking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The document that the result belongs to.
    pub document: DocumentId,
    /// What is known about it for this query: the best of its document and the passages that it holds.
    pub grade: Option<Grade>,
    /// An earlier place has the same document or passages: this one keeps its place and earns nothing.
    pub repeat: bool,
    /// The judged passages that it holds; `None` for nearly every place, so it takes no room there.
    pub held: Option<Box<Held>>,
}

/// The judged passages of one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// By name.
    pub passages: Vec<DocumentId>,
    /// The grades of further answers that are found here first, beside the best: a large chunk may hold several.
    pub further: Vec<Grade>,
}

impl Place {
    /// The grade that this place earns: 0 for unjudged documents and for repeats.
    #[must_use]
    pub fn earned(&self) -> Grade {
        match self.grade {
            Some(grade) if !self.repeat => grade,
            _ => Grade::default(),
        }
    }

    /// The gain of everything that is found here first.
    #[must_use]
    pub fn gain(&self) -> f64 {
        self.earned().gain() + self.further().iter().map(|grade| grade.gain()).sum::<f64>()
    }

    /// Whether a relevant document or passage stands here for the first time.
    #[must_use]
    pub fn is_relevant(&self) -> bool {
        self.earned().is_relevant()
    }

    /// How many relevant documents and passages stand here for the first time.
    #[must_use]
    pub fn found(&self) -> usize {
        usize::from(self.is_relevant()) + self.further().len()
    }

    fn further(&self) -> &[Grade] {
        self.held.as_ref().map(|held| held.further.as_slice()).unwrap_or_default()
    }

    /// Whether it is of the document, or holds the passage of that name.
    #[must_use]
    pub fn holds(&self, answer: &DocumentId) -> bool {
        &self.document == answer || self.held.as_ref().is_some_and(|held| held.passages.contains(answer))
    }
}

/// The places of one ranking and the grades that an ideal one would earn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradedRanking {
    /// As answered, best first.
    pub places: Vec<Place>,
    /// Every positive grade of the query, best first; its length is the number of relevant documents and passages.
    pub ideal: Vec<Grade>,
}

impl GradedRanking {
    /// Lays `judgments` over `results`; a result holds a passage if its text has the share `overlap` (0..=1) of it.
    #[must_use]
    pub fn new(results: &[RankedResult], judgments: &Judgments, documents: &Documents<'_>, overlap: f64) -> Self {
        let mut seen = BTreeSet::new();
        let mut seen_passages = BTreeSet::new();
        let places = results
            .iter()
            .map(|result| {
                let document = documents.document(&result.id);
                let is_new = seen.insert(document.clone());
                let place = Place { grade: judgments.grade(&document), repeat: !is_new, document, ..Place::default() };
                if judgments.passages().is_empty() {
                    return place;
                }
                let words = Words::of(result.text.as_deref().unwrap_or_default());
                let held = judgments.passages().iter();
                let held: Vec<_> =
                    held.filter(|passage| passage.is_held_by(&place.document, &words, overlap)).collect();
                with_passages(place, &held, &mut seen_passages)
            })
            .collect();
        let mut ideal: Vec<Grade> = judgments.answers().map(|(_, grade)| grade).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        Self { places, ideal }
    }

    /// The first `k` places, or all where there are fewer.
    #[must_use]
    pub fn first(&self, k: usize) -> &[Place] {
        &self.places[..k.min(self.places.len())]
    }

    /// The first place of a document, or of a passage by its name, from 1.
    #[must_use]
    pub fn place(&self, answer: &DocumentId) -> Option<usize> {
        self.places.iter().position(|place| place.holds(answer)).map(|index| index + 1)
    }

    /// Relevant documents and passages in the first `k` places.
    #[must_use]
    pub fn found_in(&self, k: usize) -> usize {
        self.first(k).iter().map(Place::found).sum()
    }
}

/// A place with the passages that its text holds.
fn with_passages<'a>(place: Place, held: &[&'a Passage], seen: &mut BTreeSet<&'a DocumentId>) -> Place {
    if held.is_empty() {
        return place;
    }
    let known = place.grade.into_iter().chain(held.iter().map(|passage| passage.grade)).max();
    let of_document = place.grade.filter(|_| !place.repeat);
    let mut new: Vec<Grade> = held.iter().filter(|passage| seen.insert(&passage.name)).map(|p| p.grade).collect();
    new.extend(of_document);
    new.sort_unstable_by(|a, b| b.cmp(a));
    let passages = held.iter().map(|passage| passage.name.clone()).collect();
    let Some((best, further)) = new.split_first() else {
        let held = Held { passages, further: Vec::new() };
        return Place { grade: known, repeat: true, held: Some(Box::new(held)), ..place };
    };
    let further = further.iter().copied().filter(|grade| grade.is_relevant()).collect();
    Place { grade: Some(*best), repeat: false, held: Some(Box::new(Held { passages, further })), ..place }
}

/// `part / whole` for counts of results; 0 where `whole` is 0.
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{DocumentPattern, ResultId};
    use crate::metrics::Metric;

    fn grade(value: u8) -> Grade {
        Grade::new(value).unwrap()
    }

    fn ranking(texts: &[(&str, &str)], judgments: &Judgments) -> GradedRanking {
        let result = |(id, text): &(&str, &str)| RankedResult {
            id: ResultId::new(*id),
            score: None,
            text: Some((*text).to_owned()),
        };
        let results: Vec<RankedResult> = texts.iter().map(result).collect();
        GradedRanking::new(&results, judgments, &Documents::new(&DocumentPattern::default(), std::iter::empty()), 0.6)
    }

    #[test]
    fn passages_are_found_in_whatever_chunk_holds_them() {
        let mut judgments = Judgments::default();
        for (quote, value) in [("thirty days to return", 2), ("unworn shoes", 1), ("gift cards are final", 0)] {
            assert!(judgments.insert_passage(Passage::new(quote, None, grade(value)).unwrap()));
        }
        let small = ranking(
            &[("1", "Thirty days to return."), ("2", "Unworn shoes"), ("3", "Gift cards are final")],
            &judgments,
        );
        let large = ranking(&[("9", "You have thirty days to return unworn shoes."), ("8", "x")], &judgments);
        let overlapping =
            ranking(&[("1", "thirty days to return"), ("2", "thirty days to return, and more")], &judgments);
        let score = |name: &str, ranking: &GradedRanking| name.parse::<Metric>().unwrap().score(ranking).unwrap();
        for name in ["recall@10", "ndcg@10", "ap@10", "mrr@10", "hit@10"] {
            for ranking in [&small, &large] {
                assert!((score(name, ranking) - 1.0).abs() < 1e-9, "{name}: {ranking:?}");
            }
        }
        assert!((score("recall@10", &overlapping) - 0.5).abs() < 1e-9);
        assert!(
            (score("precision@2", &overlapping) - 0.5).abs() < 1e-9,
            "a second chunk with the same words earns nothing"
        );
        assert!(overlapping.places[1].repeat && overlapping.places[1].grade == Some(grade(2)));
        assert_eq!(small.places[2].grade, Some(grade(0)), "judged, and not relevant");
        assert_eq!(large.places[1].grade, None, "unjudged");
    }

    #[test]
    fn a_document_and_a_passage_of_it_count_apart() {
        let mut judgments: Judgments = [(DocumentId::new("d"), grade(1))].into_iter().collect();
        judgments.insert_passage(Passage::new("the answer", Some(DocumentId::new("d")), grade(2)).unwrap());
        let ranking = ranking(&[("d", "nothing"), ("e", "the answer"), ("d", "the answer")], &judgments);
        let found: Vec<usize> = ranking.places.iter().map(Place::found).collect();
        assert_eq!(found, [1, 0, 1]);
    }
}
