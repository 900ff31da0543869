//! The pipes of a process: a thread for each of its three streams, so that a program that floods, stalls or closes any
//! of them blocks no game.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// Longest kept part of a line, in bytes.
const LONGEST_KEPT: usize = 1000;
/// Stack of a thread that serves a pipe, in bytes.
const STACK: usize = 128 << 10;

/// The most kept lines of standard error.
const KEPT_ERRORS: usize = 20;

/// A line of the standard output, or the reason why there is none.
pub enum OutputLine {
    Text(Vec<u8>),
    TooLong,
    /// The line, and its fault.
    Malformed(Vec<u8>, String),
    End,
}

/// Number of bytes that follow a line and belong to its message.
///
/// # Errors
/// If the line is no beginning of a message: the rest of a sentence about the program.
pub type Following = fn(&[u8]) -> Result<usize, String>;

/// Starts a thread for a pipe.
pub fn serve(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Builder::new().name(format!("engine {name}")).stack_size(STACK).spawn(work).map(drop)
}

/// Writes all orders, until the pipe is closed.
pub fn write_lines(mut stdin: ChildStdin, orders: &Receiver<Vec<u8>>) {
    while let Ok(line) = orders.recv() {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Reads lines of at most `longest` bytes, each with the bytes that follow it.
pub fn read_lines(stdout: impl Read, longest: usize, following: Following, lines: &SyncSender<OutputLine>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let news = match reader.by_ref().take(longest as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => OutputLine::End,
            Ok(_) if line.len() > longest => OutputLine::TooLong,
            Ok(_) => with_following(line.trim_ascii_end().to_vec(), following, &mut reader),
        };
        let is_last = !matches!(news, OutputLine::Text(_));
        if lines.send(news).is_err() || is_last {
            return;
        }
    }
}

/// A line with the bytes that follow it, behind a line feed.
fn with_following(mut line: Vec<u8>, following: Following, reader: &mut impl Read) -> OutputLine {
    let more = match following(&line) {
        Ok(0) => return OutputLine::Text(line),
        Ok(more) => more,
        Err(fault) => return OutputLine::Malformed(line, fault),
    };
    line.push(b'\n');
    let begin = line.len();
    match reader.take(more as u64).read_to_end(&mut line) {
        Ok(read) if read == more => OutputLine::Text(line),
        Ok(_) | Err(_) => {
            let fault = format!("ended within a message, after {} of {more} bytes", line.len() - begin);
            line.truncate(begin - 1);
            OutputLine::Malformed(line, fault)
        }
    }
}

/// Keeps the last lines.
pub fn keep_lines(stderr: impl Read, kept: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    // A long line is kept in parts.
    while let Ok(1..) = reader.by_ref().take(LONGEST_KEPT as u64).read_until(b'\n', &mut line) {
        keep(kept, KEPT_ERRORS, &line);
        line.clear();
    }
}

/// Keeps a line for messages, and drops the first one of `most`.
pub fn keep(kept: &Mutex<VecDeque<String>>, most: usize, line: &[u8]) {
    // The bytes behind a line are no text.
    let text = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let text = String::from_utf8_lossy(&text[..text.len().min(LONGEST_KEPT)]).trim_end().to_owned();
    if text.is_empty() {
        return;
    }
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() == most {
        kept.pop_front();
    }
    kept.push_back(text);
}
