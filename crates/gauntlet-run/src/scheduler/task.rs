//! A task: one job with all inputs of a worker, and nothing else. It is plain data: it can be written to a file and
//! run by another process, on another machine, at another time.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use gauntlet_games::base::Key;
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};
use gauntlet_jobs::code::fingerprint;
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_plan::manifest::{Dependency, Reading};
use gauntlet_play::jobs::{GAMES, RESULT, weights_file};
use gauntlet_store::{Error, JobId, quick_write};

/// The version of task files that this program writes and reads.
const VERSION: u32 = 2;

/// One job that has to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    version: u32,
    /// The identity of the job in the store.
    pub id: JobId,
    /// One line that describes it.
    pub name: String,
    /// The key inputs: spec, seed, code, device class, and the hashes of the files that it reads.
    pub key_inputs: KeyInputs,
    /// The files of other jobs that it reads.
    pub weights: Vec<WeightsFile>,
    /// The shorter training that it continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<JobId>,
    /// Class of work; jobs of one class take time in proportion to their cost.
    pub class: String,
    /// Amount of work, in units of the class.
    pub cost: f64,
}

/// A file of another job that a task reads: trained weights, the games of a meeting, or the solutions of positions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsFile {
    /// The job.
    pub job: JobId,
    /// The name of the file in its directory.
    pub file: String,
    /// The player that receives the weights; none for all players whose weights are `"trained"`. For a part, its name.
    pub player: Option<String>,
}

impl WeightsFile {
    /// The files that a job reads from these jobs, one for each of its dependencies. A tournament that sums up its
    /// meetings needs no weights.
    pub(super) fn of<'a>(from: &[Dependency], jobs: impl Iterator<Item = &'a JobId>) -> Vec<WeightsFile> {
        let sums_up = from.iter().any(|dependency| dependency.reads == Reading::Games);
        let files = |(dependency, job): (&Dependency, &JobId)| {
            let file = |file: String| WeightsFile {
                job: job.clone(),
                file,
                player: dependency.player.as_deref().map(str::to_owned),
            };
            match dependency.reads {
                Reading::Weights if sums_up => Vec::new(),
                Reading::Weights => vec![file(weights_file(dependency.iteration))],
                Reading::Games => vec![file(RESULT.to_owned()), file(GAMES.to_owned())],
                Reading::Solutions => vec![file(RESULT.to_owned())],
            }
        };
        from.iter().zip(jobs).flat_map(files).collect()
    }
}

/// Why a task file cannot be run here.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The file does not exist, or cannot be read.
    #[error("cannot read the task {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file is not a task, or is not consistent.
    #[error("{} is not a task: {reason}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It was written by another version of the program.
    #[error("{} is a task of version {found}, and this program reads version {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
    },
    /// It was planned for another device class.
    #[error("{name} was planned for the device class {planned}, and this is {here}")]
    Device {
        /// The task.
        name: String,
        /// The class that it was planned for.
        planned: String,
        /// The class of this process.
        here: String,
    },
    /// It was planned by a program with other code.
    #[error("{name} was planned by another program: its code is {planned}, and this is {here}")]
    Code {
        /// The task.
        name: String,
        /// The fingerprint in its key.
        planned: Key,
        /// The fingerprint of this program.
        here: Key,
    },
}

impl TaskError {
    /// A hint for the user.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            TaskError::Device { .. } => "name the device with --device, or plan again on this machine",
            _ => "task files are written by `gauntlet run`; run that again, with this program",
        }
    }
}

impl Task {
    /// A task; `key_inputs` holds the key inputs of `id`.
    #[must_use]
    pub fn new(
        id: JobId,
        name: String,
        key_inputs: KeyInputs,
        weights: Vec<WeightsFile>,
        class: String,
        cost: f64,
    ) -> Task {
        Task { version: VERSION, id, name, key_inputs, weights, earlier: None, class, cost }
    }

    /// The same task, which continues a shorter training.
    #[must_use]
    pub fn continuing(self, earlier: Option<JobId>) -> Task {
        Task { earlier, ..self }
    }

    /// Writes the task to a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        quick_write(path, &serde_json::to_vec_pretty(self).expect("a task is plain data"))
    }

    /// Reads a task from a file, and checks that this process, of a device class, can run it.
    ///
    /// # Errors
    /// If the file is not a task of this version, is not consistent, or belongs to another device class or program.
    pub fn load(path: &Path, device: &str) -> Result<Task, TaskError> {
        let bytes = read_regular(path, LARGEST_DATA)
            .map_err(|source| TaskError::Unreadable { path: path.to_owned(), source })?;
        Task::read(path, &bytes, device)
    }

    /// Reads a task from the content of a file, and checks that this process can run it.
    ///
    /// # Errors
    /// See [`Task::load`].
    pub fn read(path: &Path, bytes: &[u8], device: &str) -> Result<Task, TaskError> {
        let broken = |reason: String| TaskError::Broken { path: path.to_owned(), reason };
        let value: Value = serde_json::from_slice(bytes).map_err(|error| broken(error.to_string()))?;
        match value.get("version") {
            None => return Err(broken("it has no version".to_owned())),
            Some(found) if *found != VERSION => {
                return Err(TaskError::Version { path: path.to_owned(), found: found.to_string() });
            }
            Some(_) => {}
        }
        let task: Task = serde_json::from_value(value).map_err(|error| broken(error.to_string()))?;
        task.check_here(device)?;
        task.check().map_err(broken)?;
        Ok(task)
    }

    /// Whether its parts are consistent.
    fn check(&self) -> Result<(), String> {
        if self.id.key != self.key_inputs.key || !self.key_inputs.is_consistent() {
            return Err(format!("what {} shall do is not what its key was made from", self.name));
        }
        self.key_inputs.spec.check_written()
    }

    /// Whether its key is valid for the results of this process, of a device class.
    fn check_here(&self, here: &str) -> Result<(), TaskError> {
        let KeyInputs { spec, code, device, .. } = &self.key_inputs;
        let (own_code, own_device) = (fingerprint(spec), spec.device_class(here).to_owned());
        let name = self.name.clone();
        if *device != own_device {
            return Err(TaskError::Device { name, planned: device.clone(), here: own_device });
        }
        if *code != own_code {
            return Err(TaskError::Code { name, planned: *code, here: own_code });
        }
        Ok(())
    }
}
