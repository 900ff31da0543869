//! Our own networks as files: the same answers, and the same speed.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use candle_core::DType;
use prost::Message as _;

use super::messages::ModelProto;
use super::settings::Onnx;
use crate::encoders::{Batch, Dims, Graph, Graphs, Planes, Topology};
use crate::nets::NumberFormat;
use crate::nets::deep::input::{Images, InputKind};
use crate::nets::deep::laws::{self, apart, batch, infer};
use crate::nets::deep::{
    Answers, DeepCheckpoint, DeepSpec, Inference, Init, Net, Saved, Saz, WindowCnn, save, write_tensors,
};
use gauntlet_games::base::Seed;

const DIMS: Dims = Dims::Planes { channels: 3, rows: 9, columns: 9, actions: 82 };

/// The file of a network, read back.
fn read(bytes: &[u8], dims: Dims, numbers: NumberFormat) -> Box<dyn Inference> {
    let file: Onnx = serde_json::from_str(r#"{"file":"own.onnx"}"#).unwrap();
    file.inference(bytes, dims, numbers).unwrap()
}

fn checkpoint(spec: &DeepSpec, net: &dyn Net) -> DeepCheckpoint {
    DeepCheckpoint::of(spec.clone(), net, "a test").unwrap()
}

/// A network on a board, as a file: its name, the bytes, positions as images, and its own answers.
struct Case {
    name: String,
    bytes: Vec<u8>,
    images: Batch,
    own: Answers,
}

impl Case {
    /// A network over images with random weights, for these dimensions.
    fn of_images(name: String, spec: &DeepSpec, net: &dyn Net) -> Case {
        let images = batch(net.dims(), 30, 5);
        let own = infer(&mut *net.inference(NumberFormat::F32).unwrap(), &images);
        let bytes = checkpoint(spec, net).to_onnx(net.dims(), None).unwrap();
        Case { name, bytes, images, own }
    }

    /// A network over the graph of a board, with or without a pass.
    fn of_board(spec: &DeepSpec, [rows, columns]: [usize; 2], pass: usize) -> Case {
        let (net, sites) = (laws::build(spec, DType::F32), rows * columns);
        let board = Arc::new(Graph::board(&Topology::grid(rows, columns)));
        let dims = Dims::Planes { channels: 1, rows, columns, actions: sites + pass };
        let (images, mut graphs) = (batch(dims, 30, 6), Graphs::new(1));
        let stones = planes(&images);
        stones.values().chunks_exact(sites).for_each(|stones| graphs.push(&board, stones.iter().copied()));
        let mut own = infer(&mut *net.inference(NumberFormat::F32).unwrap(), &Batch::Graphs(graphs));
        let slots = own.policy_logits.chunks_exact(sites + 1).flat_map(|logits| &logits[..sites + pass]);
        own.policy_logits = slots.copied().collect();
        let bytes = checkpoint(spec, &*net).to_onnx(dims, Some(&board)).unwrap();
        Case { name: format!("{}-{rows}x{columns}-{pass}", spec.name()), bytes, images, own }
    }
}

fn planes(batch: &Batch) -> &Planes {
    let Batch::Planes(planes) = batch else { panic!("images") };
    planes
}

/// All examples of networks over images, on the board of the laws; the one over windows also on one window, and with a
/// pass; SAZ on boards.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (at, spec) in DeepSpec::examples().iter().enumerate() {
        match spec.reads() {
            InputKind::Images { .. } => {
                cases.push(Case::of_images(format!("{at}-{}", spec.name()), spec, &*laws::build(spec, DType::F32)));
            }
            InputKind::Graphs => {
                for (size, pass) in [([5, 5], 0), ([5, 5], 1), ([3, 4], 0), ([4, 3], 1)] {
                    cases.push(Case::of_board(spec, size, pass));
                }
            }
            InputKind::Moves { .. } => {}
        }
    }
    let window: WindowCnn = serde_json::from_str(r#"{ "window": 5, "cnn": { "channels": 9, "wide": 8 } }"#).unwrap();
    for (rows, columns, pass) in [(5, 5, 0), (5, 7, 0), (8, 6, 1)] {
        let dims = Dims::Planes { channels: 3, rows, columns, actions: rows * columns + pass };
        let net = DeepSpec::WindowCnn(window).build(dims, Init::Torch, &Seed::new(4)).unwrap();
        cases.push(Case::of_images(format!("windows-{rows}x{columns}"), &DeepSpec::WindowCnn(window), &*net));
    }
    cases
}

