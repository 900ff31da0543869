//! Players: programs that choose moves. One file is one player.
//!
//! To add a player, write a file with a [`Chooser`] or a [`Player`], and an [`Agent`], its settings; then add a variant and
//! two arms to [`PlayerSpec`].

mod agent;
mod alpha_beta;
mod benchmark;
mod chooser;
mod engine;
mod evaluator;
mod external;
mod greedy;
mod guided;
mod guided_checks;
mod guided_work;
mod head;
mod liberties;
mod model_metadata;
mod naive;
mod net;
mod number_range;
mod place;
mod random;
mod repeat;
mod search_player;
mod searcher;
mod spec;
mod subgraphs;
mod tactician;
mod taker;
mod timed;
mod tuned;

use std::time::Duration;

use crate::engines::messages::ClockTimes;
use crate::engines::{EngineError, EngineFacts};
use crate::search::{SearchError, SearchResult};
pub use agent::{Agent, Nothing, PlayOverrides, Source, Weights, Workload};
pub use alpha_beta::{AlphaBeta, AlphaBetaSpec};
pub use benchmark::Benchmark;
pub use chooser::Chooser;
pub use engine::EngineAgent;
pub use evaluator::NetEvaluator;
use gauntlet_games::base::{Action, Cores, Rng, Seed, Stop};
use gauntlet_games::games::{GameSpec, Position};
use gauntlet_nets::nets::{CheckpointError, NetError};
pub use greedy::{Greedy, GreedySpec, GreedyTies};
pub use guided::GuidedAgent;
pub use head::Head;
pub use model_metadata::ModelMetadata;
pub use naive::Naive;
pub use net::{NetAgent, NetPlayer};
pub use number_range::{NumberRange, NumberScale};
pub use place::{each_program, essential, located};
pub use random::Random;
pub use search_player::SearchPlayer;
pub use searcher::{Guide, Playouts, SearchAgent, UctAgent};
pub use spec::PlayerSpec;
pub use subgraphs::{Combine, NodeLaw, PassLaw, PriorLaw, Rounding, SizeLaw, SubgraphPriors, SubgraphSpec, ValueFrom};
pub use tactician::{Tactician, TacticianSpec};
pub use tuned::{Tunable, TunedAgent, TunedSource, tuned_bytes, tuned_text};

/// One decision: a position, its game's random stream, and a field for the answer.
pub struct Turn<'a> {
    /// Index of the game within the match; players with state between moves use it as the key.
    pub game: usize,
    /// Plies of the game so far, including an opening.
    pub ply: u32,
    /// The position, which is not over.
    pub position: &'a dyn Position,
    /// The position that was set up at the start, in the game's notation; `None` for the start by the rules.
    pub start: Option<&'a str>,
    /// The actions since the start, including an opening's.
    pub actions: &'a [Action],
    /// The random stream of this game and side. Players draw from it and never replace it: an interrupted game counts the
    /// draws.
    pub rng: &'a mut Rng,
    /// The seed of that stream, if it has one.
    pub stream: Option<Seed>,
    /// The clock, in matches with one.
    pub clock: Option<ClockTimes>,
    /// The seed of a search of this position; if `None`, a search draws its own from the stream.
    pub seed: Option<Seed>,
    /// The answer.
    pub decision: Decision,
}

impl<'a> Turn<'a> {
    /// A turn at the first ply of a game, without a seed and undecided.
    #[must_use]
    pub fn new(game: usize, position: &'a dyn Position, rng: &'a mut Rng) -> Turn<'a> {
        let decision = Decision::default();
        Turn { game, ply: 0, position, start: None, actions: &[], rng, stream: None, clock: None, seed: None, decision }
    }
}

/// The decision of a player, with its reasons if it reports any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// The chosen action; `None` until decided.
    pub action: Option<Action>,
    /// Whether the player gives the game up; it then needs no action.
    pub resigns: bool,
    /// Expected outcome for the side to move, -1 to 1, if the player has one.
    pub value: Option<f32>,
    /// The search result, if the player searches.
    pub found: Option<SearchResult>,
    /// The probabilities with which the action was drawn, one for each root child of `found`; empty without a search.
    pub policy: Vec<f32>,
}

