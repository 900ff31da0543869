//! The process of an engine: its lines in and out, with limits of time and length, and its end.
//!
//! Three threads serve the pipes, so that an engine that floods, stalls or closes any of them cannot block the game. The
//! thread of the standard output stops reading when lines are not taken, so that memory stays bounded.

use std::cell::OnceCell;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

use super::error::{EngineError, LastLines, shown};
use super::guard;
use gauntlet_games::base::{Stop, thousands};

/// Lines that wait to be taken.
const WAITING: usize = 64;
/// Kept lines of standard error, and of standard output.
const KEPT: [usize; 2] = [20, 3];
/// Longest kept part of a line, in bytes.
const LONGEST_KEPT: usize = 1000;
/// Time between two looks at the process and the stop flag.
const LOOK: Duration = Duration::from_millis(20);
/// Time to exit after `quit`.
const FAREWELL: Duration = Duration::from_secs(2);
/// Time in which the guard ends the engine and all that it started.
const KILLING: Duration = Duration::from_secs(4);
/// Time in which the last lines of a dead process arrive.
const LAST_LINES: Duration = Duration::from_millis(200);
/// Stack of a thread that serves a pipe, in bytes.
const STACK: usize = 128 << 10;

/// How an engine is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Its name, for messages.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The working directory.
    pub directory: PathBuf,
    /// Additional environment.
    pub environment: BTreeMap<String, String>,
    /// Time for the first answer.
    pub startup: Duration,
    /// Time for every other answer.
    pub timeout: Duration,
    /// When it is set, waiting ends.
    pub stop: Stop,
}

impl Launch {
    /// The program. A path is relative to the working directory of the engine, on every system.
    fn program(&self) -> PathBuf {
        let program = &self.command[0];
        if program.contains('/') { self.directory.join(program) } else { PathBuf::from(program) }
    }
}

/// The wait for one answer, over all lines that an engine writes until it.
#[derive(Debug, Clone, Copy)]
pub struct Wait {
    begin: Instant,
    limit: Duration,
}

impl Wait {
    /// A wait that begins now.
    #[must_use]
    pub fn of(limit: Duration) -> Wait {
        Wait { begin: Instant::now(), limit }
    }

    fn left(&self) -> Duration {
        self.limit.saturating_sub(self.begin.elapsed())
    }
}

/// A running engine process.
pub struct Process {
    launch: Launch,
    /// Longest line that it may write, in bytes.
    longest_line: usize,
    /// The guard, which ends as the engine ends.
    guard: Child,
    /// The engine's own process, once it is known.
    engine: OnceCell<u32>,
    /// Lines to standard input; `None` after the farewell.
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<Line>,
    said: [Arc<Mutex<VecDeque<String>>>; 2],
}

/// News from the standard output.
enum Line {
    Text(Vec<u8>),
    TooLong,
    Malformed(String),
    End,
}

/// Number of bytes that follow a line and belong to its message.
///
/// # Errors
/// If the line is no beginning of a message: the rest of a sentence about the program.
pub type Following = fn(&[u8]) -> Result<usize, String>;

impl Process {
    /// Starts the program; it may write lines of up to `longest_line` bytes.
    ///
    /// # Errors
    /// If the system cannot start it.
    pub fn start(launch: Launch, longest_line: usize) -> Result<Process, EngineError> {
        Process::start_framed(launch, longest_line, |_| Ok(0))
    }

