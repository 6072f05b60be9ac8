//! Servers as processes of their own, for as long as a test wants them.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use recall_gate::pipeline::watchdog::Watchdog;

/// Far more than any of them needs, on a machine that does other things as well.
const PATIENCE: Duration = Duration::from_secs(120);

/// A file of the folder that `tests/engines/install` fills.
pub(crate) fn installed(file: &str) -> PathBuf {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    let root = folder("RECALL_GATE_ENGINES").unwrap_or_else(|| {
        let cache = folder("XDG_CACHE_HOME").unwrap_or_else(|| folder("HOME").unwrap().join(".cache"));
        cache.join("recall-gate/engines")
    });
    let path = root.join(file);
    assert!(path.exists(), "{} is missing: tests/engines/install makes it", path.display());
    path
}

/// A port of 127.0.0.1 on which nothing listens.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Whether a GET of `path` is answered with success.
pub(crate) fn answers(port: u16, path: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    let mut answer = String::new();
    stream.write_all(request.as_bytes()).is_ok()
        && stream.read_to_string(&mut answer).is_ok()
        && answer.starts_with("HTTP/1.1 200")
}

/// A running server; it and all that it started are gone when this is dropped, and even if the test is killed.
pub(crate) struct Server {
    child: Child,
    watchdog: Option<Watchdog>,
}

impl Server {
    /// Starts `command`, which writes its log to `log`, and waits until it is `ready`.
    pub(crate) fn start(command: &mut Command, log: &Path, ready: impl Fn() -> bool) -> Self {
        let output = File::create(log).unwrap();
        // What is imported is compiled at the first start, in the folder of the installation; not again at each.
        command.env_remove("PYTHONDONTWRITEBYTECODE");
        command.stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output).process_group(0);
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let watchdog = Watchdog::start(Path::new(env!("CARGO_BIN_EXE_recall-gate")), child.id());
        let mut server = Self { child, watchdog };
        let began = Instant::now();
        while !ready() {
            let words = || std::fs::read_to_string(log).unwrap();
            if let Some(status) = server.child.try_wait().unwrap() {
                panic!("{command:?} ended with {status}:\n{}", words());
            }
            assert!(began.elapsed() < PATIENCE, "{command:?} never answered:\n{}", words());
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    /// Its process group.
    pub(crate) fn group(&self) -> Pid {
        Pid::from_raw(self.child.id().try_into().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Asked first, because PostgreSQL has shared memory to give back.
        let _ = kill(self.group(), Signal::SIGTERM);
        let began = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && began.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = killpg(self.group(), Signal::SIGKILL);
        let _ = self.child.wait();
        if let Some(watchdog) = self.watchdog.take() {
            watchdog.dismiss();
        }
    }
}
