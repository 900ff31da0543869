//! Played games as pictures want them: who played, what each point of the board is called, and every move.
//!
//! It knows no rules; it is filled in from the records in the store.

use std::collections::BTreeMap;

use super::selector::PositionView;
use gauntlet_games::base::{BoardPicture, Outcome, Record, Side};

/// The games of one job, all on one board.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedGames {
    /// Names of the players; records name them by their index.
    pub players: Vec<String>,
    /// Names of the board's columns, from left to right.
    pub columns: Vec<String>,
    /// Names of its rows, from top to bottom. Site `row * columns + column` is called by both names.
    pub rows: Vec<String>,
    /// The games.
    pub games: Vec<Drawn>,
}

/// One game with what its rules say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The game.
    pub record: Record,
    /// The stones that stand before the first move, by site.
    pub start: Vec<(usize, Side)>,
    /// Every action.
    pub moves: Vec<DrawnMove>,
    /// The positions that an exhibit asks for, by their plies and what is shown of them.
    pub pictures: BTreeMap<(usize, PositionView), BoardPicture>,
}

/// An action with what the rules say of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnMove {
    /// Who played it.
    pub side: Side,
    /// As people write it in its position.
    pub name: String,
    /// The site where it ends, if it has one.
    pub site: Option<usize>,
}

impl PlayedGames {
    /// The column and the row of a site, from the top left.
    #[must_use]
    pub fn place(&self, site: usize) -> (usize, usize) {
        (site % self.columns.len(), site / self.columns.len())
    }

    /// Who won a game, by name; nothing for a draw.
    #[must_use]
    pub fn winner(&self, record: &Record) -> Option<&str> {
        match record.outcome {
            Outcome::Win(side) => Some(&self.players[record.players[side.index()]]),
            Outcome::Draw => None,
        }
    }
}
