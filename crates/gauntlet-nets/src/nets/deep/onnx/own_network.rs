//! A network of our own as a file: the same answers, and the same speed.

use std::time::Instant;

use prost::Message as _;

use super::messages::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, ValueInfoProto,
};
use super::settings::Onnx;
use crate::encoders::{Batch, Dims};
use crate::nets::NumberFormat;
use crate::nets::deep::{Answers, DeepSpec, Inference, Init, Net, save};
use gauntlet_games::base::Seed;

const DIMS: Dims = Dims::Planes { channels: 3, rows: 9, columns: 9, actions: 82 };

/// States the nodes of a file.
#[derive(Default)]
struct Writer {
    graph: GraphProto,
}

impl Writer {
    fn constant(&mut self, name: &str, dims: &[usize], float_data: Vec<f32>) -> String {
        let dims = dims.iter().map(|&size| size as i64).collect();
        self.graph.initializer.push(TensorProto {
            name: name.to_owned(),
            dims,
            data_type: 1,
            float_data,
            ..TensorProto::default()
        });
        name.to_owned()
    }

    fn node(&mut self, operator: &str, inputs: &[&str], output: &str, attribute: Vec<AttributeProto>) -> String {
        let input = inputs.iter().map(|name| (*name).to_owned()).collect();
        let (output, op_type) = (vec![output.to_owned()], operator.to_owned());
        self.graph.node.push(NodeProto { input, output: output.clone(), op_type, attribute, ..NodeProto::default() });
        output[0].clone()
    }
}

/// A `res-net-v2` with its weights, as a file.
struct ResNet<'a> {
    net: &'a dyn Net,
    channels: usize,
    writer: Writer,
}

impl ResNet<'_> {
    fn weights(&self, name: &str) -> Vec<f32> {
        let saved = save(self.net.params()).unwrap();
        saved.into_iter().find(|saved| saved.name == name).unwrap_or_else(|| panic!("no {name}")).values
    }

    /// A convolution whose weights are `[output][tap][channel]` in ours.
    fn convolution(&mut self, name: &str, x: &str, [outputs, inputs, side]: [usize; 3]) -> String {
        let (own, taps) = (self.weights(&format!("{name}.weight")), side * side);
        let at = |index: usize| own[(index / (inputs * taps) * taps + index % taps) * inputs + index / taps % inputs];
        let weights = (0..own.len()).map(at).collect();
        let weights = self.writer.constant(&format!("{name}.w"), &[outputs, inputs, side, side], weights);
        let bias = self.weights(&format!("{name}.bias"));
        let bias = self.writer.constant(&format!("{name}.b"), &[outputs], bias);
        let pads =
            AttributeProto { name: "pads".to_owned(), ints: vec![side as i64 / 2; 4], ..AttributeProto::default() };
        self.writer.node("Conv", &[x, &weights, &bias], &format!("{name}.conv"), vec![pads])
    }

    fn norm(&mut self, name: &str, x: &str) -> String {
        let parts = ["gain", "bias", "mean", "variance"].map(|part| {
            let numbers = self.weights(&format!("{name}.{part}"));
            self.writer.constant(&format!("{name}.{part}"), &[numbers.len()], numbers)
        });
        let [gain, bias, mean, variance] = &parts;
        let y = self.writer.node("BatchNormalization", &[x, gain, bias, mean, variance], &format!("{name}.y"), vec![]);
        self.writer.node("Relu", &[&y], &format!("{name}.relu"), vec![])
    }

    /// A full layer; over `maps` maps, its inputs are `[site][map]` in ours.
    fn linear(&mut self, name: &str, x: &str, outputs: usize, maps: usize) -> String {
        let own = self.weights(&format!("{name}.weight"));
        let (inputs, sites) = (own.len() / outputs, own.len() / outputs / maps);
        let at = |index: usize| own[index / inputs * inputs + index % sites * maps + index % inputs / sites];
        let weights = (0..own.len()).map(at).collect();
        let weights = self.writer.constant(&format!("{name}.w"), &[outputs, inputs], weights);
        let bias = self.weights(&format!("{name}.bias"));
        let bias = self.writer.constant(&format!("{name}.b"), &[outputs], bias);
        let turned = AttributeProto { name: "transB".to_owned(), i: 1, ..AttributeProto::default() };
        self.writer.node("Gemm", &[x, &weights, &bias], &format!("{name}.gemm"), vec![turned])
    }

    fn maps(&mut self, name: &str, x: &str, count: usize) -> String {
        let maps = self.convolution(&format!("{name}.maps"), x, [count, self.channels, 1]);
        let maps = self.norm(&format!("{name}.norm"), &maps);
        self.writer.node("Flatten", &[&maps], &format!("{name}.flat"), vec![])
    }

    fn bytes(mut self, blocks: usize) -> Vec<u8> {
        let c = self.channels;
        let mut h = self.convolution("conv", "x", [c, 3, 3]);
        for block in 0..blocks {
            let mut inner = h.clone();
            for half in 0..2 {
                let name = format!("block{block}.conv{half}");
                inner = self.norm(&format!("{name}.norm"), &inner);
                inner = self.convolution(&name, &inner, [c, c, 3]);
            }
            h = self.writer.node("Add", &[&h, &inner], &format!("block{block}"), vec![]);
        }
        let h = self.norm("norm", &h);
        let policy = self.maps("policy", &h, 2);
        let policy = self.linear("policy", &policy, 82, 2);
        let value = self.maps("value", &h, 1);
        let value = self.linear("value.hidden", &value, c, 1);
        let value = self.writer.node("Relu", &[&value], "hidden", vec![]);
        let value = self.linear("value", &value, 1, 1);
        let value = self.writer.node("Tanh", &[&value], "tanh", vec![]);
        let port = |name: &str| ValueInfoProto { name: name.to_owned(), r#type: None };
        let mut graph = self.writer.graph;
        (graph.input, graph.output) = (vec![port("x")], vec![port(&policy), port(&value)]);
        let opset_import = vec![OperatorSetIdProto { domain: String::new(), version: 15 }];
        ModelProto { ir_version: 8, graph: Some(graph), opset_import, ..ModelProto::default() }.encode_to_vec()
    }
}

