//! One request and its answer: retries, redirects, limits. What it says of a fault may still hold secrets.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use ureq::http::{Request, Response, Uri, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

/// The wait before the first retry; it doubles with each.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// The longest wait that we choose.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The longest wait that an engine may ask for with `Retry-After`.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(120);

const REDIRECTS: usize = 5;

/// A request with every placeholder filled in.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<String>,
}

/// An answer of any status.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
    /// How often it was asked for.
    pub(super) attempts: u32,
}

/// No answer.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) message: String,
    /// Asking for anything else would end the same way.
    pub(super) is_final: bool,
}

impl Fault {
    fn of_request(message: String) -> Self {
        Self { message, is_final: false }
    }
}

/// Sends requests over connections that are kept open.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
    retries: u32,
    max_response: u64,
}

/// Whether it is worth asking again, and when.
enum Attempt {
    Answered(Reply),
    Again { why: Fault, after: Option<Duration>, reply: Option<Reply> },
}

impl Client {
    pub(super) fn new(timeout: Duration, connections: usize, retries: u32, max_response: u64) -> Self {
        let agent = Agent::config_builder()
            // The body of an error is what people need to see.
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(timeout))
            .max_idle_connections(connections)
            .max_idle_connections_per_host(connections)
            .user_agent(concat!("recall-gate/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .build()
            .new_agent();
        Self { agent, retries, max_response }
    }

    /// Sends a request until it is answered with anything but 429 or 5xx, or the retries are used up; `stop` ends the
    /// waiting.
    pub(super) fn send(&self, request: &Prepared, stop: &AtomicBool) -> Result<Reply, Fault> {
        let mut attempts = 1;
        loop {
            match self.attempt(request, attempts)? {
                Attempt::Answered(reply) => return Ok(reply),
                Attempt::Again { why, after, reply } => {
                    let is_too_long = after.is_some_and(|after| after > LONGEST_RETRY_AFTER);
                    if attempts > self.retries || is_too_long || stop.load(Ordering::Relaxed) {
                        return reply
                            .ok_or_else(|| Fault { message: format!("{}{}", why.message, times(attempts)), ..why });
                    }
                    pause(after.unwrap_or_else(|| backoff(attempts)), stop);
                    attempts += 1;
                }
            }
        }
    }

    /// Asks once, for a server that may not be there yet.
    pub(super) fn is_ready(&self, url: &str, headers: &[(String, String)]) -> Result<(), String> {
        let request = Prepared { method: "GET".into(), url: url.to_owned(), headers: headers.to_vec(), body: None };
        match self.attempt(&request, 1).map_err(|fault| fault.message)? {
            Attempt::Answered(reply) if (200..300).contains(&reply.status) => Ok(()),
            Attempt::Answered(reply) | Attempt::Again { reply: Some(reply), .. } => {
                Err(format!("it answered {}", status_line(reply.status)))
            }
            Attempt::Again { why, .. } => Err(why.message),
        }
    }

    fn attempt(&self, request: &Prepared, attempts: u32) -> Result<Attempt, Fault> {
        let mut request = request.clone();
        for _ in 0..=REDIRECTS {
            let sent = self.once(&request);
            let mut response = match sent {
                Ok(response) => response,
                Err(error) => return failed(&error, &request.url),
            };
            let status = response.status().as_u16();
            if (300..400).contains(&status) && status != 304 {
                request.url = redirected(&request, &response).map_err(Fault::of_request)?;
                continue;
            }
            let retry_after = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
            let after = retry_after.and_then(|value| wait_until(value, SystemTime::now()));
            let content_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
            let content_type = content_type.unwrap_or_default().to_owned();
            let body = match response.body_mut().with_config().limit(self.max_response).read_to_vec() {
                Ok(body) => body,
                Err(ureq::Error::BodyExceedsLimit(limit)) => {
                    return Err(Fault::of_request(format!(
                        "the answer is longer than {limit} bytes\nhint: ask for ids alone (no `_source`, no vectors), or \
                         raise `max_response`"
                    )));
                }
                Err(error) => return failed(&error, &request.url),
            };
            let reply = Reply { status, content_type, body, attempts };
            if status != 429 && status < 500 {
                return Ok(Attempt::Answered(reply));
            }
            let why = Fault::of_request(status_line(status));
            return Ok(Attempt::Again { why, after, reply: Some(reply) });
        }
        Err(Fault::of_request(format!("more than {REDIRECTS} redirects\nhint: write the final URL")))
    }

    fn once(&self, request: &Prepared) -> Result<Response<Body>, ureq::Error> {
        let mut builder = Request::builder().method(request.method.as_str()).uri(&request.url);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        match &request.body {
            Some(body) => self.agent.run(builder.body(body.as_str())?),
            None => self.agent.run(builder.body(())?),
        }
    }
}

/// How often it was asked, where that was more than once.
pub(super) fn times(attempts: u32) -> String {
    if attempts > 1 { format!(" (asked {attempts} times)") } else { String::new() }
}

/// A status with its name.
pub(super) fn status_line(status: u16) -> String {
    let name = ureq::http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    format!("{status} {}", name.unwrap_or_default()).trim_end().to_owned()
}

/// A fault of the connection may pass; a request that cannot be written or an answer that is no HTTP will not.
fn failed(error: &ureq::Error, url: &str) -> Result<Attempt, Fault> {
    use ureq::Error::{BadUri, ConnectionFailed, HostNotFound, Http, Io, Protocol, RequireHttpsOnly, Timeout};
    let server = server(url);
    let again = |message: String| {
        let why = Fault { message, is_final: true };
        Ok(Attempt::Again { why, after: None, reply: None })
    };
    match error {
        Timeout(_) => again(format!(
            "{server} did not answer in time\nhint: raise `timeout`, or lower `concurrency` where the engine is overloaded"
        )),
        Io(_) | ConnectionFailed | HostNotFound => again(format!(
            "cannot reach {server}: {error}\nhint: start the engine before the gate; `wait_for: URL` waits until it answers"
        )),
        Http(_) | BadUri(_) | RequireHttpsOnly(_) => {
            let message = format!("the request cannot be sent: {error}\nhint: see its `url` and `headers`");
            Err(Fault { message, is_final: true })
        }
        Protocol(_) => Err(Fault { message: format!("{server} does not answer in HTTP: {error}"), is_final: true }),
        other => Err(Fault { message: format!("{server}: {other}"), is_final: true }),
    }
}

/// Scheme and host of a URL, without a password and without the rest.
pub(super) fn server(url: &str) -> String {
    let Ok(uri) = url.parse::<Uri>() else { return "the server".to_owned() };
    let host = uri.host().unwrap_or("the server");
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}", uri.scheme_str().unwrap_or("http"))
}

