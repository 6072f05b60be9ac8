//! `export`: the golden set and a run for other tools.

use std::path::Path;

use super::{load_baseline, load_config, load_golden, no_baseline, tell};
use crate::cli::{ExportArguments, ExportFormat, Global};
use crate::exit::{ExitStatus, Failure};
use crate::export;
use crate::files;
use crate::pipeline::{names, stored};

pub(super) fn export(global: &Global, arguments: &ExportArguments) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let golden = load_golden(&config)?;
    let run = if arguments.runs.is_empty() {
        load_baseline(&config.baseline)?.ok_or_else(|| no_baseline(&config.baseline))?.run
    } else {
        stored::read(&arguments.runs).map_err(|error| Failure::Input(error.message))?.run
    };
    let folder = &arguments.folder;
    let mut written = vec![("run.trec", export::trec_run(&golden, &run, &config.document_id))];
    match arguments.format {
        ExportFormat::Trec => {
            written.push(("qrels.txt", export::trec_qrels(&golden)));
            written.push(("topics.tsv", export::topics(&golden)));
        }
        ExportFormat::Beir => {
            written.push(("queries.jsonl", export::beir_queries(&golden)));
            written.push(("qrels/test.tsv", export::beir_qrels(&golden)));
        }
    }
    for (name, text) in written {
        let path = folder.join(Path::new(name));
        files::write_atomically(&path, text.as_bytes())?;
        tell(global, &format!("wrote `{}`", path.display()))?;
    }
    let left_out: Vec<_> = export::left_out(&golden).map(|query| &query.id).collect();
    if !left_out.is_empty() {
        let (count, named) = (left_out.len(), names(left_out));
        tell(
            global,
            &format!("warning: left out, since these formats have no judgments of passages: {count} ({named})"),
        )?;
    }
    Ok(ExitStatus::Pass)
}
