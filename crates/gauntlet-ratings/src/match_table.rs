//! Counted results by players: the input of all ratings.
//!
//! Players are indices `0..n_players`; the caller keeps their names. A [`Meeting`] stores the known details of the
//! games of two players: plain counts, counts by the player who moved first, or whole pairs of games (same opening,
//! colours swapped), which are the unit of match statistics.

use std::collections::BTreeMap;
use std::ops::AddAssign;

/// The result of one game for a player. The numbers are the indices of [`Meeting::pairs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// The player lost.
    Loss = 0,
    /// A draw.
    Draw = 1,
    /// The player won.
    Win = 2,
}

impl GameResult {
    /// All results, in the order of their indices.
    pub const ALL: [GameResult; 3] = [GameResult::Loss, GameResult::Draw, GameResult::Win];

    /// The same game for the other player.
    #[must_use]
    pub fn reversed(self) -> GameResult {
        match self {
            GameResult::Loss => GameResult::Win,
            GameResult::Draw => GameResult::Draw,
            GameResult::Win => GameResult::Loss,
        }
    }
}

/// Counted results, from one player's point of view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    /// Counts in the usual order of notation.
    #[must_use]
    pub fn new(wins: u64, draws: u64, losses: u64) -> Tally {
        Tally { wins, draws, losses }
    }

    /// Number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: a draw is half a win.
    #[must_use]
    pub fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// The same games from the other player's point of view.
    #[must_use]
    pub fn reversed(&self) -> Tally {
        Tally { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    fn add_result(&mut self, result: GameResult, count: u64) {
        match result {
            GameResult::Loss => self.losses += count,
            GameResult::Draw => self.draws += count,
            GameResult::Win => self.wins += count,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// All games of two players, from the point of view of `a`. Each game is counted in one of the four fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    /// The player with the smaller index.
    pub a: usize,
    /// The other one.
    pub b: usize,
    /// Single games with an unknown first player.
    pub uncoloured: Tally,
    /// Single games in which `a` moved first.
    pub first: Tally,
    /// Single games in which `b` moved first.
    pub second: Tally,
    /// Pairs of games, `pairs[x][y]`: `x` is the result of `a` moving first, `y` moving second (0 loss, 1 draw, 2 win).
    pub pairs: [[u64; 3]; 3],
}

impl Meeting {
    fn new(a: usize, b: usize) -> Meeting {
        let none = Tally::default();
        Meeting { a, b, uncoloured: none, first: none, second: none, pairs: [[0; 3]; 3] }
    }

    /// All games: those in which `a` moved first, those in which `b` did, and those without known colours.
    #[must_use]
    pub fn by_colour(&self) -> [Tally; 3] {
        let (mut first, mut second) = (self.first, self.second);
        for (x, row) in GameResult::ALL.into_iter().zip(&self.pairs) {
            for (y, &count) in GameResult::ALL.into_iter().zip(row) {
                first.add_result(x, count);
                second.add_result(y, count);
            }
        }
        [first, second, self.uncoloured]
    }

    /// The number of units: pairs of games, and single games.
    pub(crate) fn units(&self) -> f64 {
        let single = [self.first, self.second, self.uncoloured].iter().map(Tally::games).sum::<u64>();
        (single + self.pairs.iter().flatten().sum::<u64>()) as f64
    }

    /// All games.
    #[must_use]
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.by_colour().into_iter().for_each(|tally| total += tally);
        total
    }

    /// Pairs of games by the points of `a`: 0, 1/2, 1, 3/2, 2.
    #[must_use]
    pub fn pentanomial(&self) -> [u64; 5] {
        let mut counts = [0; 5];
        for (x, row) in self.pairs.iter().enumerate() {
            row.iter().enumerate().for_each(|(y, &count)| counts[x + y] += count);
        }
        counts
    }
}

/// A result that is invalid in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// A player against itself.
    #[error("player {0} cannot play against itself")]
    Itself(usize),
    /// A player that is not in the table.
    #[error("there is no player {player}; the table has {n_players}")]
    Unknown {
        /// The index given.
        player: usize,
        /// Players of the table.
        n_players: usize,
    },
}

/// The results of a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchTable {
    n_players: usize,
    meetings: BTreeMap<(usize, usize), Meeting>,
}

impl MatchTable {
    /// A table without games.
    #[must_use]
    pub fn new(n_players: usize) -> MatchTable {
        MatchTable { n_players, meetings: BTreeMap::new() }
    }

    /// Adds counted games of unknown colours, from the point of view of `a`. Counts of zero have no effect.
    ///
    /// # Errors
    /// [`TableError`] for equal or unknown players.
    pub fn add(&mut self, a: usize, b: usize, tally: Tally) -> Result<(), TableError> {
        let meeting = self.meeting(a, b)?;
        meeting.uncoloured += if a < b { tally } else { tally.reversed() };
        Ok(())
    }

