//! Inference by kernels of a network's own, one position at a time.

use crate::encoders::{Batch, Dims, MoveDims, MoveGraphs};
use crate::nets::deep::layers::{LayeredNet, Network, PositionSize};
use crate::nets::deep::{Answers, DeepError, Inference};
use crate::nets::kernels::{Path, Vector, Vectorized};

/// Weights and buffers of a network.
pub trait PositionCore: Clone + Send + 'static {
    /// Writes the logits of a position of a batch and returns its value; implementations are `#[inline(always)]`.
    fn answer<V: Vector>(&mut self, moves: &MoveGraphs, index: usize, logits: &mut [f32]) -> f32;
}

/// A network with its weights bound for inference.
#[derive(Clone)]
pub struct ByPosition<C> {
    name: &'static str,
    dims: Dims,
    path: Path,
    core: C,
    network: Network,
}

/// The dimensions of the batches that a network reads.
pub fn move_dims(net: &LayeredNet) -> MoveDims {
    let Dims::Moves(dims) = net.dims else { unreachable!("the network reads graphs of moves") };
    dims
}

impl<C: PositionCore> ByPosition<C> {
    /// The inference of a network by this core.
    pub fn boxed(net: &LayeredNet, core: C) -> Box<dyn Inference> {
        let LayeredNet { name, dims, ref network, .. } = *net;
        Box::new(ByPosition { name, dims, path: Path::best(), core, network: network.clone() })
    }
}

impl<C: PositionCore> Inference for ByPosition<C> {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        let moves = match batch {
            Batch::Moves(moves) if batch.dims() == self.dims => moves,
            _ => return Err(DeepError::Batch { net: self.name, wanted: self.dims.to_string(), given: batch.dims() }),
        };
        answers.policy_logits.resize(moves.edges(), 0.0);
        answers.values.resize(moves.positions(), 0.0);
        for (index, value) in answers.values.iter_mut().enumerate() {
            let logits = &mut answers.policy_logits[moves.span(index)];
            self.path.perform(&mut PositionPass { core: &mut self.core, moves, index, logits, value });
        }
        Ok(())
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        2 * self.network.macs(PositionSize::of(batch, index))
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(self.clone()))
    }
}

/// One position of a batch and the buffers for its result.
struct PositionPass<'a, C> {
    core: &'a mut C,
    moves: &'a MoveGraphs,
    index: usize,
    logits: &'a mut [f32],
    value: &'a mut f32,
}

impl<C: PositionCore> Vectorized for PositionPass<'_, C> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        *self.value = self.core.answer::<V>(self.moves, self.index, self.logits);
    }
}
