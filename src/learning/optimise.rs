//! One step of optimisation of a deep network: the loss, its gradient, a step of Adam.
//!
//! Ben-Assayag and El-Yaniv 2021, appendix A.2: `MSE(z, v) + CE(pi, p) + c |theta|^2` with c = 0. It plays no game and
//! keeps no examples. The gradient is exact for the batch, and everything random comes from the caller's stream, so that
//! network, [`Adam`] and stream together continue to the same bytes.

use candle_core::{D, DType, Tensor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Adam;
use super::adam::weight;
use crate::base::Rng;
use crate::encoders::Batch;
use crate::nets::deep::{DeepError, Heads, Mode, Net};

/// What a batch of positions should have been answered with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Targets {
    /// Probability of each action, `[logits]` as [`Batch::span`] lays them out; each position's sum to 1.
    pub policy: Vec<f32>,
    /// Whether each action was legal, `[logits]`; read for [`PolicyLoss::Legal`] alone.
    pub legal: Vec<bool>,
    /// Outcome for the side to move, -1 to 1, `[positions]`.
    pub values: Vec<f32>,
    /// The positions whose outcome is not known, ascending: their games were cut off. They teach policies alone.
    pub unknown: Vec<u32>,
}

/// The loss that is minimised.
///
/// | key | default | | the paper |
/// |---|---|---|---|
/// | `policy` | `"all"` | softmax over `"all"` actions or the `"legal"` ones | not given; its code base has all |
/// | `l2` | 0 | c, 0 or more; of all trained tensors | 0 |
/// | `value` | 1 | weight of the squared error of the values, 0 or more | 1 |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LossSpec {
    /// Which actions share the probability.
    pub policy: PolicyLoss,
    /// Weight of the squares of all trained numbers.
    #[schemars(range(min = 0.0))]
    #[serde(deserialize_with = "weight")]
    pub l2: f64,
    /// Weight of the squared error of the values.
    #[schemars(range(min = 0.0))]
    #[serde(deserialize_with = "weight", skip_serializing_if = "is_one")]
    pub value: f64,
}

impl Default for LossSpec {
    fn default() -> LossSpec {
        LossSpec { policy: PolicyLoss::default(), l2: 0.0, value: 1.0 }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, clippy::float_cmp, reason = "as serde calls it, and 1 is the default")]
fn is_one(weight: &f64) -> bool {
    *weight == 1.0
}

/// Which actions share the probability.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyLoss {
    /// All of the position: the network learns what is illegal too.
    #[default]
    All,
    /// The legal ones, as at play.
    Legal,
}

/// The parts of a loss, means over the batch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// Mean squared error of the values.
    pub value: f64,
    /// Cross entropy of the policies, nats.
    pub policy: f64,
    /// Entropy of the network's policies, nats.
    pub entropy: f64,
}

impl Losses {
    /// The sum of both parts; weights of a loss are left out.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.value + self.policy
    }
}

/// Moves the weights one step against the gradient of the loss over a batch; the parts of the loss before it. A loss that
/// is not finite has no gradient: the trained weights are then as they were, and the caller has to look at what it gets.
///
/// `rng` is the stream that dropout is drawn from.
///
/// # Errors
/// Targets of another batch, and what the network reports.
pub fn train_step(
    net: &dyn Net,
    adam: &mut Adam,
    batch: &Batch,
    targets: &Targets,
    loss: LossSpec,
    rng: &mut Rng,
) -> Result<Losses, DeepError> {
    let heads = net.forward(batch, Mode::Train(rng))?;
    let (total, losses) = measure_loss(&heads, batch, targets, loss)?;
    if losses.total().is_finite() {
        adam.descend(net, &total.backward()?, loss.l2)?;
    }
    Ok(losses)
}

