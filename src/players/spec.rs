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
    /// Drawn by the run's seed: of a `net` from N(0, 1), of a guided player as its `init` says. In every game the same
    /// weights, and on every board, but of a network that is made for one (`mlp`, `az-cnn`, `agz-cnn`).
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
    /// The bytes of a [`Checkpoint`], or for a guided player of a [`DeepCheckpoint`](crate::nets::deep::DeepCheckpoint),
    /// where the job has one.
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

    /// Whether its weights are drawn by a seed, so that another seed makes another player.
    #[must_use]
    pub fn draws_weights(&self) -> bool {
        self.weights() == Some(Weights::Random)
    }

    /// Where its weights come from; none where it has none.
    #[must_use]
    pub fn weights(&self) -> Option<Weights> {
        match self {
            PlayerSpec::Net(agent) => Some(agent.weights),
            PlayerSpec::Guided(agent) => Some(agent.weights),
            _ => None,
        }
    }

    /// Whether weights that were learned in one game fit another one, board and actions.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn check_transfer(&self, learned: &Arc<dyn Game>, played: &Arc<dyn Game>) -> Result<(), String> {
        let (name, fits) = match self {
            PlayerSpec::Net(NetAgent { network, .. }) => {
                let sites = |game: &Arc<dyn Game>| game.topology().sites();
                (network.name(), network.scales() || sites(learned) == sites(played))
            }
            PlayerSpec::Guided(agent) => (agent.network.name(), agent.transfers(learned, played)),
            _ => return Ok(()),
        };
        match fits {
            true => Ok(()),
            false => Err(format!(
                "{name} is made for one board: what it learns in {} cannot play {}",
                learned.name(),
                played.name()
            )),
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
    fn weights_are_drawn_where_they_are_random() {
        let draws = |text: &str| toml::from_str::<PlayerSpec>(text).unwrap().draws_weights();
        assert!(draws("guided = { network = { saz = {} } }") && draws("net = { network = { mlp = { hidden = 2 } } }"));
        assert!(!draws("guided = { network = { saz = {} }, weights = \"trained\" }") && !draws("naive = {}"));
    }

    #[test]
    fn weights_fit_other_boards_where_the_network_scales() {
        let game = |text: &str| toml::from_str::<GameSpec>(text).unwrap().build();
        let (small, large) = (game("othello = { size = 6 }"), game("othello = { size = 8 }"));
        for (network, scales) in [
            ("guided = { network = { saz = {} } }", true),
            ("guided = { network = { window-cnn = { window = 4 } } }", true),
            ("guided = { network = { az-cnn = {} } }", false),
            ("guided = { network = { agz-cnn = {} } }", false),
            ("net = { network = { conv = { maps = 1, field = 3 } } }", true),
            ("net = { network = { mlp = { hidden = 2 } } }", false),
            ("naive = {}", true),
        ] {
            let player: PlayerSpec = toml::from_str(network).unwrap();
            assert_eq!(player.check_transfer(&small, &large).is_ok(), scales, "{network}");
            player.check_transfer(&small, &small).unwrap();
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
