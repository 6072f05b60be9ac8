//! One verb per file: load → core → report. No arithmetic and no formatting here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::baseline::history::{self, Entry};
use crate::baseline::{self, Baseline};
use crate::cli::{BaselineCommand, Cli, Command, Global, GoldenCommand, PipelineCommand, StoredArguments};
use crate::config::{self, Config};
use crate::diagnostic::nearest;
use crate::exit::{ExitStatus, Failure};
use crate::files;
use crate::golden::{self, GoldenSet, PINNED};
use crate::id::DocumentId;
use crate::pipeline::listing;
use crate::pipeline::stored::StoredPipeline;
use crate::pipeline::{self, Answers, PipelineError, Question, names};
use crate::progress::Bar;
use crate::run::Run;
use crate::run::oddities::oddities;

mod against;
mod baseline_log;
mod baseline_show;
mod baseline_update;
mod calibrate;
mod compare;
mod completions;
mod explain;
mod export;
mod golden_check;
mod golden_import;
mod golden_rename;
mod init;
mod judging;
mod man;
mod pipeline_presets;
mod pipeline_try;
mod run;
mod schema;
mod shard;
mod surroundings;

/// Does what the command line asks for.
///
/// # Errors
/// See [`Failure`]; a regression is no error but a status.
pub fn dispatch(cli: Cli) -> anyhow::Result<ExitStatus> {
    let global = &cli.global;
    match cli.command {
        Command::Init => init::init(global),
        Command::Run(arguments) => run::run(global, arguments),
        Command::Calibrate(arguments) => calibrate::calibrate(global, arguments),
        Command::Compare(arguments) => compare::compare(global, arguments),
        Command::Explain(arguments) => explain::explain(global, &arguments),
        Command::Baseline { command: BaselineCommand::Update(arguments) } => {
            baseline_update::update(global, &arguments)
        }
        Command::Baseline { command: BaselineCommand::Log } => baseline_log::log(global),
        Command::Baseline { command: BaselineCommand::Show } => baseline_show::show(global),
        Command::Pipeline { command: PipelineCommand::Try { query, k, full } } => {
            pipeline_try::try_query(global, query, k.into(), full)
        }
        Command::Pipeline { command: PipelineCommand::Presets { name } } => {
            pipeline_presets::presets(global, name.as_deref())
        }
        Command::Export(arguments) => export::export(global, &arguments),
        Command::Golden { command: GoldenCommand::Import { queries, judgments, output } } => {
            golden_import::import(global, &queries, &judgments, &output)
        }
        Command::Golden { command: GoldenCommand::Rename { old, new } } => golden_rename::rename(global, old, new),
        Command::Golden { command: GoldenCommand::Check { locked } } => golden_check::check(global, locked),
        Command::Schema { schema } => schema::schema(global, schema),
        Command::Man => man::man(),
        Command::Completions { shell } => completions::completions(shell),
    }
}

fn load_config(path: &Path) -> anyhow::Result<Config> {
    if !path.exists() {
        return Err(Failure::Input(format!(
            "there is no configuration `{}`\nhint: `recall-gate init` writes one; `--config FILE` names another",
            path.display()
        ))
        .into());
    }
    Ok(config::load_text(&files::read_text(path)?, path)?)
}

/// Reads the golden set that the configuration names.
fn load_golden(config: &Config) -> anyhow::Result<GoldenSet> {
    let path = &config.golden;
    if !path.exists() {
        return Err(Failure::Input(format!(
            "there is no golden set `{}`\nhint: `golden:` in the configuration names it; `recall-gate init` writes one \
             to start from",
            path.display()
        ))
        .into());
    }
    let golden = golden::read::parse(&files::read_text(path)?, path)?;
    check_slices(config, &golden)?;
    Ok(golden)
}

/// Where the updates of a baseline are kept.
fn history_path(baseline: &Path) -> PathBuf {
    baseline.with_file_name("history.jsonl")
}

/// Where the best of all updates of a baseline is kept.
fn best_path(baseline: &Path) -> PathBuf {
    baseline.with_file_name("best.jsonl")
}

/// Reads the updates of a baseline, the oldest first; none where there is no such file.
fn load_history(baseline: &Path) -> anyhow::Result<Vec<Entry>> {
    let path = history_path(baseline);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let entries = history::parse(&files::read_text(&path)?)
        .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
    Ok(entries)
}

/// Refuses a slice that no query is in: a slice with a misspelt name would gate nothing.
fn check_slices(config: &Config, golden: &GoldenSet) -> Result<(), Failure> {
    let own = golden.queries.iter().flat_map(|query| query.tags.iter().chain(&query.source).map(String::as_str));
    let known: Vec<&str> = own.filter(|tag| *tag != PINNED).collect::<BTreeSet<_>>().into_iter().collect();
    match config.gate.slices.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(Failure::Input(format!(
            "`gate.slices` names `{name}`, and no query of `{}` has that tag or source\nhint: {}",
            config.golden.display(),
            match nearest(name, &known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there is {}", known.join(", ")),
            }
        ))),
    }
}

