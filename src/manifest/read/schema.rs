//! The manifest language as a JSON schema, put together from the types that read it.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema as _, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::exhibit::Exhibit;
use super::seeds::Seeds;
use super::stage::StageHeader;
use super::upstream::FromWritten;
use super::written::Header;
use crate::games::GameSpec;
use crate::players::PlayerSpec;

/// The JSON schema of manifests: draft 07, which TOML editors understand.
///
/// It is looser than the reader where a value may come from elsewhere: a file may include what it lacks, sweeps may
/// fill what a game or an agent leaves out, and jobs and profiles hold names and dotted paths.
#[must_use]
pub fn schema() -> Value {
    let mut generator = SchemaGenerator::new(SchemaSettings::draft07());
    let game = generator.subschema_for::<GameSpec>();
    let agent = generator.subschema_for::<PlayerSpec>();
    let exhibit = generator.subschema_for::<Exhibit>();
    let suite = super::suite::schema(&mut generator);
    let header = Header::json_schema(&mut generator);
    let (stage, from) = (StageHeader::json_schema(&mut generator), generator.subschema_for::<FromWritten>());
    let (paths, jobs) =
        (json!({ "type": "object" }), json!({ "type": "object", "minProperties": 1, "maxProperties": 1 }));
    let groups = json!({ "type": "array", "items": paths });
    let stage = with(
        stage,
        json!({
            "from": from, "sweep": { "type": "object", "additionalProperties": { "type": "array", "minItems": 1 } },
            "zip": groups, "include": groups, "exclude": groups,
            "train": { "anyOf": [{ "type": "string" }, jobs] }, "play": jobs, "measure": jobs,
        }),
    );
    let seeds = generator.subschema_for::<Seeds>();
    let arm = json!({ "type": "object", "additionalProperties": false,
        "properties": { "name": { "type": "string" }, "set": paths, "seeds": seeds } });
    let variants = json!({ "anyOf": [
        { "type": "array", "items": { "allOf": [arm, { "required": ["name"] }] } },
        { "type": "object", "additionalProperties": arm },
    ] });
    let mut manifest = with(
        header,
        json!({
            "include": { "type": "array", "items": { "type": "string" } },
            "games": { "type": "object", "additionalProperties": game },
            "agents": { "type": "object", "additionalProperties": agent },
            "trainings": { "type": "object", "additionalProperties": jobs },
            "variant": variants,
            "stages": { "type": "object", "additionalProperties": stage },
            "exhibit": { "type": "array", "items": exhibit },
            "suite": suite,
        "profile": { "type": "object", "additionalProperties": paths },
        }),
    );
    let mut definitions = generator.take_definitions(true);
    // What a paper's artefacts share stands in the file that they include.
    definitions.get_mut("Paper").and_then(Value::as_object_mut).map(|paper| paper.remove("required"));
    manifest.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    manifest.insert("title".to_owned(), json!("Gauntlet manifest"));
    manifest.insert("definitions".to_owned(), Value::Object(definitions));
    Value::Object(manifest)
}

/// The schema of a table, with more properties.
fn with(mut schema: Schema, more: Value) -> Map<String, Value> {
    let table = schema.ensure_object();
    if let (Some(Value::Object(properties)), Value::Object(more)) = (table.get_mut("properties"), more) {
        properties.extend(more);
    }
    std::mem::take(table)
}
