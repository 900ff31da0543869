//! The files of one submission: its tasks, and the reports of its workers. They are below the results tree, where
//! every node sees them, and each has one writer.
//!
//! ```text
//! results/cluster/<name>/
//!   tasks.jsonl          the tasks, a line each, in the order of the array
//!   submission.json      the tasks of each array task, and the request
//!   job.sh               the script
//!   submitted.json       its Slurm id; written after sbatch has answered
//!   state/<index>.<n>.json   the report of the worker of an array task, after n restarts by the site
//!   logs/<index>.log     the output of that worker
//!   settled.json         a mark that nothing of it waits or runs any more, with the failed jobs
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::scheduler::task::{Task, TaskError};
use crate::scheduler::worker_state::WorkerState;
use gauntlet_games::base::files::{LARGEST_DATA, open_regular, read_regular};
use gauntlet_store::{
    Error, Opening, Store, atomic_write, clear_directory, create_directory, open_to_write, quick_write,
};

/// The version that is written and read.
const VERSION: u32 = 1;

/// The directory of submissions, below the results tree.
const CLUSTER: &str = "cluster";

/// The beginning of names of submissions.
pub(super) const PREFIX: &str = "gauntlet-";

/// A submission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Submission {
    version: u32,
    /// The unique name of its Slurm job, by which it is found again.
    pub name: String,
    /// When it was written: an RFC 3339 instant.
    pub since: String,
    /// Whether it depends on other submissions: the site cancels it when one of them fails.
    #[serde(default)]
    pub waits: bool,
    /// Its array tasks, by their indices.
    pub packs: Vec<Pack>,
}

/// The jobs of one array task, which run one after another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Pack {
    /// The offset of its first line in the table of tasks, in bytes.
    pub offset: u64,
    /// Its jobs.
    pub jobs: Vec<PackJob>,
}

/// A job of an array task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PackJob {
    /// The name of its directory in the store.
    pub directory: String,
    /// The number of the attempt, from 1.
    pub attempt: u32,
}

/// A mark that nothing of a submission waits or runs any more.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Settled {
    /// Its jobs that failed.
    pub failed: Vec<FailedJob>,
    /// Whether `gauntlet cancel` has ended it.
    #[serde(default)]
    pub cancelled: bool,
}

/// A job that failed on a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedJob {
    /// The name of its directory in the store.
    pub directory: String,
    /// The reason.
    pub reason: String,
    /// The file of its worker's output.
    pub log: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Submitted {
    job: u64,
}

/// The directory of a submission.
#[derive(Debug, Clone)]
pub(super) struct Files {
    directory: PathBuf,
}

impl Submission {
    fn new(name: &str, waits: bool, packs: Vec<Pack>) -> Submission {
        Submission { version: VERSION, name: name.to_owned(), since: jiff::Timestamp::now().to_string(), waits, packs }
    }
}

impl Files {
    /// The files of the submission with this name.
    pub fn of(store: &Store, name: &str) -> Files {
        Files { directory: store.root().join(CLUSTER).join(name) }
    }

    /// The files in a directory.
    pub fn in_directory(directory: PathBuf) -> Files {
        Files { directory }
    }

