//! Who plays, what is played, and how it ended.

use serde::{Deserialize, Serialize};

/// One of the two players of a game: the one who moves first, or the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Moves first ("black" in stone games, "white" in chess).
    First,
    /// Moves second.
    Second,
}

impl Side {
    /// Both sides, in the order of play.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The other side.
    #[must_use]
    #[inline]
    pub fn opponent(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first side, 1 for the second.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A move, as an index into the game's action space `0..Game::action_count()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Action(pub u32);

impl Action {
    /// The action's index.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for Action {
    fn from(index: usize) -> Action {
        Action(u32::try_from(index).expect("action spaces have fewer than 2^32 actions"))
    }
}

/// How a finished game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// This side won.
    Win(Side),
    /// Nobody won.
    Draw,
}

impl Outcome {
    /// Win 1, draw 0, loss -1, from one side's point of view.
    #[must_use]
    pub fn score(self, side: Side) -> f64 {
        match self {
            Outcome::Draw => 0.0,
            Outcome::Win(winner) if winner == side => 1.0,
            Outcome::Win(_) => -1.0,
        }
    }
}

/// One played game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Index of the game within its match.
    pub game: usize,
    /// Player indices, first side first.
    pub players: [usize; 2],
    /// Every action played, in order, the opening's included.
    pub actions: Vec<Action>,
    /// How many of the actions were given by an opening and chosen by neither player.
    #[serde(default)]
    pub opening: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether it was called a draw at a limit of plies before the rules had ended it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adjudicated: bool,
}

impl Record {
    /// Win 1, draw 0, loss -1, from the point of view of player `player` (an index as in `players`).
    #[must_use]
    pub fn score(&self, player: usize) -> f64 {
        let side = if self.players[0] == player { Side::First } else { Side::Second };
        self.outcome.score(side)
    }
}
