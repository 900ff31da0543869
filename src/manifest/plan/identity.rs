//! Who is who: the three nested ids of a job.
//!
//! The *config* is the resolved job without seed and code, the *trial* adds the seed, the *run key* adds the run keys
//! of the jobs that it waits for, the hashes of the files that it reads, the code fingerprint and the device class. The
//! *lineage* is the run key without any
//! code: equal for the same job run by other versions of the program.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::base::Key;
use crate::manifest::resolve::feed::Feed;
use crate::manifest::resolve::job::JobSpec;
use crate::nets::deep::device_class;

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
pub fn run_key(code: Key, trial: Key, reads: &Reads<'_>) -> Key {
    key(trial, reads, Some(code))
}

/// The run key without any code.
#[must_use]
pub fn lineage(trial: Key, reads: &Reads<'_>) -> Key {
    key(trial, reads, None)
}

fn key(trial: Key, reads: &Reads<'_>, code: Option<Key>) -> Key {
    let code = code.map(|code| code.hex());
    let key = json!([trial.hex(), reads.upstream, code, device_class()]);
    // Most jobs read no files, and were known by this before there were any.
    if reads.files.is_empty() { Key::of("run", &key) } else { Key::of("run", &json!([key, reads.files])) }
}

/// The preimage of a job's run key, field by field, for `plan --explain`: from its spec, the keys of configuration and
/// code and its lineage.
#[must_use]
pub fn preimage(spec: &JobSpec, [config, code, lineage]: [Key; 3], seed: u64, reads: &Reads<'_>) -> Value {
    let mut preimage = json!({
        "key": run_key(code, trial_key(config, seed), reads).hex(),
        "lineage": lineage.hex(),
        "config": config.hex(),
        "spec": spec,
        "seed": seed,
        "upstream": reads.upstream,
        "code": code.hex(),
        "device": device_class(),
    });
    if !reads.files.is_empty() {
        preimage["inputs"] = reads.files.iter().map(|(file, hash)| ((*file).to_owned(), json!(hash))).collect();
    }
    preimage
}
