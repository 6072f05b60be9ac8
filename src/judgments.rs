//! Grades and the judgments of one query.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeMap;

use crate::id::DocumentId;
use crate::passage::Passage;

/// How well a document answers a query: 0 irrelevant, 1 useful, 2 direct answer; up to 10 is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grade(u8);

impl Grade {
    /// The largest grade accepted.
    pub const MAX: u8 = 10;

    /// A grade in `0..=10`, or `None` outside it.
    #[must_use]
    pub fn new(value: u8) -> Option<Self> {
        (value <= Self::MAX).then_some(Self(value))
    }

    /// The grade as a number in `0..=10`.
    #[must_use]
    pub fn value(self) -> u8 {
        self.0
    }

    /// Whether the document counts as an answer at all.
    #[must_use]
    pub fn is_relevant(self) -> bool {
        self.0 > 0
    }

    /// The gain of nDCG, 2^grade − 1 (Burges et al. 2005).
    #[must_use]
    pub fn gain(self) -> f64 {
        f64::from((1_u32 << self.0) - 1)
    }
}

/// The judged documents and passages of one query; a document that is not in it is *unjudged*, which is not the same as
/// grade 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgments {
    documents: BTreeMap<DocumentId, Grade>,
    /// By name.
    passages: Vec<Passage>,
}

impl Judgments {
    /// Adds a judgment; `false` where the document already has one, which then stays.
    pub fn insert(&mut self, document: DocumentId, grade: Grade) -> bool {
        if self.documents.contains_key(&document) {
            return false;
        }
        self.documents.insert(document, grade);
        true
    }

    /// Adds a judged passage; `false` where the same one is there, which then stays.
    pub fn insert_passage(&mut self, passage: Passage) -> bool {
        match self.passages.binary_search_by(|known| known.name.cmp(&passage.name)) {
            Ok(_) => false,
            Err(place) => {
                self.passages.insert(place, passage);
                true
            }
        }
    }

    /// The judged passages, by name.
    #[must_use]
    pub fn passages(&self) -> &[Passage] {
        &self.passages
    }

    /// Everything that answers the query, documents by id and then passages by name.
    pub fn answers(&self) -> impl Iterator<Item = (&DocumentId, Grade)> {
        let passages = self.passages.iter().map(|passage| (&passage.name, passage.grade));
        self.relevant().chain(passages.filter(|(_, grade)| grade.is_relevant()))
    }

    /// The grade of a document, `None` where nobody judged it.
    #[must_use]
    pub fn grade(&self, document: &DocumentId) -> Option<Grade> {
        self.documents.get(document).copied()
    }

    /// All judged documents, by id.
    pub fn iter(&self) -> impl Iterator<Item = (&DocumentId, Grade)> {
        self.documents.iter().map(|(document, grade)| (document, *grade))
    }

    /// The documents with a grade above 0, by document id.
    pub fn relevant(&self) -> impl Iterator<Item = (&DocumentId, Grade)> {
        self.iter().filter(|(_, grade)| grade.is_relevant())
    }

    /// Whether at least one document or passage answers the query.
    #[must_use]
    pub fn is_answerable(&self) -> bool {
        self.answers().next().is_some()
    }
}

impl FromIterator<(DocumentId, Grade)> for Judgments {
    fn from_iter<I: IntoIterator<Item = (DocumentId, Grade)>>(pairs: I) -> Self {
        let mut judgments = Self::default();
        for (document, grade) in pairs {
            judgments.insert(document, grade);
        }
        judgments
    }
}
