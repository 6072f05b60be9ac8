//! A real HTTP/1.1 server on a free port, whose answers a test chooses: for shapes and faults of engines that cannot be
//! had here, or that do not fail when they are asked to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What was asked.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub method: String,
    /// Path and query string, as sent.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// How many requests came before it, over all connections.
    pub number: usize,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// What is answered.
pub enum Answer {
    /// A status and a body.
    Body(u16, String),
    /// A status, header lines and a body.
    Full(u16, Vec<String>, String),
    /// The connection is closed without a word.
    Hangup,
    /// Bytes that need be no HTTP, and then the end.
    Raw(Vec<u8>),
}

impl From<&serde_json::Value> for Answer {
    fn from(value: &serde_json::Value) -> Self {
        Self::Body(200, value.to_string())
    }
}

pub struct Server {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    connections: Arc<AtomicUsize>,
    stopped: Arc<AtomicBool>,
}

impl Server {
    pub fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), answer)
    }

    pub fn on(listener: TcpListener, answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Self { url, asked: Arc::default(), connections: Arc::default(), stopped: Arc::default() };
        let (asked, connections, stopped) =
            (Arc::clone(&server.asked), Arc::clone(&server.connections), Arc::clone(&server.stopped));
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                connections.fetch_add(1, Ordering::Relaxed);
                let (asked, answer) = (Arc::clone(&asked), Arc::clone(&answer));
                std::thread::spawn(move || serve(&stream, &asked, answer.as_ref()));
            }
        });
        server
    }

    /// Everything that was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// How many connections were opened.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
    }
}

fn serve(stream: &TcpStream, asked: &Mutex<Vec<Asked>>, answer: &impl Fn(&Asked) -> Answer) {
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    while let Some(mut request) = read(&mut reader) {
        {
            let mut asked = asked.lock().unwrap();
            request.number = asked.len();
            asked.push(request.clone());
        }
        // As a proxy: the tunnel ends here.
        if request.method == "CONNECT" {
            let _ = writer.write_all(b"HTTP/1.1 200 Connected\r\n\r\n");
            continue;
        }
        let (status, headers, body) = match answer(&request) {
            Answer::Body(status, body) => (status, Vec::new(), body),
            Answer::Full(status, headers, body) => (status, headers, body),
            Answer::Hangup => break,
            Answer::Raw(bytes) => {
                let _ = writer.write_all(&bytes);
                break;
            }
        };
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        let head = format!("HTTP/1.1 {status} Whatever\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
        if writer.write_all(format!("{head}{body}").as_bytes()).is_err() {
            break;
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split(' ');
    let mut asked = Asked { method: words.next()?.to_owned(), target: words.next()?.to_owned(), ..Asked::default() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        asked.headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    asked.body = String::from_utf8(body).ok()?;
    Some(asked)
}
