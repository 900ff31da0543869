//! A run of fishtest as its server gives it (`/api/get_run/...`): `args` with the names of the two versions, `results`
//! with the counts of the new version, by games and by the points of pairs.
//!
//! Facts by github.com/official-stockfish/fishtest.

use serde::Deserialize;

use super::GameResults;
use super::pair_counts::Score;
use super::tally::{InputFault, Tally};
use crate::formats::lines::line_feeds;

/// The form of the file, for errors.
const EXPECTED: &str = "expected a run of fishtest: `args` with new_tag and base_tag, `results` with wins, losses, \
                        draws and five pentanomial counts, each below 2^32";

#[derive(Deserialize)]
struct Run {
    args: Args,
    results: Results,
}

#[derive(Deserialize)]
struct Args {
    new_tag: String,
    base_tag: String,
}

#[derive(Deserialize)]
struct Results {
    wins: u32,
    losses: u32,
    draws: u32,
    #[serde(default)]
    pentanomial: [u32; 5],
}

pub(super) fn read(text: &[u8], results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let run: Run = serde_json::from_slice(text).map_err(|error| InputFault::of_json(&error, EXPECTED))?;
    let Args { new_tag, base_tag } = &run.args;
    if new_tag == base_tag {
        return Err(InputFault::at(1, format!("{new_tag:?} plays against itself")));
    }
    let games = [run.results.wins, run.results.draws, run.results.losses].map(u64::from);
    let score = Score::of_points(run.results.pentanomial.map(u64::from), Some(games));
    let score = score.map_err(|what| InputFault::at(line_of_counts(text), what))?;
    if score.games() > 0 {
        let [new, base] = [new_tag, base_tag].map(|name| results.player(name));
        results.add_score(new, base, score);
        tally.count(score.games());
    }
    Ok(())
}

/// The line of the counts of pairs.
fn line_of_counts(text: &[u8]) -> u64 {
    let key = b"\"pentanomial\"";
    let at = text.windows(key.len()).position(|word| word == key).unwrap_or(0);
    1 + line_feeds(&text[..at])
}
