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

use crate::encoders::{Dims, EdgeFeatures};
use crate::nets::Count;
use crate::nets::deep::architecture::Architecture;
use crate::nets::deep::input::InputKind;
use crate::nets::deep::layers::{BatchNormKind, Layers, Network, Value};
use crate::nets::deep::moves::move_logits;
use crate::nets::deep::ranges::Dropout;
use crate::nets::deep::trunk_norm::TrunkNorm;

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
    #[serde(deserialize_with = "crate::nets::deep::ranges::finite")]
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
    /// The input of the heads.
    fn trunk(&self, net: &mut Layers, x: Value) -> Value {
        let (h, mut all, mut x) = (self.hidden.get(), Vec::new(), x);
        for layer in 0..self.layers.get() {
            let sums = net.aggregate(x, 1.0 + self.epsilon);
            let inner = net.linear(&format!("gin{layer}.in"), sums, h);
            let inner = net.relu(inner);
            let outer = net.linear(&format!("gin{layer}.out"), inner, h);
            x = net.layer_norm(&format!("gin{layer}"), outer);
            all.push(x);
        }
        let mut x = net.beside(&all);
        for (name, units) in [("wide", 2 * h), ("narrow", h)] {
            x = net.unbiased(name, x, units);
            x = net.batch_norm(name, x, BatchNormKind::TORCH);
            x = net.relu(x);
            x = net.dropout(x, self.dropout);
        }
        x
    }
}

impl Architecture for Saz {
    fn title(&self) -> &'static str {
        if self.moves { "SAZ on moves" } else { "SAZ" }
    }

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

    fn network(&self, dims: Dims) -> Option<Network> {
        let features = match dims {
            Dims::Graphs { features: 1 } if !self.moves => 1,
            Dims::Moves(dims) if self.moves => dims.node(),
            Dims::Planes { .. } | Dims::Graphs { .. } | Dims::Moves(_) => return None,
        };
        let (mut net, x) = Layers::of_nodes(features);
        let h = self.trunk(&mut net, x);
        let logits = match self.moves {
            true => move_logits(&mut net, h, TrunkNorm::Batch),
            false => net.linear("policy", h, 1),
        };
        let score = net.linear("value", h, 1);
        Some(net.heads(logits, score).with_pool_of_dummies(self.pool == Pool::Nodes))
    }
}
