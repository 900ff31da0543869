//! The settings of an engine: its command, its protocol, its budget.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::engines::messages::Budget;
use crate::engines::{
    ARTEFACTS, Engine, EngineError, EngineStart, Launch, MISSING, Mention, Naming, ProtocolName, Stage, called,
    is_outside, is_sealed, renamed, require_startable, script,
};
use crate::players::{Setting, Weights};
use gauntlet_games::base::{Patience, Place, Seed, bounded};

/// The word that stands for the directory of the files that it plays with.
const PLACEHOLDER: &str = "{artefacts}";

bounded! {
    /// Processes of an engine in a job.
    Instances: u32 from 1 to 256, "{value} instances: an engine takes from {range}"
}

/// A program that plays: your own agent, or a known engine.
///
/// | key | default | |
/// |---|---|---|
/// | `command` | | the program and its arguments. Files that it names are part of the job's key, by their contents |
/// | `protocol` | `"json"` | `"json"` (docs/engine-protocol.md), `"gtp"`, `"uci"` or `"gomocup"` |
/// | `name` | the last file of the command | the name in tables of matches |
/// | `options` | none | options that the engine gets at its start. Files that they name are part of the key, too |
/// | `budget` | none | the budget of each move: `{ time-ms = 100 }`, `{ simulations = 800 }`, `{ nodes = 10000 }` or `{ depth = 6 }` |
/// | `weights` | none | `"trained"`: the files that the [`train.external`](crate::learning::ExternalJob) of the stage's `from` left |
/// | `instances` | 1 | processes of the engine in a job, which think at the same time |
/// | `startup-seconds` | 30 | the time for the first answer |
/// | `timeout-seconds` | 60 | the time for every other answer; a slower engine is broken |
/// | `directory` | that of the manifest | the working directory |
/// | `needs` | none | other files and directories that the engine reads; they are part of the key, too |
/// | `writes` | none | files and directories that the engine writes, such as a log: they are not part of the key |
/// | `environment` | none | additional environment variables. Files that they name are part of the key, too |
/// | `deterministic` | false | whether the engine gives the same moves in the same game; a second process is asked for one game again |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EngineAgent {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The protocol.
    #[serde(default)]
    pub protocol: ProtocolName,
    /// The name in tables of matches. Default: the last file of the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Options that the engine gets at its start.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
    /// The budget of each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// The source of the files that it plays with: `"trained"` for those that the training in the stage's `from` left, or
    /// `{ file = "..." }`. Their directory stands for `{artefacts}` in its command, options and environment, and in the
    /// variable `GAUNTLET_ARTEFACTS`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
    /// Processes in a job, which think at the same time; 1 to 256.
    #[serde(default = "one", with = "Instances")]
    pub instances: u32,
    /// Seconds for the first answer.
    #[serde(default = "startup", with = "Patience")]
    pub startup_seconds: f64,
    /// Seconds for every other answer.
    #[serde(default = "timeout", with = "Patience")]
    pub timeout_seconds: f64,
    /// The working directory; in a manifest, relative to its own directory.
    #[serde(default, skip_serializing_if = "Place::is_here")]
    pub directory: Place,
    /// Files and directories that the engine reads besides those of its settings: its modules, its weights.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Files and directories that the engine writes, such as a log: no result depends on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// Additional environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Whether it gives the same moves in the same game. A second process is asked for one game again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
    /// Hashes of these files, by their names; planning adds them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// An option with other texts.
fn with_texts(value: &Value, replaced: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => replaced(text).into(),
        Value::Array(items) => items.iter().map(|item| with_texts(item, replaced)).collect(),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| (replaced(key), with_texts(value, replaced))).collect()
        }
        other => other.clone(),
    }
}

fn one() -> u32 {
    1
}

fn startup() -> f64 {
    30.0
}

fn timeout() -> f64 {
    60.0
}

