//! Win rates of all pairs of players by colour, and the score that compares two players by them.
//!
//! "Reinforcement Learning for Gomoku" (Chen, Chin and Megas), section 4: Figure 3 is a matrix of win and lose rates,
//! one ordered pair of players a cell, and Eq. 4 computes the scores of Figure 4 from it. They are not ratings:
//! unlike a [`ladder`](super::ladder), the scores of a matrix need not be consistent with any order of the players.

use super::intervals::game_level_bound;
use super::{MatchTable, Tally};

/// Results of every ordered pair of players, including a player against itself, from the point of view of the first
/// player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WinMatrix {
    n_players: usize,
    /// `[first, second]`, row by row.
    tallies: Vec<Tally>,
}

/// A score of Eq. 4, -2 to 2: positive if the first of two players is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The score.
    pub value: f64,
    /// Its standard error; `None` for a player against itself, whose score is always 0.
    pub error: Option<f64>,
}

impl WinMatrix {
    /// A matrix without games.
    #[must_use]
    pub fn new(n_players: usize) -> WinMatrix {
        WinMatrix { n_players, tallies: vec![Tally::default(); n_players * n_players] }
    }

    /// Adds games in which `first` moved first, from its point of view.
    ///
    /// # Panics
    /// If there is no such player.
    pub fn add(&mut self, first: usize, second: usize, games: Tally) {
        assert!(first.max(second) < self.n_players, "there are {} players", self.n_players);
        self.tallies[first * self.n_players + second] += games;
    }

    /// The games in which `first` moved first, from its point of view.
    ///
    /// # Panics
    /// If there is no such player.
    #[must_use]
    pub fn tally(&self, first: usize, second: usize) -> &Tally {
        assert!(first.max(second) < self.n_players, "there are {} players", self.n_players);
        &self.tallies[first * self.n_players + second]
    }

    /// Eq. 4: `B(i, j) - B(j, i) + W(i, j) - W(j, i)`, where `B` is the win rate of its first argument as black (the
    /// first player), and `W` that as white. `None` if one of the two colours was not played.
    ///
    /// White's wins are black's losses. So the score is the lead of `i` as black less that of `j` as black, where a
    /// lead is win rate minus lose rate: two independent multinomial samples, of variance `(w + l - (w - l)^2) / n`
    /// each. If all games of a sample ended alike, this variance is 0 and not a valid estimate; the bound for its
    /// number of games replaces it.
    ///
    /// # Panics
    /// If there is no such player.
    #[must_use]
    pub fn score(&self, i: usize, j: usize) -> Option<Score> {
        if i == j {
            return Some(Score { value: 0.0, error: None });
        }
        let (own, other) = (lead(self.tally(i, j))?, lead(self.tally(j, i))?);
        Some(Score { value: own.0 - other.0, error: Some(own.1.hypot(other.1)) })
    }
}

impl From<&MatchTable> for WinMatrix {
    /// The matrix of all games with known colours.
    fn from(table: &MatchTable) -> WinMatrix {
        let mut matrix = WinMatrix::new(table.n_players());
        for meeting in table.meetings() {
            let [first, second, _] = meeting.by_colour();
            matrix.add(meeting.a, meeting.b, first);
            matrix.add(meeting.b, meeting.a, second.reversed());
        }
        matrix
    }
}

