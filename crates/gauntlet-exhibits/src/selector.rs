//! The selection of single games and positions for an exhibit.

use std::fmt;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

/// The winner's name in a drawn game.
pub const DRAW: &str = "draw";

/// Selects one game: among the matching games, in the order of playing, the one with this number.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GameSelector {
    /// Label of the game, if the stage has such an axis. Default: any.
    pub game: Option<String>,
    /// The player who moves first. Default: any.
    pub black: Option<String>,
    /// The player who moves second. Default: any.
    pub white: Option<String>,
    /// The player who won, or `draw`. Default: any result.
    pub winner: Option<String>,
    /// Number of the game among the matching ones, from 1.
    #[serde(default = "first")]
    pub number: NonZeroU32,
    /// Number of its plies that are shown; negative numbers count from the end, -1 for all. Default: all in `boards`,
    /// none (the start) in `positions`.
    pub ply: Option<i64>,
    /// The content of a diagram in `positions`. Default: the pieces on the board.
    #[serde(default)]
    pub view: PositionView,
}

/// The content of a diagram of a position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PositionView {
    /// The pieces on the board.
    #[default]
    Board,
    /// The numbers of its sites.
    Sites,
    /// The cells of the sites in the tensor of a state, by their numbers (Soemers et al. 2021, Figure 5).
    Tensor,
    /// The planes of the moves in the tensor of actions, by their distances (Soemers et al. 2021, Figure 6).
    Moves,
}

impl GameSelector {
    /// Whether a game matches, by the name of the game, its players in the order of their moves, and its winner.
    #[must_use]
    pub fn fits(&self, game: &str, players: [&str; 2], winner: &str) -> bool {
        let is = |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
        let by = is(&self.black, players[0]) && is(&self.white, players[1]);
        is(&self.game, game) && by && is(&self.winner, winner)
    }

    /// The number of a game's plies that are shown.
    #[must_use]
    pub fn plies(&self, default: i64, of: usize) -> usize {
        let ply = self.ply.unwrap_or(default);
        let plies = if ply < 0 { ply + 1 + of as i64 } else { ply };
        plies.clamp(0, of as i64) as usize
    }
}

fn first() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// The selection for a note: `black A, white B, winner A`.
impl fmt::Display for GameSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [("game", &self.game), ("black", &self.black), ("white", &self.white), ("winner", &self.winner)];
        let named = named.into_iter().filter_map(|(what, name)| Some(format!("{what} {}", name.as_ref()?)));
        let words: Vec<String> = named.chain([format!("number {}", self.number)]).collect();
        f.write_str(&words.join(", "))
    }
}
