//! SAZ as a network: how it is built, its forward pass, and its inference.

use candle_core::{DType, Tensor};

use super::architecture::{Architecture, InputKind};
use super::ops::{self, Adjacency};
use super::params::Maker;
use super::saz::{Pool, Saz, SazNet};
use super::{DeepError, Heads, Inference, Mode, Net, Param, SazInference};
use crate::encoders::{Batch, Dims, Extent, Graphs};

impl Architecture for Saz {
    fn name(&self) -> String {
        format!("SAZ {}x{}", self.layers.get(), self.hidden.get())
    }

    fn reads(&self) -> InputKind {
        InputKind::Graphs
    }

    fn scales(&self) -> bool {
        true
    }

    fn weight_count(&self, dims: Dims) -> Option<usize> {
        (dims == Dims::Graphs { features: 1 }).then(|| Saz::weight_count(self))
    }

    fn board_products(&self, extent: Extent) -> f64 {
        ((extent.sites + 1) * Saz::weight_count(self)) as f64
    }

    fn build(&self, dims: Dims, maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        match dims {
            Dims::Graphs { features: 1 } => Ok(Box::new(self.net(1, maker)?)),
            given => Err(DeepError::Batch { net: "SAZ", wanted: "graphs with one number a node".to_owned(), given }),
        }
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

    /// What the heads read, `[N, H]`. `settle` gets every layer's answer: to keep it, or to let go of what it was made
    /// from, without which a single large board takes gigabytes.
    fn embed(
        &self,
        graphs: &Graphs,
        mode: &mut Mode<'_>,
        settle: impl Fn(Tensor) -> Tensor,
    ) -> Result<Tensor, DeepError> {
        let (dtype, device) = (self.value.weight.dtype(), self.value.weight.device());
        let shape = (graphs.nodes(), self.features);
        let mut h = Tensor::from_slice(graphs.values(), shape, device)?.to_dtype(dtype)?;
        let (adjacency, own) = (Adjacency::of(graphs), 1.0 + f64::from(self.config.epsilon));
        let mut all = Vec::with_capacity(self.gins.len());
        for gin in &self.gins {
            let sums = ops::aggregate(&h, &adjacency, own)?;
            h = settle(gin.norm.forward(&gin.second.forward(&gin.first.forward(&sums, true)?, false)?)?);
            all.push(h.clone());
        }
        let mut h = Tensor::cat(&all, 1)?;
        for full in [&self.wide, &self.narrow] {
            h = settle(full.norm.forward(&full.linear.forward(&h, false)?, self.config.dropout, mode)?);
        }
        Ok(h)
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
        let h = self.embed(graphs, &mut mode, |h| h)?;
        let policy_logits = self.policy.forward(&h, false)?.squeeze(1)?;
        let scores = self.value.forward(&h, false)?.squeeze(1)?;
        let value = ops::pool(&scores, graphs, self.config.pool == Pool::Nodes)?.tanh()?;
        Ok(Heads { policy_logits, value })
    }

    fn embeddings(&self, batch: &Batch, nodes: &[usize]) -> Result<Vec<Vec<f64>>, DeepError> {
        let h = self.embed(self.graphs(batch)?, &mut Mode::Evaluate, |h| h.detach())?;
        nodes.iter().map(|&node| Ok(h.get(node)?.to_dtype(DType::F64)?.to_vec1()?)).collect()
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(SazInference::new(self)?))
    }

    /// Of a graph without a dummy node as of one with it.
    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        let Batch::Graphs(graphs) = batch else { return 0 };
        2 * (graphs.graph(index).sites() as u64 + 1) * self.products()
    }
}
