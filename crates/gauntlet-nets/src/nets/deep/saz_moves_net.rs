//! SAZ over moves as a network: forward pass and inference. Its construction is in `saz`.

use std::sync::Arc;

use candle_core::Tensor;

use super::architecture::move_graphs;
use super::ops::{Adjacency, Links};
use super::saz::SazMovesNet;
use super::saz_moves_inference::SazMovesInference;
use super::{DeepError, Heads, Inference, Mode, Net, Param};
use crate::encoders::{Batch, Dims, MoveGraphs};

impl SazMovesNet {
    /// The features of all nodes `[N, features]`; a board's dummy node, with zeros, comes after its sites.
    fn values(&self, moves: &MoveGraphs) -> Result<Tensor, DeepError> {
        let (width, sites) = (self.dims.node(), moves.node_values());
        let mut values = Vec::with_capacity(sites.len() + moves.positions() * width);
        for index in 0..moves.positions() {
            let span = moves.node_span(index);
            values.extend_from_slice(&sites[span.start * width..span.end * width]);
            values.resize(values.len() + width, 0.0);
        }
        let (dtype, device) = (self.value.weight.dtype(), self.value.weight.device());
        Ok(Tensor::from_vec(values, ((), width), device)?.to_dtype(dtype)?)
    }
}

impl Net for SazMovesNet {
    fn dims(&self) -> Dims {
        Dims::Moves(self.dims)
    }

    fn params(&self) -> &[Param] {
        &self.params
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        let moves = move_graphs(batch, self.dims, "SAZ on moves")?;
        let boards: Vec<_> = moves.graphs().iter().map(|graph| Arc::clone(graph.board())).collect();
        let adjacency = Adjacency::of(&boards);
        let h = self.trunk.embed(self.values(moves)?, &adjacency, &mut mode, |h| h)?;
        let policy_logits = self.policy.forward(&h, &Links::beside_dummies(moves), &mut mode)?;
        Ok(Heads::new(policy_logits, self.trunk.value(&self.value.forward(&h, false)?, &adjacency)?))
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(SazMovesInference::new(self)?))
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        let Batch::Moves(moves) = batch else { return 0 };
        let graph = moves.graph(index);
        2 * SazMovesNet::macs(&self.trunk.config, self.dims, [graph.nodes() as u64 + 1, graph.edges() as u64])
    }
}
