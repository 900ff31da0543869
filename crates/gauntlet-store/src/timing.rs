//! The timing journal: durations of jobs, kept apart from all results, and estimates from them.
//!
//! Every process appends to a file of its own, so that lines of two processes never mix and planning reads few files.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::JobId;
use super::atomic::unique;
use super::error::{At as _, Error};
use super::host::processor;
use super::writing::{Opening, create_directory, open_to_write};
use gauntlet_games::base::files::{LARGEST_NOTE, read_text};

/// One finished job.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TimingLine {
    started: String,
    kind: String,
    class: String,
    /// In units of the class.
    cost: f64,
    seconds: f64,
    /// Whether the job was resumed from a checkpoint, so that `seconds` is only a part.
    #[serde(default)]
    resumed: bool,
    job: String,
    /// The model of the processor; absent in lines of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    processor: Option<String>,
    /// The commit of the program; absent in lines of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
}

/// The timing of one job.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Seconds from its start to its end.
    pub seconds: f64,
    /// Whether the job was not resumed, so that `seconds` is its whole duration.
    pub is_whole: bool,
    /// The model of the processor; `None` if the journal lacks it.
    pub processor: Option<String>,
    /// The commit of the program; `None` if the journal lacks it.
    pub commit: Option<String>,
}

impl TimingLine {
    /// The line of a job that ends now. The journal adds the commit.
    pub(super) fn new(job: &JobId, class: &str, cost: f64, seconds: f64, resumed: bool) -> TimingLine {
        let now = jiff::Timestamp::now();
        let started = now.checked_sub(jiff::SignedDuration::from_secs_f64(seconds)).unwrap_or(now).to_string();
        TimingLine {
            started,
            kind: job.kind.clone(),
            class: class.to_string(),
            cost,
            seconds,
            resumed,
            job: job.directory(),
            processor: Some(processor()),
            commit: None,
        }
    }
}

/// This process's journal file, created at the end of the first job.
#[derive(Debug)]
pub(super) struct Journal {
    tree: PathBuf,
    /// The commit of the program that writes it, if known.
    commit: Option<String>,
    file: Mutex<Option<File>>,
}

impl Journal {
    pub(super) fn new(tree: PathBuf, commit: Option<String>) -> Journal {
        Journal { tree, commit, file: Mutex::new(None) }
    }

    /// A journal of the same program in another tree.
    pub(super) fn of(&self, tree: PathBuf) -> Arc<Journal> {
        Arc::new(Journal::new(tree, self.commit.clone()))
    }

    pub(super) fn append(&self, line: TimingLine) -> Result<(), Error> {
        let mut bytes =
            serde_json::to_vec(&TimingLine { commit: self.commit.clone(), ..line }).expect("a line is plain data");
        bytes.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if file.is_none() {
            create_directory(&self.tree, &self.directory())?;
            let path = self.directory().join(format!("{}.jsonl", unique()));
            *file = Some(open_to_write(&path, Opening::New).at("create", &path)?);
        }
        file.as_mut().map_or(Ok(()), |file| file.write_all(&bytes)).at("append to", &self.directory())
    }

    fn directory(&self) -> PathBuf {
        self.tree.join("timing")
    }
}

/// The timing of every job, by its directory; one of them for repeated jobs.
pub(super) fn readings(directory: &Path) -> HashMap<String, Reading> {
    let mut readings = HashMap::new();
    each_line(directory, |line| {
        let TimingLine { seconds, resumed, processor, commit, .. } = line;
        let reading = Reading { seconds, is_whole: !resumed, processor, commit };
        readings.insert(line.job, reading);
    });
    readings
}

/// All lines of all journals. Invalid lines and unreadable files are skipped: these are estimates.
fn each_line(directory: &Path, mut look: impl FnMut(TimingLine)) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let text = read_text(&entry.path(), LARGEST_NOTE).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str::<TimingLine>(line).ok()).for_each(&mut look);
    }
}

/// Minimum duration of a job for estimates, seconds: shorter ones mainly measure file access.
const LEAST: f64 = 0.05;

/// Seconds per unit of cost, by kind of job and class of work.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Durations {
    /// Sums of seconds and of costs.
    sums: HashMap<(String, String), (f64, f64)>,
}

impl Durations {
    /// Mean seconds per unit of cost; `None` if such work was never measured.
    #[must_use]
    pub fn seconds_per_unit(&self, kind: &str, class: &str) -> Option<f64> {
        self.sums.get(&(kind.to_string(), class.to_string())).map(|(seconds, cost)| seconds / cost)
    }

    /// Reads all journals.
    pub(super) fn read(directory: &Path) -> Durations {
        let mut durations = Durations::default();
        each_line(directory, |line| durations.add(line));
        durations
    }

    fn add(&mut self, line: TimingLine) {
        let is_usable = !line.resumed && line.cost > 0.0 && line.seconds >= LEAST;
        if is_usable {
            let sums = self.sums.entry((line.kind, line.class)).or_default();
            *sums = (sums.0 + line.seconds, sums.1 + line.cost);
        }
    }
}