/// The parts of the loss over a batch of a network as it plays; nothing is learned, and nothing is drawn.
///
/// # Errors
/// As [`train_step`].
pub fn loss_at_play(net: &dyn Net, batch: &Batch, targets: &Targets, loss: LossSpec) -> Result<Losses, DeepError> {
    Ok(measure_loss(&net.forward(batch, Mode::Evaluate)?, batch, targets, loss)?.1)
}

/// The loss of heads, as a tensor to differentiate and as numbers.
///
/// # Errors
/// Candle's, also for targets of another batch.
pub fn measure_loss(
    heads: &Heads,
    batch: &Batch,
    targets: &Targets,
    loss: LossSpec,
) -> Result<(Tensor, Losses), DeepError> {
    let logits = &heads.policy_logits;
    let (dtype, device, positions) = (logits.dtype(), logits.device(), batch.positions());
    let widest = (0..positions).map(|index| batch.span(index).len()).max().unwrap_or(0);
    let mut table = PaddedLogits::default();
    (0..positions).for_each(|index| table.push(batch.span(index), widest, targets, loss.policy));
    let shape = (positions, widest);
    let picked = logits.index_select(&Tensor::from_vec(table.index, positions * widest, device)?, 0)?.reshape(shape)?;
    let mask = Tensor::from_vec(table.mask, shape, device)?.to_dtype(dtype)?;
    let logs = candle_nn::ops::log_softmax(&(picked + mask)?, D::Minus1)?;
    let wanted = Tensor::from_vec(table.policy, shape, device)?.to_dtype(dtype)?;
    let policy = ((logs.clone() * wanted)?.sum_all()? * (-1.0 / positions as f64))?;
    let outcomes = Tensor::from_slice(&targets.values, positions, device)?.to_dtype(dtype)?;
    let error = known(&(&heads.value - outcomes)?, &targets.unknown)?;
    let value = error.sqr()?.mean_all()?;
    let logs = logs.detach();
    let entropy = ((logs.exp()? * logs)?.sum_all()? * (-1.0 / positions as f64))?;
    let number = |tensor: &Tensor| tensor.to_dtype(DType::F64)?.to_scalar::<f64>();
    let losses = Losses { value: number(&value)?, policy: number(&policy)?, entropy: number(&entropy)? };
    let weighed = if loss.value == 1.0 { value } else { (value * loss.value)? };
    Ok(((policy + weighed)?, losses))
}

/// Errors of values, `[positions]`, with 0 where the outcome is not known.
fn known(errors: &Tensor, unknown: &[u32]) -> Result<Tensor, DeepError> {
    if unknown.is_empty() {
        return Ok(errors.clone());
    }
    let mut is_known = vec![1.0f32; errors.dim(0)?];
    unknown.iter().for_each(|&position| is_known[position as usize] = 0.0);
    let mask = Tensor::from_vec(is_known, errors.dim(0)?, errors.device())?.to_dtype(errors.dtype())?;
    Ok((errors * mask)?)
}

/// Logits of positions with different numbers of actions, as rows of one width.
#[derive(Default)]
struct PaddedLogits {
    /// Which logit.
    index: Vec<u32>,
    /// What is added to each logit: 0, or [`PaddedLogits::MASKED`].
    mask: Vec<f32>,
    policy: Vec<f32>,
}

impl PaddedLogits {
    /// Far below every logit, and finite: it is multiplied by zeros.
    const MASKED: f32 = -1e9;

