//! Played games as pictures want them: who played, what each point of the board is called, and every action.
//!
//! It knows no rules; it is filled in from the records in the store.

use std::collections::BTreeMap;

use crate::base::{Action, BoardPicture, Outcome, Record, Side};

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
    /// The side of every action.
    pub sides: Vec<Side>,
    /// The positions that an exhibit asks for, by their plies.
    pub pictures: BTreeMap<usize, BoardPicture>,
}

impl PlayedGames {
    /// The column and the row of an action, from the top left; nothing where it plays on no point.
    #[must_use]
    pub fn place(&self, action: Action) -> Option<(usize, usize)> {
        let (site, columns) = (action.index(), self.columns.len());
        (site < columns * self.rows.len()).then(|| (site % columns, site / columns))
    }

    /// The name of an action.
    #[must_use]
    pub fn name(&self, action: Action) -> String {
        let name = |(column, row): (usize, usize)| format!("{}{}", self.columns[column], self.rows[row]);
        self.place(action).map_or("pass".to_owned(), name)
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
