//! What a report knows beside the comparison, looked up.

use std::collections::BTreeSet;

use crate::baseline::history::Entry;
use crate::config::Config;
use crate::environment;
use crate::files;
use crate::golden::lines;
use crate::id::DocumentId;
use crate::report::view::{GoldenFile, Surroundings};

/// Finds the golden set on the forge and its queries in the file; `corpus` and `history` are passed on.
pub(super) fn surroundings(
    config: &Config,
    corpus: Option<BTreeSet<DocumentId>>,
    history: Vec<Entry>,
) -> anyhow::Result<Surroundings> {
    let path = environment::path_in_repository(&config.golden);
    let golden_file = GoldenFile {
        url: environment::url_of(&path),
        path,
        lines: lines::lines(&files::read_text(&config.golden)?, &config.golden),
    };
    Ok(Surroundings { golden_file, corpus, history })
}
