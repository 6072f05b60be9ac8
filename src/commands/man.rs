//! `man`: the manual page, for those who package the program.

use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::exit::ExitStatus;
use crate::sink;

pub(super) fn man() -> anyhow::Result<ExitStatus> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    sink::print(&String::from_utf8(page)?, anstream::ColorChoice::Never)?;
    Ok(ExitStatus::Pass)
}
