//! A temporary directory in which tests run the program as users do.

#![allow(dead_code, clippy::unwrap_used, reason = "every test uses its part, and one that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gauntlet_nets::nets::deep::device_class;
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_plan::manifest::{Overrides, Plan, Problem, load};

/// Environment variables that the program reads.
const ENVIRONMENT: [&str; 11] = [
    "GAUNTLET_ALLOW_ENGINES",
    "GAUNTLET_PROFILE",
    "GAUNTLET_DATA",
    "GAUNTLET_RESULTS",
    "GAUNTLET_REPORTS",
    "RUST_LOG",
    "CI",
    "NO_COLOR",
    "GITHUB_ACTOR",
    "GITHUB_RUN_ATTEMPT",
    "GITHUB_STEP_SUMMARY",
];

/// A directory with its own manifests, results and reports.
pub struct Workshop {
    root: tempfile::TempDir,
}

/// The outcome of a run of the program.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; -1 for a signal.
    pub code: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Workshop {
    /// Runs git in the workshop, with an author of its own.
    pub fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=n", "-c", "user.email=n@localhost", "-c", "commit.gpgsign=false"];
        let ended = Command::new("git").args(identity).args(arguments).current_dir(self.path("")).output().unwrap();
        assert!(ended.status.success(), "{ended:?}");
    }

    /// An empty workshop, in memory if possible: the tests are about the program, not the disk.
    pub fn new() -> Workshop {
        let root = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Workshop { root: root.unwrap() }
    }

    /// A workshop with a manifest `m.toml`.
    pub fn with(manifest: &str) -> Workshop {
        let workshop = Workshop::new();
        workshop.write("m.toml", manifest);
        workshop
    }

    /// The path of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with some arguments, separated by spaces, in this directory and a clean environment.
    pub fn command(&self, arguments: &str) -> Command {
        self.command_with(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    /// Like `command`, with arguments that may contain spaces.
    pub fn command_with(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gauntlet"));
        command.args(arguments).current_dir(self.root.path());
        for variable in ENVIRONMENT {
            command.env_remove(variable);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &str) -> Ended {
        Ended::from(self.command(arguments).output().unwrap())
    }

    /// Runs the program and asserts its exit code.
    pub fn ends(&self, code: i32, arguments: &[&str]) -> Ended {
        let ended = Ended::from(self.command_with(arguments).output().unwrap());
        assert_eq!(ended.code, code, "gauntlet {arguments:?}: {}{}", ended.stdout, ended.stderr);
        ended
    }

    /// Runs the program and asserts success.
    pub fn done(&self, arguments: &str) -> Ended {
        self.ends(0, &arguments.split_whitespace().collect::<Vec<_>>())
    }

    /// All files below a directory with this suffix, with their contents, by path.
    pub fn files(&self, directory: &str, end: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.path(directory), &mut |path| {
            let name = path.strip_prefix(self.root.path()).unwrap().to_str().unwrap().to_owned();
            if name.ends_with(end) {
                files.insert(name, fs::read(path).unwrap());
            }
        });
        files
    }

    /// The CSV files of all exhibits, without the tables of runs.
    pub fn tables(&self) -> BTreeMap<String, Vec<u8>> {
        let mut tables = self.files("reports", ".csv");
        tables.retain(|name, _| !name.ends_with("/runs.csv"));
        tables
    }

    /// The committed jobs of all runs so far, with repetitions: the lines of the timing journals.
    pub fn commits(&self) -> Vec<String> {
        let journals = self.files("results/timing", ".jsonl");
        journals
            .values()
            .flat_map(|text| String::from_utf8_lossy(text).lines().map(str::to_owned).collect::<Vec<_>>())
            .collect()
    }

    /// Rewrites the store as if other code had run its jobs. Only trainings may be inputs.
    pub fn age(&self) {
        self.rewrite(|key_inputs| key_inputs.code = key_inputs.config);
    }

    /// Rewrites the store as if its jobs had other key inputs. Only trainings may be inputs.
    pub fn rewrite(&self, change: impl Fn(&mut KeyInputs)) {
        let mut aged: Vec<(String, String)> = Vec::new();
        let (trainings, others): (Vec<PathBuf>, _) = self.jobs("").into_iter().partition(|job| is_training(job));
        for job in trainings.into_iter().chain(others) {
            let old = job.file_name().unwrap().to_str().unwrap().to_owned();
            let replaced = |text: String| aged.iter().fold(text, |text, (key, other)| text.replace(key, other));
            let note = replaced(fs::read_to_string(job.join("key.json")).unwrap());
            let mut key_inputs: KeyInputs = serde_json::from_str(&note).unwrap();
            let key = key_inputs.key;
            change(&mut key_inputs);
            key_inputs.key = key_inputs.made_key();
            fs::write(job.join("key.json"), serde_json::to_vec_pretty(&key_inputs).unwrap()).unwrap();
            let done = fs::read_to_string(job.join("done.json")).unwrap();
            fs::write(job.join("done.json"), done.replace(&key.hex(), &key_inputs.key.hex())).unwrap();
            let name = old.replace(&key.to_string(), &key_inputs.key.to_string());
            fs::rename(&job, job.with_file_name(name)).unwrap();
            aged.push((key.hex(), key_inputs.key.hex()));
        }
    }

    /// The directories of jobs of a kind.
    pub fn jobs(&self, kind: &str) -> Vec<PathBuf> {
        let jobs = fs::read_dir(self.path("results/jobs")).unwrap().flatten().map(|entry| entry.path());
        let of_kind = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(kind);
        let mut jobs: Vec<PathBuf> = jobs.filter(of_kind).collect();
        jobs.sort();
        jobs
    }
}

fn is_training(job: &Path) -> bool {
    job.file_name().unwrap().to_str().unwrap().starts_with("train")
}

fn collect(path: &Path, visit: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), visit),
            _ => visit(&entry.path()),
        }
    }
}

