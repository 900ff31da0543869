//! The ludemes of `games.ludeme`: grammar, meaning and an example of each, from the table that reads descriptions.

use serde_json::{Value, json};

use super::text::wrapped;
use gauntlet_games::games::ludemes::schema::{LudemeEntry, TypeEntry, types};

/// The topic with all ludemes.
pub const TOPIC: &str = "ludemes";

/// Its description.
pub const ABOUT: &str = "The words of game descriptions, a subset of Ludii's: grammar, meaning and an example of each.";

/// How to read a grammar.
const NOTATION: &str = "A grammar names the type of each argument in `<>`. `[]` may be left out. `name:` is written as it \
    stands. `{}` is one argument, or several in braces. `...` is one or more arguments, or several in braces. A set of \
    sites may be a single site. `gauntlet games --show NAME` prints a whole description.";

/// The ludemes that a topic names: all, or those with this name (`move Add`, `ludemes.move-add`) or this first word.
pub fn named(topic: &str) -> Vec<LudemeEntry> {
    let all = gauntlet_games::games::ludemes::schema::ludemes();
    if topic == TOPIC {
        return all;
    }
    let wanted = plain(topic.strip_prefix(TOPIC).map_or(topic, |rest| rest.trim_start_matches('.')));
    let head = |entry: &LudemeEntry| entry.name.split(' ').next().map(plain);
    let is_named = |entry: &LudemeEntry| plain(&entry.name) == wanted || head(entry).as_ref() == Some(&wanted);
    all.into_iter().filter(is_named).collect()
}

/// A name without case, brackets and separators.
fn plain(name: &str) -> String {
    let name = name.trim_matches(['(', ')']);
    name.split([' ', '-', '.']).collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The ludemes as text: with the notation and the types if these are all.
pub fn page(entries: &[LudemeEntry], is_all: bool) -> String {
    let mut text = String::new();
    if is_all {
        text += &format!("{TOPIC}\n{}{}", wrapped(ABOUT, 2), wrapped(NOTATION, 2));
    }
    let mut group = "";
    for entry in entries {
        if entry.group != group {
            group = entry.group;
            text += if text.is_empty() { "" } else { "\n" };
            text += &format!("{group}\n");
        }
        text += &format!("\n  {}: <{}>\n", entry.grammar, entry.result);
        text += &wrapped(entry.about, 6);
        text += &format!("      {}\n", entry.example);
    }
    if is_all {
        text += "\nTypes\n\n";
        types().iter().for_each(|kind| text += &type_line(kind));
    }
    text
}

fn type_line(kind: &TypeEntry) -> String {
    let words = match kind.words.as_slice() {
        [] => String::new(),
        words => format!("; words: {}", words.join(", ")),
    };
    wrapped(&format!("<{}>: {}{words}", kind.name, kind.about), 2)
}

/// A ludeme as JSON.
pub fn json(entry: &LudemeEntry) -> Value {
    json!({ "ludeme": entry.name, "group": entry.group, "type": entry.result, "grammar": entry.grammar,
        "about": entry.about, "example": entry.example })
}

/// The names of all ludemes.
pub fn names() -> impl Iterator<Item = String> {
    gauntlet_games::games::ludemes::schema::ludemes().into_iter().map(|entry| entry.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ludeme_is_found_in_several_spellings() {
        for topic in ["move Add", "ludemes.move-add", "(move Add)", "MOVE ADD"] {
            let found = named(topic);
            assert!(found.len() == 1 && found[0].name == "move Add", "{topic}: {found:?}");
        }
        assert!(named("sites").len() > 20 && named("nothing").is_empty());
        assert_eq!(named(TOPIC).len(), names().count());
    }
}
