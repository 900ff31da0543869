//! SAZ as a network: construction, forward pass and inference.

use candle_core::{DType, Tensor};

use super::architecture::{Architecture, InputKind};
use super::ops::{self, Adjacency};
use super::params::Maker;
use super::saz::{Pool, Saz, SazMovesNet, SazNet, SazTrunk};
use super::{DeepError, Heads, Inference, Mode, Net, Param, SazInference};
use crate::encoders::{Batch, Dims, EdgeFeatures, Extent, Graphs};

impl Architecture for Saz {
    fn name(&self) -> String {
        let moves = if self.moves { " on moves" } else { "" };
        format!("SAZ {}x{}{moves}", self.layers.get(), self.hidden.get())
    }

    fn reads(&self) -> InputKind {
        if self.moves { InputKind::Moves { edges: EdgeFeatures::Paper } } else { InputKind::Graphs }
    }

    fn scales(&self) -> bool {
        true
    }

    fn weight_count(&self, dims: Dims) -> Option<usize> {
        match (self.moves, dims) {
            (false, Dims::Graphs { features: 1 }) => Some(Saz::weight_count(self, 1)),
            (true, Dims::Moves(dims)) => Some(Saz::weight_count(self, dims.node())),
            (_, Dims::Planes { .. } | Dims::Graphs { .. } | Dims::Moves(_)) => None,
        }
    }

    fn board_macs(&self, extent: Extent) -> f64 {
        match extent.dims {
            Dims::Moves(dims) => SazMovesNet::macs(self, dims, [extent.sites as u64 + 1, extent.slots as u64]) as f64,
            Dims::Graphs { .. } | Dims::Planes { .. } => ((extent.sites + 1) * Saz::weight_count(self, 1)) as f64,
        }
    }

    fn build(&self, dims: Dims, maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        match (self.moves, dims) {
            (false, Dims::Graphs { features: 1 }) => Ok(Box::new(self.net(1, maker)?)),
            (true, Dims::Moves(dims)) => Ok(Box::new(self.moves_net(dims, maker)?)),
            (false, given) => {
                Err(DeepError::Batch { net: "SAZ", wanted: "graphs with one number a node".to_owned(), given })
            }
            (true, given) => Err(DeepError::Batch { net: "SAZ", wanted: "graphs of moves".to_owned(), given }),
        }
    }
}

impl SazTrunk {
    /// The input of the heads, `[N, H]`. `settle` receives every layer's output: to keep it, or to detach it from its
    /// inputs, without which a single large board needs gigabytes.
    pub(super) fn embed(
        &self,
        values: Tensor,
        adjacency: &Adjacency,
        mode: &mut Mode<'_>,
        settle: impl Fn(Tensor) -> Tensor,
    ) -> Result<Tensor, DeepError> {
        let own = 1.0 + f64::from(self.config.epsilon);
        let (mut h, mut all) = (values, Vec::with_capacity(self.gins.len()));
        for gin in &self.gins {
            let sums = ops::aggregate(&h, adjacency, own)?;
            h = settle(gin.norm.forward(&gin.second.forward(&gin.first.forward(&sums, true)?, false)?)?);
            all.push(h.clone());
        }
        let mut h = ops::beside(&all)?;
        for full in [&self.wide, &self.narrow] {
            h = settle(full.norm.forward(&full.linear.forward(&h, false)?, self.config.dropout, mode)?);
        }
        Ok(h)
    }

    /// The mean of the nodes' scores, mapped to -1 to 1.
    pub(super) fn value(&self, scores: &Tensor, adjacency: &Adjacency) -> Result<Tensor, DeepError> {
        Ok(adjacency.pool(&scores.squeeze(1)?, self.config.pool == Pool::Nodes)?.tanh()?)
    }
}

impl SazNet {
    /// The graphs of a batch that this network reads.
    fn graphs<'a>(&self, batch: &'a Batch) -> Result<&'a Graphs, DeepError> {
        match batch {
            Batch::Graphs(graphs) if graphs.features() == self.features => Ok(graphs),
            _ => {
                let wanted = format!("graphs with {} numbers a node", self.features);
                Err(DeepError::Batch { net: "SAZ", wanted, given: batch.dims() })
            }
        }
    }

    fn embed(
        &self,
        graphs: &Graphs,
        adjacency: &Adjacency,
        mode: &mut Mode<'_>,
        settle: impl Fn(Tensor) -> Tensor,
    ) -> Result<Tensor, DeepError> {
        let (dtype, device) = (self.value.weight.dtype(), self.value.weight.device());
        let shape = (graphs.nodes(), self.features);
        let values = Tensor::from_slice(graphs.values(), shape, device)?.to_dtype(dtype)?;
        self.trunk.embed(values, adjacency, mode, settle)
    }
}

impl Net for SazNet {
    fn dims(&self) -> Dims {
        Dims::Graphs { features: self.features }
    }

    fn params(&self) -> &[Param] {
        &self.params
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        let graphs = self.graphs(batch)?;
        let adjacency = Adjacency::of(graphs.graphs());
        let ([logits, scores], recording) = mode.pass(&self.value.weight, |mode| {
            let h = self.embed(graphs, &adjacency, mode, |h| h)?;
            Ok([self.policy.forward(&h, false)?, self.value.forward(&h, false)?])
        })?;
        Ok(Heads::behind(recording, logits.squeeze(1)?, self.trunk.value(&scores, &adjacency)?))
    }

    fn embeddings(&self, batch: &Batch, nodes: &[usize]) -> Result<Vec<Vec<f64>>, DeepError> {
        let graphs = self.graphs(batch)?;
        let h = self.embed(graphs, &Adjacency::of(graphs.graphs()), &mut Mode::Evaluate, |h| h.detach())?;
        nodes.iter().map(|&node| Ok(h.get(node)?.to_dtype(DType::F64)?.to_vec1()?)).collect()
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(SazInference::new(self)?))
    }

    /// A graph without a dummy node counts like one with it.
    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        let Batch::Graphs(graphs) = batch else { return 0 };
        2 * (graphs.graph(index).sites() as u64 + 1) * self.macs()
    }
}
