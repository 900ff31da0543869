//! The options of a command, after the command line has resolved them: the plans, the places of files, and the
//! execution.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Context as _;

use super::errors::Misuse;
use gauntlet_games::base::files::{LARGEST_NOTE, read_text};
use gauntlet_nets::nets::deep::{DeviceName, Precision};
use gauntlet_plan::manifest::Overrides;
use gauntlet_run::scheduler::{Launch, PoolSettings, Workers};
use gauntlet_store::Store;

/// The value of `--device-class` for the results of every class.
pub const ANY_CLASS: &str = "any";

/// Number of parallel array tasks in an estimate without `--jobs`.
const NODES: usize = 32;

/// Tells a worker that the user was asked about engines.
const ASKED: &str = "--allow-engines";

/// The options of a command.
#[derive(Debug, Clone)]
pub struct Options {
    /// The profile, if one was named.
    pub profile: Option<String>,
    /// The profile of the environment; a manifest without it uses its default profile.
    pub usual_profile: Option<String>,
    /// Overridden values of the manifest, by their keys.
    pub set: Vec<(String, String)>,
    /// The number or list of seeds of every stage, if overridden.
    pub seeds: Option<String>,
    /// Names of games and agents that the command itself uses; a profile or `--set` may define them.
    pub used: Vec<String>,
    /// Filters of jobs; a job has to match any of them.
    pub only: Vec<String>,
    /// Jobs at a time, if fixed.
    pub jobs: Option<u16>,
    /// Cores of each job, if fixed.
    pub threads_per_job: Option<u16>,
    /// How jobs run.
    pub executor: ExecutorKind,
    /// The device for deep networks.
    pub device: DeviceName,
    /// The precision of a CUDA device.
    pub precision: Precision,
    /// The GPUs that are assigned to the slots of processes in turn.
    pub gpus: Vec<String>,
    /// The device class of this process.
    pub own_class: String,
    /// The device class to plan for, if it is not that of the device, or `any`.
    pub device_class: Option<String>,
    /// A file with the settings of `[cluster]`.
    pub cluster: Option<PathBuf>,
    /// The directory of files that some manifests read.
    pub data: Option<PathBuf>,
    /// The directory of the results.
    pub results: PathBuf,
    /// The directory of the reports.
    pub reports: PathBuf,
    /// Whether the directory of the reports was named by the user.
    pub names_reports: bool,
    /// Whether to stop at the first failed job.
    pub fail_fast: bool,
    /// The seconds between two pages while jobs run, at last; `None` if no page is written before they end.
    pub live: Option<u64>,
    /// Whether finished results of older code are accepted.
    pub accept_code: bool,
    /// Whether the user has agreed to very large runs and removals.
    pub yes: bool,
    /// Whether engines may start without a question.
    pub allow_engines: bool,
    /// Whether to overwrite reports of other manifests with the same name.
    pub force: bool,
    /// Whether workers print errors only.
    pub quiet: bool,
}

/// How jobs run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExecutorKind {
    /// On threads of this process.
    #[default]
    Local,
    /// Each in its own process: a crash loses only that job.
    Process,
    /// As arrays of a cluster under Slurm.
    Slurm,
    /// One after another in the main thread.
    Inline,
}

impl Options {
    pub(super) fn overrides(&self) -> Overrides {
        Overrides {
            profile: self.profile.clone(),
            usual_profile: self.usual_profile.clone(),
            set: self.set.clone(),
            seeds: self.seeds.clone(),
            cluster: None,
            used: self.used.clone(),
        }
    }

    /// The overrides of the command line, with the text of the cluster file.
    pub(super) fn overrides_with_files(&self) -> anyhow::Result<Overrides> {
        let read = |path: &PathBuf| {
            let hint = "name a TOML file with the keys of `[cluster]`: gauntlet explain cluster";
            let text = read_text(path, LARGEST_NOTE);
            let text = text.map_err(|error| Misuse::new(format!("cannot read {}: {error}", path.display()), hint))?;
            anyhow::Ok((path.display().to_string(), text))
        };
        Ok(Overrides { cluster: self.cluster.as_ref().map(read).transpose()?, ..self.overrides() })
    }

    /// Whether the user's own file for the cluster has a key.
    pub(super) fn cluster_file_has(&self, key: &str) -> bool {
        let text = self.cluster.as_ref().and_then(|path| read_text(path, LARGEST_NOTE).ok()).unwrap_or_default();
        let table: toml::Table = text.parse().unwrap_or_default();
        table.get("cluster").and_then(toml::Value::as_table).unwrap_or(&table).contains_key(key)
    }

    /// The changes that make a profile `custom`, for reports.
    pub(super) fn changes(&self) -> String {
        let of_jobs = |(key, _): &&(String, String)| !key.starts_with("cluster.");
        if self.set.iter().all(|set| !of_jobs(&set)) && self.seeds.is_none() && self.only.is_empty() {
            return String::new();
        }
        let profile = self.profile.iter().map(|profile| format!("profile {profile}"));
        let set = self.set.iter().filter(of_jobs).map(|(key, value)| format!("{key} = {value}"));
        let seeds = self.seeds.iter().map(|seeds| format!("seeds = {seeds}"));
        let only = self.only.iter().map(|filter| format!("only {filter}"));
        profile.chain(set).chain(seeds).chain(only).collect::<Vec<_>>().join("; ")
    }

