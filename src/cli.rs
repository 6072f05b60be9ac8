//! The command line, as plain structs.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::config::PipelineConfig;
use crate::report::{Format, calibration};
use crate::run::shard::Shard;
use crate::sink::Target;

/// Tells a real drop in retrieval quality from noise, and fails the build only for a real one.
///
/// Asks your retrieval pipeline every query of a frozen golden set, compares the rankings with a committed baseline,
/// and decides with a paired bootstrap test.
///
/// Exit codes: 0 pass, 1 regression, 2 wrong input, 3 cannot judge.
#[derive(Debug, Parser)]
#[command(name = "recall-gate", version, max_term_width = 100)]
pub struct Cli {
    /// What applies to every command.
    #[command(flatten)]
    pub global: Global,
    /// The verb.
    #[command(subcommand)]
    pub command: Command,
}

/// What applies to every command.
#[derive(Args, Debug)]
pub struct Global {
    /// Configuration file; the paths in it are relative to its folder
    #[arg(short, long, global = true, value_name = "FILE", default_value = "recall-gate.yaml")]
    pub config: PathBuf,
    /// Print no progress and no report; the exit code says it all
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// When to use colour; `auto` also respects `NO_COLOR`
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Also into a pipe.
    Always,
    /// Not at all.
    Never,
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a working configuration, golden set and workflow into this folder
    Init,
    /// Measure the pipeline, compare with the baseline, decide
    Run(RunArguments),
    /// Compare two stored runs with the same test
    Compare(CompareArguments),
    /// Show both rankings of one query, what moved in them and why
    Explain(ExplainArguments),
    /// Simulate how often this gate fails without a cause, and which drops it catches
    Calibrate(CalibrateArguments),
    /// Move, show or look back on the committed baseline
    Baseline {
        /// What to do with it.
        #[command(subcommand)]
        command: BaselineCommand,
    },
    /// Set up the pipeline
    Pipeline {
        /// What to do with it.
        #[command(subcommand)]
        command: PipelineCommand,
    },
    /// Check or mend the golden set
    Golden {
        /// What to do with it.
        #[command(subcommand)]
        command: GoldenCommand,
    },
    /// Write the golden set and a run for other tools
    Export(ExportArguments),
    /// Print a JSON Schema: of the configuration, the golden set or the JSON report
    Schema {
        /// Of what
        schema: Schema,
    },
    /// Print the manual page
    #[command(hide = true)]
    Man,
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// What has a schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Schema {
    /// What `run --report json` writes.
    Report,
    /// The configuration.
    Config,
    /// The golden set.
    Golden,
}

/// What `run` takes.
#[derive(Args, Debug)]
pub struct RunArguments {
    /// Write a report: terminal, json, markdown, comment, github, junit or html, to standard output or to PATH; repeatable
    #[arg(long = "report", value_name = "FORMAT[=PATH]")]
    pub reports: Vec<Target<Format>>,
    /// Compare with this baseline instead of the configured one
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Answers from files.
    #[command(flatten)]
    pub stored: StoredArguments,
    /// Also say what this change did to the baseline and the golden set since it left REF, such as origin/main
    #[arg(long, value_name = "REF")]
    pub against: Option<String>,
    /// Ask everything a second time, and warn where the answers differ
    #[arg(long)]
    pub check_determinism: bool,
    /// Keep what the pipeline answered, as JSONL
    #[arg(long, value_name = "FILE")]
    pub save_run: Option<PathBuf>,
    /// Ask only part K of N of the queries and keep the answers; `--run` with all parts decides
    #[arg(long, value_name = "K/N", requires = "save_run", conflicts_with_all = ["runs", "reports", "against"])]
    pub shard: Option<Shard>,
}

/// Answers that were measured before.
#[derive(Args, Debug)]
pub struct StoredArguments {
    /// Use stored runs (JSONL or TREC) instead of asking the pipeline
    #[arg(long = "run", value_name = "FILE", num_args = 1..)]
    pub runs: Vec<PathBuf>,
    /// What a query means that no stored run mentions
    #[arg(long, value_name = "MEANING", default_value = "config")]
    pub missing: Missing,
}

/// What a query means that a stored run does not mention.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Missing {
    /// What `missing:` in the configuration says, else an error.
    Config,
    /// A missing answer: the run cannot be judged.
    Error,
    /// The pipeline found nothing, which a TREC file cannot say otherwise.
    Empty,
}

impl Missing {
    /// Whether absence means an empty answer.
    #[must_use]
    pub fn is_empty(self, pipeline: &PipelineConfig) -> bool {
        match self {
            Self::Config => matches!(pipeline, PipelineConfig::Run { missing_is_empty: true, .. }),
            Self::Error => false,
            Self::Empty => true,
        }
    }
}

