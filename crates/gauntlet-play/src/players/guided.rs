//! The AlphaZero player: a tree search guided by a deep network, optionally with subgraph sampling.
//!
//! Ben-Assayag and El-Yaniv 2021: SAZ is `saz` with subgraphs, model3 is `saz` without, model1 is `az-cnn`, model4
//! takes its priors from subgraphs alone, model5 is `window-cnn`. Training happens elsewhere. This file defines the
//! trained player and combines network, encoder and search, for self-play and for matches.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::{Agent, PlayOverrides, Source, Weights, Workload};
use super::head::HeadEvaluator;
use super::search_player::SearchPlayer;
use super::searcher::{boxed, check_search, draws_moves, is_settled, none_sampled, quiet, workload_of};
use super::{Head, NetEvaluator, Player, PlayerError, SubgraphPriors, SubgraphSpec};
use crate::search::{Cached, Evaluator, Pure, SearchSpec};
use gauntlet_games::base::{FromZero, Seed, Stop};
use gauntlet_games::games::Game;
use gauntlet_nets::encoders::{
    BoardGraphs, EdgeFeatures, Encoder, Encoding, GraphEncoder, HandPlaces, MoveEncoding, PlanesSpec, TensorsSpec,
    keeps_enough,
};
use gauntlet_nets::nets::NumberFormat;
use gauntlet_nets::nets::deep::{
    DeepCheckpoint, DeepError, DeepSpec, Inference, Init, InputKind, Logits, Net, inference_of,
};

/// A search guided by a deep network.
///
/// | key | default | |
/// |---|---|---|
/// | `network` | | the architecture, or an ONNX file |
/// | `weights` | `"random"` | `"random"`: drawn according to `init` by the run's seed; `"trained"`; `{ file = ... }` |
/// | `init` | `"torch"` | the initialisation of weights |
/// | `planes` | one canonical plane | the input of networks that read images |
/// | `tensors` | none | image input for any game, in place of `planes`: channels and logits follow from the rules; networks with whole planes of logits accept no others |
/// | `subgraphs` | none | subgraph sampling; a `count` of 0 is none too |
/// | `search` | | the search; its `noise` and `temperature` are those of self-play |
/// | `temperature` | 0 | tau of the moves played in matches |
/// | `sampled-plies` | 0 | plies of a match whose moves are drawn in proportion to their visits, before `temperature` |
/// | `numbers` | `"f32"` | the number format of the network's wide hidden layers: `"f32"`, `"bf16"` or `"int8"` |
/// | `cache` | 16384 | maximum number of cached evaluations, 0 for none; it saves time and changes no result |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuidedAgent {
    /// The architecture.
    pub network: DeepSpec,
    /// The source of its weights.
    #[serde(default)]
    pub weights: Weights,
    /// The initialisation of random weights and of a training.
    #[serde(default)]
    pub init: Init,
    /// The input of networks that read images.
    #[serde(default)]
    pub planes: PlanesSpec,
    /// Their input instead: images of any game, with channels, places and logits that follow from its rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensors: Option<TensorsSpec>,
    /// Subgraph sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subgraphs: Option<SubgraphSpec>,
    /// The only answer of the network that its searches use, in play and in self-play. Default: both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Head>,
    /// The tree search; its `noise` and `temperature` are those of self-play.
    #[serde(default)]
    pub search: SearchSpec,
    /// Tau of the played moves: 0 for the most visited, ties at random.
    #[serde(default, with = "FromZero")]
    pub temperature: f64,
    /// Plies of a game, of both sides together, in which moves are drawn in proportion to their visits, before
    /// `temperature` applies.
    #[serde(default, rename = "sampled-plies", skip_serializing_if = "none_sampled")]
    pub sampled_plies: u32,
    /// The number format of the wide hidden layers in play: fewer bits are faster and less exact.
    #[serde(default, skip_serializing_if = "NumberFormat::is_f32")]
    pub numbers: NumberFormat,
    /// Maximum number of cached evaluations. No result depends on it.
    #[serde(default = "remembered")]
    pub cache: u32,
}

/// The source of the weights of an ONNX file: the file that the network names.
static OWN: Weights = Weights::File(String::new());

