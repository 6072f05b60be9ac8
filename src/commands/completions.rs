//! `completions SHELL`: a script for the shell to source.

use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::exit::ExitStatus;
use crate::sink;

pub(super) fn completions(shell: clap_complete::Shell) -> anyhow::Result<ExitStatus> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "recall-gate", &mut script);
    sink::print(&String::from_utf8(script)?, anstream::ColorChoice::Never)?;
    Ok(ExitStatus::Pass)
}
