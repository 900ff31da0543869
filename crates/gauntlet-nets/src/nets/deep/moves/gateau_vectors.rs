//! Tests of AlphaGateau against the implementation of the paper's authors, on their values.
//!
//! The values are in `shared` beside the checkout.

use std::collections::HashMap;
use std::sync::Arc;

use candle_core::{DType, Device, Tensor};

use super::gateau::Gateau;
use crate::encoders::{Batch, Dims, MoveDims, MoveGraph, MoveGraphs, Topology};
use crate::nets::NumberFormat;
use crate::nets::deep::params::{Init, Maker, floats};
use crate::nets::deep::*;
use gauntlet_games::base::Seed;

/// Path of the vectors.
const PATH: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/oracles/alphagateau/gateau_vectors.safetensors");

/// Tolerance for floats.
const CLOSE: f32 = 1e-4;

/// Their tensors by name.
pub(in crate::nets::deep) type NamedTensors = HashMap<String, Tensor>;

/// The test vectors, if they exist.
pub(in crate::nets::deep) fn vectors() -> Option<NamedTensors> {
    if !std::path::Path::new(PATH).exists() {
        eprintln!("skipped: {PATH} is not there");
        return None;
    }
    Some(candle_core::safetensors::load(PATH, &Device::Cpu).unwrap())
}

/// The header of the file.
pub(in crate::nets::deep) fn header() -> serde_json::Value {
    let bytes = std::fs::read(PATH).unwrap();
    let (_, header) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    serde_json::from_str(&header.metadata().as_ref().unwrap()["meta"]).unwrap()
}

/// The names of the cases of one of the authors' classes, cases with one board first.
pub(in crate::nets::deep) fn cases(tensors: &NamedTensors, class: &str) -> Vec<String> {
    let name = |name: &String| Some(name.strip_suffix(".policy_logits")?.to_owned());
    let mut cases: Vec<String> = tensors.keys().filter_map(name).filter(|name| name.starts_with(class)).collect();
    cases.retain(|name| !name.ends_with(".train"));
    cases.sort_unstable();
    cases
}

#[track_caller]
pub(in crate::nets::deep) fn assert_close(ours: &[f32], theirs: &Tensor, what: &str) {
    let theirs = floats(theirs).unwrap();
    assert_eq!(ours.len(), theirs.len(), "{what}");
    let error = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f32::max);
    assert!(error < CLOSE, "{what}: {error}");
}

/// The four positions of a board with `side` rows.
pub(in crate::nets::deep) fn moves(tensors: &NamedTensors, side: usize) -> MoveGraphs {
    let list = |name: &str| floats(&tensors[&format!("input{side}.{name}")].to_dtype(DType::F32).unwrap()).unwrap();
    let ends = |name: &str| list(name).into_iter().map(|node| node as u32).collect::<Vec<_>>();
    let edges: Vec<(u32, u32)> = ends("senders").into_iter().zip(ends("receivers")).collect();
    let graph = Arc::new(MoveGraph::new(&Topology::square(side), &edges, list("edge_static")));
    let mut moves = MoveGraphs::new(MoveDims { bits: 112, scalars: 7, edge: 19 });
    let (nodes, legal) = (list("nodes"), list("legal"));
    for (nodes, legal) in nodes.chunks_exact(119 * side * side).zip(legal.chunks_exact(edges.len())) {
        let bits = |node: &[f32]| (0..112).map(|bit| u128::from(node[bit] == 1.0) << bit).sum();
        let bits: Vec<u128> = nodes.chunks_exact(119).map(bits).collect();
        let legal: Vec<u32> = (0..edges.len() as u32).filter(|&edge| legal[edge as usize] == 1.0).collect();
        moves.push(&graph, &bits, &nodes[112..119], &legal);
    }
    moves
}

