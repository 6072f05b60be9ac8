//! `init`: a configuration, a golden set and a workflow to start from.

use std::path::Path;

use crate::cli::Global;
use crate::exit::ExitStatus;
use crate::files;
use crate::sink;

/// What is written, relative to the folder of the configuration.
const GOLDEN: (&str, &str) = ("golden/queries.yaml", include_str!("queries.yaml"));
const WORKFLOW: (&str, &str) = (".github/workflows/recall-gate.yml", include_str!("workflow.yml"));
const CONFIGURATION: &str = include_str!("recall-gate.yaml");

const NEXT: &str = "\nNext:
  1. recall-gate.yaml: say how your pipeline is asked
  2. golden/queries.yaml: replace the examples by about 100 real questions
  3. recall-gate golden check
  4. recall-gate baseline update --reason \"first baseline\", and commit it
  5. recall-gate run, in CI and before you merge
";

pub(super) fn init(global: &Global) -> anyhow::Result<ExitStatus> {
    let folder = global.config.parent().unwrap_or(Path::new(""));
    let files = [
        (global.config.clone(), CONFIGURATION),
        (folder.join(GOLDEN.0), GOLDEN.1),
        (folder.join(WORKFLOW.0), WORKFLOW.1),
    ];
    let mut text = String::new();
    for (path, contents) in files {
        // A file that is there is somebody's work.
        let word = if path.exists() {
            "kept "
        } else {
            files::write_atomically(&path, contents.as_bytes())?;
            "wrote"
        };
        text.push_str(&format!("{word} {}\n", path.display()));
    }
    if !global.quiet {
        sink::print(&(text + NEXT), global.color.into())?;
    }
    Ok(ExitStatus::Pass)
}
