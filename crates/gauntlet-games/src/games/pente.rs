//! Pente: like Gomoku, but a pair of stones between two of the opponent's is captured; five in a row or five pairs
//! win.
//!
//! Schaul and Schmidhuber 2009, section 3.1. Only the side that moves captures: a pair placed between two stones
//! stays. The winning stone ends the game before it captures, as in the authors' library (PyBrain 0.3). That library
//! puts a white stone on the centre before black moves, and declares a draw when moves done = cells + 2 x captured
//! pairs: with the centre's stone counted as a move that is a full board, the paper's rule.
//!
//! The lead is the number of own captured pairs less the opponent's.
//!
//! Sites that win or capture are marked as they arise. A capture may invalidate a mark, so marks are verified on use.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kit::lines::{GridRays, opposite};
use super::kit::stone_board::StoneBoard;
use super::{BoardSize, GridGame, Piece, SiteSet, State, View};
use crate::base::{Action, Outcome, Rng, Side};

/// Stones in a row that win.
const ROW: usize = 5;
/// Captured pairs that win.
const PAIRS: usize = 5;

/// Settings of Pente.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PenteSpec {
    /// Points along one side of the board, 5 to 25.
    pub size: BoardSize,
    /// The initial position. Default: as in the authors' code.
    #[serde(default)]
    pub rules: PenteRules,
}

/// The initial position of Pente.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PenteRules {
    /// A stone of the second side stands on the centre before the first side moves, as in the authors' code.
    #[default]
    Authors,
    /// The board is empty, as in the paper's text.
    Paper,
}

impl PenteSpec {
    /// The game with these settings.
    #[must_use]
    pub fn build(&self) -> GridGame<Pente> {
        let size = self.size.get();
        let rules = if self.rules == PenteRules::Paper { " paper" } else { "" };
        GridGame::new(format!("pente {size}x{size}{rules}"), [size, size], Pente::new(self.size, self.rules))
    }
}

/// A position of Pente. Its view's scalars are the pairs captured, the first side's before the second's.
#[derive(Debug, Clone)]
pub struct Pente {
    board: StoneBoard,
    rays: Arc<GridRays>,
    pairs: [usize; 2],
    /// By side: a superset of the empty sites where a stone would make five in a row.
    rows: [SiteSet; 2],
    /// By side: a superset of the empty sites where a stone would capture.
    captures: [SiteSet; 2],
}

impl Pente {
    /// The starting position.
    #[must_use]
    pub fn new(size: BoardSize, rules: PenteRules) -> Pente {
        let size = size.get();
        let none = || [SiteSet::new(size * size), SiteSet::new(size * size)];
        let mut board = StoneBoard::new(size * size);
        if rules == PenteRules::Authors {
            board.put(size / 2 * size + size / 2, Side::Second);
        }
        Pente { board, rays: Arc::new(GridRays::new(size, size)), pairs: [0; 2], rows: none(), captures: none() }
    }

    /// The piece at a distance; the border piece off the board.
    fn piece(&self, from: usize, direction: usize, distance: usize) -> Piece {
        self.rays.at(from, direction, distance).map_or(StoneBoard::BORDER, |site| self.board.pieces[site])
    }

    /// Whether a stone of `side` on `site` captures the pair beside it in this direction.
    fn takes(&self, site: usize, side: Side, direction: usize) -> bool {
        let (own, other) = (Piece::stone(side), Piece::stone(side.opponent()));
        self.piece(site, direction, 1) == other
            && self.piece(site, direction, 2) == other
            && self.piece(site, direction, 3) == own
    }

    /// Pairs that a stone of `side` on `site` captures.
    fn pairs_taken(&self, site: usize, side: Side) -> usize {
        (0..8).filter(|&direction| self.takes(site, side, direction)).count()
    }

    fn makes_row(&self, site: usize, side: Side) -> bool {
        self.rays.completes(&self.board.pieces, Piece::stone(side), site, ROW)
    }

    /// Removes the stones that the new stone on `site` captures, and counts them.
    fn capture(&mut self, site: usize, side: Side) {
        for direction in 0..8 {
            if self.takes(site, side, direction) {
                let pair = [1, 2].map(|distance| self.rays.at(site, direction, distance));
                pair.into_iter().flatten().for_each(|stone| self.board.lift(stone));
                self.pairs[side.index()] += 1;
                pair.into_iter().flatten().for_each(|stone| self.note_freed(stone));
            }
        }
    }

    /// Updates the marks of a site that has just become empty.
    fn note_freed(&mut self, site: usize) {
        for side in Side::BOTH {
            if self.makes_row(site, side) {
                self.rows[side.index()].insert(site);
            }
            if self.pairs_taken(site, side) > 0 {
                self.captures[side.index()].insert(site);
            }
        }
    }

    /// Marks the rows and captures that the new stone on `site` enables, for either side.
    fn note_put(&mut self, site: usize, side: Side) {
        for sites in self.rows.iter_mut().chain(&mut self.captures) {
            sites.remove(site);
        }
        let own = &mut self.rows[side.index()];
        self.rays.completions(&self.board.pieces, site, ROW, |end| own.insert(end));
        for direction in 0..8 {
            self.note_pair(site, side, direction);
        }
    }

    /// Marks the captures in one direction: of a pair beyond the new stone, or of the pair that includes it.
    fn note_pair(&mut self, site: usize, side: Side, direction: usize) {
        let (own, other) = (Piece::stone(side), Piece::stone(side.opponent()));
        let next = self.piece(site, direction, 1);
        if next == other && self.piece(site, direction, 2) == other {
            self.note_capture(site, direction, 3, side);
        } else if next == own {
            if self.piece(site, opposite(direction), 1) == other {
                self.note_capture(site, direction, 2, side.opponent());
            }
            if self.piece(site, direction, 2) == other {
                self.note_capture(site, opposite(direction), 1, side.opponent());
            }
        }
    }