/// What `compare` takes.
#[derive(Args, Debug)]
pub struct CompareArguments {
    /// The run to compare with (a baseline, JSONL or TREC)
    pub before: PathBuf,
    /// The run to judge
    pub after: PathBuf,
    /// What a query means that a run does not mention
    #[arg(long, value_name = "MEANING", default_value = "config")]
    pub missing: Missing,
    /// Write a report: terminal, json, markdown, comment or github, to standard output or to PATH; repeatable
    #[arg(long = "report", value_name = "FORMAT[=PATH]")]
    pub reports: Vec<Target<Format>>,
}

/// What `explain` takes.
#[derive(Args, Debug)]
pub struct ExplainArguments {
    /// Its id, or a part of its id or text that no other query has
    pub query: String,
    /// Compare with this baseline instead of the configured one
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Answers from files.
    #[command(flatten)]
    pub stored: StoredArguments,
}

/// What `calibrate` takes.
#[derive(Args, Debug)]
pub struct CalibrateArguments {
    /// The drop that must be caught, as a fraction; says how many queries that takes
    #[arg(long, value_name = "FRACTION", default_value = "0.05", value_parser = fraction)]
    pub drop: f64,
    /// Share of the queries whose ranking moves by chance
    #[arg(long, value_name = "FRACTION", default_value = "0.04", value_parser = fraction)]
    pub noise: f64,
    /// Simulated changes per cell
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub trials: u32,
    /// Write a report: terminal, json or html, to standard output or to PATH; repeatable
    #[arg(long = "report", value_name = "FORMAT[=PATH]")]
    pub reports: Vec<Target<calibration::Format>>,
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        Ok(value) if value > 1.0 && value <= 100.0 => Err(format!("a fraction: write {}", value / 100.0)),
        _ => Err("a fraction from 0 to 1".to_owned()),
    }
}

/// What can be done with the baseline.
#[derive(Debug, Subcommand)]
pub enum BaselineCommand {
    /// Measure the pipeline and make its answers the new baseline, on purpose
    Update(UpdateArguments),
    /// Show where the baseline comes from and what it scores today
    Show,
    /// Show every update of the baseline and what it cost or gained
    Log,
}

/// What `baseline update` takes.
#[derive(Args, Debug)]
pub struct UpdateArguments {
    /// Why the baseline moves; kept in the file
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,
    /// Also write a baseline that is significantly worse than the old one
    #[arg(long)]
    pub accept_drop: bool,
    /// Allow it although CI=true
    #[arg(long)]
    pub allow_ci: bool,
    /// Answers from files.
    #[command(flatten)]
    pub stored: StoredArguments,
}

/// What `export` takes.
#[derive(Args, Debug)]
pub struct ExportArguments {
    /// For which tools
    pub format: ExportFormat,
    /// The folder to write to
    pub folder: PathBuf,
    /// Export these stored runs (JSONL or TREC) instead of the baseline
    #[arg(long = "run", value_name = "FILE", num_args = 1..)]
    pub runs: Vec<PathBuf>,
}

/// A family of tools.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ExportFormat {
    /// run.trec, qrels.txt and topics.tsv, for `trec_eval`, `ir_measures`, `ranx`
    Trec,
    /// queries.jsonl, qrels/test.tsv and run.trec, as BEIR lays a collection out
    Beir,
}

/// What can be done with the pipeline.
#[derive(Debug, Subcommand)]
pub enum PipelineCommand {
    /// Ask one question, and show what is sent, what comes back and what is read from it
    Try {
        /// The question
        #[arg(value_parser = clap::builder::NonEmptyStringValueParser::new())]
        query: String,
        /// How many results to ask for
        #[arg(short, long, default_value = "5", value_parser = clap::value_parser!(u16).range(1..=1000))]
        k: u16,
        /// Show the response whole, however long it is
        #[arg(long)]
        full: bool,
    },
    /// List the engines that `http: {preset: NAME}` knows, or show one
    Presets {
        /// The preset to show
        name: Option<String>,
    },
}

/// What can be done with the golden set.
#[derive(Debug, Subcommand)]
pub enum GoldenCommand {
    /// Read it, count it, and say whether it can carry a verdict
    Check {
        /// Fail if it is not the set that the baseline was measured with
        #[arg(long)]
        locked: bool,
    },
    /// Make a golden set of the queries and judgments of a test collection (BEIR or TREC)
    Import {
        /// BEIR's queries.jsonl, or lines of `id<TAB>text`
        queries: PathBuf,
        /// BEIR's qrels/*.tsv, or TREC's four columns
        judgments: PathBuf,
        /// The file to write, .yaml or .jsonl; it must not exist
        #[arg(short, long, value_name = "FILE", default_value = "golden/queries.yaml")]
        output: PathBuf,
    },
    /// Rename a document in every label, and leave the rest of the file as it is
    Rename {
        /// The id in the labels
        old: String,
        /// What it is called now; not empty
        #[arg(value_parser = clap::builder::NonEmptyStringValueParser::new())]
        new: String,
    },
}