    /// The same for messages that are a line and the bytes that it announces.
    ///
    /// # Errors
    /// As of [`Process::start`].
    pub fn start_framed(launch: Launch, longest_line: usize, following: Following) -> Result<Process, EngineError> {
        let cannot = |error: io::Error| EngineError::Broken {
            engine: launch.name.clone(),
            fault: format!("cannot be started: {}: {}", shown(&launch.command.join(" ")), guard::reason(&error)),
            said: LastLines::default(),
        };
        let mut command = guard::guarded(&launch.program(), &launch.command[1..]).map_err(cannot)?;
        command.envs(&launch.environment);
        if !launch.directory.as_os_str().is_empty() {
            command.current_dir(&launch.directory);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut guard = command.spawn().map_err(cannot)?;
        let said: [Arc<Mutex<VecDeque<String>>>; 2] = Default::default();
        let (to_engine, orders) = channel();
        let (lines, output) = sync_channel(WAITING);
        let pipes = (guard.stdin.take(), guard.stdout.take(), guard.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { unreachable!("all three were asked for") };
        let errors = Arc::clone(&said[0]);
        serve("input", move || write_lines(stdin, &orders)).map_err(cannot)?;
        serve("output", move || read_lines(stdout, longest_line, following, &lines)).map_err(cannot)?;
        serve("errors", move || keep_lines(stderr, &errors)).map_err(cannot)?;
        Ok(Process { launch, longest_line, guard, engine: OnceCell::new(), input: Some(to_engine), output, said })
    }

    /// The name of the engine, for messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.launch.name
    }

    /// The limits of time: for the first answer, and for every other one.
    #[must_use]
    pub fn limits(&self) -> [Duration; 2] {
        [self.launch.startup, self.launch.timeout]
    }

    /// Sends a line; `line` has no line feed. A process that is gone is noticed by [`Process::receive`].
    pub fn send(&mut self, line: impl Into<Vec<u8>>) {
        let mut line = line.into();
        line.push(b'\n');
        self.send_whole(line);
    }

    /// Sends a message with its own line ends.
    pub fn send_whole(&mut self, message: Vec<u8>) {
        if let Some(input) = &self.input {
            // The thread ends when the pipe is closed.
            let _ = input.send(message);
        }
    }

    /// Lines that arrived without being awaited. An answer that comes twice must not answer the next question.
    pub fn unread(&mut self) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        while lines.len() < WAITING
            && let Ok(Line::Text(line)) = self.output.try_recv()
        {
            keep(&self.said[1], KEPT[1], &line);
            lines.push(line);
        }
        lines
    }

    /// The next line as text, without its line end.
    ///
    /// # Errors
    /// As of [`Process::receive`].
    pub fn text(&mut self, wait: Wait, awaited: &str) -> Result<String, EngineError> {
        self.receive(wait, awaited).map(|line| String::from_utf8_lossy(&line).into_owned())
    }

