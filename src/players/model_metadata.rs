//! What a trained network was made for: the game, and the player that asks it. With this in its metadata a model
//! file can be played against without the manifest that it came from.
//!
//! It is no checkpoint: tensors and architecture are in [`DeepCheckpoint`], which carries this without reading it.

use serde::{Deserialize, Serialize};

use super::PlayerSpec;
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::CheckpointError;
use gauntlet_nets::nets::deep::DeepCheckpoint;

/// A game, and who plays it with trained weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelMetadata {
    /// The game that it learned.
    pub game: GameSpec,
    /// The player, its search included.
    pub agent: PlayerSpec,
}

impl ModelMetadata {
    /// The player of a game, with the weights that it has learned.
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

    /// What a checkpoint says of itself; nothing where it does not.
    ///
    /// # Errors
    /// When it says what this program does not understand.
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
        let checkpoint = DeepCheckpoint::of(untrained.network, &*net, "drawn").unwrap();
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
