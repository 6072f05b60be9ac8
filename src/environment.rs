//! The one reader of clock, environment variables and git; everything else gets values.

use std::path::{Path, PathBuf};
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

/// A commit in the history of a folder.
#[derive(Clone, Debug)]
pub struct Repository {
    folder: PathBuf,
    commit: String,
}

impl Repository {
    /// The merge base of what is checked out in `folder` and `reference`.
    ///
    /// # Errors
    /// Says what is missing: git, the reference, or history that a shallow clone left out.
    pub fn at(folder: &Path, reference: &str) -> Result<Self, String> {
        if git(folder, &["rev-parse", "--git-dir"]).is_none() {
            return Err("`--against` needs git, and this folder is in no repository".to_owned());
        }
        let is_shallow = git(folder, &["rev-parse", "--is-shallow-repository"]).as_deref() == Some("true");
        let hint = if is_shallow {
            "the clone is shallow; fetch the whole history (`fetch-depth: 0` for actions/checkout, or `git fetch --unshallow`)"
        } else {
            "name a branch, tag or commit; a remote branch is `origin/main`"
        };
        // The words of a user must not be taken for an option of git.
        let commit =
            git(folder, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{reference}^{{commit}}")])
                .ok_or_else(|| format!("git knows no `{reference}`\nhint: {hint}"))?;
        let commit = git(folder, &["merge-base", "HEAD", &commit])
            .ok_or_else(|| format!("the checkout and `{reference}` have no common history\nhint: {hint}"))?;
        Ok(Self { folder: folder.to_owned(), commit })
    }

    /// A file as it was at this commit, `None` where it was not there.
    ///
    /// # Errors
    /// Where the file lies outside the repository or was not UTF-8.
    pub fn file(&self, path: &Path) -> Result<Option<String>, String> {
        let relative = path.strip_prefix(&self.folder).unwrap_or(path);
        let name = format!("{}:./{}", self.commit, relative.display());
        if git(&self.folder, &["cat-file", "-t", &name]).is_none() {
            return Ok(None);
        }
        match raw(&self.folder, &["cat-file", "blob", &name]) {
            Some(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| format!("{}: not UTF-8", path.display())),
            None => Err(format!("git cannot read `{name}`")),
        }
    }
}

/// Columns of the terminal on standard output; `COLUMNS` or 80 where that is none.
#[must_use]
pub fn terminal_width() -> usize {
    let known = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    known.or_else(told).unwrap_or(80).clamp(80, 400)
}

/// A file as its repository names it: relative to the workspace of GitHub Actions or to the top folder of git, with `/`;
/// as it was given where it lies in neither.
#[must_use]
pub fn path_in_repository(path: &Path) -> String {
    let absolute = std::fs::canonicalize(path).ok();
    let workspace = std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from);
    let folder = path.parent().unwrap_or(Path::new(""));
    let top = workspace.or_else(|| git(folder, &["rev-parse", "--show-toplevel"]).map(PathBuf::from));
    let top = top.and_then(|top| std::fs::canonicalize(top).ok());
    let relative = absolute.as_deref().zip(top.as_deref()).and_then(|(path, top)| path.strip_prefix(top).ok());
    relative.unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// The page of a file of the repository at the commit that GitHub Actions runs on; `None` elsewhere.
#[must_use]
pub fn url_of(path: &str) -> Option<String> {
    let known = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let server = known("GITHUB_SERVER_URL").filter(|server| server.starts_with("https://"))?;
    let (repository, commit) = (known("GITHUB_REPOSITORY")?, known("GITHUB_SHA")?);
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(byte);
    let encoded = |text: &str| -> String {
        text.bytes()
            .map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
            .collect()
    };
    Some(format!("{server}/{}/blob/{}/{}", encoded(&repository), encoded(&commit), encoded(path)))
}

/// What git prints for `arguments`, trimmed; `None` where it fails or prints nothing.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let text = String::from_utf8(raw(folder, arguments)?).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// What git prints for `arguments`, `None` where it fails.
fn raw(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
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
    output.status.success().then_some(output.stdout)
}
