//! Checks of a guided player before any job: its input, its budget, its weights.

use std::sync::Arc;

use super::agent::{Agent as _, require_alike, require_fit};
use super::guided::GuidedAgent;
use super::{ModelMetadata, PlayerError, Weights};
use gauntlet_games::games::Game;
use gauntlet_nets::encoders::{Dims, PlanesSpec, is_full_grid};
use gauntlet_nets::nets::CheckpointError;
use gauntlet_nets::nets::deep::{DeepCheckpoint, DeepSpec, Init, InputKind};

impl GuidedAgent {
    /// The file beside an ONNX file with answers that the network has to give.
    pub(super) fn answers_file(&self) -> Option<String> {
        match &self.network {
            DeepSpec::Onnx(network) => network.answers_file(),
            _ => None,
        }
    }

    /// Compares the answers of an ONNX file with those of another file.
    ///
    /// # Errors
    /// If it is no file of answers, or they differ by more than rounding.
    pub(super) fn check_answers(&self, game: &Arc<dyn Game>, bytes: &[u8], answers: &[u8]) -> Result<(), PlayerError> {
        match &self.network {
            DeepSpec::Onnx(network) => {
                let compared = network.compare(bytes, self.encoding().extent(&**game).dims, answers);
                Ok(compared.map(drop).map_err(CheckpointError::from)?)
            }
            _ => Ok(()),
        }
    }

    /// Refuses a budget below the operations of one evaluation.
    pub(super) fn check_operations(&self, game: &dyn Game) -> Result<(), String> {
        let Some(operations) = self.search.simulations.operations() else { return Ok(()) };
        if matches!(self.network, DeepSpec::Onnx(_) | DeepSpec::External(_)) {
            return Err("the operations of a network of a file or of another program are not counted: give it \
                        simulations"
                .to_owned());
        }
        let each = self.flops(game);
        match operations < each {
            true => Err(format!(
                "{operations:e} operations are fewer than the {each:.3e} of one evaluation on {}",
                game.name()
            )),
            false => Ok(()),
        }
    }

    /// Refuses `planes` and `tensors` together, or without a network that reads them.
    pub(super) fn check_images(&self) -> Result<(), String> {
        match (&self.tensors, self.reads_images(), self.reads_tensors()) {
            (Some(_), false, _) => Err("it reads no images, so that `tensors` has no effect".to_owned()),
            (_, _, true) if self.planes != PlanesSpec::default() => {
                Err("it sees the `tensors` of the game, so that `planes` shows it nothing".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Refuses a number format for a network that another program computes, and a program without a command.
    pub(super) fn check_program(&self) -> Result<(), String> {
        match &self.network {
            DeepSpec::External(network) if network.command.first().is_none_or(String::is_empty) => {
                Err("it needs a command: `command = [\"python3\", \"net.py\"]`".to_owned())
            }
            DeepSpec::External(_) if !self.numbers.is_f32() => {
                Err("its program has number formats of its own: leave `numbers` out".to_owned())
            }
            DeepSpec::External(_) if self.init != Init::default() => {
                Err("its program draws the weights: leave `init` out".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Refuses `weights` for a network that has its own.
    pub(super) fn check_own_weights(&self) -> Result<(), String> {
        match &self.network {
            DeepSpec::Onnx(_) if self.weights != Weights::Random => {
                Err("it has the weights of its file: leave `weights` out".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Refuses weights of a file that learned from other planes, or on a board from which they do not carry over to that
    /// of `played`. A file without metadata does not tell.
    pub(super) fn check_learned(&self, checkpoint: &DeepCheckpoint, played: &dyn Game) -> Result<(), PlayerError> {
        let Weights::File(file) = &self.weights else { return Ok(()) };
        // Metadata of another version of this program do not tell either.
        let Ok(Some(learned)) = ModelMetadata::of(checkpoint) else { return Ok(()) };
        let file = file.clone();
        if !self.shares_input(learned.agent.untuned().agent()) {
            return Err(PlayerError::OtherPlanes { file, player: self.network.name() });
        }
        let dims = [checkpoint.dims, self.encoding().extent(played).dims];
        let carried = self.check_dims(dims, &*learned.game.build(), played);
        carried.map_err(|reason| PlayerError::OtherBoard { file, reason })
    }

    /// Checks that weights which learned from batches of the first dimensions can be used on those of the second ones.
    pub(super) fn check_dims(
        &self,
        [from, to]: [Dims; 2],
        learned: &dyn Game,
        played: &dyn Game,
    ) -> Result<(), String> {
        require_alike(from.has_same_features(to), &self.network.name(), learned, played)?;
        let fits = self.network.architecture().carries_over(from, to);
        require_fit(fits, &self.network.name(), learned, played)
    }

    /// Checks that subgraphs can be sampled, if they are.
    pub(super) fn check_sampling(&self, game: &dyn Game) -> Result<(), String> {
        let board = game.topology();
        let is_square = board.rows() == board.columns() && is_full_grid(game);
        match self.network.reads() {
            _ if self.sampling().is_none() => Ok(()),
            InputKind::Graphs if is_square => Ok(()),
            InputKind::Graphs => Err("subgraphs are sampled on square boards".to_owned()),
            InputKind::Images { .. } | InputKind::Moves { .. } => {
                Err("only graph networks over sites support subgraphs".to_owned())
            }
        }
    }
}
