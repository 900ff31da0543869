//! Who is who: the three nested ids of a job.
//!
//! The *config* is the resolved job without seed and code, the *trial* adds the seed, the *run key* adds the run keys
//! of the jobs that it waits for, the hashes of the files that it reads, the code fingerprint and the device class. The
//! *lineage* is the run key without any
//! code: equal for the same job run by other versions of the program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::manifest::resolve::feed::Feed;
use crate::manifest::resolve::job::JobSpec;
use gauntlet_games::base::Key;

/// Hash of each file of the data directory that is there, by its name.
pub type Hashes = BTreeMap<String, String>;

/// What a job reads: results of the jobs that it waits for, and files of the data directory with their hashes, where
/// they are there.
#[derive(Debug, Clone)]
pub struct Reads<'a> {
    upstream: Value,
    files: Vec<(&'a str, Option<&'a str>)>,
}

impl<'a> Reads<'a> {
    /// What jobs of `spec` read: from each feed the job with the key at the same index, and files, of which `hashes`
    /// are there.
    #[must_use]
    pub fn new(spec: &'a JobSpec, feeds: &[Feed], keys: &[Key], hashes: &'a Hashes) -> Reads<'a> {
        let upstream = upstream(feeds, keys);
        let hash = |file| (file, hashes.get(file).map(String::as_str));
        Reads { upstream, files: spec.inputs().into_iter().map(hash).collect() }
    }
}

/// The results of other jobs that a job reads: the key of the only one, or for every player a key and an iteration.
fn upstream(feeds: &[Feed], keys: &[Key]) -> Value {
    let player = |(feed, key): (&Feed, &Key)| {
        let player = feed.player.as_deref().unwrap_or_default().to_owned();
        (player, json!({ "job": key.hex(), "iteration": feed.iteration }))
    };
    match (feeds, keys) {
        ([], _) => Value::Null,
        ([Feed { player: None, .. }], [key]) => json!(key.hex()),
        _ => feeds.iter().zip(keys).map(player).collect(),
    }
}

/// The run keys of the results that a job reads from each feed, as its preimage names them; none where it names others.
#[must_use]
pub fn upstream_keys(feeds: &[Feed], named: &Value) -> Option<Vec<Key>> {
    let key = |value: &Value| value.as_str()?.parse().ok();
    match feeds {
        [] => Some(Vec::new()),
        [Feed { player: None, .. }] => Some(vec![key(named)?]),
        _ => feeds.iter().map(|feed| key(&named[feed.player.as_deref().unwrap_or_default()]["job"])).collect(),
    }
}

/// The identity of a resolved job.
#[must_use]
pub fn config_key(spec: &JobSpec) -> Key {
    Key::of("config", &serde_json::to_value(spec).expect("a job is plain data"))
}

/// The seed added to a configuration.
#[must_use]
pub fn trial_key(config: Key, seed: u64) -> Key {
    Key::of("trial", &json!([config.hex(), seed]))
}

/// What the store knows a job by that runs this code.
#[must_use]
pub fn run_key(code: Key, trial: Key, reads: &Reads<'_>, device: &str) -> Key {
    key(trial, reads, Some(code), device)
}

/// The run key without any code.
#[must_use]
pub fn lineage(trial: Key, reads: &Reads<'_>, device: &str) -> Key {
    key(trial, reads, None, device)
}

fn key(trial: Key, reads: &Reads<'_>, code: Option<Key>, device: &str) -> Key {
    let code = code.map(|code| code.hex());
    let key = json!([trial.hex(), reads.upstream, code, device]);
    // Most jobs read no files, and were known by this before there were any.
    if reads.files.is_empty() { Key::of("run", &key) } else { Key::of("run", &json!([key, reads.files])) }
}

/// What a job's run key is made from, field by field: for `plan --explain`, and for the worker that runs the job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preimage {
    /// The run key.
    pub key: Key,
    /// The run key without any code.
    pub lineage: Key,
    /// The key of the spec alone.
    pub config: Key,
    /// What the job does.
    pub spec: JobSpec,
    /// Its seed.
    pub seed: u64,
    /// The results of other jobs that it reads, by their keys.
    pub upstream: Value,
    /// The fingerprint of its code.
    pub code: Key,
    /// The device class.
    pub device: String,
    /// Hashes of the files of the data directory that it reads, of those that are there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Option<String>>,
}

impl Preimage {
    /// Whether the keys are made from the other fields.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        self.config == config_key(&self.spec) && self.key == self.made_key()
    }

    /// The run key that the other fields make.
    #[must_use]
    pub fn made_key(&self) -> Key {
        let hash = |file| (file, self.inputs.get(file).and_then(Option::as_deref));
        let files = self.spec.inputs().into_iter().map(hash).collect();
        let reads = Reads { upstream: self.upstream.clone(), files };
        run_key(self.code, trial_key(self.config, self.seed), &reads, &self.device)
    }

    /// Whether two jobs share all that they are made from besides their settings.
    #[must_use]
    pub fn begins_alike(&self, other: &Preimage) -> bool {
        let own = (self.seed, self.code, &self.device, &self.upstream, &self.inputs);
        own == (other.seed, other.code, &other.device, &other.upstream, &other.inputs)
    }

    /// Whether this is the preimage of another one's job, run by whatever code on results of whatever code, and its key was
    /// really made from it.
    #[must_use]
    pub fn is_version_of(&self, other: &Preimage) -> bool {
        let upstream = self.upstream.clone();
        *self == Preimage { key: self.key, code: self.code, upstream, ..other.clone() } && self.is_consistent()
    }

    /// Whether this is the preimage of another one's job, run by other code, and its key was really made from it.
    #[must_use]
    pub fn differs_in_code_alone(&self, other: &Preimage) -> bool {
        let same = Preimage { key: self.key, code: self.code, ..other.clone() };
        *self == same && self.is_consistent()
    }
}

/// The preimage of a job's run key: from its spec, the keys of configuration and code, its lineage and the device class.
#[must_use]
pub fn preimage(
    spec: &JobSpec,
    [config, code, lineage]: [Key; 3],
    seed: u64,
    reads: &Reads<'_>,
    device: &str,
) -> Preimage {
    let owned = |(file, hash): &(&str, Option<&str>)| ((*file).to_owned(), hash.map(str::to_owned));
    Preimage {
        key: run_key(code, trial_key(config, seed), reads, device),
        lineage,
        config,
        spec: spec.clone(),
        seed,
        upstream: reads.upstream.clone(),
        code,
        device: device.to_owned(),
        inputs: reads.files.iter().map(owned).collect(),
    }
}