/// The tensors of a network without `tensors`.
const TENSORS: TensorsSpec = TensorsSpec { hands: HandPlaces::Published, neutral: false };

fn remembered() -> u32 {
    1 << 14
}

impl GuidedAgent {
    /// A trained network, with defaults for all other settings.
    ///
    /// # Panics
    /// Never: every setting but the network has a default.
    #[must_use]
    pub fn trained(network: DeepSpec) -> GuidedAgent {
        let written = serde_json::json!({ "network": network, "weights": Weights::Trained });
        serde_json::from_value(written).expect("all but the network has a default")
    }

    /// The search of this game, with its budget in simulations or time.
    #[must_use]
    pub fn search_of(&self, game: &dyn Game) -> SearchSpec {
        match self.search.simulations.operations() {
            Some(_) => {
                SearchSpec { simulations: self.search.simulations.counted(self.flops(game)), ..self.search.clone() }
            }
            None => self.search.clone(),
        }
    }

    /// The player of these games, with the inference of a network; `seed` is that of [`GuidedAgent::evaluator`].
    #[must_use]
    pub fn player(&self, boards: &[Arc<dyn Game>], inference: Box<dyn Inference>, seed: &Seed) -> SearchPlayer {
        let player =
            SearchPlayer::new(&self.search_of(&*boards[0]), self.evaluator(boards, inference, seed), self.temperature);
        player.sampling(self.sampled_plies)
    }

    /// The player of a game, with the weights of a source.
    ///
    /// # Errors
    /// If there are no weights, or those of another network or board.
    pub fn searching(&self, game: &Arc<dyn Game>, source: &Source<'_>) -> Result<SearchPlayer, PlayerError> {
        let boards = [Arc::clone(game)];
        let inference = match &self.network {
            DeepSpec::External(network) => {
                let started = self.start_program(network, game, source, &Stop::default())?;
                let player = self.player(&boards, started.inference().map_err(refused)?, source.seed);
                return Ok(player.of_program(started.facts().clone()));
            }
            DeepSpec::Onnx(network) => {
                let missing = || PlayerError::NoWeights { file: network.file.clone(), player: self.network.name() };
                let bytes = source.checkpoint.ok_or_else(missing)?;
                network.inference(bytes, self.encoding().extent(&**game).dims, self.numbers)
            }
            _ => self.inference(self.net(&boards, source)?),
        };
        Ok(self.player(&boards, inference.map_err(refused)?, source.seed))
    }

    /// The same player for self-play.
    #[must_use]
    pub fn self_player(&self, boards: &[Arc<dyn Game>], inference: Box<dyn Inference>, seed: &Seed) -> SearchPlayer {
        SearchPlayer::in_self_play(self.search_of(&*boards[0]), self.evaluator(boards, inference, seed))
    }

    /// The network with its weights, for boards of these games.
    ///
    /// # Errors
    /// If there are no weights, or those of another network or board.
    pub fn net(&self, boards: &[Arc<dyn Game>], source: &Source<'_>) -> Result<Box<dyn Net>, PlayerError> {
        let dims = self.encoding().extent(&*boards[0]).dims;
        let untrained = |held| self.weights.missing(self.network.name(), held);
        let net = match (&self.weights, source.checkpoint) {
            (Weights::Random, _) => self.network.build(dims, self.init, source.seed),
            (Weights::Trained | Weights::File(_), Some(bytes)) => {
                let checkpoint = DeepCheckpoint::from_bytes(bytes)?;
                if checkpoint.net != self.network {
                    return Err(untrained(Some(checkpoint.net.name())));
                }
                self.check_learned(&checkpoint, &*boards[0])?;
                checkpoint.build(dims)
            }
            (Weights::Trained | Weights::File(_), None) => return Err(untrained(None)),
        };
        net.map_err(refused)
    }

