//! What the embedded search makes of the same corpus: a pipeline that loses to it has a problem.

use super::bm25::{Bm25Pipeline, LANGUAGES};
use super::corpus::Chunk;
use super::{Pipeline as _, Question, Unwatched, chunk};
use crate::golden::GoldenSet;
use crate::run::Run;
use crate::tail::Texts;
use crate::tail::language::most_common;

/// Characters of a chunk, as in the embedded search.
const CHUNK: usize = 1200;
/// More text than this, in bytes, is not indexed beside a measurement.
const MOST: usize = 4 << 20;
/// The usual settings (Robertson and Zaragoza 2009).
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Answers every query by BM25, a document once; `None` where the corpus is not known or too large.
#[must_use]
pub fn floor(texts: &Texts, golden: &GoldenSet, depth: usize) -> Option<Run> {
    let documents = texts.all()?;
    if documents.values().map(String::len).sum::<usize>() > MOST {
        return None;
    }
    let chunks = documents.iter().flat_map(|(document, text)| {
        chunk::cut(text, CHUNK).into_iter().map(|text| Chunk { id: document.to_string(), text })
    });
    let name = most_common(golden.queries.iter().map(|query| query.text.as_str()));
    let (_, stemmer) = LANGUAGES.iter().find(|(known, _)| *known == name)?;
    let search = Bm25Pipeline::of_chunks(chunks.collect(), stemmer, K1, B);
    let questions: Vec<Question> =
        golden.queries.iter().map(|query| Question { id: query.id.clone(), text: query.text.clone() }).collect();
    // Several chunks of one document are one result: its best place.
    let answers = search.ask(&questions, 4 * depth, &Unwatched).ok()?;
    let mut run = Run::default();
    for (query, rankings) in answers.run.iter() {
        let mut ranking = rankings.first()?.clone();
        let mut seen = std::collections::BTreeSet::new();
        ranking.retain(|result| seen.insert(result.id.clone()));
        run.insert(query.clone(), ranking);
    }
    run.cut(depth);
    Some(run)
}
