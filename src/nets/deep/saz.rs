//! SAZ: a graph network over board points, whose weights play on boards of every size.
//!
//! Ben-Assayag and El-Yaniv 2021, section 3.1 and Figure 2. With the canonical number x of each node, A the adjacency
//! (four neighbours, and a dummy node joined to all) and H hidden features:
//!
//! ```text
//! h_0 = x                                                             [N, 1], not normalised
//! h_l = relu(LN(W_l' relu(W_l ((1 + epsilon) h_(l-1) + A h_(l-1)) + b_l) + b_l'))    [N, H], l = 1 .. layers
//! f   = dropout(relu(BN(V_1 [h_1 .. h_layers])))                      [N, 2 H]
//! g   = dropout(relu(BN(V_2 f)))                                      [N, H]
//! policy logit of a node = w_p g + b_p;  the dummy node's is the pass
//! value = tanh(mean over nodes of (w_v g + b_v))
//! ```
//!
//! Open in the paper, chosen here: epsilon (0, not learned), two layers in each GIN's MLP, LN over the features of a
//! node, the skip concatenation without x, dropout 0.3 (as in alpha-zero-general), no bias before a batch norm (which
//! would cancel it), the batch norm over all nodes of the batch. Without its dummy node a graph has no logit for a pass.

use candle_core::{DType, Tensor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::architecture::{Architecture, Reads};
use super::ops::{self, Adjacency};
use super::params::{BatchNorm, Linear, Maker, Norm};
use super::{DeepError, Heads, Inference, Mode, Net, Param, SazInference};
use crate::encoders::{Batch, Dims, Graphs};
use crate::nets::Count;

/// The settings of SAZ.
///
/// | key | default | range | the paper |
/// |---|---|---|---|
/// | `hidden` | 512 | 1 to 2048 | 512; the fully connected layers have twice as many and as many |
/// | `layers` | 3 | 1 to 16 | 3 |
/// | `epsilon` | 0 | finite | not given |
/// | `dropout` | 0.3 | 0 to 0.99 | not given |
/// | `pool` | `"nodes"` | `"nodes"`, `"sites"` | "the mean among all nodes" |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Saz {
    /// Features H of a node.
    pub hidden: Count<2048>,
    /// GIN layers.
    pub layers: Count<16>,
    /// How much more a node counts than a neighbour.
    #[serde(deserialize_with = "super::spec::finite")]
    pub epsilon: f32,
    /// Share of the features that training drops.
    #[serde(deserialize_with = "super::spec::share")]
    #[schemars(range(min = 0.0, max = 0.99))]
    pub dropout: f64,
    /// Which nodes the value is a mean of.
    pub pool: Pool,
}

/// Which nodes the value is a mean of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pool {
    /// All, the dummy node too.
    #[default]
    Nodes,
    /// Those of the board.
    Sites,
}

impl Default for Saz {
    fn default() -> Saz {
        let count = |number| Count::try_from(number).expect("the paper's sizes are in range");
        let layers = Count::try_from(3).expect("3 is in range");
        Saz { hidden: count(512), layers, epsilon: 0.0, dropout: 0.3, pool: Pool::Nodes }
    }
}

impl Saz {
    /// Number of trained weights: `2 H + (2 L - 1) (H^2 + H) + 2 L H` in the GIN layers and their norms,
    /// `2 L H^2 + 4 H + 2 H^2 + 2 H` in the fully connected ones, `2 H + 2` in the heads.
    #[must_use]
    pub fn weight_count(&self) -> usize {
        let (h, l) = (self.hidden.get(), self.layers.get());
        let gin = 2 * h + (2 * l - 1) * (h * h + h) + 2 * l * h;
        let full = 2 * l * h * h + 4 * h + 2 * h * h + 2 * h;
        gin + full + 2 * h + 2
    }

    pub(super) fn net(self, features: usize, mut maker: Maker<'_>) -> Result<SazNet, DeepError> {
        let (h, layers) = (self.hidden.get(), self.layers.get());
        let mut gin = |layer: usize| {
            Ok(Gin {
                first: maker.linear(&format!("gin{layer}.in"), [if layer == 0 { features } else { h }, h], true)?,
                second: maker.linear(&format!("gin{layer}.out"), [h, h], true)?,
                norm: maker.norm(&format!("gin{layer}.norm"), h)?,
            })
        };
        let gins = (0..layers).map(&mut gin).collect::<Result<_, DeepError>>()?;
        let wide = Full {
            linear: maker.linear("wide", [layers * h, 2 * h], false)?,
            norm: maker.batch_norm("wide.norm", 2 * h)?,
        };
        let narrow =
            Full { linear: maker.linear("narrow", [2 * h, h], false)?, norm: maker.batch_norm("narrow.norm", h)? };
        let (policy, value) = (maker.linear("policy", [h, 1], true)?, maker.linear("value", [h, 1], true)?);
        Ok(SazNet { config: self, features, gins, wide, narrow, policy, value, params: maker.done() })
    }
}

impl Architecture for Saz {
    fn name(&self) -> String {
        format!("SAZ {}x{}", self.layers.get(), self.hidden.get())
    }

    fn reads(&self) -> Reads {
        Reads::Graphs
    }

    fn scales(&self) -> bool {
        true
    }

    fn weight_count(&self, dims: Dims) -> Option<usize> {
        (dims == Dims::Graphs { features: 1 }).then(|| Saz::weight_count(self))
    }

    fn board_products(&self, side: usize) -> f64 {
        ((side * side + 1) * Saz::weight_count(self)) as f64
    }

    fn build(&self, dims: Dims, maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        match dims {
            Dims::Graphs { features: 1 } => Ok(Box::new(self.net(1, maker)?)),
            given => Err(DeepError::Batch { net: "SAZ", wanted: "graphs with one number a node".to_owned(), given }),
        }
    }
}

/// A GIN layer with its norm.
pub struct Gin {
    pub(super) first: Linear,
    pub(super) second: Linear,
    pub(super) norm: Norm,
}

/// A fully connected layer with its norm.
pub struct Full {
    pub(super) linear: Linear,
    pub(super) norm: BatchNorm,
}

/// SAZ with its weights.
pub struct SazNet {
    pub(super) config: Saz,
    features: usize,
    pub(super) gins: Vec<Gin>,
    pub(super) wide: Full,
    pub(super) narrow: Full,
    pub(super) policy: Linear,
    pub(super) value: Linear,
    params: Vec<Param>,
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

    fn flops(&self, sites: usize) -> u64 {
        2 * (sites as u64 + 1) * self.products()
    }
}

impl SazNet {
    /// Multiply-adds of a node.
    pub(super) fn products(&self) -> u64 {
        let products = self.params.iter().filter(|param| param.var.rank() == 2);
        products.map(|param| param.var.elem_count() as u64).sum()
    }
}
