//! The published JSON schema, against the manifests that it describes. Editors rely on it; the program does not.
//!
//! The validator below knows the keywords that the schema uses, and refuses others.

use serde_json::{Map, Value, json};

/// Where a value does not fit a schema of the document `root`; nothing if it fits.
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
        "multipleOf" => value.as_f64().is_none_or(|n| n % bound == 0.0),
        other => panic!("the schema uses `{other}`, which this validator does not know"),
    };
    (!fits).then(|| format!("{value} against {keyword} {bound}"))
}

fn against_schema(manifest: &str) -> Vec<String> {
    let schema = gauntlet::manifest::schema();
    let value: Value = toml::from_str(manifest).unwrap();
    misfits(&schema, &schema, &value, "")
}

#[test]
fn it_is_draft_07_and_describes_every_section() {
    let schema = gauntlet::manifest::schema();
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
    let directories = ["", "/schaul2009", "/alphagateau2024", "/saz2021"]
        .map(|name| std::fs::read_dir(format!("{experiments}{name}")).unwrap());
    let files = directories.into_iter().flatten().map(|entry| entry.unwrap().path());
    let is_manifest =
        |path: &std::path::PathBuf| path.extension().is_some_and(|ext| ext == "toml") && !path.ends_with("common.toml");
    let mut count = 0;
    for file in files.filter(is_manifest) {
        let found = against_schema(&std::fs::read_to_string(&file).unwrap());
        assert!(found.is_empty(), "{}: {found:#?}", file.display());
        count += 1;
    }
    assert!(count >= 24, "{count} manifests");
}

#[test]
fn it_finds_what_the_reader_finds() {
    let head = "schema = 1\nname = \"a\"\ntitle = \"t\"\n";
    assert_eq!(against_schema(head), [""; 0]);
    for wrong in [
        "gaems = {}",
        "games.g.gomoku = { size = 4 }",
        "games.g.gomoku = { size = 7, roww = 3 }",
        "games.g.chess = { size = 8 }",
        "stages.s = { seedz = 3 }",
        "stages.s = { seeds = \"x\" }",
        "stages.s = { sweep = { games = 3 } }",
        "[[exhibit]]\nshow = { curves = { curves = [] } }",
    ] {
        assert!(!against_schema(&format!("{head}{wrong}")).is_empty(), "{wrong}");
    }
}
