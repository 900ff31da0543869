//! The m,n,k-game: `k` or more stones in a row win on a board of any small size; a full board is a draw.
//!
//! Gomoku's rules on boards that are rectangular or smaller. Three rows, three columns and a row of three are
//! tic-tac-toe.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Gomoku, GridGame, GridLength, RowLength};

/// Settings of the m,n,k-game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MnkSpec {
    /// Rows of the board, 3 to 25.
    pub rows: GridLength,
    /// Columns of the board, 3 to 25.
    pub columns: GridLength,
    /// Stones in a row that win; more win too. 2 to 25; if no such row fits on the board, every game is a draw.
    pub row: RowLength,
}

impl MnkSpec {
    /// The game with these settings.
    #[must_use]
    pub fn build(&self) -> GridGame<Gomoku> {
        let (board, row) = ([self.rows.get(), self.columns.get()], self.row.get());
        GridGame::new(format!("mnk {}x{} row {row}", board[0], board[1]), board, Gomoku::new(board, self.row))
            .with_cells()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Outcome, Side};
    use crate::games::Game;

    fn outcome_of([rows, columns]: [i64; 2], row: i64, points: &str) -> Option<Outcome> {
        let (rows, columns) = (GridLength::new(rows).unwrap(), GridLength::new(columns).unwrap());
        let game = MnkSpec { rows, columns, row: RowLength::new(row).unwrap() }.build();
        let mut position = game.start();
        points.split(' ').for_each(|point| position.play(game.parse_action(point).unwrap()));
        position.outcome()
    }

    #[test]
    fn tic_tac_toe_is_won_and_drawn() {
        assert_eq!(outcome_of([3, 3], 3, "B2 A1 C1 A2 A3"), Some(Outcome::Win(Side::First)));
        assert_eq!(outcome_of([3, 3], 3, "B2 A1 A2 C2 B1 B3 C1 A3 C3"), Some(Outcome::Draw));
    }

    #[test]
    fn rows_end_where_the_board_does() {
        assert_eq!(outcome_of([3, 5], 4, "A1 A2 B1 B2 C1 C2 D1"), Some(Outcome::Win(Side::First)));
        // Four consecutive site indices that wrap around the edge.
        assert_eq!(outcome_of([3, 5], 4, "D3 A1 E3 B1 A2 C1 B2"), None);
    }
}