/// Our name of a tensor of theirs: `block0.bn_node1.scale` is `block0.layer0.nodes.norm.gain`.
fn renamed(theirs: &str) -> String {
    let name = theirs
        .replace("embed_node", "nodes")
        .replace("embed_edge", "edges")
        .replace("bn_node_out", "value.in.norm")
        .replace("bn_edge_out", "policy.in.norm")
        .replace("policy_dense", "policy.hidden")
        .replace("policy_bn", "policy.norm")
        .replace("policy_out", "policy")
        .replace("value_dense", "value.hidden")
        .replace("value_bn", "value.norm")
        .replace("value_att", "value.attention")
        .replace("value_out", "value")
        .replace("bn_node1", "layer0.nodes.norm")
        .replace("bn_edge1", "layer0.edges.norm")
        .replace("bn_node2", "layer1.nodes.norm")
        .replace("bn_edge2", "layer1.edges.norm")
        .replace("gateau1", "layer0")
        .replace("gateau2", "layer1");
    let parts =
        [("Wu", "u"), ("Wv", "v"), ("We", "e"), ("Wh", "h"), ("Wg", "g"), ("W0", "own"), ("att.", "attention.")];
    let name = parts.iter().fold(name, |name, (theirs, ours)| name.replace(&format!(".{theirs}"), &format!(".{ours}")));
    name.replace("scale", "gain").replace("kernel", "weight").replace(".var", ".variance")
}

/// Their tensors of a group of a case (`w` or `grad`) under our names, transposed if needed.
fn group(tensors: &NamedTensors, case: &str, group: &str) -> HashMap<String, Vec<f32>> {
    let prefix = format!("{case}.{group}.");
    let ours = |(name, tensor): (&String, &Tensor)| {
        let name = name.strip_prefix(&prefix)?;
        let tensor = if name.ends_with("kernel") { tensor.t().unwrap() } else { tensor.clone() };
        Some((renamed(name), floats(&tensor.contiguous().unwrap()).unwrap()))
    };
    tensors.iter().filter_map(ours).collect()
}

/// The network of a case with its weights.
fn gateau(tensors: &NamedTensors, case: &str) -> Box<dyn Net> {
    let number = |letter: &str| {
        let part = case.split('_').find_map(|part| part.strip_prefix(letter));
        part.and_then(|number| number.parse::<i64>().ok()).expect("the name of a case tells its size")
    };
    let text = format!(
        r#"{{"hidden":{},"blocks":{},"sync-updates":{},"norm":"frozen","pool":"linear","edges":"code"}}"#,
        number("h"),
        number("L"),
        case.ends_with("_sync"),
    );
    let config: Gateau = serde_json::from_str(&text).unwrap();
    let mut rng = Seed::new(1).rng();
    let maker = Maker::new(DType::F32, &Device::Cpu, Init::Torch, &mut rng);
    let net = config.build(Dims::Moves(MoveDims { bits: 112, scalars: 7, edge: 19 }), maker).unwrap();
    let weights = group(tensors, case, "w");
    assert_eq!(weights.len(), net.params().len(), "{case}");
    for param in net.params() {
        let numbers = weights.get(&param.name).unwrap_or_else(|| panic!("{case} has {}", param.name));
        param.var.set(&Tensor::from_slice(numbers, param.var.shape(), &Device::Cpu).unwrap()).unwrap();
    }
    net
}

/// Rows of the board of a case.
pub(in crate::nets::deep) fn side(case: &str) -> usize {
    if case.contains("_8x8_") { 8 } else { 5 }
}

