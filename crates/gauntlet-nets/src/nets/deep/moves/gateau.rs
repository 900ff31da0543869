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

use super::gateau_steps::GateauKernels;
use super::gateau_weights::GateauShape;
use super::pooled_value::{PoolScore, PooledValue};
use crate::encoders::{Dims, EdgeFeatures};
use crate::nets::Count;
use crate::nets::deep::architecture::Architecture;
use crate::nets::deep::input::InputKind;
use crate::nets::deep::layers::{Layers, Network, OwnKernels, Value};
use crate::nets::deep::trunk_norm::TrunkNorm;

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
    /// A layer and the norms before it: equations 4 to 6, with W_h and W_g after the weighted sums.
    fn layer(&self, net: &mut Layers, name: &str, [h, g]: [Value; 2]) -> [Value; 2] {
        let size = self.hidden.get();
        let mut linear = |part: &str, outputs| net.stated(&format!("{name}.{part}"), [size, outputs], true);
        let messages = self.sync_updates.then(|| linear("g", size));
        let [u, v, e, sent, own] = ["u", "v", "e", "h", "own"].map(|part| linear(part, size));
        let attention = linear("attention", 1);
        let [of_nodes, of_edges] =
            ["nodes", "edges"].map(|part| net.stated_norm(&format!("{name}.{part}"), size, self.norm));
        let (h, g) = (net.apply(of_nodes, h), net.apply(of_edges, g));
        let (e, u, v) = (net.apply(e, g), net.apply(u, h), net.apply(v, h));
        let edges = net.join(e, u, v);
        let scores = net.apply(attention, edges);
        let scores = net.leaky_relu(scores);
        let weights = net.softmax(scores);
        let gathered = net.gather(weights, h);
        let (own, sent) = (net.apply(own, h), net.apply(sent, gathered));
        let nodes = net.add(own, sent);
        let collected = net.collect(weights, if messages.is_some() { g } else { edges });
        let collected = messages.map_or(collected, |messages| net.apply(messages, collected));
        [net.add(nodes, collected), edges]
    }
}

impl Architecture for Gateau {
    fn title(&self) -> &'static str {
        "AlphaGateau"
    }

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

    fn network(&self, dims: Dims) -> Option<Network> {
        let Dims::Moves(dims) = dims else { return None };
        let size = self.hidden.get();
        let (mut net, x) = Layers::of_sites(dims.node());
        let y = net.edge_input(dims.edge);
        let (mut h, mut g) = (net.linear("nodes", x, size), net.linear("edges", y, size));
        for block in 0..self.blocks.get() {
            let first = self.layer(&mut net, &format!("block{block}.layer0"), [h, g]);
            let [nodes, edges] = self.layer(&mut net, &format!("block{block}.layer1"), first);
            (h, g) = (net.add(h, nodes), net.add(g, edges));
        }
        let mut norm = |name: &str| net.stated_norm(name, size, self.norm);
        let (before_policy, before_value, of_policy) = (norm("policy.in"), norm("value.in"), norm("policy"));
        let (hidden, logit) = (net.stated("policy.hidden", [size, size], true), net.stated("policy", [size, 1], true));
        let value = net.stated("value.hidden", [size, size], true);
        let [attention, last] = ["value.attention", "value"].map(|name| net.stated(name, [size, 1], true));
        let of_value = net.stated_norm("value", size, TrunkNorm::Batch);
        let logits = [before_policy, hidden, of_policy, logit].into_iter().fold(g, |x, layer| net.apply(layer, x));
        let score = PooledValue::from(&mut net, h, [before_value, value, of_value, attention, last], self.pool);
        Some(net.heads(logits, score))
    }

    fn own_kernels(&self) -> Option<Box<dyn OwnKernels>> {
        let Gateau { hidden, blocks, sync_updates, pool, .. } = *self;
        let shape = GateauShape { hidden: hidden.get(), blocks: blocks.get(), sync_updates, pool };
        Some(Box::new(GateauKernels::new(shape)))
    }
}
