//! AlphaGateau as a network: construction, the forward pass as in the paper, and inference.

use candle_core::Tensor;

use crate::nets::deep::architecture::{Architecture, InputKind, move_graphs};
use super::gateau::{Block, Gateau, GateauLayer, GateauNet};
use crate::nets::deep::ops::{self, Links};
use crate::nets::deep::params::Maker;
use super::gateau_inference::GateauInference;
use crate::nets::deep::layers::Network;
use crate::nets::deep::{DeepError, Heads, Inference, Mode, Net, Param};
use crate::encoders::{Batch, Dims, Extent, MoveGraphs};

impl Architecture for Gateau {
    fn name(&self) -> String {
        let without = if self.sync_updates { "" } else { " without W_g" };
        format!("AlphaGateau {}x{}{without}", self.blocks.get(), self.hidden.get())
    }

    fn title(&self) -> &'static str {
        "AlphaGateau"
    }

    fn network(&self, _dims: Dims) -> Option<Network> {
        None
    }

    fn reads(&self) -> InputKind {
        InputKind::Moves { edges: self.edges }
    }

    fn scales(&self) -> bool {
        true
    }

    fn weight_count(&self, dims: Dims) -> Option<usize> {
        match dims {
            Dims::Moves(dims) => Some(Gateau::weight_count(self, dims)),
            Dims::Planes { .. } | Dims::Graphs { .. } => None,
        }
    }

    fn board_macs(&self, extent: Extent) -> f64 {
        let Dims::Moves(dims) = extent.dims else { return 0.0 };
        GateauNet::macs(self, dims, [extent.sites as u64, extent.slots as u64]) as f64
    }

    fn build(&self, dims: Dims, maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        match dims {
            Dims::Moves(dims) => Ok(Box::new(self.net(dims, maker)?)),
            given => Err(DeepError::Batch { net: "AlphaGateau", wanted: "graphs of moves".to_owned(), given }),
        }
    }
}

impl GateauLayer {
    /// Equations 4 to 6, with W_h and W_g after the weighted sums.
    fn forward(&self, h: &Tensor, g: &Tensor, links: &Links) -> Result<(Tensor, Tensor), DeepError> {
        let edges =
            ops::join(&self.e.forward(g, false)?, &self.u.forward(h, false)?, &self.v.forward(h, false)?, links)?;
        let scores = ops::leaky_relu(&self.attention.forward(&edges, false)?.squeeze(1)?)?;
        let weights = ops::softmax_by_receiver(&scores, links)?;
        let sent = ops::gather_weighted(&weights, h, links)?;
        let nodes = (self.own.forward(h, false)? + self.h.forward(&sent, false)?)?;
        let nodes = match &self.g {
            Some(layer) => (nodes + layer.forward(&ops::collect_weighted(&weights, g, links)?, false)?)?,
            None => (nodes + ops::collect_weighted(&weights, &edges, links)?)?,
        };
        Ok((nodes, edges))
    }
}

impl Block {
    fn forward(
        &self,
        h: &Tensor,
        g: &Tensor,
        links: &Links,
        mode: &mut Mode<'_>,
    ) -> Result<(Tensor, Tensor), DeepError> {
        let (mut nodes, mut edges) = (h.clone(), g.clone());
        for ([node_norm, edge_norm], layer) in self.norms.iter().zip(&self.layers) {
            (nodes, edges) =
                layer.forward(&node_norm.forward(&nodes, mode)?, &edge_norm.forward(&edges, mode)?, links)?;
        }
        Ok(((h + nodes)?, (g + edges)?))
    }
}

impl GateauNet {
    /// The input of the heads, `[N, H]` and `[E, H]`.
    fn embed(&self, moves: &MoveGraphs, links: &Links, mode: &mut Mode<'_>) -> Result<(Tensor, Tensor), DeepError> {
        let mut h = self.nodes.read(moves.node_values())?;
        let mut g = self.edges.read(moves.edge_values())?;
        for block in &self.blocks {
            (h, g) = block.forward(&h, &g, links, mode)?;
        }
        Ok((h, g))
    }

    fn policy_logits(&self, g: &Tensor, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let ([before, behind], [hidden, logit]) = (&self.policy_norms, &self.policy);
        let hidden = hidden.forward(&before.forward(g, mode)?, false)?;
        Ok(logit.forward(&behind.forward(&hidden, mode)?, false)?.squeeze(1)?)
    }
}

impl Net for GateauNet {
    fn dims(&self) -> Dims {
        Dims::Moves(self.dims)
    }

    fn params(&self) -> &[Param] {
        &self.params
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        let moves = move_graphs(batch, self.dims, "AlphaGateau")?;
        if let Some(heads) = self.train(moves, &mut mode)? {
            return Ok(heads);
        }
        let links = Links::of(moves);
        let (h, g) = self.embed(moves, &links, &mut mode)?;
        let policy_logits = self.policy_logits(&g, &mut mode)?;
        Ok(Heads::new(policy_logits, self.value.forward(&h, &Links::boards(moves), &mut mode)?))
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(GateauInference::new(self)?))
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        let Batch::Moves(moves) = batch else { return 0 };
        let graph = moves.graph(index);
        2 * GateauNet::macs(&self.config, self.dims, [graph.nodes() as u64, graph.edges() as u64])
    }
}
