//! The documents as they were written, for the analysis of the tail.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use walkdir::WalkDir;

use crate::config::{Config, Listing, PipelineConfig};
use crate::id::{DocumentId, DocumentPattern, ResultId};
use crate::tail::Texts;

/// More text than this, in bytes, is not read: a report must not take longer than the measurement.
const MOST: u64 = 64 << 20;

/// Every document that the configuration names as a folder, a pattern of files or a JSONL file with texts; none where it
/// names none, or where one cannot be read: what is analysed must be the whole corpus.
#[must_use]
pub fn originals(config: &Config) -> Texts {
    let read = match (&config.documents, &config.pipeline) {
        (Some(Listing::Lines(path)), _) => lines(path, &config.document_id),
        (Some(Listing::Glob(pattern)), _) => files(pattern, &config.document_id),
        (None, PipelineConfig::Bm25(bm25)) if bm25.documents.is_dir() => folder(&bm25.documents, &config.document_id),
        (None, PipelineConfig::Bm25(bm25)) => lines(&bm25.documents, &config.document_id),
        _ => None,
    };
    read.map(Texts::complete).unwrap_or_default()
}

/// Adds a text to its document, of which it may be one part of many.
fn add(texts: &mut BTreeMap<DocumentId, String>, document: DocumentId, text: &str) {
    let known = texts.entry(document).or_default();
    if !known.is_empty() {
        known.push('\n');
    }
    known.push_str(text);
}

fn lines(path: &Path, pattern: &DocumentPattern) -> Option<BTreeMap<DocumentId, String>> {
    let mut texts = BTreeMap::new();
    for line in read(path, &mut 0)?.lines().filter(|line| !line.trim().is_empty()) {
        let value: Value = serde_json::from_str(line).ok()?;
        let field = |name: &str| value.get(name).and_then(Value::as_str);
        let id = field("id").or_else(|| field("_id"))?;
        let text = format!("{}\n{}", field("title").unwrap_or_default(), field("text")?);
        add(&mut texts, pattern.document(&ResultId::new(id)), &text);
    }
    Some(texts)
}

fn folder(root: &Path, pattern: &DocumentPattern) -> Option<BTreeMap<DocumentId, String>> {
    let (mut texts, mut size) = (BTreeMap::new(), 0);
    for entry in WalkDir::new(root).follow_links(true).sort_by_file_name() {
        let entry = entry.ok()?;
        let extension = entry.path().extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if entry.file_type().is_file() && ["md", "markdown", "html", "htm", "txt"].contains(&extension) {
            add(&mut texts, document(root, entry.path(), pattern), &read(entry.path(), &mut size)?);
        }
    }
    Some(texts)
}

fn files(glob: &str, pattern: &DocumentPattern) -> Option<BTreeMap<DocumentId, String>> {
    let fixed = Path::new(glob).components();
    let root: std::path::PathBuf =
        fixed.take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '['])).collect();
    let (mut texts, mut size) = (BTreeMap::new(), 0);
    for path in glob::glob(glob).ok()? {
        let path = path.ok()?;
        if path.is_file() {
            add(&mut texts, document(&root, &path, pattern), &read(&path, &mut size)?);
        }
    }
    Some(texts)
}

/// The id of a file: its path below `root` without the extension.
fn document(root: &Path, path: &Path, pattern: &DocumentPattern) -> DocumentId {
    let relative = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    pattern.document(&ResultId::new(parts.join("/")))
}

/// The text of a file, `None` where it is no text or where all of them together are too much.
fn read(path: &Path, size: &mut u64) -> Option<String> {
    *size += path.metadata().ok()?.len();
    if *size > MOST { None } else { std::fs::read_to_string(path).ok() }
}
