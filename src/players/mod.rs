//! Who chooses a move. One file is one player.
//!
//! To add one: a file with a [`Player`] and an [`Agent`], its settings; then one variant and one arm of [`PlayerSpec`].

mod agent;
mod alpha_beta;
mod benchmark;
mod chooser;
mod evaluator;
mod greedy;
mod guided;
mod liberties;
mod model_metadata;
mod naive;
mod net;
mod random;
mod searcher;
mod spec;
mod subgraphs;
mod tactician;
mod taker;

use crate::search::{Findings, SearchError};
pub use agent::{Agent, Knobs, Nothing, Source, Weights, Workload};
pub use alpha_beta::{AlphaBeta, AlphaBetaSpec};
pub use benchmark::Benchmark;
pub use chooser::Chooser;
pub use evaluator::NetEvaluator;
use gauntlet_games::base::{Action, Cores, Rng, Seed};
use gauntlet_games::games::Position;
use gauntlet_nets::nets::{CheckpointError, NetError};
pub use greedy::{Greedy, GreedySpec, GreedyTies};
pub use guided::GuidedAgent;
pub use model_metadata::ModelMetadata;
pub use naive::Naive;
pub use net::{NetAgent, NetPlayer};
pub use random::Random;
pub use searcher::{Guide, Playouts, SearchAgent, SearchPlayer, UctAgent};
pub use spec::PlayerSpec;
pub use subgraphs::{Combine, NodeLaw, PassLaw, PriorLaw, Rounding, SizeLaw, SubgraphPriors, SubgraphSpec, ValueFrom};
pub use tactician::{Tactician, TacticianSpec};

/// One decision to be taken: a position, its game's random stream, and room for the answer.
pub struct Turn<'a> {
    /// Index of the game within the match; players that remember things between moves key them by it.
    pub game: usize,
    /// Plies of the game so far, those of an opening too.
    pub ply: u32,
    /// The position, which is not over.
    pub position: &'a dyn Position,
    /// The random stream of this game and side.
    pub rng: &'a mut Rng,
    /// The seed of a search of this position; `None` where a search draws its own from the stream.
    pub seed: Option<Seed>,
    /// The answer.
    pub decision: Decision,
}

impl<'a> Turn<'a> {
    /// A turn at the first ply of a game, without a seed and undecided.
    #[must_use]
    pub fn new(game: usize, position: &'a dyn Position, rng: &'a mut Rng) -> Turn<'a> {
        Turn { game, ply: 0, position, rng, seed: None, decision: Decision::default() }
    }
}

/// What a player decided, and why, as far as it can tell.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// The chosen action; `None` until decided.
    pub action: Option<Action>,
    /// Expected outcome for the side to move, -1 to 1, where the player has one.
    pub value: Option<f32>,
    /// What a search has found, where there was one.
    pub found: Option<Findings>,
    /// The probabilities with which the action was drawn, one for each branch of `found`; empty without a search.
    pub policy: Vec<f32>,
}

impl Decision {
    /// The actions that were considered, ascending, with the probabilities with which one was drawn.
    pub fn considered(&self) -> impl Iterator<Item = (Action, f32)> {
        let branches = self.found.iter().flat_map(|found| &found.branches);
        branches.map(|branch| branch.action).zip(self.policy.iter().copied())
    }
}

/// Chooses moves for many games at once, so that networks can evaluate them in one batch.
///
/// The answer to a turn depends on its position and its random stream alone, never on the other turns.
pub trait Player: Send {
    /// Fills in the decision of every turn.
    ///
    /// # Errors
    /// When the player cannot answer (an engine that died); that fails the job and is no lost game.
    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError>;

    /// Turns that cost no more than one: batches of a multiple of this many are the cheapest. At least 1.
    fn lanes(&self) -> usize {
        1
    }

    /// These cores may help with decisions from now on; no answer depends on them. Default: they do not.
    fn helped_by(&mut self, _cores: &Cores) {}

    /// This game is over: what was remembered of it can go, and the next game with its index is another one.
    fn forget(&mut self, _game: usize) {}
}

/// Why a player gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// The player does not know this game.
    #[error("{player} cannot play {game}: {reason}")]
    Unsuited {
        /// Which player.
        player: String,
        /// Which game.
        game: String,
        /// Why not.
        reason: String,
    },
    /// A network's weights do not fit it or the board.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Trained weights cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A search found nothing.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// Trained weights are wanted, and there are none of this network.
    #[error("there are no trained weights of {player}; a stage with `from` takes them from a training")]
    Untrained {
        /// Which player.
        player: String,
    },
    /// Weights of one network are wanted, and there are those of another.
    #[error("{place} holds weights of {held}, not of {player}")]
    OtherWeights {
        /// Where they were to be.
        place: String,
        /// Whose they are.
        held: String,
        /// Which player.
        player: String,
    },
    /// A file of weights is wanted, and there is none.
    #[error("`{file}` has no weights of {player}")]
    NoWeights {
        /// The file.
        file: String,
        /// Which player.
        player: String,
    },
}
