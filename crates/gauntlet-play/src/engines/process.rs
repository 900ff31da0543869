//! The process of an engine: its lines in and out, with limits of time and length, and its end.
//!
//! The thread of the standard output stops reading when lines are not taken, so that memory stays bounded.

use std::cell::OnceCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::{EngineError, LastLines, shown};
use super::pipes::{Following, OutputLine, keep, keep_lines, read_lines, serve, write_lines};
use super::{family, guard};
use gauntlet_games::base::{Stop, thousands};

/// Lines that wait to be taken.
const WAITING: usize = 64;
/// The most kept lines of standard output.
const KEPT: usize = 3;
/// Time between two looks at the process and the stop flag.
const LOOK: Duration = Duration::from_millis(20);
/// Time to exit after `quit`.
const QUITTING: Duration = Duration::from_secs(2);
/// Time to exit after the end of the output: libraries free their memory and their threads.
const TEARDOWN: Duration = Duration::from_secs(30);
/// Time in which the guard ends the engine and all that it started.
const KILLING: Duration = Duration::from_secs(4);
/// Time in which the last lines of a dead process arrive.
const LAST_LINES: Duration = Duration::from_millis(200);

/// How an engine is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Its name, for messages.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The working directory.
    pub directory: PathBuf,
    /// The private directory of its files, which is removed even if this program dies.
    pub workplace: Option<PathBuf>,
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

    /// The time that is left of the wait.
    pub fn left(&self) -> Duration {
        self.limit.saturating_sub(self.begin.elapsed())
    }
}

/// A running engine process.
pub struct Process {
    /// Name and version, as the program says them; empty until it does.
    pub says: String,
    launch: Launch,
    /// Longest line that it may write, in bytes.
    longest_line: usize,
    /// The guard, which ends as the engine ends.
    guard: Child,
    /// The engine's own process, once it is known.
    engine: OnceCell<u32>,
    /// Lines to standard input; `None` once it is to exit.
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<OutputLine>,
    said: [Arc<Mutex<VecDeque<String>>>; 2],
}

/// The next event of the standard output.
#[derive(Debug)]
pub enum News {
    /// A line, without its line end.
    Line(Vec<u8>),
    /// No line in the given time.
    None,
    /// The end of the output.
    End,
}

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
        let cannot = |error: io::Error| {
            let (command, reason) = (shown(&launch.command.join(" ")), guard::reason(&error));
            EngineError::broken(launch.name.clone(), format!("cannot be started: {command}: {reason}"))
        };
        let mut command =
            guard::guarded(launch.workplace.as_deref(), &launch.program(), &launch.command[1..]).map_err(cannot)?;
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
        let (says, engine, input) = (String::new(), OnceCell::new(), Some(to_engine));
        Ok(Process { says, launch, longest_line, guard, engine, input, output, said })
    }

    /// The name of the engine, for messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.launch.name
    }

    /// Time for the first answer.
    #[must_use]
    pub fn startup(&self) -> Duration {
        self.launch.startup
    }

    /// Time for every other answer.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.launch.timeout
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
            && let Ok(OutputLine::Text(line)) = self.output.try_recv()
        {
            keep(&self.said[1], KEPT, &line);
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
            match self.news(LOOK.min(left))? {
                News::Line(line) => return Ok(line),
                News::End => return Err(self.ended(awaited)),
                News::None => {}
            }
        }
    }

    /// The next event of the standard output, after at most some time.
    ///
    /// # Errors
    /// If the process writes too long a line, or a malformed message; and if the run is stopped and there is no line.
    pub fn news(&mut self, within: Duration) -> Result<News, EngineError> {
        match self.output.recv_timeout(within) {
            Ok(OutputLine::Text(line)) => {
                keep(&self.said[1], KEPT, &line);
                return Ok(News::Line(line));
            }
            Ok(OutputLine::TooLong) => {
                let most = thousands(self.longest_line as u64);
                return Err(self.broken(format!("wrote a line of more than {most} bytes")));
            }
            Ok(OutputLine::Malformed(line, fault)) => {
                keep(&self.said[1], KEPT, &line);
                return Err(self.broken(fault));
            }
            Ok(OutputLine::End) | Err(RecvTimeoutError::Disconnected) => return Ok(News::End),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match self.launch.stop.is_requested() {
            true => Err(EngineError::Stopped(self.launch.name.clone())),
            false => Ok(News::None),
        }
    }

    /// Closes the standard input of a program that has exited. The guard then ends all that the program left behind, which
    /// may still hold the output. Nothing happens to a program that runs, or where `/proc` does not tell.
    pub fn close_after_exit(&mut self) {
        if self.engine().is_some_and(|engine| !Path::new(&format!("/proc/{engine}")).exists()) {
            self.input = None;
        }
    }

    /// The engine's own process, once it is known.
    fn engine(&self) -> Option<u32> {
        let engine = self.engine.get().copied().or_else(|| guard::engine(self.guard.id()))?;
        let _ = self.engine.set(engine);
        Some(engine)
    }

    /// The end of a process that has closed its output: its status, and the processor time of it and of all that it
    /// started, where `/proc` tells. `None` if it does not exit.
    pub fn exit(&mut self) -> Option<(ExitStatus, Option<Duration>)> {
        self.input = None;
        let begin = Instant::now();
        let mut time = None;
        // Until the guard is waited for, the kernel keeps its times.
        while begin.elapsed() < TEARDOWN && time.is_none() && Path::new("/proc/self").exists() {
            time = guard::times_at_end(self.guard.id());
            if time.is_none() {
                sleep(Duration::from_millis(1));
            }
        }
        self.exit_within(TEARDOWN).map(|status| (status, time))
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

    /// Asks it to quit, waits for the exit, and kills the processes that remain. A crash at the end is worth a warning:
    /// all games are played.
    pub fn quit(&mut self, command: impl Into<Vec<u8>>) {
        self.send(command);
        self.input = None;
        match self.exit_within(QUITTING) {
            Some(status) if !status.success() => {
                let fault = self.broken(format!("ended with {status} after its last game"));
                tracing::warn!("{fault}");
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

    /// Bytes of memory that the process and all that it started hold, or, if that is more, the most that one of them has
    /// held, where `/proc` tells.
    #[must_use]
    pub fn memory(&self) -> Option<u64> {
        family::memory_below(self.guard.id())
    }

    /// Processor time of the process and of its children that have ended, where `/proc` tells.
    #[must_use]
    pub fn processor_time(&self) -> Option<Duration> {
        let engine = self.engine()?;
        let text = std::fs::read_to_string(format!("/proc/{engine}/stat")).ok()?;
        // The name of the program, in parentheses, may have spaces.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        guard::processor_time(fields.get(11..15)?)
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
