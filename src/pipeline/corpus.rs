//! The documents that the embedded search reads: a folder of Markdown, text and HTML, or a JSONL file of chunks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use walkdir::WalkDir;

use super::text::{self, Page};
use super::{PipelineError, chunk};
use crate::files;

/// What is indexed and returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// `DOCUMENT#N`, N from 1, for a document of a folder; the id of the line for JSONL.
    pub id: String,
    /// The title of its document and its part of the text.
    pub text: String,
}

/// Reads every document below a folder in chunks of at most `chunk_size` characters, or every line of a JSONL file as
/// one chunk, uncut.
///
/// # Errors
/// Where nothing is found, a file cannot be read, or two documents share an id.
pub fn read(documents: &Path, chunk_size: usize) -> Result<Vec<Chunk>, PipelineError> {
    let shown = documents.display();
    if documents.is_dir() {
        let chunks = read_folder(documents, chunk_size)?;
        return not_empty(chunks, || {
            format!(
                "no documents in `{shown}`\nhint: it reads .md, .markdown, .txt, .html and .htm, also in folders below"
            )
        });
    }
    if !documents.exists() {
        return Err(PipelineError::new(format!(
            "`documents: {shown}` does not exist\nhint: name a folder or a JSONL file, relative to the configuration"
        )));
    }
    let text = files::read_text(documents).map_err(|error| PipelineError::new(error.to_string()))?;
    not_empty(read_lines(documents, &text)?, || {
        format!("`{shown}` has no documents\nhint: a line is {{\"id\", \"text\"}}, with an optional \"title\"")
    })
}

fn not_empty(chunks: Vec<Chunk>, message: impl FnOnce() -> String) -> Result<Vec<Chunk>, PipelineError> {
    if chunks.is_empty() { Err(PipelineError::new(message())) } else { Ok(chunks) }
}

fn read_folder(folder: &Path, chunk_size: usize) -> Result<Vec<Chunk>, PipelineError> {
    let mut chunks = Vec::new();
    let mut origins: BTreeMap<String, PathBuf> = BTreeMap::new();
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        let entry =
            entry.map_err(|error| PipelineError::new(format!("cannot read `{}`: {error}", folder.display())))?;
        let path = entry.path();
        let Some(read) = reader(path).filter(|_| entry.file_type().is_file()) else { continue };
        let id = document_id(folder, path);
        if let Some(first) = origins.insert(id.clone(), path.to_owned()) {
            return Err(PipelineError::new(format!(
                "`{}` and `{}` are both document `{id}`\nhint: a document's id is its path without the extension; \
                 rename one",
                first.display(),
                path.display()
            )));
        }
        let text = files::read_text(path).map_err(|error| PipelineError::new(error.to_string()))?;
        let page = read(&text.replace("\r\n", "\n"));
        chunks.extend(chunks_of(&id, &page, chunk_size));
    }
    Ok(chunks)
}

/// Each chunk starts with the title, without which its words may say nothing about their subject.
fn chunks_of(id: &str, page: &Page, chunk_size: usize) -> Vec<Chunk> {
    let title = page.title.as_deref().unwrap_or_default();
    let mut parts = chunk::cut(&page.body, chunk_size);
    if parts.is_empty() && !title.is_empty() {
        parts.push(String::new());
    }
    let chunk = |(index, part): (usize, String)| Chunk {
        id: format!("{id}#{}", index + 1),
        text: format!("{title}\n\n{part}").trim().to_owned(),
    };
    parts.into_iter().enumerate().map(chunk).collect()
}

fn reader(path: &Path) -> Option<fn(&str) -> Page> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "md" | "markdown" => Some(text::markdown),
        "html" | "htm" => Some(text::html),
        "txt" => Some(|text| Page { title: None, body: text.to_owned() }),
        _ => None,
    }
}

/// The path below `folder` without its extension, with `/` on every system so that golden sets can be shared.
fn document_id(folder: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(folder).unwrap_or(path).with_extension("");
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// A line of a JSONL collection; BEIR writes `_id`.
#[derive(Deserialize)]
struct Line {
    #[serde(alias = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

fn read_lines(path: &Path, text: &str) -> Result<Vec<Chunk>, PipelineError> {
    let mut chunks = Vec::new();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = index + 1;
        let fail = |what: String| PipelineError::new(format!("{}:{number}: {what}", path.display()));
        let Line { id, title, text } = serde_json::from_str(line).map_err(|error| {
            fail(format!("{error}\nhint: a line is {{\"id\", \"text\"}}, with an optional \"title\""))
        })?;
        if id.trim().is_empty() {
            return Err(fail("`id` is empty".into()));
        }
        if let Some(first) = lines.insert(id.clone(), number) {
            return Err(fail(format!("`{id}` stands on line {first} already\nhint: ids must be unique")));
        }
        chunks.push(Chunk { id, text: format!("{title}\n{text}").trim().to_owned() });
    }
    Ok(chunks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_chunks_that_name_their_document() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("en")).unwrap();
        std::fs::write(folder.path().join("en/a.md"), "# Title\r\n\r\nOne.\r\n\r\nTwo.\r\n").unwrap();
        std::fs::write(folder.path().join("b.HTM"), "<title>B</title><p>Three").unwrap();
        std::fs::write(folder.path().join("c.txt"), "Four").unwrap();
        std::fs::write(folder.path().join("d.pdf"), [0xff]).unwrap();
        let chunks = read(folder.path(), 6).unwrap();
        let all: Vec<_> = chunks.iter().map(|chunk| (chunk.id.as_str(), chunk.text.as_str())).collect();
        assert_eq!(
            all,
            [("b#1", "B\n\nThree"), ("c#1", "Four"), ("en/a#1", "Title\n\nOne."), ("en/a#2", "Title\n\nTwo."),]
        );
    }

    #[test]
    fn lines_are_chunks_uncut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docs.jsonl");
        std::fs::write(
            &path,
            "{\"_id\":\"a#1\",\"title\":\"T\",\"text\":\"long text\"}\n\n{\"id\":\"b\",\"text\":\"\"}\n",
        )
        .unwrap();
        let chunks = read(&path, 3).unwrap();
        assert_eq!(chunks[0], Chunk { id: "a#1".into(), text: "T\nlong text".into() });
        assert_eq!(chunks[1], Chunk { id: "b".into(), text: String::new() });
    }

    #[test]
    fn faults_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docs.jsonl");
        let message = |path: &Path| read(path, 100).unwrap_err().message;
        assert!(message(&path).contains("does not exist\nhint: "));
        assert!(message(folder.path()).contains("no documents in"));
        for (text, wanted) in [
            ("", "has no documents"),
            (
                "{\"id\":\"a\",\"text\":\"\"}\n{\"id\":\"a\",\"text\":\"\"}",
                "docs.jsonl:2: `a` stands on line 1 already",
            ),
            ("{\"id\":\" \",\"text\":\"\"}", "docs.jsonl:1: `id` is empty"),
            ("{\"id\":\"a\"}", "docs.jsonl:1: missing field `text`"),
        ] {
            std::fs::write(&path, text).unwrap();
            assert!(message(&path).contains(wanted), "{}", message(&path));
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::write(folder.path().join("a.md"), "x").unwrap();
        std::fs::write(folder.path().join("a.txt"), "x").unwrap();
        assert!(message(folder.path()).contains("are both document `a`"));
    }
}
