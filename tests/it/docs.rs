//! What the documentation shows is what the program takes.

use std::path::{Path, PathBuf};

use recall_gate::config::load_text;
use recall_gate::golden::read;

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = walkdir::WalkDir::new(root.join("docs")).sort_by_file_name().into_iter();
    let pages =
        docs.map(|entry| entry.unwrap().into_path()).filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages.chain(["README.md", "README.es.md", ".github/CONTRIBUTING.md"].map(|page| root.join(page))).collect()
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

/// The names that a forge gives to the headings of a page.
fn sections(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let name = |heading: &str| -> String {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        words.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c)).collect::<String>().replace(' ', "-")
    };
    headings.map(name).collect()
}

#[test]
fn every_page_is_in_the_list_of_pages() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let index = std::fs::read_to_string(docs.join("README.md")).unwrap();
    for page in pages() {
        let Ok(name) = page.strip_prefix(&docs) else { continue };
        let name = name.display().to_string();
        assert!(name == "README.md" || index.contains(&format!("]({name})")), "docs/README.md does not list {name}");
    }
}

/// GitLab jobs, hooks, make targets and issue forms, with the checkers that are here; it says what it skips.
#[cfg(unix)]
#[test]
fn what_is_shown_for_ci_is_valid_and_runs() {
    use std::io::Write as _;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/docs/ci.py");
    let mut command = std::process::Command::new("python3");
    let output = command.arg(script).arg(env!("CARGO_BIN_EXE_recall-gate")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let _ = write!(std::io::stderr(), "{said}");
}

/// The README in Spanish makes the promises of the other one.
#[test]
fn the_readme_in_spanish_keeps_up() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let (english, spanish) = (read("README.md"), read("README.es.md"));
    let version = regex::Regex::new(r"Rust 1\.\d+").unwrap();
    assert_eq!(version.find(&english).unwrap().as_str(), version.find(&spanish).unwrap().as_str());
    let presets = recall_gate::pipeline::http::preset::all().unwrap().len();
    assert!(english.contains(&format!("{presets} engines")) && spanish.contains(&format!("{presets} motores")));
    let command = regex::Regex::new(r"`recall-gate ([a-z]+)").unwrap();
    for found in command.captures_iter(&spanish) {
        assert!(english.contains(&found[0]), "{}", &found[0]);
    }
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
            if let Some(section) = found.get(2) {
                let sections = sections(&target);
                assert!(sections.contains(&section.as_str()[1..].to_owned()), "{}: {}", page.display(), &found[0]);
            }
            links += 1;
        }
    }
    assert!(links > 5, "{links}");
}
