//! Which documents there are, so that a label of one that is gone is not taken for a loss of quality.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::PipelineError;
use crate::config::Listing;
use crate::files;
use crate::id::{DocumentId, DocumentPattern, ResultId};

/// Lists every document.
///
/// # Errors
/// Where the program fails, the pattern matches nothing, or a line has no id.
pub fn documents(
    listing: &Listing,
    folder: &Path,
    pattern: &DocumentPattern,
) -> Result<BTreeSet<DocumentId>, PipelineError> {
    let ids = match listing {
        Listing::Command(command) => by_command(command, folder)?,
        Listing::Lines(path) => by_lines(path)?,
        Listing::Glob(glob) => by_glob(glob)?,
    };
    if ids.is_empty() {
        return Err(PipelineError::new(
            "`documents` lists no document\nhint: see what it names; remove it to do without",
        ));
    }
    Ok(ids.iter().map(|id| pattern.document(&ResultId::new(id.as_str()))).collect())
}

/// One id a line of standard output.
fn by_command(command: &[String], folder: &Path) -> Result<Vec<String>, PipelineError> {
    let fail = |what: String| PipelineError::new(format!("`documents: {}`: {what}", command.join(" ")));
    let (program, arguments) = command.split_first().ok_or_else(|| fail("no program".into()))?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| fail(error.to_string()))?;
    if !output.status.success() {
        let stderr_tail = Some(String::from_utf8_lossy(&output.stderr).into_owned());
        return Err(PipelineError { stderr_tail, ..fail(super::process::describe(output.status)) });
    }
    let text = String::from_utf8(output.stdout).map_err(|_| fail("its output is not UTF-8".into()))?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// The `id` or `_id` of every line.
fn by_lines(path: &Path) -> Result<Vec<String>, PipelineError> {
    let text = files::read_text(path).map_err(|error| PipelineError::new(error.to_string()))?;
    let id = |(index, line): (usize, &str)| {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        let id = value.get("id").or_else(|| value.get("_id")).and_then(Value::as_str);
        id.map(str::to_owned).ok_or_else(|| {
            PipelineError::new(format!("{}:{}: no `id`\nhint: a line is {{\"id\": …}}", path.display(), index + 1))
        })
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(id).collect()
}

/// The path of every file that matches, from the first folder with a wildcard on, without its extension.
fn by_glob(pattern: &str) -> Result<Vec<String>, PipelineError> {
    let fail = |what: String| PipelineError::new(format!("`documents: {pattern}`: {what}"));
    let fixed: std::path::PathBuf = Path::new(pattern)
        .components()
        .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']))
        .collect();
    let found = glob::glob(pattern).map_err(|error| fail(error.to_string()))?;
    let files = found.filter_map(|path| match path {
        Ok(path) if path.is_dir() => None,
        Ok(path) => {
            let relative = path.strip_prefix(&fixed).unwrap_or(&path).with_extension("");
            let parts: Vec<_> =
                relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            Some(Ok(parts.join("/")))
        }
        Err(error) => Some(Err(fail(error.to_string()))),
    });
    files.collect()
}