    /// All submissions on a results tree, in the order of their names.
    pub fn all(store: &Store) -> Vec<Files> {
        let entries = fs::read_dir(store.root().join(CLUSTER)).into_iter().flatten().flatten();
        let is_ours = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        let mut directories: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_ours).collect();
        directories.sort();
        directories.into_iter().map(Files::in_directory).collect()
    }

    /// Their directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub fn script(&self) -> PathBuf {
        self.directory.join("job.sh")
    }

    /// The results tree.
    fn results(&self) -> &Path {
        self.directory.ancestors().nth(2).unwrap_or(&self.directory)
    }

    fn table(&self) -> PathBuf {
        self.directory.join("tasks.jsonl")
    }

    fn states(&self) -> PathBuf {
        self.directory.join("state")
    }

    /// The output of the worker of an array task.
    pub fn log(&self, index: u32) -> PathBuf {
        self.directory.join("logs").join(format!("{index}.log"))
    }

    fn part(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.json"))
    }

    /// Writes a submission durably before it is submitted, so that it can always be found again. `tasks` writes the
    /// lines of a pack and returns its jobs.
    pub fn prepare(
        &self,
        (name, waits): (&str, bool),
        script: &str,
        packs: usize,
        mut tasks: impl FnMut(usize) -> Vec<(Task, u32)>,
    ) -> Result<Submission, Error> {
        for directory in [self.states(), self.directory.join("logs")] {
            create_directory(self.results(), &directory)?;
        }
        let path = self.table();
        let mut table = io::BufWriter::new(open_to_write(&path, Opening::Replace).map_err(file("create", &path))?);
        let (mut offset, mut written) = (0, Vec::with_capacity(packs));
        for pack in 0..packs {
            let mut jobs = Vec::new();
            let begin = offset;
            for (task, attempt) in tasks(pack) {
                let mut line = serde_json::to_vec(&task).expect("a task is plain data");
                line.push(b'\n');
                table.write_all(&line).map_err(file("write", &path))?;
                offset += line.len() as u64;
                jobs.push(PackJob { directory: task.id.directory(), attempt });
            }
            written.push(Pack { offset: begin, jobs });
        }
        let table = table.into_inner().map_err(io::IntoInnerError::into_error);
        table.and_then(|table| table.sync_all()).map_err(file("write", &path))?;
        let submission = Submission::new(name, waits, written);
        atomic_write(&self.script(), script.as_bytes())?;
        atomic_write(&self.part("submission"), &bytes(&submission))?;
        Ok(submission)
    }

    /// The submission, if it can be read.
    pub fn submission(&self) -> Option<Submission> {
        read(&self.part("submission")).filter(|submission: &Submission| submission.version == VERSION)
    }

    /// Whether it was never completely written, and so never submitted.
    pub fn is_unwritten(&self) -> bool {
        self.part("submission").try_exists().is_ok_and(|is_there| !is_there)
    }

    /// Its Slurm id, if known.
    pub fn job(&self) -> Option<u64> {
        read(&self.part("submitted")).map(|Submitted { job }| job)
    }

    pub fn set_job(&self, job: u64) -> Result<(), Error> {
        atomic_write(&self.part("submitted"), &bytes(&Submitted { job }))
    }

    /// Its settlement, if it is over.
    pub fn settled(&self) -> Option<Settled> {
        read(&self.part("settled"))
    }

    /// Time since its end, if it is over.
    pub fn settled_for(&self) -> Option<Duration> {
        let written = fs::metadata(self.part("settled")).and_then(|found| found.modified()).ok()?;
        Some(written.elapsed().unwrap_or_default())
    }

    pub fn settle(&self, settled: &Settled) -> Result<(), Error> {
        quick_write(&self.part("settled"), &bytes(settled))
    }

    /// Removes its files; other files stay, with their directory.
    pub fn remove(&self) {
        if let Err(error) = self.clear() {
            tracing::debug!("{} stays: {error}", self.directory.display());
        }
        // Removes the directory only if it is empty.
        let _ = self.directory.parent().map(fs::remove_dir);
    }

    fn clear(&self) -> Result<(), Error> {
        clear_directory(&self.states(), |name| name.ends_with(".json"))?;
        clear_directory(&self.directory.join("logs"), |name| name.ends_with(".log"))?;
        let is_own = |name: &str| ["job.sh", "tasks.jsonl"].contains(&name) || name.ends_with(".json");
        clear_directory(&self.directory, is_own).map(|_| ())
    }

    /// The tasks of a pack, for a process of a device class.
    ///
    /// # Errors
    /// If the table cannot be read, or a task cannot run here.
    pub fn tasks(&self, pack: &Pack, device: &str) -> Result<Vec<Task>, TaskError> {
        let path = self.table();
        let unreadable = |source| TaskError::Unreadable { path: path.clone(), source };
        let mut table = BufReader::new(open_regular(&path).map_err(unreadable)?);
        table.seek(SeekFrom::Start(pack.offset)).map_err(unreadable)?;
        let mut tasks = Vec::with_capacity(pack.jobs.len());
        for _ in &pack.jobs {
            let mut line = Vec::new();
            table.read_until(b'\n', &mut line).map_err(unreadable)?;
            tasks.push(Task::read(&path, &line, device)?);
        }
        Ok(tasks)
    }

    /// The state file of a worker. Each restart has its own file, because the worker before it may still write.
    pub fn state(&self, index: u32, restarts: u32) -> PathBuf {
        self.states().join(format!("{index}.{restarts}.json"))
    }

    /// The names of all states, by array task: the one with the most restarts of each. The directory is listed,
    /// because a network file system may report existing files as missing.
    pub fn states_listed(&self) -> BTreeMap<u32, u32> {
        let mut newest: BTreeMap<u32, u32> = BTreeMap::new();
        for entry in fs::read_dir(self.states()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let numbers = name.to_str().and_then(|name| name.strip_suffix(".json")?.split_once('.'));
            let numbers = numbers.and_then(|(index, restarts)| Some((index.parse().ok()?, restarts.parse().ok()?)));
            if let Some((index, restarts)) = numbers {
                let known: &mut u32 = newest.entry(index).or_insert(restarts);
                *known = restarts.max(*known);
            }
        }
        newest
    }

    /// The last report of the worker of an array task.
    pub fn worker(&self, index: u32, restarts: u32) -> Option<WorkerState> {
        WorkerState::read(&self.state(index, restarts))
    }

    /// The last words of a log, in one line; empty if there are none.
    pub fn last_words(&self, index: u32) -> String {
        let Ok(mut log) = open_regular(&self.log(index)) else { return String::new() };
        let length = log.metadata().map_or(0, |found| found.len());
        let mut tail = Vec::new();
        let _ = log.seek(SeekFrom::Start(length.saturating_sub(TAIL))).and_then(|_| log.read_to_end(&mut tail));
        let text = String::from_utf8_lossy(&tail).into_owned();
        text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
    }
}

/// The number of bytes that are read at the end of a log.
const TAIL: u64 = 2000;

fn file(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { action, path: path.clone(), source }
}

fn bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("it is plain data")
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&read_regular(path, LARGEST_DATA).ok()?).ok()
}
