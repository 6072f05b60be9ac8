//! `bm25`: the embedded search. It needs no set-up, serves the example, and is a floor for any other pipeline.

use std::path::Path;

use bm25::{Document, Language, SearchEngine, SearchEngineBuilder};
use rayon::prelude::*;

use super::corpus::{self, Chunk};
use super::{Answers, Pipeline, PipelineError, Progress, Question, relative};
use crate::config::Bm25Config;
use crate::id::ResultId;
use crate::run::{RankedResult, Ranking, Run};

/// The languages with a stemmer, as a configuration names them.
pub const LANGUAGES: [(&str, Language); 17] = [
    ("arabic", Language::Arabic),
    ("danish", Language::Danish),
    ("dutch", Language::Dutch),
    ("english", Language::English),
    ("french", Language::French),
    ("german", Language::German),
    ("greek", Language::Greek),
    ("hungarian", Language::Hungarian),
    ("italian", Language::Italian),
    ("norwegian", Language::Norwegian),
    ("portuguese", Language::Portuguese),
    ("romanian", Language::Romanian),
    ("russian", Language::Russian),
    ("spanish", Language::Spanish),
    ("swedish", Language::Swedish),
    ("tamil", Language::Tamil),
    ("turkish", Language::Turkish),
];

/// Documents in memory, ranked with BM25 (Robertson and Zaragoza 2009) as the `bm25` crate computes it.
pub struct Bm25Pipeline {
    description: String,
    chunks: Vec<Chunk>,
    /// Finds chunks by their index in `chunks`.
    engine: SearchEngine<usize>,
}

impl Bm25Pipeline {
    /// Reads and indexes the documents; `folder` is that of the configuration.
    ///
    /// # Errors
    /// As [`corpus::read`], and where the language has no stemmer.
    pub fn open(config: &Bm25Config, folder: &Path) -> Result<Self, PipelineError> {
        let Some((_, language)) = LANGUAGES.iter().find(|(name, _)| *name == config.language) else {
            let names = LANGUAGES.map(|(name, _)| name).join(", ");
            return Err(PipelineError::new(format!(
                "no stemmer for `language: {}`; there is {names}",
                config.language
            )));
        };
        let chunks = corpus::read(&config.documents, config.chunk_size)?;
        let description =
            format!("bm25: {} ({}, {} chunks)", relative(&config.documents, folder), config.language, chunks.len());
        Ok(Self { description, ..Self::of_chunks(chunks, language, config.k1, config.b) })
    }

    /// Indexes what is in memory.
    #[allow(clippy::cast_possible_truncation, reason = "the crate computes with 32 bits")]
    pub(super) fn of_chunks(chunks: Vec<Chunk>, language: &Language, k1: f64, b: f64) -> Self {
        let documents = chunks.iter().enumerate().map(|(index, chunk)| Document::new(index, chunk.text.clone()));
        let engine =
            SearchEngineBuilder::<usize>::with_documents(language.clone(), documents).k1(k1 as f32).b(b as f32).build();
        Self { description: "bm25".to_owned(), chunks, engine }
    }

    /// At most `depth` chunks with a score above 0, best first, ties by id ascending.
    fn search(&self, text: &str, depth: usize) -> Ranking {
        // The crate leaves ties in the random order of a hash set, so it may not cut either.
        let mut found = self.engine.search(text, None);
        found.retain(|result| result.score > 0.0);
        found.sort_by(|a, b| {
            let id = |index: usize| &self.chunks[index].id;
            b.score.total_cmp(&a.score).then_with(|| id(a.document.id).cmp(id(b.document.id)))
        });
        found.truncate(depth);
        let result = |index: usize, score: f32| RankedResult {
            id: ResultId::new(self.chunks[index].id.as_str()),
            score: Some(rounded(score)),
            text: Some(self.chunks[index].text.clone()),
        };
        found.into_iter().map(|found| result(found.document.id, found.score)).collect()
    }
}

/// Four decimals: what is beyond them in a 32-bit sum is noise that would make the diff of a baseline longer.
fn rounded(score: f32) -> f64 {
    (f64::from(score) * 10_000.0).round() / 10_000.0
}

impl Pipeline for Bm25Pipeline {
    fn description(&self) -> String {
        self.description.clone()
    }

    fn corpus(&self) -> Option<Vec<ResultId>> {
        Some(self.chunks.iter().map(|chunk| ResultId::new(chunk.id.as_str())).collect())
    }

    fn ask(&self, questions: &[Question], depth: usize, progress: &dyn Progress) -> Result<Answers, PipelineError> {
        let rankings: Vec<Ranking> = questions
            .par_iter()
            .map(|question| {
                let ranking = self.search(&question.text, depth);
                progress.answered();
                ranking
            })
            .collect();
        let mut run = Run::default();
        for (question, ranking) in questions.iter().zip(rankings) {
            run.insert(question.id.clone(), ranking);
        }
        Ok(Answers { run, warnings: Vec::new() })
    }
}