    /// The next line, without its line end.
    ///
    /// # Errors
    /// If the process ends, does not answer in time, or writes too long a line. `awaited` names the answer.
    pub fn receive(&mut self, wait: Wait, awaited: &str) -> Result<Vec<u8>, EngineError> {
        loop {
            let left = wait.left();
            if left.is_zero() {
                return Err(self.broken(format!("did not answer {awaited} within {} s", wait.limit.as_secs_f64())));
            }
            match self.output.recv_timeout(LOOK.min(left)) {
                Ok(Line::Text(line)) => {
                    keep(&self.said[1], KEPT[1], &line);
                    return Ok(line);
                }
                Ok(Line::TooLong) => {
                    let most = thousands(self.longest_line as u64);
                    return Err(self.broken(format!("wrote a line of more than {most} bytes")));
                }
                Ok(Line::Malformed(fault)) => return Err(self.broken(fault)),
                Ok(Line::End) | Err(RecvTimeoutError::Disconnected) => return Err(self.ended(awaited)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.launch.stop.is_requested() {
                return Err(EngineError::Stopped(self.launch.name.clone()));
            }
        }
    }

    /// The error of a process whose standard output has ended.
    fn ended(&mut self, awaited: &str) -> EngineError {
        // The guard waits no longer for children of the engine that may play on.
        self.input = None;
        let fault = match self.exit_within(LAST_LINES) {
            Some(status) => format!("exited ({status}) before it answered {awaited}"),
            None => format!("closed its standard output before it answered {awaited}"),
        };
        self.broken(fault)
    }

    /// An error of this engine, with its last lines.
    #[must_use]
    pub fn broken(&self, fault: impl Into<String>) -> EngineError {
        // The lines before a crash may still be on their way.
        sleep(LOOK);
        let lines = |at: usize| {
            self.said[at].lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect::<Vec<_>>()
        };
        let said = LastLines { errors: lines(0), output: lines(1) };
        EngineError::Broken { engine: self.launch.name.clone(), fault: fault.into(), said }
    }

    /// Says farewell, waits for the exit, and kills what is left. A crash at the end is worth a warning: all games are
    /// played.
    pub fn quit(&mut self, farewell: impl Into<Vec<u8>>) {
        self.send(farewell);
        self.input = None;
        match self.exit_within(FAREWELL) {
            Some(status) if !status.success() => {
                let told = self.broken(format!("ended with {status} after its last game"));
                tracing::warn!("{told}");
            }
            Some(_) => {}
            None => tracing::debug!("{} ignored `quit` and was killed", self.launch.name),
        }
    }

    fn exit_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        loop {
            // A waiting line must not keep the process from its exit.
            while self.output.try_recv().is_ok() {}
            if let Ok(Some(status)) = self.guard.try_wait() {
                return Some(status);
            }
            if begin.elapsed() >= limit {
                return None;
            }
            sleep(Duration::from_millis(1));
        }
    }

    /// Processor time of the process and of its children that have ended, where `/proc` tells.
    #[must_use]
    pub fn processor_time(&self) -> Option<Duration> {
        let engine = self.engine.get().copied().or_else(|| guard::engine(self.guard.id()))?;
        let _ = self.engine.set(engine);
        let text = std::fs::read_to_string(format!("/proc/{engine}/stat")).ok()?;
        // The name of the program, in parentheses, may have spaces.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: u64 = fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum();
        // Linux counts 100 ticks a second for programs, on every architecture in use.
        Some(Duration::from_millis(10 * ticks))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        // A guard that has ended has left its number to others.
        if matches!(self.guard.try_wait(), Ok(None)) {
            guard::end(self.guard.id());
        }
        if self.exit_within(KILLING).is_none() {
            // The engine has stopped its guard.
            let _ = self.guard.kill();
            let _ = self.guard.wait();
        }
    }
}

fn serve(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Builder::new().name(format!("engine {name}")).stack_size(STACK).spawn(work).map(drop)
}

fn write_lines(mut stdin: ChildStdin, orders: &Receiver<Vec<u8>>) {
    while let Ok(line) = orders.recv() {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(stdout: impl Read, longest: usize, following: Following, lines: &SyncSender<Line>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let news = match reader.by_ref().take(longest as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => Line::End,
            Ok(_) if line.len() > longest => Line::TooLong,
            Ok(_) => with_following(line.trim_ascii_end().to_vec(), following, &mut reader),
        };
        let is_last = !matches!(news, Line::Text(_));
        if lines.send(news).is_err() || is_last {
            return;
        }
    }
}

/// A line with the bytes that follow it, behind a line feed.
fn with_following(mut line: Vec<u8>, following: Following, reader: &mut impl Read) -> Line {
    let more = match following(&line) {
        Ok(0) => return Line::Text(line),
        Ok(more) => more,
        Err(fault) => return Line::Malformed(fault),
    };
    line.push(b'\n');
    let begin = line.len();
    match reader.take(more as u64).read_to_end(&mut line) {
        Ok(read) if read == more => Line::Text(line),
        Ok(_) | Err(_) => {
            Line::Malformed(format!("ended within a message, after {} of {more} bytes", line.len() - begin))
        }
    }
}

fn keep_lines(stderr: impl Read, kept: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    // A long line is kept in parts.
    while let Ok(1..) = reader.by_ref().take(LONGEST_KEPT as u64).read_until(b'\n', &mut line) {
        keep(kept, KEPT[0], &line);
        line.clear();
    }
}

fn keep(kept: &Mutex<VecDeque<String>>, most: usize, line: &[u8]) {
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