    fn push(&mut self, span: std::ops::Range<usize>, widest: usize, targets: &Targets, loss: PolicyLoss) {
        let (count, rest) = (span.len(), widest - span.len());
        self.index.extend(span.clone().map(|logit| logit as u32));
        self.index.resize(self.index.len() + rest, span.start as u32);
        self.policy.extend_from_slice(&targets.policy[span.clone()]);
        self.policy.resize(self.policy.len() + rest, 0.0);
        match loss {
            PolicyLoss::All => self.mask.resize(self.mask.len() + count, 0.0),
            PolicyLoss::Legal => {
                self.mask
                    .extend(targets.legal[span].iter().map(|&legal| if legal { 0.0 } else { PaddedLogits::MASKED }));
            }
        }
        self.mask.resize(self.mask.len() + rest, PaddedLogits::MASKED);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use candle_core::Device;
    use rand::RngExt as _;

    use super::super::AdamSpec;
    use super::super::adam::trained;
    use super::*;
    use crate::base::Seed;
    use crate::encoders::{Dims, Graph, Graphs, MoveDims, MoveGraph, Planes, Topology};
    use crate::nets::CheckpointError;
    use crate::nets::deep::{
        Answers, DeepSpec, Inference as _, Init, InputKind, Logits, Plain, at_play, composed_alone, read_tensors, save,
        write_tensors,
    };

    /// Positions of mixed sizes or images, each with a legal action that is best, perhaps a second one, and an outcome at
    /// random. No symmetry maps such a board on itself, as those of 3 x 3 often are: its twins could not be told apart.
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
                    let edges: Vec<(u32, u32)> = [1, 2, 1].into_iter().flat_map(ends).collect();
                    let number = |at: usize| if at.is_multiple_of(4) { 0.0 } else { (at as f32).sin() };
                    let graph = MoveGraph::new(nodes as usize, &edges, (0..4 * edges.len()).map(number).collect());
                    let bits: Vec<u128> = (0..nodes).map(|_| rng.random_range(0..128)).collect();
                    moves.push(&Arc::new(graph), &bits, &[rng.random(), 1.0], &[0, 3]);
                }
            }
        }
        let mut targets = Targets::default();
        for index in 0..positions {
            let count = batch.span(index).len();
            // Of images what lies in every window of 4 x 4: a site that one of the windows lacks cannot have all of its
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
    const RESIDUAL: &str = r#"{"res-net-v2":{"channels":16,"blocks":1}}"#;
    const PLANES: &str = r#"{"poly-cnn":{"width":16,"nets":2,"convolutions":2,"momentum":0.1}}"#;
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
        let heads = Heads { policy_logits: tensor(&[0.0, 1.0, 5.0]), value: tensor(&[0.5, -0.5]) };
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
        // Of two games the second was cut off; and an error may count half.
        let cut = Targets { unknown: vec![1], ..targets.clone() };
        let (total, losses) = measured(&cut, LossSpec { value: 0.5, ..LossSpec::default() });
        assert!((losses.value - 0.25 / 2.0).abs() < 1e-12 && losses.policy == all.policy);
        assert!((total - all.policy - 0.25 / 4.0).abs() < 1e-12);
        let legal = measure(PolicyLoss::Legal);
        assert!(legal.policy.abs() < 1e-12 && legal.entropy.abs() < 1e-12, "{legal:?}");
    }

    /// Of boards of two sizes, with and without a mask; targets are spread over several actions.
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
                let heads = Heads { policy_logits: logits.as_tensor().clone(), value: values.as_tensor().clone() };
                let (total, losses) =
                    measure_loss(&heads, &batch, &targets, LossSpec { policy, ..LossSpec::default() }).unwrap();
                assert_eq!(total.to_scalar::<f64>().unwrap(), losses.policy + losses.value);
                let gradients = total.backward().unwrap();
                [&logits, &values].map(|var| gradients.get(var).unwrap().to_vec1::<f64>().unwrap()).concat()
            };
            let total = |logits: &[f64], values: &[f64]| {
                let tensor = |numbers: &[f64]| Tensor::new(numbers, &Device::Cpu).unwrap();
                let heads = Heads { policy_logits: tensor(logits), value: tensor(values) };
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

    /// Networks that can learn anything learn 32 positions by heart, and know them at play as well: the loss falls to the
    /// least one that there is, the entropy of the policies, the best action is the best one of each, and no outcome is
    /// far off. Without dropout, which would keep them from it.
    #[test]
    fn a_handful_is_learned_by_heart() {
        // By how much the policies' part may be above the least one: the mean of the windows' probabilities is slow to learn.
        let learners = [
            (SAZ, GRAPHS, 0.02),
            (CNN, IMAGES, 0.02),
            (WINDOWS, IMAGES, 0.15),
            (MAPS, IMAGES, 0.02),
            (EDGES, MOVES, 0.02),
            (RESIDUAL, IMAGES, 0.02),
            (PLANES, TWO_PLANES, 0.02),
        ];
        let kind = |spec: &DeepSpec| std::mem::discriminant(spec);
        let known = learners.map(|(text, ..)| kind(&serde_json::from_str(text).unwrap()));
        assert!(DeepSpec::examples().iter().all(|spec| known.contains(&kind(spec))), "every architecture learns");
        for (text, dims, above) in learners {
            let (net, (batch, targets)) = (net(text, dims), training_batch(dims, 32));
            let entropy =
                targets.policy.iter().filter(|&&p| p > 0.0).map(|p| f64::from(-p * p.ln())).sum::<f64>() / 32.0;
            let (mut rng, loss) = (Seed::new(1).rng(), LossSpec::default());
            // Whether the loss comes this close to the least one, of so many steps at most.
            let mut train = |rate: f64, most: usize, policy: f64, value: f64| {
                let mut adam = Adam::new(AdamSpec { rate, ..AdamSpec::default() }, &*net).unwrap();
                (0..most).any(|_| {
                    let losses = train_step(&*net, &mut adam, &batch, &targets, loss, &mut rng).unwrap();
                    losses.policy - entropy < policy && losses.value < value
                })
            };
            train(5e-3, 200, 0.005, 0.001);
            train(5e-4, 100, 0.0, 0.0);
            // Steps of no length, in which the running moments become the batch's.
            train(0.0, 100, 0.0, 0.0);
            let learned = train(0.0, 1, above, 0.005);
            let at_play = loss_at_play(&*net, &batch, &targets, loss).unwrap();
            assert!(
                learned && at_play.policy - entropy < above && at_play.value < 0.005,
                "{text}: {at_play:?}, at best {entropy}"
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

    /// The loss that is descended, in every network as it is trained, dropout included.
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
            // As after some training: what is always positive before a batch norm, or never, has no gradient.
            let mut rng = Seed::new(4).rng();
            for param in trained(&*net).filter(|param| param.name.contains("norm.")) {
                let noise = (0..param.var.elem_count()).map(|_| rng.random_range(-0.3..0.3)).collect::<Vec<f64>>();
                let noise = Tensor::from_vec(noise, param.var.shape(), &Device::Cpu).unwrap();
                param.var.set(&(param.var.as_tensor() + noise).unwrap()).unwrap();
            }
            let total = || {
                let heads = net.forward(&batch, Mode::Train(&mut Seed::new(3).rng())).unwrap();
                measure_loss(&heads, &batch, &targets, LossSpec::default()).unwrap().0
            };
            let gradients = total().backward().unwrap();
            for param in trained(&*net) {
                let numbers = |tensor: &Tensor| tensor.flatten_all().unwrap().to_vec1::<f64>().unwrap();
                let (gradient, start) = (numbers(gradients.get(&param.var).unwrap()), numbers(&param.var));
                // The number that matters most to the loss.
                let at = (0..start.len()).max_by(|&a, &b| gradient[a].abs().total_cmp(&gradient[b].abs())).unwrap();
                let moved = |by: f64| {
                    let mut numbers = start.clone();
                    numbers[at] += by;
                    param.var.set(&Tensor::from_vec(numbers, param.var.shape(), &Device::Cpu).unwrap()).unwrap();
                    total().to_scalar::<f64>().unwrap()
                };
                let difference = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                moved(0.0);
                let (error, most) = ((difference - gradient[at]).abs(), gradient[at].abs());
                // A softmax does not see what is added to every logit.
                let is_unseen = param.name == "policy.bias" && start.len() == 1;
                // Nor does a norm what is added to a column.
                let may_be =
                    matches!(spec, DeepSpec::Gateau(_) | DeepSpec::ResNetV2(_)) && param.name.ends_with(".bias");
                assert!(may_be || (most > 1e-3) != is_unseen, "{} {}: {most}", spec.name(), param.name);
                assert!(error < 1e-8, "{} {}: {error}", spec.name(), param.name);
            }
        }
    }

    /// Stopped and continued from bytes, a training ends with the same bytes as without a stop.
    #[test]
    fn a_training_resumes_exactly() {
        let (batch, targets) = training_batch(GRAPHS, 8);
        let (loss, text) =
            (LossSpec { policy: PolicyLoss::Legal, l2: 1e-4, ..LossSpec::default() }, r#"{"saz":{"hidden":16}}"#);
        let train = |net: &dyn Net, adam: &mut Adam, rng: &mut Rng, steps: usize| {
            for _ in 0..steps {
                train_step(net, adam, &batch, &targets, loss, rng).unwrap();
            }
        };
        let (whole, mut rng) = (net(text, GRAPHS), Seed::new(1).rng());
        let mut adam = Adam::new(AdamSpec::default(), &*whole).unwrap();
        train(&*whole, &mut adam, &mut rng, 3);
        let (weights, state, mut stream) = (save(whole.params()).unwrap(), adam.to_bytes().unwrap(), rng.clone());
        train(&*whole, &mut adam, &mut rng, 3);
        let again = net(text, GRAPHS);
        crate::nets::deep::load(again.params(), &weights).unwrap();
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

    /// Kingma and Ba 2015, Algorithm 1, of every weight over two steps, from the gradients themselves. In the first the
    /// moments cancel: it is `rate g / (|g| + epsilon)`.
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
            let heads = net.forward(&batch, Mode::Train(&mut Seed::new(1).rng())).unwrap();
            let gradients = measure_loss(&heads, &batch, &targets, loss).unwrap().0.backward().unwrap();
            let gradients = trained(&*net).flat_map(|param| numbers(gradients.get(&param.var).unwrap()));
            let (gradients, before): (Vec<f64>, Vec<f64>) = (gradients.collect(), weights());
            train_step(&*net, &mut adam, &batch, &targets, loss, &mut Seed::new(1).rng()).unwrap();
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

    /// The way of other devices, on the CPU: composed operations, Adam without its fused steps, the plain forward pass.
    #[test]
    fn other_devices_learn_and_answer_alike() {
        for (text, dims) in [(SAZ, GRAPHS), (CNN, IMAGES)] {
            let spec: DeepSpec = serde_json::from_str(text).unwrap();
            let (batch, targets) = training_batch(dims, 8);
            // Doubles: Adam makes whole steps of what is left of a gradient that should be zero.
            let learned = || {
                let net = spec.build_on(dims, Init::Torch, &Seed::new(2), DType::F64, &Device::Cpu).unwrap();
                let (mut adam, mut rng) = (Adam::new(AdamSpec::default(), &*net).unwrap(), Seed::new(1).rng());
                for _ in 0..3 {
                    train_step(&*net, &mut adam, &batch, &targets, LossSpec::default(), &mut rng).unwrap();
                }
                net
            };
            let (kernels, plain) = (learned(), composed_alone(learned));
            let (mut one, mut other) = (Answers::default(), Answers::default());
            at_play(kernels).unwrap().infer(&batch, &mut one).unwrap();
            composed_alone(|| Plain(plain).infer(&batch, &mut other)).unwrap();
            let apart =
                |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
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
        let step = train_step(&*net, &mut adam, &batch, &targets, LossSpec::default(), &mut Seed::new(1).rng());
        assert!(step.unwrap().total().is_nan());
        let same = before
            .iter()
            .zip(trained(&*net))
            .all(|(a, b)| (a - b).unwrap().abs().unwrap().max_all().unwrap().to_scalar::<f32>().unwrap() == 0.0);
        assert!(same && adam.steps() == 0);
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
}
