//! The command line: one file per subcommand. Results go to stdout, progress and logs to stderr; nothing else in
//! the program prints.

mod bench;
mod cancel;
mod check;
mod cluster;
mod compare;
mod completions;
mod environment;
mod exit;
mod explain;
mod export;
mod gallery;
mod games;
mod gc;
mod library;
mod limits;
mod live;
mod live_page;
mod load_plans;
mod memory;
mod output;
mod paper_scale;
mod plan;
mod play;
mod played;
mod program;
mod publish;
mod rate;
mod regress;
mod render;
mod report;
mod reproduce;
mod room;
mod run;
mod schema;
mod sealed;
mod status;
mod training_times;
mod verify;
mod wanted;
mod watch;
mod work;
mod worker;

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr as _;

use anyhow::Context as _;
use clap::Args;

use crate::scheduler::{Launch, Workers};
pub use exit::Exit;
use gauntlet_nets::nets::deep::{DeviceName, Precision, device_class};
pub use limits::bounded;
pub use program::main;

/// Flags that every subcommand understands.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Common options")]
pub struct Flags {
    /// Scale to run at: smoke (seconds), laptop (up to an hour; the default), paper (as published), any other of the
    /// manifest, or base (no profile at all) [env: GAUNTLET_PROFILE, where the manifest has it]
    #[arg(long, global = true, value_name = "NAME")]
    profile: Option<String>,
    /// The profile of the environment, which gives way to the default one where a manifest does not have it.
    #[arg(skip)]
    usual_profile: Option<String>,
    /// Override one value of the manifest, e.g. stages.fitness.seeds=20 (repeatable; makes the profile `custom`)
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Use this many seeds, or this list of seeds, in every stage
    #[arg(long, global = true, allow_negative_numbers = true, value_name = "N|[A,B]")]
    seeds: Option<String>,
    /// Run only the jobs that fit, e.g. game=gomoku,game.size=7 or stage=train or seed=3 (repeatable: any of them)
    #[arg(long, global = true, value_name = "FILTER")]
    only: Vec<String>,
    /// Jobs at a time [default: the number of cores, or as many as have cores enough]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Cores that each job uses [default: one, and those that no job wants]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads_per_job: Option<u16>,
    /// How jobs run: on threads of this process, each in a process of its own, on a cluster under Slurm, or one after
    /// another in the main thread (for debugging)
    #[arg(long, global = true, value_enum, default_value_t, value_name = "NAME")]
    executor: ExecutorKind,
    /// Where deep networks are computed
    #[arg(long, global = true, default_value = "cpu", value_name = "cpu|cuda[:N]", value_parser = DeviceName::from_str)]
    device: DeviceName,
    /// How precisely a CUDA device computes: part of its class, as results depend on it
    #[arg(long, global = true, default_value = "f32", value_name = "f32|tf32|bf16", value_parser = Precision::from_str)]
    precision: Precision,
    /// GPUs that the slots of `--executor process` take turns on, as their driver numbers or names them
    #[arg(long, global = true, value_name = "A,B", value_delimiter = ',')]
    gpus: Vec<String>,
    /// Plan for this device class, which workers must have: cuda-nvidia-h200 [default: that of --device]
    #[arg(long, global = true, value_name = "NAME")]
    device_class: Option<String>,
    /// File of what a cluster is asked for, laid over `[cluster]` of the manifest; changes no result
    #[arg(long, global = true, env = "GAUNTLET_CLUSTER", value_name = "FILE")]
    cluster: Option<PathBuf>,
    /// Directory of files that some manifests read: weights, and published results that are not ours to ship
    #[arg(long, global = true, env = "GAUNTLET_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
    /// Directory of the results, which all manifests share
    #[arg(long, global = true, env = "GAUNTLET_RESULTS", default_value = "results", value_name = "DIR")]
    results: PathBuf,
    /// Directory of the reports; files go to PAPER/PROFILE below it
    #[arg(long, global = true, env = "GAUNTLET_REPORTS", default_value = "reports", value_name = "DIR")]
    reports: PathBuf,
    /// Whether the directory of the reports was named, and is not the default one.
    #[arg(skip)]
    names_reports: bool,
    /// Stop at the first failed job instead of finishing the others
    #[arg(long, global = true)]
    fail_fast: bool,
    /// Write the page every minute while jobs run; it says that it is partial
    #[arg(long, global = true)]
    live: bool,
    /// Take finished results of older code where only the code has changed; the report says so
    #[arg(long, global = true)]
    accept_code: bool,
    /// Go ahead with very large runs, and with removals
    #[arg(long, global = true)]
    yes: bool,
    /// Write over a report that another manifest of the same name has made
    #[arg(long, global = true)]
    force: bool,
    /// Print machine-readable JSON to stdout
    #[arg(long, global = true)]
    json: bool,
    /// No progress or messages, only errors, and that another run on the same results is waited for; results still go to
    /// stdout
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Draw no progress bars
    #[arg(long, global = true)]
    no_progress: bool,
}

