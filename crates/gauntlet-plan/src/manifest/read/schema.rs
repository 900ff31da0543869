//! The JSON schema of the manifest language, built from the types that read it.

use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::written::Sections;

/// Definitions that settings may give by name, with a description of such a name.
const NAMED: [(&str, &str); 4] = [
    ("GameSpec", "A name of `[games]`."),
    ("PlayerSpec", "A name of `[agents]`."),
    ("Entrant", "A name of `[agents]` or `from`."),
    ("OpeningsFile", "The name of a file beside the manifest."),
];

/// Definitions that sweeps, variants and earlier stages may complete.
const COMPLETED: [&str; 5] = ["GameSpec", "PlayerSpec", "TrainSpec", "PlaySpec", "MeasureSpec"];

/// The JSON schema of manifests: draft 07, which TOML editors understand.
///
/// It is looser than the reader if a value may come from another place. A file may include the keys that it lacks;
/// sweeps, variants and earlier stages complete a game, an agent or a job; profiles hold dotted paths.
#[must_use]
pub fn schema() -> Value {
    let mut manifest = reference();
    let mut completed = BTreeSet::new();
    COMPLETED.iter().for_each(|name| reach(name, &manifest["definitions"], &mut completed));
    completed.iter().for_each(|name| complete_later(&mut manifest["definitions"][name]));
    manifest
}

/// Like [`schema`], but all keys that a job needs are required: the basis of the key reference.
#[must_use]
pub fn reference() -> Value {
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<Sections>();
    let mut manifest = schema.to_value();
    let definitions = manifest["definitions"].as_object_mut().expect("draft 07 has definitions");
    // The artefacts of a paper share a file that holds these keys.
    definitions.get_mut("Paper").and_then(Value::as_object_mut).map(|paper| paper.remove("required"));
    definitions.values_mut().for_each(accept_names);
    if let Some(entrant) = definitions.get_mut("Entrant") {
        entrant["properties"]["sweep"] = json!({
            "type": "object",
            "additionalProperties": { "type": "array" },
            "description": "Values of the agent's settings: a player for each combination, named after them.",
        });
    }
    manifest["title"] = json!("Gauntlet manifest");
    manifest
}

/// Allows names for the definitions in [`NAMED`], everywhere in a schema.
fn accept_names(schema: &mut Value) {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/definitions/"));
    if let Some((_, name)) = NAMED.iter().find(|(known, _)| target == Some(known)) {
        *schema = json!({ "anyOf": [{ "type": "string", "description": name }, schema.take()] });
        return;
    }
    match schema {
        Value::Object(table) => table.values_mut().for_each(accept_names),
        Value::Array(list) => list.iter_mut().for_each(accept_names),
        _ => {}
    }
}

/// The definitions reachable from one, including itself. Paths do not reach into lists: nothing completes an item.
fn reach(name: &str, definitions: &Value, reached: &mut BTreeSet<String>) {
    fn follow(schema: &Value, definitions: &Value, reached: &mut BTreeSet<String>) {
        match schema {
            Value::Object(table) => {
                if let Some(name) = table.get("$ref").and_then(Value::as_str) {
                    reach(name.trim_start_matches("#/definitions/"), definitions, reached);
                }
                let parts = table.iter().filter(|(keyword, _)| *keyword != "items");
                parts.for_each(|(_, part)| follow(part, definitions, reached));
            }
            Value::Array(list) => list.iter().for_each(|part| follow(part, definitions, reached)),
            _ => {}
        }
    }
    if reached.insert(name.to_owned()) {
        follow(&definitions[name], definitions, reached);
    }
}

/// Requires no key of a table except the tag of a choice.
fn complete_later(schema: &mut Value) {
    let Some(table) = schema.as_object_mut() else { return };
    table.remove("required");
    for (keyword, part) in table.iter_mut() {
        match (keyword.as_str(), part) {
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(complete_later),
            ("oneOf", Value::Array(choices)) => {
                let contents = choices.iter_mut().filter_map(|choice| choice.get_mut("properties")?.as_object_mut());
                contents.flat_map(Map::values_mut).for_each(complete_later);
            }
            ("allOf" | "anyOf", Value::Array(parts)) => parts.iter_mut().for_each(complete_later),
            _ => {}
        }
    }
}