/// What a command says that needs a baseline and finds none.
fn no_baseline(path: &Path) -> Failure {
    Failure::CannotJudge(format!(
        "there is no baseline `{}`\nhint: `recall-gate baseline update --reason \"first baseline\"` measures one",
        path.display()
    ))
}

/// Reads a baseline; `None` where there is no such file.
fn load_baseline(path: &Path) -> anyhow::Result<Option<Baseline>> {
    if !path.exists() {
        return Ok(None);
    }
    let baseline = baseline::parse(&files::read_text(path)?)
        .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
    Ok(Some(baseline))
}

/// Complete answers, and what gave them.
struct Measured {
    run: Run,
    warnings: Vec<String>,
    /// For the baseline, without secrets.
    description: String,
    /// Every document, where that is known.
    corpus: Option<BTreeSet<DocumentId>>,
}

/// Asks the configured pipeline, or the stored runs of the command line, every query of the golden set.
fn measure(
    stored: &StoredArguments,
    config: &Config,
    golden: &GoldenSet,
    check: Check,
    global: &Global,
) -> Result<Measured, PipelineError> {
    let questions: Vec<Question> =
        golden.queries.iter().map(|query| Question { id: query.id.clone(), text: query.text.clone() }).collect();
    let pipeline = if stored.runs.is_empty() {
        pipeline::open(&config.pipeline, &config.folder)?
    } else {
        let missing_is_empty = stored.missing.is_empty(&config.pipeline);
        let pipeline = StoredPipeline::new(stored.runs.clone(), missing_is_empty, &config.folder);
        // One query of a set has another digest than the set.
        let is_whole = check != Check::OneQuery;
        Box::new(if is_whole { pipeline.of_golden_set(golden::digest::digest(golden)) } else { pipeline })
    };
    // A stored run has the repeats that it was kept with.
    let repeat = if stored.runs.is_empty() { config.repeat } else { 1 };
    let bar = Bar::new("queries", questions.len() * repeat, global.quiet);
    let mut answers = pipeline.ask(&questions, config.depth, &bar)?;
    for _ in 1..repeat {
        let again = pipeline.ask(&questions, config.depth, &bar)?;
        answers.run.repeat(again.run);
        answers.warnings.extend(again.warnings);
    }
    answers.warnings.dedup();
    if check == Check::Determinism && answers.run.times_asked() == 1 {
        drop(bar);
        let bar = Bar::new("queries again", questions.len(), global.quiet);
        let mut twice = answers.run.clone();
        twice.repeat(pipeline.ask(&questions, config.depth, &bar)?.run);
        answers.warnings.extend(not_deterministic(&twice));
    }
    let Answers { run, mut warnings } = answers;
    // Files have their own reader's warnings.
    if stored.runs.is_empty() && !matches!(config.pipeline, config::PipelineConfig::Run { .. }) {
        warnings.extend(oddities(&run, config.min_score));
    }
    if let Some(message) = passages_unread(golden, &run) {
        let hint = "let the pipeline answer with the `text` of each result, in which a passage can be found";
        return Err(PipelineError::new(format!("{message}\nhint: {hint}")));
    }
    let corpus = match &config.documents {
        Some(listing) => Some(listing::documents(listing, &config.folder, &config.document_id)?),
        None => pipeline.corpus().map(|ids| ids.iter().map(|id| config.document_id.document(id)).collect()),
    };
    Ok(Measured { run, warnings, description: pipeline.description(), corpus })
}

/// Says which queries have judged passages and results without a text; `None` where there is no such query.
fn passages_unread(golden: &GoldenSet, run: &Run) -> Option<String> {
    let textless: Vec<_> = golden.textless(run).collect();
    let (query, result) = textless.first()?;
    let more = names(textless.iter().map(|(query, _)| query));
    Some(format!(
        "query `{query}` has judged passages, and result `{result}` has no text to find them in (so for {more})"
    ))
}

/// What is looked at while a pipeline is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Nothing,
    /// Nothing, and of the golden set only one query is asked.
    OneQuery,
    /// Whether it answers the same when it is asked again.
    Determinism,
}

fn not_deterministic(twice: &Run) -> Option<String> {
    let restless: Vec<_> = twice.restless().collect();
    (!restless.is_empty()).then(|| {
        format!(
            "Asked twice, the pipeline ranked {} of {} queries differently: {}. A verdict on one run of it is partly luck; \
             set `repeat: 3` in `pipeline`, or make it deterministic.",
            restless.len(),
            twice.len(),
            names(restless)
        )
    })
}

/// A failed measurement outside a report: the message and the end of standard error in one text.
fn cannot_judge(error: PipelineError) -> anyhow::Error {
    let tail = error.stderr_tail.filter(|tail| !tail.trim().is_empty());
    let tail = tail.map(|tail| format!("\nthe end of the pipeline's standard error:\n{}", tail.trim_end()));
    Failure::CannotJudge(format!("{}{}", error.message, tail.unwrap_or_default())).into()
}

/// Prints a line for people to standard error, unless they asked for quiet.
fn tell(global: &Global, line: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    if global.quiet {
        return Ok(());
    }
    match writeln!(anstream::AutoStream::new(std::io::stderr().lock(), global.color.into()), "{line}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard error"),
    }
}
