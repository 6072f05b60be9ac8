//! `golden import`: a test collection becomes a golden set.

use std::path::Path;

use super::tell;
use crate::cli::Global;
use crate::exit::{ExitStatus, Failure};
use crate::files;
use crate::golden::import::{as_lines, as_yaml, import as read};
use crate::pipeline::names;
use crate::verdict::counted;

pub(super) fn import(global: &Global, queries: &Path, judgments: &Path, output: &Path) -> anyhow::Result<ExitStatus> {
    if output.exists() {
        let message = format!("`{}` is there already\nhint: name another file, or remove it", output.display());
        return Err(Failure::Input(message).into());
    }
    let imported = read(&files::read_text(queries)?, &files::read_text(judgments)?).map_err(|error| {
        let file = if error.starts_with("queries") { queries } else { judgments };
        Failure::Input(format!("{}: {error}", file.display()))
    })?;
    let golden = &imported.golden;
    let is_lines = output.extension().is_some_and(|extension| extension == "jsonl");
    let text = if is_lines { as_lines(golden) } else { as_yaml(golden) };
    files::write_atomically(output, text.as_bytes())?;
    let queries = counted(golden.queries.len(), "query", "queries");
    let answerable = golden.answerable().count();
    tell(global, &format!("wrote `{}`: {queries}, {answerable} answerable", output.display()))?;
    if !imported.unjudged.is_empty() {
        let (count, named) = (imported.unjudged.len(), names(&imported.unjudged));
        tell(global, &format!("warning: left out, since nobody judged them: {count} ({named})"))?;
    }
    if imported.foreign > 0 {
        let foreign = counted(imported.foreign, "judgment", "judgments");
        tell(global, &format!("warning: left out, of queries that are not there: {foreign}"))?;
    }
    Ok(ExitStatus::Pass)
}
