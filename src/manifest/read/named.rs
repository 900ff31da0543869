//! Named games and agents, written out where the settings of a job or of a match name them.

use std::sync::Arc;

use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Entry, Node, Table, Value};

/// Keys that may name a game instead of writing it out.
const GAMES: [&str; 1] = ["game"];

/// Keys that may name an agent instead of writing it out.
pub(in crate::manifest) const AGENTS: [&str; 3] = ["agent", "opponent", "anchor"];

/// Puts games and agents in the place of their names. Returns the keys with the names that stood there.
pub(in crate::manifest) fn write_out(
    settings: &mut Table,
    games: &Table,
    agents: &Table,
    problems: &mut Vec<Problem>,
) -> Vec<(Arc<str>, Arc<str>)> {
    let mut names = Vec::new();
    let keys = GAMES.map(|key| (key, games)).into_iter().chain(AGENTS.map(|key| (key, agents)));
    for (key, named) in keys {
        let Some(Entry { key, node, .. }) = settings.entry(key).cloned() else { continue };
        let Value::Text(name) = node.value else { continue };
        match named.get(&name) {
            Some(found) => {
                let node = Node { span: node.span.clone(), value: found.value.clone() };
                settings.insert(Entry { key: key.clone(), key_span: node.span.clone(), node });
                names.push((key, name));
            }
            None => problems.push(unknown(&key, &name, &node.span, named.keys())),
        }
    }
    names
}

/// A name that nothing has.
pub(in crate::manifest) fn unknown<'a>(
    what: &str,
    name: &str,
    span: &Span,
    known: impl Iterator<Item = &'a str>,
) -> Problem {
    Problem::at(span.clone(), format!("unknown {what} `{name}`")).nearest(name, known).echo()
}
