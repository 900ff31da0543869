//! Gomoku: the first side with five or more stones in a row wins; a full board is a draw.
//!
//! Schaul and Schmidhuber 2009, section 3.1 (there "Go-Moku"), and freestyle gomoku elsewhere. Stones never move, so
//! a site that wins for a side does so until it is occupied. Each side's winning sites are stored, and a move only
//! checks the ends of its own rows.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kit::lines::GridRays;
use super::kit::set_up::stones;
use super::kit::stone_board::StoneBoard;
use super::{BoardSize, GridGame, Piece, RowLength, SetUpError, SiteSet, State, View};
use crate::base::{Action, Outcome, Rng, Side};

/// Settings of Gomoku.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GomokuSpec {
    /// Points along one side of the board, 5 to 25.
    pub size: BoardSize,
    /// Stones in a row that win; more win too. 2 to 25. Default: 5.
    #[serde(default)]
    pub row: RowLength,
    /// Whether a longer row does not win. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
}

impl GomokuSpec {
    /// The game with these settings.
    #[must_use]
    pub fn build(&self) -> GridGame<Gomoku> {
        let size = self.size.get();
        let row = if self.row == RowLength::default() { String::new() } else { format!(" row {}", self.row.get()) };
        let exact = if self.exact { " exact" } else { "" };
        let start = Gomoku { exact: self.exact, ..Gomoku::new([size, size], self.row) };
        GridGame::new(format!("gomoku {size}x{size}{row}{exact}"), [size, size], start)
    }
}

/// A position of Gomoku.
#[derive(Debug, Clone)]
pub struct Gomoku {
    board: StoneBoard,
    rays: Arc<GridRays>,
    row: usize,
    /// Whether only rows of exactly that length win.
    exact: bool,
    /// By side: the empty sites where a stone would make a winning row.
    winning: [SiteSet; 2],
    /// Length of the longest row, by side.
    longest: [usize; 2],
}

impl Gomoku {
    /// The empty board with this number of rows and columns, each at most 25.
    #[must_use]
    pub fn new([rows, columns]: [usize; 2], row: RowLength) -> Gomoku {
        let sites = rows * columns;
        let (none, rays) = (SiteSet::new(sites), Arc::new(GridRays::new(rows, columns)));
        let winning = [none.clone(), none];
        Gomoku { board: StoneBoard::new(sites), rays, row: row.get(), exact: false, winning, longest: [0; 2] }
    }

    /// Stones in a row that win.
    #[must_use]
    pub fn row(&self) -> usize {
        self.row
    }

    /// Whether a stone of a side wins on this site.
    #[inline]
    fn wins(&self, site: usize, side: Side) -> bool {
        self.winning[side.index()].contains(site)
            && (!self.exact || self.rays.makes(&self.board.pieces, Piece::stone(side), site, self.row))
    }

    /// Whether a side has a winning row.
    fn has_won(&self, side: Side) -> bool {
        let stone = Piece::stone(side);
        let stones = || (0..self.board.stones().len()).filter(|&site| self.board.pieces[site] == stone);
        match self.exact {
            false => self.longest[side.index()] >= self.row,
            true => stones().any(|site| self.rays.makes(&self.board.pieces, stone, site, self.row)),
        }
    }

    /// Puts a stone on an empty site and updates winning sites and longest rows.
    #[inline]
    fn put(&mut self, site: usize, side: Side) {
        self.board.put(site, side);
        self.winning.iter_mut().for_each(|sites| sites.remove(site));
        let own = &mut self.winning[side.index()];
        let longest = self.rays.completions(&self.board.pieces, site, self.row, |end| own.insert(end));
        self.longest[side.index()] = self.longest[side.index()].max(longest);
    }
}

