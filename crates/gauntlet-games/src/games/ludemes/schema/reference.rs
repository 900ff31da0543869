//! The reference of all ludemes: syntax, meaning and an example of each.

use super::types::{COMPASS, TURNS, Type, words};
use super::words::{LudemeRow, ROWS, Word};

/// Meaning and example of every row of the table, in its order.
const TEXTS: &str = include_str!("reference.txt");

/// A ludeme with its explanation.
#[derive(Debug, Clone)]
pub struct LudemeEntry {
    /// Its first word with its keyword: `move Add`.
    pub name: String,
    /// The heading of its group.
    pub group: &'static str,
    /// The name of its type.
    pub result: &'static str,
    /// Its grammar: `(is Line <int> [<dirs>] [exact:<bool>])`.
    pub grammar: String,
    /// Its meaning, a sentence.
    pub about: &'static str,
    /// An example.
    pub example: &'static str,
}

/// A type of ludemes and parameters.
#[derive(Debug, Clone)]
pub struct TypeEntry {
    /// Its name in grammars.
    pub name: &'static str,
    /// Its meaning.
    pub about: &'static str,
    /// The plain words of this type; none for most types.
    pub words: Vec<&'static str>,
}

/// All ludemes, in the order of the table.
#[must_use]
pub fn ludemes() -> Vec<LudemeEntry> {
    let texts = TEXTS.lines().filter(|line| !line.starts_with('#'));
    ROWS.iter().zip(texts).map(|(row, text)| entry(row, text)).collect()
}

/// The types that grammars name, in the order of their first use.
#[must_use]
pub fn types() -> Vec<TypeEntry> {
    let mut names: Vec<&'static str> = Vec::new();
    for name in ROWS.iter().flat_map(|row| parameters(row.signature)).map(|(_, kind, _)| kind) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let entry = |name| {
        let kind = Type::read(name)?;
        let words = if kind == Type::Dirs { [&COMPASS[..], &TURNS].concat() } else { words(kind).to_vec() };
        Some(TypeEntry { name, about: kind.say(), words })
    };
    names.into_iter().filter_map(entry).collect()
}

fn entry(row: &'static LudemeRow, text: &'static str) -> LudemeEntry {
    let mut parts = text.splitn(3, " | ").skip(1);
    let mut next = || parts.next().unwrap_or_default();
    let (about, example) = (next(), next());
    let name = name(row.signature);
    let given: String = parameters(row.signature).map(|parameter| format!(" {}", written(parameter))).collect();
    let result = type_name(row.result);
    LudemeEntry { grammar: format!("({name}{given})"), name, group: group(row.word), result, about, example }
}

/// The first word and the keyword of a row.
fn name(signature: &str) -> String {
    let mut words = signature.split(' ').peekable();
    let head = words.next().unwrap_or_default();
    words
        .next_if(|word| word.starts_with(char::is_uppercase))
        .map_or_else(|| head.to_owned(), |key| format!("{head} {key}"))
}

/// The parameters of a row: label, type, and how often each may be given (`""`, `"?"`, `"*"` or `"**"`).
fn parameters(signature: &'static str) -> impl Iterator<Item = (Option<&'static str>, &'static str, &'static str)> {
    let of_row = signature.split(' ').skip(1).filter(|word| !word.starts_with(char::is_uppercase));
    of_row.map(|word| {
        let end = word.find(['?', '*']).unwrap_or(word.len());
        let (rest, times) = word.split_at(end);
        match (rest.split_once(':'), rest.split_once('=')) {
            (Some((label, kind)), _) => (Some(label), kind, times),
            (None, Some((_, kind))) => (None, kind, times),
            (None, None) => (None, rest, times),
        }
    })
}

fn written((label, kind, times): (Option<&str>, &str, &str)) -> String {
    let one = label.map_or_else(|| format!("<{kind}>"), |label| format!("{label}:<{kind}>"));
    match times {
        "?" => format!("[{one}]"),
        "*" => format!("{{{one}}}"),
        "**" => format!("{one}..."),
        _ => one,
    }
}

/// The name of a type in grammars.
fn type_name(kind: Type) -> &'static str {
    let named = ROWS.iter().flat_map(|row| parameters(row.signature)).map(|(_, name, _)| name);
    // Only a whole game is not a parameter.
    named.into_iter().find(|name| Type::read(name) == Some(kind)).unwrap_or("game")
}

fn group(word: Word) -> &'static str {
    match word {
        Word::Frame(_) => "The frame of a game",
        Word::Graph(_) => "Graphs of boards",
        Word::Clause(_) => "Parts of moves and effects",
        Word::Moves(_) => "Moves that a player may choose",
        Word::Effect(_) => "Effects of moves",
        Word::Bool(_) => "Conditions",
        Word::Int(_) => "Numbers, sites and pieces",
        Word::Region(_) => "Sets of sites",
        Word::Dirs(_) => "Directions",
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::text::nodes;
    use super::super::bind;
    use super::*;

    #[test]
    fn every_row_has_its_line() {
        let lines: Vec<&str> = TEXTS.lines().filter(|line| !line.starts_with('#')).collect();
        let of_lines: Vec<&str> = lines.iter().map(|line| line.split(" | ").next().unwrap()).collect();
        let of_rows: Vec<&str> = ROWS.iter().map(|row| row.signature).collect();
        assert_eq!(of_lines, of_rows);
        for entry in ludemes() {
            assert!(entry.about.ends_with('.') && entry.example.starts_with('('), "{entry:?}");
        }
    }

    /// Each example is read as the row that it explains.
    #[test]
    fn every_example_is_valid() {
        for (row, entry) in ROWS.iter().zip(ludemes()) {
            let (found, wrong) = nodes(0, entry.example);
            assert!(wrong.is_empty() && found.len() == 1, "{}: {wrong:?}", entry.example);
            let mut wrong = Vec::new();
            let tree = bind(&found[0], row.result, &mut wrong);
            let mistakes: Vec<&str> = wrong.iter().map(|mistake| mistake.message.as_str()).collect();
            assert_eq!(tree.map(|tree| tree.word), Some(row.word), "{}: {mistakes:?}", entry.example);
        }
    }

    #[test]
    fn grammars_are_readable() {
        let grammar = |name: &str| ludemes().into_iter().find(|entry| entry.name == name).unwrap().grammar;
        assert_eq!(grammar("is Line"), "(is Line <int> [<dirs>] [exact:<bool>] [through:<int>] [if:<bool>])");
        assert_eq!(grammar("="), "(= <int> <int>)");
        assert_eq!(grammar("union"), "(union <region>...)");
        assert_eq!(grammar("start"), "(start {<startrule>})");
        assert!(types().iter().any(|entry| entry.name == "dirs" && entry.words.contains(&"Orthogonal")));
    }
}
