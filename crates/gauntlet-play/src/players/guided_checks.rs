//! Checks of a guided player before any job: its input, its budget, its weights.

use std::sync::Arc;

use super::guided::GuidedAgent;
use super::{PlayerError, Weights};
use gauntlet_games::games::Game;
use gauntlet_nets::encoders::{PlanesSpec, is_full_grid};
use gauntlet_nets::nets::CheckpointError;
use gauntlet_nets::nets::deep::{DeepSpec, Init, InputKind};

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