    /// These options at one profile (or the default one), with no other change.
    pub fn at_profile(&self, profile: Option<&str>) -> Options {
        let profile = profile.map(str::to_owned);
        Options { profile, usual_profile: None, set: Vec::new(), seeds: None, only: Vec::new(), ..self.clone() }
    }

    /// Jobs at a time.
    pub fn slots(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        if self.jobs.is_none() && self.executor == ExecutorKind::Slurm {
            return NODES;
        }
        if self.jobs.is_none() && !self.gpus.is_empty() {
            return self.gpus.len();
        }
        self.jobs.map_or_else(|| (cores() / self.threads_per_job().unwrap_or(1)).max(1), usize::from)
    }

    /// Cores of each job, if fixed.
    pub fn threads_per_job(&self) -> Option<usize> {
        self.threads_per_job.map(usize::from)
    }

    /// Opens the store. Manifests are planned first, so that a faulty one leaves no files.
    pub fn store(&self) -> anyhow::Result<Store> {
        Ok(Store::open(&self.results)?.by_program(env!("GAUNTLET_COMMIT")))
    }

    /// The results tree, for reading only.
    ///
    /// # Errors
    /// If it is not a directory.
    pub fn look(&self) -> anyhow::Result<Store> {
        Ok(Store::look(&self.results)?)
    }

    /// The kind of workers.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn workers(&self) -> anyhow::Result<Workers> {
        self.require_class()?;
        self.require_slots()?;
        Ok(match self.executor {
            ExecutorKind::Local | ExecutorKind::Inline => Workers::Here,
            ExecutorKind::Process => Workers::Processes(self.launch()?),
            ExecutorKind::Slurm => Workers::Cluster(self.launch_elsewhere()?),
        })
    }

    /// The number of tasks at a time, and their cores.
    #[must_use]
    pub fn pool_settings(&self) -> PoolSettings {
        PoolSettings {
            slots: self.slots(),
            threads_per_job: self.threads_per_job(),
            fail_fast: self.fail_fast,
            inline: self.executor == ExecutorKind::Inline,
        }
    }

    /// The device class to plan for, if one was named.
    #[must_use]
    pub fn named_class(&self) -> Option<&str> {
        self.device_class.as_deref().filter(|class| *class != ANY_CLASS)
    }

    /// Whether results of every device class count.
    #[must_use]
    pub fn reads_any_class(&self) -> bool {
        self.device_class.as_deref() == Some(ANY_CLASS)
    }

    /// Requires that jobs in this process have its device class.
    fn require_class(&self) -> anyhow::Result<()> {
        if self.reads_any_class() {
            let what = "`--device-class any` reads results, and jobs run for one class";
            return Err(Misuse::new(what, "leave it out, or name the class of the workers"));
        }
        let is_here = matches!(self.executor, ExecutorKind::Local | ExecutorKind::Inline);
        match &self.device_class {
            Some(class) if is_here && *class != self.own_class => {
                let what = format!("jobs for the device class {class} do not run here: this is {}", self.own_class);
                Err(Misuse::new(what, "add --executor slurm, or leave --device-class out"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Requires worker processes if GPUs are named.
    fn require_slots(&self) -> anyhow::Result<()> {
        if self.gpus.is_empty() || self.executor == ExecutorKind::Process {
            return Ok(());
        }
        let hint = "add --executor process; on a cluster, `gpus` in [cluster] asks for some";
        Err(Misuse::new("--gpus names the GPUs of processes, and jobs run in none of their own", hint))
    }

    /// The command that starts this program as a worker on the same results, data and device.
    fn launch(&self) -> anyhow::Result<Launch> {
        let program = std::env::current_exe().context("the path of this program is unknown")?;
        let mut arguments = ["worker", "--until-eof", ASKED, "--results"].map(OsString::from).to_vec();
        arguments.push(self.results.clone().into());
        arguments.extend(self.data.iter().flat_map(|data| ["--data".into(), data.clone().into()]));
        arguments.extend(self.places());
        Ok(Launch { program, arguments, gpus: self.gpus.clone() })
    }

    /// The command that starts this program as a worker on another machine, which sees the same directories.
    fn launch_elsewhere(&self) -> anyhow::Result<Launch> {
        let program = std::env::current_exe().context("the path of this program is unknown")?;
        let absolute = |path: &PathBuf| std::path::absolute(path).context("there is no working directory");
        let mut arguments = ["worker", ASKED, "--results"].map(OsString::from).to_vec();
        arguments.push(absolute(&self.results)?.into());
        if let Some(data) = &self.data {
            arguments.extend(["--data".into(), absolute(data)?.into()]);
        }
        arguments.extend(self.places());
        Ok(Launch { program, arguments, gpus: Vec::new() })
    }

    /// The arguments for a worker's device and verbosity. A worker sees one GPU, that of its slot.
    fn places(&self) -> impl Iterator<Item = OsString> {
        let device = match self.device {
            DeviceName::Cpu => "cpu".to_owned(),
            DeviceName::Cuda(_) if !self.gpus.is_empty() => "cuda:0".to_owned(),
            DeviceName::Cuda(index) => format!("cuda:{index}"),
        };
        let precision = self.precision.word().into();
        ["--device".into(), device.into(), "--precision".into(), precision]
            .into_iter()
            .chain(self.quiet.then(|| "--quiet".into()))
    }
}
