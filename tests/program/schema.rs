//! Tests of the published JSON schema against manifests. Editors rely on it; the program does not.
//!
//! The validator below supports the keywords that the schema uses, and refuses others.

use std::collections::BTreeMap;

use gauntlet_plan::manifest::{Overrides, Plan, load};
use serde_json::{Map, Value, json};

use crate::workshop::Workshop;

/// The places where a value does not fit a schema of the document `root`; empty if it fits.
fn misfits(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let schema = match schema {
        Value::Bool(true) => return Vec::new(),
        Value::Bool(false) => return vec![format!("{path}: nothing may stand here")],
        schema => schema.as_object().unwrap(),
    };
    let check = |(keyword, rule): (&String, &Value)| misfit(root, schema, (keyword, rule), value, path);
    schema.iter().flat_map(check).collect()
}

fn misfit(
    root: &Value,
    schema: &Map<String, Value>,
    (keyword, rule): (&String, &Value),
    value: &Value,
    path: &str,
) -> Vec<String> {
    let all = |parts: Vec<Vec<String>>| parts.into_iter().flatten().collect();
    let fits = |part: &Value| misfits(root, part, value, path).is_empty();
    let unless =
        |is_right: bool| if is_right { vec![] } else { vec![format!("{path}: {value} against {keyword} {rule}")] };
    match keyword.as_str() {
        "$schema" | "title" | "description" | "definitions" | "default" | "format" | "examples" => vec![],
        "$ref" => {
            let target = root.pointer(rule.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
            misfits(root, target, value, path)
        }
        "type" => {
            let is = |name: &str| match name {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                "null" => value.is_null(),
                other => panic!("no type: {other}"),
            };
            let names = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
            unless(names.iter().any(|name| is(name.as_str().unwrap())))
        }
        "enum" => unless(rule.as_array().unwrap().contains(value)),
        "const" => unless(rule == value),
        "allOf" => all(rule.as_array().unwrap().iter().map(|part| misfits(root, part, value, path)).collect()),
        "anyOf" => unless(rule.as_array().unwrap().iter().any(fits)),
        "not" => unless(!fits(rule)),
        "oneOf" => unless(rule.as_array().unwrap().iter().filter(|part| fits(part)).count() == 1),
        "required" => {
            let missing = |key: &&Value| value.is_object() && value.get(key.as_str().unwrap()).is_none();
            rule.as_array().unwrap().iter().filter(missing).map(|key| format!("{path}: {key} is missing")).collect()
        }
        "properties" => {
            let rules = rule.as_object().unwrap().iter();
            let part = |(key, rule): (&String, &Value)| {
                value.get(key).map_or(vec![], |value| misfits(root, rule, value, &format!("{path}.{key}")))
            };
            all(rules.map(part).collect())
        }
        "additionalProperties" => {
            let known = schema.get("properties").and_then(Value::as_object);
            let others = value.as_object().into_iter().flatten();
            let others = others.filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)));
            all(others.map(|(key, value)| misfits(root, rule, value, &format!("{path}.{key}"))).collect())
        }
        "items" => {
            let items = value.as_array().into_iter().flatten();
            all(items.map(|item| misfits(root, rule, item, &format!("{path}[]"))).collect())
        }
        _ => misfit_of_size((keyword, rule), value).map_or(vec![], |what| vec![format!("{path}: {what}")]),
    }
}

/// As [`misfit`], for the keywords that bound sizes and numbers.
fn misfit_of_size((keyword, rule): (&String, &Value), value: &Value) -> Option<String> {
    let bound = rule.as_f64().unwrap();
    let items = value.as_array().map(|list| list.len() as f64);
    let entries = value.as_object().map(|table| table.len() as f64);
    let fits = match keyword.as_str() {
        "minItems" => items.is_none_or(|n| n >= bound),
        "maxItems" => items.is_none_or(|n| n <= bound),
        "minProperties" => entries.is_none_or(|n| n >= bound),
        "maxProperties" => entries.is_none_or(|n| n <= bound),
        "minimum" => value.as_f64().is_none_or(|n| n >= bound),
        "maximum" => value.as_f64().is_none_or(|n| n <= bound),
        "exclusiveMinimum" => value.as_f64().is_none_or(|n| n > bound),
        "exclusiveMaximum" => value.as_f64().is_none_or(|n| n < bound),
        "multipleOf" => value.as_f64().is_none_or(|n| n % bound == 0.0),
        other => panic!("the schema uses `{other}`, which this validator does not know"),
    };
    (!fits).then(|| format!("{value} against {keyword} {bound}"))
}

fn against_schema(manifest: &str) -> Vec<String> {
    let schema = gauntlet_plan::manifest::schema();
    let value: Value = toml::from_str(manifest).unwrap();
    misfits(&schema, &schema, &value, "")
}