impl From<std::process::Output> for Ended {
    fn from(output: std::process::Output) -> Ended {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// The published results of the authors of AlphaGateau, if they are beside the checkout.
pub fn published_results() -> Option<&'static Path> {
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/alphagateau"));
    if directory.join("rankings.json").is_file() {
        return Some(directory);
    }
    eprintln!("skipped: what is drawn from published results, which are not beside the checkout");
    None
}

/// The plan of a manifest `m.toml`, or its problems as `line underlined: message (hint)`.
pub fn plan_of(text: &str, overrides: &Overrides) -> Result<Plan, Vec<String>> {
    let source: BTreeMap<String, String> = [("m.toml".to_owned(), text.to_owned())].into();
    load(&source, "m.toml", overrides).and_then(|loaded| Plan::new(loaded, &device_class())).map_err(|problems| {
        let show = |problem: &Problem| {
            let place = problems.locate(problem).map_or(String::new(), |(file, line)| match file {
                "m.toml" => format!("{line} {}", &text[problem.span.clone().unwrap()]),
                file => file.to_owned(),
            });
            let hint = problem.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
            format!("{place}: {}{hint}", problem.message)
        };
        problems.list().iter().map(show).collect()
    })
}

/// A text with some words replaced, each of which must occur.
pub fn changed(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from} is not in the manifest");
        text.replacen(from, to, 1)
    })
}

/// Asserts that every change of a manifest gives exactly one problem with the expected beginning.
pub fn assert_told(manifest: &str, mistakes: &[(&str, &str, &str)]) {
    let untold = |(from, to, expected): &(&str, &str, &str)| {
        let found = plan_of(&changed(manifest, &[(from, to)]), &Overrides::default()).err().unwrap_or_default();
        let is_told = found.len() == 1 && found[0].starts_with(expected);
        (!is_told).then(|| format!("{to}\n   found: {found:#?}\nexpected: {expected}"))
    };
    let untold: Vec<String> = mistakes.iter().filter_map(untold).collect();
    assert!(untold.is_empty(), "{}", untold.join("\n"));
}

/// The JSON of an output.
pub fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Whether the long versions of tests are requested.
pub fn is_long() -> bool {
    std::env::var_os("GAUNTLET_LONG_TESTS").is_some()
}

/// Two networks are trained and measured on two boards: 4 trainings and 8 measurements in about a second.
pub const TRAINING: &str = r#"schema = 1
name = "test/training"
title = "Two networks learn"

[games]
go.atari-go = { size = 5 }

[agents]
naive.naive = {}
mdlstm.net = { network = { mdlstm = { cells = 3 } } }
conv.net = { network = { conv = { maps = 3, field = 3, planes = 1 } } }

[stages.train]
seeds = 2
sweep = { agent = ["mdlstm", "conv"] }
train.cma-es = { game = "go", agent = "mdlstm", opponent = "naive", settings = { generations = 30, games = 20 } }

[stages.transfer]
from = "train"
sweep = { "game.size" = [5, 7] }
measure.fitness = { games = 20 }

[[exhibit]]
name = "curves"
[exhibit.show.curves]
stage = "train"
curves = ["agent"]

[[exhibit]]
name = "transfer"
[exhibit.show.means]
stage = "transfer"
rows = ["agent"]
columns = ["game.size"]
"#;

/// Forty small measurements.
pub const MEASUREMENTS: &str = r#"schema = 1
name = "test/measurements"
title = "Random networks"

[games]
go.atari-go = { size = 5 }

[agents]
naive.naive = {}
net.net = { network = { mdrnn = { units = 3 } } }

[stages.fitness]
seeds = 20
sweep = { "game.size" = [5, 6] }
measure.fitness = { game = "go", agent = "net", opponent = "naive", games = 10 }

[[exhibit]]
[exhibit.show.scatter]
stage = "fitness"
across = "game.size"
x = 5
y = 6
"#;

/// One AlphaZero training with every part of a checkpoint: about two seconds.
pub const ALPHA_ZERO: &str = r#"schema = 1
name = "test/alpha-zero"
title = "A network learns from its own games"

[games]
othello.othello = { size = 4 }

[agents.saz.guided]
network = { saz = { hidden = 8, dropout = 0.2 } }
subgraphs = { margin = 1, pass = "full" }
search = { simulations = 16, temperature = { plies = 4 } }

[stages.train]
seeds = 1
[stages.train.train.alpha-zero]
game = "othello"
agent = "saz"
[stages.train.train.alpha-zero.settings]
iterations = 30
games = 12
history = 3
steps = 6
batch = 8
symmetries = "random"
keep = [2, 30]
gate = { games = 4, share = 0.5 }
evaluation = { every = 3, games = 4, opponent = { random = {} }, openings = { random = { plies = 2 } } }

[[exhibit]]
[exhibit.show.means]
stage = "train"
rows = ["agent"]
values = ["games", "evaluations", "compute"]
y-label = "games, evaluations, operations"

[[exhibit]]
name = "skill"
show.curves = { stage = "train", curves = ["agent"], of = "skill" }
"#;
