//! The manifest language as a JSON schema, put together from the types that read it.

use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema as _, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::cluster::Cluster;
use super::exhibit::Exhibit;
use super::search::{SPACE, SearchHeader, SearchRange};
use super::seeds::Seeds;
use super::stage::StageHeader;
use super::upstream::FromWritten;
use super::written::Header;
use crate::arena::PlaySpec;
use crate::learning::TrainSpec;
use crate::measure::MeasureSpec;
use crate::players::PlayerSpec;
use gauntlet_games::games::GameSpec;

/// What settings may name instead of writing it out, and what such a name is.
const NAMED: [(&str, &str); 4] = [
    ("GameSpec", "A name of `[games]`."),
    ("PlayerSpec", "A name of `[agents]`."),
    ("Entrant", "A name of `[agents]`, or of a player of `from`."),
    ("OpeningsFile", "The name of a file beside the manifest."),
];

/// What sweeps, variants and stages before may complete.
const COMPLETED: [&str; 5] = ["GameSpec", "PlayerSpec", "TrainSpec", "PlaySpec", "MeasureSpec"];

/// The JSON schema of manifests: draft 07, which TOML editors understand.
///
/// It is looser than the reader where a value may come from elsewhere: a file may include what it lacks, sweeps,
/// variants and stages before fill in what a game, an agent or a job leaves out, and profiles hold dotted paths.
#[must_use]
pub fn schema() -> Value {
    let mut manifest = reference();
    let mut completed = BTreeSet::new();
    COMPLETED.iter().for_each(|name| reach(name, &manifest["definitions"], &mut completed));
    completed.iter().for_each(|name| complete_later(&mut manifest["definitions"][name]));
    manifest
}

/// As [`schema`], where every key that a job cannot do without is required: what a reference of the keys is made of.
#[must_use]
pub fn reference() -> Value {
    let mut generator = SchemaGenerator::new(SchemaSettings::draft07());
    let mut manifest = manifest(&mut generator);
    let mut definitions = generator.take_definitions(true);
    // What a paper's artefacts share stands in the file that they include.
    definitions.get_mut("Paper").and_then(Value::as_object_mut).map(|paper| paper.remove("required"));
    definitions.values_mut().for_each(accept_names);
    manifest.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    manifest.insert("title".to_owned(), json!("Gauntlet manifest"));
    manifest.insert("definitions".to_owned(), Value::Object(definitions));
    Value::Object(manifest)
}

/// The sections of a manifest.
fn manifest(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let paths = json!({ "type": "object" });
    let (variant, stage) = (variants(generator), stage(generator));
    let header = Header::json_schema(generator);
    with(
        header,
        json!({
            "include": { "description": "Files of the same directory that this one is laid over.",
                "type": "array", "items": { "type": "string" } },
            "games": { "description": "Games by name.",
                "type": "object", "additionalProperties": generator.subschema_for::<GameSpec>() },
            "agents": { "description": "Players by name.",
                "type": "object", "additionalProperties": generator.subschema_for::<PlayerSpec>() },
            "trainings": { "description": "Trainings by name, for `train = \"name\"` in stages.",
                "type": "object", "additionalProperties": generator.subschema_for::<TrainSpec>() },
            "variant": variant,
            "stages": { "description": "Job templates by name, each with the axes that it is expanded over.",
                "type": "object", "additionalProperties": stage },
            "exhibit": { "description": "The tables and figures.",
                "type": "array", "items": generator.subschema_for::<Exhibit>() },
            "suite": super::suite::schema(generator),
            "cluster": { "description": "What a cluster is asked for with `--executor slurm`; changes no result.",
                "allOf": [generator.subschema_for::<Cluster>()] },
            "profile": { "description": "Scales by name: dotted paths with the values that are laid over the manifest.",
                "type": "object", "additionalProperties": paths },
        }),
    )
}

/// The arms of an ablation, as a list or by name.
fn variants(generator: &mut SchemaGenerator) -> Value {
    let arm = json!({ "type": "object", "additionalProperties": false, "properties": {
        "name": { "description": "What stages, tables and filters call it.", "type": "string" },
        "set": { "description": "Dotted paths into the jobs, with the values that this arm has there.",
            "type": "object" },
        "seeds": generator.subschema_for::<Seeds>(),
    } });
    let listed = json!({ "allOf": [arm, { "required": ["name"] }] });
    json!({ "description": "Arms of an ablation: `[[variant]]` with a `name`, or `[variant.NAME]`.", "anyOf": [
        { "type": "array", "items": listed }, { "type": "object", "additionalProperties": arm },
    ] })
}

/// One stage: its axes, and at most one kind of job.
fn stage(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let header = StageHeader::json_schema(generator);
    let cells = |what: &str| json!({ "description": what, "type": "array", "items": { "type": "object" } });
    let (train, search) = (json!({ "type": "string", "description": "A name of `[trainings]`." }), search(generator));
    let mut stage = with(
        header,
        json!({
            "from": { "description": "The stage whose trainings are taken over, or one for each player.",
                "allOf": [generator.subschema_for::<FromWritten>()] },
            "sweep": { "description": "Axes: dotted paths into the job, each with a list of values; every combination is a cell.",
                "type": "object", "additionalProperties": { "type": "array", "minItems": 1 } },
            "zip": cells("Axes that are gone through together, each group a table of lists of one length."),
            "search": search,
            "include": cells("More cells, each a table with a value for every axis."),
            "exclude": cells("What is left out: cells with these values."),
            "train": { "description": "A job that trains a network.",
                "anyOf": [train, generator.subschema_for::<TrainSpec>()] },
            "play": { "description": "A job that plays games and keeps them.",
                "allOf": [generator.subschema_for::<PlaySpec>()] },
            "measure": { "description": "A job that measures numbers.",
                "allOf": [generator.subschema_for::<MeasureSpec>()] },
        }),
    );
    let both = [["train", "play"], ["train", "measure"], ["play", "measure"]].map(|kinds| json!({ "required": kinds }));
    stage.insert("not".to_owned(), json!({ "anyOf": both }));
    stage
}

/// Cells that are drawn.
fn search(generator: &mut SchemaGenerator) -> Value {
    let space = json!({
        "description": "What is searched: dotted paths into the job, each with a range or a list of values.",
        "type": "object",
        "additionalProperties": { "anyOf": [generator.subschema_for::<SearchRange>(), { "type": "array", "minItems": 1 }] },
    });
    let mut search = with(SearchHeader::json_schema(generator), json!({ "space": space }));
    search.insert("description".to_owned(), json!("Axes whose values are drawn, all at once: a cell for each sample."));
    if let Some(Value::Array(required)) = search.get_mut("required") {
        required.push(json!(SPACE));
    }
    Value::Object(search)
}

/// The schema of a table, with more properties.
fn with(mut schema: Schema, more: Value) -> Map<String, Value> {
    let table = schema.ensure_object();
    if let (Some(Value::Object(properties)), Value::Object(more)) = (table.get_mut("properties"), more) {
        properties.extend(more);
    }
    std::mem::take(table)
}

/// Lets names stand for what [`NAMED`] lists, everywhere in a schema.
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

/// The definitions that one leads to, itself too. Paths do not reach into lists: what an item lacks, nothing completes.
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

/// Requires nothing of a table but the tag of a choice.
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
