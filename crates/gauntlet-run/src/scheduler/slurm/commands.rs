//! Slurm's programs: they run with a time limit, and their output becomes plain data. Decisions are made elsewhere.

use std::io::{self, Read};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use super::parse::{QueueRow, SiteLimits, parse_accounts, parse_config, parse_job, parse_queue};

/// Time between two checks whether a program has ended.
const PATIENCE: Duration = Duration::from_millis(5);

/// The programs of a Slurm installation, found on the `PATH`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Commands {
    /// Time limit of a program.
    pub time_limit: Duration,
}

/// Why a program gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// It is missing, or cannot be run.
    #[error("`{program}` cannot be started: {reason}")]
    Unstarted {
        /// The program.
        program: &'static str,
        /// The reason.
        reason: io::Error,
    },
    /// It was stopped. Its operation may have happened all the same.
    #[error("`{program}` has not answered within {} s", limit.as_secs_f64())]
    Late {
        /// The program.
        program: &'static str,
        /// Its time limit.
        limit: Duration,
    },
    /// The path of the results cannot be written in a script.
    #[error(
        "{} has a quote or a control character in its name, which Slurm does not pass on; name another directory with \
         --results", place.display()
    )]
    Place {
        /// The directory.
        place: PathBuf,
    },
    /// It succeeded, but its output cannot be parsed.
    #[error("`{program}` succeeded, but its output is not understood: {said}")]
    Unclear {
        /// The program.
        program: &'static str,
        /// Its output, in one line.
        said: String,
    },
    /// It failed.
    #[error("`{program}`: {said}")]
    Refused {
        /// The program.
        program: &'static str,
        /// Its message, in one line.
        said: String,
    },
}

/// Words of temporary refusals: the controller is busy, restarts, or the user has too many jobs for now.
const PASSING: [&str; 12] = [
    "Unable to contact",
    "timed out",
    "Connection refused",
    "Communication connection failure",
    "try again",
    "Resource temporarily unavailable",
    "temporarily unable",
    "Submit limit",
    "SubmitJob",
    "MaxJobCount",
    "Zero Bytes were transmitted",
    "in standby mode",
];

impl CommandError {
    /// Whether the same command may succeed later.
    pub fn may_pass(&self) -> bool {
        match self {
            CommandError::Unstarted { .. } | CommandError::Place { .. } => false,
            CommandError::Late { .. } | CommandError::Unclear { .. } => true,
            CommandError::Refused { said, .. } => PASSING.iter().any(|word| said.contains(word)),
        }
    }

    /// Whether the operation may have happened although the program failed.
    pub fn is_open(&self) -> bool {
        match self {
            CommandError::Unstarted { .. } | CommandError::Place { .. } => false,
            CommandError::Late { .. } | CommandError::Unclear { .. } => true,
            CommandError::Refused { said, .. } => {
                ["timed out", "Zero Bytes", "connection failure"].iter().any(|word| said.contains(word))
            }
        }
    }

    /// Whether the cluster has no accounting.
    pub fn is_without_accounts(&self) -> bool {
        match self {
            CommandError::Unstarted { .. } => true,
            CommandError::Late { .. } | CommandError::Unclear { .. } | CommandError::Place { .. } => false,
            CommandError::Refused { said, .. } => said.contains("accounting storage is disabled"),
        }
    }

    /// Whether a submission depends on a job that the controller does not know any more.
    pub fn is_about_dependency(&self) -> bool {
        matches!(self, CommandError::Refused { said, .. } if said.contains("dependency"))
    }
}

impl Commands {
    /// Submits a script that starts when the arrays with the ids `after` have ended successfully. Returns its id.
    pub fn submit(&self, script: &Path, after: &[u64]) -> Result<u64, CommandError> {
        let ids: Vec<String> = after.iter().map(|id| format!(":{id}")).collect();
        let wait = format!("--dependency=afterok{}", ids.concat());
        let (script, wait) = (script.as_os_str(), (!after.is_empty()).then_some(wait));
        let mut command = self.command("sbatch");
        command.arg("--parsable");
        if let Some(wait) = wait {
            command.args([wait.as_str(), "--kill-on-invalid-dep=yes"]);
        }
        let said = self.run("sbatch", command.arg(script))?;
        parse_job(&said).ok_or(CommandError::Unclear { program: "sbatch", said: one_line(&said) })
    }

