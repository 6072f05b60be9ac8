//! The gate's configuration: `schema` is the file as people write it, this module what the rest of the program uses.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::diagnostic::{self, Problem, failure, in_yaml, located};
use crate::exit::Failure;
use crate::id::DocumentPattern;
use crate::metrics::Metric;
use crate::pipeline::http::Setup;
use crate::pipeline::http::guard::Guard;
use crate::pipeline::http::reading::Reading;
use crate::pipeline::http::request::RequestTemplate;
use crate::pipeline::http::template::Template;

mod checked;
mod http;
mod schema;

/// Reads the text of the configuration file `path`.
///
/// # Errors
/// [`Failure::Input`] with every mistake: its line and column, the value and the remedy.
pub fn load_text(text: &str, path: &Path) -> Result<Config, Failure> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let written = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#') && line != "---";
    if !text.lines().any(written) {
        let remedy = "`recall-gate init` writes one with every default, or say how the pipeline is asked: \
                      `pipeline: {command: [python3, pipeline/answer.py]}`";
        let problem = Problem { place: None, message: "the configuration is empty".into(), remedy: remedy.to_owned() };
        return Err(failure(path, &text, &[problem]));
    }
    let raw = serde_yaml::from_str(&text).map_err(|error| failure(path, &text, &[in_yaml(&error)]))?;
    let (config, findings) = checked::check(raw, path.parent().unwrap_or(Path::new("")));
    if findings.is_empty() {
        return Ok(config);
    }
    let problems = located(findings, |wanted| diagnostic::places(&text, wanted));
    Err(failure(path, &text, &problems))
}

/// A checked configuration: every value in range, every path relative to the configuration's folder resolved.
#[derive(Clone, Debug)]
pub struct Config {
    /// The golden set.
    pub golden: PathBuf,
    /// The committed baseline.
    pub baseline: PathBuf,
    /// The folder of the configuration file: where pipelines start.
    pub folder: PathBuf,
    /// The system under test.
    pub pipeline: PipelineConfig,
    /// Where the documents of the corpus are listed.
    pub documents: Option<Listing>,
    /// How often the pipeline is asked every query, 1..=20.
    pub repeat: usize,
    /// Results asked for per query, at least the largest k of any metric.
    pub depth: usize,
    /// Result id to document id.
    pub document_id: DocumentPattern,
    /// A result scored at or below this counts as "nothing found" for `abstention`.
    pub min_score: Option<f64>,
    /// The share of a judged passage that a result must hold, in (0, 1].
    pub passage_overlap: f64,
    /// What decides.
    pub gate: GateConfig,
    /// Metrics shown beside the gated ones; none of them is also gated.
    pub report_metrics: Vec<Metric>,
}

impl Config {
    /// Every metric that is gated, shown or has a floor, each once, gated ones first.
    #[must_use]
    pub fn all_metrics(&self) -> Vec<Metric> {
        let floors = self.gate.floors.iter().map(|(metric, _)| metric);
        let mut metrics = Vec::new();
        for metric in self.gate.metrics.iter().chain(&self.report_metrics).chain(floors) {
            if !metrics.contains(metric) {
                metrics.push(*metric);
            }
        }
        metrics
    }
}

/// Which pipeline, exactly one.
#[derive(Clone, Debug)]
pub enum PipelineConfig {
    /// A program that reads questions and writes answers.
    Command(CommandConfig),
    /// A server.
    Http(Box<HttpConfig>),
    /// The embedded search.
    Bm25(Bm25Config),
    /// Stored runs.
    Run {
        /// One or more files that together hold every answer.
        files: Vec<PathBuf>,
        /// Absence means "nothing found" instead of a missing answer (`missing: empty`).
        missing_is_empty: bool,
    },
}

/// A program that reads questions and writes answers.
#[derive(Clone, Debug)]
pub struct CommandConfig {
    /// Program and arguments, at least the program.
    pub command: Vec<String>,
    /// Where it starts.
    pub directory: PathBuf,
    /// Variables of its environment beside our own.
    pub environment: Vec<(String, String)>,
    /// The longest silence on standard output.
    pub timeout: Duration,
    /// The longest silence before the first answer.
    pub startup_timeout: Duration,
}

/// A server that answers one request per query.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// The request of a query.
    pub request: RequestTemplate,
    /// How its answer is read.
    pub reading: Reading,
    /// What must hold of an answer with a status of success.
    pub expect: Vec<Guard>,
    /// Requests at once, 1..=256.
    pub concurrency: usize,
    /// How often a request is repeated that got no answer, 429 or 5xx, 0..=20.
    pub retries: u32,
    /// How long one request may take, with its answer.
    pub timeout: Duration,
    /// How long the server may take to be ready, and the program for vectors to begin.
    pub startup_timeout: Duration,
    /// The longest answer, in bytes.
    pub max_response: u64,
    /// A URL that answers with a status of success once the server is ready.
    pub wait_for: Option<Template>,
    /// Requests made once, in order.
    pub setup: Vec<Setup>,
    /// Where vectors come from.
    pub vector: Option<VectorSource>,
}

/// Where the numbers come from that stand for a question.
#[derive(Clone, Debug)]
pub enum VectorSource {
    /// A program that reads `{"id", "query"}` lines and writes `{"id", "vector"}` lines.
    Command(Vec<String>),
    /// A JSONL file of `{"id", "vector"}` lines.
    File(PathBuf),
}

/// What lists the documents of the corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// A program that prints an id a line.
    Command(Vec<String>),
    /// A JSONL file with an `id` a line.
    Lines(PathBuf),
    /// A pattern of files, such as `docs/**/*.md`.
    Glob(String),
}

/// The embedded search.
#[derive(Clone, Debug)]
pub struct Bm25Config {
    /// A folder of Markdown, text and HTML, or a JSONL file.
    pub documents: PathBuf,
    /// Stemmer and stop words, a lower-case English name such as `english`.
    pub language: String,
    /// The longest chunk, in characters.
    pub chunk_size: usize,
    /// Term-frequency saturation.
    pub k1: f64,
    /// Length normalisation, 0..=1.
    pub b: f64,
}

/// What decides the verdict.
#[derive(Clone, Debug)]
pub struct GateConfig {
    /// Gated metrics, at least one, each once.
    pub metrics: Vec<Metric>,
    /// Accepted rate of false alarms, in (0, 0.5].
    pub alpha: f64,
    /// A significant drop smaller than this warns and never fails; a fraction in 0..=1.
    pub min_drop: f64,
    /// Bootstrap resamples, 1,000..=1,000,000.
    pub resamples: usize,
    /// Seed of the resampling.
    pub seed: u64,
    /// The least mean that each metric may have, as fractions.
    pub floors: Vec<(Metric, f64)>,
    /// Tags or sources whose queries gate on their own as well, each once.
    pub slices: Vec<String>,
}

impl Default for GateConfig {
    fn default() -> Self {
        Self {
            metrics: vec![Metric::Recall(10), Metric::ReciprocalRank(Some(10)), Metric::Ndcg(10), Metric::Abstention],
            alpha: 0.05,
            min_drop: 0.02,
            resamples: 10_000,
            seed: 42,
            floors: Vec::new(),
            slices: Vec::new(),
        }
    }
}
