//! The programs in a specification, and their settings that no result depends on.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::engine::EngineAgent;
use super::external;

/// The key of an engine in the specification of a player.
const ENGINE: &str = "engine";

/// The keys of an engine, and of a network of another program.
const PROGRAMS: [&str; 2] = [ENGINE, "external"];

/// The settings of a program that no result depends on, by their keys.
const INCIDENTAL: [&str; 3] = ["directory", "startup-seconds", "timeout-seconds"];

/// Changes the settings of every program in a value, such as the specification of a job; `change` gets its key as well.
pub fn each_program(value: &mut Value, change: &mut dyn FnMut(&str, &mut Value)) {
    match value {
        Value::Object(entries) => {
            for (key, inner) in entries {
                let is_program = PROGRAMS.contains(&key.as_str()) && inner.get("command").is_some();
                if is_program { change(key, inner) } else { each_program(inner, change) }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_program(item, change)),
        _ => {}
    }
}

/// A specification without the settings of programs that no result depends on: the part that belongs to its identity.
#[must_use]
pub fn essential(mut spec: Value) -> Value {
    each_program(&mut spec, &mut |_, program| {
        if let Value::Object(settings) = program {
            INCIDENTAL.iter().for_each(|key| drop(settings.shift_remove(*key)));
        }
    });
    spec
}

/// The settings of a program under its key, with a working directory that is absolute, from `base`, and with the hashes
/// of its files.
#[must_use]
pub fn located(key: &str, program: &Value, base: &Path) -> Value {
    let found = match key {
        ENGINE => changed(program, |engine: &mut EngineAgent| engine.locate(base)),
        _ => changed(program, |network| external::locate(network, base)),
    };
    found.unwrap_or_else(|| program.clone())
}

/// A value of this type with a change; `None` if it is of another type.
fn changed<T: Serialize + DeserializeOwned>(value: &Value, change: impl FnOnce(&mut T)) -> Option<Value> {
    let mut typed: T = serde_json::from_value(value.clone()).ok()?;
    change(&mut typed);
    serde_json::to_value(typed).ok()
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
