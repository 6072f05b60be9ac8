//! `http`: an engine or a service that answers one request per query.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use serde_json_path::JsonPath;

use super::{Answers, Pipeline, PipelineError, Progress, Question, Trace, names};
use crate::config::HttpConfig;
use crate::id::QueryId;
use crate::run::jsonl::excerpt;
use crate::run::{Ranking, Run};
use client::{Client, Fault, Prepared, Reply, status_line, times};
use request::RequestTemplate;
use secrets::Secrets;
use template::{Name, Values};

mod client;
pub mod guard;
pub mod preset;
pub mod reading;
pub mod request;
mod secrets;
pub mod template;
mod vectors;

/// After so many queries that failed, the others are not asked.
const FAILURES: usize = 5;

/// How often a server is asked whether it is ready.
const LOOK: Duration = Duration::from_millis(200);

/// A request made once before the first query, whose answer gives values to later ones.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The request.
    pub request: RequestTemplate,
    /// The name of each value and the path to it.
    pub capture: Vec<(String, JsonPath)>,
}

/// A server that is asked over HTTP.
#[derive(Debug)]
pub struct HttpPipeline {
    config: HttpConfig,
    folder: PathBuf,
}

impl HttpPipeline {
    /// Asks as `config` says; `folder` is where the program for vectors starts.
    #[must_use]
    pub fn new(config: HttpConfig, folder: &Path) -> Self {
        Self { config, folder: folder.to_owned() }
    }

    fn templates(&self) -> impl Iterator<Item = &Name> {
        let setup = self.config.setup.iter().flat_map(|setup| setup.request.names());
        let wait = self.config.wait_for.iter().flat_map(template::Template::names);
        self.config.request.names().chain(setup).chain(wait)
    }

    /// The variables of the environment that the templates name.
    fn environment(&self) -> Result<BTreeMap<String, String>, PipelineError> {
        let mut environment = BTreeMap::new();
        for name in self.templates() {
            let Name::Environment(variable) = name else { continue };
            match std::env::var(variable) {
                Ok(value) if !value.trim().is_empty() => environment.insert(variable.clone(), value.trim().to_owned()),
                _ => {
                    return Err(PipelineError::new(format!(
                        "the environment has no `{variable}`, which the request needs\nhint: set it; a pull request from \
                         a fork has no secrets"
                    )));
                }
            };
        }
        Ok(environment)
    }

    /// Everything that comes before the first query.
    fn begin(&self, questions: &[Question]) -> Result<Session<'_>, PipelineError> {
        let config = &self.config;
        let mut session = Session {
            config,
            client: Client::new(config.timeout, config.concurrency, config.retries, config.max_response),
            environment: self.environment()?,
            captured: BTreeMap::new(),
            vectors: BTreeMap::new(),
            secrets: Secrets::default(),
            stop: AtomicBool::new(false),
        };
        session.secrets = Secrets::new(&session.environment, &session.captured);
        session.wait().map_err(|message| session.error(&message))?;
        for (number, setup) in config.setup.iter().enumerate() {
            let captured = session
                .set_up(setup)
                .map_err(|message| session.error(&format!("request {} of `setup`: {message}", number + 1)))?;
            session.captured.extend(captured);
            session.secrets = Secrets::new(&session.environment, &session.captured);
        }
        if let Some(source) = &config.vector {
            session.vectors = vectors::vectors(source, questions, &self.folder, config.startup_timeout)?;
        }
        Ok(session)
    }
}

impl Pipeline for HttpPipeline {
    fn description(&self) -> String {
        format!("http: {}", self.config.request.description())
    }

