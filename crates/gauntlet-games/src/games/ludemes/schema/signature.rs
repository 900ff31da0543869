//! The rows of the table, parsed once.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::types::Type;
use super::words::{ROWS, Word};

/// How often a parameter may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Once.
    One,
    /// Once or not at all.
    Optional,
    /// Once, or as a set in braces.
    Set,
    /// Once or more in a row, or as a set in braces.
    Many,
}

/// A parameter.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name in the tree.
    pub name: &'static str,
    /// Whether it is written with its name.
    pub labelled: bool,
    /// Its type.
    pub wants: Type,
    /// How often it may be given.
    pub times: Times,
}

/// A row of the table.
#[derive(Debug)]
pub struct Signature {
    /// The ludeme.
    pub word: Word,
    /// Its type.
    pub result: Type,
    /// Its text in the table.
    pub written: &'static str,
    /// Its first word.
    pub head: &'static str,
    /// The second word, if it has one.
    pub keyword: Option<&'static str>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

static TABLE: LazyLock<Vec<Signature>> = LazyLock::new(|| {
    let read = |row: &super::words::LudemeRow| {
        let mut parts = row.signature.split(' ').peekable();
        let head = parts.next().unwrap_or_default();
        let keyword = parts.next_if(|word| word.starts_with(char::is_uppercase));
        let parameters = parts.map(parameter).collect();
        Signature { word: row.word, result: row.result, written: row.signature, head, keyword, parameters }
    };
    ROWS.iter().map(read).collect()
});

static BY_HEAD: LazyLock<HashMap<&'static str, Vec<&'static Signature>>> = LazyLock::new(|| {
    let mut heads: HashMap<_, Vec<_>> = HashMap::new();
    TABLE.iter().for_each(|signature| heads.entry(signature.head).or_default().push(signature));
    heads
});

fn parameter(written: &'static str) -> Parameter {
    let (rest, times) = match written {
        _ if written.ends_with("**") => (&written[..written.len() - 2], Times::Many),
        _ if written.ends_with('*') => (&written[..written.len() - 1], Times::Set),
        _ if written.ends_with('?') => (&written[..written.len() - 1], Times::Optional),
        _ => (written, Times::One),
    };
    let (name, kind) = rest.split_once([':', '=']).unwrap_or((rest, rest));
    let wants = Type::read(kind).expect("every type in the table is known");
    Parameter { name, labelled: rest.contains(':'), wants, times }
}

/// All rows with this first word.
pub fn with_head(head: &str) -> &'static [&'static Signature] {
    BY_HEAD.get(head).map_or(&[], Vec::as_slice)
}

/// All rows.
pub fn table() -> &'static [Signature] {
    &TABLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_well_formed() {
        for signature in TABLE.iter() {
            let mut names: Vec<&str> = signature.parameters.iter().map(|parameter| parameter.name).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}", signature.written);
        }
        assert!(TABLE.len() > 120);
    }
}
