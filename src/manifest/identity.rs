//! Who is who: the three nested ids of a job.
//!
//! The *config* is the resolved job without seed and code, the *trial* adds the seed, the *run key* adds the run key
//! of the job that it waits for, the code fingerprint and the device class. The *lineage* is the run key without any
//! code: equal for the same job run by other versions of the program.

use serde_json::{Value, json};

use super::code::{device_class, fingerprint};
use super::job::JobSpec;
use crate::base::Key;

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

/// What the store knows a job of this kind by.
#[must_use]
pub fn run_key(kind: &str, trial: Key, upstream: Option<Key>) -> Key {
    key(trial, upstream, Some(fingerprint(kind)))
}

/// The run key without any code.
#[must_use]
pub fn lineage(trial: Key, upstream: Option<Key>) -> Key {
    key(trial, upstream, None)
}

fn key(trial: Key, upstream: Option<Key>, code: Option<Key>) -> Key {
    let hex = |key: Option<Key>| key.map(|key| key.hex());
    Key::of("run", &json!([trial.hex(), hex(upstream), hex(code), device_class()]))
}

/// The preimage of a job's run key, field by field, for `plan --explain`.
#[must_use]
pub fn preimage(spec: &JobSpec, config: Key, seed: u64, lineage: Key, upstream: Option<Key>) -> Value {
    json!({
        "key": run_key(spec.kind(), trial_key(config, seed), upstream).hex(),
        "lineage": lineage.hex(),
        "config": config.hex(),
        "spec": spec,
        "seed": seed,
        "upstream": upstream.map(|key| key.hex()),
        "code": fingerprint(spec.kind()).hex(),
        "device": device_class(),
    })
}
