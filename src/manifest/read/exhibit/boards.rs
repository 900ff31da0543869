//! Which single games an exhibit shows.

use std::fmt;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

/// Single games of a stage's tournaments (or matches) on boards, every stone with the number of its move
/// ("Reinforcement Learning for Gomoku", Figure 5).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Boards {
    /// The stage.
    pub stage: String,
    /// Which games, in the order of the picture.
    pub games: Vec<GameSelector>,
}

/// What a winner is called where there is none.
pub const DRAW: &str = "draw";

/// One game, by what it is like: of all games that fit, in the order of their playing, the first one.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GameSelector {
    /// Who moves first; anybody when absent.
    pub black: Option<String>,
    /// Who moves second; anybody when absent.
    pub white: Option<String>,
    /// Who won, or `draw`; either when absent.
    pub winner: Option<String>,
    /// Which of the games that fit, from 1.
    #[serde(default = "first")]
    pub number: NonZeroU32,
}

fn first() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// The words for a note: `black A, white B, winner A`.
impl fmt::Display for GameSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [("black", &self.black), ("white", &self.white), ("winner", &self.winner)];
        let named = named.into_iter().filter_map(|(what, name)| Some(format!("{what} {}", name.as_ref()?)));
        let words: Vec<String> = named.chain([format!("number {}", self.number)]).collect();
        f.write_str(&words.join(", "))
    }
}
