//! The amount of self-play in an iteration.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Plies in environments: each plays one game after another, and its last game is cut off when its plies are spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PliesSpec {
    /// Games under way at the same time.
    pub environments: NonZeroU32,
    /// Plies of each environment in an iteration.
    pub each: NonZeroU32,
}

/// The amount of self-play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Number of whole games.
    Games(u64),
    /// Number of plies in environments.
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

    /// The units in this number of finished games or plies.
    #[must_use]
    pub fn counted(&self, games: u64, plies: u64) -> u64 {
        match self {
            Amount::Games(_) => games,
            Amount::Plies(_) => plies,
        }
    }
}