/// The inference of a network, and that of its file.
fn both(channels: usize, blocks: usize, numbers: NumberFormat) -> [Box<dyn Inference>; 2] {
    let spec = format!(r#"{{"res-net-v2":{{"channels":{channels},"blocks":{blocks}}}}}"#);
    let spec: DeepSpec = serde_json::from_str(&spec).unwrap();
    let net = spec.build(DIMS, Init::Torch, &Seed::new(2)).unwrap();
    let bytes = ResNet { net: &*net, channels, writer: Writer::default() }.bytes(blocks);
    let file: Onnx = serde_json::from_str(r#"{"file":"own.onnx"}"#).unwrap();
    [net.inference(numbers).unwrap(), file.inference(&bytes, DIMS, numbers).unwrap()]
}

/// Positions with stones at a third of the sites.
fn positions(count: usize) -> Batch {
    let mut batch = Batch::new(DIMS);
    let Batch::Planes(planes) = &mut batch else { panic!("images") };
    for position in 0..count {
        let number = |at: usize| if (at * 7919 + position * 104_729) % 31 < 10 { 1.0 } else { 0.0 };
        planes.push(&(0..243).map(number).collect::<Vec<f32>>());
    }
    batch
}

#[test]
fn our_own_network_as_a_file_has_our_answers() {
    for (channels, numbers, most) in
        [(32, NumberFormat::F32, 1e-5), (64, NumberFormat::Bf16, 0.01), (64, NumberFormat::Int8, 0.02)]
    {
        let [ours, files] = both(channels, 2, numbers).map(|mut inference| {
            let mut answers = Answers::default();
            inference.infer(&positions(40), &mut answers).unwrap();
            (inference.flops(&positions(1), 0), [answers.policy_logits, answers.values].concat())
        });
        let apart = ours.1.iter().zip(&files.1).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < most, "{numbers:?}: {apart}");
        assert_eq!((ours.0, ours.1.len()), (files.0, files.1.len()));
    }
}

/// By hand: `cargo test --release -p gauntlet-nets -- --ignored --nocapture the_speed_of_a_file`.
#[test]
#[ignore = "it measures time"]
fn the_speed_of_a_file_is_that_of_our_own_network() {
    for numbers in [NumberFormat::F32, NumberFormat::Bf16, NumberFormat::Int8] {
        let (mut both, batch, mut answers) = (both(128, 5, numbers), positions(64), Answers::default());
        let mut best = [f64::INFINITY; 2];
        for _ in 0..12 {
            for (inference, best) in both.iter_mut().zip(&mut best) {
                let start = Instant::now();
                inference.infer(&batch, &mut answers).unwrap();
                *best = best.min(start.elapsed().as_secs_f64());
            }
        }
        println!(
            "{numbers:?}: {:.0} and {:.0} positions a second, ratio {:.3}",
            64.0 / best[0],
            64.0 / best[1],
            best[0] / best[1]
        );
        assert!(best[0] / best[1] > 0.8);
    }
}
