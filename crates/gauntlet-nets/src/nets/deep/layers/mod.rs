//! The description of a network: its layers, stated once.
//!
//! An architecture states its layers through [`Layers`], in the order in which its weights are drawn. The resulting
//! [`Network`] is data. From it follow the names, shapes and number of weights and the multiply-adds (`count`), the
//! differentiable pass on tensors (`forward`), and inference on flat numbers (`bind`).
//!
//! A value is a matrix: a row for each of its [`Places`], a column for each feature.

mod count;
mod forward;
mod fuse;
mod net;
mod state;
mod tensors;

pub use count::PositionSize;
pub use forward::Positions;
pub use net::{LayeredNet, OwnKernels};
pub use state::{WeightSpec, Weights};

use super::input::Images;
use super::trunk_norm::TrunkNorm;

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

/// A value of a network, by the number of its layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    at: usize,
    /// Features.
    pub width: usize,
    /// Places.
    pub places: Places,
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

/// Weights that were stated before their use.
#[derive(Debug, Clone, Copy)]
pub struct Stated(usize);

/// States the layers of a network.
#[derive(Debug, Default)]
pub struct Layers {
    weights: Vec<WeightSpec>,
    layers: Vec<Layer>,
}

/// The zeros around the image of a convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// One row and column on each side: the result has the size of the image.
    Same,
    /// None: the result has two rows and columns less.
    Valid,
}

impl Layers {
    /// No layers, and the value of the images that they read.
    pub fn of_images(images: Images) -> (Layers, Value) {
        let Images { channels, rows, columns, .. } = images;
        Layers::reading(channels, Places::Grid { rows, columns })
    }

    /// No layers, and the value of the nodes that they read.
    pub fn of_nodes(features: usize) -> (Layers, Value) {
        Layers::reading(features, Places::Nodes)
    }

    /// No layers, and the value of the sites that they read, without dummy nodes.
    pub fn of_sites(features: usize) -> (Layers, Value) {
        Layers::reading(features, Places::Sites)
    }

    fn reading(width: usize, places: Places) -> (Layers, Value) {
        let mut layers = Layers::default();
        let input = layers.push(Op::Input, &[], width, places);
        (layers, input)
    }

    fn push(&mut self, op: Op, from: &[Value], width: usize, places: Places) -> Value {
        let from = from.iter().map(|value| value.at).collect();
        self.layers.push(Layer { op, from, width, places });
        Value { at: self.layers.len() - 1, width, places }
    }

    /// Adds weights.
    fn weigh(&mut self, spec: WeightSpec) -> usize {
        self.weights.push(spec);
        self.weights.len() - 1
    }

    /// A fully connected layer with biases.
    pub fn linear(&mut self, name: &str, x: Value, outputs: usize) -> Value {
        self.linear_with(name, x, outputs, true)
    }

    /// A fully connected layer without biases: for use before a batch norm, which would cancel them.
    pub fn unbiased(&mut self, name: &str, x: Value, outputs: usize) -> Value {
        self.linear_with(name, x, outputs, false)
    }

    fn linear_with(&mut self, name: &str, x: Value, outputs: usize, bias: bool) -> Value {
        let weights = self.weigh(WeightSpec::linear(name, [x.width, outputs], 1, bias));
        self.push(Op::Linear { weights, relu: false }, &[x], outputs, x.places)
    }

    /// A convolution of 3 x 3 with biases.
    pub fn convolution(&mut self, name: &str, x: Value, outputs: usize, padding: Padding) -> Value {
        self.convolution_with(name, x, outputs, padding, true)
    }

    /// A convolution of 3 x 3 without biases: for use before a batch norm, which would cancel them.
    pub fn unbiased_convolution(&mut self, name: &str, x: Value, outputs: usize, padding: Padding) -> Value {
        self.convolution_with(name, x, outputs, padding, false)
    }

