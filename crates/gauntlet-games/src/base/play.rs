//! Sides, actions and outcomes of games.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of the two players of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
    #[inline]
    fn from(index: usize) -> Action {
        Action(u32::try_from(index).expect("action spaces have fewer than 2^32 actions"))
    }
}

/// How a finished game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// This side won.
    Win(Side),
    /// A draw.
    Draw,
}

impl Outcome {
    /// Win 1, draw 0, loss -1, from one side's point of view.
    #[must_use]
    #[inline]
    pub fn score(self, side: Side) -> f64 {
        match self {
            Outcome::Draw => 0.0,
            Outcome::Win(winner) if winner == side => 1.0,
            Outcome::Win(_) => -1.0,
        }
    }
}
