//! Laws of all deep networks, and properties of SAZ. Every network in the examples is tested.

use std::collections::HashMap;
use std::sync::Arc;

use candle_core::{DType, Device, Tensor};
use rand::RngExt as _;
use safetensors::Dtype;
use safetensors::tensor::TensorView;

use super::bind::GraphInference;
use super::layers::LayeredNet;
use super::*;
use crate::encoders::{Batch, Dims, Graph, Graphs, MoveDims, MoveGraph, MoveGraphs, Planes, Topology};
use crate::nets::NumberFormat;
use crate::nets::kernels::Path;
use gauntlet_games::base::{Rng, Seed};

/// The dimensions of the test batches of an example.
pub(super) fn dims(spec: &DeepSpec) -> Dims {
    match spec.reads() {
        InputKind::Graphs => Dims::Graphs { features: 1 },
        InputKind::Moves { .. } => Dims::Moves(MoveDims { bits: 7, scalars: 2, edge: 4 }),
        InputKind::Images { least, logits } => {
            let side = least + 2;
            let actions = match logits {
                Logits::Sites => side * side + 1,
                Logits::Slots => side * side + 9,
                Logits::Planes => side * side * 3,
            };
            Dims::Planes { channels: 2, rows: side, columns: side, actions }
        }
    }
}

/// A stone or none.
fn stone(rng: &mut Rng) -> f32 {
    f32::from(rng.random_range(-1i8..=1))
}

/// Random positions; graphs are boards of several sizes, and parts of boards with and without a dummy node.
pub(super) fn batch(dims: Dims, positions: usize, seed: u64) -> Batch {
    let mut rng = Seed::new(seed).rng();
    match dims {
        Dims::Graphs { features } => {
            let boards = [3, 5, 4, 8].map(|size| Arc::new(Graph::board(&Topology::square(size))));
            let mut graphs = Graphs::new(features);
            for index in 0..positions {
                let graph = match index % 6 {
                    4 => Arc::new(boards[1].subgraph(&[0, 1, 4, 7, 8, 12, 24], true)),
                    5 => Arc::new(boards[1].subgraph(&[2, 3, 11, 15, 16], false)),
                    whole => Arc::clone(&boards[whole]),
                };
                let stones: Vec<f32> = (0..graph.sites()).map(|_| stone(&mut rng)).collect();
                graphs.push(&graph, stones);
            }
            Batch::Graphs(graphs)
        }
        Dims::Moves(dims) => {
            let graphs = [2, 3].map(|side| Arc::new(move_graph(side, dims.edge)));
            let mut moves = MoveGraphs::new(dims);
            for index in 0..positions {
                let graph = &graphs[index % 2];
                let bits: Vec<u128> = (0..graph.nodes()).map(|_| rng.random_range(0..128)).collect();
                let scalars: Vec<f32> = (0..dims.scalars).map(|_| stone(&mut rng)).collect();
                moves.push(graph, &bits, &scalars, &[1, 4, 6]);
            }
            Batch::Moves(moves)
        }
        Dims::Planes { channels, rows, columns, actions } => {
            let mut planes = Planes::new(channels, rows, columns, actions);
            for _ in 0..positions {
                planes.push(&(0..channels * rows * columns).map(|_| stone(&mut rng)).collect::<Vec<_>>());
            }
            Batch::Planes(planes)
        }
    }
}

/// A graph with three edges into every node, two of which are parallel.
fn move_graph(side: usize, features: usize) -> MoveGraph {
    let nodes = (side * side) as u32;
    let edges: Vec<(u32, u32)> =
        [1, 2, 1].iter().flat_map(|step| (0..nodes).map(move |node| (node, (node + step) % nodes))).collect();
    let numbers = (0..edges.len() * features).map(|at| if at % features == 0 { 0.0 } else { (at as f32).sin() });
    MoveGraph::new(&Topology::square(side), &edges, numbers.collect())
}

/// Position `index` of a batch, as a batch of its own.
fn alone(all: &Batch, index: usize) -> Batch {
    let mut one = Batch::new(all.dims());
    one.append(all, index, None);
    one
}

