//! The settings of an `http` pipeline: a preset, what the user writes over it, and the checks of both.

use std::time::Duration;

use serde_json::{Map, Value};
use serde_json_path::JsonPath;

use super::checked::{Checker, path};
use super::schema::{RawHttp, RawSetup, RawVector};
use super::{HttpConfig, VectorSource};
use crate::diagnostic::Step;
use crate::pairs::Pairs;
use crate::pipeline::http::guard::Guard;
use crate::pipeline::http::reading::{Field, ListPath, Reading};
use crate::pipeline::http::request::{Body, RequestTemplate};
use crate::pipeline::http::template::{JsonTemplate, Name, Place, Template};
use crate::pipeline::http::{Setup, preset};

const CONCURRENCY: usize = 4;
const RETRIES: usize = 3;
const MAX_RESPONSE: u64 = 16 << 20;
const UNITS: [(&str, u64); 5] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("kB", 1000), ("MB", 1_000_000)];
const PROBES: [&str; 2] = ["query", "vector"];

fn at(keys: &[&str]) -> Vec<Step> {
    [path(&["pipeline", "http"]), path(keys)].concat()
}

/// A message and what to do, as the readers of templates and paths write them.
fn parted(error: &str) -> (String, String) {
    let (message, remedy) = error.rsplit_once("; ").unwrap_or((error, "mend it"));
    (message.to_owned(), remedy.to_owned())
}

