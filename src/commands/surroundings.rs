//! What a report knows beside the comparison, looked up.

use std::collections::BTreeSet;

use crate::baseline::history::Entry;
use crate::config::{Config, PipelineConfig};
use crate::environment;
use crate::files;
use crate::golden::{GoldenSet, lines};
use crate::id::DocumentId;
use crate::pipeline::floor::floor;
use crate::pipeline::originals::originals;
use crate::report::view::{GoldenFile, Surroundings};

/// Finds the golden set on the forge and its queries in the file; `corpus` and `history` are passed on.
pub(super) fn surroundings(
    config: &Config,
    golden: &GoldenSet,
    corpus: Option<BTreeSet<DocumentId>>,
    history: Vec<Entry>,
) -> anyhow::Result<Surroundings> {
    let path = environment::path_in_repository(&config.golden);
    let golden_file = GoldenFile {
        url: environment::url_of(&path),
        path,
        lines: lines::lines(&files::read_text(&config.golden)?, &config.golden),
    };
    let texts = originals(config);
    // The embedded search would only be compared with itself.
    let is_embedded = matches!(config.pipeline, PipelineConfig::Bm25(_));
    let floor = if is_embedded { None } else { floor(&texts, golden, config.depth) };
    Ok(Surroundings { golden_file, corpus, history, texts, floor })
}
