//! Tests of optimisation steps of every network, against finite differences, closed forms and itself. Test code.

use std::sync::Arc;

use candle_core::{DType, Device, Tensor};
use rand::RngExt as _;

use super::super::adam::trained;
use super::super::{AdamSpec, PolicyLoss};
use super::*;
use gauntlet_games::base::Seed;
use gauntlet_nets::encoders::{Dims, Graph, Graphs, MoveDims, MoveGraph, Planes, Topology};
use gauntlet_nets::nets::deep::{
    Answers, DeepSpec, Heads, Inference as _, Init, InputKind, Logits, Param, Plain, composed_alone, inference_of,
    read_tensors, save, write_tensors,
};
use gauntlet_nets::nets::{CheckpointError, NumberFormat};

/// Positions of mixed sizes or images, each with a best legal action, perhaps a second one, and a random outcome. No
/// symmetry maps such a board on itself, as often happens on 3 x 3: symmetric sites could not be distinguished.
fn training_batch(dims: Dims, positions: usize) -> (Batch, Targets) {
    let mut rng = Seed::new(11).rng();
    let mut batch = Batch::new(dims);
    for index in 0..positions {
        match &mut batch {
            Batch::Graphs(graphs) => {
                let board = Arc::new(Graph::board(&Topology::square(4 + index % 2)));
                let stones: Vec<f32> = (0..board.sites()).map(|_| f32::from(rng.random_range(-1i8..=1))).collect();
                Graphs::push(graphs, &board, stones);
            }
            Batch::Planes(planes) => {
                let image: Vec<f32> = (0..25).map(|_| f32::from(rng.random_range(-1i8..=1))).collect();
                Planes::push(planes, &image);
            }
            Batch::Moves(moves) => {
                let nodes = 6 + index as u32 % 2;
                let ends = |step: u32| (0..nodes).map(move |node| (node, (node + step) % nodes));
                let edges: Vec<(u32, u32)> = [1, 2, 3].into_iter().flat_map(ends).collect();
                let number = |at: usize| if at.is_multiple_of(4) { 0.0 } else { (at as f32).sin() };
                let board = Topology::grid(1, nodes as usize);
                let graph = MoveGraph::new(&board, &edges, (0..4 * edges.len()).map(number).collect());
                let bits: Vec<u128> = (0..nodes).map(|_| rng.random_range(0..128)).collect();
                moves.push(&Arc::new(graph), &bits, &[rng.random(), 1.0], &[0, 3]);
            }
        }
    }
    let mut targets = Targets::default();
    for index in 0..positions {
        let count = batch.span(index).len();
        // For images, the sites in every window of 4 x 4: a site outside one of the windows cannot have all of its
        // mean probability.
        let choices = match dims {
            Dims::Graphs { .. } | Dims::Moves(_) => (0..count).collect(),
            Dims::Planes { .. } => vec![6, 7, 8, 11, 12, 13, 16, 17, 18, 25],
        };
        let rank = rng.random_range(0..choices.len());
        let (best, second) = (choices[rank], choices[rank / 2]);
        let share = |action, wanted, share| if action == wanted { share } else { 0.0 };
        targets.policy.extend((0..count).map(|at| share(at, best, 0.75) + share(at, second, 0.25)));
        targets.legal.extend((0..count).map(|action| action <= best));
        targets.values.push(f32::from(rng.random_range(-1i8..=1)));
    }
    (batch, targets)
}

fn net(text: &str, dims: Dims) -> Box<dyn Net> {
    let spec: DeepSpec = serde_json::from_str(text).unwrap();
    spec.build(dims, Init::Torch, &Seed::new(2)).unwrap()
}

