//! The weights of AlphaGateau as its own kernels take them.

use super::bnr::Bnr;
use super::in_order::InOrder;
use super::pooled_value::{PoolScore, PooledValue};
use crate::nets::deep::layers::Weights;
use crate::nets::deep::params::Linear;

/// The sizes and options of a network that its kernels depend on.
#[derive(Debug, Clone, Copy)]
pub struct GateauShape {
    /// Features of a node and of an edge.
    pub hidden: usize,
    /// Blocks of two layers each.
    pub blocks: usize,
    /// Whether a message uses the edge's old features with weights of its own.
    pub sync_updates: bool,
    /// The score of the value's attention.
    pub pool: PoolScore,
}

/// The weights of a GATEAU layer.
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
pub struct GateauBlock {
    pub(super) norms: [[Bnr; 2]; 2],
    pub(super) layers: [GateauLayer; 2],
}

/// All weights.
pub struct GateauWeights {
    pub(super) nodes: Linear,
    pub(super) edges: Linear,
    pub(super) blocks: Vec<GateauBlock>,
    /// Before and after the hidden layer.
    pub(super) policy_norms: [Bnr; 2],
    /// Hidden, logit.
    pub(super) policy: [Linear; 2],
    pub(super) value: PooledValue,
}

impl GateauWeights {
    /// The weights of a network of this shape.
    pub fn of(shape: GateauShape, weights: &[Weights]) -> GateauWeights {
        let mut weights = InOrder::of(weights);
        let (nodes, edges) = (weights.linear(), weights.linear());
        let blocks = (0..shape.blocks).map(|_| GateauBlock::take(&mut weights, shape)).collect();
        let [before_policy, before, of_policy] = [(); 3].map(|()| weights.norm());
        let policy = [weights.linear(), weights.linear()];
        let [hidden, attention, last] = [(); 3].map(|()| weights.linear());
        let value = PooledValue { score: shape.pool, before, hidden, attention, last, norm: weights.batch_norm() };
        GateauWeights { nodes, edges, blocks, policy_norms: [before_policy, of_policy], policy, value }
    }
}

impl GateauBlock {
    fn take(weights: &mut InOrder<'_>, shape: GateauShape) -> GateauBlock {
        let mut layer = || {
            let g = shape.sync_updates.then(|| weights.linear());
            let [u, v, e, h, own, attention] = [(); 6].map(|()| weights.linear());
            (GateauLayer { u, v, e, h, g, own, attention }, [weights.norm(), weights.norm()])
        };
        let ((first, before_first), (second, before_second)) = (layer(), layer());
        GateauBlock { norms: [before_first, before_second], layers: [first, second] }
    }
}
