//! The programs in a specification, and their settings that no result depends on.

use std::path::Path;

use serde_json::{Value, json};

use super::engine::EngineAgent;

/// The key of an engine in the specification of a player.
const ENGINE: &str = "engine";

/// The keys of an engine, and of a network or a trainer of another program.
const PROGRAMS: [&str; 2] = [ENGINE, "external"];

/// The settings of a program that name files.
const NAMING: [&str; 7] = ["command", "options", "needs", "writes", "environment", "directory", "files"];

/// The settings of a program that no result depends on, by their keys.
const INCIDENTAL: [&str; 4] = ["directory", "startup-seconds", "timeout-seconds", "silence-seconds"];

/// Changes the settings of every program in a value, such as the specification of a job.
pub fn each_program(value: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Object(entries) => {
            for (key, inner) in entries {
                let is_program = PROGRAMS.contains(&key.as_str()) && inner.get("command").is_some();
                if is_program { change(inner) } else { each_program(inner, change) }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_program(item, change)),
        _ => {}
    }
}

/// A specification without the settings of programs that no result depends on: the part that belongs to its identity.
#[must_use]
pub fn essential(mut spec: Value) -> Value {
    each_program(&mut spec, &mut |program| {
        if let Value::Object(settings) = program {
            INCIDENTAL.iter().for_each(|key| drop(settings.shift_remove(*key)));
        }
    });
    spec
}

/// The settings of a program with a working directory that is absolute, from `base`, and with the hashes of its files.
#[must_use]
pub fn located(program: &Value, base: &Path) -> Value {
    let Value::Object(settings) = program else { return program.clone() };
    // All programs name their files alike; the settings of networks and trainers are the options of engines.
    let mut named = settings.clone();
    named.retain(|key, _| NAMING.contains(&key.as_str()));
    named.extend(settings.get("settings").map(|options| ("options".to_owned(), options.clone())));
    let Ok(mut engine) = serde_json::from_value::<EngineAgent>(Value::Object(named)) else { return program.clone() };
    engine.locate(base);
    let mut located = settings.clone();
    for (key, value) in [("directory", json!(engine.directory)), ("files", json!(engine.files))] {
        located.insert(key.to_owned(), value);
    }
    Value::Object(located)
}

#[cfg(test)]
mod tests {
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
