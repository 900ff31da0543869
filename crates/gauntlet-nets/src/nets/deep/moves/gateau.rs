//! AlphaGateau: a network over the moves of a board, whose weights work on boards of every size.
//!
//! Rigaux and Kashima 2024, section 4. With the numbers x of nodes (sites) and y of edges (moves), H features, s(e) the
//! sender and r(e) the receiver of an edge, and BNR(x) = relu(BN(x)):
//!
//! ```text
//! h = W_n x + b_n [N, H],  g = W_m y + b_m [E, H]
//! GATEAU(h, g):  g'_e = W_u h_s(e) + W_e g_e + W_v h_r(e)                                          (4)
//!                alpha_e = softmax over the edges with the same receiver (leaky(a g'_e))           (5)
//!                h'_i = W_0 h_i + sum over the edges into i of alpha_e (W_h h_s(e) + W_g g_e)      (6)
//! block:         (h, g) + GATEAU(BNR(GATEAU(BNR(h, g))))                                           (9)
//! policy logit of an edge = w_p BNR(W_p BNR(g)) + b_p
//! x_i = BNR(W_v BNR(h));  value = tanh(w relu(sum over nodes of softmax(leaky(a x_i)) x_i) + b)    (7)
//! ```
//!
//! Every layer has biases. Settings distinguish the paper's text from the authors' code (Akulen/AlphaGateau).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::nets::deep::ops::EdgeBuffers;
use crate::nets::deep::params::{Linear, Maker};
use super::pooled_value::{PoolScore, PooledValue};
use super::trunk_norm::{Bnr, TrunkNorm};
use crate::nets::deep::{DeepError, Param};
use crate::encoders::{EdgeFeatures, MoveDims};
use crate::nets::Count;

/// Settings of AlphaGateau.
///
/// | key | default | range | the paper | the authors' code |
/// |---|---|---|---|---|
/// | `hidden` | 128 | 1 to 1024 | 128 | 128 |
/// | `blocks` | 5 | 1 to 64 | 5 and 10 | 5 and 10 |
/// | `sync-updates` | true | | W_g g, as in Eq. 6 | true at 5 blocks; at 10 false: g' instead of W_g g |
/// | `norm` | `"batch"` | `"batch"`, `"frozen"` | batch norm | frozen, apart from the value head |
/// | `pool` | `"leaky"` | `"leaky"`, `"linear"` | LeakyReLU, as in Eq. 7 | linear |
/// | `edges` | `"paper"` | `"paper"`, `"code"` | 15 features | 19, of which 4 stand there twice |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Gateau {
    /// Features H of a node and of an edge.
    pub hidden: Count<1024>,
    /// Residual blocks of two layers each.
    pub blocks: Count<64>,
    /// Whether a message uses the edge's old features with weights of its own, or else its new features.
    pub sync_updates: bool,
    /// Normalisation of the trunk and the policy head; the value head always has batch norm.
    pub norm: TrunkNorm,
    /// Score of a node in the pooling of the value, the input of the softmax.
    pub pool: PoolScore,
    /// Features of an edge.
    pub edges: EdgeFeatures,
}

impl Default for Gateau {
    fn default() -> Gateau {
        Gateau {
            hidden: Count::try_from(128).expect("128 is in range"),
            blocks: Count::try_from(5).expect("5 is in range"),
            sync_updates: true,
            norm: TrunkNorm::default(),
            pool: PoolScore::default(),
            edges: EdgeFeatures::default(),
        }
    }
}

impl Gateau {
    /// Number of trained weights for nodes and edges with these numbers of features: with `s = 1` for `sync-updates`,
    /// a layer has `(5 + s)(H^2 + H) + H + 1`, a block two of them and `8 H`, the rest `(nodes + edges + 2) H + 4 H +
    /// 2 H^2 + 9 H + 3`.
    #[must_use]
    pub fn weight_count(&self, dims: MoveDims) -> usize {
        let (h, blocks) = (self.hidden.get(), self.blocks.get());
        let layer = (5 + usize::from(self.sync_updates)) * (h * h + h) + h + 1;
        blocks * (2 * layer + 8 * h) + (dims.node() + dims.edge + 2) * h + 4 * h + 2 * h * h + 9 * h + 3
    }

