//! The three pipes of a program, each served by a thread of its own, so that no side ever waits for the other.
//!
//! No thread is ever waited for without end: a process in a session of its own may keep a pipe open for good.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The longest line of standard output, in bytes.
const LONGEST_LINE: usize = 16 << 20;

/// How much of standard error is kept, in bytes.
const KEPT: usize = 8 << 10;

/// How long the last words of a program that was ended may take.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What comes from standard output.
#[derive(Debug)]
pub(super) enum Output {
    /// A line without its end.
    Line(Vec<u8>),
    /// What stands behind the last line end, where the output was closed.
    Rest(Vec<u8>),
    /// Standard output was closed.
    End,
    /// It cannot be read on; says why.
    Fault(String),
}

/// Writes `input` and closes the pipe.
pub(super) fn write(mut pipe: impl Write + Send + 'static, input: Vec<u8>) {
    std::thread::spawn(move || {
        // A program that ends without reading everything is judged by what it answered.
        let _ = pipe.write_all(&input);
    });
}

/// Reads lines as they come.
pub(super) fn lines(pipe: impl Read + Send + 'static) -> Receiver<Output> {
    // Bounded, so that a flood waits in the program and not in our memory.
    let (sender, receiver) = sync_channel(64);
    std::thread::spawn(move || read_lines(BufReader::new(pipe), &sender));
    receiver
}

fn read_lines(mut pipe: BufReader<impl Read>, sender: &SyncSender<Output>) {
    loop {
        let mut line = Vec::new();
        let read = (&mut pipe).take(LONGEST_LINE as u64).read_until(b'\n', &mut line);
        let output = match read {
            Err(error) => Output::Fault(format!("cannot be read: {error}")),
            Ok(0) => Output::End,
            Ok(LONGEST_LINE) if line.last() != Some(&b'\n') => {
                Output::Fault(format!("is longer than {} MiB\nhint: return fewer or shorter texts", LONGEST_LINE >> 20))
            }
            Ok(_) if line.last() != Some(&b'\n') => Output::Rest(line),
            Ok(_) => {
                while matches!(line.last(), Some(b'\n' | b'\r')) {
                    line.pop();
                }
                Output::Line(line)
            }
        };
        let is_last = !matches!(output, Output::Line(_));
        if sender.send(output).is_err() || is_last {
            return;
        }
    }
}

/// The end of standard error, as far as it has been read.
pub(super) struct Tail {
    kept: Arc<Mutex<Kept>>,
    /// Disconnected once standard error is closed.
    open: Receiver<()>,
}

#[derive(Default)]
struct Kept {
    bytes: VecDeque<u8>,
    cut: bool,
}

/// Reads standard error for as long as it lasts, and keeps its end.
pub(super) fn tail(mut pipe: impl Read + Send + 'static) -> Tail {
    let kept = Arc::new(Mutex::new(Kept::default()));
    let (sender, open) = sync_channel(0);
    let ours = Arc::clone(&kept);
    std::thread::spawn(move || {
        let _open: SyncSender<()> = sender;
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = pipe.read(&mut buffer) {
            let mut kept = ours.lock().unwrap_or_else(PoisonError::into_inner);
            kept.bytes.extend(&buffer[..read]);
            let surplus = kept.bytes.len().saturating_sub(KEPT);
            kept.bytes.drain(..surplus);
            kept.cut |= surplus > 0;
        }
    });
    Tail { kept, open }
}

impl Tail {
    /// The last lines, whole where it can be; `None` where nothing was written.
    #[must_use]
    pub(super) fn end(self) -> Option<String> {
        let _ = self.open.recv_timeout(LAST_WORDS);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.bytes.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let whole = if kept.cut { text.split_once('\n').map_or(text.as_ref(), |(_, rest)| rest) } else { &text };
        (!whole.trim().is_empty()).then(|| whole.to_owned())
    }
}