    fn note_capture(&mut self, from: usize, direction: usize, distance: usize, side: Side) {
        if let Some(site) = self.rays.at(from, direction, distance).filter(|&site| self.board.pieces[site].is_empty()) {
            self.captures[side.index()].insert(site);
        }
    }
}

impl State for Pente {
    fn side(&self) -> Side {
        self.board.side
    }
    fn actions(&self, into: &mut Vec<Action>) {
        self.board.actions(into);
    }
    fn play(&mut self, action: Action) {
        let (site, side) = (action.index(), self.board.side);
        let outcome = self.outcome_after(action);
        let captures = outcome.is_none() && self.captures[side.index()].contains(site);
        self.board.put(site, side);
        if captures {
            self.capture(site, side);
        }
        self.note_put(site, side);
        self.board.end_turn(action, outcome);
    }
    fn outcome(&self) -> Option<Outcome> {
        self.board.outcome
    }
    fn view(&self, view: &mut View) {
        self.board.view(&self.pairs.map(|pairs| pairs as f32), view);
    }
    fn key(&self) -> u128 {
        let mut mixer = self.board.mix();
        self.pairs.iter().for_each(|&pairs| mixer.word(pairs as u64));
        mixer.finish()
    }
    fn has_history(&self) -> bool {
        false
    }
    /// Pairs captured more than the opponent.
    fn lead(&self, side: Side) -> Option<f64> {
        Some(self.pairs[side.index()] as f64 - self.pairs[side.opponent().index()] as f64)
    }
    fn lead_after(&self, action: Action) -> Option<f64> {
        let (site, side) = (action.index(), self.board.side);
        // A stone that ends the game does not capture.
        let takes = self.captures[side.index()].contains(site) && self.outcome_after(action).is_none();
        let taken = if takes { self.pairs_taken(site, side) } else { 0 };
        self.lead(side).map(|lead| lead + taken as f64)
    }
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        let (site, side) = (action.index(), self.board.side);
        if self.rows[side.index()].contains(site) && self.makes_row(site, side) {
            return Some(Outcome::Win(side));
        }
        let noted = self.captures[side.index()].contains(site);
        let taken = if noted { self.pairs_taken(site, side) } else { 0 };
        if self.pairs[side.index()] + taken >= PAIRS {
            return Some(Outcome::Win(side));
        }
        (self.board.free == 1 && taken == 0).then_some(Outcome::Draw)
    }
    fn random_action(&self, rng: &mut Rng) -> Action {
        self.board.random_action(rng)
    }
    fn decisive(&self, wins: &mut Vec<Action>, _losses: &mut Vec<Action>) {
        if self.board.outcome.is_some() {
            return;
        }
        let side = self.board.side;
        let mut noted = self.rows[side.index()].clone();
        noted.extend(&self.captures[side.index()]);
        let winning = |&action: &Action| self.outcome_after(action) == Some(Outcome::Win(side));
        wins.extend(noted.iter().map(Action::from).filter(winning));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Game;

    fn after(points: &str) -> Pente {
        let spec = PenteSpec { size: BoardSize::new(7).unwrap(), rules: PenteRules::Paper };
        let (game, mut state) = (spec.build(), Pente::new(spec.size, spec.rules));
        for point in points.split_whitespace() {
            assert_eq!(State::outcome(&state), None, "before {point}");
            State::play(&mut state, game.parse_action(point).unwrap());
        }
        state
    }

    #[test]
    fn a_pair_between_two_stones_is_taken_off() {
        let state = after("A1 B1 G7 C1 D1");
        assert_eq!(state.pairs, [1, 0]);
        assert_eq!(state.board.free, 49 - 3);
        // Moving between two opposing stones is safe, and so are three stones in a row.
        assert_eq!(after("B1 A1 C1 G7 A7 D1").pairs, [0, 1]);
        assert_eq!(after("A1 B1 D1 C1 G7").pairs, [0, 0]);
        assert_eq!(after("A1 B1 G7 C1 G6 D1 E1").pairs, [0, 0]);
    }

    #[test]
    fn one_stone_takes_several_pairs() {
        let state = after("A1 B1 A4 C1 A7 B4 G7 C4 G6 D3 G4 D2 D1");
        assert_eq!(state.pairs, [1, 0]);
        assert_eq!(after("A1 B1 D4 C1 G7 D2 G6 D3 D1").pairs, [2, 0]);
    }

    /// The marks are complete, so that checking marks alone is sufficient.
    #[test]
    fn no_row_or_capture_goes_unnoted() {
        for (size, games) in [(5, 60), (9, 20), (25, 1)] {
            let mut rng = crate::base::Seed::new(size as u64).rng();
            for _ in 0..games {
                let mut state = Pente::new(BoardSize::new(size).unwrap(), PenteRules::Authors);
                while State::outcome(&state).is_none() {
                    for (site, side) in state.board.empty.iter().flat_map(|site| Side::BOTH.map(|side| (site, side))) {
                        assert!(state.rows[side.index()].contains(site) || !state.makes_row(site, side));
                        assert!(state.captures[side.index()].contains(site) || state.pairs_taken(site, side) == 0);
                    }
                    let action = State::random_action(&state, &mut rng);
                    State::play(&mut state, action);
                }
            }
        }
    }

    #[test]
    fn the_authors_put_a_stone_on_the_centre() {
        let start = Pente::new(BoardSize::new(7).unwrap(), PenteRules::Authors);
        assert_eq!(start.board.pieces[24], Piece::stone(Side::Second));
        assert_eq!(start.board.free, 48);
        assert_eq!(State::side(&start), Side::First);
    }
}