    /// Adds counted games in which `first` moved first, from its point of view.
    ///
    /// # Errors
    /// [`TableError`] for equal or unknown players.
    pub fn add_coloured(&mut self, first: usize, second: usize, tally: Tally) -> Result<(), TableError> {
        let meeting = self.meeting(first, second)?;
        if first < second {
            meeting.first += tally;
        } else {
            meeting.second += tally.reversed();
        }
        Ok(())
    }

    /// Adds a pair of games with one opening, by their results for `a`: `a` moved first in the first game, `b` in the
    /// second.
    ///
    /// # Errors
    /// [`TableError`] for equal or unknown players.
    pub fn add_pair(&mut self, a: usize, b: usize, results: [GameResult; 2]) -> Result<(), TableError> {
        self.add_pairs(a, b, results, 1)
    }

    /// Adds a number of pairs of games with these results, as [`MatchTable::add_pair`] does for one.
    ///
    /// # Errors
    /// [`TableError`] for equal or unknown players.
    pub fn add_pairs(&mut self, a: usize, b: usize, results: [GameResult; 2], count: u64) -> Result<(), TableError> {
        let meeting = self.meeting(a, b)?;
        let [x, y] = if a < b { results } else { [results[1].reversed(), results[0].reversed()] };
        meeting.pairs[x as usize][y as usize] += count;
        Ok(())
    }

    /// Number of players, with or without games.
    #[must_use]
    pub fn n_players(&self) -> usize {
        self.n_players
    }

    /// Meetings of all pairs of players, in ascending order; meetings without a game are skipped.
    pub fn meetings(&self) -> impl Iterator<Item = &Meeting> {
        self.meetings.values().filter(|meeting| meeting.total().games() > 0)
    }

    /// All games of every player from its point of view, and the number of its opponents.
    #[must_use]
    pub fn totals(&self) -> Vec<(Tally, u64)> {
        let mut totals = vec![(Tally::default(), 0); self.n_players];
        for meeting in self.meetings() {
            let total = meeting.total();
            for (player, own) in [(meeting.a, total), (meeting.b, total.reversed())] {
                totals[player].0 += own;
                totals[player].1 += 1;
            }
        }
        totals
    }

    fn meeting(&mut self, a: usize, b: usize) -> Result<&mut Meeting, TableError> {
        if a == b {
            return Err(TableError::Itself(a));
        }
        if a.max(b) >= self.n_players {
            return Err(TableError::Unknown { player: a.max(b), n_players: self.n_players });
        }
        let (low, high) = (a.min(b), a.max(b));
        Ok(self.meetings.entry((low, high)).or_insert_with(|| Meeting::new(low, high)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_in_counts_the_same_games() {
        let mut table = MatchTable::new(3);
        table.add(2, 0, Tally::new(3, 2, 1)).expect("fine");
        table.add_coloured(2, 0, Tally::new(1, 0, 4)).expect("fine");
        table.add_pair(2, 0, [GameResult::Win, GameResult::Draw]).expect("fine");
        let meeting = table.meetings().next().expect("one meeting");
        assert_eq!((meeting.a, meeting.b), (0, 2));
        // Player 2 won its first move of the pair and drew the other: 0 drew moving first, lost moving second.
        assert_eq!(meeting.by_colour(), [Tally::new(0, 1, 0), Tally::new(4, 0, 2), Tally::new(1, 2, 3)]);
        assert_eq!(meeting.total(), Tally::new(5, 3, 5));
        assert_eq!(meeting.pentanomial(), [0, 1, 0, 0, 0]);
    }

    #[test]
    fn many_pairs_are_as_many_single_ones() {
        let (mut one_by_one, mut at_once) = (MatchTable::new(2), MatchTable::new(2));
        for results in [[GameResult::Win, GameResult::Draw], [GameResult::Loss, GameResult::Win]] {
            (0..5).for_each(|_| one_by_one.add_pair(1, 0, results).expect("fine"));
            at_once.add_pairs(1, 0, results, 5).expect("fine");
        }
        assert_eq!(one_by_one, at_once);
    }

    #[test]
    fn impossible_meetings_are_refused() {
        let mut table = MatchTable::new(2);
        assert_eq!(table.add(1, 1, Tally::new(1, 0, 0)), Err(TableError::Itself(1)));
        assert_eq!(
            table.add(0, 2, Tally::new(1, 0, 0)).expect_err("two players").to_string(),
            "there is no player 2; the table has 2"
        );
    }

    #[test]
    fn rows_without_games_do_not_exist() {
        let mut table = MatchTable::new(2);
        table.add(0, 1, Tally::default()).expect("fine");
        assert_eq!(table.meetings().count(), 0);
    }
}