    /// The inference of a network of this player, in its number format.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn inference(&self, net: Box<dyn Net>) -> Result<Box<dyn Inference>, DeepError> {
        inference_of(&self.network, net, self.numbers)
    }

    /// The encoder of these games' positions for the network; images have the first game's board size.
    ///
    /// # Panics
    /// Without games.
    #[must_use]
    pub fn encoder(&self, boards: &[Arc<dyn Game>]) -> Box<dyn Encoder> {
        self.encoding().encoder(boards)
    }

    /// The encoding of positions: one arm for each kind of batch that networks read.
    #[must_use]
    pub fn encoding(&self) -> &dyn Encoding {
        match self.network.reads() {
            InputKind::Graphs => &BoardGraphs,
            InputKind::Images { logits, .. } => match (&self.tensors, logits) {
                (Some(tensors), _) => tensors,
                (None, Logits::Planes) => &TENSORS,
                (None, Logits::Sites | Logits::Slots) => &self.planes,
            },
            InputKind::Moves { edges: EdgeFeatures::Paper } => &MoveEncoding { edges: EdgeFeatures::Paper },
            InputKind::Moves { edges: EdgeFeatures::Code } => &MoveEncoding { edges: EdgeFeatures::Code },
        }
    }

    /// The evaluator of leaves of these games; with a position, `seed` determines the sampled subgraphs.
    #[must_use]
    pub fn evaluator(
        &self,
        boards: &[Arc<dyn Game>],
        inference: Box<dyn Inference>,
        seed: &Seed,
    ) -> Box<dyn Evaluator> {
        let own = match self.sampling() {
            Some(spec) => self.remembering(SubgraphPriors::new(spec, graphs(boards), inference, *seed)),
            None => self.remembering(NetEvaluator::new(self.encoder(boards), inference)),
        };
        match self.head {
            Some(head) => Box::new(HeadEvaluator { own, head }),
            None => own,
        }
    }

    fn remembering(&self, evaluator: impl Pure + 'static) -> Box<dyn Evaluator> {
        match self.cache {
            0 => Box::new(evaluator),
            positions => Box::new(Cached::new(evaluator, positions as usize)),
        }
    }

    /// Number of trained weights of its network on this game's board; `None` if it cannot read the board.
    #[must_use]
    pub fn weight_count(&self, game: &dyn Game) -> Option<usize> {
        self.network.architecture().weight_count(self.encoding().extent(game).dims)
    }

    /// Whether the network reads tensors, whose places are not the sites of the board.
    #[must_use]
    pub fn reads_tensors(&self) -> bool {
        match self.network.reads() {
            InputKind::Images { logits: Logits::Planes, .. } => true,
            InputKind::Images { .. } => self.tensors.is_some(),
            InputKind::Graphs | InputKind::Moves { .. } => false,
        }
    }

    /// Whether the network reads images, all of one size.
    #[must_use]
    pub fn reads_images(&self) -> bool {
        matches!(self.network.reads(), InputKind::Images { .. })
    }

    /// The subgraph sampling, if any.
    pub(super) fn sampling(&self) -> Option<SubgraphSpec> {
        self.subgraphs.filter(|spec| spec.count != Some(0))
    }
}

impl Agent for GuidedAgent {
    fn name(&self) -> String {
        let sampling = if self.sampling().is_some() { ", subgraphs" } else { "" };
        let untrained = if self.weights() == Some(&Weights::Random) { ", untrained" } else { "" };
        let numbers = if self.numbers.is_f32() { String::new() } else { format!(", {}", self.numbers.word()) };
        let head = self.head.map_or("", Head::phrase);
        format!("{} {}{numbers}{sampling}{head}{untrained}", self.network.name(), self.search.simulations)
    }

    fn build(&self, game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(boxed(self.searching(game, source)?))
    }

    fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        check_search(&self.search, self.temperature, self.sampled_plies)?;
        if self.search.rule.hinted().is_some() {
            return Err("`rave` and `progressive-bias` are for searches without a network: leave them out".to_owned());
        }
        let encoding = self.encoding();
        self.check_operations(&**game)?;
        let fits = encoding.check(&**game).and_then(|()| {
            self.check_images()?;
            self.check_own_weights()?;
            self.check_program()?;
            self.network.architecture().check(encoding.extent(&**game))?;
            self.check_sampling(&**game)?;
            keeps_enough(&**game, encoding.lookback(&**game))
        });
        fits.map_err(|reason| format!("{} cannot play {}: {reason}", self.network.name(), game.name()))
    }

    fn weights(&self) -> Option<&Weights> {
        match &self.network {
            DeepSpec::Onnx(_) => Some(&OWN),
            _ => Some(&self.weights),
        }
    }

    fn weights_file(&self) -> Option<&str> {
        match (&self.network, &self.weights) {
            (DeepSpec::Onnx(network), _) => Some(&network.file),
            (_, Weights::File(file)) => Some(file),
            (_, Weights::Random | Weights::Trained) => None,
        }
    }

    fn thinking_time(&self) -> Option<Duration> {
        self.search.simulations.time()
    }

    fn numbers(&self) -> NumberFormat {
        self.numbers
    }

    fn depends_on_seed(&self) -> bool {
        self.weights() == Some(&Weights::Random) || self.sampling().is_some()
    }

    fn shares_network(&self, other: &dyn Agent) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<GuidedAgent>().is_some_and(|other| other.network == self.network)
    }

    fn shares_input(&self, other: &dyn Agent) -> bool {
        let other: &dyn Any = other;
        let sees_alike = |other: &GuidedAgent| {
            (&other.planes, &other.tensors) == (&self.planes, &self.tensors) || !self.reads_images()
        };
        other.downcast_ref::<GuidedAgent>().is_some_and(sees_alike)
    }

    fn check_transfer(&self, learned: &Arc<dyn Game>, played: &Arc<dyn Game>) -> Result<(), String> {
        let dims = [learned, played].map(|game| self.encoding().extent(&**game).dims);
        self.check_dims(dims, &**learned, &**played)
    }

    fn workload(&self, game: &dyn Game) -> Workload {
        let (operations, nodes) = (self.flops(game), self.nodes(game));
        let simulations = workload_of(self.search.simulations.counted(operations));
        Workload { simulations, operations, nodes, ..Workload::default() }
    }

    /// Every player samples its own subgraphs.
    fn repeats(&self) -> bool {
        self.subgraphs.is_none() && is_settled(&self.search, self.temperature, self.sampled_plies)
    }

    fn played_search(&self) -> Option<SearchSpec> {
        Some(self.search.in_play())
    }

    fn explainers(&self) -> Vec<(&'static str, Box<dyn Agent>)> {
        let with = |search| Box::new(GuidedAgent { search, temperature: 1.0, ..self.clone() });
        // A root that is evaluated and not searched shows the priors as its policy.
        let alone = SearchSpec { simulations: 1.into(), count_root: true, ..SearchSpec::default() };
        vec![("network", with(alone)), ("search", with(quiet(&self.search)))]
    }

    fn play_overrides(&mut self) -> PlayOverrides<'_> {
        let temperature = draws_moves(&self.search).then_some(&mut self.temperature);
        let has_own = matches!(self.network, DeepSpec::Onnx(_));
        PlayOverrides {
            weights: (!has_own).then_some(&mut self.weights),
            simulations: Some(&mut self.search.simulations),
            temperature,
            cache: Some(&mut self.cache),
        }
    }
}

/// The error of a checkpoint for an error of a network.
pub(super) fn refused(error: DeepError) -> PlayerError {
    PlayerError::Checkpoint(error.into())
}

