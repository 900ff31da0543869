//! Resolution of names of games and agents in the settings of jobs and matches.
//!
//! Players beside the job's own (the opponent of a training's evaluations) are resolved too, but get no label: they are
//! no axis of tables.

use std::sync::Arc;

use serde_json::json;

use super::swept::swept;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Entry, Node, Table, Value};
use gauntlet_games::games::GameSpec;
use gauntlet_play::players::PlayerSpec;

/// Keys whose value may be the name of a game.
const GAMES: [&str; 1] = ["game"];

/// Keys whose value may be the name of an agent.
pub(in crate::manifest) const AGENTS: [&str; 3] = ["agent", "opponent", "anchor"];

/// Replaces names by games and agents. Returns the keys with the replaced names.
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

/// Replaces names by agents below the players of a job: the opponent of evaluations, and entrants that are tables.
pub(in crate::manifest) fn write_out_below(settings: &mut Table, agents: &Table, problems: &mut Vec<Problem>) {
    let evaluation = |settings: &Table| settings.get("settings")?.table()?.get("evaluation")?.table().cloned();
    if let Some(mut table) = evaluation(settings) {
        let opponent = write_out_one(&mut table, "opponent", agents, problems);
        let panel = write_out_panel(&mut table, agents, problems);
        if let Some(place) = opponent.or(panel) {
            let node = Node { span: place.clone(), value: Value::Table(table) };
            settings.set("settings.evaluation", &place, node);
        }
    }
    let Some(Node { span, value: Value::List(mut players) }) = settings.get("players").cloned() else { return };
    let tables = players.iter_mut().filter_map(Node::table_mut);
    let written = tables.filter_map(|table| write_out_one(table, "agent", agents, problems)).count();
    if written > 0 {
        settings.set("players", &span.clone(), Node { span, value: Value::List(players) });
    }
}

/// Replaces the names in the panel of an evaluation by tables with the name and its agent, and returns its place.
fn write_out_panel(evaluation: &mut Table, agents: &Table, problems: &mut Vec<Problem>) -> Option<Span> {
    let Node { span, value: Value::List(mut panel) } = evaluation.get("panel").cloned()? else { return None };
    for entrant in &mut panel {
        if matches!(entrant.value, Value::Text(_)) {
            let (mut table, span, name) = (Table::default(), entrant.span.clone(), entrant.clone());
            table.set("name", &span, name.clone());
            table.set("agent", &span, name);
            *entrant = Node { span, value: Value::Table(table) };
        }
        if let Some(table) = entrant.table_mut() {
            write_out_one(table, "agent", agents, problems);
        }
    }
    let panel = panel.into_iter().flat_map(|entrant| swept(entrant, problems)).collect();
    evaluation.set("panel", &span.clone(), Node { span: span.clone(), value: Value::List(panel) });
    Some(span)
}

/// Replaces the name at one key of a table by its agent, and returns the place of the name.
fn write_out_one(table: &mut Table, key: &str, agents: &Table, problems: &mut Vec<Problem>) -> Option<Span> {
    let node = table.get(key)?;
    let (name, span) = (node.text()?.to_owned(), node.span.clone());
    match agents.get(&name) {
        Some(found) => {
            let node = Node { span: span.clone(), value: found.value.clone() };
            table.set(key, &span, node);
            Some(span)
        }
        None => {
            problems.push(unknown(key, &name, &span, agents.keys()));
            None
        }
    }
}

/// The problem of an undefined name.
pub(in crate::manifest) fn unknown<'a>(
    what: &str,
    name: &str,
    span: &Span,
    known: impl Iterator<Item = &'a str>,
) -> Problem {
    let problem = Problem::at(span.clone(), format!("unknown {what} `{name}`"));
    let kind = || json!({ name: {} });
    let (is_kind, section) = match what {
        "game" => (is_choice(serde_json::from_value::<GameSpec>(kind())), "games"),
        _ => (is_choice(serde_json::from_value::<PlayerSpec>(kind())), "agents"),
    };
    match is_kind {
        true => {
            problem.hint(format!("`{name}` is a kind, not a name: define one, `[{section}]` `{name}.{name} = {{}}`"))
        }
        false => problem.nearest(name, known),
    }
    .echo()
}

/// Whether the text is a variant of the type, whatever its settings.
fn is_choice<T>(read: Result<T, serde_json::Error>) -> bool {
    read.map_or_else(|error| !error.to_string().starts_with("unknown variant"), |_| true)
}