#[test]
fn every_network_of_ours_is_a_file_with_its_answers() {
    let cases = cases();
    assert_eq!(cases.len(), 7 + 2 * 4 + 3, "networks over images, over graphs, over windows");
    for Case { name, bytes, images, own } in cases {
        let answers = infer(&mut *read(&bytes, images.dims(), NumberFormat::F32), &images);
        let wide = |numbers: &[f32]| numbers.iter().map(|&number| f64::from(number)).collect::<Vec<f64>>();
        let logits = apart(&wide(&own.policy_logits), &answers.policy_logits);
        let values = apart(&wide(&own.values), &answers.values);
        assert!(logits < 1e-5 && values < 1e-5, "{name}: {logits:e} and {values:e}");
        let spread =
            own.policy_logits.iter().fold(0.0, |most: f32, logit| most.max((logit - own.policy_logits[0]).abs()));
        assert!(spread > 0.01, "{name}: all logits are alike");
    }
}

/// Files with our own answers, for `tests/peers/test_onnx.py`.
#[test]
#[ignore = "it writes files to the directory of GAUNTLET_EXPORTS"]
fn files_for_other_programs() {
    let directory = std::env::var("GAUNTLET_EXPORTS").expect("the directory");
    for Case { name, bytes, images, own } in cases() {
        let Images { channels, rows, columns, actions } = Images::of(images.dims()).unwrap();
        let saved = |name: &str, shape: &[usize], values: &[f32]| Saved {
            name: name.to_owned(),
            shape: shape.to_vec(),
            values: values.to_vec(),
        };
        let count = own.values.len();
        let tensors = [
            saved("input", &[count, channels, rows, columns], planes(&images).values()),
            saved("logits", &[count, actions], &own.policy_logits),
            saved("value", &[count, 1], &own.values),
        ];
        let at = Path::new(&directory).join(name.replace([' ', ','], "-"));
        std::fs::write(format!("{}.onnx", at.display()), bytes).unwrap();
        let answers = write_tensors(&tensors, String::new()).unwrap();
        std::fs::write(format!("{}.check.safetensors", at.display()), answers).unwrap();
    }
}

