//! From what was written to a configuration in which every value is in range; all mistakes at once.

use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::Regex;

use super::schema::{OneOrMany, RawBm25, RawConfig, RawGate, RawPipeline, RawReport};
use super::{Bm25Config, CommandConfig, Config, GateConfig, Listing, PipelineConfig};
use crate::diagnostic::{Finding, Step};
use crate::id::DocumentPattern;
use crate::metrics::Metric;
use crate::pairs::Pairs;
use crate::passage::OVERLAP;
use crate::pipeline::bm25::LANGUAGES;

const SHOWN: [Metric; 5] =
    [Metric::Recall(20), Metric::Precision(10), Metric::Hit(10), Metric::AveragePrecision(10), Metric::Judged(10)];
const DEPTH: usize = 20;
const DEEPEST: usize = 1000;
const TIMEOUT: Duration = Duration::from_secs(60);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// Checks `raw`; paths are relative to `folder`. The configuration counts only if there is no finding.
pub(super) fn check(raw: RawConfig, folder: &Path) -> (Config, Vec<Finding>) {
    let mut checker = Checker { folder, findings: Vec::new() };
    let config = checker.config(raw);
    (config, checker.findings)
}

pub(super) struct Checker<'a> {
    pub(super) folder: &'a Path,
    findings: Vec<Finding>,
}

pub(super) fn path(keys: &[&str]) -> Vec<Step> {
    keys.iter().map(|key| Step::key(*key)).collect()
}

