//! `http` pipelines against a server that behaves, and against one that fails in every way that has been seen.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::project::{Outcome, Project, golden};
use crate::common::server::{Answer, Asked, Server};

const TOKEN: &str = "s3cret-t0ken-never-shown";

/// A project of 100 queries against `server`, with more settings of `http` (JSON of a mapping's inside) and of `pipeline`.
fn project(server: &str, http: &str, pipeline: &str) -> Project {
    let project = Project::with_config(&format!(
        "pipeline:\n  http: {{url: \"{server}/search?q={{{{query}}}}&k={{{{k}}}}\", results: $.hits, score: score, \
         headers: {{Authorization: \"Bearer {{{{env.GATE_TOKEN}}}}\"}}{http}}}\n{pipeline}"
    ));
    project.write("golden/queries.yaml", golden(100));
    project
}

fn run(project: &Project, arguments: &[&str]) -> Outcome {
    let outcome: Outcome = project.command(arguments).env("GATE_TOKEN", TOKEN).output().unwrap().into();
    for shown in [&outcome.stdout, &outcome.stderr] {
        assert!(!shown.contains(TOKEN), "the token is shown: {shown}");
    }
    outcome
}

const UPDATE: [&str; 5] = ["baseline", "update", "--reason", "first", "--yes"];

/// The document that answers `question N`.
fn found(asked: &Asked) -> Value {
    let query = asked.target.split("q=question%20").nth(1).unwrap_or("0");
    let number: usize = query.split('&').next().unwrap().parse().unwrap();
    json!({"hits": [{"id": format!("d{number:03}"), "score": 2.5}, {"id": "other", "score": 1}]})
}

fn good(asked: &Asked) -> Answer {
    Answer::from(&found(asked))
}

#[test]
fn it_is_asked_over_few_connections_and_gives_the_same_baseline_at_any_concurrency() {
    let server = Server::start(good);
    let mut baselines = Vec::new();
    for concurrency in [1, 8] {
        let before = server.connections();
        let project = project(&server.url, &format!(", concurrency: {concurrency}"), "");
        let outcome = run(&project, &UPDATE);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(server.connections() - before <= concurrency, "connections are kept open");
        assert_eq!(run(&project, &["run"]).code, 0);
        let baseline = project.read("baselines/main.jsonl");
        assert!(!baseline.contains(TOKEN) && baseline.contains("http: GET http://127.0.0.1"), "{baseline}");
        baselines.push(baseline.lines().skip(1).map(str::to_owned).collect::<Vec<_>>());
    }
    assert_eq!(baselines[0], baselines[1]);
    let asked = server.asked();
    assert!(asked.iter().all(|asked| asked.header("authorization") == Some(&format!("Bearer {TOKEN}"))));
    assert!(asked[0].target.ends_with("&k=20"), "{}", asked[0].target);
}

