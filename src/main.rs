//! The thin edge: parse, do, turn the outcome into an exit code.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use recall_gate::cli::Cli;
use recall_gate::commands;
use recall_gate::exit;
use recall_gate::pipeline::{process, watchdog};

fn main() -> ExitCode {
    if let Some(code) = watchdog::watchdog_main(std::env::args_os()) {
        return code;
    }
    let cli = Cli::parse();
    let outcome = process::kill_children_on_interrupt().and_then(|()| commands::dispatch(cli));
    match outcome {
        Ok(status) => status.into(),
        Err(error) => {
            // A closed standard error must not turn wrong input into a panic.
            let _ = writeln!(
                anstream::stderr(),
                "error: {}",
                recall_gate::report::escape::terminal_block(&format!("{error:#}"))
            );
            ExitCode::from(exit::code_of(&error))
        }
    }
}