const SAZ: &str = r#"{"saz":{"hidden":32,"dropout":0.0}}"#;
const CNN: &str = r#"{"az-cnn":{"channels":8,"wide":32,"narrow":32,"dropout":0.0}}"#;
const WINDOWS: &str = r#"{"window-cnn":{"window":4,"cnn":{"channels":16,"wide":64,"narrow":64,"dropout":0.0}}}"#;
const MAPS: &str = r#"{"agz-cnn":{"channels":[8,16,32],"policy":4,"value":4,"hidden":32}}"#;
const EDGES: &str = r#"{"gateau":{"hidden":32,"blocks":2,"norm":"frozen"}}"#;
const ATTENTION: &str = r#"{"gat":{"hidden":32,"blocks":2,"norm":"frozen"}}"#;
const RESIDUAL: &str = r#"{"res-net-v2":{"channels":16,"blocks":1}}"#;
const PLANES: &str = r#"{"poly-cnn":{"width":16,"nets":2,"convolutions":2,"momentum":0.1}}"#;
const POOLED: &str = r#"{"poly-trunk":{"shape":{"pooled":0.5},"width":16,"nets":2,"convolutions":2,"momentum":0.1}}"#;
const GRAPHS: Dims = Dims::Graphs { features: 1 };
const MOVES: Dims = Dims::Moves(MoveDims { bits: 7, scalars: 2, edge: 4 });
const IMAGES: Dims = Dims::Planes { channels: 1, rows: 5, columns: 5, actions: 26 };
const TWO_PLANES: Dims = Dims::Planes { channels: 1, rows: 5, columns: 5, actions: 50 };

#[test]
fn the_loss_of_two_positions_by_hand() {
    let (mut batch, board) = (Graphs::new(1), Arc::new(Graph::board(&Topology::square(1))));
    batch.push(&board, [0.0]);
    batch.push(&Arc::new(board.subgraph(&[0], false)), [0.0]);
    let tensor = |numbers: &[f64]| Tensor::new(numbers, &Device::Cpu).unwrap();
    let heads = Heads::new(tensor(&[0.0, 1.0, 5.0]), tensor(&[0.5, -0.5]));
    let legal = vec![true, false, true];
    let targets = Targets { policy: vec![1.0, 0.0, 1.0], legal, values: vec![1.0, 1.0], unknown: Vec::new() };
    let measured = |targets: &Targets, loss| {
        let (total, losses) = measure_loss(&heads, &Batch::Graphs(batch.clone()), targets, loss).unwrap();
        (total.to_scalar::<f64>().unwrap(), losses)
    };
    let measure = |policy| measured(&targets, LossSpec { policy, ..LossSpec::default() }).1;
    let all = measure(PolicyLoss::All);
    assert!((all.value - (0.25 + 2.25) / 2.0).abs() < 1e-12);
    assert!((all.policy - (1.0 + 1f64.exp()).ln() / 2.0).abs() < 1e-12, "{all:?}");
    let p = 1.0 / (1.0 + 1f64.exp());
    assert!((all.entropy + (p * p.ln() + (1.0 - p) * (1.0 - p).ln()) / 2.0).abs() < 1e-12);
    // The second of two games was cut off; and an error may count half.
    let cut = Targets { unknown: vec![1], ..targets.clone() };
    let (total, losses) = measured(&cut, LossSpec { value: 0.5, ..LossSpec::default() });
    assert!((losses.value - 0.25 / 2.0).abs() < 1e-12 && losses.policy == all.policy);
    assert!((total - all.policy - 0.25 / 4.0).abs() < 1e-12);
    let legal = measure(PolicyLoss::Legal);
    assert!(legal.policy.abs() < 1e-12 && legal.entropy.abs() < 1e-12, "{legal:?}");
}

