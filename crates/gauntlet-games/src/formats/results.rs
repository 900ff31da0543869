//! Results of games from files of any tournament tool: collected as counts, for files of any size.
//!
//! One file of this folder reads one format: PGN streams through [`pgn`](super::pgn), and `pairing` finds its pairs of
//! games; `table` are tables as text and `json_rows` as JSON, in the `forms` that people have, whose `entries` become
//! results; `sgf` are collections of SGF; `records` are this program's own games; [`rankings`] is the format that the authors of AlphaGateau publish. `fastchess` is the
//! state that fastchess saves, `fishtest` a run of fishtest, `log` the text that match runners print. Ratings are
//! computed elsewhere, from [`GameResults`].

mod entries;
mod fastchess;
mod fishtest;
mod forms;
mod json;
mod json_map;
mod json_rows;
mod log;
mod names;
mod pair_counts;
mod pairing;
mod pgn;
mod rankings;
mod read;
mod records;
mod sgf;
mod spelling;
mod table;
mod tally;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::base::{Outcome, Resignations, Side};

pub use pair_counts::PairCounts;
use pair_counts::Score;
pub use rankings::{Rankings, rankings};
pub use read::read;
pub use table::rows;
pub use tally::{BadInput, Counted, ReadFile, Reading};

/// Results of many games, as counts by players.
#[derive(Debug, Clone, Default)]
pub struct GameResults {
    players: Vec<String>,
    places: HashMap<String, usize>,
    /// Other names for players of the file that is read next.
    renamed: BTreeMap<String, String>,
    /// Wins, draws and losses of the player with the smaller index; the side to move first is unknown.
    pub uncoloured: BTreeMap<[usize; 2], [u64; 3]>,
    /// Wins, draws and losses of the first of two players, who moved first.
    pub coloured: BTreeMap<[usize; 2], [u64; 3]>,
    /// Pairs of games with their outcomes; the first player begins the first game, the second player the second one.
    pub pairs: BTreeMap<([usize; 2], [u8; 2]), u64>,
    /// Pairs of games without their order, from the point of view of the player with the smaller index.
    pub unordered_pairs: BTreeMap<[usize; 2], PairCounts>,
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

    /// Gives players of the files that are read from now on other names.
    pub fn rename(&mut self, renamed: BTreeMap<String, String>) {
        self.renamed = renamed;
    }

    /// The index of a player, who is added if new.
    pub fn player(&mut self, name: &str) -> usize {
        let renamed = self.renamed.get(name).cloned();
        let name = renamed.as_deref().unwrap_or(name);
        if let Some(&known) = self.places.get(name) {
            return known;
        }
        self.places.insert(name.to_owned(), self.players.len());
        self.players.push(name.to_owned());
        self.players.len() - 1
    }

    /// The index of a known player.
    fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Adds a game; `first` moved first.
    pub fn add_game(&mut self, first: usize, second: usize, outcome: Outcome) {
        self.add_games(first, second, outcome, 1);
    }

    /// Adds a number of games with one outcome; `first` moved first.
    fn add_games(&mut self, first: usize, second: usize, outcome: Outcome, count: u64) {
        if count > 0 {
            self.coloured.entry([first, second]).or_default()[place_of(outcome)] += count;
        }
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

    /// Adds pairs of games without their order: counts of `a`.
    pub fn add_unordered_pairs(&mut self, a: usize, b: usize, counts: PairCounts) {
        let (key, counts) = if a < b { ([a, b], counts) } else { ([b, a], counts.reversed()) };
        *self.unordered_pairs.entry(key).or_default() += counts;
    }

    /// Number of pairs of games, with and without an order.
    #[must_use]
    pub fn n_pairs(&self) -> u64 {
        let unordered = self.unordered_pairs.values().map(PairCounts::total);
        self.pairs.values().sum::<u64>() + unordered.sum::<u64>()
    }

    /// Counts the games of pairs without an order as single games of unknown colours: an advantage of the side to move
    /// first cannot be estimated from such pairs. Returns their number.
    pub fn separate_unordered_pairs(&mut self) -> u64 {
        let pairs = std::mem::take(&mut self.unordered_pairs);
        pairs.iter().for_each(|(&[a, b], counts)| self.add_counts(a, b, counts.games()));
        pairs.values().map(PairCounts::total).sum()
    }

    /// Adds the games of two players, from the point of view of `a`.
    fn add_score(&mut self, a: usize, b: usize, score: Score) {
        if score.pairs.total() > 0 {
            self.add_unordered_pairs(a, b, score.pairs);
        }
        if score.single != [0; 3] {
            self.add_counts(a, b, score.single);
        }
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
mod dialect_tests;
#[cfg(test)]
mod runner_tests;
#[cfg(test)]
mod tests;
