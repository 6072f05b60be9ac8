//! What the integration tests share: the collections and reference values that live outside the project.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part of this module")]

use std::io::Write as _;
use std::path::PathBuf;

pub mod checkers;
pub mod collection;
pub mod project;
pub mod server;

/// A file of the shared material, or `None` (said on standard error) where that material is not at hand.
///
/// `RECALL_GATE_SHARED` says where it is; with `RECALL_GATE_REQUIRE_SHARED=1`, as in CI, its absence is a failure.
pub fn shared(file: &str) -> Option<PathBuf> {
    let root = std::env::var_os("RECALL_GATE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = root.join(file);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var_os("RECALL_GATE_REQUIRE_SHARED").is_some_and(|value| value == "1");
    assert!(!required, "{} is missing and RECALL_GATE_REQUIRE_SHARED=1 asks for it", path.display());
    // Past the test harness, which hides what a passing test prints.
    let _ =
        writeln!(std::io::stderr(), "skipped: {} is not here (RECALL_GATE_SHARED names its folder)", path.display());
    None
}
