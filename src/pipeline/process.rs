//! A pipeline's processes: started in a group of their own, so that all of them can be ended together.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap};

use super::watchdog::Watchdog;

/// How long an ended program may take to be gone.
const REAPED_WITHIN: Duration = Duration::from_secs(2);

type Child = Arc<Mutex<Box<dyn ChildWrapper>>>;

/// Every group that an interrupt must end.
static LIVE: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// A program and whatever it starts; ended when this is dropped.
pub struct Group {
    child: Child,
    /// Its standard input, until it is taken.
    pub stdin: Option<ChildStdin>,
    /// Its standard output, until it is taken.
    pub stdout: Option<ChildStdout>,
    /// Its standard error, until it is taken.
    pub stderr: Option<ChildStderr>,
    watchdog: Option<Watchdog>,
}

impl Group {
    /// Starts `command` (program and arguments) in `directory`, without a shell, with variables beside our own.
    ///
    /// `executable` is this program, which also serves as the watchdog that ends the group if we are killed ourselves.
    ///
    /// # Errors
    /// Says what cannot be started and what to do.
    pub fn start(
        command: &[String],
        directory: &Path,
        environment: &[(String, String)],
        executable: Option<&Path>,
    ) -> Result<Self, String> {
        let Some((program, arguments)) = command.split_first() else {
            return Err("the command is empty".to_owned());
        };
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        if !directory.is_dir() {
            return Err(format!("cannot start `{program}`: there is no folder `{}`", directory.display()));
        }
        let mut prepared = Command::new(resolve(program, directory).map_err(|error| failed(program, &error))?);
        prepared.args(arguments).current_dir(directory).envs(environment.iter().map(|(name, value)| (name, value)));
        prepared.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut wrapped = CommandWrap::from(prepared);
        #[cfg(unix)]
        wrapped.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        wrapped.wrap(process_wrap::std::JobObject);
        // Held over the start, so that an interrupt in between finds the group.
        let mut live = lock(&LIVE);
        let mut child = wrapped.spawn().map_err(|error| failed(program, &error))?;
        let (stdin, stdout, stderr) = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let group = child.id();
        let child = Arc::new(Mutex::new(child));
        live.push(Arc::clone(&child));
        drop(live);
        let watchdog = executable.and_then(|executable| Watchdog::start(executable, group));
        Ok(Self { child, stdin, stdout, stderr, watchdog })
    }

    /// How the program ended, `None` while it runs; what it started may still run.
    ///
    /// # Errors
    /// Where the operating system cannot tell.
    pub fn try_wait(&self) -> io::Result<Option<ExitStatus>> {
        lock(&self.child).try_wait()
    }

    /// Ends every process of the group, at once and whatever it does.
    pub fn kill(&self) {
        // A group that is gone already is what we want.
        let _ = lock(&self.child).start_kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        // A process that the kernel holds on to outlives even SIGKILL for a while; it is not waited for.
        let since = Instant::now();
        while matches!(self.try_wait(), Ok(None)) && since.elapsed() < REAPED_WITHIN {
            std::thread::sleep(Duration::from_millis(1));
        }
        lock(&LIVE).retain(|child| !Arc::ptr_eq(child, &self.child));
        if let Some(watchdog) = self.watchdog.take() {
            watchdog.dismiss();
        }
    }
}

/// A bare name is looked up on the PATH; anything with a separator is relative to `directory`.
fn resolve(program: &str, directory: &Path) -> io::Result<PathBuf> {
    if program.contains(std::path::is_separator) {
        std::path::absolute(directory.join(program))
    } else {
        Ok(PathBuf::from(program))
    }
}

fn failed(program: &str, error: &io::Error) -> String {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => {
            "a bare name is looked up on the PATH, a path is relative to the folder of the configuration; a script also \
             needs the interpreter that its first line names"
        }
        io::ErrorKind::PermissionDenied => "make it executable (`chmod +x`), or name its interpreter first",
        _ => "start it by hand to see what is wrong; a script needs a `#!` line, or its interpreter named first",
    };
    format!("cannot start `{program}`: {error}\nhint: {hint}")
}

/// A poisoned lock still guards what must be ended.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on Ctrl-C, SIGTERM and SIGHUP end every group, then this program with exit code 130.
///
/// # Errors
/// Where the handler cannot be installed.
pub fn kill_children_on_interrupt() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        for child in lock(&LIVE).iter() {
            let _ = lock(child).start_kill();
        }
        #[allow(clippy::exit, reason = "an interrupt ends the program wherever it is")]
        std::process::exit(130);
    })?;
    Ok(())
}

/// How a program ended, in words.
#[must_use]
pub fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        if let Some(signal) = status.signal() {
            let name = nix::sys::signal::Signal::try_from(signal).map_or("unknown", nix::sys::signal::Signal::as_str);
            let hint = if name == "SIGKILL" { "; did it run out of memory?" } else { "" };
            return format!("was ended by signal {signal} ({name}){hint}");
        }
    }
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => "ended without an exit code".to_owned(),
    }
}
