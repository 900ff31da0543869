//! SAZ: a graph network over board points, whose weights work on boards of every size.
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
//! If actions are moves (`moves`), x are the features of the nodes of a graph of moves
//! ([`MoveGraphs`](crate::encoders::MoveGraphs)), 0 on the dummy node, A is the board's as before, and the policy
//! gives logits of moves from the sites that they join:
//!
//! ```text
//! policy logit of a move = w_p relu(BN(W_f g_from + W_t g_to)) + b_p
//! ```
//!
//! Open in the paper, chosen here: epsilon (0, not learned), two layers in each GIN's MLP, LN over the features of a
//! node, the skip concatenation without x, dropout 0.3 (as in alpha-zero-general), no bias before a batch norm (which
//! would cancel it), the batch norm over all nodes of the batch. Without its dummy node a graph has no logit for a pass.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::move_head::MoveHead;
use super::params::{BatchNorm, Linear, Maker, Norm};
use super::ranges::Dropout;
use super::trunk_norm::TrunkNorm;
use super::{DeepError, Param};
use crate::encoders::MoveDims;
use crate::nets::Count;

/// Settings of SAZ.
///
/// | key | default | range | the paper |
/// |---|---|---|---|
/// | `hidden` | 512 | 1 to 2048 | 512; the fully connected layers have twice as many and as many |
/// | `layers` | 3 | 1 to 16 | 3 |
/// | `epsilon` | 0 | finite | not given |
/// | `dropout` | 0.3 | 0 to 0.99 | not given |
/// | `pool` | `"nodes"` | `"nodes"`, `"sites"` | "the mean among all nodes" |
/// | `moves` | false | | false |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Saz {
    /// Features H of a node.
    pub hidden: Count<2048>,
    /// GIN layers.
    pub layers: Count<16>,
    /// Weight of a node relative to a neighbour, less 1.
    #[serde(deserialize_with = "super::ranges::finite")]
    pub epsilon: f32,
    /// Share of the features that training drops.
    #[serde(with = "Dropout")]
    pub dropout: f64,
    /// The nodes in the mean of the value.
    pub pool: Pool,
    /// Whether nodes have features of pieces and their history, and logits are of moves from site to site: for chess.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub moves: bool,
}

/// The nodes in the mean of the value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pool {
    /// All nodes, including the dummy node.
    #[default]
    Nodes,
    /// The nodes of the board.
    Sites,
}

impl Default for Saz {
    fn default() -> Saz {
        let count = |number| Count::try_from(number).expect("the paper's sizes are in range");
        let layers = Count::try_from(3).expect("3 is in range");
        Saz { hidden: count(512), layers, epsilon: 0.0, dropout: 0.3, pool: Pool::Nodes, moves: false }
    }
}

impl Saz {
    /// Number of trained weights for nodes with `x` features: `(x + 1) H + (2 L - 1) (H^2 + H) + 2 L H` in the GIN
    /// layers and their norms, `2 L H^2 + 4 H + 2 H^2 + 2 H` in the fully connected ones, `2 H + 2` in the heads;
    /// over moves `2 H^2 + 3 H + 1 + H + 1` there.
    #[must_use]
    pub fn weight_count(&self, x: usize) -> usize {
        let (h, l) = (self.hidden.get(), self.layers.get());
        let gin = (x + 1) * h + (2 * l - 1) * (h * h + h) + 2 * l * h;
        let full = 2 * l * h * h + 4 * h + 2 * h * h + 2 * h;
        let policy = if self.moves { MoveHead::weight_count(h) } else { h + 1 };
        gin + full + policy + h + 1
    }

    pub(super) fn net(self, features: usize, mut maker: Maker<'_>) -> Result<SazNet, DeepError> {
        let (h, trunk) = (self.hidden.get(), SazTrunk::new(self, features, &mut maker)?);
        let (policy, value) = (maker.linear("policy", [h, 1], true)?, maker.linear("value", [h, 1], true)?);
        Ok(SazNet { features, trunk, policy, value, params: maker.done() })
    }

    pub(super) fn moves_net(self, dims: MoveDims, mut maker: Maker<'_>) -> Result<SazMovesNet, DeepError> {
        let (h, trunk) = (self.hidden.get(), SazTrunk::new(self, dims.node(), &mut maker)?);
        let policy = MoveHead::new(TrunkNorm::Batch, h, &mut maker)?;
        let value = maker.linear("value", [h, 1], true)?;
        Ok(SazMovesNet { dims, trunk, policy, value, params: maker.done() })
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

/// All layers before the heads.
pub struct SazTrunk {
    pub(super) config: Saz,
    pub(super) gins: Vec<Gin>,
    pub(super) wide: Full,
    pub(super) narrow: Full,
}

impl SazTrunk {
    fn new(config: Saz, features: usize, maker: &mut Maker<'_>) -> Result<SazTrunk, DeepError> {
        let (h, layers) = (config.hidden.get(), config.layers.get());
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
        Ok(SazTrunk { config, gins, wide, narrow })
    }
}

/// SAZ with its weights.
pub struct SazNet {
    pub(super) features: usize,
    pub(super) trunk: SazTrunk,
    pub(super) policy: Linear,
    pub(super) value: Linear,
    pub(super) params: Vec<Param>,
}

/// SAZ over moves with its weights.
pub struct SazMovesNet {
    pub(super) dims: MoveDims,
    pub(super) trunk: SazTrunk,
    pub(super) policy: MoveHead,
    pub(super) value: Linear,
    pub(super) params: Vec<Param>,
}

impl SazNet {
    /// Multiply-adds of a node.
    pub(super) fn macs(&self) -> u64 {
        let macs = self.params.iter().filter(|param| param.var.rank() == 2);
        macs.map(|param| param.var.elem_count() as u64).sum()
    }
}

impl SazMovesNet {
    /// Multiply-adds of a position with these numbers of nodes, including the dummy node, and moves: the first
    /// layer's product commutes with its sum, and so is over nodes.
    pub(super) fn macs(config: &Saz, dims: MoveDims, [nodes, moves]: [u64; 2]) -> u64 {
        let (h, l) = (config.hidden.get() as u64, config.layers.get() as u64);
        let trunk = dims.node() as u64 * h + (2 * l - 1) * h * h + 2 * l * h * h + 2 * h * h + h;
        nodes * trunk + MoveHead::macs(h, [nodes - 1, moves])
    }
}
