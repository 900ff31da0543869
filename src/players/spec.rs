//! Which player, as a manifest writes it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Naive, Player, PlayerError, Random, Tactician, TacticianSpec};
use crate::games::Game;

/// A player and its settings: `{ naive = {} }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerSpec {
    /// Any legal action.
    Random(Nothing),
    /// Sees one ply.
    Naive(Nothing),
    /// Hand-written tactics for Atari-Go, diluted with random moves.
    Tactician(TacticianSpec),
}

/// No settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

impl PlayerSpec {
    /// The player, ready for this game.
    ///
    /// # Errors
    /// [`PlayerError::Unsuited`] when the player does not know the game.
    pub fn build(&self, game: &Arc<dyn Game>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(match self {
            PlayerSpec::Random(Nothing {}) => Box::new(Random),
            PlayerSpec::Naive(Nothing {}) => Box::new(Naive::default()),
            PlayerSpec::Tactician(spec) => Box::new(Tactician::new(*spec, game)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameSpec;

    #[test]
    fn a_manifest_names_a_player() {
        for text in [r#"{"random":{}}"#, r#"{"naive":{}}"#, r#"{"tactician":{"epsilon":0.05}}"#] {
            let spec: PlayerSpec = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&spec).unwrap(), text);
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            (r#"{"tactician":{"epsilon":1.5}}"#, "share 1.5 is outside 0 to 1"),
            (r#"{"naive":{"depth":2}}"#, "unknown field `depth`"),
            (r#"{"clever":{}}"#, "unknown variant `clever`"),
        ] {
            let error = serde_json::from_str::<PlayerSpec>(text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn the_tactician_knows_atari_go_alone() {
        let spec = PlayerSpec::Tactician(TacticianSpec::default());
        for game in GameSpec::examples() {
            let built = spec.build(&game.build());
            assert_eq!(built.is_ok(), matches!(game, GameSpec::AtariGo(_)));
        }
        let gomoku: GameSpec = serde_json::from_str(r#"{"gomoku":{"size":7}}"#).unwrap();
        let error = spec.build(&gomoku.build()).err().unwrap().to_string();
        assert_eq!(error, "tactician cannot play gomoku 7x7: its tactics are those of atari-go");
    }
}
