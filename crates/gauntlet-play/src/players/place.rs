//! Places of engines on this machine: settings that no result depends on.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The key of an engine in the specification of a player.
const ENGINE: &str = "engine";

/// The settings of an engine that no result depends on, by their keys.
const INCIDENTAL: [&str; 3] = ["directory", "startup-seconds", "timeout-seconds"];

/// A directory of this machine. All places are equal: the same job may run anywhere.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Place(pub PathBuf);

impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

impl Place {
    /// Whether it is the current directory.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.0.as_os_str().is_empty()
    }
}

/// Changes the settings of every engine in a value, such as the specification of a job.
pub fn each_engine(value: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Object(entries) => {
            for (key, inner) in entries {
                if key == ENGINE && inner.get("command").is_some() { change(inner) } else { each_engine(inner, change) }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_engine(item, change)),
        _ => {}
    }
}

/// A specification without the settings of engines that no result depends on: the part that belongs to its identity.
#[must_use]
pub fn essential(mut spec: Value) -> Value {
    each_engine(&mut spec, &mut |engine| {
        if let Value::Object(settings) = engine {
            INCIDENTAL.iter().for_each(|key| drop(settings.shift_remove(*key)));
        }
    });
    spec
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_identity_of_an_engine_has_no_place() {
        let spec = |directory: &str| {
            let engine = json!({ "command": ["a"], "directory": directory, "timeout-seconds": 5.0, "instances": 2 });
            json!({ "match": { "agent": { "engine": engine }, "opponent": { "naive": {} } } })
        };
        assert_eq!(essential(spec("/here")), essential(spec("/there")));
        assert_eq!(essential(spec("/here"))["match"]["agent"]["engine"], json!({ "command": ["a"], "instances": 2 }));
        let other = json!({ "directory": "x", "engine": "word" });
        assert_eq!(essential(other.clone()), other);
    }
}
