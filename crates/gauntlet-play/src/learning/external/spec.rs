//! The settings of a training by another program.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::engines::{Launch, called};
use crate::players::EngineAgent;
use gauntlet_games::base::{Patience, Place, Stop, bounded};
use gauntlet_games::games::GameSpec;

bounded! {
    /// Cores of a trainer.
    Threads: u32 from 1 to 1024, "{value} threads: a trainer takes from {range}"
}
bounded! {
    /// Megabytes of the files of a trainer. With their names they fit into the largest file that is read.
    Megabytes: u32 from 1 to 4000, "{value} megabytes: the files of a trainer take from {range}"
}
bounded! {
    /// An amount of work.
    Work: f64 above 0 to 1e15, "a budget of {value}: take a number {range}"
}

/// The environment variables from which libraries take the number of their threads.
const THREADS: [&str; 6] = [
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "RAYON_NUM_THREADS",
];

/// A training by another program: any framework (docs/trainer.md). An engine with `from` plays with its files.
///
/// | key | default | |
/// |---|---|---|
/// | `game` | | the game |
/// | `command` | | the program and its arguments. Files that it names are part of the job's key, by their contents |
/// | `name` | the last file of the command | the name in tables |
/// | `budget` | none | `{ seconds = 600 }`, `{ processor-seconds = 600 }`, `{ evaluations = 1e6 }` or `{ games = 1000 }`: the work after which the program ends |
/// | `settings` | none | settings that the program gets |
/// | `threads` | 1 | the cores that it may use: the usual environment variables say so |
/// | `megabytes` | 256 | the most that its files may take |
/// | `silence-seconds` | 3600 | the longest time without a line of output; a program that is silent for longer is broken |
/// | `directory` | that of the manifest | the working directory |
/// | `needs` | none | other files and directories that the program reads; they are part of the key, too |
/// | `writes` | none | files and directories that it writes, such as a log: they are not part of the key |
/// | `environment` | none | additional environment variables. Files that they name are part of the key, too |
/// | `deterministic` | false | whether the same seed gives the same files; `gauntlet verify` runs it again |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExternalJob {
    /// The game of the training.
    pub game: GameSpec,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The name in tables. Default: the last file of the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The work after which the program ends.
    #[serde(default)]
    pub budget: TrainingBudget,
    /// Settings that the program gets.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
    /// The cores that it may use.
    #[serde(default = "one", with = "Threads")]
    pub threads: u32,
    /// The most megabytes of its files.
    #[serde(default = "megabytes", with = "Megabytes")]
    pub megabytes: u32,
    /// The longest time without a line of output.
    #[serde(default = "silence", with = "Patience")]
    pub silence_seconds: f64,
    /// The working directory; in a manifest, relative to its own directory.
    #[serde(default, skip_serializing_if = "Place::is_here")]
    pub directory: Place,
    /// Files and directories that the program reads besides those of its settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Files and directories that it writes: no result depends on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// Additional environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Whether the same seed gives the same files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
    /// Hashes of these files, by their names; planning adds them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// The work after which a trainer ends, in one unit; none if the trainer decides.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TrainingBudget {
    /// Wall-clock seconds.
    #[serde(with = "Work", skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Seconds of processor time of the program and of all that it started.
    #[serde(with = "Work", skip_serializing_if = "Option::is_none")]
    pub processor_seconds: Option<f64>,
    /// Evaluations by its network.
    #[serde(with = "Work", skip_serializing_if = "Option::is_none")]
    pub evaluations: Option<f64>,
    /// Games.
    #[serde(with = "Work", skip_serializing_if = "Option::is_none")]
    pub games: Option<f64>,
}

impl TrainingBudget {
    /// The budget as a trainer gets it, with whole numbers as such.
    pub(super) fn as_message(&self) -> Map<String, Value> {
        let TrainingBudget { seconds, processor_seconds, evaluations, games } = *self;
        let units = [
            ("seconds", seconds),
            ("processor-seconds", processor_seconds),
            ("evaluations", evaluations),
            ("games", games),
        ];
        // Below 2^53 every whole number is exact.
        let is_whole = |number: f64| number.fract() == 0.0 && number < 9e15;
        let number = |number| if is_whole(number) { Value::from(number as u64) } else { Value::from(number) };
        units.into_iter().filter_map(|(unit, amount)| Some((unit.to_owned(), number(amount?)))).collect()
    }
}

