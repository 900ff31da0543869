//! AlphaGateau as a network: how it is built, its forward pass as the paper writes it, and its inference.

use candle_core::Tensor;

use super::architecture::{Architecture, InputKind};
use super::gateau::{Block, Bnr, Gateau, GateauLayer, GateauNet, PoolScore};
use super::ops::{self, Links};
use super::params::{BatchNorm, Maker};
use super::{DeepError, GateauInference, Heads, Inference, Mode, Net, Param};
use crate::encoders::{Batch, Dims, Extent, MoveDims, MoveGraphs};

impl Architecture for Gateau {
    fn name(&self) -> String {
        let without = if self.sync_updates { "" } else { " without W_g" };
        format!("AlphaGateau {}x{}{without}", self.blocks.get(), self.hidden.get())
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

    fn board_products(&self, extent: Extent) -> f64 {
        let Dims::Moves(dims) = extent.dims else { return 0.0 };
        GateauNet::products(self, dims, [extent.sites as u64, extent.slots as u64]) as f64
    }

    fn build(&self, dims: Dims, maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        match dims {
            Dims::Moves(dims) => Ok(Box::new(self.net(dims, maker)?)),
            given => Err(DeepError::Batch { net: "AlphaGateau", wanted: "graphs of moves".to_owned(), given }),
        }
    }
}

impl Bnr {
    fn forward(&self, x: &Tensor, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        match self {
            Bnr::Frozen(norm) => Ok(ops::scale_relu(x, &(norm.gain.as_tensor() * ops::unit_scale())?, &norm.bias)?),
            Bnr::Batch(norm) => norm.forward(x, 0.0, mode),
        }
    }

    /// Factor and offset of each feature at play.
    pub(super) fn folded(&self) -> Result<(Tensor, Tensor), DeepError> {
        match self {
            Bnr::Frozen(norm) => Ok(((norm.gain.as_tensor() * ops::unit_scale())?, norm.bias.as_tensor().clone())),
            Bnr::Batch(norm) => norm.folded(),
        }
    }
}

impl GateauLayer {
    /// Equations 4 to 6, with W_h and W_g behind the weighted sums.
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
    /// The graphs of a batch that this network reads.
    fn graphs<'a>(&self, batch: &'a Batch) -> Result<&'a MoveGraphs, DeepError> {
        match batch {
            Batch::Moves(moves) if moves.dims() == self.dims => Ok(moves),
            _ => {
                let MoveDims { edge, .. } = self.dims;
                let wanted = format!("graphs of moves with {} numbers a node and {edge} an edge", self.dims.node());
                Err(DeepError::Batch { net: "AlphaGateau", wanted, given: batch.dims() })
            }
        }
    }

    /// What the heads read, `[N, H]` and `[E, H]`.
    fn embed(&self, moves: &MoveGraphs, links: &Links, mode: &mut Mode<'_>) -> Result<(Tensor, Tensor), DeepError> {
        let kind = (self.nodes.weight.dtype(), self.nodes.weight.device());
        let rows = |values: Vec<f32>, width: usize| -> Result<Tensor, DeepError> {
            let count = values.len() / width;
            Ok(Tensor::from_vec(values, (count, width), kind.1)?.to_dtype(kind.0)?)
        };
        let mut h = self.nodes.forward(&rows(moves.node_values(), self.dims.node())?, false)?;
        let mut g = self.edges.forward(&rows(moves.edge_values(), self.dims.edge)?, false)?;
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

    fn values(&self, h: &Tensor, moves: &MoveGraphs, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let ((before, behind), [hidden, attention, value]) = (&self.value_norms, &self.value);
        let behind: &BatchNorm = behind;
        let x = behind.forward(&hidden.forward(&before.forward(h, mode)?, false)?, 0.0, mode)?;
        let scores = attention.forward(&x, false)?.squeeze(1)?;
        let scores = if self.config.pool == PoolScore::Leaky { ops::leaky_relu(&scores)? } else { scores };
        let boards = Links::boards(moves);
        let pooled = ops::collect_weighted(&ops::softmax_by_receiver(&scores, &boards)?, &x, &boards)?;
        Ok(value.forward(&pooled.relu()?, false)?.squeeze(1)?.tanh()?)
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
        let moves = self.graphs(batch)?;
        let links = Links::of(moves);
        let (h, g) = self.embed(moves, &links, &mut mode)?;
        let policy_logits = self.policy_logits(&g, &mut mode)?;
        Ok(Heads { policy_logits, value: self.values(&h, moves, &mut mode)? })
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(GateauInference::new(self)?))
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        let Batch::Moves(moves) = batch else { return 0 };
        let graph = moves.graph(index);
        2 * GateauNet::products(&self.config, self.dims, [graph.nodes() as u64, graph.edges() as u64])
    }
}
