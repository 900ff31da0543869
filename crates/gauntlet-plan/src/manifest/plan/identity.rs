//! The three nested ids of a job.
//!
//! The *config* is the resolved job without seed and code. The *trial* adds the seed. The *run key* adds the run keys
//! of the jobs that it depends on, the hashes of its input files, the code fingerprint and the device class. The
//! *code-free key* is the run key without code fingerprints: it is equal for the same job run by other versions of the
//! program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::manifest::resolve::config::config_key;
use crate::manifest::resolve::dependency::Dependency;
use gauntlet_games::base::Key;
use gauntlet_jobs::JobSpec;

/// The hash of each existing file of the data directory, by its name.
pub type Hashes = BTreeMap<String, String>;

/// The inputs of a job: results of its dependencies, and files of the data directory with their hashes, if they exist.
#[derive(Debug, Clone)]
pub struct Reads<'a> {
    upstream: Value,
    files: Vec<(&'a str, Option<&'a str>)>,
}

impl<'a> Reads<'a> {
    /// The inputs of jobs of `spec`: for each dependency the job with the key at the same index, and files, of which those in
    /// `hashes` exist.
    #[must_use]
    pub fn new(spec: &'a JobSpec, dependencies: &[Dependency], keys: &[Key], hashes: &'a Hashes) -> Reads<'a> {
        Reads::of(dependencies, keys, files_of(spec, hashes))
    }

    /// The inputs of a job that reads these files.
    #[must_use]
    pub fn of(dependencies: &[Dependency], keys: &[Key], files: Vec<(&'a str, Option<&'a str>)>) -> Reads<'a> {
        Reads { upstream: upstream(dependencies, keys), files }
    }
}

/// The files that jobs of `spec` read, with the hashes of those that exist.
#[must_use]
pub fn files_of<'a>(spec: &'a JobSpec, hashes: &'a Hashes) -> Vec<(&'a str, Option<&'a str>)> {
    let hash = |file| (file, hashes.get(file).map(String::as_str));
    spec.inputs().into_iter().map(hash).collect()
}

/// The results of other jobs that a job reads: the key of the only dependency, or a key and an iteration for each
/// player.
fn upstream(dependencies: &[Dependency], keys: &[Key]) -> Value {
    let player = |(dependency, key): (&Dependency, &Key)| {
        let player = dependency.player.as_deref().unwrap_or_default().to_owned();
        (player, json!({ "job": key.hex(), "iteration": dependency.iteration }))
    };
    match (dependencies, keys) {
        ([], _) => Value::Null,
        ([Dependency { player: None, .. }], [key]) => json!(key.hex()),
        _ => dependencies.iter().zip(keys).map(player).collect(),
    }
}

/// The run keys of the results that a job reads from each dependency, as in its key inputs; `None` if those name other
/// players.
#[must_use]
pub fn upstream_keys(dependencies: &[Dependency], named: &Value) -> Option<Vec<Key>> {
    let key = |value: &Value| value.as_str()?.parse().ok();
    match dependencies {
        [] => Some(Vec::new()),
        [Dependency { player: None, .. }] => Some(vec![key(named)?]),
        _ => dependencies
            .iter()
            .map(|dependency| key(&named[dependency.player.as_deref().unwrap_or_default()]["job"]))
            .collect(),
    }
}

/// The configuration key with the seed added.
#[must_use]
pub fn trial_key(config: Key, seed: u64) -> Key {
    Key::of("trial", &json!([config.hex(), seed]))
}

/// The key under which the store keeps a job that runs this code.
#[must_use]
pub fn run_key(code: Key, trial: Key, reads: &Reads<'_>, device: &str) -> Key {
    key(trial, reads, Some(code), device)
}

/// The run key without code fingerprints.
#[must_use]
pub fn code_free_key(trial: Key, reads: &Reads<'_>, device: &str) -> Key {
    key(trial, reads, None, device)
}

fn key(trial: Key, reads: &Reads<'_>, code: Option<Key>, device: &str) -> Key {
    let code = code.map(|code| code.hex());
    let key = json!([trial.hex(), reads.upstream, code, device]);
    // Most jobs read no files; their keys keep the form from before file inputs existed.
    if reads.files.is_empty() { Key::of("run", &key) } else { Key::of("run", &json!([key, reads.files])) }
}

/// The fields that a job's run key is computed from, for `plan --explain` and for the worker that runs the job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyInputs {
    /// The run key.
    pub key: Key,
    /// The run key without code fingerprints.
    #[serde(rename = "lineage")]
    pub code_free_key: Key,
    /// The key of the spec.
    pub config: Key,
    /// The job specification.
    pub spec: JobSpec,
    /// Its seed.
    pub seed: u64,
    /// The keys of the results of other jobs that it reads.
    pub upstream: Value,
    /// The fingerprint of its code.
    pub code: Key,
    /// The device class.
    pub device: String,
    /// Hashes of the data files that it reads, of those that exist.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Option<String>>,
}

impl KeyInputs {
    /// Whether the keys match the other fields.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        self.config == config_key(&self.spec) && self.key == self.made_key()
    }

    /// The run key computed from the other fields.
    #[must_use]
    pub fn made_key(&self) -> Key {
        let hash = |file| (file, self.inputs.get(file).and_then(Option::as_deref));
        let files = self.spec.inputs().into_iter().map(hash).collect();
        let reads = Reads { upstream: self.upstream.clone(), files };
        run_key(self.code, trial_key(self.config, self.seed), &reads, &self.device)
    }

    /// Whether two jobs share all fields except their settings.
    #[must_use]
    pub fn begins_alike(&self, other: &KeyInputs) -> bool {
        let own = (self.seed, self.code, &self.device, &self.upstream, &self.inputs);
        own == (other.seed, other.code, &other.device, &other.upstream, &other.inputs)
    }

    /// Whether these are the key inputs of another one's job, with any code and results of any code, and the key
    /// matches them.
    #[must_use]
    pub fn is_version_of(&self, other: &KeyInputs) -> bool {
        let upstream = self.upstream.clone();
        *self == KeyInputs { upstream, ..self.version_of(other) } && self.is_consistent()
    }

    /// Whether these are the key inputs of another one's job, run by other code, and the key matches them.
    #[must_use]
    pub fn differs_in_code_alone(&self, other: &KeyInputs) -> bool {
        *self == self.version_of(other) && self.is_consistent()
    }

    /// The key inputs of another one's job with this code, and with this device class if the job has one class on
    /// both: older programs named the whole class.
    fn version_of(&self, other: &KeyInputs) -> KeyInputs {
        let mut version = KeyInputs { key: self.key, code: self.code, ..other.clone() };
        if self.device != other.device && self.spec.device_class(&self.device) == other.device {
            (version.device, version.code_free_key) = (self.device.clone(), self.code_free_key);
        }
        version
    }
}

/// The key inputs of a job: its spec, the keys of configuration and code, its code-free key and the device class.
#[must_use]
pub fn key_inputs(
    spec: &JobSpec,
    [config, code, code_free_key]: [Key; 3],
    seed: u64,
    reads: &Reads<'_>,
    device: &str,
) -> KeyInputs {
    let owned = |(file, hash): &(&str, Option<&str>)| ((*file).to_owned(), hash.map(str::to_owned));
    KeyInputs {
        key: run_key(code, trial_key(config, seed), reads, device),
        code_free_key,
        config,
        spec: spec.clone(),
        seed,
        upstream: reads.upstream.clone(),
        code,
        device: device.to_owned(),
        inputs: reads.files.iter().map(owned).collect(),
    }
}
