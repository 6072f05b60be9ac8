//! `docs/pipelines.md`: every recipe is run, but for those that say they are not.

use std::io::Write as _;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::project::Project;

const PAGE: &str = include_str!("../../docs/pipelines.md");
const QUERIES: usize = 30;

/// A recipe: its title, what stands between the code, and the code with its language.
struct Recipe {
    title: String,
    prose: String,
    blocks: Vec<(String, String)>,
}

fn recipes() -> Vec<Recipe> {
    let mut recipes = vec![Recipe { title: String::new(), prose: String::new(), blocks: Vec::new() }];
    let mut is_open = false;
    for line in PAGE.lines() {
        let recipe = recipes.last_mut().unwrap();
        match line.strip_prefix("```") {
            Some(_) if is_open => is_open = false,
            Some(language) => {
                is_open = true;
                recipe.blocks.push((language.to_owned(), String::new()));
            }
            None if is_open => recipe.blocks.last_mut().unwrap().1.push_str(&format!("{line}\n")),
            None => match line.strip_prefix("## ") {
                Some(title) => {
                    recipes.push(Recipe { title: title.to_owned(), prose: String::new(), blocks: Vec::new() });
                }
                None => recipe.prose.push_str(&format!("{line}\n")),
            },
        }
    }
    recipes
}

/// The name that a block says its file has.
fn named(block: &str) -> Option<&str> {
    block.lines().next()?.strip_prefix("# ").filter(|name| name.contains('.') && !name.contains(' '))
}

fn word(n: usize) -> String {
    format!("topic{n:03}")
}

fn project(recipes: &[&Recipe]) -> Project {
    let project = Project::new();
    let (mut golden, mut questions) = (String::from("queries:\n"), Vec::new());
    for n in 0..QUERIES {
        project.write(&format!("docs/d{n:03}.md"), format!("# Page {n}\n\nAll about {}.\n", word(n)));
        golden.push_str(&format!("  - {{id: q{n:03}, text: {}, grades: {{d{n:03}: 2}}}}\n", word(n)));
        questions.push(json!({"id": format!("q{n:03}"), "text": word(n)}));
    }
    project.write("golden/queries.yaml", golden);
    project.write("questions.json", Value::from(questions).to_string());
    for recipe in recipes {
        for (_, block) in &recipe.blocks {
            if let Some(name) = named(block) {
                project.write(name, block);
            }
        }
    }
    project
}

/// What the libraries of others stand for in the test: the reader's own application.
fn application(title: &str) -> Option<(&'static str, &'static str)> {
    let parts = match title {
        "LangChain" => (
            "langchain_core",
            r#"
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from search import documents, search

class Words(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(documents[name], metadata={"source": name}) for name in search(query, 20)]

retriever = Words()
"#,
        ),
        "LlamaIndex" => (
            "llama_index.core",
            r"
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from search import documents, search

class Words(BaseRetriever):
    def _retrieve(self, bundle):
        return [NodeWithScore(node=TextNode(id_=name, text=documents[name]), score=1.0)
                for name in search(bundle.query_str, 20)]

retriever = Words()
",
        ),
        "Haystack" => (
            "haystack",
            r#"
from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from search import documents

store = InMemoryDocumentStore()
store.write_documents([Document(content=text, meta={"source": name}) for name, text in documents.items()])
pipeline = Pipeline()
pipeline.add_component("retriever", InMemoryBM25Retriever(store))
"#,
        ),
        _ => return None,
    };
    Some(parts)
}

fn has_library(library: &str) -> bool {
    let found = Command::new("python3").args(["-c", &format!("import {library}")]).output();
    found.is_ok_and(|output| output.status.success())
}

#[test]
fn every_recipe_finds_what_it_should() {
    let recipes = recipes();
    let (mut run, mut shown) = (0, 0);
    let first: Vec<&Recipe> = recipes.iter().filter(|recipe| recipe.title.is_empty()).collect();
    let smallest = recipes.iter().find(|recipe| recipe.title == "The smallest one").unwrap();
    for recipe in &recipes {
        let configurations: Vec<_> = recipe.blocks.iter().filter(|(language, _)| language == "yaml").collect();
        if configurations.is_empty() {
            continue;
        }
        if recipe.prose.contains("*Shown, not run by the tests.*") {
            shown += 1;
            continue;
        }
        let application = application(&recipe.title);
        if let Some((library, _)) = application
            && !has_library(library)
        {
            assert!(recipe.prose.contains(&format!("*Run by the tests where `{library}` is installed.*")));
            let _ = writeln!(std::io::stderr(), "skipped: the recipe for {} needs {library}", recipe.title);
            shown += 1;
            continue;
        }
        for (_, configuration) in configurations {
            let project = project(&[first[0], smallest, recipe]);
            project.write("recall-gate.yaml", configuration);
            if let Some((_, application)) = application {
                project.write("pipeline/my_app.py", application);
            }
            if recipe.blocks.iter().any(|(_, block)| named(block) == Some("write_answers.py")) {
                let mut writer = Command::new("python3");
                writer.arg("write_answers.py").env("PYTHONPATH", "pipeline").current_dir(project.path());
                assert!(writer.status().unwrap().success());
            }
            let updated = project.run(&["baseline", "update", "--reason", "first", "--yes"]);
            assert_eq!(updated.code, 0, "{}: {updated:?}", recipe.title);
            let judged = project.run(&["run", "--report", "json"]);
            assert_eq!(judged.code, 0, "{}: {judged:?}", recipe.title);
            let report: Value = serde_json::from_str(&judged.stdout).unwrap();
            let recall = report["metrics"].as_array().unwrap().iter().find(|metric| metric["name"] == "recall@10");
            assert_eq!(recall.unwrap()["current"], 1.0, "{}", recipe.title);
            assert_eq!(recall.unwrap()["queries"], QUERIES, "{}", recipe.title);
            run += 1;
        }
    }
    assert!(run >= 12 && (2..=5).contains(&shown), "{run} run, {shown} shown");
}
