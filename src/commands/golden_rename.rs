//! `golden rename OLD NEW`: mends the labels of a document that was renamed.

use super::load_config;
use crate::cli::Global;
use crate::exit::ExitStatus;
use crate::files;
use crate::golden::rename::rename as rename_in;
use crate::id::DocumentId;
use crate::sink;
use crate::verdict::counted;

pub(super) fn rename(global: &Global, old: String, new: String) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let text = files::read_text(&config.golden)?;
    let (renamed, count) = rename_in(&text, &config.golden, &DocumentId::new(old), &DocumentId::new(new))?;
    files::write_atomically(&config.golden, renamed.as_bytes())?;
    if !global.quiet {
        sink::print(
            &format!("{}: {} renamed\n", config.golden.display(), counted(count, "label", "labels")),
            global.color.into(),
        )?;
    }
    Ok(ExitStatus::Pass)
}
