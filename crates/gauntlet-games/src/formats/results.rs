//! Results of games from files of any tournament tool: collected as counts, for files of any size.
//!
//! One file of this folder reads one format: PGN streams through [`pgn`](super::pgn); `counts` is
//! `player_a,player_b,wins_a,draws,losses_a`, `games` is `white,black,result,opening`; `records` are this program's
//! own games; [`rankings`] is the format that the authors of AlphaGateau publish. Ratings are computed elsewhere,
//! from [`GameResults`].

mod counts;
mod games;
mod names;
mod rankings;
mod read;
mod records;
mod tally;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::base::{Outcome, Resignations, Side};

pub use counts::rows;
pub use rankings::{Rankings, rankings};
pub use read::read;
pub use tally::{BadInput, ReadFile, Reading};

/// Results of many games, as counts by players.
#[derive(Debug, Clone, Default)]
pub struct GameResults {
    players: Vec<String>,
    places: HashMap<String, usize>,
    /// Wins, draws and losses of the player with the smaller index; the side to move first is unknown.
    pub uncoloured: BTreeMap<[usize; 2], [u64; 3]>,
    /// Wins, draws and losses of the first of two players, who moved first.
    pub coloured: BTreeMap<[usize; 2], [u64; 3]>,
    /// Pairs of games with their outcomes; the first player begins the first game, the second player the second one.
    pub pairs: BTreeMap<([usize; 2], [u8; 2]), u64>,
    /// Counts of resignations and would-be resignations, as far as the files record them.
    pub resignations: Resignations,
    distinct: Option<HashSet<u64>>,
}

impl GameResults {
    /// The names of the players, by index.
    #[must_use]
    pub fn players(&self) -> &[String] {
        &self.players
    }

    /// Groups of names that only differ in case, white space or Unicode normal form: each group may be one player,
    /// but counts as several.
    #[must_use]
    pub fn look_alikes(&self) -> Vec<Vec<&str>> {
        names::look_alikes(&self.players)
    }

    /// The index of a player, who is added if new.
    pub fn player(&mut self, name: &str) -> usize {
        if let Some(&known) = self.places.get(name) {
            return known;
        }
        self.places.insert(name.to_owned(), self.players.len());
        self.players.push(name.to_owned());
        self.players.len() - 1
    }

    /// Adds a game; `first` moved first.
    pub fn add_game(&mut self, first: usize, second: usize, outcome: Outcome) {
        self.coloured.entry([first, second]).or_default()[place_of(outcome)] += 1;
    }

    /// Adds two games with one opening: `a` begins the first one, `b` the second.
    pub fn add_pair(&mut self, a: usize, b: usize, outcomes: [Outcome; 2]) {
        *self.pairs.entry(([a, b], outcomes.map(|outcome| place_of(outcome) as u8))).or_default() += 1;
    }

    /// Adds games of unknown colours: wins, draws and losses of `a`.
    pub fn add_counts(&mut self, a: usize, b: usize, [wins, draws, losses]: [u64; 3]) {
        let (key, counts) = if a < b { ([a, b], [wins, draws, losses]) } else { ([b, a], [losses, draws, wins]) };
        let own = self.uncoloured.entry(key).or_default();
        own.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }

    /// Records the moves of a game, in any fixed notation, to count the distinct games.
    fn add_moves(&mut self, [first, second]: [usize; 2], moves: &[u8]) {
        let hash = blake3::hash(&[format!("{first} {second} ").as_bytes(), moves].concat());
        let start = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
        self.distinct.get_or_insert_default().insert(u64::from_le_bytes(*start));
    }

    /// Number of games with distinct moves or players; `None` unless moves were read.
    #[must_use]
    pub fn distinct_games(&self) -> Option<usize> {
        self.distinct.as_ref().map(HashSet::len)
    }
}

/// The outcome of a number in the keys of [`GameResults::pairs`].
#[must_use]
pub fn outcome_of(place: u8) -> Outcome {
    match place {
        0 => Outcome::Win(Side::First),
        1 => Outcome::Draw,
        _ => Outcome::Win(Side::Second),
    }
}

fn place_of(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Win(Side::First) => 0,
        Outcome::Draw => 1,
        Outcome::Win(Side::Second) => 2,
    }
}

#[cfg(test)]
mod tests;
