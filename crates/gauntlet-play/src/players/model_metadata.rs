//! Metadata of a trained network: the game, and the player that uses it. With this metadata, a model file can play
//! without its manifest.
//!
//! It is not a checkpoint: tensors and architecture are in [`DeepCheckpoint`], which carries it without reading it.

use serde::{Deserialize, Serialize};

use super::PlayerSpec;
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::CheckpointError;
use gauntlet_nets::nets::deep::DeepCheckpoint;

/// A game, and a player of it with trained weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelMetadata {
    /// The game of the training.
    pub game: GameSpec,
    /// The player, including its search.
    pub agent: PlayerSpec,
}

impl ModelMetadata {
    /// The metadata of a player with its trained weights.
    #[must_use]
    pub fn new(game: GameSpec, agent: PlayerSpec) -> ModelMetadata {
        ModelMetadata { game, agent: agent.trained() }
    }

    /// Writes it into a checkpoint.
    ///
    /// # Panics
    /// Never: a game and a player are plain data.
    #[must_use]
    pub fn mark(&self, checkpoint: DeepCheckpoint) -> DeepCheckpoint {
        checkpoint.made_for(serde_json::to_value(self).expect("a game and a player are plain data"))
    }

    /// The metadata of a checkpoint; `None` if it has none.
    ///
    /// # Errors
    /// If the metadata cannot be parsed by this program.
    pub fn of(checkpoint: &DeepCheckpoint) -> Result<Option<ModelMetadata>, CheckpointError> {
        let purpose = checkpoint.purpose.clone().map(serde_json::from_value).transpose();
        purpose.map_err(|error| CheckpointError::Header(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::players::Source;
    use gauntlet_games::base::Seed;

    #[test]
    fn a_checkpoint_says_what_it_was_made_for() {
        let game: GameSpec = toml::from_str("othello = { size = 4 }").unwrap();
        let spec = "guided = { network = { saz = { hidden = 8 } }, search = { simulations = 7 }, temperature = 0.1 }";
        let agent: PlayerSpec = toml::from_str(spec).unwrap();
        let PlayerSpec::Guided(untrained) = agent.clone() else { panic!("a guided agent") };
        let seed = Seed::new(1);
        let net = untrained.net(&[game.build()], &Source { seed: &seed, checkpoint: None }).unwrap();
        let checkpoint = DeepCheckpoint::of(untrained.network.clone(), &*net, "drawn").unwrap();
        assert_eq!(ModelMetadata::of(&checkpoint).unwrap(), None);
        let purpose = ModelMetadata::new(game.clone(), agent);
        let bytes = purpose.mark(checkpoint).to_bytes().unwrap();
        let read = DeepCheckpoint::from_bytes(&bytes).unwrap();
        assert_eq!(ModelMetadata::of(&read).unwrap(), Some(purpose.clone()));
        let source = Source { seed: &seed, checkpoint: Some(&bytes) };
        assert!(purpose.agent.build(&Arc::clone(&game.build()), &source).is_ok());
        let foreign = read.made_for(serde_json::json!({ "game": "shogi" }));
        assert!(ModelMetadata::of(&foreign).unwrap_err().to_string().contains("unknown variant `shogi`"));
    }
}