pub(super) fn build(spec: &DeepSpec, dtype: DType) -> Box<dyn Net> {
    let net = spec.build_on(dims(spec), Init::Torch, &Seed::new(7), dtype, &Device::Cpu).unwrap();
    // Running moments and affine parts as after some training, so that folding them is not trivial.
    let mut rng = Seed::new(8).rng();
    for param in net.params() {
        if ["norm.gain", "norm.bias", "norm.mean", "norm.variance"].iter().any(|end| param.name.ends_with(end)) {
            let noise: Vec<f64> = (0..param.var.elem_count()).map(|_| rng.random_range(-0.3..0.3)).collect();
            let noise = Tensor::from_vec(noise, param.var.shape(), &Device::Cpu).unwrap().to_dtype(dtype).unwrap();
            param.var.set(&(param.var.as_tensor() + noise).unwrap()).unwrap();
        }
    }
    net
}

pub(super) fn evaluate(net: &dyn Net, batch: &Batch) -> (Vec<f64>, Vec<f64>) {
    let heads = net.forward(batch, Mode::Evaluate).unwrap();
    let list = |tensor: &Tensor| tensor.to_dtype(DType::F64).unwrap().to_vec1::<f64>().unwrap();
    (list(&heads.policy_logits), list(&heads.value))
}

pub(super) fn infer(inference: &mut dyn Inference, batch: &Batch) -> Answers {
    let mut answers = Answers::default();
    inference.infer(batch, &mut answers).unwrap();
    answers
}

/// The maximum difference.
pub(super) fn apart<T: Copy + Into<f64>>(one: &[f64], other: &[T]) -> f64 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(a, &b)| (a - b.into()).abs()).fold(0.0, f64::max)
}

