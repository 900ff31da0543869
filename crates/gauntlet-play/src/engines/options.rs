//! Options of engines whose protocols take lines of text: each option once, and its value as text.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::error::shown;

/// The options of a manifest, each with the engine's own option. `own` finds the option of a name.
///
/// # Errors
/// The fault of `own`, or that two names stand for one option.
pub fn named<'o, O: Copy + Ord>(
    options: &'o Map<String, Value>,
    own: impl Fn(&'o str) -> Result<O, String>,
) -> Result<Vec<(O, &'o Value)>, String> {
    let (mut named, mut known) = (Vec::new(), BTreeMap::new());
    for (written, value) in options {
        let own = own(written)?;
        if let Some(other) = known.insert(own, written) {
            return Err(format!("has one option by the names `{}` and `{}`: keep one", shown(other), shown(written)));
        }
        named.push((own, value));
    }
    Ok(named)
}

/// The options of a manifest in its own spelling, for engines that declare none.
///
/// # Errors
/// If two names differ in case alone.
pub fn undeclared(options: &Map<String, Value>) -> Result<Vec<(&str, &Value)>, String> {
    let first =
        |written: &str| options.keys().find(|name| name.eq_ignore_ascii_case(written)).map_or("", String::as_str);
    named(options, |written| Ok(first(written)))
}

/// The value of an option as text of one line.
///
/// # Errors
/// If it is a list or a table, or has several lines.
pub fn text(name: &str, value: &Value) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => return Err(format!("takes a text, a number, true or false as `{}`, not {value}", shown(name))),
    };
    if format!("{name}{text}").contains(char::is_control) {
        return Err(format!("takes names and values of one line, not `{}` for `{}`", shown(&text), shown(name)));
    }
    Ok(text)
}

/// The word among some words that is this one, in any case; the same spelling first.
pub fn spelled<'w>(word: &str, words: impl Iterator<Item = &'w str> + Clone) -> Option<&'w str> {
    words.clone().find(|own| *own == word).or_else(|| words.clone().find(|own| own.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn options_are_named_once() {
        let own = |name: &str| spelled(name, ["Level", "level", "Depth"].into_iter()).ok_or_else(String::new);
        let names = |value| named(&map(value), own).map(|found| found.iter().map(|(own, _)| *own).collect::<Vec<_>>());
        assert_eq!(names(json!({"depth": 1, "level": 2, "Level": 3})).unwrap(), ["Depth", "level", "Level"]);
        assert!(names(json!({"depth": 1, "Depth": 1})).unwrap_err().contains("`depth` and `Depth`"));
        assert!(names(json!({"other": 1})).is_err());
        assert_eq!(undeclared(&map(json!({"a": 1, "b": 1}))).unwrap().len(), 2);
        assert!(undeclared(&map(json!({"Ab": 1, "aB": 1}))).unwrap_err().contains("`Ab` and `aB`"));
    }

    #[test]
    fn values_are_texts_of_one_line() {
        assert_eq!(
            ["a b".into(), json!(1.5), json!(true)].map(|value| text("x", &value).unwrap()),
            ["a b", "1.5", "true"]
        );
        for value in [json!([1]), json!({}), json!(null), json!("a\nquit"), json!("a\u{85}b")] {
            assert!(text("x", &value).is_err(), "{value}");
        }
        assert!(text("a\rb", &json!(1)).is_err());
    }
}
