//! What the documentation shows is what the program takes.

use std::path::{Path, PathBuf};

use recall_gate::config::load_text;
use recall_gate::golden::read;

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = walkdir::WalkDir::new(root.join("docs")).sort_by_file_name().into_iter();
    let pages =
        docs.map(|entry| entry.unwrap().into_path()).filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages.chain([root.join("README.md")]).collect()
}

/// The blocks of a language, each with the line on which it begins.
fn blocks(page: &Path, language: &str) -> Vec<(usize, String)> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        match &mut open {
            Some(_) if line.trim() == "```" => blocks.extend(open.take()),
            Some((_, block)) => block.push_str(&format!("{line}\n")),
            None if line.trim() == format!("```{language}") => open = Some((index + 1, String::new())),
            None => {}
        }
    }
    blocks
}

#[test]
fn every_configuration_and_golden_set_is_read_without_a_complaint() {
    let (mut configurations, mut sets) = (0, 0);
    for page in pages() {
        for (line, block) in blocks(&page, "yaml") {
            let whose = format!("{}:{line}", page.display());
            if block.starts_with("pipeline:") {
                load_text(&block, Path::new("recall-gate.yaml")).unwrap_or_else(|error| panic!("{whose}: {error}"));
                configurations += 1;
            } else if block.starts_with("queries:") {
                read::parse(&block, Path::new("queries.yaml")).unwrap_or_else(|error| panic!("{whose}: {error}"));
                sets += 1;
            }
        }
    }
    assert!(configurations >= 4 && sets >= 2, "{configurations} configurations and {sets} golden sets");
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let link = regex::Regex::new(r"\]\(([^)#:]+)(#[^)]*)?\)").unwrap();
    let mut links = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for found in link.captures_iter(&text) {
            let target = page.parent().unwrap().join(&found[1]);
            assert!(target.exists(), "{}: {}", page.display(), &found[1]);
            links += 1;
        }
    }
    assert!(links > 5, "{links}");
}
