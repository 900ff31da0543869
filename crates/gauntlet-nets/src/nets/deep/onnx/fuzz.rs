//! Damaged and odd files: an error or a network, within limits of time and memory, and never a panic.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use prost::Message as _;
use rand::RngExt as _;
use rayon::prelude::*;

use super::contract::OnnxOutputs;
use super::inference::OnnxInference;
use super::messages::{AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto};
use crate::encoders::{Batch, Dims, Graph, Topology};
use crate::nets::NumberFormat;
use crate::nets::deep::input::{Images, InputKind};
use crate::nets::deep::{Answers, DeepCheckpoint, DeepSpec, Inference as _, laws};
use candle_core::DType;
use gauntlet_games::base::{Rng, Seed};

/// Time limit for one file, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A valid file with its dimensions.
struct Sound {
    model: ModelProto,
    bytes: Vec<u8>,
    dims: Dims,
}

/// Small files with most operators: our own networks, and exports of PyTorch (`tests/onnx`).
fn sound() -> Vec<Sound> {
    let own = DeepSpec::examples().into_iter().filter_map(|spec| {
        let (net, board) = (laws::build(&spec, DType::F32), Graph::board(&Topology::square(4)));
        let dims = match spec.reads() {
            InputKind::Images { .. } => laws::dims(&spec),
            InputKind::Graphs => Dims::Planes { channels: 1, rows: 4, columns: 4, actions: 17 },
            InputKind::Moves { .. } => return None,
        };
        let checkpoint = DeepCheckpoint::of(spec, &*net, "a test").unwrap();
        Some((checkpoint.to_onnx(dims, Some(&board)).unwrap(), dims))
    });
    let others = super::tests::exports().into_iter().map(|export| (export.bytes, export.dims));
    let all = own.chain(others).filter(|(bytes, _)| bytes.len() < 100_000);
    all.map(|(bytes, dims)| Sound { model: ModelProto::decode(&*bytes).unwrap(), bytes, dims }).collect()
}

/// A number that sizes and indices seldom are.
fn odd(rng: &mut Rng) -> i64 {
    const ODD: [i64; 14] = [0, 1, -1, 2, 3, -2, 7, 64, 4096, 1 << 24, 1 << 31, 1 << 62, i64::MAX, i64::MIN];
    ODD[rng.random_range(0..ODD.len())]
}

/// One of some items.
fn any<'a, T>(items: &'a mut [T], rng: &mut Rng) -> Option<&'a mut T> {
    if items.is_empty() { None } else { Some(&mut items[rng.random_range(0..items.len())]) }
}

/// Bytes that are other ones, are missing or occur twice; lengths of messages are among them.
fn change_bytes(bytes: &mut Vec<u8>, rng: &mut Rng) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.random_range(0..bytes.len());
    let end = (at + rng.random_range(1..40)).min(bytes.len());
    match rng.random_range(0..6) {
        0 => bytes[at] ^= 1 << rng.random_range(0..8),
        1 => bytes[at] = rng.random(),
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end)),
        4 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
        _ => bytes[at..end].fill(0xff),
    }
}

/// Nodes that are missing, occur twice, change places, or have other operators, arguments or settings.
fn change_nodes(graph: &mut GraphProto, rng: &mut Rng) {
    let names: Vec<String> = graph.node.iter().flat_map(|node| node.output.clone()).collect();
    let operators: Vec<String> = graph.node.iter().map(|node| node.op_type.clone()).collect();
    let (one, other) = (rng.random_range(0..graph.node.len()), rng.random_range(0..graph.node.len()));
    let operator = operators[other].clone();
    match rng.random_range(0..8) {
        0 => drop(graph.node.remove(one)),
        1 => graph.node.insert(other, graph.node[one].clone()),
        2 => graph.node.swap(one, other),
        3 => graph.node[one].op_type = operator,
        4 => graph.node[one].input.iter_mut().rev().take(1).for_each(|name| name.clone_from(&names[other])),
        5 => graph.node[one].input.reverse(),
        6 => change_setting(&mut graph.node[one], rng),
        // A second node with the result of the first, under a name of its own, which the third reads.
        _ => {
            let again = NodeProto { output: vec!["again".to_owned()], ..graph.node[one].clone() };
            graph.node.insert(one + 1, again);
            let last = graph.node.len() - 1;
            graph.node[last].input.iter_mut().take(1).for_each(|name| "again".clone_into(name));
        }
    }
}

fn change_setting(node: &mut NodeProto, rng: &mut Rng) {
    const NAMES: [&str; 10] =
        ["axis", "axes", "perm", "pads", "strides", "dilations", "group", "kernel_shape", "keepdims", "transB"];
    if rng.random_bool(0.5) {
        let name = NAMES[rng.random_range(0..NAMES.len())].to_owned();
        let ints = (0..rng.random_range(0..5)).map(|_| odd(rng)).collect();
        node.attribute.push(AttributeProto { name, i: odd(rng), ints, ..AttributeProto::default() });
    } else if let Some(setting) = any(&mut node.attribute, rng) {
        setting.i = odd(rng);
        setting.f = [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-30][rng.random_range(0..5)];
        let number = odd(rng);
        any(&mut setting.ints, rng).into_iter().for_each(|int| *int = number);
    }
}

