//! Hints for keys that are one table too high: `simulations` of a `guided` player belongs in its `search`.

use serde_json::{Map, Value};

use super::schema::reference;
use crate::manifest::text::source::Problem;

/// Adds a hint to problems of unknown keys if a neighbouring table has such a key.
pub fn tell_of_misplaced(problems: &mut [Problem]) {
    let mut manifest: Option<Value> = None;
    for problem in problems {
        let Some((key, known)) = unknown(problem) else { continue };
        let manifest = manifest.get_or_insert_with(reference);
        if let Some(table) = holder(manifest, &key, &known) {
            problem.hint = Some(format!("it is a key of `{table}`: `{table} = {{ {key} = ... }}`"));
        }
    }
}

/// The unknown key that a problem reports, and the known keys of its table; `None` if one of them is similar.
fn unknown(problem: &Problem) -> Option<(String, Vec<String>)> {
    let key = problem.message.strip_prefix("unknown key `")?.strip_suffix('`')?;
    let known = problem.hint.as_deref()?.strip_prefix("known: ")?.split(", ");
    Some((key.to_owned(), known.map(str::to_owned).collect()))
}

/// The table with this key in the definition that has exactly the known keys.
fn holder(manifest: &Value, key: &str, known: &[String]) -> Option<String> {
    let definitions = manifest["definitions"].as_object()?;
    let of = |definition: &Value| definition.get("properties").and_then(Value::as_object).cloned();
    let is_meant =
        |keys: &Map<String, Value>| keys.len() == known.len() && known.iter().all(|known| keys.contains_key(known));
    let own = definitions.values().filter_map(of).find(is_meant)?;
    let has = |place: &Value| {
        let names = references(place).into_iter().filter_map(|name| definitions.get(name));
        names.filter_map(of).any(|keys| keys.contains_key(key))
    };
    own.iter().find(|(_, place)| has(place)).map(|(name, _)| name.clone())
}

/// The definitions that a schema node refers to.
fn references(place: &Value) -> Vec<&str> {
    let listed = ["allOf", "anyOf"].into_iter().filter_map(|keyword| place.get(keyword)?.as_array()).flatten();
    let all = std::iter::once(place).chain(listed).filter_map(|part| part.get("$ref")?.as_str());
    all.map(|name| name.trim_start_matches("#/definitions/")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_a_table_beside_it_is_told() {
        let manifest = reference();
        let keys = manifest["definitions"]["GuidedAgent"]["properties"].as_object().unwrap().keys();
        let known = format!("known: {}", keys.cloned().collect::<Vec<_>>().join(", "));
        let problem = |key: &str| Problem::general(format!("unknown key `{key}`")).hint(known.clone());
        let mut problems = [problem("simulations"), problem("x")];
        tell_of_misplaced(&mut problems);
        assert_eq!(problems[0].hint.as_deref(), Some("it is a key of `search`: `search = { simulations = ... }`"));
        assert!(problems[1].hint.as_deref().is_some_and(|hint| hint.starts_with("known: ")));
    }
}
