//! Tests of ResNet-v2 against the implementation of pgx that the authors of AlphaGateau used, on their values.

use candle_core::{DType, Device, Tensor};

use super::*;
use crate::encoders::{Batch, Dims, Planes};
use crate::nets::NumberFormat;
use crate::nets::deep::architecture::Architecture;
use crate::nets::deep::moves::gateau_vectors::{NamedTensors, assert_close, cases, header, moves, side, vectors};
use crate::nets::deep::params::{Init, Maker, floats};
use crate::nets::deep::*;
use gauntlet_games::base::Seed;

/// Our name of a tensor of theirs: `block0.bn2.scale` is `block0.conv1.norm.gain`.
fn renamed(theirs: &str) -> String {
    let pairs = [
        ("conv_in", "conv"),
        ("conv1", "conv0"),
        ("conv2", "conv1"),
        ("bn1", "conv0.norm"),
        ("bn2", "conv1.norm"),
        ("bn_out", "norm"),
        ("policy_conv", "policy.maps"),
        ("policy_bn", "policy.norm"),
        ("policy_dense", "policy"),
        ("value_conv", "value.maps"),
        ("value_bn", "value.norm"),
        ("value_dense", "value.hidden"),
        ("value_out", "value"),
        ("scale", "gain"),
        ("kernel", "weight"),
        ("var", "variance"),
    ];
    let word = |word: &str| {
        pairs.iter().find(|(theirs, _)| *theirs == word).map_or(word.to_owned(), |(_, ours)| (*ours).to_owned())
    };
    theirs.split('.').map(word).collect::<Vec<_>>().join(".")
}

/// Their weights in our layout: `[output, inputs]`.
fn turned(tensor: &Tensor) -> Vec<f32> {
    let turned = match tensor.rank() {
        4 => tensor.permute((3, 0, 1, 2)).unwrap(),
        2 => tensor.t().unwrap(),
        _ => tensor.clone(),
    };
    floats(&turned.contiguous().unwrap()).unwrap()
}

/// The policy's last layer, which the vectors define by a rule.
fn policy_weights(salt: u32, [outputs, inputs]: [usize; 2]) -> Vec<f32> {
    let mix = |mut x: u32| {
        x ^= x >> 16;
        x = x.wrapping_mul(0x7feb_352d);
        x ^= x >> 15;
        x = x.wrapping_mul(0x846c_a68b);
        x ^ x >> 16
    };
    let weight = |output: usize, input: usize| {
        let number = mix(((input * outputs + output) as u32).wrapping_add(salt)) & 255;
        (number as f32 - 128.0) / 512.0
    };
    (0..outputs).flat_map(|output| (0..inputs).map(move |input| (output, input))).map(|(o, i)| weight(o, i)).collect()
}

/// The four positions of a board as images: 119 channels, or pgx's 115 of the small board.
fn planes(tensors: &NamedTensors, side: usize) -> Planes {
    let (moves, sites) = (moves(tensors, side), side * side);
    let channels: Vec<usize> = if side == 8 { (0..119).collect() } else { (0..114).chain([118]).collect() };
    let mut planes = Planes::new(channels.len(), side, side, if side == 8 { 4672 } else { 1225 });
    for nodes in moves.node_values().chunks_exact(119 * sites) {
        let node = |site: usize| site % side * side + side - 1 - site / side;
        let channel = |&channel: &usize| (0..sites).map(move |site| nodes[119 * node(site) + channel]);
        planes.push(&channels.iter().flat_map(channel).collect::<Vec<f32>>());
    }
    planes
}

/// The network of a case with its weights.
fn res_net(tensors: &NamedTensors, case: &str, dims: Dims) -> Box<dyn Net> {
    let spec: DeepSpec = serde_json::from_str(r#"{"res-net-v2":{"channels":16,"blocks":2}}"#).unwrap();
    let mut rng = Seed::new(1).rng();
    let net = spec.architecture().build(dims, Maker::new(DType::F32, &Device::Cpu, Init::Torch, &mut rng)).unwrap();
    let prefix = format!("{case}.w.");
    let named = |(name, tensor): (&String, &Tensor)| Some((renamed(name.strip_prefix(&prefix)?), turned(tensor)));
    let weights: std::collections::HashMap<_, _> = tensors.iter().filter_map(named).collect();
    let header = header();
    let described = header["cases"].as_array().unwrap().iter().find(|described| described["name"] == case).unwrap();
    let salt = described["policy_dense_kernel"]["salt"].as_u64().unwrap() as u32;
    for param in net.params() {
        let numbers = match param.name.as_str() {
            "policy.weight" => policy_weights(salt, [param.var.dim(0).unwrap(), param.var.dim(1).unwrap()]),
            name => weights.get(name).unwrap_or_else(|| panic!("{case} has {name}")).clone(),
        };
        param.var.set(&Tensor::from_vec(numbers, param.var.shape(), &Device::Cpu).unwrap()).unwrap();
    }
    net
}

#[test]
fn weight_counts_are_those_of_pgx() {
    let count = |channels: usize, side: usize, actions: usize, text: &str| {
        let images = Dims::Planes { channels, rows: side, columns: side, actions };
        serde_json::from_str::<ResNetV2>(text).unwrap().weight_count(images).unwrap()
    };
    assert_eq!(count(119, 8, 4672, "{}"), 2_227_402);
    assert_eq!(count(119, 8, 4672, r#"{"channels":64}"#), 1_046_410);
    assert_eq!(count(115, 5, 1225, "{}"), 1_677_589);
    assert_eq!(count(115, 5, 1225, r#"{"channels":16,"blocks":2}"#), 88_981);
}

#[test]
fn res_net_answers_and_learns_as_that_of_pgx() {
    let Some(tensors) = vectors() else { return };
    for case in cases(&tensors, "aznet") {
        let planes = planes(&tensors, side(&case));
        let (net, batch) = (res_net(&tensors, &case, planes.dims()), Batch::Planes(planes));
        let theirs = |name: &str| &tensors[&format!("{case}.{name}")];
        let (mut fast, mut plain) = (Answers::default(), Answers::default());
        let heads = net.forward(&batch, Mode::Evaluate).unwrap();
        (plain.policy_logits, plain.values) = (floats(&heads.policy_logits).unwrap(), floats(&heads.value).unwrap());
        net.inference(NumberFormat::F32).unwrap().infer(&batch, &mut fast).unwrap();
        for (answers, way) in [(plain, "plain"), (fast, "kernels")] {
            assert_close(&answers.policy_logits, theirs("policy_logits"), &format!("{case}, {way}, logits"));
            assert_close(&answers.values, theirs("value"), &format!("{case}, {way}, values"));
        }
        if !tensors.contains_key(&format!("{case}.train.value")) {
            continue;
        }
        let heads = net.forward(&batch, Mode::train(&mut Seed::new(1).rng())).unwrap();
        assert_close(&floats(&heads.policy_logits).unwrap(), theirs("train.policy_logits"), &case);
        assert_close(&floats(&heads.value).unwrap(), theirs("train.value"), &case);
        let prefix = format!("{case}.train.");
        for (name, moment) in &tensors {
            let Some(name) =
                name.strip_prefix(&prefix).filter(|name| name.ends_with(".mean") || name.ends_with(".var"))
            else {
                continue;
            };
            let ours = net.params().iter().find(|param| param.name == renamed(name)).unwrap();
            assert_close(&floats(&ours.var).unwrap(), moment, &format!("{case} {name}"));
        }
    }
}