/// On boards of two sizes, with and without a mask; targets are spread over several actions.
#[test]
fn the_gradient_of_the_loss_is_that_of_finite_differences() {
    let (batch, mut targets) = training_batch(GRAPHS, 5);
    for position in 0..batch.positions() {
        let span = batch.span(position);
        let legal = targets.legal[span.clone()].iter().filter(|&&legal| legal).count();
        // 1, 2, ... over their sum.
        let share = |at: usize| if at < legal { 2.0 * (at + 1) as f32 / (legal * (legal + 1)) as f32 } else { 0.0 };
        span.clone().for_each(|at| targets.policy[at] = share(at - span.start));
    }
    let mut rng = Seed::new(12).rng();
    let mut draw = |count: usize| (0..count).map(|_| rng.random::<f64>() * 4.0 - 2.0).collect::<Vec<_>>();
    let (logits, values) = (draw(targets.policy.len()), draw(5));
    for policy in [PolicyLoss::All, PolicyLoss::Legal] {
        let gradient = |logits: &[f64], values: &[f64]| {
            let var = |numbers: &[f64]| candle_core::Var::new(numbers, &Device::Cpu).unwrap();
            let (logits, values) = (var(logits), var(values));
            let heads = Heads::new(logits.as_tensor().clone(), values.as_tensor().clone());
            let (total, losses) =
                measure_loss(&heads, &batch, &targets, LossSpec { policy, ..LossSpec::default() }).unwrap();
            assert_eq!(total.to_scalar::<f64>().unwrap(), losses.policy + losses.value);
            let gradients = total.backward().unwrap();
            [&logits, &values].map(|var| gradients.get(var).unwrap().to_vec1::<f64>().unwrap()).concat()
        };
        let total = |logits: &[f64], values: &[f64]| {
            let tensor = |numbers: &[f64]| Tensor::new(numbers, &Device::Cpu).unwrap();
            let heads = Heads::new(tensor(logits), tensor(values));
            measure_loss(&heads, &batch, &targets, LossSpec { policy, ..LossSpec::default() }).unwrap().1.total()
        };
        for (at, gradient) in gradient(&logits, &values).into_iter().enumerate() {
            let moved = |by: f64| {
                let (mut logits, mut values) = (logits.clone(), values.clone());
                *logits.iter_mut().chain(&mut values).nth(at).unwrap() += by;
                total(&logits, &values)
            };
            let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((gradient - difference).abs() < 1e-8, "{policy:?} {at}: {gradient} {difference}");
            let is_shut = policy == PolicyLoss::Legal && targets.legal.get(at) == Some(&false);
            assert!(!is_shut || gradient == 0.0);
        }
    }
}

/// The index of the greatest number.
fn greatest(numbers: &[f32]) -> usize {
    (0..numbers.len()).max_by(|&one, &other| numbers[one].total_cmp(&numbers[other])).unwrap()
}

/// Universal networks memorise 32 positions, and reproduce them in inference: the loss falls to its minimum, the
/// entropy of the policies; the best action is the best one of each; and no outcome is far off. Without dropout, which
/// would prevent it.
#[test]
fn a_handful_is_learned_by_heart() {
    // Tolerance of the policy loss above the minimum: the mean of the windows' probabilities is slow to learn.
    let learners = [
        (SAZ, GRAPHS, 0.02),
        (CNN, IMAGES, 0.02),
        (WINDOWS, IMAGES, 0.15),
        (MAPS, IMAGES, 0.02),
        (EDGES, MOVES, 0.02),
        (ATTENTION, MOVES, 0.02),
        (RESIDUAL, IMAGES, 0.02),
        (PLANES, TWO_PLANES, 0.02),
        (POOLED, TWO_PLANES, 0.02),
    ];
    let kind = |spec: &DeepSpec| std::mem::discriminant(spec);
    let known = learners.map(|(text, ..)| kind(&serde_json::from_str(text).unwrap()));
    assert!(
        DeepSpec::examples().iter().all(|spec| known.contains(&kind(spec))),
        "add the new architecture to `learners`"
    );
    for (text, dims, above) in learners {
        let (net, (batch, targets)) = (net(text, dims), training_batch(dims, 32));
        let entropy = targets.policy.iter().filter(|&&p| p > 0.0).map(|p| f64::from(-p * p.ln())).sum::<f64>() / 32.0;
        let (mut rng, loss) = (Seed::new(1).rng(), LossSpec::default());
        // Whether the loss comes this close to the minimum within `most` steps.
        let mut train = |rate: f64, most: usize, policy: f64, value: f64| {
            let mut adam = Adam::new(AdamSpec { rate, ..AdamSpec::default() }, &*net).unwrap();
            (0..most).any(|_| {
                let losses = train_step(&*net, &mut adam, &batch, &targets, StepRules::in_f32(loss), &mut rng).unwrap();
                losses.policy - entropy < policy && losses.value < value
            })
        };
        train(5e-3, 200, 0.005, 0.001);
        train(5e-4, 100, 0.0, 0.0);
        // Steps of length 0, in which the running moments become the batch's.
        train(0.0, 100, 0.0, 0.0);
        let learned = train(0.0, 1, above, 0.005);
        let inferred = inference_loss(&*net, &batch, &targets, loss).unwrap();
        assert!(
            learned && inferred.policy - entropy < above && inferred.value < 0.005,
            "{text}: {inferred:?}, at best {entropy}"
        );
        let heads = net.forward(&batch, Mode::Evaluate).unwrap();
        let (logits, values): (Vec<f32>, Vec<f32>) =
            (heads.policy_logits.to_vec1().unwrap(), heads.value.to_vec1().unwrap());
        assert_eq!(values.len(), 32);
        for (index, (value, wanted)) in values.iter().zip(&targets.values).enumerate() {
            let span = batch.span(index);
            assert_eq!(greatest(&logits[span.clone()]), greatest(&targets.policy[span]), "{text}: {index}");
            let error = (value - wanted).abs();
            assert!(error < 0.2, "{text}: {index}: {error}");
        }
    }
}

