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

use super::gat_inference::GatKernels;
use super::move_head::move_logits;
use super::pooled_value::{PoolScore, PooledValue};
use crate::encoders::{Dims, EdgeFeatures};
use crate::nets::Count;
use crate::nets::deep::architecture::Architecture;
use crate::nets::deep::input::InputKind;
use crate::nets::deep::layers::{Layers, Network, OwnKernels, Value};
use crate::nets::deep::trunk_norm::TrunkNorm;

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
    /// One layer after its norm, with W_h after the weighted sums.
    fn layer(&self, net: &mut Layers, name: &str, h: Value) -> Value {
        let size = h.width;
        let x = net.trunk_norm(name, h, self.norm);
        let [message, own] = ["h", "own"].map(|part| net.stated(&format!("{name}.{part}"), [size, size], true));
        let senders = net.linear(&format!("{name}.sender"), x, 1);
        let receivers = net.unbiased(&format!("{name}.receiver"), x, 1);
        let scores = net.ends(senders, receivers);
        let scores = net.leaky_relu(scores);
        let weights = net.softmax(scores);
        let sent = net.gather(weights, x);
        let (own, sent) = (net.apply(own, x), net.apply(message, sent));
        net.add(own, sent)
    }
}

impl Architecture for Gat {
    fn title(&self) -> &'static str {
        "graph attention"
    }

    fn name(&self) -> String {
        format!("graph attention {}x{}", self.blocks.get(), self.hidden.get())
    }

    fn reads(&self) -> InputKind {
        InputKind::Moves { edges: EdgeFeatures::Paper }
    }

    fn scales(&self) -> bool {
        true
    }

    fn network(&self, dims: Dims) -> Option<Network> {
        let Dims::Moves(dims) = dims else { return None };
        let (mut net, x) = Layers::of_sites(dims.node());
        let mut h = net.linear("nodes", x, self.hidden.get());
        for block in 0..self.blocks.get() {
            let first = self.layer(&mut net, &format!("block{block}.layer0"), h);
            let second = self.layer(&mut net, &format!("block{block}.layer1"), first);
            h = net.add(h, second);
        }
        let before = net.trunk_norm("policy.in", h, self.norm);
        let logits = move_logits(&mut net, before, self.norm);
        let score = PooledValue::layers(&mut net, h, self.norm, self.pool);
        Some(net.heads(logits, score))
    }

    fn own_kernels(&self) -> Option<Box<dyn OwnKernels>> {
        Some(Box::new(GatKernels { hidden: self.hidden.get(), layers: 2 * self.blocks.get(), pool: self.pool }))
    }
}