#[test]
fn it_is_draft_07_and_describes_every_section() {
    let schema = gauntlet_plan::manifest::schema();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    for section in [
        "schema",
        "name",
        "title",
        "paper",
        "labels",
        "data",
        "include",
        "games",
        "agents",
        "trainings",
        "variant",
        "stages",
        "exhibit",
        "profile",
    ] {
        assert!(schema["properties"][section].is_object(), "{section}");
    }
    assert_eq!(schema["additionalProperties"], json!(false));
    assert!(!schema.to_string().contains("$defs"));
}

#[test]
fn every_committed_manifest_satisfies_it() {
    let experiments = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments");
    let directories = ["", "/schaul2009", "/alphagateau2024", "/saz2021", "/gomoku-agz", "/polygames2021"]
        .map(|name| std::fs::read_dir(format!("{experiments}{name}")).unwrap());
    let files = directories.into_iter().flatten().map(|entry| entry.unwrap().path());
    let is_manifest = |path: &std::path::PathBuf| {
        path.to_str().is_some_and(|path| path.ends_with(".toml") && !path.ends_with("common.toml"))
    };
    let mut count = 0;
    for file in files.filter(is_manifest) {
        let found = against_schema(&std::fs::read_to_string(&file).unwrap());
        assert!(found.is_empty(), "{}: {found:#?}", file.display());
        count += 1;
    }
    assert!(count >= 24, "{count} manifests");
    // Jobs of every kind.
    assert_eq!(against_schema(include_str!("../golden/jobs.toml")), [""; 0]);
}

const MANIFEST: &str = r#"schema = 1
name = "m"
title = "t"
[games]
small.othello = { size = 6 }
[agents]
greedy.greedy = {}
learner.guided = { network.saz = { hidden = 8 } }
[stages.train.train.alpha-zero]
game = "small"
agent = "learner"
settings = { iterations = 2, batch = 16, evaluation = { every = 1, games = 2, opponent = "greedy" } }
[stages.test]
from = "train"
play.match = { opponent = "greedy", games = 10, openings = { random = { plies = 2 } } }
[stages.worth]
measure.fitness = { game = "small", agent = "greedy", opponent = "greedy", games = 12 }
[stages.league.play.tournament]
game = "small"
games = 2
players = ["greedy", { name = "other", agent = "greedy" }]
[[exhibit]]
show.means = { stage = "worth", rows = ["agent"] }
"#;

/// Mistakes that `gauntlet check` refuses: the text in [`MANIFEST`], its replacement, and whether a schema can detect
/// it.
const MISTAKES: [(&str, &str, bool); 17] = [
    ("iterations = 2", "iteration = 2", true),
    ("iterations = 2", "iterations = 0", true),
    ("batch = 16", "batch = \"16\"", true),
    ("train.alpha-zero]", "train.alphazero]", true),
    ("batch = 16", "symmetries = \"both\"", true),
    ("every = 1", "evry = 1", true),
    ("games = 10", "games = 11", true),
    ("play.match", "play.game", true),
    ("plies = 2", "ply = 2", true),
    ("measure.fitness", "measure.fittness", true),
    ("agent = \"greedy\", opponent", "agent = \"greedy\", oponent", true),
    ("hidden = 8", "hidden = 0", true),
    ("[stages.test]", "[stages.test]\nmeasure.complexity = { game = \"small\" }", true),
    ("batch = 16", "loss.l2 = -1.0", true),
    ("batch = 16", "gate = { share = 1.5 }", true),
    ("opponent = \"greedy\", games = 10", "opponent = \"gredy\", games = 10", false),
    ("from = \"train\"", "from = \"trian\"", false),
];

#[test]
fn it_sees_fifteen_of_seventeen_typical_mistakes() {
    let refused = |manifest: &str| {
        let source = BTreeMap::from([("m.toml".to_owned(), manifest.to_owned())]);
        load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")).is_err()
    };
    assert!(!refused(MANIFEST), "{:?}", against_schema(MANIFEST));
    assert_eq!(against_schema(MANIFEST), [""; 0]);
    for (right, wrong, is_seen) in MISTAKES {
        let manifest = MANIFEST.replacen(right, wrong, 1);
        assert!(refused(&manifest), "{wrong}");
        assert_eq!(!against_schema(&manifest).is_empty(), is_seen, "{wrong}");
    }
}

/// The output of `gauntlet explain` as JSON: topics with their keys.
fn explained(arguments: &str) -> Vec<Value> {
    let printed = Workshop::new().done(&format!("explain {arguments} --json")).stdout;
    serde_json::from_str::<Value>(&printed).unwrap().as_array().unwrap().clone()
}