#[test]
fn weight_counts_are_the_authors() {
    let dims = |edge| Dims::Moves(MoveDims { bits: 112, scalars: 7, edge });
    let count = |text: &str, edge| serde_json::from_str::<Gateau>(text).unwrap().weight_count(dims(edge)).unwrap();
    assert_eq!([count("{}", 19), count("{}", 15)], [1_049_485, 1_048_973]);
    let deep = r#"{"blocks":10,"sync-updates":false}"#;
    assert_eq!([count(deep, 19), count(deep, 15)], [1_716_375, 1_715_863]);
    assert_eq!(count(r#"{"blocks":10}"#, 19), 2_046_615);
    assert_eq!(count(r#"{"blocks":8}"#, 19), 1_647_763);
}

#[test]
fn gateau_answers_as_the_authors_class() {
    let Some(tensors) = vectors() else { return };
    for case in cases(&tensors, "gateau") {
        let (net, batch) = (gateau(&tensors, &case), Batch::Moves(moves(&tensors, side(&case))));
        let theirs = |name: &str| &tensors[&format!("{case}.{name}")];
        let mut plain = Answers::default();
        let heads = net.forward(&batch, Mode::Evaluate).unwrap();
        (plain.policy_logits, plain.values) = (floats(&heads.policy_logits).unwrap(), floats(&heads.value).unwrap());
        let mut fast = Answers::default();
        net.inference(NumberFormat::F32).unwrap().infer(&batch, &mut fast).unwrap();
        for (answers, way) in [(plain, "plain"), (fast, "kernels")] {
            assert_close(&answers.policy_logits, theirs("policy_logits"), &format!("{case}, {way}, logits"));
            assert_close(&answers.values, theirs("value"), &format!("{case}, {way}, values"));
        }
    }
}

/// Cross-entropy over the legal moves, and half the squared error where the mask is set.
fn loss(heads: &Heads, moves: &MoveGraphs, theirs: &dyn Fn(&str) -> Tensor) -> Tensor {
    let (boards, edges) = (moves.positions(), moves.graph(0).edges());
    let legal: Vec<f32> =
        (0..boards).flat_map(|index| moves.legal(index)).map(|&legal| if legal { 0.0 } else { -1e30 }).collect();
    let mask = Tensor::from_vec(legal, (boards, edges), &Device::Cpu).unwrap();
    let logits = (heads.policy_logits.reshape((boards, edges)).unwrap() + mask).unwrap();
    let likely = candle_nn::ops::log_softmax(&logits, 1).unwrap();
    let policy = (likely * theirs("target.policy")).unwrap().sum_all().unwrap().neg().unwrap();
    let error = (&heads.value - theirs("target.value")).unwrap().sqr().unwrap();
    let value = (error * (theirs("target.mask") * 0.5).unwrap()).unwrap().sum_all().unwrap();
    ((policy + value).unwrap() / boards as f64).unwrap()
}

#[test]
fn gateau_learns_as_the_authors_class() {
    let Some(tensors) = vectors() else { return };
    let trained =
        cases(&tensors, "gateau").into_iter().filter(|case| tensors.contains_key(&format!("{case}.train.value")));
    for case in trained {
        let (net, moves) = (gateau(&tensors, &case), moves(&tensors, side(&case)));
        let theirs = |name: &str| tensors[&format!("{case}.{name}")].clone();
        let heads = net.forward(&Batch::Moves(moves.clone()), Mode::train(&mut Seed::new(1).rng())).unwrap();
        assert_close(&floats(&heads.policy_logits).unwrap(), &theirs("train.policy_logits"), &case);
        assert_close(&floats(&heads.value).unwrap(), &theirs("train.value"), &case);
        for (moment, name) in [("mean", "mean"), ("var", "variance")] {
            let ours = net.params().iter().find(|param| param.name == format!("value.norm.{name}")).unwrap();
            assert_close(&floats(&ours.var).unwrap(), &theirs(&format!("train.value_bn.{moment}")), &case);
        }
        if !tensors.contains_key(&format!("{case}.target.value")) {
            continue;
        }
        let gradients = heads.gradients(&loss(&heads, &moves, &theirs)).unwrap();
        let wanted = group(&tensors, &case, "grad");
        for param in net.params().iter().filter(|param| param.trained) {
            let theirs = &wanted[&param.name];
            let theirs = Tensor::from_slice(theirs, theirs.len(), &Device::Cpu).unwrap();
            assert_close(
                &floats(gradients.get(&param.var).unwrap()).unwrap(),
                &theirs,
                &format!("{case} {}", param.name),
            );
        }
    }
}
