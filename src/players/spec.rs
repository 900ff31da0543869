//! Which player, as a manifest writes it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Benchmark, Greedy, GreedySpec, GuidedAgent, Naive, NetPlayer, Player, PlayerError, Random, SearchAgent, Tactician,
    TacticianSpec, Ties, UctAgent,
};
use crate::base::Seed;
use crate::games::Game;
use crate::nets::{Checkpoint, NetSpec, random_weights};

/// A player and its settings: `{ naive = {} }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerSpec {
    /// Any legal action.
    Random(Nothing),
    /// Sees one ply.
    Naive(Nothing),
    /// Counts the chains of Gomoku, one ply deep.
    Benchmark(Nothing),
    /// Takes the lead that one action can give.
    Greedy(GreedySpec),
    /// Hand-written tactics for Atari-Go, diluted with random moves.
    Tactician(TacticianSpec),
    /// Greedy over a network's preferences.
    Net(NetAgent),
    /// Monte-Carlo tree search with random play-outs.
    Uct(UctAgent),
    /// Tree search over what a guide says.
    Search(SearchAgent),
    /// Tree search guided by a deep network.
    Guided(Box<GuidedAgent>),
}

/// A network and where its weights come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NetAgent {
    /// The architecture.
    pub network: NetSpec,
    /// Where its weights come from.
    #[serde(default)]
    pub weights: Weights,
}

/// Where a network's weights come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// Drawn from N(0, 1) by the run's seed: the same weights on every board and in every game.
    #[default]
    Random,
    /// Those of the training that the stage takes from.
    Trained,
}

/// What a player that has weights takes them from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The run's seed.
    pub seed: &'a Seed,
    /// The bytes of a [`Checkpoint`], where the job has one.
    pub checkpoint: Option<&'a [u8]>,
}

impl NetAgent {
    /// The weights, in the order that the architecture documents.
    ///
    /// # Errors
    /// When trained weights are wanted and there are none, or those of another network.
    pub fn weights(&self, game: &dyn Game, source: &Source<'_>) -> Result<Vec<f64>, PlayerError> {
        let sites = game.topology().sites();
        let bytes = match (self.weights, source.checkpoint) {
            (Weights::Random, _) => {
                return Ok(random_weights(self.network.weight_count(sites), &source.seed.child("weights", 0)));
            }
            (Weights::Trained, Some(bytes)) => bytes,
            (Weights::Trained, None) => return Err(PlayerError::Untrained { player: self.network.name() }),
        };
        let checkpoint = Checkpoint::from_bytes(bytes)?;
        match checkpoint.net == self.network {
            true => Ok(checkpoint.weights),
            false => Err(PlayerError::Untrained { player: self.network.name() }),
        }
    }
}

/// No settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

impl PlayerSpec {
    /// The player, ready for this game.
    ///
    /// # Errors
    /// [`PlayerError::Unsuited`] when the player does not know the game; for a network, when its weights do not fit.
    pub fn build(&self, game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(match self {
            PlayerSpec::Net(agent) => {
                let kernel = agent.network.kernel(game.topology(), &agent.weights(&**game, source)?)?;
                Box::new(NetPlayer::new(kernel, &**game)?)
            }
            PlayerSpec::Random(Nothing {}) => Box::new(Random),
            PlayerSpec::Naive(Nothing {}) => Box::new(Naive::default()),
            PlayerSpec::Benchmark(Nothing {}) => Box::new(Benchmark::new(game)?),
            PlayerSpec::Greedy(spec) => Box::new(Greedy::new(*spec, game)?),
            PlayerSpec::Tactician(spec) => Box::new(Tactician::new(*spec, game)?),
            PlayerSpec::Uct(agent) => Box::new(agent.build()),
            PlayerSpec::Search(agent) => Box::new(agent.build()),
            PlayerSpec::Guided(agent) => Box::new(agent.build(game, source)?),
        })
    }

    /// A few words for people: `MDLSTM k=3`, `tactician 0.05`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            PlayerSpec::Random(_) => "random".to_owned(),
            PlayerSpec::Naive(_) => "naive".to_owned(),
            PlayerSpec::Benchmark(_) => "benchmark".to_owned(),
            PlayerSpec::Greedy(GreedySpec { ties: Ties::Random }) => "greedy".to_owned(),
            PlayerSpec::Greedy(GreedySpec { ties: Ties::Lowest }) => "greedy, lowest action".to_owned(),
            PlayerSpec::Tactician(spec) => format!("tactician {}", spec.epsilon.get()),
            PlayerSpec::Net(agent) => agent.network.name(),
            PlayerSpec::Uct(agent) => agent.name(),
            PlayerSpec::Search(agent) => agent.name(),
            PlayerSpec::Guided(agent) => agent.name(),
        }
    }

    /// Whether both are guided by the same network, so that one can take the weights of the other.
    #[must_use]
    pub fn shares_network(&self, other: &PlayerSpec) -> bool {
        match (self, other) {
            (PlayerSpec::Net(one), PlayerSpec::Net(other)) => one.network == other.network,
            (PlayerSpec::Guided(one), PlayerSpec::Guided(other)) => one.network == other.network,
            _ => false,
        }
    }

    /// Whether the player can play the game, found out before anything runs.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        if let PlayerSpec::Net(NetAgent { network, .. }) = self {
            let count = network.weight_count(game.topology().sites());
            let kernel = network.kernel(game.topology(), &vec![0.0; count]).map_err(|error| error.to_string())?;
            return NetPlayer::new(kernel, &**game).map(|_| ()).map_err(|error| error.to_string());
        }
        if let PlayerSpec::Guided(agent) = self {
            return agent.check(&**game);
        }
        let source = Source { seed: &Seed::new(0), checkpoint: None };
        self.build(game, &source).map(|_| ()).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameSpec;

    #[test]
    fn a_manifest_names_a_player() {
        for text in [
            r#"{"random":{}}"#,
            r#"{"naive":{}}"#,
            r#"{"benchmark":{}}"#,
            r#"{"greedy":{"ties":"lowest"}}"#,
            r#"{"tactician":{"epsilon":0.05}}"#,
        ] {
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
            let built = spec.build(&game.build(), &Source { seed: &Seed::new(1), checkpoint: None });
            assert_eq!(built.is_ok(), matches!(game, GameSpec::AtariGo(_)));
        }
        let gomoku: GameSpec = serde_json::from_str(r#"{"gomoku":{"size":7}}"#).unwrap();
        let error = spec.check(&gomoku.build()).unwrap_err();
        assert_eq!(error, "tactician cannot play gomoku 7x7: its tactics are those of atari-go");
    }
}
