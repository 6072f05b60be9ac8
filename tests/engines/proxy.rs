//! Something between the program and a server, which sees what is asked.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Passes on bytes in both directions, until the process ends.
pub(crate) struct Proxy {
    /// Where it listens.
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// Stands before `server`, and calls `see` with the number of each request before it is passed on.
    pub(crate) fn start(server: u16, see: impl Fn(usize) + Clone + Send + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::<String>::new()));
        let shared = Arc::clone(&asked);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(("127.0.0.1", server))) else { continue };
                let (asked, see) = (Arc::clone(&shared), see.clone());
                let (answers, receiver) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || pass(answers, receiver, |_| ()));
                std::thread::spawn(move || {
                    pass(client, server, |bytes| {
                        let text = String::from_utf8_lossy(bytes).into_owned();
                        let begins = text.starts_with("GET ") || text.starts_with("POST ");
                        let number = {
                            let mut asked = asked.lock().unwrap();
                            match asked.last_mut() {
                                // The body may come on its own.
                                Some(last) if !begins => last.push_str(&text),
                                _ => asked.push(text),
                            }
                            asked.len()
                        };
                        if begins {
                            see(number);
                        }
                    });
                });
            }
        });
        Self { port, asked }
    }

    /// Every request so far; where several were under way at once, a body may stand with another head.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Copies until either end is closed, and closes the other.
fn pass(mut from: TcpStream, mut to: TcpStream, mut see: impl FnMut(&[u8])) {
    let mut buffer = [0; 8192];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        see(&buffer[..length]);
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