/// How jobs run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ExecutorKind {
    /// On threads of this process.
    #[default]
    Local,
    /// Each in a process of its own, which takes no other job with it when it dies.
    Process,
    /// As arrays of a cluster under Slurm.
    Slurm,
    /// One after another in the main thread.
    Inline,
}

impl Flags {
    /// Who runs the tasks.
    fn workers(&self) -> anyhow::Result<Workers> {
        self.require_class()?;
        self.require_slots()?;
        Ok(match self.executor {
            ExecutorKind::Local => Workers::Threads,
            ExecutorKind::Inline => Workers::Inline,
            ExecutorKind::Process => Workers::Processes(self.launch()?),
            ExecutorKind::Slurm => Workers::Cluster(self.launch_elsewhere()?),
        })
    }

    /// Jobs that run in this process have its device class.
    fn require_class(&self) -> anyhow::Result<()> {
        let is_here = matches!(self.executor, ExecutorKind::Local | ExecutorKind::Inline);
        match &self.device_class {
            Some(class) if is_here && *class != device_class() => {
                let what = format!("jobs for the device class {class} do not run here: this is {}", device_class());
                Err(output::Misuse::new(what, "add --executor slurm, or leave --device-class out"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// GPUs are given to processes.
    fn require_slots(&self) -> anyhow::Result<()> {
        if self.gpus.is_empty() || self.executor == ExecutorKind::Process {
            return Ok(());
        }
        let hint = "add --executor process; on a cluster, `gpus` in [cluster] asks for some";
        Err(output::Misuse::new("--gpus names the GPUs of processes, and jobs run in none of their own", hint))
    }

    /// How this program is started as a worker on the same results, data and device.
    fn launch(&self) -> anyhow::Result<Launch> {
        let program = std::env::current_exe().context("this program does not know where it is")?;
        let mut arguments = ["worker", "--until-eof", "--results"].map(OsString::from).to_vec();
        arguments.push(self.results.clone().into());
        arguments.extend(self.data.iter().flat_map(|data| ["--data".into(), data.clone().into()]));
        arguments.extend(self.places());
        Ok(Launch { program, arguments, gpus: self.gpus.clone() })
    }

    /// How this program is started as a worker by another machine, which sees the same directories.
    fn launch_elsewhere(&self) -> anyhow::Result<Launch> {
        let program = std::env::current_exe().context("this program does not know where it is")?;
        let absolute = |path: &PathBuf| std::path::absolute(path).context("there is no working directory");
        let mut arguments = ["worker", "--results"].map(OsString::from).to_vec();
        arguments.push(absolute(&self.results)?.into());
        if let Some(data) = &self.data {
            arguments.extend(["--data".into(), absolute(data)?.into()]);
        }
        arguments.extend(self.places());
        Ok(Launch { program, arguments, gpus: Vec::new() })
    }

    /// What a worker is told of its device, and how much it shall say. Of the GPUs of its slot it sees one, the first.
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

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write it as key=value".to_owned()),
    }
}