#[test]
fn weight_counts_have_a_closed_form() {
    assert_eq!(Saz::default().weight_count(Dims::Graphs { features: 1 }), Some(3_418_626));
    // Hex: 222,464 weights of Poly-CNN, and ten nets of 20 maps that read twice 10 pools.
    let hex = Dims::Planes { channels: 10, rows: 11, columns: 11, actions: 3 * 121 };
    assert_eq!(PolyCnn::default().weight_count(hex), Some(222_464));
    assert_eq!(PolyTrunk::default().weight_count(hex), Some(222_464 + 10 * 9 * 2 * 10 * 20));
    let u: PolyTrunk = serde_json::from_str(r#"{"shape":"u","nets":5,"convolutions":12}"#).unwrap();
    assert_eq!(u.weight_count(hex), Some(222_464));
    for spec in DeepSpec::examples() {
        let expected = spec.architecture().weight_count(dims(&spec));
        assert_eq!(Some(weight_count(&*build(&spec, DType::F32))), expected, "{}", spec.name());
    }
}

#[test]
fn a_batch_is_its_positions_one_by_one() {
    for spec in DeepSpec::examples() {
        let (net, all) = (build(&spec, DType::F64), batch(dims(&spec), 8, 1));
        let (logits, values) = evaluate(&*net, &all);
        assert_eq!((logits.len(), values.len()), (all.logits(), 8));
        for index in 0..8 {
            let one = evaluate(&*net, &alone(&all, index));
            let error = apart(&logits[all.span(index)], &one.0).max(apart(&values[index..=index], &one.1));
            assert!(error < 1e-12, "{} {error}", spec.name());
        }
    }
}

/// Inference agrees with the forward pass within rounding: 2e-5 for logits and values of magnitude one.
#[test]
fn inference_is_the_forward_pass() {
    for spec in DeepSpec::examples() {
        let (net, all) = (build(&spec, DType::F32), batch(dims(&spec), 60, 2));
        let (logits, values) = evaluate(&*net, &all);
        let answers = infer(&mut *net.inference(NumberFormat::F32).unwrap(), &all);
        let error = apart(&logits, &answers.policy_logits).max(apart(&values, &answers.values));
        assert!(error < 2e-5, "{} {error}", spec.name());
    }
}

#[test]
fn an_answer_is_bit_identical_in_every_batch() {
    for spec in DeepSpec::examples() {
        is_alone_as_in_a_batch(&spec, NumberFormat::F32);
    }
}

/// Asserts that the answer to every position is the same alone and in a batch.
pub(super) fn is_alone_as_in_a_batch(spec: &DeepSpec, numbers: NumberFormat) {
    let (net, all) = (build(spec, DType::F32), batch(dims(spec), 100, 3));
    let mut inference = net.inference(numbers).unwrap();
    let together = infer(&mut *inference, &all);
    for index in 0..100 {
        let one = infer(&mut *inference, &alone(&all, index));
        assert_eq!(together.policy_logits[all.span(index)], one.policy_logits, "{} {numbers:?}", spec.name());
        assert_eq!(together.values[index].to_bits(), one.values[0].to_bits(), "{} {numbers:?}", spec.name());
    }
}

/// The kernels give the same bits with every set of instructions.
#[test]
fn an_answer_is_bit_identical_on_every_path() {
    for text in [r#"{"hidden":64}"#, r#"{"hidden":24,"layers":2,"epsilon":0.5}"#] {
        let saz: Saz = serde_json::from_str(text).unwrap();
        let mut rng = Seed::new(1).rng();
        let maker = super::params::Maker::new(DType::F32, &Device::Cpu, Init::Torch, &mut rng);
        let dims = Dims::Graphs { features: 1 };
        let net = LayeredNet::new("SAZ", dims, saz.network(dims).unwrap(), None, maker).unwrap();
        let all = batch(dims, 20, 4);
        let on = |path: &Path| infer(&mut GraphInference::on(*path, &net, NumberFormat::F32).unwrap(), &all);
        let answers: Vec<Answers> = Path::available().iter().map(on).collect();
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

/// A weighted sum of logits and squared values, so that every head counts.
fn loss(net: &dyn Net, all: &Batch) -> (Heads, Tensor) {
    let heads = net.forward(all, Mode::train(&mut Seed::new(5).rng())).unwrap();
    let weights: Vec<f64> = (0..all.logits()).map(|i| (i as f64 * 0.7).cos()).collect();
    let weights = Tensor::new(weights, &Device::Cpu).unwrap();
    let policy = (&heads.policy_logits * weights).unwrap().sum_all().unwrap();
    let value = (&heads.value + 0.3).unwrap().sqr().unwrap().sum_all().unwrap();
    (heads, (policy + value).unwrap())
}

/// Every trained tensor has a finite gradient that is not zero and agrees with central differences.
#[test]
fn gradients_are_finite_differences() {
    for spec in DeepSpec::examples() {
        let (net, all) = (build(&spec, DType::F64), batch(dims(&spec), 7, 6));
        let (heads, total) = loss(&*net, &all);
        let gradients = heads.gradients(&total).unwrap();
        for param in net.params().iter().filter(|param| param.trained) {
            let gradient: Vec<f64> = gradients.get(&param.var).unwrap().flatten_all().unwrap().to_vec1().unwrap();
            let most = gradient.iter().fold(0.0f64, |most, g| most.max(g.abs()));
            // A norm or a softmax after a bias may cancel it: then the finite differences below are zero, too.
            let is_cancelled = param.name.ends_with(".bias");
            assert!(most.is_finite() && (most > 1e-4 || is_cancelled), "{} {} {most}", spec.name(), param.name);
            let start: Vec<f64> = param.var.flatten_all().unwrap().to_vec1().unwrap();
            for index in (0..start.len()).step_by(start.len().div_ceil(3)) {
                let at = |shift: f64| {
                    let mut numbers = start.clone();
                    numbers[index] += shift;
                    param.var.set(&Tensor::from_vec(numbers, param.var.shape(), &Device::Cpu).unwrap()).unwrap();
                    loss(&*net, &all).1.to_scalar::<f64>().unwrap()
                };
                // The step is so small that hardly any ReLU changes sign between the two points.
                let difference = (at(1e-7) - at(-1e-7)) / 2e-7;
                at(0.0);
                let error = (difference - gradient[index]).abs();
                assert!(error < 1e-6 * (1.0 + most), "{} {} {index}: {error}", spec.name(), param.name);
            }
        }
    }
}

#[test]
fn what_was_saved_is_loaded_to_the_bit() {
    for spec in DeepSpec::examples() {
        let net = build(&spec, DType::F32);
        let saved = DeepCheckpoint::of(spec.clone(), &*net, "a test").unwrap();
        let bytes = saved.to_bytes().unwrap();
        let loaded = DeepCheckpoint::from_bytes(&bytes).unwrap();
        assert_eq!((&loaded, loaded.to_bytes().unwrap()), (&saved, bytes.clone()));
        let all = batch(dims(&spec), 5, 9);
        assert_eq!(evaluate(&*loaded.build(dims(&spec)).unwrap(), &all), evaluate(&*net, &all));
        for length in (0..bytes.len()).step_by(997).chain([bytes.len() - 1]) {
            assert!(DeepCheckpoint::from_bytes(&bytes[..length]).is_err());
        }
        let mut wrong = saved.clone();
        wrong.tensors[0].values[0] = f32::NAN;
        assert!(DeepCheckpoint::from_bytes(&wrong.to_bytes().unwrap()).is_err());
        wrong = saved;
        wrong.tensors.pop();
        assert!(DeepCheckpoint::from_bytes(&wrong.to_bytes().unwrap()).is_err());
        // The error names the version, for any other contents.
        let (tensors, header) = read_tensors(&bytes).unwrap();
        let newer = write_tensors(&tensors, header.replace(r#""version":1,"#, r#""version":2,"more":0,"#)).unwrap();
        assert!(matches!(DeepCheckpoint::from_bytes(&newer), Err(crate::nets::CheckpointError::Version(2))));
    }
}

#[test]
fn a_file_with_other_tensors_names_them() {
    let spec = DeepSpec::examples().remove(0);
    let net = build(&spec, DType::F32);
    let saved = DeepCheckpoint::of(spec, &*net, "a test").unwrap();
    let (tensors, header) = read_tensors(&saved.to_bytes().unwrap()).unwrap();
    let refused = |bytes: &[u8]| DeepCheckpoint::from_bytes(bytes).unwrap_err().to_string();
    let fewer = write_tensors(&tensors[1..], header.clone()).unwrap();
    assert_eq!(refused(&fewer), format!("tensor `{}` is missing", tensors[0].name));
    let extra = Saved { name: "extra".to_owned(), shape: vec![1], values: vec![0.5] };
    let more = write_tensors(&[tensors, vec![extra]].concat(), header.clone()).unwrap();
    assert_eq!(refused(&more), "tensor `extra` is not of this network");
    let doubles = TensorView::new(Dtype::F64, vec![1], &[0; 8]).unwrap();
    let metadata = HashMap::from([("gauntlet".to_owned(), header)]);
    let doubles = safetensors::serialize([("policy.weight", doubles)], Some(metadata)).unwrap();
    assert_eq!(refused(&doubles), "tensor `policy.weight` is F64: F32 is needed");
}

#[test]
fn batches_of_another_kind_are_refused() {
    let other = |given| match given {
        Dims::Graphs { .. } => Dims::Planes { channels: 1, rows: 5, columns: 5, actions: 25 },
        Dims::Planes { .. } | Dims::Moves(_) => Dims::Graphs { features: 1 },
    };
    for spec in DeepSpec::examples() {
        let (net, foreign) = (build(&spec, DType::F32), batch(other(dims(&spec)), 2, 1));
        assert!(matches!(net.forward(&foreign, Mode::Evaluate), Err(DeepError::Batch { .. })));
        let answer = net.inference(NumberFormat::F32).unwrap().infer(&foreign, &mut Answers::default());
        assert!(matches!(answer, Err(DeepError::Batch { .. })));
    }
}

#[test]
fn impossible_settings_are_refused() {
    for text in [
        r#"{"saz":{"hidden":0}}"#,
        r#"{"saz":{"dropout":1.0}}"#,
        r#"{"saz":{"width":8}}"#,
        r#"{"az-cnn":{"narrow":4096}}"#,
        r#"{"poly-trunk":{"shape":{"pooled":0.0}}}"#,
    ] {
        assert!(serde_json::from_str::<DeepSpec>(text).is_err(), "{text}");
    }
    let small = Dims::Planes { channels: 1, rows: 2, columns: 2, actions: 4 };
    for spec in DeepSpec::examples() {
        assert!(matches!(spec.build(small, Init::Torch, &Seed::new(1)), Err(DeepError::Batch { .. })));
    }
}

/// Renumbering the nodes of a graph permutes the logits accordingly.
#[test]
fn saz_knows_no_order_of_nodes() {
    for spec in DeepSpec::examples().into_iter().filter(|spec| matches!(spec, DeepSpec::Saz(saz) if !saz.moves)) {
        let (net, board, mut rng) = (build(&spec, DType::F64), Graph::board(&Topology::square(5)), Seed::new(3).rng());
        let stones: Vec<f32> = (0..25).map(|_| stone(&mut rng)).collect();
        let order: Vec<u32> = (0..25).map(|site| (site * 7 + 3) % 25).collect();
        let mut graphs = Graphs::new(1);
        graphs.push(&Arc::new(board.clone()), stones.iter().copied());
        graphs.push(&Arc::new(board.subgraph(&order, true)), order.iter().map(|&site| stones[site as usize]));
        let (logits, values) = evaluate(&*net, &Batch::Graphs(graphs));
        let moved: Vec<f64> = order.iter().map(|&site| logits[site as usize]).chain([logits[25]]).collect();
        assert!(apart(&moved, &logits[26..]) < 1e-12 && (values[0] - values[1]).abs() < 1e-12);
        assert!(apart(&logits[..26], &logits[26..]) > 1e-3, "the test would see a network that ignores its input");
    }
}

#[test]
fn saz_sees_the_eight_symmetries_alike() {
    let spec = &DeepSpec::examples()[0];
    let (net, topology) = (build(spec, DType::F64), Topology::square(6));
    let fast = build(spec, DType::F32);
    let (graph, mut rng) = (Arc::new(Graph::board(&topology)), Seed::new(3).rng());
    let mut from = Graphs::new(1);
    from.push(&graph, (0..36).map(|_| stone(&mut rng)).collect::<Vec<_>>());
    let (from, mut all) = (Batch::Graphs(from), Batch::new(net.dims()));
    topology.symmetries().iter().for_each(|map| all.append(&from, 0, Some(map)));
    let (logits, values) = evaluate(&*net, &all);
    let answers = infer(&mut *fast.inference(NumberFormat::F32).unwrap(), &all);
    for (index, map) in topology.symmetries().iter().enumerate() {
        let span = all.span(index);
        let back = |logits: &dyn Fn(usize) -> f64| -> Vec<f64> {
            map.iter().map(|&site| logits(span.start + site as usize)).chain([logits(span.end - 1)]).collect()
        };
        assert!(apart(&back(&|node| logits[node]), &logits[..37]) < 1e-12);
        assert!(apart(&back(&|node| f64::from(answers.policy_logits[node])), &answers.policy_logits[..37]) < 2e-6);
        assert!((values[index] - values[0]).abs() < 1e-12 && (answers.values[index] - answers.values[0]).abs() < 2e-6);
    }
}

/// On its own board size a window network equals the network of its window.
#[test]
fn a_window_as_large_as_the_board_is_the_board() {
    let whole: DeepSpec = serde_json::from_str(r#"{"az-cnn":{"channels":4,"wide":8,"narrow":6}}"#).unwrap();
    let window = DeepSpec::examples().swap_remove(3);
    let dims = Dims::Planes { channels: 2, rows: 4, columns: 4, actions: 17 };
    let build = |spec: DeepSpec| spec.build(dims, Init::Torch, &Seed::new(1)).unwrap();
    let all = batch(dims, 6, 1);
    assert_eq!(evaluate(&*build(whole), &all), evaluate(&*build(window), &all));
}

/// Weights trained on small boards can be used on large ones.
#[test]
fn a_checkpoint_scales_where_the_network_does() {
    for spec in DeepSpec::examples() {
        let saved = DeepCheckpoint::of(spec.clone(), &*build(&spec, DType::F32), "").unwrap();
        let larger = match dims(&spec) {
            Dims::Planes { channels, rows, columns, actions } => {
                let rest = actions % (rows * columns);
                Dims::Planes { channels, rows: 9, columns: 9, actions: actions / (rows * columns) * 81 + rest }
            }
            graphs => graphs,
        };
        let built = saved.build(larger);
        assert_eq!(built.is_ok(), spec.scales());
        let Ok(net) = built else { continue };
        let all = batch(larger, 3, 1);
        let (logits, _) = evaluate(&*net, &all);
        assert!(apart(&logits, &infer(&mut *net.inference(NumberFormat::F32).unwrap(), &all).policy_logits) < 2e-5);
    }
}
