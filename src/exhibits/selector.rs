//! Which single games and positions an exhibit shows.

use std::fmt;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

/// What a winner is called where there is none.
pub const DRAW: &str = "draw";

/// Selects one game: of those that fit, in the order of playing, the one with this number.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GameSelector {
    /// Which game it is, where the stage has an axis of this name; any when absent.
    pub game: Option<String>,
    /// The player who moves first; any when absent.
    pub black: Option<String>,
    /// The player who moves second; any when absent.
    pub white: Option<String>,
    /// The player who won, or `draw`; any result when absent.
    pub winner: Option<String>,
    /// Which of the games that fit, from 1.
    #[serde(default = "first")]
    pub number: NonZeroU32,
    /// How many of its plies are shown; negative numbers count from the end, -1 being all. Default: all on `boards`, none
    /// (the start) in `positions`.
    pub ply: Option<i64>,
    /// What a diagram in `positions` shows. Default: what stands on the board.
    #[serde(default)]
    pub view: PositionView,
}

/// What a diagram shows of a position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PositionView {
    /// What stands on the board.
    #[default]
    Board,
    /// The numbers of its sites.
    Sites,
    /// Which cells the sites have in the tensor of a state, by their numbers (Soemers et al. 2021, Figure 5).
    Tensor,
    /// Which planes of the tensor of actions the moves have, by how far they go (Soemers et al. 2021, Figure 6).
    Moves,
}

impl GameSelector {
    /// Whether a game is one of those, by the name of the game, its players in the order of their moves, and its winner.
    #[must_use]
    pub fn fits(&self, game: &str, players: [&str; 2], winner: &str) -> bool {
        let is = |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
        let by = is(&self.black, players[0]) && is(&self.white, players[1]);
        is(&self.game, game) && by && is(&self.winner, winner)
    }

    /// How many of a game's plies are shown.
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

/// The words for a note: `black A, white B, winner A`.
impl fmt::Display for GameSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [("game", &self.game), ("black", &self.black), ("white", &self.white), ("winner", &self.winner)];
        let named = named.into_iter().filter_map(|(what, name)| Some(format!("{what} {}", name.as_ref()?)));
        let words: Vec<String> = named.chain([format!("number {}", self.number)]).collect();
        f.write_str(&words.join(", "))
    }
}