    pub(super) fn net(self, dims: MoveDims, mut maker: Maker<'_>) -> Result<GateauNet, DeepError> {
        let h = self.hidden.get();
        let nodes = maker.linear("nodes", [dims.node(), h], true)?;
        let edges = maker.linear("edges", [dims.edge, h], true)?;
        let block = |block| Block::new(&self, &format!("block{block}"), &mut maker);
        let blocks = (0..self.blocks.get()).map(block).collect::<Result<_, DeepError>>()?;
        let mut norm = |name: &str| Bnr::new(self.norm, name, h, &mut maker);
        let (policy_in, value_in, policy_norm) =
            (norm("policy.in.norm")?, norm("value.in.norm")?, norm("policy.norm")?);
        let policy = [maker.linear("policy.hidden", [h, h], true)?, maker.linear("policy", [h, 1], true)?];
        let value = PooledValue {
            score: self.pool,
            before: value_in,
            hidden: maker.linear("value.hidden", [h, h], true)?,
            attention: maker.linear("value.attention", [h, 1], true)?,
            last: maker.linear("value", [h, 1], true)?,
            norm: maker.biased_batch_norm("value.norm", h)?,
        };
        let (config, policy_norms, params, buffers) =
            (self, [policy_in, policy_norm], maker.done(), EdgeBuffers::default());
        Ok(GateauNet { config, dims, nodes, edges, blocks, policy_norms, policy, value, params, buffers })
    }
}

/// A GATEAU layer.
pub struct GateauLayer {
    /// From the sender to the edge.
    pub(super) u: Linear,
    /// From the receiver to the edge.
    pub(super) v: Linear,
    /// From the edge to itself.
    pub(super) e: Linear,
    /// From the sender to the receiver.
    pub(super) h: Linear,
    /// From the edge to the receiver.
    pub(super) g: Option<Linear>,
    /// From the node to itself.
    pub(super) own: Linear,
    /// Scores.
    pub(super) attention: Linear,
}

/// Two layers and the norms before each, of nodes and of edges.
pub struct Block {
    pub(super) norms: [[Bnr; 2]; 2],
    pub(super) layers: [GateauLayer; 2],
}

impl Block {
    fn new(config: &Gateau, name: &str, maker: &mut Maker<'_>) -> Result<Block, DeepError> {
        let h = config.hidden.get();
        let mut layer = |layer: usize| {
            let name = format!("{name}.layer{layer}");
            let mut linear = |part: &str, outputs| maker.linear(&format!("{name}.{part}"), [h, outputs], true);
            let g = config.sync_updates.then(|| linear("g", h)).transpose()?;
            let (u, v, e) = (linear("u", h)?, linear("v", h)?, linear("e", h)?);
            let (h, own, attention) = (linear("h", h)?, linear("own", h)?, linear("attention", 1)?);
            let mut norm =
                |part: &str| Bnr::new(config.norm, &format!("{name}.{part}.norm"), config.hidden.get(), maker);
            Ok::<_, DeepError>(([norm("nodes")?, norm("edges")?], GateauLayer { u, v, e, h, g, own, attention }))
        };
        let ((first, one), (second, two)) = (layer(0)?, layer(1)?);
        Ok(Block { norms: [first, second], layers: [one, two] })
    }
}

/// AlphaGateau with its weights.
pub struct GateauNet {
    pub(super) config: Gateau,
    pub(super) dims: MoveDims,
    pub(super) nodes: Linear,
    pub(super) edges: Linear,
    pub(super) blocks: Vec<Block>,
    /// Before and after the hidden layer.
    pub(super) policy_norms: [Bnr; 2],
    /// Hidden, logit.
    pub(super) policy: [Linear; 2],
    pub(super) value: PooledValue,
    pub(super) params: Vec<Param>,
    /// Buffers that a step leaves for the next one.
    pub(super) buffers: EdgeBuffers,
}

impl GateauNet {
    /// Multiply-adds of a position with these numbers of nodes and edges. The weighted sum over the edges into a node
    /// commutes with W_h and W_g, so that both are applied to nodes: only W_e is applied to every edge.
    pub(super) fn macs(config: &Gateau, dims: MoveDims, [nodes, edges]: [u64; 2]) -> u64 {
        let (h, layers) = (config.hidden.get() as u64, 2 * config.blocks.get() as u64);
        let on_nodes = (4 + u64::from(config.sync_updates)) * h * h * layers + (dims.node() as u64 + h + 1) * h;
        let on_edges = (h + 1) * h * layers + (dims.edge as u64 + h + 1) * h;
        nodes * on_nodes + edges * on_edges + h
    }
}
