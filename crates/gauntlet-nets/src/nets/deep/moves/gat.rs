//! Graph attention over the moves of a board: AlphaGateau without edge features, its baseline.
//!
//! Velickovic et al. 2018 with one head, between the norms, residuals and heads of `gateau`, so that only the effect
//! of the edges differs. With the numbers x of nodes, s(e) the sender and r(e) the receiver of an edge, and BNR(x) =
//! relu(BN(x)):
//!
//! ```text
//! h = W_n x + b_n [N, H]
//! GAT(h):  alpha_e = softmax over the edges with the same receiver (leaky(a_s h_s(e) + a_r h_r(e) + c))
//!          h'_i = W_0 h_i + b_0 + sum over the edges into i of alpha_e (W_h h_s(e) + b_h)
//! block:   h + GAT(BNR(GAT(BNR(h))))
//! policy logit of an edge = w_p BNR(W_f x_s(e) + W_t x_r(e)) + b_p,  x = BNR(h)
//! value:   as in `gateau`
//! ```
//!
//! AlphaGateau scores `a (W_u h_s + W_e g + W_v h_r)`: without g the macs of a with W_u and W_v are vectors, here
//! a_s and a_r. Legality is an edge feature, so this network does not receive it. Moves that join the same sites have
//! the same logit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::move_head::MoveHead;
use crate::nets::deep::params::{Linear, Maker};
use super::pooled_value::{PoolScore, PooledValue};
use super::trunk_norm::{Bnr, TrunkNorm};
use crate::nets::deep::{DeepError, Param};
use crate::encoders::MoveDims;
use crate::nets::Count;

/// Settings of graph attention over moves: those of AlphaGateau that do not concern edges.
///
/// | key | default | range |
/// |---|---|---|
/// | `hidden` | 128 | 1 to 1024 |
/// | `blocks` | 5 | 1 to 64 |
/// | `norm` | `"batch"` | `"batch"`, `"frozen"` |
/// | `pool` | `"leaky"` | `"leaky"`, `"linear"` |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Gat {
    /// Features H of a node.
    pub hidden: Count<1024>,
    /// Residual blocks of two layers each.
    pub blocks: Count<64>,
    /// Normalisation of the trunk and the policy head; the value head always has batch norm.
    pub norm: TrunkNorm,
    /// Score of a node in the pooling of the value, the input of the softmax.
    pub pool: PoolScore,
}

impl Default for Gat {
    fn default() -> Gat {
        Gat {
            hidden: Count::try_from(128).expect("128 is in range"),
            blocks: Count::try_from(5).expect("5 is in range"),
            norm: TrunkNorm::default(),
            pool: PoolScore::default(),
        }
    }
}

impl Gat {
    /// Number of trained weights for nodes with this number of features: `2 (H^2 + H) + 2 H + 1` a layer, two of them
    /// and `4 H` a block, `(nodes + 1) H` in the first layer, `2 H + 2 H^2 + 3 H + 1` in the policy and `H^2 + 7 H +
    /// 2` in the value.
    #[must_use]
    pub fn weight_count(&self, dims: MoveDims) -> usize {
        let (h, blocks) = (self.hidden.get(), self.blocks.get());
        let layer = 2 * (h * h + h) + 2 * h + 1;
        let heads = 2 * h + MoveHead::weight_count(h) + h * h + 7 * h + 2;
        blocks * (2 * layer + 4 * h) + (dims.node() + 1) * h + heads
    }

    pub(super) fn net(self, dims: MoveDims, mut maker: Maker<'_>) -> Result<GatNet, DeepError> {
        let h = self.hidden.get();
        let nodes = maker.linear("nodes", [dims.node(), h], true)?;
        let layer = |at| GatLayer::new(&self, &format!("block{}.layer{}", at / 2, at % 2), &mut maker);
        let layers = (0..2 * self.blocks.get()).map(layer).collect::<Result<_, DeepError>>()?;
        let before_policy = Bnr::new(self.norm, "policy.in.norm", h, &mut maker)?;
        let policy = MoveHead::new(self.norm, h, &mut maker)?;
        let value = PooledValue::new(self.norm, self.pool, h, &mut maker)?;
        Ok(GatNet { config: self, dims, nodes, layers, before_policy, policy, value, params: maker.done() })
    }
}

/// A layer of graph attention and the norm before it.
pub struct GatLayer {
    pub(super) norm: Bnr,
    /// From the sender to the receiver.
    pub(super) h: Linear,
    /// From the node to itself.
    pub(super) own: Linear,
    /// From the sender and from the receiver to the score.
    pub(super) scores: [Linear; 2],
}

impl GatLayer {
    fn new(config: &Gat, name: &str, maker: &mut Maker<'_>) -> Result<GatLayer, DeepError> {
        let h = config.hidden.get();
        Ok(GatLayer {
            norm: Bnr::new(config.norm, &format!("{name}.norm"), h, maker)?,
            h: maker.linear(&format!("{name}.h"), [h, h], true)?,
            own: maker.linear(&format!("{name}.own"), [h, h], true)?,
            scores: [
                maker.linear(&format!("{name}.sender"), [h, 1], true)?,
                maker.linear(&format!("{name}.receiver"), [h, 1], false)?,
            ],
        })
    }
}

/// Graph attention over moves with its weights.
pub struct GatNet {
    pub(super) config: Gat,
    pub(super) dims: MoveDims,
    pub(super) nodes: Linear,
    /// Two a block.
    pub(super) layers: Vec<GatLayer>,
    pub(super) before_policy: Bnr,
    pub(super) policy: MoveHead,
    pub(super) value: PooledValue,
    pub(super) params: Vec<Param>,
}

impl GatNet {
    /// Multiply-adds of a position with these numbers of nodes and edges. The weighted sum over the edges into a node
    /// commutes with W_h, so that every product is over nodes.
    pub(super) fn macs(config: &Gat, dims: MoveDims, [nodes, edges]: [u64; 2]) -> u64 {
        let (h, layers) = (config.hidden.get() as u64, 2 * config.blocks.get() as u64);
        let on_nodes = (2 * h + 2) * h * layers + (dims.node() as u64 + h + 1) * h;
        nodes * on_nodes + MoveHead::macs(h, [nodes, edges]) + h
    }
}
