//! A network as data: its layers and weights.

use super::state::WeightSpec;

/// The places of a value: one row each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// The sites of an image, `[row][column]`.
    Grid {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// The position as a whole.
    Board,
    /// The nodes of a graph, including its dummy node.
    Nodes,
    /// The nodes of a graph that are sites of the board. A graph with a dummy node keeps a row for it, which nothing
    /// reads.
    Sites,
    /// The edges of a graph of moves.
    Edges,
}

/// An operation. Weights are given by their number in [`Network::weights`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Op {
    /// The numbers of the position.
    Input,
    /// `x W^T + b`.
    Linear {
        /// A linear layer.
        weights: usize,
        /// Whether a ReLU follows.
        relu: bool,
    },
    /// The same over the 3 x 3 sites around each site, or over those of each complete window if `padding` is 0.
    Convolution {
        /// A linear layer over patches.
        weights: usize,
        /// Rows and columns of zeros around the image: 1 or 0.
        padding: usize,
        /// Whether a ReLU follows.
        relu: bool,
    },
    /// Batch norm.
    BatchNorm {
        /// A batch norm.
        weights: usize,
        /// Whether a ReLU follows.
        relu: bool,
        /// Share of the numbers that training drops after the ReLU.
        dropout: f64,
    },
    /// Layer norm and a ReLU.
    LayerNorm {
        /// A norm.
        weights: usize,
    },
    /// The greater of a number and 0.
    Relu,
    /// A ReLU's numbers with a share dropped in training. Only part of another operation in a finished network.
    Dropout(f64),
    /// The sum of two values.
    Add,
    /// The features of several values side by side.
    Beside,
    /// The rows of a position as one, place by place.
    Flatten,
    /// Maxima and means over the places of a position, none of which is below 0.
    Pool,
    /// The features of each site, and maxima and means over the board of the first of them.
    WithPools {
        /// Number of pooled features.
        pooled: usize,
    },
    /// The sum of the neighbours' rows and of `own` times the node's.
    Aggregate {
        /// Weight of the node.
        own: f32,
    },
    /// The same rows without those of dummy nodes.
    Sites,
    /// For each edge the sum of its sender's row in the first value and its receiver's in the second.
    Ends,
    /// The numbers of the edges.
    EdgeInput,
    /// A factor and an offset for each feature, and a ReLU: batch norm whose running moments stay at 0 and 1.
    FrozenNorm {
        /// A norm.
        weights: usize,
    },
    /// Leaky ReLU, with a slope of 0.01 below 0.
    LeakyRelu,
    /// For each edge the sum of its row in the first value, its sender's in the second and its receiver's in the third.
    Join,
    /// The softmax of one number a row over all rows with the same target: of edges into a node, or of the sites of a
    /// board.
    Softmax,
    /// For each node the sum over the edges into it of the edge's weight in the first value times the sender's row in
    /// the second.
    Gather,
    /// For each target the sum of the weight in the first value times the same row of the second: of edges into a node,
    /// or of the sites of a board.
    Collect,
}

/// A layer: an operation on some earlier values.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// The operation.
    pub op: Op,
    /// Numbers of its arguments.
    pub from: Vec<usize>,
    /// Features of its result.
    pub width: usize,
    /// Places of its result.
    pub places: Places,
}

/// A network as data.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// All weights, in the order in which they are drawn.
    pub weights: Vec<WeightSpec>,
    /// The layers, in the order of computation.
    pub layers: Vec<Layer>,
    /// The value with the logits: one row a position, or a feature for each plane of logits, or one row a logit.
    pub logits: usize,
    /// The value whose only feature becomes the position's value: by `tanh`, after a mean over nodes.
    pub score: usize,
    /// Whether the dummy node counts in that mean.
    pub pools_dummies: bool,
}

impl Network {
    /// The network whose value is a mean with or without dummy nodes.
    #[must_use]
    pub fn with_pool_of_dummies(self, pools_dummies: bool) -> Network {
        Network { pools_dummies, ..self }
    }
}