impl EngineAgent {
    /// Makes the working directory absolute, from that of the manifest, and takes the hashes of its files.
    pub fn locate(&mut self, base: &Path) {
        if self.directory.is_here() {
            self.directory = Place(base.to_owned());
        } else {
            self.directory = Place(base.join(&self.directory.0));
        }
        self.files = self.named_files();
    }

    /// A program with the defaults of all other settings.
    pub(crate) fn of(command: Vec<String>) -> EngineAgent {
        let written = serde_json::json!({ "command": command });
        serde_json::from_value(written).expect("the other settings have defaults")
    }

    /// The hashes of the files that its settings name, by these names.
    #[must_use]
    pub fn named_files(&self) -> BTreeMap<String, String> {
        self.naming().files()
    }

    /// Its settings that can name files.
    fn naming(&self) -> Naming<'_> {
        let mut naming = Naming::new(&self.command, &self.environment, &self.options, &self.directory.0);
        (naming.needs, naming.writes) = (&self.needs, &self.writes);
        naming
    }

    /// Its files that are kept with a version of it, with their hashes: all but a program of the machine.
    #[must_use]
    pub fn kept_files(&self) -> BTreeMap<String, String> {
        let naming = self.naming();
        let kept = self.files.iter().filter(|(name, _)| !naming.is_of_machine(name));
        kept.map(|(name, hash)| (name.clone(), hash.clone())).collect()
    }

    /// The place of a named file.
    #[must_use]
    pub fn place_of(&self, name: &str) -> PathBuf {
        self.naming().place(name)
    }

    /// The files in and below its directory that neither its settings name nor a caution. Those of old versions are all
    /// named.
    #[must_use]
    pub fn unnamed_files(&self) -> Vec<PathBuf> {
        let directory = &self.directory.0;
        let mut names = if is_sealed(directory) { Vec::new() } else { self.naming().beside(&self.files) };
        let mentions = self.mentions();
        names.retain(|name| mentions.iter().all(|mention| Path::new(&mention.file) != name));
        names.into_iter().map(|name| directory.join(name)).collect()
    }

    /// The files beside it that its own files mention, and that its settings do not name.
    fn mentions(&self) -> Vec<Mention> {
        if is_sealed(&self.directory.0) { Vec::new() } else { self.naming().unnamed(&self.files) }
    }

    /// Cautions for files that it seems to read, and that are not part of the key.
    #[must_use]
    pub fn cautions(&self) -> Vec<String> {
        let of_file = |Mention { reader, file }| {
            format!("{reader} reads `{file}` beside it, which `needs` does not name: results stay when it changes")
        };
        let of_directory =
            |name| format!("the directory `{name}` has too many files for a key: results stay when they change");
        let large = self.naming().too_large().into_iter().map(of_directory).collect::<Vec<_>>();
        self.mentions().into_iter().map(of_file).chain(large).collect()
    }

    /// Its name in messages and tables.
    pub(super) fn called(&self) -> String {
        called(self.name.as_deref(), &self.command, &self.files)
    }

    /// A file that does not exist, once the engine is located.
    #[must_use]
    pub fn missing_file(&self) -> Option<&str> {
        let named = self.files.iter().find(|(_, hash)| *hash == MISSING).map(|(name, _)| name);
        let is_missing = |name: &&String| !self.naming().place(name).exists();
        named.or_else(|| script(&self.command).filter(is_missing)).map(String::as_str)
    }

    /// Why it plays only in games with a clock, if it does. A clock replaces the budget.
    #[must_use]
    pub fn needs_clock(&self) -> Option<&'static str> {
        (self.protocol == ProtocolName::Uci && self.budget.is_none()).then_some(
            "an engine with the protocol `uci` needs a budget, such as `budget = { nodes = 1000 }`, or a match with a `clock`",
        )
    }

    pub(super) fn check_settings(&self) -> Result<(), String> {
        if self.command.first().is_none_or(String::is_empty) {
            return Err("an engine needs a command: `command = [\"python3\", \"agent.py\"]`".to_owned());
        }
        if self.weights == Some(Weights::Random) {
            return Err("an engine draws no weights: leave `weights` out".to_owned());
        }
        let protocol = self.protocol.protocol();
        if let Some(budget) = self.budget.filter(|budget| !(protocol.takes)(*budget)) {
            let (name, written) = (protocol.name, serde_json::to_string(&budget).unwrap_or_default());
            return Err(format!(
                "`{name}` cannot tell an engine the budget {written}: set `time-ms`, or an option of it"
            ));
        }
        if self.protocol == ProtocolName::Gtp
            && let Some(Budget::TimeMs(time)) = self.budget
            && (time == 0 || time % 1000 > 0)
        {
            return Err(format!("`gtp` counts whole seconds: `time-ms = {time}` is to be 1000, 2000 and so on"));
        }
        if self.deterministic && matches!(self.budget, Some(Budget::TimeMs(_))) {
            return Err(format!(
                "{} thinks for a time, which is never deterministic: leave `deterministic` out, or set another budget",
                self.called()
            ));
        }
        Ok(())
    }

    /// The engine that plays with the files of a directory.
    pub(super) fn with_artefacts(&self, directory: &Path) -> EngineAgent {
        let directory = directory.display().to_string();
        let replaced = |text: &str| text.replace(PLACEHOLDER, &directory);
        let mut engine = self.with(&replaced);
        engine.environment.insert(ARTEFACTS.to_owned(), directory);
        engine
    }

    /// The engine of the same name, with other texts in its command, environment and options.
    fn with(&self, replaced: &dyn Fn(&str) -> String) -> EngineAgent {
        let command = self.command.iter().map(|word| replaced(word)).collect();
        let environment = self.environment.iter().map(|(key, text)| (key.clone(), replaced(text))).collect();
        let options = self.options.iter().map(|(key, value)| (replaced(key), with_texts(value, replaced))).collect();
        EngineAgent { name: Some(self.called()), command, environment, options, ..self.clone() }
    }

    fn launch(&self, setting: &Setting<'_>) -> Launch {
        Launch {
            name: self.called(),
            command: self.command.clone(),
            directory: self.directory.0.clone(),
            workplace: None,
            environment: self.environment.clone(),
            startup: Duration::from_secs_f64(self.startup_seconds),
            timeout: Duration::from_secs_f64(self.timeout_seconds),
            stop: setting.stop.clone(),
        }
    }

    /// Requires the consent of the user, and the files that the job was planned with.
    pub(crate) fn require_startable(&self) -> Result<(), EngineError> {
        require_startable(&self.called(), &self.naming(), &self.files)
    }

    pub(crate) fn broken(&self, fault: String) -> EngineError {
        EngineError::broken(self.called(), fault)
    }

    /// A copy of the files of an old version, and the engine that plays on it; none for other engines.
    pub(super) fn staged(&self) -> Result<Option<(Stage, EngineAgent)>, EngineError> {
        if !is_sealed(&self.directory.0) {
            return Ok(None);
        }
        let stage = Stage::of(&self.directory.0, &self.kept_files());
        let stage = stage.map_err(|error| self.broken(format!("cannot start on a copy of its files: {error}")))?;
        let naming = self.naming();
        let is_kept = |name: &str| is_outside(name) && stage.place(name).exists() && !naming.is_of_machine(name);
        let replaced = |text: &str| renamed(text, is_kept, |name| stage.place(name).display().to_string());
        let engine = EngineAgent { directory: Place(stage.directory().to_owned()), ..self.with(&replaced) };
        Ok(Some((stage, engine)))
    }

    /// One running process.
    pub(super) fn start_engine(&self, setting: &Setting<'_>, seed: &Seed) -> Result<Box<dyn Engine>, EngineError> {
        let (launch, game, options, budget) = (self.launch(setting), setting.game, &self.options, self.budget);
        (self.protocol.protocol().start)(EngineStart { launch, game, seed, options, budget })
    }
}