/// Where a redirect leads, if it stays with the same server: a token goes to nobody else.
fn redirected(request: &Prepared, response: &Response<Body>) -> Result<String, String> {
    let status = status_line(response.status().as_u16());
    let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
    let Some(location) = location else { return Err(format!("it answered {status} without saying where to")) };
    if request.body.is_some() && ![307, 308].contains(&response.status().as_u16()) {
        return Err(format!("it answered {status}, which loses the body, to {location}\nhint: write that URL"));
    }
    let here = server(&request.url);
    let target = if location.starts_with('/') && !location.starts_with("//") {
        format!("{here}{location}")
    } else {
        location.to_owned()
    };
    let same = |url: &str| {
        let uri = url.parse::<Uri>().ok()?;
        let port = uri.port_u16().or(if uri.scheme_str() == Some("https") { Some(443) } else { Some(80) });
        Some((uri.scheme_str()?.to_lowercase(), uri.host()?.to_lowercase(), port))
    };
    if same(&target).is_none() || same(&target) != same(&request.url) {
        return Err(format!(
            "it answered {status} to another server, {}, which is not followed, since the request may carry a token\n\
             hint: write the final URL",
            server(&target)
        ));
    }
    Ok(target)
}

/// The wait before retry number `attempt`: doubling, and each client at another moment ("full jitter").
fn backoff(attempt: u32) -> Duration {
    let longest = FIRST_WAIT.saturating_mul(1 << attempt.min(16)).min(LONGEST_WAIT);
    // Keyed at random by the standard library, and of no influence on any result.
    let share = RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64;
    longest.mul_f64(0.5 + share / 2.0)
}

/// Sleeps in short turns, so that a failure elsewhere ends the waiting.
fn pause(wait: Duration, stop: &AtomicBool) {
    let since = Instant::now();
    while since.elapsed() < wait && !stop.load(Ordering::Relaxed) {
        std::thread::sleep((wait.saturating_sub(since.elapsed())).min(Duration::from_millis(50)));
    }
}

/// How long `Retry-After` asks to wait: seconds, or a date (RFC 9110).
fn wait_until(value: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(value.trim()).ok()?;
    let since_epoch = Duration::from_secs(u64::try_from(date.timestamp().as_second()).ok()?);
    Some((SystemTime::UNIX_EPOCH + since_epoch).duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(wait_until(" 7 ", now), Some(Duration::from_secs(7)));
        assert_eq!(wait_until("Sun, 06 Nov 1994 08:49:47 GMT", now), Some(Duration::from_secs(10)));
        assert_eq!(wait_until("Sun, 06 Nov 1994 08:49:00 GMT", now), Some(Duration::ZERO), "the past");
        assert_eq!(wait_until("soon", now), None);
    }

    #[test]
    fn waits_double_and_end() {
        for attempt in 1..40 {
            let longest = Duration::from_millis(400 << (attempt - 1).min(10)).min(LONGEST_WAIT);
            let wait = backoff(attempt);
            assert!(wait >= longest / 2 && wait <= longest, "{attempt}: {wait:?}");
        }
    }

    #[test]
    fn a_server_is_named_without_its_password() {
        assert_eq!(server("http://user:pass@h:81/x?key=1"), "http://h:81");
        assert_eq!(server("https://h/x"), "https://h");
    }
}