fn one() -> u32 {
    1
}

fn megabytes() -> u32 {
    256
}

fn silence() -> f64 {
    3600.0
}

impl ExternalJob {
    /// Its name in messages and tables.
    #[must_use]
    pub fn called(&self) -> String {
        called(self.name.as_deref(), &self.command, &self.files)
    }

    /// The most bytes of its files.
    pub(super) fn most_bytes(&self) -> u64 {
        u64::from(self.megabytes) << 20
    }

    /// The program as an engine: they name their files alike, and start with the same consent.
    #[must_use]
    pub fn as_engine(&self) -> EngineAgent {
        let ExternalJob { command, name, needs, writes, environment, files, .. } = self.clone();
        let (options, directory) = (self.settings.clone(), self.directory.clone());
        let (deterministic, others) = (self.deterministic, EngineAgent::of(command));
        EngineAgent { name, options, needs, writes, environment, directory, files, deterministic, ..others }
    }

    /// Its start, with the number of threads in its environment.
    pub(super) fn launch(&self, workplace: &Path, stop: &Stop) -> Launch {
        let silence = Duration::from_secs_f64(self.silence_seconds);
        let threads = THREADS.iter().map(|name| ((*name).to_owned(), self.threads.to_string()));
        let environment = threads.chain(self.environment.clone()).collect();
        let (name, command, directory) = (self.called(), self.command.clone(), self.directory.0.clone());
        let workplace = Some(workplace.to_owned());
        let stop = stop.clone();
        Launch { name, command, directory, workplace, environment, startup: silence, timeout: silence, stop }
    }

    pub(super) fn check_settings(&self) -> Result<(), String> {
        if self.command.first().is_none_or(String::is_empty) {
            return Err(
                "a training by another program needs a command: `command = [\"python3\", \"train.py\"]`".to_owned()
            );
        }
        let TrainingBudget { seconds, processor_seconds, evaluations, games } = self.budget;
        match [seconds, processor_seconds, evaluations, games].iter().flatten().count() {
            0 | 1 => Ok(()),
            _ => Err("a budget has one unit: `seconds`, `processor-seconds`, `evaluations` or `games`".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rest: &str) -> Result<ExternalJob, String> {
        let text = format!("game = {{ othello = {{ size = 6 }} }}\n{rest}");
        let job: ExternalJob = toml::from_str(&text).map_err(|error| error.message().to_owned())?;
        job.check_settings().map(|()| job)
    }

    #[test]
    fn settings_have_defaults_and_bounds() {
        let job = read("command = [\"python3\", \"train.py\"]\nbudget = { evaluations = 1e6 }").unwrap();
        assert_eq!((job.threads, job.most_bytes(), job.budget.evaluations), (1, 256 << 20, Some(1e6)));
        let written = serde_json::to_string(&job).unwrap();
        assert_eq!(serde_json::from_str::<ExternalJob>(&written).unwrap(), job);
        let command = "command = [\"a\"]\n";
        for (rest, reason) in [
            ("command = []".to_owned(), "needs a command"),
            (format!("{command}budget = {{ seconds = 1, games = 2 }}"), "a budget has one unit"),
            (format!("{command}budget = {{ seconds = 0 }}"), "a budget of 0"),
            (format!("{command}budget = {{ hours = 1 }}"), "unknown field `hours`"),
            (format!("{command}threads = 0"), "0 threads"),
            (format!("{command}megabytes = 4001"), "4001 megabytes"),
            (format!("{command}megabytes = 0"), "0 megabytes"),
            (format!("{command}silence-seconds = 0"), "0 s"),
            (format!("{command}budget = {{ games = 1e16 }}"), "a budget of 1"),
            (format!("{command}budget = {{ evaluations = nan }}"), "a budget of NaN"),
        ] {
            let error = read(&rest).unwrap_err();
            assert!(error.contains(reason), "{rest}: {error}");
        }
    }

    #[test]
    fn the_environment_has_the_number_of_threads() {
        let job = read("command = [\"a\"]\nthreads = 3\nenvironment = { MKL_NUM_THREADS = \"7\" }").unwrap();
        let environment = job.launch(Path::new("/none"), &Stop::default()).environment;
        assert_eq!((environment["OMP_NUM_THREADS"].as_str(), environment["MKL_NUM_THREADS"].as_str()), ("3", "7"));
    }
}
