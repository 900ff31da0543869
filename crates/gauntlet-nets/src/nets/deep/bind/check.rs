//! The sequences of layers that the binder has kernels for: the builder of a network refuses all others.

use crate::encoders::Dims;
use crate::nets::deep::DeepError;
use crate::nets::deep::layers::{Layer, Network, Op, Places};

/// The layers of a network with the readers of their values.
pub struct Readers<'a> {
    network: &'a Network,
    /// The readers of each value; the number of layers stands for a head.
    pub readers: Vec<Vec<usize>>,
    /// The last of them, or the number of layers.
    pub last: Vec<usize>,
}

/// Refuses a network with layers that the binder has no kernels for, if it `binds` them.
///
/// # Errors
/// [`DeepError::Layer`] for the first such layer.
pub fn check(net: &'static str, network: &Network, dims: Dims, binds: bool) -> Result<(), DeepError> {
    let readers = Readers::of(network);
    for (at, layer) in network.layers.iter().enumerate() {
        if let Err(remedy) = readers.check_head(at, dims).and_then(|()| readers.check(at, dims))
            && (binds || matches!(layer.op, Op::Dropout(_)))
        {
            return Err(DeepError::Layer { net, layer: at, op: format!("{:?}", layer.op), remedy });
        }
    }
    Ok(())
}

/// The remedy, unless a condition holds.
fn need(holds: bool, remedy: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(remedy) }
}

impl<'a> Readers<'a> {
    pub fn of(network: &'a Network) -> Readers<'a> {
        let (count, mut last) = (network.layers.len(), network.last_uses());
        let mut readers = vec![Vec::new(); count];
        for (at, Layer { op, from, .. }) in network.layers.iter().enumerate() {
            for &from in from {
                readers[from].push(at);
                // The head reads the ends of moves.
                last[from] = if matches!(op, Op::Ends) { count } else { last[from] };
            }
        }
        [network.logits, network.score].into_iter().for_each(|head| readers[head].push(count));
        Readers { network, readers, last }
    }

    pub fn at(&self, layer: usize) -> &'a Layer {
        &self.network.layers[layer]
    }

    /// The operation of a reader; `None` for a head.
    pub fn op(&self, reader: usize) -> Option<Op> {
        self.network.layers.get(reader).map(|layer| layer.op)
    }

    /// The only reader of a value and its operation.
    pub fn only_reader(&self, at: usize) -> Option<(usize, Op)> {
        match self.readers[at][..] {
            [reader] => self.op(reader).map(|op| (reader, op)),
            _ => None,
        }
    }

    pub fn is_head(&self, at: usize) -> bool {
        [self.network.logits, self.network.score].contains(&at)
    }

    /// Whether a layer is a head of one output over nodes: an inner product a row.
    pub fn is_dot(&self, at: usize) -> bool {
        self.is_head(at) && self.at(at).places == Places::Nodes && matches!(self.at(at).op, Op::Linear { .. })
    }

    /// The operation whose result a layer reads.
    fn read_by(&self, at: usize) -> Op {
        self.at(self.at(at).from[0]).op
    }

    /// Whether nothing but the heads reads a layer.
    fn is_last(&self, at: usize) -> bool {
        self.readers[at].iter().all(|&reader| reader == self.readers.len())
    }

    /// Whether a norm becomes part of the product before it.
    fn is_folded(&self, norm: usize) -> bool {
        let from = self.at(norm).from[0];
        let is_product =
            matches!(self.at(from).op, Op::Linear { relu: false, .. } | Op::Convolution { relu: false, .. });
        is_product && self.readers[from] == [norm]
    }

    /// Whether no number of a value is below 0.
    fn is_positive(&self, at: usize) -> bool {
        match self.at(at).op {
            Op::Linear { relu, .. } | Op::Convolution { relu, .. } | Op::BatchNorm { relu, .. } => relu,
            Op::Relu => true,
            _ => false,
        }
    }

