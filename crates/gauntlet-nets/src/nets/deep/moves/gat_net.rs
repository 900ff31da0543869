//! Graph attention over moves as a network: construction, forward pass and inference.

use candle_core::Tensor;

use crate::nets::deep::architecture::{Architecture, InputKind, move_graphs};
use super::gat::{Gat, GatLayer, GatNet};
use super::gat_inference::GatInference;
use crate::nets::deep::ops::{self, Links};
use crate::nets::deep::params::Maker;
use crate::nets::deep::layers::Network;
use crate::nets::deep::{DeepError, Heads, Inference, Mode, Net, Param};
use crate::encoders::{Batch, Dims, EdgeFeatures, Extent};

impl Architecture for Gat {
    fn name(&self) -> String {
        format!("graph attention {}x{}", self.blocks.get(), self.hidden.get())
    }

    fn title(&self) -> &'static str {
        "graph attention"
    }

    fn network(&self, _dims: Dims) -> Option<Network> {
        None
    }

    fn reads(&self) -> InputKind {
        InputKind::Moves { edges: EdgeFeatures::Paper }
    }

    fn scales(&self) -> bool {
        true
    }

    fn weight_count(&self, dims: Dims) -> Option<usize> {
        match dims {
            Dims::Moves(dims) => Some(Gat::weight_count(self, dims)),
            Dims::Planes { .. } | Dims::Graphs { .. } => None,
        }
    }

    fn board_macs(&self, extent: Extent) -> f64 {
        let Dims::Moves(dims) = extent.dims else { return 0.0 };
        GatNet::macs(self, dims, [extent.sites as u64, extent.slots as u64]) as f64
    }

    fn build(&self, dims: Dims, maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        match dims {
            Dims::Moves(dims) => Ok(Box::new(self.net(dims, maker)?)),
            given => Err(DeepError::Batch { net: "graph attention", wanted: "graphs of moves".to_owned(), given }),
        }
    }
}

impl GatLayer {
    /// One layer after its norm, with W_h after the weighted sums.
    fn forward(&self, h: &Tensor, links: &Links, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let (h, [sender, receiver]) = (self.norm.forward(h, mode)?, &self.scores);
        let scores = ops::ends(&sender.forward(&h, false)?, &receiver.forward(&h, false)?, links)?.squeeze(1)?;
        let weights = ops::softmax_by_receiver(&ops::leaky_relu(&scores)?, links)?;
        let sent = ops::gather_weighted(&weights, &h, links)?;
        Ok((self.own.forward(&h, false)? + self.h.forward(&sent, false)?)?)
    }
}

impl Net for GatNet {
    fn dims(&self) -> Dims {
        Dims::Moves(self.dims)
    }

    fn params(&self) -> &[Param] {
        &self.params
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        let moves = move_graphs(batch, self.dims, "graph attention")?;
        let (links, mode) = (Links::of(moves), &mut mode);
        let mut h = self.nodes.read(moves.node_values())?;
        for block in self.layers.chunks_exact(2) {
            h = (&h + block[1].forward(&block[0].forward(&h, &links, mode)?, &links, mode)?)?;
        }
        let policy_logits = self.policy.forward(&self.before_policy.forward(&h, mode)?, &links, mode)?;
        Ok(Heads::new(policy_logits, self.value.forward(&h, &Links::boards(moves), mode)?))
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(GatInference::new(self)?))
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        let Batch::Moves(moves) = batch else { return 0 };
        let graph = moves.graph(index);
        2 * GatNet::macs(&self.config, self.dims, [graph.nodes() as u64, graph.edges() as u64])
    }
}