#[test]
fn a_file_says_its_origin() {
    let spec: DeepSpec = serde_json::from_str(r#"{"res-net-v2":{"channels":8,"blocks":1}}"#).unwrap();
    let net = laws::build(&spec, DType::F32);
    let model = ModelProto::decode(&*checkpoint(&spec, &*net).to_onnx(net.dims(), None).unwrap()).unwrap();
    let about = String::from_utf8(model.doc_string).unwrap();
    assert!(about.starts_with("ResNet-v2 1x8 of Gauntlet, from a test. "), "{about}");
    assert_eq!((&*model.producer_name, model.opset_import[0].version), ("gauntlet", 17));
    let graph = model.graph.unwrap();
    let first = |info: &super::messages::ValueInfoProto| {
        let shape = info.r#type.clone().unwrap().tensor_type.unwrap().shape.unwrap();
        (info.name.clone(), shape.dim[0].dim_param.clone().unwrap(), shape.dim.len())
    };
    let named = |name: &str, axes: usize| (name.to_owned(), "positions".to_owned(), axes);
    assert_eq!(graph.input.iter().map(first).collect::<Vec<_>>(), [named("planes", 4)]);
    assert_eq!(graph.output.iter().map(first).collect::<Vec<_>>(), [named("logits", 2), named("value", 2)]);
    // The names of weights are those of our own files.
    for saved in save(net.params()).unwrap() {
        assert!(graph.initializer.iter().any(|tensor| tensor.name == saved.name), "{}", saved.name);
    }
}

#[test]
fn networks_without_a_file_are_refused_with_the_reason() {
    let refused = |spec: &DeepSpec, dims: Dims| {
        let net = laws::build(spec, DType::F32);
        checkpoint(spec, &*net).to_onnx(dims, None).unwrap_err().to_string()
    };
    let (mut moves, image) = (0, Dims::Planes { channels: 1, rows: 5, columns: 5, actions: 25 });
    for spec in DeepSpec::examples().iter().filter(|spec| matches!(spec.reads(), InputKind::Moves { .. })) {
        let title = spec.architecture().title();
        let reason = format!("{title} reads graphs whose edges are the moves of a position");
        for dims in [image, laws::dims(spec)] {
            assert!(refused(spec, dims).contains(&reason), "{}", refused(spec, dims));
        }
        moves += 1;
    }
    assert_eq!(moves, 4);
    let saz = DeepSpec::Saz(serde_json::from_str::<Saz>(r#"{"hidden":8}"#).unwrap());
    assert!(refused(&saz, image).contains("needs the graph of a board"), "{}", refused(&saz, image));
    let az: DeepSpec = serde_json::from_str(r#"{"az-cnn":{"channels":6,"wide":12,"narrow":10}}"#).unwrap();
    let other = "the weights of AZ-CNN are those of another board: 2 x 5 x 5 numbers and 34 logits";
    assert!(refused(&az, image).contains(other), "{}", refused(&az, image));
    assert!(refused(&az, Dims::Graphs { features: 1 }).contains("AZ-CNN reads images"));
}

/// The edges of a large board are a constant for each layer.
#[test]
fn a_file_that_is_too_large_is_refused_before_the_work() {
    let saz = DeepSpec::Saz(serde_json::from_str::<Saz>(r#"{"hidden":8}"#).unwrap());
    let net = laws::build(&saz, DType::F32);
    let refused = |side: usize| {
        let board = Graph::board(&Topology::square(side));
        let dims = Dims::Planes { channels: 1, rows: side, columns: side, actions: side * side };
        checkpoint(&saz, &*net).to_onnx(dims, Some(&board)).unwrap_err().to_string()
    };
    let error = refused(95);
    assert!(error.contains("for a board of 95 x 95, the file has at least"), "{error}");
    assert!(error.contains("at most 268435456 are read: choose a smaller board"), "{error}");
}

/// The inference of a ResNet, and that of its file.
fn both(channels: usize, blocks: usize, numbers: NumberFormat) -> [Box<dyn Inference>; 2] {
    let spec = format!(r#"{{"res-net-v2":{{"channels":{channels},"blocks":{blocks}}}}}"#);
    let spec: DeepSpec = serde_json::from_str(&spec).unwrap();
    let net = spec.build(DIMS, Init::Torch, &Seed::new(2)).unwrap();
    let bytes = checkpoint(&spec, &*net).to_onnx(DIMS, None).unwrap();
    [net.inference(numbers).unwrap(), read(&bytes, DIMS, numbers)]
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
        // One after the other, so that other programs slow both down.
        let mut times = [const { Vec::new() }; 2];
        for round in 0..41 {
            for at in [round % 2, 1 - round % 2] {
                let start = Instant::now();
                both[at].infer(&batch, &mut answers).unwrap();
                times[at].push(start.elapsed().as_secs_f64());
            }
        }
        let middle = |mut numbers: Vec<f64>| {
            numbers.sort_by(f64::total_cmp);
            numbers[numbers.len() / 2]
        };
        let ratio = middle(times[0].iter().zip(&times[1]).map(|(own, file)| own / file).collect());
        let [own, file] = times.map(|times| 64.0 / middle(times));
        println!("{numbers:?}: {own:.0} and {file:.0} positions a second, ratio {ratio:.3}");
        assert!(ratio > 0.8);
    }
}