/// Constants with other sizes, types or numbers.
fn change_constants(graph: &mut GraphProto, rng: &mut Rng) {
    let number = odd(rng);
    let Some(tensor) = any(&mut graph.initializer, rng) else { return };
    match rng.random_range(0..6) {
        0 => any(&mut tensor.dims, rng).into_iter().for_each(|size| *size = number),
        1 => tensor.dims.push(number),
        2 => tensor.dims.reverse(),
        3 => tensor.data_type = rng.random_range(0..18),
        4 => tensor.raw_data.truncate(tensor.raw_data.len() / 2),
        _ => change_numbers(tensor, number, rng),
    }
}

fn change_numbers(tensor: &mut TensorProto, number: i64, rng: &mut Rng) {
    let place = rng.random_range(0..1 + tensor.raw_data.len() / 8) * 8;
    tensor.raw_data.iter_mut().skip(place).zip(number.to_le_bytes()).for_each(|(byte, other)| *byte = other);
    any(&mut tensor.int64_data, rng).into_iter().for_each(|int| *int = number);
}

/// Inputs and outputs of other shapes and names.
fn change_ports(graph: &mut GraphProto, rng: &mut Rng) {
    let (number, is_open) = (odd(rng), rng.random_bool(0.3));
    let ports = if rng.random_bool(0.7) { &mut graph.input } else { &mut graph.output };
    let Some(port) = any(ports, rng) else { return };
    let shape = port.r#type.as_mut().and_then(|of| of.tensor_type.as_mut()?.shape.as_mut());
    match (shape, rng.random_range(0..4)) {
        (Some(shape), 0..3) => {
            any(&mut shape.dim, rng).into_iter().for_each(|size| size.dim_value = (!is_open).then_some(number));
        }
        _ => port.name.push('x'),
    }
}

/// A file with some changes, by its number.
fn changed(sound: &[Sound], number: u64) -> (Vec<u8>, Dims) {
    let mut rng = Seed::new(1).child("file", number).rng();
    let Sound { model, bytes, dims } = &sound[number as usize % sound.len()];
    let (mut model, mut rest) = (model.clone(), rng.random_range(0..4));
    let graph = model.graph.as_mut().expect("it is sound");
    let in_bytes = rng.random_bool(0.4);
    while rest > 0 && !graph.node.is_empty() {
        match rng.random_range(0..4) {
            0 | 1 => change_nodes(graph, &mut rng),
            2 => change_constants(graph, &mut rng),
            _ => change_ports(graph, &mut rng),
        }
        rest -= 1;
    }
    if !in_bytes {
        return (model.encode_to_vec(), *dims);
    }
    let mut bytes = if rng.random_bool(0.5) { model.encode_to_vec() } else { bytes.clone() };
    (0..rng.random_range(1..4)).for_each(|_| change_bytes(&mut bytes, &mut rng));
    (bytes, *dims)
}

/// Reads a file, and computes some positions if it is a network.
fn try_out(bytes: &[u8], dims: Dims) -> bool {
    let Ok(mut inference) = OnnxInference::new(bytes, dims, &OnnxOutputs::default(), NumberFormat::F32) else {
        return false;
    };
    let Images { channels, rows, columns, actions } = Images::of(dims).expect("files read images");
    let mut batch = Batch::new(dims);
    let Batch::Planes(planes) = &mut batch else { panic!("images") };
    (0..3).for_each(|at| planes.push(&vec![at as f32 - 1.0; channels * rows * columns]));
    let mut answers = Answers::default();
    // An answer that is not finite is an error.
    if inference.infer(&batch, &mut answers).is_ok() {
        assert_eq!((answers.policy_logits.len(), answers.values.len()), (3 * actions, 3));
        assert!(answers.values.iter().all(|value| value.abs() <= 1.0));
    }
    true
}

/// Whether a file is read as a network; `None` if it causes a panic or exceeds the time limit.
fn outcome(sound: &[Sound], number: u64) -> Option<bool> {
    let clock = Instant::now();
    let result = catch_unwind(|| {
        let (bytes, dims) = changed(sound, number);
        try_out(&bytes, dims)
    });
    let time = clock.elapsed();
    if result.is_err() || time > PATIENCE {
        eprintln!("file {number}, {time:?}");
    }
    result.ok().filter(|_| time <= PATIENCE)
}

/// Tries files with these numbers. Returns the number of networks among them.
fn try_all(numbers: std::ops::Range<u64>) -> usize {
    let sound = sound();
    assert!(sound.iter().all(|file| try_out(&file.bytes, file.dims)), "sound files are networks");
    let found: Vec<(u64, Option<bool>)> =
        numbers.into_par_iter().map(|number| (number, outcome(&sound, number))).collect();
    let harmful: Vec<u64> = found.iter().filter(|(_, outcome)| outcome.is_none()).map(|&(number, _)| number).collect();
    assert!(harmful.is_empty(), "{harmful:?}");
    found.iter().filter(|(_, outcome)| *outcome == Some(true)).count()
}

#[test]
fn changed_files_do_no_harm() {
    let networks = try_all(0..4000);
    // Both happen often, or the changes try nothing.
    assert!((200..3800).contains(&networks), "{networks} of 4000 are networks");
}

/// The long form, for changes of the reader: `cargo test --release -p gauntlet-nets --lib a_million -- --ignored`.
#[test]
#[ignore = "long: a million files"]
fn a_million_changed_files_do_no_harm() {
    try_all(0..1_000_000);
}
