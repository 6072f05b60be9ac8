//! Where reports go: `--report FORMAT[=PATH]`.

use std::io::Write as _;
use std::path::PathBuf;
use std::str::FromStr;

use anstream::ColorChoice;
use anyhow::Context as _;

use crate::exit::Failure;
use crate::files;

/// One report that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target<F> {
    format: F,
    /// `None` is standard output.
    path: Option<PathBuf>,
}

impl<F: FromStr<Err = String>> FromStr for Target<F> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (format, path) = match text.split_once('=') {
            Some((_, "")) => return Err(format!("`{text}` has no path after `=`")),
            Some((format, path)) => (format, Some(PathBuf::from(path))),
            None => (text, None),
        };
        Ok(Self { format: format.parse()?, path })
    }
}

/// What a sink must know of a format.
pub trait Shares: Copy {
    /// Whether it may stand on standard output beside another report: annotations mean nothing anywhere else, and a log
    /// has room for both.
    fn shares_output(self) -> bool {
        false
    }
}

/// All reports of one command.
#[derive(Debug)]
pub struct Sink<F> {
    targets: Vec<Target<F>>,
    color: ColorChoice,
}

impl<F: Shares> Sink<F> {
    /// Checks that every report can be written, before the long part starts; without `targets` a report of the format
    /// `default` goes to standard output.
    ///
    /// # Errors
    /// [`Failure::Input`] where a path cannot be written or two reports want standard output.
    pub fn open(targets: Vec<Target<F>>, default: F, color: ColorChoice, quiet: bool) -> anyhow::Result<Self> {
        let mut targets = targets;
        let alone = |target: &&Target<F>| target.path.is_none() && !target.format.shares_output();
        if targets.iter().filter(alone).count() > 1 {
            let message =
                "two reports want standard output\nhint: give all but one a path: `--report json=report.json`";
            return Err(Failure::Input(message.into()).into());
        }
        if targets.is_empty() && !quiet {
            targets.push(Target { format: default, path: None });
        }
        for path in targets.iter().filter_map(|target| target.path.as_deref()) {
            files::check_writable(path)?;
        }
        Ok(Self { targets, color })
    }

    /// Renders and writes every report; a file is replaced at once or not at all.
    ///
    /// # Errors
    /// Where one cannot be written. A closed pipe is none: whoever reads has seen enough.
    pub fn write(&self, render: impl Fn(F) -> String) -> anyhow::Result<()> {
        for target in &self.targets {
            let text = render(target.format);
            match &target.path {
                Some(path) => {
                    files::write_atomically(path, anstream::adapter::strip_str(&text).to_string().as_bytes())?;
                }
                None => print(&text, self.color)?,
            }
        }
        Ok(())
    }
}

/// Prints to standard output, with styles only where they are wanted.
///
/// # Errors
/// Where standard output cannot be written, unless its reader has gone away.
pub fn print(text: &str, color: ColorChoice) -> anyhow::Result<()> {
    let mut stream = anstream::AutoStream::new(std::io::stdout().lock(), color);
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}
