//! The choice of a player, as a manifest writes it.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::{Agent, Nothing, Source, Weights};
use super::alpha_beta::AlphaBetaSpec;
use super::benchmark::BenchmarkAgent;
use super::engine::EngineAgent;
use super::greedy::GreedySpec;
use super::guided::GuidedAgent;
use super::naive::NaiveAgent;
use super::net::NetAgent;
use super::random::RandomAgent;
use super::search_player::SearchPlayer;
use super::searcher::{SearchAgent, UctAgent};
use super::tactician::TacticianSpec;
use super::taker::TakerAgent;
use super::tuned::{Tunable, TunedAgent};
use super::{Player, PlayerError};
use gauntlet_games::base::Seed;
use gauntlet_games::games::Game;
use gauntlet_nets::nets::deep::DeepSpec;

/// A player and its settings: `{ naive = {} }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerSpec {
    /// Any legal action.
    Random(#[schemars(with = "Nothing")] RandomAgent),
    /// Wins at once if it can, never loses at once, otherwise any legal action.
    Naive(#[schemars(with = "Nothing")] NaiveAgent),
    /// The naive player, but it captures (pairs, discs) whenever it can.
    Taker(#[schemars(with = "Nothing")] TakerAgent),
    /// Scores the chains of Gomoku, one ply deep.
    Benchmark(#[schemars(with = "Nothing")] BenchmarkAgent),
    /// Greatest lead after one action (stones, points), in games with a lead.
    Greedy(GreedySpec),
    /// Minimax to a depth or within a budget, with the greedy player's lead at the leaves.
    AlphaBeta(AlphaBetaSpec),
    /// Hand-written tactics for Atari-Go, diluted with random moves.
    Tactician(TacticianSpec),
    /// Greedy over a network's logits.
    Net(NetAgent),
    /// Monte-Carlo tree search with random play-outs.
    Uct(UctAgent),
    /// Tree search with uniform priors or random play-outs, with all search settings.
    Search(SearchAgent),
    /// Tree search guided by a deep network.
    Guided(Box<GuidedAgent>),
    /// A program of its own that speaks a protocol: your agent, or a known engine.
    Engine(Box<EngineAgent>),
    /// Another player with numbers that a `train.spsa` changes.
    Tuned(Box<TunedAgent<PlayerSpec>>),
}

impl PlayerSpec {
    /// The player's settings.
    #[must_use]
    pub fn agent(&self) -> &dyn Agent {
        match self {
            PlayerSpec::Random(agent) => agent,
            PlayerSpec::Naive(agent) => agent,
            PlayerSpec::Taker(agent) => agent,
            PlayerSpec::Benchmark(agent) => agent,
            PlayerSpec::Greedy(agent) => agent,
            PlayerSpec::AlphaBeta(agent) => agent,
            PlayerSpec::Tactician(agent) => agent,
            PlayerSpec::Net(agent) => agent,
            PlayerSpec::Uct(agent) => agent,
            PlayerSpec::Search(agent) => agent,
            PlayerSpec::Guided(agent) => &**agent,
            PlayerSpec::Engine(agent) => &**agent,
            PlayerSpec::Tuned(agent) => &**agent,
        }
    }

    /// The player's settings, mutable.
    pub fn agent_mut(&mut self) -> &mut dyn Agent {
        match self {
            PlayerSpec::Random(agent) => agent,
            PlayerSpec::Naive(agent) => agent,
            PlayerSpec::Taker(agent) => agent,
            PlayerSpec::Benchmark(agent) => agent,
            PlayerSpec::Greedy(agent) => agent,
            PlayerSpec::AlphaBeta(agent) => agent,
            PlayerSpec::Tactician(agent) => agent,
            PlayerSpec::Net(agent) => agent,
            PlayerSpec::Uct(agent) => agent,
            PlayerSpec::Search(agent) => agent,
            PlayerSpec::Guided(agent) => &mut **agent,
            PlayerSpec::Engine(agent) => &mut **agent,
            PlayerSpec::Tuned(agent) => &mut **agent,
        }
    }

    /// The player whose numbers are tuned; itself, if it is not of that kind.
    #[must_use]
    pub fn untuned(&self) -> &PlayerSpec {
        if let PlayerSpec::Tuned(agent) = self { &agent.agent } else { self }
    }

    /// The program that it starts: an engine, or that of its network. `None` if it starts none.
    #[must_use]
    pub fn started_program(&self) -> Option<Cow<'_, EngineAgent>> {
        match self.untuned() {
            PlayerSpec::Engine(engine) => Some(Cow::Borrowed(engine)),
            PlayerSpec::Guided(agent) => agent.network_program().map(Cow::Owned),
            _ => None,
        }
    }

    /// Makes the working directory of its program absolute, from that of the manifest, and takes the hashes of the
    /// program's files.
    pub fn locate_program(&mut self, base: &Path) {
        match self {
            PlayerSpec::Engine(engine) => engine.locate(base),
            PlayerSpec::Guided(agent) => agent.locate_network(base),
            PlayerSpec::Tuned(agent) => agent.agent.locate_program(base),
            _ => {}
        }
    }

    /// The player, ready for this game.
    ///
    /// # Errors
    /// Those of [`Agent::build`].
    pub fn build(&self, game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        self.agent().build(game, source)
    }

    /// The player that searches a tree, ready for this game; `None` for other players.
    ///
    /// # Errors
    /// Those of [`Agent::build`].
    pub fn searching(&self, game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Option<SearchPlayer>, PlayerError> {
        match self {
            PlayerSpec::Uct(agent) => Ok(Some(agent.search().player())),
            PlayerSpec::Search(agent) => Ok(Some(agent.player())),
            PlayerSpec::Guided(agent) => agent.searching(game, source).map(Some),
            PlayerSpec::Tuned(agent) => {
                let (player, weights) = agent.found(source)?;
                player.searching(game, &Source { checkpoint: weights.as_deref(), ..*source })
            }
            _ => Ok(None),
        }
    }

    /// Checks, before anything runs, that the player can play the game.
    ///
    /// # Errors
    /// The reason, as a sentence.
    pub fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        self.agent().check(game)
    }

    /// A short display name: `MDLSTM k=3`, `tactician 0.05`.
    #[must_use]
    pub fn name(&self) -> String {
        self.agent().name()
    }

    /// Whether its weights are drawn by a seed, so that the seed changes the player.
    #[must_use]
    pub fn draws_weights(&self) -> bool {
        self.agent().weights() == Some(&Weights::Random)
    }

    /// The file of the data directory with its weights; `None` if they have another source.
    #[must_use]
    pub fn weights_file(&self) -> Option<&str> {
        self.agent().weights_file()
    }

    /// Checks that the bytes of a file are weights that it can play a game with.
    ///
    /// # Errors
    /// The reason: weights of another network, or for another board, or no weights.
    pub fn check_weights(&self, game: &Arc<dyn Game>, bytes: &[u8]) -> Result<(), PlayerError> {
        let source = Source { seed: &Seed::new(0), checkpoint: Some(bytes) };
        match self {
            PlayerSpec::Tuned(agent) => match agent.found(&source)? {
                (player, Some(weights)) => player.check_weights(game, &weights),
                (_, None) => Ok(()),
            },
            // A check starts no program.
            PlayerSpec::Guided(agent) if matches!(agent.network, DeepSpec::External(_)) => {
                agent.check_saved(game, bytes)
            }
            _ => self.agent().build(game, &source).map(drop),
        }
    }

    /// The file beside its weights with answers that its network has to give; `None` if there is no such file.
    #[must_use]
    pub fn answers_file(&self) -> Option<String> {
        let PlayerSpec::Guided(agent) = self.untuned() else { return None };
        agent.answers_file()
    }

    /// Checks that its network, from the bytes of a file, gives the answers of another file.
    ///
    /// # Errors
    /// The reason: no such file of answers, or other answers.
    pub fn check_answers(&self, game: &Arc<dyn Game>, bytes: &[u8], answers: &[u8]) -> Result<(), PlayerError> {
        let PlayerSpec::Guided(agent) = self.untuned() else { return Ok(()) };
        agent.check_answers(game, bytes, answers)
    }

    /// The same player with trained weights, if it has weights.
    #[must_use]
    pub fn trained(mut self) -> PlayerSpec {
        if let Some(weights) = self.agent_mut().play_overrides().weights {
            *weights = Weights::Trained;
        }
        self
    }
}

impl Tunable for PlayerSpec {
    fn settings(&self) -> &dyn Agent {
        self.agent()
    }

    fn with_trained_weights(self) -> PlayerSpec {
        self.trained()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::games::GameSpec;

    #[test]
    fn a_manifest_names_a_player() {
        for text in [
            r#"{"random":{}}"#,
            r#"{"naive":{}}"#,
            r#"{"benchmark":{}}"#,
            r#"{"greedy":{"ties":"lowest"}}"#,
            r#"{"alpha-beta":{"depth":4}}"#,
            r#"{"alpha-beta":{"nodes":4000}}"#,
            r#"{"uct":{"simulations":9,"c":1.5,"rollouts":1,"rave":{"bias":0.5,"ref":50,"c":0.0},"progressive-bias":{"weight":1.0}}}"#,
            r#"{"tactician":{"epsilon":0.05}}"#,
        ] {
            let spec: PlayerSpec = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&spec).unwrap(), text);
        }
    }

    #[test]
    fn invalid_specs_report_key_and_reason() {
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
        let depends = |text: &str| toml::from_str::<PlayerSpec>(text).unwrap().agent().depends_on_seed();
        let trained = "guided = { network = { saz = {} }, weights = \"trained\"";
        assert!(!depends(&format!("{trained} }}")) && !depends("naive = {}"));
        // Its subgraphs are sampled by the seed.
        assert!(depends(&format!("{trained}, subgraphs = {{}} }}")) && depends("guided = { network = { saz = {} } }"));
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
            assert_eq!(player.agent().check_transfer(&small, &large).is_ok(), scales, "{network}");
            player.agent().check_transfer(&small, &small).unwrap();
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
