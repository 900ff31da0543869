//! This program's own games: one JSON object a line, with the indices of its players.
//!
//! Their names stand in the `key.json` beside a stored match, which holds what the match was made from; records from
//! elsewhere may carry `names` themselves. Otherwise players are called by their index.

use std::io::BufRead;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::{Fault, Results, Tally};
use crate::base::Outcome;

#[derive(Deserialize)]
struct Line {
    players: [usize; 2],
    outcome: Outcome,
    /// Names of the two players.
    names: Option<[String; 2]>,
}

pub(super) fn read(
    mut input: impl BufRead,
    names: &[String],
    results: &mut Results,
    tally: &mut Tally<'_>,
) -> Result<(), Fault> {
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        if input.read_until(b'\n', &mut text)? == 0 {
            return Ok(());
        }
        if text.trim_ascii().is_empty() {
            continue;
        }
        match game(&text, names) {
            Ok(([first, second], outcome)) => {
                let (first, second) = (results.player(&first), results.player(&second));
                results.add_game(first, second, outcome);
                tally.count(1);
            }
            Err(what) => tally.fault(Fault::at(line, what))?,
        }
    }
    Ok(())
}

fn game(text: &[u8], names: &[String]) -> Result<([String; 2], Outcome), String> {
    let line: Line = serde_json::from_slice(text).map_err(|error| match error.is_eof() {
        true => "the record ends in the middle".to_owned(),
        false => format!("this is no record of a game: {error}"),
    })?;
    let name = |player: usize| names.get(player).cloned().unwrap_or_else(|| format!("player {player}"));
    let players = line.names.unwrap_or_else(|| line.players.map(name));
    if players[0] == players[1] {
        return Err(format!("{:?} plays against itself", players[0]));
    }
    Ok((players, line.outcome))
}

/// Names of the players of a stored match, by index; empty where nothing tells them.
pub(super) fn names_beside(file: &Path) -> Vec<String> {
    let key = std::fs::read(file.with_file_name("key.json")).ok();
    let key: Option<Value> = key.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    key.and_then(|key| names_of(&key)).unwrap_or_default()
}

fn names_of(key: &Value) -> Option<Vec<String>> {
    let job = key.pointer("/spec/play")?.as_object()?.values().next()?;
    let seed = key.get("seed").and_then(Value::as_u64);
    if let Some(players) = job.get("players").or_else(|| job.get("agents")) {
        return Some(match players {
            Value::Object(players) => players.keys().cloned().collect(),
            players => players.as_array()?.iter().map(|player| label(player, seed)).collect(),
        });
    }
    Some(vec![label(job.get("agent")?, seed), label(job.get("opponent")?, seed)])
}

/// `naive`, or `tactician epsilon=0.2`; the seed stands with players whose weights depend on it.
fn label(player: &Value, seed: Option<u64>) -> String {
    if let Some(name) = player.get("name").and_then(Value::as_str).or(player.as_str()) {
        return name.to_owned();
    }
    let Some((kind, settings)) = player.as_object().and_then(|player| player.iter().next()) else {
        return player.to_string();
    };
    let mut words = vec![kind.clone()];
    leaves("", settings, &mut words);
    match seed {
        Some(seed) if settings.get("weights").is_some() => words.push(format!("seed={seed}")),
        _ => {}
    }
    words.join(" ")
}

fn leaves(name: &str, value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| leaves(name, value, words)),
        Value::String(text) => words.push(format!("{name}={text}")),
        value => words.push(format!("{name}={value}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_stored_match_tells_the_names() {
        let net = json!({ "net": { "network": { "mdlstm": { "cells": 3 } }, "weights": "random" } });
        let key = json!({ "seed": 7, "spec": { "play": { "match": { "agent": net, "opponent": { "naive": {} } } } } });
        assert_eq!(names_of(&key).expect("a match"), ["net cells=3 weights=random seed=7", "naive"]);
        let key = json!({ "spec": { "play": { "tournament": { "players": [{ "random": {} }, "x"] } } } });
        assert_eq!(names_of(&key).expect("a tournament"), ["random", "x"]);
        assert_eq!(names_of(&json!({ "spec": { "train": {} } })), None);
    }
}