/// The training loss of every network, dropout included.
#[test]
fn the_gradient_of_every_network_is_that_of_finite_differences() {
    for spec in DeepSpec::examples() {
        let dims = match spec.reads() {
            InputKind::Graphs => GRAPHS,
            InputKind::Images { logits: Logits::Planes, .. } => TWO_PLANES,
            InputKind::Images { .. } => IMAGES,
            InputKind::Moves { .. } => MOVES,
        };
        let (batch, targets) = training_batch(dims, 6);
        let net = spec.build_on(dims, Init::Torch, &Seed::new(2), DType::F64, &Device::Cpu).unwrap();
        // As after some training: an input of a batch norm that is always or never positive has no gradient.
        let mut rng = Seed::new(4).rng();
        for param in trained(&*net).filter(|param| param.name.contains("norm.")) {
            let noise = (0..param.var.elem_count()).map(|_| rng.random_range(-0.3..0.3)).collect::<Vec<f64>>();
            let noise = Tensor::from_vec(noise, param.var.shape(), &Device::Cpu).unwrap();
            param.var.set(&(param.var.as_tensor() + noise).unwrap()).unwrap();
        }
        let total = || {
            let heads = net.forward(&batch, Mode::train(&mut Seed::new(3).rng())).unwrap();
            let total = measure_loss(&heads, &batch, &targets, LossSpec::default()).unwrap().0;
            (heads, total)
        };
        let (heads, loss) = total();
        let gradients = heads.gradients(&loss).unwrap();
        for param in trained(&*net) {
            let numbers = |tensor: &Tensor| tensor.flatten_all().unwrap().to_vec1::<f64>().unwrap();
            let (gradient, start) = (numbers(gradients.get(&param.var).unwrap()), numbers(&param.var));
            // The number with the greatest effect on the loss.
            let at = (0..start.len()).max_by(|&a, &b| gradient[a].abs().total_cmp(&gradient[b].abs())).unwrap();
            let moved = |by: f64| {
                let mut numbers = start.clone();
                numbers[at] += by;
                param.var.set(&Tensor::from_vec(numbers, param.var.shape(), &Device::Cpu).unwrap()).unwrap();
                total().1.to_scalar::<f64>().unwrap()
            };
            let difference = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            moved(0.0);
            let (error, most) = ((difference - gradient[at]).abs(), gradient[at].abs());
            // A softmax is invariant to a constant added to every logit.
            let is_unseen = param.name == "policy.bias" && start.len() == 1;
            // A norm is invariant to a constant added to a column; the difference below is zero then.
            let may_be = param.name.ends_with(".bias");
            assert!(may_be || (most > 1e-3) != is_unseen, "{} {}: {most}", spec.name(), param.name);
            assert!(error < 1e-8, "{} {}: {error}", spec.name(), param.name);
        }
    }
}

