//! The state that fastchess saves (`config.json`): its settings, the engines, and under `stats` the counts of every two
//! players, `"A vs B": {"wins": ..., "penta_WW": ...}`, from the point of view of the first.
//!
//! Facts by fastchess 1.5 (github.com/Disservin/fastchess). `penta_WW` to `penta_LL` count pairs of games by their two
//! results, in any order; all are zero without pairs. Two players have one entry, or one for each order of their names.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;

use super::GameResults;
use super::json_map::read_map;
use super::names::versus;
use super::pair_counts::{PairCounts, Score};
use super::tally::{InputFault, Tally};
use crate::formats::lines::line_feeds;

/// The form of the file, for errors.
const EXPECTED: &str = "expected a state of fastchess: `stats` with wins, losses, draws and penta_WW to penta_LL of \
                        every two players, each below 2^32";

#[derive(Deserialize)]
struct SavedState<'a> {
    #[serde(borrow)]
    stats: Option<Stats<'a>>,
    #[serde(default)]
    engines: Vec<Engine>,
}

#[derive(Deserialize)]
struct Engine {
    name: Option<String>,
}

/// The entries, in the order of the file.
#[derive(Default)]
struct Stats<'a>(Vec<(PairKey<'a>, Counts)>);

#[derive(Deserialize)]
struct PairKey<'a>(#[serde(borrow)] Cow<'a, str>);

/// Counts of two players. Early versions wrote no pairs.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
#[allow(non_snake_case, reason = "the keys of the file")]
struct Counts {
    wins: Option<u32>,
    losses: Option<u32>,
    draws: Option<u32>,
    penta_WW: u32,
    penta_WD: u32,
    penta_WL: u32,
    penta_DD: u32,
    penta_LD: u32,
    penta_LL: u32,
}

pub(super) fn read(text: &[u8], results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let state: SavedState<'_> = serde_json::from_slice(text).map_err(|error| InputFault::of_json(&error, EXPECTED))?;
    let known: HashSet<&str> = state.engines.iter().filter_map(|engine| engine.name.as_deref()).collect();
    let (mut line, mut counted, mut seen) = (1, 0, HashSet::new());
    for (PairKey(key), counts) in state.stats.iter().flat_map(|stats| &stats.0) {
        // Each line is counted once, from key to key. An escaped key is a copy outside the text.
        let start = (key.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
        if let Some(passed) = start.and_then(|start| text.get(counted..start)) {
            line += line_feeds(passed);
            counted += passed.len();
        }
        let entry = versus(key, |a, b| known.contains(a) && known.contains(b)).and_then(|names| {
            let score = counts.score().map_err(|what| format!("{key:?}: {what}"))?;
            if seen.insert(key) { Ok((names, score)) } else { Err(format!("{key:?} has two entries")) }
        });
        match entry {
            Ok(([a, b], score)) if score.games() > 0 => {
                let [a, b] = [a, b].map(|name| results.player(name));
                tally.room(results.players().len())?;
                results.add_score(a, b, score);
                tally.count(score.games());
            }
            Ok(_) => {}
            Err(what) => tally.fault(InputFault::at(line, what))?,
        }
    }
    Ok(())
}

impl Counts {
    fn score(&self) -> Result<Score, String> {
        let pairs = PairCounts {
            win_win: self.penta_WW.into(),
            win_draw: self.penta_WD.into(),
            win_loss: self.penta_WL.into(),
            draw_draw: self.penta_DD.into(),
            draw_loss: self.penta_LD.into(),
            loss_loss: self.penta_LL.into(),
        };
        let games = [self.wins, self.draws, self.losses];
        let is_known = games.iter().any(Option::is_some);
        Score::of_pairs(pairs, is_known.then(|| games.map(|count| count.unwrap_or(0).into())))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Stats<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Stats<'a>, D::Error> {
        read_map(deserializer, "counts by two players", |stats: &mut Stats<'a>, key, counts| {
            stats.0.push((key, counts));
            Ok(())
        })
    }
}