/// Win rate minus lose rate with its standard error; `None` without games.
fn lead(games: &Tally) -> Option<(f64, f64)> {
    let n = games.games();
    let rate = |count: u64| count as f64 / n as f64;
    let value = rate(games.wins) - rate(games.losses);
    let variance = (rate(games.wins) + rate(games.losses) - value * value) / n as f64;
    let all_alike = [games.wins, games.draws, games.losses].contains(&n);
    let error = if all_alike { game_level_bound(value, [-1.0, 1.0], n)? } else { variance.sqrt() };
    Some((value, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GameResult;

    /// Games of each cell of Figure 3.
    const GAMES: f64 = 20.0;

    /// The paper's Figure 3, win and lose rates of black: a row is white, a column black; both are the benchmark
    /// player, (I) after 13 and 26 iterations, (II) after 5 and 10. The benchmark player did not meet itself.
    const FIGURE_3: [[[f64; 2]; 5]; 5] = [
        [[0.0, 0.0], [0.8, 0.1], [0.8, 0.05], [0.7, 0.0], [0.95, 0.0]],
        [[0.35, 0.55], [0.95, 0.05], [1.0, 0.0], [1.0, 0.0], [0.85, 0.1]],
        [[0.1, 0.65], [0.25, 0.7], [0.25, 0.3], [0.25, 0.6], [0.45, 0.1]],
        [[0.05, 0.65], [0.5, 0.15], [0.75, 0.2], [0.45, 0.35], [0.9, 0.05]],
        [[0.0, 0.7], [0.65, 0.2], [0.35, 0.4], [0.7, 0.2], [0.75, 0.0]],
    ];

    /// The paper's Figure 4, `score(A, B)`: a row is B, a column A.
    const FIGURE_4: [[f64; 5]; 5] = [
        [0.0, 0.9, 1.3, 1.3, 1.65],
        [-0.9, 0.0, 1.45, 0.65, 0.3],
        [-1.3, -1.45, 0.0, -0.9, 0.4],
        [-1.3, -0.65, 0.9, 0.0, 0.35],
        [-1.65, -0.3, -0.4, -0.35, 0.0],
    ];

    fn figure_3() -> WinMatrix {
        let mut matrix = WinMatrix::new(5);
        for (white, row) in FIGURE_3.iter().enumerate() {
            for (black, rates) in row.iter().enumerate().filter(|&(black, _)| [white, black] != [0, 0]) {
                let [wins, losses] = rates.map(|rate| (rate * GAMES).round() as u64);
                matrix.add(black, white, Tally::new(wins, GAMES as u64 - wins - losses, losses));
            }
        }
        matrix
    }

    #[test]
    fn figure_4_follows_from_figure_3() {
        let matrix = figure_3();
        for (b, row) in FIGURE_4.iter().enumerate() {
            for (a, &published) in row.iter().enumerate() {
                let score = matrix.score(a, b).unwrap().value;
                assert!((score - published).abs() < 1e-9, "({a}, {b}): {score} {published}");
            }
        }
    }

    /// "(II) with 10 iterations is our strongest model" is based on these, of one and a half standard errors each.
    #[test]
    fn the_strongest_model_leads_by_less_than_two_standard_errors() {
        let matrix = figure_3();
        for (other, value, error) in [(1, 0.3, 0.23), (3, 0.35, 0.21), (2, 0.4, 0.24)] {
            let score = matrix.score(4, other).unwrap();
            assert!((score.value - value).abs() < 1e-9);
            assert!((score.error.unwrap() - error).abs() < 0.005, "{score:?}");
            assert!(score.value < 2.0 * score.error.unwrap());
        }
    }

    #[test]
    fn scores_are_antisymmetric_with_a_zero_diagonal() {
        let matrix = figure_3();
        for i in 0..5 {
            assert_eq!(matrix.score(i, i), Some(Score { value: 0.0, error: None }));
            for j in (0..5).filter(|&j| j != i) {
                let [one, other] = [(i, j), (j, i)].map(|(i, j)| matrix.score(i, j).unwrap());
                assert_eq!((one.value, one.error), (-other.value, other.error));
            }
        }
    }

    #[test]
    fn games_that_all_end_alike_are_no_certainty() {
        let mut matrix = WinMatrix::new(2);
        matrix.add(0, 1, Tally::new(20, 0, 0));
        assert_eq!(matrix.score(0, 1), None);
        matrix.add(1, 0, Tally::new(0, 20, 0));
        let score = matrix.score(0, 1).unwrap();
        assert_eq!(score.value, 1.0);
        // Wilson's bounds of 20 of 20 and of 10 of 20, on a scale of two.
        let (win, draw): (f64, f64) = (2.0 / 21.0, 1.0 / 21.0_f64.sqrt());
        assert!((score.error.unwrap() - win.hypot(draw)).abs() < 1e-9, "{score:?}");
    }

    #[test]
    fn a_table_comes_by_who_moved_first() {
        let mut table = MatchTable::new(2);
        // Player 1 wins moving first, and draws the other game.
        table.add_pair(1, 0, [GameResult::Win, GameResult::Draw]).unwrap();
        table.add_coloured(0, 1, Tally::new(2, 0, 1)).unwrap();
        let matrix = WinMatrix::from(&table);
        assert_eq!(*matrix.tally(0, 1), Tally::new(2, 1, 1));
        assert_eq!(*matrix.tally(1, 0), Tally::new(1, 0, 0));
    }
}
