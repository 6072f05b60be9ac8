//! `schema`: the shapes of the files, for editors and for other programs.

use crate::cli::{Global, Schema};
use crate::exit::ExitStatus;
use crate::sink;

pub(super) fn schema(global: &Global, schema: Schema) -> anyhow::Result<ExitStatus> {
    let text = match schema {
        Schema::Report => include_str!("../schemas/report.json"),
        Schema::Config => include_str!("../schemas/config.json"),
        Schema::Golden => include_str!("../schemas/golden.json"),
    };
    sink::print(text, global.color.into())?;
    Ok(ExitStatus::Pass)
}