fn graphs(boards: &[Arc<dyn Game>]) -> GraphEncoder {
    GraphEncoder::new(boards.iter().map(|game| game.topology()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{EvenGames, fitness};
    use crate::players::{ModelMetadata, PlayerSpec, Random};
    use gauntlet_games::games::GameSpec;

    fn game(text: &str) -> Arc<dyn Game> {
        toml::from_str::<GameSpec>(text).unwrap().build()
    }

    fn agent(text: &str) -> GuidedAgent {
        match toml::from_str(text).unwrap() {
            PlayerSpec::Guided(agent) => *agent,
            _ => panic!("a guided agent"),
        }
    }

    const SAZ: &str = "guided = { network = { saz = { hidden = 8 } }, search = { simulations = 40 } }";

    #[test]
    fn operations_pay_for_evaluations_of_this_board() {
        let (small, large) = (game("othello = { size = 6 }"), game("othello = { size = 8 }"));
        let each = agent(SAZ).flops(&*small);
        let paid = |operations: f64| agent(&SAZ.replace("= 40", &format!("= {{ operations = {operations} }}")));
        let simulations = |agent: &GuidedAgent, game: &Arc<dyn Game>| agent.search_of(&**game).simulations.most();
        let forty = paid(40.5 * each);
        assert_eq!((simulations(&forty, &small), forty.workload(&*small).simulations), (40, 40.0));
        let (fewer, ratio) = (simulations(&forty, &large), agent(SAZ).flops(&*large) / each);
        assert!(ratio > 1.5 && fewer == (40.5 / ratio) as u32, "{fewer}, {ratio}");
        assert_eq!(forty.check(&small), Ok(()));
        let reason = paid(0.9 * each).check(&small).unwrap_err();
        assert!(reason.contains("operations are fewer than") && reason.ends_with("of one evaluation on othello 6x6"));
        // The same games as with simulations.
        let (games, seed) = (EvenGames::try_from(2).unwrap(), Seed::new(4));
        let source = Source { seed: &seed, checkpoint: None };
        let play = |agent: &GuidedAgent| {
            fitness(&*small, &mut *agent.build(&small, &source).unwrap(), &mut Random, games, &seed).unwrap()
        };
        assert_eq!(play(&forty), play(&agent(SAZ)));
    }

    #[test]
    fn an_untrained_network_still_searches() {
        let game = game("gomoku = { size = 5, row = 4 }");
        let games = EvenGames::try_from(20).unwrap();
        for subgraphs in [None, Some(SubgraphSpec::default())] {
            let agent = GuidedAgent { subgraphs, ..agent(SAZ) };
            agent.check(&game).unwrap();
            let seed = Seed::new(1);
            let mut player = agent.build(&game, &Source { seed: &seed, checkpoint: None }).unwrap();
            let mean = fitness(&*game, &mut *player, &mut Random, games, &seed).unwrap().mean();
            assert!(mean > 0.4, "{mean}");
        }
    }

    #[test]
    fn trained_weights_play_on_other_boards() {
        let small = [game("othello = { size = 4 }")];
        let (seed, trained) = (Seed::new(3), GuidedAgent { weights: Weights::Trained, ..agent(SAZ) });
        let none = Source { seed: &seed, checkpoint: None };
        assert!(matches!(trained.net(&small, &none), Err(PlayerError::Untrained { .. })));
        let net = agent(SAZ).net(&small, &none).unwrap();
        let bytes = DeepCheckpoint::of(trained.network.clone(), &*net, "").unwrap().to_bytes().unwrap();
        let some = Source { seed: &seed, checkpoint: Some(&bytes) };
        assert!(trained.build(&game("othello = { size = 6 }"), &some).is_ok());
        let other = toml::from_str::<GuidedAgent>("network = { saz = { hidden = 9 } }\nweights = \"trained\"").unwrap();
        let refused = other.net(&small, &some).err().expect("these are the weights of another network").to_string();
        assert!(refused.contains("holds weights of SAZ 3x8, not of SAZ 3x9"), "{refused}");
    }

    /// Boards of 3 x 4 and of 4 x 3 have equally many weights, and so have two planes of either kind.
    #[test]
    fn weights_of_a_file_play_with_the_planes_and_on_the_board_of_their_training() {
        let written = |planes: &str| {
            let network = "network = { agz-cnn = { channels = [4, 4, 4], hidden = 8 } }";
            format!("guided = {{ {network}, planes = {{ {planes} }} }}")
        };
        let (split, last) = (written("stones = \"split\""), written("last = true"));
        let [learned, turned] = [(3, 4), (4, 3)].map(|(rows, columns)| {
            let text = format!("mnk = {{ rows = {rows}, columns = {columns}, row = 3 }}");
            toml::from_str::<GameSpec>(&text).unwrap()
        });
        let seed = Seed::new(3);
        let net = agent(&split).net(&[learned.build()], &Source { seed: &seed, checkpoint: None }).unwrap();
        let bare = DeepCheckpoint::of(agent(&split).network, &*net, "").unwrap();
        let marked = ModelMetadata::new(learned.clone(), toml::from_str(&split).unwrap()).mark(bare.clone());
        let played = |text: &str, board: &GameSpec, weights: &DeepCheckpoint| {
            let player = GuidedAgent { weights: Weights::File("p.safetensors".to_owned()), ..agent(text) };
            let bytes = weights.to_bytes().unwrap();
            let built = player.build(&board.build(), &Source { seed: &seed, checkpoint: Some(&bytes) });
            built.err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert_eq!(played(&split, &learned, &marked), "");
        let refused = played(&last, &learned, &marked);
        assert!(refused.contains("sees other planes than the player that learned the weights of `p.safe"), "{refused}");
        let refused = played(&split, &turned, &marked);
        assert!(refused.contains("what it learns in mnk 3x4 row 3 cannot play mnk 4x3 row 3"), "{refused}");
        // Older files do not tell.
        assert_eq!(played(&last, &learned, &bare), "");
    }

    /// Soemers et al. 2021, Table 1.
    const TABLE_1: [(&str, usize); 15] = [
        ("breakthrough", 188_296),
        ("connect6", 180_472),
        ("dai-hasami-shogi", 188_296),
        ("fanorona", 188_296),
        ("feed-the-ducks", 231_152),
        ("gomoku", 180_472),
        ("hex", 222_464),
        ("hexentafl", 231_152),
        ("konane", 188_296),
        ("lasca", 5_450_268),
        ("minishogi", 2_009_752),
        ("pentalath", 180_472),
        ("squava", 222_464),
        ("surakarta", 188_948),
        ("yavalath", 222_464),
    ];

    #[test]
    fn networks_over_tensors_have_as_many_weights_as_printed() {
        let agent = agent("guided = { network = { poly-cnn = {} } }");
        for (name, printed) in TABLE_1 {
            let game = game(&format!("ludeme = {{ name = \"{name}\" }}"));
            agent.check(&game).unwrap();
            assert_eq!(agent.weight_count(&*game), Some(printed), "{name}");
        }
    }

    /// A fully convolutional network plays on a large board with weights from a small one, but not in another game.
    #[test]
    fn tensors_of_other_boards_are_played_with_the_same_weights() {
        let poly = agent("guided = { network = { poly-cnn = { width = 1, nets = 1, convolutions = 2 } } }");
        let [small, large] = [7, 13].map(|size| game(&format!("hex = {{ size = {size}, swap = true }}")));
        poly.check_transfer(&small, &large).unwrap();
        assert!(poly.check_transfer(&small, &game("breakthrough = { size = 6 }")).is_err());
        let seed = Seed::new(3);
        let net = poly.net(&[small], &Source { seed: &seed, checkpoint: None }).unwrap();
        let bytes = DeepCheckpoint::of(poly.network.clone(), &*net, "").unwrap().to_bytes().unwrap();
        let trained = GuidedAgent { weights: Weights::Trained, ..poly };
        trained.build(&large, &Source { seed: &seed, checkpoint: Some(&bytes) }).unwrap();
    }

    /// An export of PyTorch for two planes of 5 x 5, with 25 logits.
    #[test]
    fn the_network_of_a_file_plays() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../gauntlet-nets/tests/onnx/az-13.onnx");
        let bytes = std::fs::read(file).unwrap();
        let text = "guided = { network = { onnx = { file = \"az.onnx\" } }, planes = { stones = \"split\" }, search = { simulations = 9 } }";
        let (spec, board) = (toml::from_str::<PlayerSpec>(text).unwrap(), game("gomoku = { size = 5, row = 4 }"));
        assert_eq!((spec.name(), spec.weights_file()), ("ONNX az.onnx 9".to_owned(), Some("az.onnx")));
        assert!(!spec.draws_weights() && !spec.agent().depends_on_seed());
        assert_eq!(serde_json::from_str::<PlayerSpec>(&serde_json::to_string(&spec).unwrap()).unwrap(), spec);
        // Nothing gives it other weights.
        assert_eq!(spec.clone().trained(), spec);
        spec.check(&board).unwrap();
        spec.check_weights(&board, &bytes).unwrap();
        let seed = Seed::new(1);
        let none = spec.build(&board, &Source { seed: &seed, checkpoint: None }).err().unwrap().to_string();
        assert!(none.contains("az.onnx"), "{none}");
        let mut player = spec.build(&board, &Source { seed: &seed, checkpoint: Some(&bytes) }).unwrap();
        let games = EvenGames::try_from(20).unwrap();
        let mean = fitness(&*board, &mut *player, &mut Random, games, &seed).unwrap().mean();
        assert!(mean > 0.2, "{mean}");
        let other = spec.check_weights(&game("gomoku = { size = 6 }"), &bytes).unwrap_err().to_string();
        assert!(other.contains("the positions of the game are [positions, 2, 6, 6]"), "{other}");
        let trained = text.replace("planes", "weights = \"trained\", planes");
        let refused = toml::from_str::<PlayerSpec>(&trained).unwrap().check(&board).unwrap_err();
        assert!(refused.contains("it has the weights of its file: leave `weights` out"), "{refused}");
    }

    #[test]
    fn what_does_not_fit_is_said_before() {
        let refused = |text: &str, board: &str, reason: &str| {
            let error = toml::from_str::<PlayerSpec>(text).unwrap().check(&game(board)).unwrap_err();
            assert!(error.contains(reason), "{error}");
        };
        let window = "guided = { network = { window-cnn = { window = 6 } } }";
        refused(window, "othello = { size = 5 }", "smaller than the 6 x 6 sites");
        let cnn = "guided = { network = { az-cnn = {} }, subgraphs = {} }";
        refused(cnn, "othello = { size = 5 }", "only graph networks");
        let (chess, moving) = ("chess = { size = 5 }", "there are 494 actions on 25 sites");
        refused(SAZ, chess, moving);
        let images = "guided = { network = { agz-cnn = {} } }";
        refused(images, chess, "`planes = { pieces = true }` shows pieces that move");
        let both = "guided = { network = { agz-cnn = {} }, planes = { pieces = true, stones = \"split\" } }";
        refused(both, chess, "`stones` or `pieces`, not both");
        let pieces = "guided = { network = { window-cnn = { window = 4 } }, planes = { pieces = true } }";
        refused(pieces, chess, "and 494 actions want one each");
        let dense = images.replace("{} }", "{} }, planes = { pieces = true }");
        for board in [chess, "breakthrough = { size = 6 }", "hex = { size = 5 }", "connect-four = {}"] {
            toml::from_str::<PlayerSpec>(&dense).unwrap().check(&game(board)).unwrap();
        }
        let sampling = "guided = { network = { saz = { hidden = 8 } }, subgraphs = {} }";
        refused(sampling, "mnk = { rows = 3, columns = 4, row = 3 }", "square boards");
        let moves = "guided = { network = { gateau = { hidden = 8 } } }";
        refused(moves, "othello = { size = 6 }", "moves from site to site");
        refused(moves, "breakthrough = { size = 5 }", "looks back on 8 positions");
        let moving = "guided = { network = { saz = { hidden = 8, moves = true } } }";
        for network in [moves, moving, "guided = { network = { gat = { hidden = 8 } } }"] {
            toml::from_str::<PlayerSpec>(network).unwrap().check(&game(chess)).unwrap();
        }
        refused(moving, "gomoku = { size = 9 }", "`saz` and the networks over images have a logit a site");
        let res_net = "guided = { network = { res-net-v2 = {} } }";
        refused(res_net, "chess = { size = 5 }", "history = true");
        let twice = "guided = { network = { agz-cnn = {} }, tensors = {}, planes = { last = true } }";
        refused(twice, "othello = { size = 6 }", "`planes` shows it nothing");
        let unseen = SAZ.replace("search", "tensors = {}, search");
        refused(&unseen, "othello = { size = 6 }", "it reads no images");
        let none = sampling.replace("subgraphs = {}", "subgraphs = { count = 0 }");
        toml::from_str::<PlayerSpec>(&none).unwrap().check(&game("mnk = { rows = 3, columns = 4, row = 3 }")).unwrap();
    }
}
