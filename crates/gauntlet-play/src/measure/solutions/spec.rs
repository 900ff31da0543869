//! The settings of a set of solved positions.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arena::OpeningsSpec;
use gauntlet_games::base::bounded;
use gauntlet_games::games::GameSpec;

/// Solves a set of positions exactly. `measure.optimal` does it by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SolutionsJob {
    /// The game.
    pub game: GameSpec,
    /// Positions in the set, 1 to 100,000. It has fewer if a game has fewer: at most 20 times as many are drawn. Default:
    /// 200.
    #[serde(default = "usual_positions", with = "Positions")]
    pub positions: u32,
    /// Random plies from the start, or from an opening, to a position, 0 to 1000. The fewer, the harder a position is to
    /// solve.
    #[serde(with = "Plies")]
    pub plies: u32,
    /// The most random plies; a position takes a random number from `plies` to this one. Default: `plies`.
    #[serde(default, with = "Plies", skip_serializing_if = "Option::is_none")]
    pub most_plies: Option<u32>,
    /// Openings before the random plies: a position takes one at random. Default: the start.
    #[serde(default, skip_serializing_if = "is_start")]
    pub openings: OpeningsSpec,
    /// Nodes of the solver for each position, 1 to 1,000,000,000. Positions that need more are left out and counted. Default:
    /// 10,000,000.
    #[serde(default = "usual_nodes", with = "Nodes")]
    pub nodes: u32,
    /// The number of the set: another one has other positions. Default: 1.
    #[serde(default = "usual_set")]
    pub set: NonZeroU64,
}

bounded! {
    /// Positions of a set.
    Positions: u32 from 1 to 100_000, "{value} positions: a set has from {range}"
}
bounded! {
    /// Random plies.
    Plies: u32 from 0 to 1000, "{value} plies are outside {range}"
}
bounded! {
    /// Nodes of a solver.
    Nodes: u32 from 1 to 1_000_000_000, "{value} nodes: a solver takes from {range}"
}

pub fn usual_positions() -> u32 {
    200
}

pub fn usual_nodes() -> u32 {
    10_000_000
}

pub fn usual_set() -> NonZeroU64 {
    NonZeroU64::MIN
}

/// Whether positions come from the start of the game alone.
pub fn is_start(openings: &OpeningsSpec) -> bool {
    *openings == OpeningsSpec::None
}

impl SolutionsJob {
    /// The most random plies of a position.
    pub fn deepest(&self) -> u32 {
        self.most_plies.unwrap_or(self.plies)
    }
}
