//! How much self-play an iteration consists of.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Plies in environments: each plays one game after another, and what is under way when it has spent its plies is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PliesSpec {
    /// Games under way at the same time.
    pub environments: NonZeroU32,
    /// Plies of each environment in an iteration.
    pub each: NonZeroU32,
}

/// How much is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// So many whole games.
    Games(u64),
    /// So many plies in environments.
    Plies(PliesSpec),
}

impl Amount {
    /// Games, or plies of all environments.
    #[must_use]
    pub fn units(&self) -> u64 {
        match self {
            Amount::Games(games) => *games,
            Amount::Plies(PliesSpec { environments, each }) => u64::from(environments.get()) * u64::from(each.get()),
        }
    }

    /// Units that so many games that ended and so many plies are.
    #[must_use]
    pub fn counted(&self, games: u64, plies: u64) -> u64 {
        match self {
            Amount::Games(_) => games,
            Amount::Plies(_) => plies,
        }
    }
}
