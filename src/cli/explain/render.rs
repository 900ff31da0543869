//! Topics and their keys as plain text and as JSON.

use serde_json::{Value, json};

use super::place::{Alternative, Place};
use super::reference::{ManifestKey, Topic};
use super::text::{paragraphs, wrapped};

/// The indent of the description of a key.
const INDENT: usize = 6;

/// A topic with all of its keys.
pub fn topic(topic: &Topic<'_>, entries: &[ManifestKey<'_>]) -> String {
    let mut text = format!("{}\n", topic.path);
    said(topic.about, topic.place.about_type()).iter().for_each(|paragraph| text += &wrapped(paragraph, 2));
    let choices = if topic.is_file() { Vec::new() } else { topic.place.alternatives() };
    text += if choices.is_empty() { "" } else { "\n" };
    choices.iter().for_each(|choice| text += &alternative(choice, &topic.path, 2));
    entries.iter().for_each(|entry| text += &self::entry(entry, "", topic.is_file()));
    text
}

/// The description of a place, followed by that of its type, if it says more.
fn said(place: &str, of_type: &str) -> Vec<String> {
    let mut shown = paragraphs(place);
    let known = shown.join(" ");
    shown.extend(paragraphs(of_type).into_iter().filter(|more| !known.contains(more.trim_end_matches('.'))));
    shown
}

/// Some keys of a topic, by their whole paths.
pub fn found(topic: &Topic<'_>, entries: &[ManifestKey<'_>]) -> String {
    let prefix = format!("{}.", topic.path);
    entries.iter().map(|one| entry(one, &prefix, topic.is_file())).collect()
}

/// One key: its values, its default, its meaning, and the value in the paper. For a file, whether it is always
/// present.
fn entry(entry: &ManifestKey<'_>, prefix: &str, is_file: bool) -> String {
    let place = entry.key.place;
    let without = match is_file {
        true => if entry.key.is_required { "" } else { "; where it applies" }.to_owned(),
        false => left_out(entry),
    };
    let mut text = format!("\n  {prefix}{}: {}{without}\n", entry.path, words(entry));
    let of_type = if place.keys().is_empty() { "" } else { place.about_type() };
    said(place.about(), of_type).iter().for_each(|paragraph| text += &wrapped(paragraph, INDENT));
    if let Some(paper) = &entry.key.paper {
        text += &wrapped(&format!("The paper: {paper}."), INDENT);
    }
    if !is_elsewhere(entry) {
        let path = entry.see.as_deref().unwrap_or(&entry.path);
        alternatives(place).iter().for_each(|choice| text += &alternative(choice, path, INDENT));
    }
    if let Some(see) = &entry.see {
        text += &wrapped(&format!("See `gauntlet explain {see}`."), INDENT);
    }
    text
}

/// The choices of a place, or of each item of its list.
fn alternatives(place: Place<'_>) -> Vec<Alternative<'_>> {
    let own = place.alternatives();
    if own.is_empty() { place.each().map_or(own, |(_, each)| each.alternatives()) } else { own }
}

/// Whether the topics of games and agents explain it.
fn is_elsewhere(entry: &ManifestKey<'_>) -> bool {
    entry.see.as_deref().is_some_and(|see| !see.contains('.'))
}

fn words(entry: &ManifestKey<'_>) -> String {
    let words = entry.key.place.words();
    match entry.see.as_deref() {
        Some("games") => words.replace("one of these", "a game"),
        Some("agents") => words.replace("one of these", "a player"),
        _ => words,
    }
}

/// The meaning of an absent key.
fn left_out(entry: &ManifestKey<'_>) -> String {
    match entry.key.place.default() {
        Some(Value::Object(table)) if entry.key.place.alternatives().is_empty() || table.is_empty() => String::new(),
        Some(value) => format!("; default {}", written(value)),
        None if entry.key.is_required => "; required".to_owned(),
        None => "; may be left out".to_owned(),
    }
}

/// A value in the syntax of manifests.
fn written(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let entries: Vec<String> = table.iter().map(|(key, value)| format!("{key} = {}", written(value))).collect();
            if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
        }
        Value::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        value => value.to_string(),
    }
}

/// One of several words, or of several tags with their settings.
fn alternative(choice: &Alternative<'_>, path: &str, indent: usize) -> String {
    let name = match choice.content {
        None => format!("\"{}\"", choice.name),
        Some(content) if content.keys().is_empty() => match content.words() {
            words if words == "table" || words.is_empty() => format!("{{ {} = {{}} }}", choice.name),
            words => format!("{{ {} = {words} }}", choice.name),
        },
        Some(_) => format!("{{ {} = {{ ... }} }} ({path}.{})", choice.name, choice.name),
    };
    let about = paragraphs(choice.about).join(" ");
    wrapped(&format!("{name}: {about}"), indent + 2)
}

/// A topic with keys as JSON.
pub fn json(topic: &Topic<'_>, entries: &[ManifestKey<'_>]) -> Value {
    let choice = |choice: &Alternative<'_>| json!({ "choice": choice.name, "about": choice.about });
    let key = |entry: &ManifestKey<'_>| {
        let place = entry.key.place;
        json!({
            "key": entry.path,
            "type": words(entry),
            "default": place.default(),
            "required": entry.key.is_required,
            "about": place.about(),
            "paper": entry.key.paper,
            "choices": alternatives(place).iter().map(choice).collect::<Vec<_>>(),
            "see": entry.see,
        })
    };
    json!({
        "topic": topic.path,
        "about": topic.about,
        "choices": topic.place.alternatives().iter().map(choice).collect::<Vec<_>>(),
        "keys": entries.iter().map(key).collect::<Vec<_>>(),
    })
}
