//! A recording of a run: its events as JSON lines, which can be played back to any listener.
//!
//! The first line holds the version; every other line holds an event and the seconds since the start. An incomplete
//! last line is ignored, as a run can end at any moment.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::event::{Listener, RunEvent};
use super::progress::JobProgress;
use gauntlet_games::base::Record;
use gauntlet_games::base::files::open_stream;
use gauntlet_store::{Opening, open_to_write};

/// The version that is written and read.
const VERSION: u32 = 1;
/// Least time between two recorded progress events of a task.
const INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    gauntlet_recording: u32,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line<E> {
    seconds: f64,
    event: E,
}

/// Records events in a file.
#[derive(Debug)]
pub struct Recorder {
    file: BufWriter<File>,
    begun: Instant,
    /// When the progress of each task was last written, and with which game.
    written: HashMap<usize, (Instant, Option<Record>)>,
    /// Why the file could not be written, after a failure. The run goes on.
    failed: Option<io::Error>,
}

impl Recorder {
    /// Creates the file, or replaces an earlier recording.
    ///
    /// # Errors
    /// If the file cannot be created, or holds something else than a recording.
    pub fn create(path: &Path) -> io::Result<Recorder> {
        let begin = "{\"gauntlet_recording\":";
        // A link and a pipe are refused below.
        if path.symlink_metadata().is_ok_and(|found| found.is_file())
            && let Ok(file) = open_stream(path)
        {
            let mut found = Vec::new();
            file.take(begin.len() as u64).read_to_end(&mut found)?;
            if !found.is_empty() && found != begin.as_bytes() {
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it exists, and is no recording of a run"));
            }
        }
        let mut file = BufWriter::new(open_to_write(path, Opening::Replace)?);
        serde_json::to_writer(&mut file, &Header { gauntlet_recording: VERSION })?;
        file.write_all(b"\n")?;
        Ok(Recorder { file, begun: Instant::now(), written: HashMap::new(), failed: None })
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// If an event could not be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)?;
        self.file.flush()
    }

    fn write(&mut self, event: &RunEvent) -> io::Result<()> {
        let seconds = self.begun.elapsed().as_secs_f64();
        serde_json::to_writer(&mut self.file, &Line { seconds, event })?;
        self.file.write_all(b"\n")
    }

    /// The progress as it is recorded: at most once in a second, and a game only once.
    fn thinned(&mut self, task: usize, progress: &JobProgress) -> Option<RunEvent> {
        let known = self.written.get(&task);
        if known.is_some_and(|(written, _)| written.elapsed() < INTERVAL) {
            return None;
        }
        let is_new = known.is_none_or(|(_, game)| *game != progress.game);
        let game = progress.game.clone().filter(|_| is_new);
        self.written.insert(task, (Instant::now(), progress.game.clone()));
        Some(RunEvent::TaskProgress { task, progress: JobProgress { game, ..progress.clone() } })
    }
}

impl Listener for Recorder {
    fn event(&mut self, event: &RunEvent) {
        let thinned = match event {
            RunEvent::TaskProgress { task, progress } => self.thinned(*task, progress),
            event => Some(event.clone()),
        };
        if let (Some(event), None) = (thinned, &self.failed) {
            self.failed = self.write(&event).err();
        }
    }

    fn tick(&mut self) {
        if self.failed.is_none() {
            self.failed = self.file.flush().err();
        }
    }
}

/// Why a recording cannot be played back.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("the recording cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The first line is not that of a recording of this version.
    #[error("this is not a recording of a run, or one of another version")]
    OtherVersion,
    /// A line is not an event.
    #[error("line {line} is not an event: {reason}")]
    NoEvent {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// Plays a recording back to a listener; `wait` is called with the time until each event.
///
/// # Errors
/// If the recording cannot be read, or a line before the last is not an event.
pub fn replay(
    recording: impl BufRead,
    listener: &mut dyn Listener,
    mut wait: impl FnMut(Duration),
) -> Result<(), ReplayError> {
    let mut lines = recording.lines().enumerate().peekable();
    let header = lines.next().map(|(_, line)| line).transpose()?.unwrap_or_default();
    let version = serde_json::from_str(&header).map(|header: Header| header.gauntlet_recording);
    if !matches!(version, Ok(VERSION)) {
        return Err(ReplayError::OtherVersion);
    }
    let mut now = 0.0;
    while let Some((at, line)) = lines.next() {
        let Line { seconds, event } = match serde_json::from_str::<Line<RunEvent>>(&line?) {
            Ok(line) => line,
            Err(_) if lines.peek().is_none() => break,
            Err(error) => return Err(ReplayError::NoEvent { line: at + 1, reason: error.to_string() }),
        };
        wait(Duration::try_from_secs_f64(seconds - now).unwrap_or_default());
        now = seconds;
        listener.event(&event);
        listener.tick();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::outcome::{Summary, TaskOutcome};
    use crate::scheduler::progress::JobProgress;
    use crate::scheduler::run_state::tests::two_tasks;

    struct Events(Vec<RunEvent>);

    impl Listener for Events {
        fn event(&mut self, event: &RunEvent) {
            self.0.push(event.clone());
        }
    }

    fn play(bytes: &[u8]) -> Result<Vec<RunEvent>, ReplayError> {
        let mut events = Events(Vec::new());
        replay(bytes, &mut events, |_| ()).map(|()| events.0)
    }

    #[test]
    fn a_recording_is_played_back_event_by_event() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.jsonl");
        let mut recorder = Recorder::create(&path).unwrap();
        let metrics = vec![("score".to_owned(), 0.5)];
        let events = [
            two_tasks(),
            RunEvent::TaskQueued { task: 0 },
            RunEvent::TaskStarted { task: 0 },
            RunEvent::TaskProgress { task: 0, progress: JobProgress { done: 1, total: 2, metrics, game: None } },
            RunEvent::TaskEnded { task: 0, outcome: TaskOutcome::Failed("no\nluck".to_owned()) },
            RunEvent::Note("a note".to_owned()),
            RunEvent::RoundEnded(Summary { failed: vec![(0, "no luck".to_owned())], ..Summary::default() }),
        ];
        events.iter().for_each(|event| recorder.event(event));
        recorder.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(play(&bytes).unwrap(), events);
        // A run that was killed while it wrote the last line.
        assert_eq!(play(&bytes[..bytes.len() - 9]).unwrap(), events[..6]);
    }

    #[test]
    fn other_files_are_no_recordings() {
        assert!(matches!(play(b""), Err(ReplayError::OtherVersion)));
        assert!(matches!(play(b"{\"gauntlet_recording\":2}\n"), Err(ReplayError::OtherVersion)));
        let torn = b"{\"gauntlet_recording\":1}\n{\"seconds\":1}\n{\"seconds\":2,\"event\":{\"note\":\"a\"}}\n";
        assert!(matches!(play(torn), Err(ReplayError::NoEvent { line: 2, .. })));
    }
}
