//! Ends a pipeline's processes even if we are killed with SIGKILL, against which no handler helps.
//!
//! The same executable runs a second time, as a sibling of the pipeline, and reads a pipe that only we can write to.
//! When the pipe closes without a word, we are gone, and it ends the group. On Unix only.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

/// The hidden first argument.
const ARGUMENT: &str = "__watchdog";
/// What is written when the group has ended in good order.
const DISMISSED: u8 = b'.';

/// A running watchdog.
pub struct Watchdog(Child);

impl Watchdog {
    /// Watches over the process group `group`; `None` where that is not possible, which costs no more than this safety.
    #[must_use]
    pub fn start(executable: &Path, group: u32) -> Option<Self> {
        if !cfg!(unix) {
            return None;
        }
        let mut command = Command::new(executable);
        command.arg(ARGUMENT).arg(group.to_string());
        // It must not keep a pipe open that somebody reads to its end.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Ctrl-C reaches every process of our own group.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().ok().map(Self)
    }

    /// Tells it that there is nothing left to watch.
    pub fn dismiss(mut self) {
        if let Some(mut pipe) = self.0.stdin.take() {
            let _ = pipe.write_all(&[DISMISSED]);
        }
        let _ = self.0.wait();
    }
}

/// Runs as the watchdog if the arguments say so; `None` for any other call of the program.
#[must_use]
pub fn watchdog_main(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    if arguments.next()? != ARGUMENT {
        return None;
    }
    let group = arguments.next().and_then(|group| group.to_str()?.parse::<i32>().ok()).filter(|group| *group > 1);
    let Some(group) = group else { return Some(ExitCode::from(crate::exit::WRONG_INPUT)) };
    let mut word = Vec::new();
    let _ = std::io::stdin().take(1).read_to_end(&mut word);
    if word.first() != Some(&DISMISSED) {
        end(group);
    }
    Some(ExitCode::SUCCESS)
}

#[cfg(unix)]
fn end(group: i32) {
    use nix::sys::signal::{Signal, killpg};
    let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
}

#[cfg(not(unix))]
fn end(_: i32) {}