    fn convolution_with(&mut self, name: &str, x: Value, outputs: usize, padding: Padding, bias: bool) -> Value {
        let weights = self.weigh(WeightSpec::linear(name, [x.width, outputs], 9, bias));
        let (places, padding) = match (x.places, padding) {
            (places, Padding::Same) => (places, 1),
            (Places::Grid { rows, columns }, Padding::Valid) => {
                (Places::Grid { rows: rows.saturating_sub(2), columns: columns.saturating_sub(2) }, 0)
            }
            (places, Padding::Valid) => (places, 0),
        };
        self.push(Op::Convolution { weights, padding, relu: false }, &[x], outputs, places)
    }

    /// A batch norm after the layer `name`: its weights are called `name.norm`, or `norm` without a name.
    pub fn batch_norm(&mut self, name: &str, x: Value, kind: BatchNormKind) -> Value {
        let name = if name.is_empty() { "norm".to_owned() } else { format!("{name}.norm") };
        let weights = self.weigh(WeightSpec::BatchNorm { name, features: x.width, kind });
        self.push(Op::BatchNorm { weights, relu: false, dropout: 0.0 }, &[x], x.width, x.places)
    }

    /// A layer norm and a ReLU.
    pub fn layer_norm(&mut self, name: &str, x: Value) -> Value {
        let weights = self.weigh(WeightSpec::Norm { name: format!("{name}.norm"), features: x.width });
        self.push(Op::LayerNorm { weights }, &[x], x.width, x.places)
    }

    /// A ReLU.
    pub fn relu(&mut self, x: Value) -> Value {
        self.push(Op::Relu, &[x], x.width, x.places)
    }

    /// Drops a share of the numbers of a ReLU after a batch norm in training.
    pub fn dropout(&mut self, x: Value, share: f64) -> Value {
        self.push(Op::Dropout(share), &[x], x.width, x.places)
    }

    /// The sum of two values.
    pub fn add(&mut self, x: Value, y: Value) -> Value {
        self.push(Op::Add, &[x, y], x.width, x.places)
    }

    /// The features of several values side by side.
    pub fn beside(&mut self, parts: &[Value]) -> Value {
        self.push(Op::Beside, parts, parts.iter().map(|part| part.width).sum(), parts[0].places)
    }

    /// The rows of a position as one.
    pub fn flatten(&mut self, x: Value) -> Value {
        let Places::Grid { rows, columns } = x.places else { return x };
        self.push(Op::Flatten, &[x], rows * columns * x.width, Places::Board)
    }

    /// Maxima and means over the board of numbers of which none is below 0: `2 width` features.
    pub fn pool(&mut self, x: Value) -> Value {
        self.push(Op::Pool, &[x], 2 * x.width, Places::Board)
    }

    /// The features of each site, and maxima and means over the board of the first `pooled` of them.
    pub fn with_pools(&mut self, x: Value, pooled: usize) -> Value {
        self.push(Op::WithPools { pooled }, &[x], x.width + 2 * pooled, x.places)
    }

    /// The sum of the neighbours' rows and of `own` times the node's.
    pub fn aggregate(&mut self, x: Value, own: f32) -> Value {
        self.push(Op::Aggregate { own }, &[x], x.width, x.places)
    }

    /// The rows of the sites of the board.
    pub fn sites(&mut self, x: Value) -> Value {
        self.push(Op::Sites, &[x], x.width, Places::Sites)
    }

    /// For each edge the sum of its sender's row and its receiver's.
    pub fn ends(&mut self, senders: Value, receivers: Value) -> Value {
        self.push(Op::Ends, &[senders, receivers], senders.width, Places::Edges)
    }

    /// The numbers of the edges of graphs of moves.
    pub fn edge_input(&mut self, features: usize) -> Value {
        self.push(Op::EdgeInput, &[], features, Places::Edges)
    }