impl Checker<'_> {
    pub(super) fn http(&mut self, raw: RawHttp, timeout: Duration, startup_timeout: Duration) -> HttpConfig {
        let raw = self.with_preset(raw);
        let mut captured = Vec::new();
        let setup = self.setup(raw.setup.unwrap_or_default(), &mut captured);
        if raw.url.is_none() {
            self.report(at(&[]), "`pipeline.http` has no `url`".to_owned(), "write `url:`, or name a `preset:`");
        }
        let url = raw.url.unwrap_or_default();
        let request = self.request(&at(&[]), &url, raw.method, raw.headers, raw.body.as_ref(), &captured);
        let uses = |wanted: &Name| request.names().any(|name| name == wanted);
        if !uses(&Name::Query) && !uses(&Name::Vector) && !url.is_empty() {
            let message =
                format!("the request has neither {}", PROBES.map(|name| format!("`{{{{{name}}}}}`")).join(" nor "));
            self.report(at(&[]), message, "put the question into its `url` or `body`: \"{{query}}\"");
        }
        let needs_vector = uses(&Name::Vector);
        let vector = self.vector(raw.vector, needs_vector);
        let reading = Reading {
            results: self.results(raw.results),
            id: self.field("result_id", raw.result_id),
            score: self.field("score", raw.score),
            text: self.field("text", raw.text),
            lower_is_better: raw.lower_is_better.unwrap_or(false),
            absent_is_empty: self.absent(raw.absent.as_deref()),
        };
        let range = |key| ["pipeline", "http", key];
        let retries = self.whole(&range("retries"), raw.retries, RETRIES, 0..=20);
        HttpConfig {
            request,
            reading,
            expect: self.guards(&raw.expect.unwrap_or_default()),
            concurrency: self.whole(&range("concurrency"), raw.concurrency, CONCURRENCY, 1..=256),
            retries: u32::try_from(retries).unwrap_or_default(),
            timeout,
            startup_timeout,
            max_response: self.size(raw.max_response.as_deref()),
            wait_for: raw.wait_for.and_then(|url| self.template(at(&["wait_for"]), &url, Place::Url, &[])),
            setup,
            vector,
        }
    }

    /// What the user writes, over what the preset says.
    fn with_preset(&mut self, raw: RawHttp) -> RawHttp {
        let Some(name) = &raw.preset else {
            if raw.with.is_some() {
                self.report(at(&["with"]), "`with` is of no use without `preset`".to_owned(), "remove it");
            }
            return raw;
        };
        let settings = match preset::filled_in(name, raw.with.as_ref().unwrap_or(&Map::new())) {
            Ok(settings) => settings,
            Err((message, remedy)) => {
                let key = if message.starts_with("there is no preset") { "preset" } else { "with" };
                self.report(at(&[key]), message, remedy);
                return raw;
            }
        };
        let preset: RawHttp = match serde_json::from_value(Value::Object(settings)) {
            Ok(preset) => preset,
            Err(error) => {
                self.report(
                    at(&["with"]),
                    format!("the preset `{name}` does not take this: {error}"),
                    "see its settings",
                );
                return raw;
            }
        };
        let mut headers = preset.headers.map(|headers| headers.0).unwrap_or_default();
        for (name, value) in raw.headers.map(|headers| headers.0).unwrap_or_default() {
            headers.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
            headers.push((name, value));
        }
        RawHttp {
            preset: raw.preset,
            with: raw.with,
            url: raw.url.or(preset.url),
            method: raw.method.or(preset.method),
            headers: Some(Pairs(headers)),
            body: raw.body.or(preset.body),
            results: raw.results.or(preset.results),
            result_id: raw.result_id.or(preset.result_id),
            score: raw.score.or(preset.score),
            text: raw.text.or(preset.text),
            lower_is_better: raw.lower_is_better.or(preset.lower_is_better),
            absent: raw.absent.or(preset.absent),
            expect: raw.expect.or(preset.expect),
            concurrency: raw.concurrency.or(preset.concurrency),
            retries: raw.retries.or(preset.retries),
            max_response: raw.max_response.or(preset.max_response),
            wait_for: raw.wait_for.or(preset.wait_for),
            setup: raw.setup.or(preset.setup),
            vector: raw.vector.or(preset.vector),
        }
    }

    fn template(&mut self, place: Vec<Step>, source: &str, kind: Place, captured: &[String]) -> Option<Template> {
        match Template::parse(source, kind, captured) {
            Ok(template) => Some(template),
            Err(error) => {
                let (message, remedy) = parted(&error);
                self.report(place, message, remedy);
                None
            }
        }
    }

    fn request(
        &mut self,
        place: &[Step],
        url: &str,
        method: Option<String>,
        headers: Option<Pairs<String>>,
        body: Option<&Value>,
        captured: &[String],
    ) -> RequestTemplate {
        let under = |key: &str| [place.to_vec(), path(&[key])].concat();
        let empty = || Template::plain("");
        let default = if body.is_some() { "POST" } else { "GET" };
        let method = method.map_or_else(|| default.to_owned(), |method| method.to_uppercase());
        if !["GET", "POST", "PUT"].contains(&method.as_str()) {
            self.report(under("method"), format!("`method` is `{method}`"), "write GET or POST");
        }
        let begins = url.split_once("{{").map_or(url, |(before, _)| before);
        if !begins.is_empty() && !begins.starts_with("http://") && !begins.starts_with("https://") {
            self.report(under("url"), format!("`{url}` is no URL"), "begin it with http:// or https://");
        }
        let template = self.template(under("url"), url, Place::Url, captured).unwrap_or_else(empty);
        let mut filled = Vec::new();
        for (name, value) in headers.map(|headers| headers.0).unwrap_or_default() {
            let key = [under("headers"), vec![Step::Name(name.clone())]].concat();
            if ureq::http::HeaderName::try_from(name.as_str()).is_err() {
                self.report(key, format!("`{name}` is no name of a header"), "use letters, digits and `-`");
                continue;
            }
            filled.extend(self.template(key, &value, Place::Text, captured).map(|value| (name, value)));
        }
        let body = body.and_then(|body| {
            let parsed = match body {
                Value::String(text) => Template::parse(text, Place::Body, captured).map(Body::Text),
                other => JsonTemplate::parse(other, captured).map(Body::Json),
            };
            parsed
                .map_err(|error| {
                    let (message, remedy) = parted(&error);
                    self.report(under("body"), message, remedy);
                })
                .ok()
        });
        RequestTemplate { method, url: template, headers: filled, body }
    }

    fn setup(&mut self, raw: Vec<RawSetup>, captured: &mut Vec<String>) -> Vec<Setup> {
        let mut setup = Vec::new();
        for (index, raw) in raw.into_iter().enumerate() {
            let place = [at(&["setup"]), vec![Step::Index(index)]].concat();
            let request = self.request(&place, &raw.url, raw.method, raw.headers, raw.body.as_ref(), captured);
            let mut capture = Vec::new();
            for (name, source) in raw.capture.map(|capture| capture.0).unwrap_or_default() {
                let key = [place.clone(), path(&["capture"]), vec![Step::key(name.as_str())]].concat();
                match JsonPath::parse(&source) {
                    Ok(path) => capture.push((name, path)),
                    Err(_) => self.report(key, format!("`{source}` is no JSONPath"), "write for example `$.id`"),
                }
            }
            captured.extend(capture.iter().map(|(name, _)| name.clone()));
            setup.push(Setup { request, capture });
        }
        setup
    }

    fn vector(&mut self, raw: Option<RawVector>, is_needed: bool) -> Option<VectorSource> {
        let Some(raw) = raw else {
            if is_needed {
                let remedy = "write `vector: {command: [python3, embed.py]}` or `vector: {file: vectors.jsonl}`";
                self.report(at(&[]), "the request needs `{{vector}}`, and nothing gives one".to_owned(), remedy);
            }
            return None;
        };
        if !is_needed {
            let message = "`vector` is of no use: the request has no `{{vector}}`".to_owned();
            self.report(at(&["vector"]), message, "remove it, or put `{{vector}}` into the `body`");
        }
        match (raw.command, raw.file) {
            (Some(command), None) if !command.is_empty() => Some(VectorSource::Command(command)),
            (None, Some(file)) if !file.trim().is_empty() => Some(VectorSource::File(self.folder.join(file))),
            _ => {
                let remedy = "write either `command: [program, argument]` or `file: vectors.jsonl`";
                self.report(at(&["vector"]), "`vector` names not one source".to_owned(), remedy);
                None
            }
        }
    }

    fn results(&mut self, written: Option<String>) -> ListPath {
        let fallback = ListPath::root();
        let Some(written) = written else {
            let remedy =
                "write the path to the hits in the answer, such as `$.hits[*]`; `$[*]` where it is a list itself";
            self.report(at(&[]), "`pipeline.http` has no `results`".to_owned(), remedy);
            return fallback;
        };
        ListPath::parse(&written).unwrap_or_else(|error| {
            let (message, remedy) = parted(&error);
            self.report(at(&["results"]), message, remedy);
            fallback
        })
    }

    fn field(&mut self, key: &str, written: Option<String>) -> Option<Field> {
        match Field::parse(&written?) {
            Ok(field) => Some(field),
            Err(error) => {
                let (message, remedy) = parted(&error);
                self.report(at(&[key]), message, remedy);
                None
            }
        }
    }

    fn absent(&mut self, written: Option<&str>) -> bool {
        match written {
            None | Some("error") => false,
            Some("empty") => true,
            Some(other) => {
                let remedy = "write `empty` (an answer without the list found nothing) or `error`";
                self.report(at(&["absent"]), format!("`absent` is `{other}`"), remedy);
                false
            }
        }
    }

    fn guards(&mut self, written: &[String]) -> Vec<Guard> {
        let mut guards = Vec::new();
        for (index, source) in written.iter().enumerate() {
            match Guard::parse(source) {
                Ok(guard) => guards.push(guard),
                Err(error) => {
                    let (message, remedy) = parted(&error);
                    self.report([at(&["expect"]), vec![Step::Index(index)]].concat(), message, remedy);
                }
            }
        }
        guards
    }

    fn size(&mut self, written: Option<&str>) -> u64 {
        let Some(written) = written else { return MAX_RESPONSE };
        let parsed = UNITS
            .iter()
            .find_map(|(unit, bytes)| written.strip_suffix(unit)?.trim().parse::<u64>().ok()?.checked_mul(*bytes));
        if let Some(size) = parsed.filter(|size| (1 << 10..=1 << 30).contains(size)) {
            return size;
        }
        let message = format!("`max_response` is `{written}`, not a size of at most 1 GiB");
        self.report(at(&["max_response"]), message, "write a number with its unit: 16MiB");
        MAX_RESPONSE
    }
}