#[test]
fn a_lost_document_is_a_regression_and_a_dead_server_is_not() {
    let server = Server::start(good);
    let project = project(&server.url, ", retries: 1", "");
    assert_eq!(run(&project, &UPDATE).code, 0);

    let worse = Server::start(|asked| {
        let is_lost = asked.target.contains("question%201");
        if is_lost { Answer::from(&json!({"hits": []})) } else { good(asked) }
    });
    let config = project.read("recall-gate.yaml").replace(&server.url, &worse.url);
    project.write("worse.yaml", &config);
    let outcome = run(&project, &["--config", "worse.yaml", "run"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");

    let dying = Server::start(|asked| if asked.number < 40 { good(asked) } else { Answer::Hangup });
    project.write("dying.yaml", config.replace(&worse.url, &dying.url));
    let outcome = run(&project, &["--config", "dying.yaml", "run"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    let said = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("60 of 100 queries are unanswered: `q0"), "{said}");
    assert!(said.contains("asked 2 times"), "{said}");
}

#[test]
fn a_server_that_is_busy_is_asked_again() {
    let server = Server::start(|asked| match asked.number % 3 {
        0 => Answer::Full(429, vec!["Retry-After: 0".to_owned()], "slow down".to_owned()),
        1 => Answer::Body(503, "starting".to_owned()),
        _ => good(asked),
    });
    let project = project(&server.url, ", concurrency: 1, retries: 2", "");
    project.write("golden/queries.yaml", golden(20));
    let outcome = run(&project, &UPDATE);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(server.asked().len(), 60);
}

#[test]
fn a_connection_that_breaks_is_opened_again() {
    let server = Server::start(|asked| if asked.number % 2 == 0 { Answer::Hangup } else { good(asked) });
    let project = project(&server.url, ", concurrency: 1", "");
    project.write("golden/queries.yaml", golden(20));
    assert_eq!(run(&project, &UPDATE).code, 0);
}

type Answers = Box<dyn Fn(&Asked) -> Answer + Send + Sync>;

#[test]
fn every_fault_of_an_answer_is_named_and_nothing_secret_with_it() {
    let echo = |asked: &Asked| format!("{{\"message\": \"bad key: {}\"}}", asked.header("authorization").unwrap());
    let cases: Vec<(&str, Answers, &str)> = vec![
        (
            "",
            Box::new(move |asked| Answer::Body(401, echo(asked))),
            "401 Unauthorized: bad key: Bearer {{env.GATE_TOKEN}}",
        ),
        ("", Box::new(|_| Answer::Body(400, "syntax error near \"AND\"".into())), "400 Bad Request: syntax error near"),
        ("", Box::new(|_| Answer::Body(404, String::new())), "404 Not Found: (an empty body)"),
        ("", Box::new(|_| Answer::Body(500, "boom".into())), "500 Internal Server Error (asked 2 times): boom"),
        ("", Box::new(|_| Answer::Body(200, "<html>Log in</html>".into())), "with no JSON"),
        (
            "",
            Box::new(|_| Answer::Body(200, format!("{{\"hits\":{}{}}}", "[".repeat(5000), "]".repeat(5000)))),
            "recursion limit",
        ),
        ("", Box::new(|_| Answer::Body(200, "\u{feff}{\"hits\": [{\"id\": true}]}".into())), "its id is true"),
        ("", Box::new(|_| Answer::Body(200, "{\"error\": 1}".into())), "has no `$.hits`"),
        ("", Box::new(|_| Answer::Body(200, "{\"hits\": [{\"key\": 1}]}".into())), "hit 1: no `id`"),
        ("", Box::new(|_| Answer::Raw(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec())), "http://127.0.0.1"),
        ("", Box::new(|_| Answer::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{".to_vec())), "http://127.0.0.1"),
        (
            ", expect: ['timed_out == false']",
            Box::new(|_| Answer::Body(200, "{\"hits\": [], \"timed_out\": true}".into())),
            "`timed_out == false` does not hold",
        ),
        (
            ", max_response: 1KiB",
            Box::new(|_| Answer::Body(200, format!("{{\"hits\": [\"{}\"]}}", "x".repeat(2000)))),
            "longer than 1024 bytes",
        ),
        (
            "",
            Box::new(|_| Answer::Full(302, vec!["Location: http://127.0.0.1:1/x".into()], String::new())),
            "another server, http://127.0.0.1:1",
        ),
        (
            "",
            Box::new(|_| Answer::Full(302, vec!["Location: /search?again".into()], String::new())),
            "more than 5 redirects",
        ),
        (
            "",
            Box::new(|asked| {
                Answer::Body(200, format!("{{\"hits\": [{{\"id\": \"{}\"}}]}}", asked.header("authorization").unwrap()))
            }),
            "the answer holds the value of `GATE_TOKEN`",
        ),
    ];
    for (http, answer, wanted) in cases {
        let server = Server::start(answer);
        let project = project(&server.url, &format!(", retries: 1{http}"), "");
        let outcome = run(&project, &UPDATE);
        assert_eq!(outcome.code, 3, "{wanted}: {outcome:?}");
        assert!(outcome.stderr.contains(wanted), "{wanted}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("100 of 100 queries are unanswered: `q000`"), "{}", outcome.stderr);
        assert!(!project.path().join("baselines/main.jsonl").exists());
    }
}

#[test]
fn a_redirect_on_the_same_server_is_followed() {
    let server = Server::start(|asked| match asked.target.strip_prefix("/search") {
        Some(rest) => Answer::Full(307, vec![format!("Location: /v2/search{rest}")], String::new()),
        None => good(asked),
    });
    assert_eq!(run(&project(&server.url, "", ""), &UPDATE).code, 0);
}

#[test]
fn a_server_that_is_slow_or_not_there_is_no_regression() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let outcome = run(&project(&format!("http://{free}"), ", retries: 0", ""), &UPDATE);
    assert_eq!(outcome.code, 3);
    assert!(outcome.stderr.contains(&format!("cannot reach http://{free}")), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("hint: start the engine before the gate"), "{}", outcome.stderr);

    let server = Server::start(|asked| {
        std::thread::sleep(Duration::from_secs(2));
        good(asked)
    });
    let outcome = run(&project(&server.url, ", retries: 0", "  timeout: 100ms\n"), &UPDATE);
    assert_eq!(outcome.code, 3);
    assert!(outcome.stderr.contains("did not answer in time"), "{}", outcome.stderr);
}

#[test]
fn a_server_that_starts_late_is_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let late = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        Server::on(listener, |asked| match asked.target.as_str() {
            "/health" if asked.number < 2 => Answer::Body(503, "loading".into()),
            "/health" => Answer::Body(200, "ok".into()),
            _ => good(asked),
        })
    });
    let project = project(&url, &format!(", wait_for: '{url}/health'"), "  startup_timeout: 60s\n");
    assert_eq!(run(&project, &UPDATE).code, 0);
    assert!(late.join().unwrap().asked().len() >= 103);

    let never = Server::start(|_| Answer::Body(503, "loading".into()));
    let project =
        self::project(&never.url, &format!(", wait_for: '{}/health'", never.url), "  startup_timeout: 300ms\n");
    let outcome = run(&project, &UPDATE);
    assert_eq!(outcome.code, 3);
    assert!(outcome.stderr.contains("/health` is not ready after 300ms: it answered 503"), "{}", outcome.stderr);
}

#[test]
fn setup_captures_a_value_and_vectors_come_from_a_program_or_a_file() {
    let server = Server::start(|asked| match asked.target.as_str() {
        "/collections" => Answer::from(&json!({"id": "c-7f/1"})),
        "/collections/c-7f%2F1/query" => {
            let body = asked.json();
            let number = body["vectors"][0][0].as_f64().unwrap();
            Answer::from(&json!({"ids": [[format!("d{number:03}")]], "distances": [[0.5]]}))
        }
        other => Answer::Body(404, other.to_owned()),
    });
    let config = |vector: &str| {
        format!(
            "pipeline:\n  http:\n    url: '{0}/collections/{{{{collection}}}}/query'\n    body: {{vectors: ['{{{{vector}}}}'], n: '{{{{k}}}}'}}\n    \
             setup: [{{url: '{0}/collections', body: {{name: docs}}, capture: {{collection: $.id}}}}]\n    \
             results: $.ids[0][*]\n    result_id: '@'\n    score: $.distances[0][*]\n    lower_is_better: true\n    vector: {vector}\n",
            server.url
        )
    };
    let project = Project::with_config(&config("{command: [python3, embed.py]}"));
    project.write("golden/queries.yaml", golden(100));
    project.write(
        "embed.py",
        "import json, sys\nfor line in sys.stdin:\n    question = json.loads(line)\n    \
         print(json.dumps({'id': question['id'], 'vector': [int(question['query'].split()[1]), 0.25]}))\n",
    );
    let outcome = project.run(&UPDATE);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(project.read("baselines/main.jsonl").contains("{\"id\":\"d099\",\"score\":-0.5}"));

    project.write("file.yaml", config("{file: vectors.jsonl}"));
    let lines: String = (0..100).map(|n| format!("{{\"id\":\"q{n:03}\",\"vector\":[{n},1]}}\n")).collect();
    project.write("vectors.jsonl", &lines);
    assert_eq!(project.run(&["--config", "file.yaml", "run"]).code, 0);
    for (lines, wanted) in [
        (lines.replace("[7,1]", "[7]"), "numbers and that of"),
        (lines.replace("\"q007\"", "\"q008\""), "vectors.jsonl:9: query `q008` has a vector already"),
        (lines.replace("\"q007\"", "\"x\""), "no vector for 1 of 100 queries: `q007`"),
        (lines.replace("[7,1]", "[7,\"a\"]"), "vectors.jsonl:8: `vector` of query `q007` is no list of numbers"),
    ] {
        project.write("vectors.jsonl", &lines);
        let outcome = project.run(&["--config", "file.yaml", "run"]);
        assert_eq!(outcome.code, 3);
        let said = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn a_missing_secret_is_named() {
    let server = Server::start(good);
    let outcome = project(&server.url, "", "").run(&UPDATE);
    assert_eq!(outcome.code, 3);
    assert!(outcome.stderr.contains("the environment has no `GATE_TOKEN`"), "{}", outcome.stderr);
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn a_proxy_of_the_environment_is_used() {
    let proxy = Server::start(good);
    let project = project("http://search.internal.test", "", "");
    let outcome: Outcome = project
        .command(&UPDATE)
        .env("GATE_TOKEN", TOKEN)
        .env("http_proxy", &proxy.url)
        .env_remove("no_proxy")
        .env_remove("NO_PROXY")
        .output()
        .unwrap()
        .into();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let first = &proxy.asked()[0];
    assert_eq!((first.method.as_str(), first.target.as_str()), ("CONNECT", "search.internal.test:80"));
    assert!(first.header("authorization").is_none(), "the token is for the engine");
}

#[test]
fn one_question_is_shown_in_slow_motion() {
    let server = Server::start(|asked| {
        Answer::from(&json!({"hits": [{"id": "d001", "score": 2.5}], "you": asked.header("authorization")}))
    });
    let project = project(&server.url, "", "document_id: '^d(.*)'\n");
    let outcome = run(&project, &["pipeline", "try", "a \"b\" & c"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    for wanted in [
        "/search?q=a%20%22b%22%20%26%20c&k=5",
        "Authorization: Bearer {{env.GATE_TOKEN}}",
        "Response: 200 OK, ",
        "\"you\": \"Bearer {{env.GATE_TOKEN}}\"",
        "  1    d001       001    2.5",
    ] {
        assert!(outcome.stdout.contains(wanted), "{wanted}: {}", outcome.stdout);
    }
    let broken = Server::start(|_| Answer::Body(400, "{\"error\": \"no such field\"}".to_owned()));
    let project = self::project(&broken.url, "", "");
    let outcome = run(&project, &["pipeline", "try", "x"]);
    assert_eq!(outcome.code, 3);
    assert!(outcome.stdout.contains("\"error\": \"no such field\""), "{}", outcome.stdout);
}

#[test]
fn mistakes_in_the_settings_have_a_place_and_a_remedy() {
    for (http, wanted) in [
        ("{url: 'localhost/x?{{query}}', results: '$[*]'}", "begin it with http:// or https://"),
        ("{url: 'http://h/?q={{qeury}}', results: '$[*]'}", "there is no `{{qeury}}`"),
        ("{url: 'http://h/', results: '$[*]'}", "neither `{{query}}` nor `{{vector}}`"),
        ("{url: 'http://h/?q={{query}}'}", "has no `results`"),
        ("{url: 'http://h/?q={{query}}', results: hits}", "does not begin with `$`"),
        ("{url: 'http://h/?q={{query}}', results: '$[*]', score: '@search.score'}", "`@search.score` is no JSONPath"),
        ("{url: 'http://h/?q={{query}}', results: '$[*]', expect: ['a = 1']}", "`a = 1` is no condition"),
        ("{url: 'http://h/', body: 'q={{query}}', results: '$[*]'}", "needs a filter"),
        ("{url: 'http://h/', body: {v: '{{vector}}'}, results: '$[*]'}", "nothing gives one"),
        ("{url: 'http://h/?q={{query}}', results: '$[*]', vector: {file: v}}", "`vector` is of no use"),
        ("{url: 'http://h/?q={{query}}', results: '$[*]', concurrency: 0}", "`pipeline.http.concurrency` is 0"),
        ("{url: 'http://h/?q={{query}}', results: '$[*]', max_response: 5}", "a number with its unit: 16MiB"),
        ("{url: 'http://h/?q={{query}}', results: '$[*]', headers: {'a b': c}}", "`a b` is no name of a header"),
        ("{url: 'http://h/?q={{query}}', results: '$[*]', absent: maybe}", "`absent` is `maybe`"),
        ("{url: 'http://h/?q={{query}}', results: '$[*]', ulr: x}", "unknown key `ulr`"),
        ("{preset: elasticsaerch}", "did you mean `elasticsearch`?"),
        ("{preset: elasticsearch}", "the preset `elasticsearch` needs index"),
        ("{preset: elasticsearch, with: {index: a, feilds: b}}", "did you mean `fields`?"),
        ("{preset: qdrant, with: {collection: a}}", "nothing gives one"),
        ("{with: {a: b}, url: 'http://h/?q={{query}}', results: '$[*]'}", "`with` is of no use without `preset`"),
    ] {
        let project = Project::with_config(&format!("pipeline:\n  http: {http}\n"));
        let outcome = project.run(&["pipeline", "try", "x"]);
        assert_eq!(outcome.code, 2, "{http}: {outcome:?}");
        assert!(outcome.stderr.contains(wanted), "{http}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("recall-gate.yaml:2:"), "{http}: {}", outcome.stderr);
    }
}

/// A certificate for 127.0.0.1, signed by an authority that no machine knows, in the folder of the project.
fn certificate(project: &Project) {
    project.write("leaf.ext", "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n");
    for arguments in [
        "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority",
        "req -newkey rsa:2048 -nodes -keyout leaf.key -out leaf.csr -subj /CN=engine",
        "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out leaf.pem -extfile leaf.ext",
    ] {
        let output = Command::new("openssl").args(arguments.split(' ')).current_dir(project.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

const TLS_SERVER: &str = r#"
import http.server, json, ssl, urllib.parse
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)["q"][0]
        body = json.dumps({"hits": [{"id": "d%03d" % int(query.split()[1]), "score": 1}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("leaf.pem", "leaf.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
"#;

#[test]
fn certificates_are_checked_and_an_authority_of_the_company_is_known_by_the_machine() {
    let project = project("https://127.0.0.1:PORT", ", retries: 0", "");
    certificate(&project);
    project.write("server.py", TLS_SERVER);
    let mut server = Command::new("python3")
        .arg("server.py")
        .current_dir(project.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut port = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
    project.write("recall-gate.yaml", project.read("recall-gate.yaml").replace("PORT", port.trim()));
    let stranger = run(&project, &UPDATE);
    let mut known = project.command(&UPDATE);
    known.env("GATE_TOKEN", TOKEN).env("SSL_CERT_FILE", project.path().join("ca.pem")).env_remove("SSL_CERT_DIR");
    let known: Outcome = known.output().unwrap().into();
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(stranger.code, 3, "{stranger:?}");
    assert!(stranger.stderr.contains("certificate"), "{}", stranger.stderr);
    assert_eq!(known.code, 0, "{known:?}");
}