impl Checker<'_> {
    pub(super) fn report(&mut self, path: Vec<Step>, message: String, remedy: impl Into<String>) {
        self.findings.push(Finding::new(path, message, remedy));
    }

    fn config(&mut self, raw: RawConfig) -> Config {
        let golden = self.file(&["golden"], raw.golden, "golden/queries.yaml");
        let baseline = self.file(&["baseline"], raw.baseline, "baselines/main.jsonl");
        let mut raw_pipeline = raw.pipeline.unwrap_or_default();
        let repeat = self.whole(&["pipeline", "repeat"], raw_pipeline.repeat, 1, 1..=20);
        let documents = raw_pipeline.documents.take().and_then(|documents| self.documents(documents));
        let pipeline = self.pipeline(raw_pipeline);
        let depth = self.whole(&["depth"], raw.depth, DEPTH, 1..=DEEPEST);
        let document_id = self.document_id(raw.document_id);
        if let Some(min_score) = raw.min_score.filter(|score| !score.is_finite()) {
            let remedy = "write a number; results scored at or below it count as nothing found";
            self.report(path(&["min_score"]), format!("`min_score` is {min_score}, not a finite number"), remedy);
        }
        let passage_overlap = self.fraction(
            &["passage_overlap"],
            raw.passage_overlap,
            OVERLAP,
            |share| share > 0.0 && share <= 1.0,
            "write a fraction above 0 and up to 1, such as 0.6",
        );
        let gate = self.gate(raw.gate.unwrap_or_default(), depth);
        let report_metrics = self.shown(raw.report.unwrap_or_default(), &gate.metrics, depth);
        Config {
            golden,
            baseline,
            folder: self.folder.to_owned(),
            pipeline,
            documents,
            repeat,
            depth,
            document_id,
            min_score: raw.min_score,
            passage_overlap,
            gate,
            report_metrics,
        }
    }

    /// A path relative to the folder of the configuration.
    fn file(&mut self, at: &[&str], written: Option<String>, default: &str) -> PathBuf {
        let written = written.unwrap_or_else(|| default.to_owned());
        if written.trim().is_empty() && !default.is_empty() {
            self.report(path(at), format!("`{}` names no file", at.join(".")), "write a path");
        }
        self.folder.join(written)
    }

    pub(super) fn whole(
        &mut self,
        at: &[&str],
        written: Option<i64>,
        default: usize,
        range: std::ops::RangeInclusive<usize>,
    ) -> usize {
        let Some(written) = written else { return default };
        if let Some(value) = usize::try_from(written).ok().filter(|value| range.contains(value)) {
            return value;
        }
        let remedy = format!("write a whole number from {} to {}", range.start(), range.end());
        self.report(path(at), format!("`{}` is {written}, out of range", at.join(".")), remedy);
        default
    }

    fn fraction(
        &mut self,
        at: &[&str],
        written: Option<f64>,
        default: f64,
        valid: fn(f64) -> bool,
        remedy: &str,
    ) -> f64 {
        let value = written.unwrap_or(default);
        if !valid(value) {
            self.report(path(at), format!("`{}` is {value}, out of range", at.join(".")), remedy);
        }
        value
    }

    fn document_id(&mut self, written: Option<String>) -> DocumentPattern {
        let Some(written) = written else { return DocumentPattern::default() };
        match Regex::new(&written) {
            Ok(pattern) => DocumentPattern::new(pattern),
            Err(error) => {
                let error = error.to_string();
                // The last line says what, those before it draw where.
                let what = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
                let message = format!("`document_id` is no regular expression: `{written}`: {what}");
                self.report(path(&["document_id"]), message, "for `returns-policy#3` write '^([^#]+)'");
                DocumentPattern::default()
            }
        }
    }

    fn pipeline(&mut self, raw: RawPipeline) -> PipelineConfig {
        let named = [raw.command.is_some(), raw.http.is_some(), raw.bm25.is_some(), raw.run.is_some()];
        if named.iter().filter(|named| **named).count() != 1 {
            let number = if named.contains(&true) { "more than one pipeline" } else { "no pipeline" };
            let remedy = "write exactly one of `command: [program, argument]`, `http: {url: …}`, `bm25: {documents: docs}` and \
                          `run: results.trec`";
            self.report(path(&["pipeline"]), format!("the configuration has {number}"), remedy);
        }
        let is_asked = raw.command.is_some() || raw.http.is_some();
        self.useless(raw.timeout.is_some() && !is_asked, "timeout", "`command` or `http`");
        self.useless(raw.startup_timeout.is_some() && !is_asked, "startup_timeout", "`command` or `http`");
        self.useless(raw.directory.is_some() && raw.command.is_none(), "directory", "`command`");
        self.useless(raw.env.is_some() && raw.command.is_none(), "env", "`command`");
        if raw.repeat.is_some() && raw.run.is_some() {
            let message = "`repeat` is of no use with `run`".to_owned();
            self.report(
                path(&["pipeline", "repeat"]),
                message,
                "remove it; a stored run has the repeats it was kept with",
            );
        }
        if raw.missing.is_some() && raw.run.is_none() {
            let message = "`missing` is of no use without `run`".to_owned();
            self.report(path(&["pipeline", "missing"]), message, "remove it; other pipelines answer every query");
        }
        let timeout = self.timeout("timeout", raw.timeout, TIMEOUT);
        let startup_timeout = self.timeout("startup_timeout", raw.startup_timeout, timeout);
        let missing_is_empty = self.missing(raw.missing.as_deref());
        if let Some(command) = raw.command {
            if command.first().is_none_or(|program| program.trim().is_empty()) {
                let remedy = "write the program and its arguments: [python3, pipeline/answer.py]";
                self.report(path(&["pipeline", "command"]), "`pipeline.command` names no program".to_owned(), remedy);
            }
            let directory = self.file(&["pipeline", "directory"], raw.directory, "");
            let environment = raw.env.map(|env| env.0).unwrap_or_default();
            PipelineConfig::Command(CommandConfig { command, directory, environment, timeout, startup_timeout })
        } else if let Some(http) = raw.http {
            PipelineConfig::Http(Box::new(self.http(http, timeout, startup_timeout)))
        } else if let Some(bm25) = raw.bm25 {
            PipelineConfig::Bm25(self.bm25(bm25))
        } else {
            let files = raw.run.map(OneOrMany::into_list).unwrap_or_default();
            if named[3] && (files.is_empty() || files.iter().any(|file| file.trim().is_empty())) {
                self.report(path(&["pipeline", "run"]), "`pipeline.run` names no file".to_owned(), "write a path");
            }
            let files = files.iter().map(|file| self.folder.join(file)).collect();
            PipelineConfig::Run { files, missing_is_empty }
        }
    }

    /// A list is a program, a name that ends in `.jsonl` a file of ids, anything else a pattern of files.
    fn documents(&mut self, written: OneOrMany) -> Option<Listing> {
        let words = match &written {
            OneOrMany::One(word) => std::slice::from_ref(word),
            OneOrMany::Many(words) => words,
        };
        if words.first().is_none_or(|word| word.trim().is_empty()) {
            let remedy =
                "write a pattern ('docs/**/*.md'), a JSONL file of ids, or a program and its arguments in a list";
            self.report(path(&["pipeline", "documents"]), "`pipeline.documents` names nothing".to_owned(), remedy);
            return None;
        }
        Some(match written {
            OneOrMany::Many(command) => Listing::Command(command),
            OneOrMany::One(word) => {
                let file = self.folder.join(&word);
                let is_lines = file.extension().is_some_and(|extension| extension == "jsonl");
                if is_lines { Listing::Lines(file) } else { Listing::Glob(file.to_string_lossy().into_owned()) }
            }
        })
    }

    fn useless(&mut self, is_useless: bool, key: &str, without: &str) {
        if is_useless {
            let message = format!("`{key}` is of no use without {without}");
            self.report(path(&["pipeline", key]), message, "remove it");
        }
    }

    fn timeout(&mut self, key: &str, written: Option<String>, default: Duration) -> Duration {
        let Some(written) = written else { return default };
        let duration = written.parse::<jiff::SignedDuration>().ok().and_then(|duration| duration.try_into().ok());
        if let Some(duration) =
            duration.filter(|duration| (Duration::from_millis(1)..=LONGEST_TIMEOUT).contains(duration))
        {
            return duration;
        }
        let message = format!("`{key}` is `{written}`, not a duration of at most 24 hours");
        self.report(path(&["pipeline", key]), message, "write a number with its unit: 60s, 2m, 1h 30m");
        default
    }

    fn missing(&mut self, written: Option<&str>) -> bool {
        match written {
            None | Some("error") => false,
            Some("empty") => true,
            Some(other) => {
                let remedy = "write `empty` (a query that the run does not mention found nothing) or `error`";
                self.report(path(&["pipeline", "missing"]), format!("`missing` is `{other}`"), remedy);
                false
            }
        }
    }

    fn bm25(&mut self, raw: RawBm25) -> Bm25Config {
        let at = |key| ["pipeline", "bm25", key];
        if raw.documents.as_ref().is_none_or(|documents| documents.trim().is_empty()) {
            let remedy = "add `documents:`, a folder of Markdown, text and HTML, or a JSONL file of chunks";
            self.report(path(&at("documents")), "`pipeline.bm25` names no documents".to_owned(), remedy);
        }
        let language = raw.language.unwrap_or_else(|| "english".to_owned()).to_lowercase();
        let languages = LANGUAGES.map(|(name, _)| name);
        if !languages.contains(&language.as_str()) {
            let remedy = format!("there is {}", languages.join(", "));
            self.report(path(&at("language")), format!("no stemmer for the language `{language}`"), remedy);
        }
        Bm25Config {
            documents: self.folder.join(raw.documents.unwrap_or_default()),
            language,
            chunk_size: self.whole(&at("chunk_size"), raw.chunk_size, 1000, 100..=100_000),
            k1: self.fraction(&at("k1"), raw.k1, 1.2, |k1| (0.0..=100.0).contains(&k1), "write a number from 0 to 100"),
            b: self.fraction(&at("b"), raw.b, 0.75, |b| (0.0..=1.0).contains(&b), "write a number from 0 to 1"),
        }
    }

    fn gate(&mut self, raw: RawGate, depth: usize) -> GateConfig {
        let at = |key| ["gate", key];
        let default = GateConfig::default();
        let metrics = if let Some(names) = raw.metrics {
            self.metrics(&at("metrics"), &names, depth)
        } else {
            for metric in &default.metrics {
                self.deep_enough(path(&["depth"]), *metric, depth);
            }
            default.metrics
        };
        if metrics.is_empty() && self.findings.iter().all(|finding| !finding.path.starts_with(&path(&at("metrics")))) {
            let remedy = "name at least one, or remove the line for recall@10, mrr@10, ndcg@10 and abstention";
            self.report(path(&at("metrics")), "`gate.metrics` is empty: nothing would ever fail".to_owned(), remedy);
        }
        let alpha_remedy = "write a fraction above 0 and up to 0.5, such as 0.05";
        let drop_remedy = "write a fraction from 0 to 1; 0.02 are two points";
        GateConfig {
            metrics,
            alpha: self.fraction(
                &at("alpha"),
                raw.alpha,
                default.alpha,
                |alpha| alpha > 0.0 && alpha <= 0.5,
                alpha_remedy,
            ),
            min_drop: self.fraction(
                &at("min_drop"),
                raw.min_drop,
                0.02,
                |drop| (0.0..=1.0).contains(&drop),
                drop_remedy,
            ),
            resamples: self.whole(&at("resamples"), raw.resamples, default.resamples, 1_000..=1_000_000),
            seed: raw.seed.unwrap_or(default.seed),
            floors: self.floors(raw.floors.unwrap_or(Pairs(Vec::new())), depth),
            slices: self.slices(raw.slices.unwrap_or_default()),
        }
    }

    fn metrics(&mut self, at: &[&str], names: &[String], depth: usize) -> Vec<Metric> {
        let mut metrics = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let place = [path(at), vec![Step::Index(index)]].concat();
            let Some(metric) = self.metric(place.clone(), name, depth) else { continue };
            if metrics.contains(&metric) {
                self.report(place, format!("`{metric}` is named twice"), "remove one of the two");
            } else {
                metrics.push(metric);
            }
        }
        metrics
    }

    fn metric(&mut self, place: Vec<Step>, name: &str, depth: usize) -> Option<Metric> {
        match name.parse::<Metric>() {
            Ok(metric) => {
                self.deep_enough(place, metric, depth);
                Some(metric)
            }
            Err(error) => {
                let (message, remedy) = error.split_once("; ").unwrap_or((&error, "write for example `recall@10`"));
                self.report(place, message.to_owned(), remedy);
                None
            }
        }
    }

    fn deep_enough(&mut self, place: Vec<Step>, metric: Metric, depth: usize) {
        if let Some(k) = metric.cutoff().filter(|k| *k > depth) {
            let message = format!("`{metric}` needs the first {k} results, and `depth` is {depth}");
            let remedy = if k <= DEEPEST { format!("write `depth: {k}`") } else { format!("k goes up to {DEEPEST}") };
            self.report(place, message, remedy);
        }
    }

    fn floors(&mut self, raw: Pairs<f64>, depth: usize) -> Vec<(Metric, f64)> {
        let mut floors: Vec<(Metric, f64)> = Vec::new();
        for (name, floor) in raw.0 {
            let key = [path(&["gate", "floors"]), vec![Step::Name(name.clone())]].concat();
            let Some(metric) = self.metric(key.clone(), &name, depth) else { continue };
            if !(0.0..=1.0).contains(&floor) {
                let value = [path(&["gate", "floors"]), vec![Step::key(name)]].concat();
                let remedy = if floor > 1.0 && floor <= 100.0 {
                    format!("scores are fractions: write {}", floor / 100.0)
                } else {
                    "write a fraction from 0 to 1".to_owned()
                };
                self.report(value, format!("the floor of `{metric}` is {floor}, out of range"), remedy);
            }
            if floors.iter().any(|(known, _)| *known == metric) {
                self.report(key, format!("`{metric}` has two floors"), "remove one of the two");
            }
            floors.push((metric, floor));
        }
        floors
    }

    fn slices(&mut self, names: Vec<String>) -> Vec<String> {
        for (index, name) in names.iter().enumerate() {
            let place = [path(&["gate", "slices"]), vec![Step::Index(index)]].concat();
            if name.trim().is_empty() {
                self.report(
                    place,
                    format!("the slice {name:?} has no name"),
                    "write a tag or a source of the golden set",
                );
            } else if names[..index].contains(name) {
                self.report(place, format!("the slice `{name}` is named twice"), "remove one of the two");
            }
        }
        names
    }

    /// Metrics that are shown and not gated; those that nobody asked for give way to a small depth.
    fn shown(&mut self, raw: RawReport, gated: &[Metric], depth: usize) -> Vec<Metric> {
        let shown = match raw.metrics {
            Some(names) => self.metrics(&["report", "metrics"], &names, depth),
            None => SHOWN.into_iter().filter(|metric| metric.cutoff().is_none_or(|k| k <= depth)).collect(),
        };
        shown.into_iter().filter(|metric| !gated.contains(metric)).collect()
    }
}