impl State for Gomoku {
    fn side(&self) -> Side {
        self.board.side
    }
    fn actions(&self, into: &mut Vec<Action>) {
        self.board.actions(into);
    }
    fn play(&mut self, action: Action) {
        let (site, side) = (action.index(), self.board.side);
        let outcome = self.outcome_after(action);
        self.put(site, side);
        self.board.end_turn(action, outcome);
    }
    fn outcome(&self) -> Option<Outcome> {
        self.board.outcome
    }
    fn view(&self, view: &mut View) {
        self.board.view(&[], view);
    }
    fn key(&self) -> u128 {
        self.board.mix().finish()
    }
    fn has_history(&self) -> bool {
        false
    }
    fn lead(&self, side: Side) -> Option<f64> {
        Some(self.longest[side.index()] as f64 - self.longest[side.opponent().index()] as f64)
    }
    fn lead_after(&self, action: Action) -> Option<f64> {
        let side = self.board.side;
        let made = self.rays.longest(&self.board.pieces, Piece::stone(side), action.index());
        let own = self.longest[side.index()].max(made);
        Some(own as f64 - self.longest[side.opponent().index()] as f64)
    }
    fn set_up(&self, pieces: &[Piece], side: Side) -> Result<Gomoku, SetUpError> {
        let (sites, none) = (pieces.len(), SiteSet::new(pieces.len()));
        let winning = [none.clone(), none];
        let mut gomoku = Gomoku { board: StoneBoard::new(sites), winning, longest: [0; 2], ..self.clone() };
        for stone in stones(pieces) {
            let (site, owner) = stone?;
            gomoku.put(site, owner);
        }
        let won = Side::BOTH.map(|side| gomoku.has_won(side));
        gomoku.board.settle(side, won)?;
        Ok(gomoku)
    }
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        let side = self.board.side;
        if self.wins(action.index(), side) {
            return Some(Outcome::Win(side));
        }
        (self.board.free == 1).then_some(Outcome::Draw)
    }
    fn random_action(&self, rng: &mut Rng) -> Action {
        self.board.random_action(rng)
    }
    fn decisive(&self, wins: &mut Vec<Action>, _losses: &mut Vec<Action>) {
        if self.board.outcome.is_none() {
            let side = self.board.side;
            let sites = self.winning[side.index()].iter();
            wins.extend(sites.filter(|&site| !self.exact || self.wins(site, side)).map(Action::from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Game;

    fn outcome_of(row: i64, points: &str) -> Option<Outcome> {
        ending(GomokuSpec { size: BoardSize::new(7).unwrap(), row: RowLength::new(row).unwrap(), exact: false }, points)
    }

    fn ending(spec: GomokuSpec, points: &str) -> Option<Outcome> {
        let (game, mut state) = (spec.build(), Gomoku { exact: spec.exact, ..Gomoku::new([7, 7], spec.row) });
        for point in points.split_whitespace() {
            assert_eq!(State::outcome(&state), None, "before {point}");
            State::play(&mut state, game.parse_action(point).unwrap());
        }
        State::outcome(&state)
    }

    #[test]
    fn an_exact_row_wins_and_a_longer_one_does_not() {
        let spec = GomokuSpec { size: BoardSize::new(7).unwrap(), row: RowLength::default(), exact: true };
        let six = "A1 A7 B1 B7 C1 C7 E1 E7 F1 F7 D1";
        assert_eq!(ending(spec, six), None);
        // The vertical five wins, whatever the row across is.
        let five = "A1 A7 B1 B7 C1 C7 E1 E7 F1 F7 D2 G7 D3 G6 D4 G5 D5 G3 D1";
        assert_eq!(ending(spec, five), Some(Outcome::Win(Side::First)));
    }

    #[test]
    fn five_or_more_in_any_direction_win() {
        let first = Some(Outcome::Win(Side::First));
        assert_eq!(outcome_of(5, "A1 A7 B2 B7 D4 C7 E5 D7 C3"), first);
        assert_eq!(outcome_of(5, "G1 A7 F2 B7 E3 C7 D4 D7 C5"), first);
        assert_eq!(outcome_of(5, "A1 A7 B1 B7 C1 C7 E1 E7 F1 F7 D1"), first);
        assert_eq!(outcome_of(5, "A1 A7 B1 B7 C1 C7 D1 D7"), None);
    }

    /// The longest row of this piece on the board, computed step by step.
    fn longest(pieces: &[Piece], piece: Piece, size: isize) -> usize {
        let at = |row: isize, column: isize| {
            let inside = (0..size).contains(&row) && (0..size).contains(&column);
            inside && pieces[(row * size + column) as usize] == piece
        };
        let from = |row, column, (down, right)| {
            (0isize..).take_while(|&steps| at(row + steps * down, column + steps * right)).count()
        };
        let sites = (0..size * size).map(|site| (site / size, site % size));
        let rows = sites
            .flat_map(|(row, column)| [(0, 1), (1, 0), (1, 1), (1, -1)].map(|direction| from(row, column, direction)));
        rows.max().unwrap_or(0)
    }

    #[test]
    fn the_fast_rules_are_the_plain_ones() {
        for (size, row, games) in [(5, 5, 20), (6, 3, 20), (10, 4, 5), (25, 5, 1)] {
            let mut rng = crate::base::Seed::new(row as u64).rng();
            for _ in 0..games {
                let mut state = Gomoku::new([size as usize; 2], RowLength::new(row).unwrap());
                while State::outcome(&state).is_none() {
                    let side = State::side(&state);
                    let again = state.set_up(state.board.stones(), side).unwrap();
                    assert_eq!(again.longest, state.longest);
                    for site in state.board.empty.iter() {
                        let mut pieces = state.board.pieces.clone();
                        pieces[site] = Piece::stone(side);
                        let wins = longest(&pieces, Piece::stone(side), size as isize) >= row as usize;
                        let full = (state.board.free == 1).then_some(Outcome::Draw);
                        let plain = if wins { Some(Outcome::Win(side)) } else { full };
                        assert_eq!(State::outcome_after(&state, Action::from(site)), plain);
                        assert_eq!(State::outcome_after(&again, Action::from(site)), plain, "set up");
                    }
                    let action = State::random_action(&state, &mut rng);
                    State::play(&mut state, action);
                }
            }
        }
    }

    #[test]
    fn a_position_that_is_set_up_may_be_over() {
        let game =
            GomokuSpec { size: BoardSize::new(5).unwrap(), row: RowLength::new(3).unwrap(), exact: false }.build();
        let outcome = |text: &str| game.read_position(text).map(|position| position.outcome());
        assert_eq!(outcome("xx3/5/5/5/4o x"), Ok(None));
        assert_eq!(outcome("xxx2/5/5/5/4o o"), Ok(Some(Outcome::Win(Side::First))));
        assert_eq!(outcome("xxx2/5/5/5/2ooo o"), Err(SetUpError::BothWon));
        assert_eq!(outcome("xxooxooxxoxxooxooxxoxxoox x"), Ok(Some(Outcome::Draw)));
    }

    #[test]
    fn the_row_is_a_setting() {
        assert_eq!(outcome_of(3, "A1 A7 A2 B7 A3"), Some(Outcome::Win(Side::First)));
        assert_eq!(outcome_of(2, "A1 G7 B2"), Some(Outcome::Win(Side::First)));
    }
}