    /// States the weights of a linear layer before their use.
    pub fn stated(&mut self, name: &str, sizes: [usize; 2], bias: bool) -> Stated {
        Stated(self.weigh(WeightSpec::linear(name, sizes, 1, bias)))
    }

    /// States the weights of a norm before their use, called `name.norm`.
    pub fn stated_norm(&mut self, name: &str, features: usize, kind: TrunkNorm) -> Stated {
        let name = format!("{name}.norm");
        Stated(self.weigh(match kind {
            TrunkNorm::Batch => WeightSpec::BatchNorm { name, features, kind: BatchNormKind::FLAX },
            TrunkNorm::Frozen => WeightSpec::Norm { name, features },
        }))
    }

    /// A linear layer, or a norm and a ReLU, with stated weights.
    pub fn apply(&mut self, Stated(weights): Stated, x: Value) -> Value {
        match self.weights[weights] {
            WeightSpec::Linear { sizes: [_, outputs], .. } => {
                self.push(Op::Linear { weights, relu: false }, &[x], outputs, x.places)
            }
            WeightSpec::Norm { .. } => self.push(Op::FrozenNorm { weights }, &[x], x.width, x.places),
            WeightSpec::BatchNorm { .. } => {
                self.push(Op::BatchNorm { weights, relu: true, dropout: 0.0 }, &[x], x.width, x.places)
            }
        }
    }

    /// A norm and a ReLU.
    pub fn trunk_norm(&mut self, name: &str, x: Value, kind: TrunkNorm) -> Value {
        let weights = self.stated_norm(name, x.width, kind);
        self.apply(weights, x)
    }

    /// Leaky ReLU.
    pub fn leaky_relu(&mut self, x: Value) -> Value {
        self.push(Op::LeakyRelu, &[x], x.width, x.places)
    }

    /// For each edge the sum of its row, its sender's and its receiver's.
    pub fn join(&mut self, edges: Value, senders: Value, receivers: Value) -> Value {
        self.push(Op::Join, &[edges, senders, receivers], edges.width, Places::Edges)
    }

    /// The softmax over the edges into a node, or over the sites of a board.
    pub fn softmax(&mut self, scores: Value) -> Value {
        self.push(Op::Softmax, &[scores], 1, scores.places)
    }

    /// The weighted sums of the senders' rows over the edges into each node.
    pub fn gather(&mut self, weights: Value, nodes: Value) -> Value {
        self.push(Op::Gather, &[weights, nodes], nodes.width, nodes.places)
    }

    /// The weighted sums of rows over the edges into each node, or over the sites of each board.
    pub fn collect(&mut self, weights: Value, rows: Value) -> Value {
        let places = if rows.places == Places::Edges { Places::Sites } else { Places::Board };
        self.push(Op::Collect, &[weights, rows], rows.width, places)
    }

    /// The network with these logits and the score that becomes its value.
    pub fn heads(self, logits: Value, score: Value) -> Network {
        let Layers { weights, layers } = self;
        let network = Network { weights, layers, logits: logits.at, score: score.at, pools_dummies: true };
        fuse::fused(network)
    }
}

impl Network {
    /// The network whose value is a mean with or without dummy nodes.
    #[must_use]
    pub fn with_pool_of_dummies(self, pools_dummies: bool) -> Network {
        Network { pools_dummies, ..self }
    }
}

/// Running moments of a batch norm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchNormKind {
    /// Whether variances are of a sample, divided by n - 1, as in PyTorch, or of the batch, divided by n, as in Flax.
    pub of_sample: bool,
    /// The share of a batch's moments in the running ones.
    pub momentum: f64,
}

impl BatchNormKind {
    /// PyTorch's.
    pub const TORCH: BatchNormKind = BatchNormKind { of_sample: true, momentum: 0.1 };

    /// Flax', with PyTorch's momentum.
    pub const FLAX: BatchNormKind = BatchNormKind { of_sample: false, momentum: 0.1 };
}