#[test]
fn every_key_is_explained() {
    let topics = explained("--all");
    let keys = topics.iter().flat_map(|topic| topic["keys"].as_array().unwrap().iter().map(move |key| (topic, key)));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut count = 0;
    for (topic, key) in keys {
        let name = format!("{}: {}", text(&topic["topic"]), text(&key["key"]));
        assert!(text(&key["about"]).len() > 5, "{name} is not documented");
        assert!(!text(&key["type"]).is_empty(), "{name} has no type");
        count += 1;
    }
    assert!(count > 300, "{count} keys");
    // Every kind of job documents its result.
    let known: Vec<String> = topics.iter().map(|topic| text(&topic["topic"])).collect();
    let kinds = known.iter().filter(|name| ["train.", "play.", "measure."].iter().any(|kind| name.starts_with(kind)));
    for kind in kinds.filter(|name| name.matches('.').count() == 1) {
        assert!(known.contains(&format!("result.json.{kind}")), "{kind} has no result");
    }
}

#[test]
fn a_topic_shows_types_defaults_meanings_and_the_paper() {
    let workshop = Workshop::new();
    let page = workshop.done("explain train.alpha-zero").stdout;
    for line in [
        "  settings.epochs: whole number from 1; default 10\n      Passes over the examples in an iteration.\n      \
         The paper: not given; 10 in its code base.\n",
        "  settings.evaluation.opponent: a name of `[agents]`, or a player; ",
        "        \"outcome\": The outcome of the game.\n",
        "Ben-Assayag and El-Yaniv 2021, section 3.3",
    ] {
        assert!(page.contains(line), "{line}: {page}");
    }
    assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
    let found = workshop.done("explain simulations").stdout;
    assert!(
        found.contains("agents.uct.simulations: whole number from 1 to 10000000, or one of these; default 100"),
        "{found}"
    );
    assert!(workshop.done("explain saz").stdout.starts_with("agents.guided.network.saz\n"));
    let claims = workshop.done("explain exhibit.success").stdout;
    assert!(claims.contains("exhibit.success[].claim: text; required"), "{claims}");
    for line in ["exhibit.success[].equivalent: table", "equivalent.margin: number from 0.1 to 200; required"] {
        assert!(claims.contains(line), "{line}: {claims}");
    }
    assert!(workshop.done("explain").stdout.contains("\nmetrics.jsonl  "));
    let unknown = workshop.run("explain simulatons");
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    assert!(unknown.stderr.contains("did you mean `gauntlet explain simulations`?"), "{}", unknown.stderr);
}

#[test]
fn it_finds_what_the_reader_finds() {
    let head = "schema = 1\nname = \"a\"\ntitle = \"t\"\n";
    assert_eq!(against_schema(head), [""; 0]);
    for wrong in [
        "gaems = {}",
        "games.g.gomoku = { size = 4 }",
        "games.g.gomoku = { size = 7, roww = 3 }",
        "games.g.shogi = { size = 9 }",
        "stages.s = { seedz = 3 }",
        "stages.s = { seeds = \"x\" }",
        "stages.s = { sweep = { games = 3 } }",
        "[[exhibit]]\nshow = { curves = { curves = [] } }",
        "[[exhibit]]\nsuccess = [{ claim = \"c\", of = {}, over.number = 1, equivalent.margin = 9 }]",
        "[[exhibit]]\nsuccess = [{ claim = \"c\", of = {}, equivalent.margin = -9 }]",
    ] {
        assert!(!against_schema(&format!("{head}{wrong}")).is_empty(), "{wrong}");
    }
}

/// The messages of the engine protocol have a schema of their own, beside its specification.
#[test]
fn the_schema_of_messages_is_published() {
    let printed = Workshop::new().done("schema --engine").stdout;
    let published = include_str!("../../docs/engine-protocol.schema.json");
    assert!(printed == published, "run `gauntlet schema --engine > docs/engine-protocol.schema.json`");
    let schema: Value = serde_json::from_str(&printed).unwrap();
    for message in [
        json!({ "quit": true }),
        json!({ "over": [1, 2] }),
        json!({ "think": [{ "game": 0, "legal": ["D3"] }], "id": 1, "budget": { "time-ms": 5 } }),
        json!({ "hello": { "protocol": 1, "name": "a", "wants": ["legal"] } }),
        json!({ "moves": [{ "game": 0, "move": "D3", "value": 0.5 }] }),
    ] {
        assert_eq!(misfits(&schema, &schema, &message, ""), [""; 0], "{message}");
    }
    for message in [json!({ "think": [] }), json!({ "moves": [{ "move": "D3" }] }), json!({ "dance": 1 })] {
        assert!(!misfits(&schema, &schema, &message, "").is_empty(), "{message}");
    }
}
