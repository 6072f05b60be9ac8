//! Checkers that are no part of the project: `make checkers` fetches them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A file of `target/checkers`, or `None` (said on standard error) where `make checkers` has not been run.
///
/// With `RECALL_GATE_REQUIRE_BROWSER=1`, as in CI, its absence is a failure.
pub fn checker(file: &str) -> Option<PathBuf> {
    let root = std::env::var_os("RECALL_GATE_CHECKERS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/checkers"), PathBuf::from);
    let path = root.join(file);
    if path.exists() {
        return Some(path);
    }
    missing(&format!("{file} (`make checkers` fetches it)"))
}

/// The Chromium of this machine, as [`checker`].
pub fn chromium() -> Option<PathBuf> {
    let names = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    let found = std::env::var_os("CHROMIUM").map(PathBuf::from).into_iter().chain(names).find(|path| path.exists());
    found.or_else(|| missing("Chromium (CHROMIUM names it)"))
}

/// What a program printed, as [`checker`] where the program is not on this machine.
pub fn found(output: std::io::Result<Output>) -> Option<Output> {
    match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => missing("Java"),
        output => Some(output.unwrap()),
    }
}

fn missing<T>(what: &str) -> Option<T> {
    let required = std::env::var_os("RECALL_GATE_REQUIRE_BROWSER").is_some_and(|value| value == "1");
    assert!(!required, "{what} is missing and RECALL_GATE_REQUIRE_BROWSER=1 asks for it");
    // Past the test harness, which hides what a passing test prints.
    let _ = writeln!(std::io::stderr(), "skipped: there is no {what}");
    None
}
