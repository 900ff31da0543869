//! The builder of a network: one method for each kind of layer.

use super::fuse::fused;
use super::network::{Layer, Network, Op, Places};
use super::state::{BatchNormKind, WeightSpec};
use crate::nets::deep::input::Images;
use crate::nets::deep::trunk_norm::TrunkNorm;

/// A value of a network, by the number of its layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    at: usize,
    /// Features.
    pub width: usize,
    /// Places.
    pub places: Places,
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
        fused(network)
    }
}
