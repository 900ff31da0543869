//! Connect Four: discs fall to the lowest free point of a column; the first side with four in a row wins; a full
//! board is a draw.
//!
//! An action is the point where the disc comes to rest, so that every network with an output per point can play. The
//! lead is Gomoku's: the longest own row less the opponent's. The number of positions after each ply is that of J.
//! Tromp (OEIS A212693).

use std::sync::Arc;

use rand::RngExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kit::lines::GridRays;
use super::kit::set_up::stones;
use super::kit::stone_board::StoneBoard;
use super::{GridGame, GridLength, Piece, RowLength, SetUpError, SiteSet, State, View};
use crate::base::{Action, Outcome, Rng, Side};

/// Settings of Connect Four.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ConnectFourSpec {
    /// Rows of the board, 3 to 25. Default: 6.
    pub rows: GridLength,
    /// Columns of the board, 3 to 25. Default: 7.
    pub columns: GridLength,
    /// Discs in a row that win; more win too. 2 to 25. Default: 4.
    pub row: RowLength,
}

impl Default for ConnectFourSpec {
    fn default() -> ConnectFourSpec {
        let length = |value| GridLength::new(value).expect("a length of a grid");
        ConnectFourSpec { rows: length(6), columns: length(7), row: RowLength::new(4).expect("a length of a row") }
    }
}

impl ConnectFourSpec {
    /// The game with these settings.
    #[must_use]
    pub fn build(&self) -> GridGame<ConnectFour> {
        let ([rows, columns], row) = ([self.rows.get(), self.columns.get()], self.row.get());
        let longer = if row == 4 { String::new() } else { format!(" row {row}") };
        let start = ConnectFour::new([rows, columns], self.row);
        GridGame::new(format!("connect-four {rows}x{columns}{longer}"), [rows, columns], start)
            .with_gravity()
            .with_cells()
    }
}

/// A position of Connect Four.
#[derive(Debug, Clone)]
pub struct ConnectFour {
    board: StoneBoard,
    rays: Arc<GridRays>,
    columns: usize,
    row: usize,
    /// The landing point of the next disc in each column that is not full.
    landing: SiteSet,
    /// Length of the longest row, by side.
    longest: [usize; 2],
}

impl ConnectFour {
    /// The empty board with this number of rows and columns, each at most 25.
    #[must_use]
    pub fn new([rows, columns]: [usize; 2], row: RowLength) -> ConnectFour {
        let sites = rows * columns;
        let mut landing = SiteSet::new(sites);
        (sites - columns..sites).for_each(|site| landing.insert(site));
        let (board, rays) = (StoneBoard::new(sites), Arc::new(GridRays::new(rows, columns)));
        ConnectFour { board, rays, columns, row: row.get(), landing, longest: [0; 2] }
    }

    /// Puts a disc on a landing point.
    fn put(&mut self, site: usize, side: Side) {
        let made = self.rays.longest(&self.board.pieces, Piece::stone(side), site);
        self.board.put(site, side);
        self.landing.remove(site);
        if let Some(above) = site.checked_sub(self.columns) {
            self.landing.insert(above);
        }
        self.longest[side.index()] = self.longest[side.index()].max(made);
    }

    fn wins(&self, site: usize) -> bool {
        self.rays.completes(&self.board.pieces, Piece::stone(self.board.side), site, self.row)
    }
}

impl State for ConnectFour {
    fn side(&self) -> Side {
        self.board.side
    }
    fn actions(&self, into: &mut Vec<Action>) {
        if self.board.outcome.is_none() {
            into.extend(self.landing.iter().map(Action::from));
        }
    }
    fn play(&mut self, action: Action) {
        let outcome = self.outcome_after(action);
        self.put(action.index(), self.board.side);
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
    fn set_up(&self, pieces: &[Piece], side: Side) -> Result<ConnectFour, SetUpError> {
        let (sites, row) = (pieces.len(), RowLength::new(self.row as i64).expect("it was one before"));
        let mut position = ConnectFour::new([sites / self.columns, self.columns], row);
        for stone in stones(pieces).rev() {
            let (site, owner) = stone?;
            if !position.landing.contains(site) {
                return Err(SetUpError::Piece { site });
            }
            position.put(site, owner);
        }
        position.board.settle(side, position.longest.map(|longest| longest >= self.row))?;
        Ok(position)
    }
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        if self.wins(action.index()) {
            return Some(Outcome::Win(self.board.side));
        }
        (self.board.free == 1).then_some(Outcome::Draw)
    }
    fn random_action(&self, rng: &mut Rng) -> Action {
        let site = self.landing.nth(rng.random_range(0..self.landing.len()));
        Action::from(site.expect("`len` counts the points"))
    }
    fn decisive(&self, wins: &mut Vec<Action>, _losses: &mut Vec<Action>) {
        if self.board.outcome.is_none() {
            wins.extend(self.landing.iter().filter(|&site| self.wins(site)).map(Action::from));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::games::{Game, GameSpec, Position};

    /// The distinct positions one ply after these.
    fn next(positions: &[Box<dyn Position>]) -> Vec<Box<dyn Position>> {
        let (mut known, mut found) = (HashSet::new(), Vec::new());
        for position in positions {
            let mut actions = Vec::new();
            position.actions(&mut actions);
            for action in actions {
                let mut child = position.fork();
                child.play(action);
                if known.insert(child.key()) {
                    found.push(child);
                }
            }
        }
        found
    }

    #[test]
    fn the_positions_after_each_ply_are_those_of_tromp() {
        let mut positions = vec![ConnectFourSpec::default().build().start()];
        for count in [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184_275] {
            assert_eq!(positions.len(), count);
            positions = next(&positions);
        }
    }

    #[test]
    fn rows_of_four_win_in_every_direction() {
        let game = ConnectFourSpec::default().build();
        let outcome = |points: &str| {
            let mut position = game.start();
            points.split(' ').for_each(|point| position.play(game.read_move(&*position, point).expect(point)));
            position.outcome()
        };
        let first = Some(Outcome::Win(Side::First));
        assert_eq!(outcome("A1 A2 B1 B2 C1 C2 D1"), first);
        assert_eq!(outcome("A1 B1 A2 B2 A3 B3 A4"), first);
        assert_eq!(outcome("A1 B1 B2 C1 C2 D1 C3 D2 D3 G1 D4"), first);
        assert_eq!(outcome("A1 A2 B1 B2 C1 C2"), None);
        assert!(game.read_move(&*game.start(), "A2").is_none(), "nothing carries it");
    }

    #[test]
    fn discs_of_a_position_stand_on_others() {
        let game =
            serde_json::from_str::<GameSpec>(r#"{"connect-four":{"rows":3,"columns":4,"row":3}}"#).unwrap().build();
        assert_eq!(game.name(), "connect-four 3x4 row 3");
        let outcome = |text: &str| game.read_position(text).map(|position| position.outcome());
        assert_eq!(outcome("4/1x2/1o2 x"), Ok(None));
        assert_eq!(outcome("4/1x2/2o1 x"), Err(SetUpError::Piece { site: 5 }));
        assert_eq!(outcome("4/4/xxxo o"), Ok(Some(Outcome::Win(Side::First))));
        assert_eq!(outcome("xoxo/xoxo/oxox x"), Ok(Some(Outcome::Draw)));
    }
}