impl Decision {
    /// The actions that were considered, ascending, with the probabilities of the draw.
    pub fn considered(&self) -> impl Iterator<Item = (Action, f32)> {
        let children = self.found.iter().flat_map(|found| &found.children);
        children.map(|child| child.action).zip(self.policy.iter().copied())
    }
}

/// Chooses moves for many games at once, so that networks can evaluate them in one batch.
///
/// The answer to a turn depends on its position and its random stream alone, never on the other turns.
pub trait Player: Send {
    /// Fills in the decision of every turn.
    ///
    /// # Errors
    /// If the player cannot answer (an engine that died). The job then fails; the game is not counted as lost.
    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError>;

    /// Sets up the games of these turns, before a clock runs. Default: no effect.
    ///
    /// # Errors
    /// If an engine is broken.
    fn prepare(&mut self, _turns: &[Turn<'_>]) -> Result<(), PlayerError> {
        Ok(())
    }

    /// Number of turns that cost the same as one: multiples of it are the most efficient batches. At least 1.
    fn lanes(&self) -> usize {
        1
    }

    /// Lets decisions use these cores from now on; no answer depends on them. Default: no effect.
    fn helped_by(&mut self, _cores: &Cores) {}

    /// Whether a decision can depend on earlier ones of the same game. An interrupted game of such a player starts again.
    /// Default: no.
    fn remembers(&self) -> bool {
        false
    }

    /// Ends this game: its state can be dropped, and the next game with its index is a new one.
    fn forget(&mut self, _game: usize) {}

    /// Prepares for games in this setting. Called once, before the first decision. Engines start here.
    ///
    /// # Errors
    /// If an engine does not start, or does not play the game.
    fn begin(&mut self, _setting: &Setting<'_>) -> Result<(), PlayerError> {
        Ok(())
    }

    /// Number of games that it can play at the same time. Default: any number.
    fn games_at_once(&self) -> usize {
        usize::MAX
    }

    /// Processor time that it has used outside this process since it began, if it is an engine and the system tells.
    fn processor_time(&self) -> Option<Duration> {
        None
    }

    /// The work of its moves so far, if time limits them. Default: none.
    fn timed_work(&self) -> TimedWork {
        TimedWork::default()
    }

    /// Ends after the last decision. Returns facts about the engine, if it is one.
    ///
    /// # Errors
    /// If an engine turns out not to be as declared.
    fn end(&mut self) -> Result<Option<EngineFacts>, PlayerError> {
        Ok(None)
    }
}

/// The work of moves that time limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimedWork {
    /// Moves.
    pub moves: u64,
    /// Simulations of their searches.
    pub simulations: u64,
}

/// The setting of games that a player prepares for.
#[derive(Debug, Clone)]
pub struct Setting<'a> {
    /// The game.
    pub game: &'a GameSpec,
    /// When it is set, waiting for an engine ends.
    pub stop: Stop,
}

/// Errors of a player.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// The player does not support this game.
    #[error("{player} cannot play {game}: {reason}")]
    Unsuited {
        /// The player.
        player: String,
        /// The game.
        game: String,
        /// The reason.
        reason: String,
    },
    /// A network's weights do not fit it or the board.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A checkpoint cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The numbers of a tuning are not those of the player.
    #[error("{0}")]
    Numbers(String),
    /// A search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// An engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Trained weights are required, and there are none of this network.
    #[error("there are no trained weights of {player}; set the stage's `from` to a training")]
    Untrained {
        /// The player.
        player: String,
    },
    /// The source holds weights of another network.
    #[error("{place} holds weights of {held}, not of {player}")]
    OtherWeights {
        /// The source.
        place: String,
        /// The network of those weights.
        held: String,
        /// The player.
        player: String,
    },
    /// The weights of a file learned from other images of the positions.
    #[error(
        "{player} sees other planes than the player that learned the weights of `{file}`: give it the \
         planes of the training"
    )]
    OtherPlanes {
        /// The file.
        file: String,
        /// The player.
        player: String,
    },
    /// The weights of a file learned on a board from which they do not carry over.
    #[error("`{file}`: {reason}")]
    OtherBoard {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// A file of weights is required, and it has none.
    #[error("`{file}` has no weights of {player}")]
    NoWeights {
        /// The file.
        file: String,
        /// The player.
        player: String,
    },
}
