//! The one reader of clock, environment variables and git; everything else gets values.

use std::path::Path;
use std::process::{Command, Stdio};

/// What git says about a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The full hash of what is checked out, `None` outside git or before the first commit.
    pub hash: Option<String>,
    /// Whether tracked files differ from it.
    pub dirty: bool,
    /// `Name <mail>` as git is configured.
    pub author: Option<String>,
}

/// The time now in UTC, RFC 3339, whole seconds.
#[must_use]
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Whether this runs in continuous integration, as nearly every such service says by `CI=true`.
#[must_use]
pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.to_ascii_lowercase().as_str(), "" | "0" | "false"))
}

/// What git says about `folder`; without git everything is unknown, which is no error.
///
/// Changes below `written`, the folder of the baseline, do not make it dirty: they are what is being written.
#[must_use]
pub fn commit(folder: &Path, written: &Path) -> Commit {
    let hash = git(folder, &["rev-parse", "--verify", "--quiet", "HEAD"]);
    let written = written.strip_prefix(folder).unwrap_or(written);
    let others = format!(":(exclude,literal){}", written.display());
    let changes = git(folder, &["status", "--porcelain", "--untracked-files=no", "--", ".", &others]);
    let author = git(folder, &["config", "user.name"]).map(|name| match git(folder, &["config", "user.email"]) {
        Some(mail) => format!("{name} <{mail}>"),
        None => name,
    });
    Commit { dirty: hash.is_some() && changes.is_some(), hash, author }
}

/// What git prints for `arguments`, `None` where it fails or prints nothing.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        // A status must neither wait for another git nor write to the index.
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