    fn check_head(&self, at: usize, dims: Dims) -> Result<(), &'static str> {
        let (Layer { op, places, width, .. }, is_score) = (self.at(at), at == self.network.score);
        let fits = match dims {
            Dims::Planes { .. } => *op != Op::Input && (!is_score || *places == Places::Board && *width == 1),
            Dims::Graphs { .. } => self.is_dot(at),
            Dims::Moves(_) => (!is_score || self.is_dot(at)) && (at != self.network.logits || *places == Places::Edges),
        };
        let remedy = "let heads over graphs be linear layers, and the value of an image one number of the board";
        need(fits || !self.is_head(at), remedy)
    }

    fn check(&self, at: usize, dims: Dims) -> Result<(), &'static str> {
        let layer = self.at(at);
        let is_image = matches!(layer.places, Places::Grid { rows: 1.., columns: 1.. });
        let reads = |is: fn(Places) -> bool| layer.from.iter().all(|&from| is(self.at(from).places));
        let reads_image = reads(|places| matches!(places, Places::Grid { .. }));
        let reads_nodes = reads(|places| matches!(places, Places::Nodes | Places::Sites));
        match layer.op {
            Op::Input => {
                let sums = |&reader: &usize| matches!(self.op(reader), Some(Op::Aggregate { .. }));
                let fits = !matches!(dims, Dims::Moves(_)) || self.readers[at].iter().all(sums);
                need(fits && layer.places != Places::Sites, "let sums over neighbours read it, with dummy nodes")
            }
            Op::Linear { relu, .. } if self.is_dot(at) => {
                let is_alone = self.is_last(at) && !matches!(self.read_by(at), Op::Beside);
                let remedy = "let it be a head of one output without a ReLU, of one value, and nothing else";
                need(!relu && layer.width == 1 && is_alone, remedy)
            }
            Op::Linear { .. } | Op::Relu | Op::Flatten => Ok(()),
            Op::Convolution { .. } => need(is_image, "let it read an image, of 3 x 3 or more"),
            Op::BatchNorm { relu, .. } => {
                need(relu || self.is_folded(at), "put a ReLU behind it, or before it a product that nothing else reads")
            }
            Op::LayerNorm { .. } => {
                let is_linear = matches!(self.read_by(at), Op::Linear { .. });
                need(is_linear && self.is_folded(at), "put before it a linear layer that nothing else reads")
            }
            Op::Dropout(_) => Err("put it behind the ReLU of a batch norm, which nothing else reads"),
            Op::Add => self.check_add(at),
            Op::Beside => self.check_beside(at),
            Op::Pool => need(reads_image && self.is_positive(layer.from[0]), "let it read an image behind a ReLU"),
            Op::WithPools { .. } => {
                let has_relu = matches!(self.only_reader(at), Some((_, Op::Relu)));
                need(reads_image && has_relu, "let it read an image, and put a ReLU behind it and nothing else")
            }
            Op::Aggregate { .. } if self.read_by(at) == Op::Input => self.check_first_sums(at, dims),
            Op::Aggregate { .. } | Op::Sites => need(reads_nodes, "let it read nodes"),
            Op::Ends if reads_nodes => self.check_ends(at),
            _ => Err("give the network kernels of its own, by `own_kernels`"),
        }
    }

    /// The norm behind the ends of moves becomes part of the products before them, and the sum part of the head.
    fn check_ends(&self, at: usize) -> Result<(), &'static str> {
        let is_own =
            |&from: &usize| matches!(self.at(from).op, Op::Linear { relu: false, .. }) && self.readers[from] == [at];
        let norm = self.only_reader(at).filter(|(_, op)| matches!(op, Op::BatchNorm { relu: true, .. }));
        let has_head = match norm.and_then(|(norm, _)| self.only_reader(norm)) {
            Some((head, Op::Linear { relu: false, .. })) => {
                head == self.network.logits && self.at(head).width == 1 && self.is_last(head)
            }
            _ => false,
        };
        let remedy = "let it read two linear layers of its own, and put a batch norm, a ReLU and the logits behind it";
        need(has_head && self.at(at).from.iter().all(is_own), remedy)
    }

    /// A sum is computed in place of an argument, whose buffer nothing else may read.
    fn check_add(&self, at: usize) -> Result<(), &'static str> {
        let [one, other] = self.at(at).from[..] else { unreachable!("a sum has two arguments") };
        let onto = if self.last[one] == at { one } else { other };
        let shares = |&reader: &usize| matches!(self.op(reader), Some(Op::Sites | Op::Beside));
        let is_own =
            self.last[onto] == at && !matches!(self.at(onto).op, Op::Sites) && !self.readers[onto].iter().any(shares);
        let alike = one != other && self.at(one).places == self.at(other).places;
        need(is_own && alike, "let it read two values of the same places, one of them for the last time")
    }

    /// The parts are written into one buffer, with gaps, for products with weights that have the same gaps. Lanes know
    /// no parts.
    fn check_beside(&self, at: usize) -> Result<(), &'static str> {
        let is_product = |&reader: &usize| self.is_linear(reader) && !self.is_dot(reader);
        let is_beside = |&&reader: &&usize| matches!(self.op(reader), Some(Op::Beside));
        let is_part = |&part: &usize| {
            let (product, is_written) = match self.at(part).op {
                Op::LayerNorm { .. } => (self.at(part).from[0], true),
                Op::BatchNorm { .. } => (self.at(part).from[0], self.is_folded(part)),
                _ => (part, self.is_linear(part) && !self.reads_first_sums(part)),
            };
            let places = self.at(part).places;
            let is_graph = matches!(places, Places::Nodes | Places::Sites) && places == self.at(at).places;
            let is_alone = self.readers[part].iter().filter(is_beside).count() == 1;
            is_written && is_graph && is_alone && !self.reads_any(product, &self.at(at).from)
        };
        let fits = self.readers[at].iter().all(is_product) && self.at(at).from.iter().all(is_part);
        need(fits, "give each part a linear layer of its own, and add these")
    }

    fn is_linear(&self, at: usize) -> bool {
        matches!(self.op(at), Some(Op::Linear { .. }))
    }

    /// Whether a layer reads the rows of any of these values.
    fn reads_any(&self, at: usize, values: &[usize]) -> bool {
        self.at(at).from.iter().any(|&from| {
            values.contains(&from) || matches!(self.at(from).op, Op::Sites) && self.reads_any(from, values)
        })
    }

    fn reads_first_sums(&self, at: usize) -> bool {
        matches!(self.read_by(at), Op::Aggregate { .. }) && self.read_by(self.at(at).from[0]) == Op::Input
    }

    /// The first sums are computed with the products behind them.
    fn check_first_sums(&self, at: usize, dims: Dims) -> Result<(), &'static str> {
        let Some((first, Op::Linear { relu: true, .. })) = self.only_reader(at) else {
            return Err("put a linear layer with a ReLU behind the first sums, and nothing else");
        };
        let second = self.only_reader(first).filter(|(_, op)| matches!(op, Op::Linear { relu: false, .. }));
        let norm = second.and_then(|(second, _)| self.only_reader(second));
        let has_norm = matches!(norm, Some((_, Op::LayerNorm { .. }))) && self.at(at).width == 1;
        let remedy = "put two linear layers and a layer norm behind the first sums of one number";
        need(matches!(dims, Dims::Moves(_)) || has_norm, remedy)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use candle_core::{DType, Device, Tensor};
    use rand::RngExt as _;

    use super::*;
    use crate::encoders::{Batch, MoveDims};
    use crate::nets::NumberFormat;
    use crate::nets::deep::input::Images;
    use crate::nets::deep::laws::{apart, batch, evaluate, infer};
    use crate::nets::deep::layers::{BatchNormKind, LayeredNet, Layers, Padding, Value};
    use crate::nets::deep::params::{Init, Maker};
    use crate::nets::deep::trunk_norm::TrunkNorm;
    use crate::nets::deep::{DeepError, Net};
    use gauntlet_games::base::{Rng, Seed};

    const IMAGES: Images = Images { channels: 3, rows: 4, columns: 5, actions: 0 };
    const MOVES: MoveDims = MoveDims { bits: 7, scalars: 2, edge: 4 };

    /// A network of random layers, and its batches.
    fn random(kind: usize, rng: &mut Rng) -> (Network, Dims) {
        let (mut net, input) = match kind {
            0 => Layers::of_images(IMAGES),
            1 => Layers::of_nodes(1),
            _ => Layers::of_nodes(MOVES.node()),
        };
        let mut values = vec![input];
        if kind > 0 && rng.random_range(0..10) > 0 {
            // Few other networks over graphs can be bound.
            let x = net.aggregate(input, 1.0);
            let x = if rng.random_range(0..3) == 0 { net.unbiased("first", x, 20) } else { net.linear("first", x, 20) };
            let x = net.relu(x);
            let x = if kind == 1 { net.linear("second", x, 20) } else { x };
            values = vec![input, if kind == 1 { net.layer_norm("second", x) } else { x }];
        }
        for at in 0..rng.random_range(1..9) {
            let value = layer(&mut net, &values, &format!("layer{at}"), rng);
            values.push(value);
        }
        let (logits, score) = heads(&mut net, &values, kind, rng);
        let dims = match (kind, logits.places) {
            (0, Places::Grid { rows, columns }) => Images { actions: logits.width * rows * columns, ..IMAGES }.dims(),
            (0, _) => Images { actions: logits.width, ..IMAGES }.dims(),
            (1, _) => Dims::Graphs { features: 1 },
            _ => Dims::Moves(MOVES),
        };
        (net.heads(logits, score), dims)
    }

    /// One more layer, mostly behind the last.
    fn layer(net: &mut Layers, values: &[Value], name: &str, rng: &mut Rng) -> Value {
        let any = |rng: &mut Rng| values[rng.random_range(0..values.len())];
        let x = if rng.random_range(0..3) == 0 { any(rng) } else { values[values.len() - 1] };
        let alike: Vec<Value> = values.iter().copied().filter(|y| (y.width, y.places) == (x.width, x.places)).collect();
        let like = |rng: &mut Rng| alike[rng.random_range(0..alike.len())];
        let outputs = [1, 7, 16, 20][rng.random_range(0..4)];
        match rng.random_range(0..30) {
            0..3 => net.linear(name, x, outputs),
            3..5 => net.linear(name, x, x.width),
            5 => net.unbiased(name, x, outputs),
            6..9 => net.convolution(name, x, outputs, Padding::Same),
            9 => net.unbiased_convolution(name, x, x.width, Padding::Same),
            10 => net.convolution(name, x, outputs, Padding::Valid),
            11..13 => net.batch_norm(name, x, BatchNormKind::TORCH),
            13..15 => net.layer_norm(name, x),
            15..18 => net.relu(x),
            18..21 => net.add(x, like(rng)),
            21 => {
                let parts = ["one", "other"].map(|part| net.linear(&format!("{name}-{part}"), x, x.width));
                let parts = net.beside(&parts);
                net.linear(name, parts, outputs)
            }
            22 => {
                let parts = net.beside(&[x, like(rng)]);
                if rng.random_range(0..2) == 0 { net.linear(name, parts, outputs) } else { parts }
            }
            23 => net.flatten(x),
            24 => net.pool(x),
            25 => {
                let pools = net.with_pools(x, x.width.div_ceil(2));
                if rng.random_range(0..2) == 0 { net.relu(pools) } else { pools }
            }
            26 => net.aggregate(x, 0.5),
            27 => net.sites(x),
            28 => net.ends(x, like(rng)),
            _ => match rng.random_range(0..8) {
                0 => net.leaky_relu(x),
                1 => net.softmax(x),
                2 => net.gather(x, like(rng)),
                3 => net.collect(x, like(rng)),
                4 => net.join(x, like(rng), like(rng)),
                5 => net.edge_input(4),
                6 => net.trunk_norm(name, x, TrunkNorm::Frozen),
                _ => net.dropout(x, 0.5),
            },
        }
    }

    /// Logits and score, mostly such as can be bound.
    fn heads(net: &mut Layers, values: &[Value], kind: usize, rng: &mut Rng) -> (Value, Value) {
        let last = values[values.len() - 1];
        if rng.random_range(0..10) == 0 {
            return (last, values[rng.random_range(0..values.len())]);
        }
        let logits = match kind {
            0 if rng.random_range(0..2) == 0 => net.linear("policy", last, 3),
            0 => last,
            1 => net.linear("policy", last, 1),
            _ => {
                let sites = net.sites(last);
                let ends = ["from", "to"].map(|name| net.unbiased(name, sites, 8));
                let ends = net.ends(ends[0], ends[1]);
                let ends = net.trunk_norm("policy", ends, TrunkNorm::Batch);
                net.linear("policy", ends, 1)
            }
        };
        let before = if kind == 0 && last.places != Places::Board {
            let x = net.relu(last);
            if rng.random_range(0..2) == 0 { net.pool(x) } else { net.flatten(x) }
        } else {
            values[rng.random_range(values.len().saturating_sub(2)..values.len())]
        };
        (logits, net.linear("value", before, 1))
    }

    /// A network with random weights and moments.
    fn build(network: &Network, dims: Dims) -> Result<LayeredNet, DeepError> {
        let mut rng = Seed::new(7).rng();
        let maker = Maker::new(DType::F32, &Device::Cpu, Init::Torch, &mut rng);
        let net = LayeredNet::new("test", dims, network.clone(), None, maker)?;
        for param in net.params().iter().filter(|param| param.name.contains("norm")) {
            let noise: Vec<f32> = (0..param.var.elem_count()).map(|_| rng.random_range(-0.3..0.3)).collect();
            let noise = Tensor::from_vec(noise, param.var.shape(), &Device::Cpu).unwrap();
            param.var.set(&(param.var.as_tensor() + noise).unwrap()).unwrap();
        }
        Ok(net)
    }

    /// The difference between inference and the forward pass.
    fn error(net: &LayeredNet, all: &Batch) -> f64 {
        let (logits, values) = evaluate(net, all);
        let answers = infer(&mut *net.inference(NumberFormat::F32).unwrap(), all);
        let size = logits.iter().fold(1.0, |size: f64, logit| size.max(logit.abs()));
        apart(&logits, &answers.policy_logits).max(apart(&values, &answers.values)) / size
    }

    fn word(op: Op) -> String {
        format!("{op:?}").chars().take_while(char::is_ascii_alphanumeric).collect()
    }

    /// A network is refused, or its inference agrees with its forward pass: random sequences of all operations.
    #[test]
    fn a_network_is_refused_or_bound_right() {
        let (mut rng, mut bound, mut refused) = (Seed::new(1).rng(), BTreeSet::new(), BTreeSet::new());
        let (mut counts, mut failed) = ([0; 3], Vec::new());
        for trial in 0..6000 {
            let (network, dims) = random(trial % 3, &mut rng);
            match build(&network, dims) {
                Err(DeepError::Layer { layer, op, .. }) => {
                    assert_eq!(op, format!("{:?}", network.layers[layer].op));
                    refused.insert(word(network.layers[layer].op));
                }
                Err(other) => panic!("{other}: {network:?}"),
                Ok(net) => {
                    counts[trial % 3] += 1;
                    bound.extend(network.layers.iter().map(|layer| word(layer.op)));
                    let error = catch_unwind(AssertUnwindSafe(|| error(&net, &batch(dims, 20, 3))));
                    if !error.is_ok_and(|error| error < 2e-3) {
                        failed.push(format!("{dims}: {:?}", network.layers));
                    }
                }
            }
        }
        assert!(failed.is_empty(), "{} networks:\n{}", failed.len(), failed[..failed.len().min(20)].join("\n"));
        let all = |ops: &str| ops.split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
        let with_kernels = all(
            "Input Linear Convolution BatchNorm LayerNorm Add Beside Pool WithPools Aggregate Sites Ends Relu Flatten",
        );
        let without = all("Dropout EdgeInput FrozenNorm LeakyRelu Join Softmax Gather Collect");
        assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
        // As a head, or in another order, every layer is refused.
        assert_eq!((&bound, refused), (&with_kernels, &with_kernels | &without));
    }

    #[test]
    fn a_refusal_names_the_layer_and_a_remedy() {
        let (mut net, x) = Layers::of_images(IMAGES);
        let x = net.flatten(x);
        let x = net.linear("hidden", x, 4);
        let score = net.linear("value", x, 1);
        let logits = net.leaky_relu(x);
        let network = net.heads(logits, score);
        let Err(error) = build(&network, Images { actions: 4, ..IMAGES }.dims()) else { panic!("it is refused") };
        let text = "test has no kernel for layer 4, `LeakyRelu`, in its place: give the network kernels of its own, by \
            `own_kernels`";
        assert_eq!(error.to_string(), text);
        // With kernels of its own, it is not bound.
        assert!(check("test", &network, Images { actions: 4, ..IMAGES }.dims(), false).is_ok());
    }
}
