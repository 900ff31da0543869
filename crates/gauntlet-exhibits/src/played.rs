//! Played games for pictures: the players, the names of the points of the board, and all moves.
//!
//! This module knows no rules; its data come from the records in the store.

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
    /// Names of its rows, from top to bottom. The name of site `row * columns + column` is composed of both names.
    pub rows: Vec<String>,
    /// The games.
    pub games: Vec<Drawn>,
}

/// One game with the data that its rules derive.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The game.
    pub record: Record,
    /// The stones on the board before the first move, by site.
    pub start: Vec<(usize, Side)>,
    /// Every action.
    pub moves: Vec<DrawnMove>,
    /// The positions that an exhibit requests, by ply and view.
    pub pictures: BTreeMap<(usize, PositionView), BoardPicture>,
}

/// An action with the data that the rules derive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnMove {
    /// The side that played it.
    pub side: Side,
    /// The usual notation of the move in its position.
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

    /// The name of a game's winner; `None` for a draw.
    #[must_use]
    pub fn winner(&self, record: &Record) -> Option<&str> {
        match record.outcome {
            Outcome::Win(side) => Some(&self.players[record.players[side.index()]]),
            Outcome::Draw => None,
        }
    }
}