/// Stopped and resumed from bytes, a training ends with the same bytes as without a stop.
#[test]
fn a_training_resumes_exactly() {
    let (batch, targets) = training_batch(GRAPHS, 8);
    let (loss, text) =
        (LossSpec { policy: PolicyLoss::Legal, l2: 1e-4, ..LossSpec::default() }, r#"{"saz":{"hidden":16}}"#);
    let train = |net: &dyn Net, adam: &mut Adam, rng: &mut Rng, steps: usize| {
        for _ in 0..steps {
            train_step(net, adam, &batch, &targets, StepRules::in_f32(loss), rng).unwrap();
        }
    };
    let (whole, mut rng) = (net(text, GRAPHS), Seed::new(1).rng());
    let mut adam = Adam::new(AdamSpec::default(), &*whole).unwrap();
    train(&*whole, &mut adam, &mut rng, 3);
    let (weights, state, mut stream) = (save(whole.params()).unwrap(), adam.to_bytes().unwrap(), rng.clone());
    train(&*whole, &mut adam, &mut rng, 3);
    let again = net(text, GRAPHS);
    gauntlet_nets::nets::deep::load(again.params(), &weights).unwrap();
    let mut resumed = Adam::from_bytes(&state, &*again).unwrap();
    train(&*again, &mut resumed, &mut stream, 3);
    assert_eq!(resumed.steps(), 6);
    assert_eq!(save(again.params()).unwrap(), save(whole.params()).unwrap());
    assert_eq!(resumed.to_bytes().unwrap(), adam.to_bytes().unwrap());
    assert!(Adam::from_bytes(&state, &*net(SAZ, GRAPHS)).is_err());
    assert!(Adam::from_bytes(&state[..state.len() - 1], &*again).is_err());
    let (moments, header) = read_tensors(&state).unwrap();
    let newer = write_tensors(&moments, header.replace(r#""version":1,"#, r#""version":2,"more":0,"#)).unwrap();
    assert!(matches!(Adam::from_bytes(&newer, &*again), Err(CheckpointError::Version(2))));
}

/// Kingma and Ba 2015, Algorithm 1, for every weight over two steps, from the gradients themselves. In the first step
/// the moments cancel: it is `rate g / (|g| + epsilon)`.
#[test]
fn adam_by_hand() {
    let (net, (batch, targets), loss) = (net(SAZ, GRAPHS), training_batch(GRAPHS, 8), LossSpec::default());
    let numbers = |tensor: &Tensor| -> Vec<f64> {
        tensor.flatten_all().unwrap().to_dtype(DType::F64).unwrap().to_vec1().unwrap()
    };
    let weights = || trained(&*net).flat_map(|param| numbers(&param.var)).collect::<Vec<f64>>();
    let mut adam = Adam::new(AdamSpec::default(), &*net).unwrap();
    let mut moments = vec![(0.0, 0.0); weights().len()];
    for step in 1..=2 {
        let heads = net.forward(&batch, Mode::train(&mut Seed::new(1).rng())).unwrap();
        let total = measure_loss(&heads, &batch, &targets, loss).unwrap().0;
        let gradients = heads.gradients(&total).unwrap();
        let gradients = trained(&*net).flat_map(|param| numbers(gradients.get(&param.var).unwrap()));
        let (gradients, before): (Vec<f64>, Vec<f64>) = (gradients.collect(), weights());
        train_step(&*net, &mut adam, &batch, &targets, StepRules::in_f32(loss), &mut Seed::new(1).rng()).unwrap();
        for (at, (before, after)) in before.iter().zip(weights()).enumerate() {
            let (g, (mean, square)) = (gradients[at], &mut moments[at]);
            *mean = 0.9 * *mean + 0.1 * g;
            *square = 0.999 * *square + 0.001 * g * g;
            let (mean, square) = (*mean / (1.0 - 0.9f64.powi(step)), *square / (1.0 - 0.999f64.powi(step)));
            let expected = 1e-3 * mean / (square.sqrt() + 1e-8);
            let error = (before - after - expected).abs();
            // Weights up to 1 in single precision.
            assert!(error < 2e-7, "step {step}, weight {at}: {before} {after} {expected}");
            assert!(step > 1 || (expected - 1e-3 * g / (g.abs() + 1e-8)).abs() < 1e-12);
        }
        assert!(gradients.iter().any(|&g| g > 1e-3) && gradients.iter().any(|&g| g < -1e-3));
    }
}

/// The code path of other devices, on the CPU: composed operations, Adam without its fused steps, the plain forward
/// pass.
#[test]
fn other_devices_learn_and_answer_alike() {
    for (text, dims) in [(SAZ, GRAPHS), (CNN, IMAGES)] {
        let spec: DeepSpec = serde_json::from_str(text).unwrap();
        let (batch, targets) = training_batch(dims, 8);
        // In doubles: Adam makes full-size steps of the rounding errors of a gradient that should be zero.
        let learned = || {
            let net = spec.build_on(dims, Init::Torch, &Seed::new(2), DType::F64, &Device::Cpu).unwrap();
            let (mut adam, mut rng) = (Adam::new(AdamSpec::default(), &*net).unwrap(), Seed::new(1).rng());
            for _ in 0..3 {
                train_step(&*net, &mut adam, &batch, &targets, StepRules::in_f32(LossSpec::default()), &mut rng)
                    .unwrap();
            }
            net
        };
        let (kernels, plain) = (learned(), composed_alone(learned));
        let (mut one, mut other) = (Answers::default(), Answers::default());
        inference_of(&spec, kernels, NumberFormat::F32).unwrap().infer(&batch, &mut one).unwrap();
        composed_alone(|| Plain(plain).infer(&batch, &mut other)).unwrap();
        let apart = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert_eq!(one.policy_logits.len(), other.policy_logits.len());
        let apart = apart(&one.policy_logits, &other.policy_logits).max(apart(&one.values, &other.values));
        assert!(apart < 1e-4, "{text}: {apart}");
    }
}

#[test]
fn a_loss_that_is_no_number_changes_nothing() {
    let (net, (batch, mut targets)) = (net(SAZ, GRAPHS), training_batch(GRAPHS, 4));
    targets.values[1] = f32::NAN;
    let trained = |net: &dyn Net| trained(net).map(|param| param.var.copy().unwrap()).collect::<Vec<_>>();
    let before = trained(&*net);
    let mut adam = Adam::new(AdamSpec::default(), &*net).unwrap();
    let step =
        train_step(&*net, &mut adam, &batch, &targets, StepRules::in_f32(LossSpec::default()), &mut Seed::new(1).rng());
    assert!(step.unwrap().total().is_nan());
    let same = before
        .iter()
        .zip(trained(&*net))
        .all(|(a, b)| (a - b).unwrap().abs().unwrap().max_all().unwrap().to_scalar::<f32>().unwrap() == 0.0);
    assert!(same && adam.steps() == 0);
}

/// Tensors of the value head have a gradient of 0; and with decay, that of decay.
#[test]
fn values_of_weight_0_are_not_learned() {
    for (text, dims) in [(SAZ, GRAPHS), (MAPS, IMAGES), (EDGES, MOVES)] {
        for l2 in [0.0, 1e-4] {
            let (net, (batch, targets)) = (net(text, dims), training_batch(dims, 8));
            let weights = || trained(&*net).map(|param| param.var.copy().unwrap()).collect::<Vec<Tensor>>();
            let (before, mut adam) = (weights(), Adam::new(AdamSpec::default(), &*net).unwrap());
            let rules = StepRules::in_f32(LossSpec { value: 0.0, l2, ..LossSpec::default() });
            let losses = train_step(&*net, &mut adam, &batch, &targets, rules, &mut Seed::new(1).rng()).unwrap();
            assert!(losses.value > 0.0, "{text}: it is reported");
            let moved = |(old, new): (&Tensor, &Tensor)| {
                (old - new).unwrap().abs().unwrap().max_all().unwrap().to_scalar::<f32>().unwrap() > 0.0
            };
            let after = weights();
            let moved: Vec<bool> = before.iter().zip(&after).map(moved).collect();
            let is_of_value: Vec<bool> = trained(&*net).map(|param| param.name.starts_with("value")).collect();
            let of = |value: bool| moved.iter().zip(&is_of_value).any(|(&moved, &own)| moved && own == value);
            assert!(is_of_value.contains(&true) && of(false), "{text}");
            assert_eq!(of(true), l2 > 0.0, "{text}");
        }
    }
}

/// A weight with no gradient but that of decay ends at 0, not among subnormal numbers.
#[test]
fn decay_ends_at_zero() {
    let spec: DeepSpec = serde_json::from_str(CNN).unwrap();
    for dtype in [DType::F32, DType::F64] {
        let net = spec.build_on(IMAGES, Init::Torch, &Seed::new(2), dtype, &Device::Cpu).unwrap();
        let nothing = || {
            let difference = |param: &Param| (param.var.as_tensor() - param.var.as_tensor().detach()).unwrap();
            let sums = trained(&*net).map(|param| difference(param).sqr().unwrap().sum_all().unwrap());
            sums.reduce(|sum, next| (sum + next).unwrap()).unwrap().backward().unwrap()
        };
        let weights = || trained(&*net).map(|param| param.var.copy().unwrap()).collect::<Vec<Tensor>>();
        let largest = |tensors: &[Tensor]| {
            let largest = |tensor: &Tensor| tensor.abs().unwrap().max_all().unwrap().to_dtype(DType::F64).unwrap();
            tensors.iter().map(|tensor| largest(tensor).to_scalar::<f64>().unwrap()).fold(0.0, f64::max)
        };
        let (before, mut adam) =
            (weights(), Adam::new(AdamSpec { beta2: 0.99, ..AdamSpec::default() }, &*net).unwrap());
        adam.descend(&*net, &nothing(), 0.0).unwrap();
        let moved: Vec<Tensor> = before.iter().zip(weights()).map(|(old, new)| (old - new).unwrap()).collect();
        assert!(largest(&moved) == 0.0 && largest(&before) > 0.1, "{dtype:?}: without decay");
        (0..3000).for_each(|_| adam.descend(&*net, &nothing(), 1e-5).unwrap());
        assert!(largest(&weights()) == 0.0, "{dtype:?}: {:e}", largest(&weights()));
        if dtype == DType::F32 {
            let (moments, _) = read_tensors(&adam.to_bytes().unwrap()).unwrap();
            assert!(moments.iter().all(|tensor| tensor.values.iter().all(|&number| number == 0.0)));
        }
    }
}

#[test]
fn a_gradient_that_is_not_finite_cannot_be_shortened() {
    let spec: DeepSpec = serde_json::from_str(CNN).unwrap();
    let net = spec.build_on(IMAGES, Init::Torch, &Seed::new(2), DType::F32, &Device::Cpu).unwrap();
    let gradient = |times: f64| {
        let sums = trained(&*net).map(|param| (param.var.sum_all().unwrap() * times).unwrap());
        sums.reduce(|sum, next| (sum + next).unwrap()).unwrap().backward().unwrap()
    };
    let mut adam = Adam::new(AdamSpec { clip: Some(1.0), ..AdamSpec::default() }, &*net).unwrap();
    adam.descend(&*net, &gradient(1.0), 0.0).unwrap();
    let weights = || trained(&*net).map(|param| param.var.flatten_all().unwrap().to_vec1().unwrap()).collect();
    let before: Vec<Vec<f32>> = weights();
    // The square of the second is too large for single precision.
    for times in [f64::INFINITY, 1e30] {
        let error = adam.descend(&*net, &gradient(times), 0.0).unwrap_err();
        assert!(matches!(&error, DeepError::Gradient), "{error}");
    }
    assert_eq!(before, weights());
}

#[test]
fn an_epsilon_that_is_nothing_in_single_precision_is_refused() {
    for epsilon in ["0.0", "1e-46", "-1e-8", "nan"] {
        assert!(toml::from_str::<AdamSpec>(&format!("epsilon = {epsilon}")).is_err(), "{epsilon}");
    }
    assert_eq!(toml::from_str::<AdamSpec>("epsilon = 1e-30").unwrap().epsilon, 1e-30);
}

#[test]
fn a_tensor_without_a_gradient_is_named() {
    let net = net(SAZ, GRAPHS);
    let mut adam = Adam::new(AdamSpec::default(), &*net).unwrap();
    let nothing = Tensor::zeros((), DType::F32, &Device::Cpu).unwrap().backward().unwrap();
    let error = adam.descend(&*net, &nothing, 0.0).unwrap_err();
    assert!(matches!(&error, DeepError::NoGradient { .. }), "{error}");
    assert!(error.to_string().ends_with("has no gradient"), "{error}");
}
