//! Results of games as files of tournaments tell them: of games that were played, of wins without play, and of games
//! that give no result of two players. One file reads the words of each format.

use crate::base::{Outcome, Side};

/// The result of a game in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatedResult {
    /// The game was played.
    Played(Outcome),
    /// The game was decided without play: by a forfeit, or without a move.
    Unplayed(Outcome),
    /// The game has no result that a rating could use.
    LeftOut(LeftOut),
}

/// The reason why a game has no result that a rating could use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// It did not end, or its result is unknown.
    Unfinished,
    /// It was not played.
    Unplayed,
    /// Both players lost.
    DoubleLoss,
    /// Both players won.
    DoubleWin,
    /// One player got half a point, the other one nothing.
    Uneven,
    /// It was declared void.
    Void,
}

impl LeftOut {
    /// The property of such games, for a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LeftOut::Unfinished => "unfinished",
            LeftOut::Unplayed => "not played",
            LeftOut::DoubleLoss => "lost by both players",
            LeftOut::DoubleWin => "won by both players",
            LeftOut::Uneven => "with half a point for one player and none for the other",
            LeftOut::Void => "void",
        }
    }
}

impl StatedResult {
    /// The outcome, if there is one.
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            StatedResult::Played(outcome) | StatedResult::Unplayed(outcome) => Some(outcome),
            StatedResult::LeftOut(_) => None,
        }
    }

    /// The same result of a game without play.
    #[must_use]
    pub fn without_play(self) -> StatedResult {
        match self {
            StatedResult::Played(outcome) => StatedResult::Unplayed(outcome),
            stated => stated,
        }
    }

    /// The result of points, 0, 1 or 2 halves for each side. None for points that no two players get.
    pub(super) fn of_halves(halves: [u8; 2]) -> Option<StatedResult> {
        Some(match halves {
            [2, 0] => StatedResult::Played(Outcome::Win(Side::First)),
            [0, 2] => StatedResult::Played(Outcome::Win(Side::Second)),
            [1, 1] => StatedResult::Played(Outcome::Draw),
            [0, 0] => StatedResult::LeftOut(LeftOut::DoubleLoss),
            [2, 2] => StatedResult::LeftOut(LeftOut::DoubleWin),
            [1, 0] | [0, 1] => StatedResult::LeftOut(LeftOut::Uneven),
            _ => return None,
        })
    }
}