    fn ask(&self, questions: &[Question], depth: usize, progress: &dyn Progress) -> Result<Answers, PipelineError> {
        let session = self.begin(questions)?;
        let next = AtomicUsize::new(0);
        let outcome = Mutex::new(Outcome::default());
        std::thread::scope(|scope| {
            for _ in 0..self.config.concurrency.min(questions.len()) {
                scope.spawn(|| {
                    while !session.stop.load(Ordering::Relaxed) {
                        let Some(question) = questions.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                        let answer = session.ask(question, depth);
                        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
                        match answer {
                            Ok(ranking) => {
                                outcome.run.insert(question.id.clone(), ranking);
                                progress.answered();
                            }
                            Err(fault) => outcome.failures.push((question.id.clone(), fault)),
                        }
                        let is_over = outcome.failures.last().is_some_and(|(_, fault)| fault.is_final);
                        if is_over || outcome.failures.len() >= FAILURES {
                            session.stop.store(true, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        match outcome.sentence(questions) {
            None => Ok(Answers { run: outcome.run, warnings: Vec::new() }),
            Some(message) => Err(session.error(&message)),
        }
    }

    fn trace(&self, question: &Question, depth: usize) -> Trace {
        let mut trace = Trace::default();
        let asked = self.begin(std::slice::from_ref(question)).and_then(|session| {
            session.traced(question, depth, &mut trace.steps).map_err(|fault| session.error(&fault.message))
        });
        trace.outcome = asked.map(|ranking| {
            let mut run = Run::default();
            run.insert(question.id.clone(), ranking);
            Answers { run, warnings: Vec::new() }
        });
        trace
    }
}

/// What came of all questions so far.
#[derive(Default)]
struct Outcome {
    run: Run,
    failures: Vec<(QueryId, Fault)>,
}

impl Outcome {
    /// Which queries have no answer and why; `None` where every one has.
    fn sentence(&self, questions: &[Question]) -> Option<String> {
        // Threads fail in any order; the message is that of the first question.
        let position = |id: &QueryId| questions.iter().position(|question| &question.id == id);
        let (query, fault) = self.failures.iter().min_by_key(|(id, fault)| (!fault.is_final, position(id)))?;
        let unanswered: Vec<&QueryId> =
            questions.iter().map(|question| &question.id).filter(|id| self.run.answer(id).is_none()).collect();
        let (what, hint) = fault.message.split_once("\nhint: ").unwrap_or((&fault.message, ""));
        let hint = if hint.is_empty() { String::new() } else { format!("\nhint: {hint}") };
        Some(format!(
            "query `{query}`: {what}\n{} of {} queries are unanswered: {}{hint}",
            unanswered.len(),
            questions.len(),
            names(unanswered)
        ))
    }
}

/// A server that is ready to be asked.
struct Session<'a> {
    config: &'a HttpConfig,
    client: Client,
    environment: BTreeMap<String, String>,
    captured: BTreeMap<String, Value>,
    vectors: BTreeMap<QueryId, Vec<f64>>,
    secrets: Secrets,
    stop: AtomicBool,
}

impl Session<'_> {
    fn error(&self, message: &str) -> PipelineError {
        PipelineError::new(self.secrets.hide(message))
    }

    fn values<'a>(&'a self, query: &'a str, id: &'a str, k: usize, vector: &'a [f64]) -> Values<'a> {
        Values { query, id, k, vector, environment: &self.environment, captured: &self.captured }
    }

    /// Waits until the server answers, where there is something to ask.
    fn wait(&self) -> Result<(), String> {
        let Some(url) = &self.config.wait_for else { return Ok(()) };
        let url = url.render(self.values("", "", 0, &[]));
        let headers = self.config.request.headers.iter();
        let headers: Vec<_> =
            headers.map(|(name, value)| (name.clone(), value.render(self.values("", "", 0, &[])))).collect();
        let since = Instant::now();
        loop {
            let Err(why) = self.client.is_ready(&url, &headers) else { return Ok(()) };
            if since.elapsed() > self.config.startup_timeout {
                let why = why.split("\nhint: ").next().unwrap_or_default();
                return Err(format!(
                    "`{url}` is not ready after {:?}: {why}\nhint: see that the engine starts; `startup_timeout` is how \
                     long it may take",
                    self.config.startup_timeout
                ));
            }
            std::thread::sleep(LOOK);
        }
    }

    fn set_up(&self, setup: &Setup) -> Result<Vec<(String, Value)>, String> {
        let request = setup.request.prepare(self.values("", "", 0, &[]))?;
        let reply = self.client.send(&request, &self.stop).map_err(|fault| fault.message)?;
        let response = parse(&request, &reply).map_err(|fault| fault.message)?;
        let capture = |(name, path): &(String, JsonPath)| match path.query(&response).all().as_slice() {
            [value] if value.is_string() || value.is_number() => Ok((name.clone(), (*value).clone())),
            found => Err(format!(
                "`{path}` leads to {} in {}\nhint: `capture` is the path to one text or number",
                match found {
                    [] => "nothing".to_owned(),
                    [value] => excerpt(&value.to_string()),
                    more => format!("{} values", more.len()),
                },
                excerpt(&response.to_string())
            )),
        };
        setup.capture.iter().map(capture).collect()
    }

    fn prepare(&self, question: &Question, depth: usize) -> Result<Prepared, Fault> {
        let vector = self.vectors.get(&question.id).map(Vec::as_slice).unwrap_or_default();
        let values = self.values(&question.text, question.id.as_str(), depth, vector);
        self.config.request.prepare(values).map_err(|message| Fault { message, is_final: true })
    }

    fn ask(&self, question: &Question, depth: usize) -> Result<Ranking, Fault> {
        let request = self.prepare(question, depth)?;
        let reply = self.client.send(&request, &self.stop)?;
        self.read(&request, &reply, depth)
    }

    /// As [`ask`](Self::ask), writing down what is sent and what comes back.
    fn traced(&self, question: &Question, depth: usize, steps: &mut Vec<(String, String)>) -> Result<Ranking, Fault> {
        let request = self.prepare(question, depth)?;
        let headers: String = request.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        let body = request.body.as_deref().map(pretty).unwrap_or_default();
        let text =
            format!("{} {}\n{headers}{}{body}", request.method, request.url, if body.is_empty() { "" } else { "\n" });
        steps.push(("Request".to_owned(), self.secrets.hide(text.trim_end())));
        let since = Instant::now();
        let reply = self.client.send(&request, &self.stop)?;
        let took = since.elapsed().as_millis();
        let title = format!(
            "Response: {}, {took} ms, {} bytes{}",
            status_line(reply.status),
            reply.body.len(),
            times(reply.attempts)
        );
        steps.push((title, self.secrets.hide(&pretty(&String::from_utf8_lossy(&reply.body)))));
        self.read(&request, &reply, depth)
    }

    /// Makes a ranking of an answer that is as it should be.
    fn read(&self, request: &Prepared, reply: &Reply, depth: usize) -> Result<Ranking, Fault> {
        let wrapped = Value::Array(vec![parse(request, reply)?]);
        let response = &wrapped[0];
        let fault = |message: String| Fault { message, is_final: false };
        if let Some(guard) = self.config.expect.iter().find(|guard| !guard.holds(&wrapped)) {
            return Err(fault(format!(
                "{} answered {}, but `{}` does not hold: {}\nhint: half an answer is not judged; see why the engine gives it, \
                 or change `expect`",
                request::whose(request),
                status_line(reply.status),
                guard.source(),
                excerpt(&response.to_string())
            )));
        }
        let ranking = self.config.reading.read(response, depth).map_err(fault)?;
        for result in &ranking {
            let texts = [Some(result.id.as_str()), result.text.as_deref()];
            if let Some(name) = texts.into_iter().flatten().find_map(|text| self.leaked(text)) {
                return Err(fault(format!(
                    "the answer holds the value of `{name}`, which would be stored\nhint: a server must not repeat the token"
                )));
            }
        }
        Ok(ranking)
    }

    /// The header that an answer repeats, which must not get into a baseline.
    fn leaked(&self, text: &str) -> Option<&str> {
        const TELLING: usize = 12;
        self.config.request.headers.iter().find_map(|(_, template)| {
            template.names().find_map(|name| match name {
                Name::Environment(variable) => {
                    let value = self.environment.get(variable)?;
                    (value.len() >= TELLING && text.contains(value.as_str())).then_some(variable.as_str())
                }
                _ => None,
            })
        })
    }
}

/// The JSON of an answer with a status of success.
fn parse(request: &Prepared, reply: &Reply) -> Result<Value, Fault> {
    let server = request::whose(request);
    let body = String::from_utf8_lossy(&reply.body);
    let start = match reason(&body) {
        Some(reason) => excerpt(&reason),
        None if body.trim().is_empty() => "(an empty body)".to_owned(),
        None => excerpt(body.trim_start()),
    };
    let status = reply.status;
    if !(200..300).contains(&status) {
        let hint = match status {
            401 | 403 => "\nhint: see the token: which variable of the environment holds it, and whether it may search",
            404 => "\nhint: see the `url`: the name of the index or collection is part of it",
            400 | 422 => {
                "\nhint: `recall-gate pipeline try \"…\"` shows the request; a query language needs `{{query|words}}` or \
                 `{{query|any_word}}`"
            }
            429 => "\nhint: lower `concurrency`",
            _ => "",
        };
        let message = format!("{server} answered {}{}: {start}{hint}", status_line(status), times(reply.attempts));
        return Err(Fault { message, is_final: [401, 403].contains(&status) });
    }
    // A byte order mark is no JSON, and some servers send it all the same.
    let json = reply.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&reply.body);
    serde_json::from_slice(json).map_err(|error| Fault {
        message: format!(
            "{server} answered {} with no JSON ({error}), {}: {start}\nhint: see the `url`; a page for people answers \
             like this",
            status_line(status),
            if reply.content_type.is_empty() { "of no type" } else { reply.content_type.as_str() }
        ),
        is_final: false,
    })
}

/// What the body of an error says in words, wherever the engines put it, so that no preamble hides it.
fn reason(body: &str) -> Option<String> {
    fn said(value: &Value) -> Option<String> {
        match value {
            Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
            Value::Array(values) => values.iter().find_map(said),
            Value::Object(_) => {
                let keys = ["reason", "message", "error", "msg", "detail", "title", "errors", "root_cause"];
                keys.iter().find_map(|key| said(value.get(key)?))
            }
            _ => None,
        }
    }
    let value: Value = serde_json::from_str(body).ok()?;
    if value.is_object() { said(&value) } else { None }
}

/// JSON with line ends, anything else as it is.
fn pretty(text: &str) -> String {
    let value = serde_json::from_str::<Value>(text).and_then(|value| serde_json::to_string_pretty(&value));
    value.unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn the_reason_of_an_error_is_found_where_engines_put_it() {
        for (body, wanted) in [
            (r#"{"ok": false, "sql": "select …", "error": "fts5: syntax error"}"#, Some("fts5: syntax error")),
            (
                r#"{"error": {"root_cause": [{"reason": "no such index [x]"}], "type": "t"}, "status": 404}"#,
                Some("no such index [x]"),
            ),
            (r#"{"message": "Forbidden"}"#, Some("Forbidden")),
            (r#"{"detail": [{"loc": ["body"], "msg": "field required"}]}"#, Some("field required")),
            (r#"{"code": 1}"#, None),
            ("<html>", None),
            ("[1]", None),
        ] {
            assert_eq!(reason(body).as_deref(), wanted, "{body}");
        }
    }
}
