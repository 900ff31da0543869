//! The manifest language as a JSON schema, put together from the types that read it.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::exhibit::Exhibit;
use super::job::JobSpec;
use super::written::header_schema;
use crate::games::GameSpec;
use crate::players::PlayerSpec;

/// The schema of a whole manifest.
///
/// It is looser than the reader where a text stands for more than its type: games and agents may be names,
/// sweeps and profiles hold dotted paths.
pub fn manifest() -> Value {
    let mut generator = SchemaGenerator::new(SchemaSettings::draft07());
    let game = generator.subschema_for::<GameSpec>();
    let agent = generator.subschema_for::<PlayerSpec>();
    let exhibit = generator.subschema_for::<Exhibit>();
    let [header, stage] = header_schema(&mut generator);
    let suite = super::suite::schema(&mut generator);
    let _ = generator.subschema_for::<JobSpec>();
    let paths = json!({ "type": "object" });
    let definitions: serde_json::Map<String, Value> = generator.take_definitions(true).into_iter().collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Gauntlet manifest",
        "type": "object",
        "allOf": [header],
        "properties": {
            "include": { "type": "array", "items": { "type": "string" } },
            "games": { "type": "object", "additionalProperties": game },
            "agents": { "type": "object", "additionalProperties": agent },
            "variant": { "type": "array", "items": { "type": "object", "required": ["name"], "properties": {
                "name": { "type": "string" }, "set": paths } } },
            "stages": { "type": "object", "additionalProperties": { "type": "object", "allOf": [stage], "properties": {
                "sweep": { "type": "object", "additionalProperties": { "type": "array" } },
                "zip": { "type": "array", "items": paths },
                "include": { "type": "array", "items": paths },
                "exclude": { "type": "array", "items": paths },
                "train": paths, "play": paths, "measure": paths } } },
            "exhibit": { "type": "array", "items": exhibit },
            "suite": suite,
            "profile": { "type": "object", "additionalProperties": paths },
        },
        "definitions": definitions,
    })
}
