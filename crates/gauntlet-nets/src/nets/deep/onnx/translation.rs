//! Our own layers as nodes of a file.
//!
//! A value over the sites of an image is `[positions, features, rows, columns]` in the file, one over the nodes of a
//! graph `[positions, features, nodes]`, and one of a whole position `[positions, features]`. The graph is that of one
//! board, so that its edges are a constant.

use super::OnnxError;
use super::messages::AttributeProto;
use super::writer::{OnnxWriter, float, int, ints};
use crate::encoders::Graph;
use crate::nets::deep::DeepError;
use crate::nets::deep::layers::{Layer, Network, Op, Places, WeightSpec};
use crate::nets::deep::ops::EPSILON;
use crate::nets::deep::params::Saved;

/// The names of values.
type FoundName = Result<String, DeepError>;

/// The translation of a network.
pub struct Translation<'a> {
    network: &'a Network,
    tensors: &'a [Saved],
    /// The board, for networks over graphs.
    graph: Option<&'a Graph>,
    writer: &'a mut OnnxWriter,
    /// The names of the values so far, one for each layer.
    names: Vec<String>,
}

impl<'a> Translation<'a> {
    /// A translation of a network with these tensors.
    pub fn new(
        network: &'a Network,
        tensors: &'a [Saved],
        graph: Option<&'a Graph>,
        writer: &'a mut OnnxWriter,
    ) -> Translation<'a> {
        Translation { network, tensors, graph, writer, names: Vec::new() }
    }

    /// Writes all layers, which read the value `input`. Returns the logits `[positions, slots]` and the values
    /// `[positions, 1]`.
    ///
    /// # Errors
    /// If a layer has no counterpart, or a tensor is missing.
    pub fn run(mut self, input: &str) -> Result<[String; 2], DeepError> {
        for layer in &self.network.layers {
            let name = self.layer(layer, input)?;
            self.names.push(name);
        }
        let [logits, score] = [self.network.logits, self.network.score];
        Ok([self.logits(logits), self.value(score)])
    }

    /// Logits by plane and site, or by node.
    fn logits(&mut self, at: usize) -> String {
        let (x, places) = (self.names[at].clone(), self.network.layers[at].places);
        if places == Places::Board { x } else { self.writer.node("Flatten", "flat-logits", &[&x], vec![]) }
    }

    /// The value: after a mean over nodes, if there are some.
    fn value(&mut self, at: usize) -> String {
        let mut score = self.names[at].clone();
        if self.network.layers[at].places == Places::Nodes {
            let is_part = !self.network.pools_dummies && self.graph.is_some_and(Graph::dummy);
            score = if is_part { self.first("sites", &score, 2, self.sites()) } else { score };
            let settings = vec![ints("axes", &[2]), int("keepdims", 0)];
            score = self.writer.node("ReduceMean", "mean", &[&score], settings);
        }
        self.writer.node("Tanh", "tanh", &[&score], vec![])
    }

    fn sites(&self) -> usize {
        self.graph.map_or(0, Graph::sites)
    }

    /// The first `count` indices of an axis.
    fn first(&mut self, name: &str, x: &str, axis: i64, count: usize) -> String {
        first(self.writer, name, x, axis, count)
    }

    fn layer(&mut self, layer: &Layer, input: &str) -> FoundName {
        let from: Vec<String> = layer.from.iter().map(|&from| self.names[from].clone()).collect();
        let from: Vec<&str> = from.iter().map(String::as_str).collect();
        let x = from.first().copied().unwrap_or(input);
        Ok(match layer.op {
            Op::Input => input.to_owned(),
            Op::Linear { weights, relu } => {
                let y = self.linear(weights, x, layer.places)?;
                self.relu_if(relu, y)
            }
            Op::Convolution { weights, padding, relu } => {
                let y = self.convolution(weights, x, padding)?;
                self.relu_if(relu, y)
            }
            Op::BatchNorm { weights, relu, .. } => {
                let y = self.batch_norm(weights, x)?;
                self.relu_if(relu, y)
            }
            Op::LayerNorm { weights } => self.layer_norm(weights, x)?,
            Op::Relu => self.relu_if(true, x.to_owned()),
            Op::Add => self.add("Add", &from, vec![]),
            Op::Beside => self.add("Concat", &from, vec![int("axis", 1)]),
            Op::Flatten => self.flatten(x),
            Op::Pool => self.pool(x),
            Op::WithPools { pooled } => self.with_pools(x, pooled, layer.places),
            Op::Aggregate { own } => self.aggregate(x, own)?,
            Op::Dropout(_)
            | Op::Sites
            | Op::Ends
            | Op::EdgeInput
            | Op::FrozenNorm { .. }
            | Op::LeakyRelu
            | Op::Join
            | Op::Softmax
            | Op::Gather
            | Op::Collect => return Err(OnnxError::contract("its layers over moves have no counterpart").into()),
        })
    }

    /// A node that is called by the number of its layer.
    fn add(&mut self, operator: &str, from: &[&str], settings: Vec<AttributeProto>) -> String {
        let name = format!("{}{}", operator.to_lowercase(), self.names.len());
        self.writer.node(operator, &name, from, settings)
    }

    fn relu_if(&mut self, relu: bool, x: String) -> String {
        if relu { self.add("Relu", &[&x], vec![]) } else { x }
    }

    /// A tensor as a constant of another shape.
    fn constant(&mut self, name: &str, shape: &[usize]) -> FoundName {
        let numbers = numbers(self.tensors, name, shape.iter().product())?;
        Ok(self.writer.floats(name, shape, numbers))
    }

    /// A layer on each place, or on whole positions.
    fn linear(&mut self, weights: usize, x: &str, places: Places) -> FoundName {
        let WeightSpec::Linear { name, sizes: [inputs, outputs], bias, .. } = &self.network.weights[weights] else {
            unreachable!("a linear layer has linear weights")
        };
        let (operator, axes, settings) = match places {
            Places::Board => ("Gemm", 0, vec![int("transB", 1)]),
            Places::Grid { .. } => ("Conv", 2, vec![]),
            Places::Nodes | Places::Sites | Places::Edges => ("Conv", 1, vec![]),
        };
        let shape = [&[*outputs, *inputs][..], &[1, 1][..axes]].concat();
        let weight = self.constant(&format!("{name}.weight"), &shape)?;
        self.product(operator, name, [x, &weight], bias.then_some(*outputs), settings)
    }

    /// A convolution of 3 x 3, whose weights are `[output][tap][channel]` in ours.
    fn convolution(&mut self, weights: usize, x: &str, padding: usize) -> FoundName {
        let WeightSpec::Linear { name, sizes: [inputs, outputs], taps, bias } = &self.network.weights[weights] else {
            unreachable!("a convolution has linear weights")
        };
        let own = numbers(self.tensors, &format!("{name}.weight"), outputs * taps * inputs)?;
        let at = |index: usize| own[(index / (inputs * taps) * taps + index % taps) * inputs + index / taps % inputs];
        let turned: Vec<f32> = (0..own.len()).map(at).collect();
        let weight = self.writer.floats(&format!("{name}.weight"), &[*outputs, *inputs, 3, 3], &turned);
        let pads = ints("pads", &[padding as i64; 4]);
        self.product("Conv", name, [x, &weight], bias.then_some(*outputs), vec![pads])
    }

    /// A node with weights and perhaps biases.
    fn product(
        &mut self,
        operator: &str,
        name: &str,
        [x, weight]: [&str; 2],
        bias: Option<usize>,
        settings: Vec<AttributeProto>,
    ) -> FoundName {
        let bias = bias.map(|outputs| self.constant(&format!("{name}.bias"), &[outputs])).transpose()?;
        let inputs: Vec<&str> = [x, weight].into_iter().chain(bias.as_deref()).collect();
        Ok(self.writer.node(operator, name, &inputs, settings))
    }

    fn batch_norm(&mut self, weights: usize, x: &str) -> FoundName {
        let WeightSpec::BatchNorm { name, features, .. } = &self.network.weights[weights] else {
            unreachable!("a batch norm has moments")
        };
        let mut inputs = vec![x.to_owned()];
        for part in ["gain", "bias", "mean", "variance"] {
            inputs.push(self.constant(&format!("{name}.{part}"), &[*features])?);
        }
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let epsilon = float("epsilon", EPSILON as f32);
        Ok(self.writer.node("BatchNormalization", name, &inputs, vec![epsilon]))
    }

    /// A layer norm over the features of each node, and a ReLU.
    fn layer_norm(&mut self, weights: usize, x: &str) -> FoundName {
        let WeightSpec::Norm { name, features } = &self.network.weights[weights] else {
            unreachable!("a layer norm has factors and offsets")
        };
        let gain = self.constant(&format!("{name}.gain"), &[*features])?;
        let bias = self.constant(&format!("{name}.bias"), &[*features])?;
        let turn = || vec![ints("perm", &[0, 2, 1])];
        let rows = self.writer.node("Transpose", &format!("{name}.rows"), &[x], turn());
        let settings = vec![int("axis", -1), float("epsilon", EPSILON as f32)];
        let rows = self.writer.node("LayerNormalization", name, &[&rows, &gain, &bias], settings);
        let y = self.writer.node("Transpose", &format!("{name}.columns"), &[&rows], turn());
        Ok(self.relu_if(true, y))
    }

    /// All features of a position, site by site.
    fn flatten(&mut self, x: &str) -> String {
        let rows = self.add("Transpose", &[x], vec![ints("perm", &[0, 2, 3, 1])]);
        self.add("Flatten", &[&rows], vec![])
    }

    fn pool(&mut self, x: &str) -> String {
        let [most, mean] = self.pools(x);
        let pools = self.add("Concat", &[&most, &mean], vec![int("axis", 1)]);
        self.add("Flatten", &[&pools], vec![])
    }

    /// Maxima and means over the image.
    fn pools(&mut self, x: &str) -> [String; 2] {
        ["GlobalMaxPool", "GlobalAveragePool"].map(|operator| self.add(operator, &[x], vec![]))
    }

    fn with_pools(&mut self, x: &str, pooled: usize, places: Places) -> String {
        let Places::Grid { rows, columns } = places else { unreachable!("pools are those of images") };
        let at = self.names.len();
        let some = self.first(&format!("pooled{at}"), x, 1, pooled);
        let everywhere = self.writer.whole(&format!("image{at}"), &[1, 1, rows as i64, columns as i64]);
        let [most, mean] = self.pools(&some);
        let [most, mean] = [("most", most), ("mean", mean)]
            .map(|(name, pool)| self.writer.node("Expand", &format!("{name}{at}"), &[&pool, &everywhere], vec![]));
        self.add("Concat", &[x, &most, &mean], vec![int("axis", 1)])
    }

    /// Sums over neighbours, as a product with the edges of the board.
    fn aggregate(&mut self, x: &str, own: f32) -> FoundName {
        let graph = self.graph.ok_or_else(|| OnnxError::contract("its file needs a board"))?;
        let nodes = graph.nodes();
        let mut edges = vec![0.0; nodes * nodes];
        (0..nodes).for_each(|node| edges[node * nodes + node] = own);
        graph.edges().for_each(|(from, to)| edges[from as usize * nodes + to as usize] += 1.0);
        let edges = self.writer.floats(&format!("edges{}", self.names.len()), &[nodes, nodes], &edges);
        Ok(self.add("MatMul", &[x, &edges], vec![]))
    }
}

/// The first `count` indices of an axis.
pub fn first(writer: &mut OnnxWriter, name: &str, x: &str, axis: i64, count: usize) -> String {
    let bounds = [("from", 0), ("to", count as i64), ("axis", axis)];
    let [from, to, axis] = bounds.map(|(part, number)| writer.whole(&format!("{name}.{part}"), &[number]));
    writer.node("Slice", name, &[x, &from, &to, &axis], vec![])
}

/// The numbers of a tensor.
fn numbers<'a>(tensors: &'a [Saved], name: &str, count: usize) -> Result<&'a [f32], DeepError> {
    let tensor = tensors.iter().find(|tensor| tensor.name == name && tensor.values.len() == count);
    tensor.map(|tensor| &tensor.values[..]).ok_or_else(|| DeepError::Tensor { name: name.to_owned() })
}