    /// The limits of the site.
    pub fn limits(&self) -> Result<SiteLimits, CommandError> {
        Ok(parse_config(&self.run("scontrol", self.command("scontrol").args(["show", "config"]))?))
    }

    /// The rows of the controller for the jobs with these names: jobs that have not ended, and those that ended
    /// recently.
    pub fn queue(&self, names: &[String]) -> Result<Vec<QueueRow>, CommandError> {
        let names = format!("--name={}", names.join(","));
        let format = "--format=%j|%F|%K|%T|%N|%r";
        let said = self.run("squeue", self.command("squeue").args(["--noheader", "--states=all", &names, format]))?;
        Ok(parse_queue(&said))
    }

    /// The rows of the accounting for the jobs with these names, since a number of seconds ago.
    pub fn accounts(&self, names: &[String], since: Duration) -> Result<Vec<QueueRow>, CommandError> {
        let names = format!("--name={}", names.join(","));
        let since = format!("--starttime=now-{}minutes", since.as_secs() / 60 + 60);
        let shape = ["--allocations", "--parsable2", "--noheader", "--duplicates"];
        let mut command = self.command("sacct");
        command.args(shape).args([&*names, &*since, "--format=JobName,JobID,State,NodeList"]);
        Ok(parse_accounts(&self.run("sacct", &mut command)?))
    }

    /// Cancels the jobs with a name; ended jobs are no error.
    pub fn cancel(&self, name: &str) -> Result<(), CommandError> {
        let names = format!("--name={name}");
        self.run("scancel", self.command("scancel").arg(names)).map(drop)
    }

    /// A program without the environment of a Slurm job around this process.
    fn command(&self, program: &'static str) -> Command {
        let mut command = Command::new(program);
        let is_of_job =
            |name: &str| (name.starts_with("SLURM_") && name != "SLURM_CONF") || name.starts_with("SBATCH_");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_of_job)) {
            command.env_remove(name);
        }
        // Complete lists of array tasks, and English output.
        command.env("SLURM_BITSTR_LEN", "0").env("LC_ALL", "C");
        // The program gets no Ctrl-C of the terminal.
        command.process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The output of a program that succeeded.
    fn run(&self, program: &'static str, command: &mut Command) -> Result<String, CommandError> {
        let mut child = command.spawn().map_err(|reason| CommandError::Unstarted { program, reason })?;
        let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
        let Some(is_well) = self.wait(&mut child) else {
            return Err(CommandError::Late { program, limit: self.time_limit });
        };
        let [out, err] = [out, err].map(|reader| reader.join().unwrap_or_default());
        if is_well {
            return Ok(out);
        }
        Err(CommandError::Refused { program, said: one_line(if err.trim().is_empty() { &out } else { &err }) })
    }

    /// Whether the program succeeded; none if it was stopped at its time limit.
    fn wait(&self, child: &mut Child) -> Option<bool> {
        let begun = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Some(status.success()),
                Ok(None) if begun.elapsed() < self.time_limit => sleep(PATIENCE),
                Ok(None) => {
                    let _ = child.kill().and_then(|()| child.wait());
                    return None;
                }
                Err(_) => return Some(false),
            }
        }
    }
}

/// Reads a stream to its end on a thread, so that its writer never blocks.
fn reader(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    spawn(move || {
        let mut bytes = Vec::new();
        // After an error, the bytes so far are used.
        let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The lines of a message in one line, without the name of the program before each.
fn one_line(text: &str) -> String {
    let bare = |line: &str| line.split_once(": ").map_or(line, |(_, rest)| rest).trim().to_owned();
    let lines: Vec<String> = text.lines().map(bare).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() { "no reason given".to_owned() } else { lines.join("; ") }
}
