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
}

/// The loss that is minimised.
///
/// | key | default | | the paper |
/// |---|---|---|---|
/// | `policy` | `"all"` | softmax over `"all"` actions or the `"legal"` ones | not given; its code base has all |
/// | `l2` | 0 | c, 0 or more; of all trained tensors | 0 |
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LossSpec {
    /// Which actions share the probability.
    pub policy: PolicyLoss,
    /// Weight of the squares of all trained numbers.
    #[schemars(range(min = 0.0))]
    #[serde(deserialize_with = "weight")]
    pub l2: f64,
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
    /// What is minimised, without the weights' own term.
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
    let mut table = Table::default();
    (0..positions).for_each(|index| table.push(batch.span(index), widest, targets, loss.policy));
    let shape = (positions, widest);
    let picked = logits.index_select(&Tensor::from_vec(table.index, positions * widest, device)?, 0)?.reshape(shape)?;
    let closed = Tensor::from_vec(table.closed, shape, device)?.to_dtype(dtype)?;
    let logs = candle_nn::ops::log_softmax(&(picked + closed)?, D::Minus1)?;
    let wanted = Tensor::from_vec(table.policy, shape, device)?.to_dtype(dtype)?;
    let policy = ((logs.clone() * wanted)?.sum_all()? * (-1.0 / positions as f64))?;
    let outcomes = Tensor::from_slice(&targets.values, positions, device)?.to_dtype(dtype)?;
    let value = (&heads.value - outcomes)?.sqr()?.mean_all()?;
    let logs = logs.detach();
    let entropy = ((logs.exp()? * logs)?.sum_all()? * (-1.0 / positions as f64))?;
    let number = |tensor: &Tensor| tensor.to_dtype(DType::F64)?.to_scalar::<f64>();
    let losses = Losses { value: number(&value)?, policy: number(&policy)?, entropy: number(&entropy)? };
    Ok(((policy + value)?, losses))
}

/// Logits of positions with different numbers of actions, as rows of one width.
#[derive(Default)]
struct Table {
    /// Which logit.
    index: Vec<u32>,
    /// 0, or what shuts an action out.
    closed: Vec<f32>,
    policy: Vec<f32>,
}

impl Table {
    /// Far below every logit, and finite: it is multiplied by zeros.
    const SHUT: f32 = -1e9;

    fn push(&mut self, span: std::ops::Range<usize>, widest: usize, targets: &Targets, loss: PolicyLoss) {
        let (count, rest) = (span.len(), widest - span.len());
        self.index.extend(span.clone().map(|logit| logit as u32));
        self.index.resize(self.index.len() + rest, span.start as u32);
        self.policy.extend_from_slice(&targets.policy[span.clone()]);
        self.policy.resize(self.policy.len() + rest, 0.0);
        match loss {
            PolicyLoss::All => self.closed.resize(self.closed.len() + count, 0.0),
            PolicyLoss::Legal => {
                self.closed.extend(targets.legal[span].iter().map(|&legal| if legal { 0.0 } else { Table::SHUT }));
            }
        }
        self.closed.resize(self.closed.len() + rest, Table::SHUT);
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
    use crate::encoders::{Dims, Graph, Graphs, Planes, Topology};
    use crate::nets::deep::{Answers, DeepSpec, Inference as _, Init, Plain, at_play, composed_alone, save};

    /// Positions of mixed sizes or images, with random policies over their first actions and random outcomes.
    fn lesson(dims: Dims, positions: usize) -> (Batch, Targets) {
        let mut rng = Seed::new(11).rng();
        let mut batch = Batch::new(dims);
        for index in 0..positions {
            match &mut batch {
                Batch::Graphs(graphs) => {
                    let board = Arc::new(Graph::board(&Topology::square(3 + index % 2)));
                    let stones: Vec<f32> = (0..board.sites()).map(|_| f32::from(rng.random_range(-1i8..=1))).collect();
                    Graphs::push(graphs, &board, stones);
                }
                Batch::Planes(planes) => {
                    let image: Vec<f32> = (0..25).map(|_| f32::from(rng.random_range(-1i8..=1))).collect();
                    Planes::push(planes, &image);
                }
            }
        }
        let mut targets = Targets::default();
        for index in 0..positions {
            let count = batch.span(index).len();
            let choice = rng.random_range(0..count);
            targets.policy.extend((0..count).map(|action| if action == choice { 1.0 } else { 0.0 }));
            targets.legal.extend((0..count).map(|action| action <= choice));
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
    const GRAPHS: Dims = Dims::Graphs { features: 1 };
    const IMAGES: Dims = Dims::Planes { channels: 1, rows: 5, columns: 5, actions: 26 };

    #[test]
    fn the_loss_of_two_positions_by_hand() {
        let (mut batch, board) = (Graphs::new(1), Arc::new(Graph::board(&Topology::square(1))));
        batch.push(&board, [0.0]);
        batch.push(&Arc::new(board.subgraph(&[0], false)), [0.0]);
        let tensor = |numbers: &[f64]| Tensor::new(numbers, &Device::Cpu).unwrap();
        let heads = Heads { policy_logits: tensor(&[0.0, 1.0, 5.0]), value: tensor(&[0.5, -0.5]) };
        let legal = vec![true, false, true];
        let targets = Targets { policy: vec![1.0, 0.0, 1.0], legal, values: vec![1.0, 1.0] };
        let measure = |policy| {
            measure_loss(&heads, &Batch::Graphs(batch.clone()), &targets, LossSpec { policy, l2: 0.0 }).unwrap().1
        };
        let all = measure(PolicyLoss::All);
        assert!((all.value - (0.25 + 2.25) / 2.0).abs() < 1e-12);
        assert!((all.policy - (1.0 + 1f64.exp()).ln() / 2.0).abs() < 1e-12, "{all:?}");
        let p = 1.0 / (1.0 + 1f64.exp());
        assert!((all.entropy + (p * p.ln() + (1.0 - p) * (1.0 - p).ln()) / 2.0).abs() < 1e-12);
        let legal = measure(PolicyLoss::Legal);
        assert!(legal.policy.abs() < 1e-12 && legal.entropy.abs() < 1e-12, "{legal:?}");
    }

    /// Of boards of two sizes, with and without a mask; targets are spread over several actions.
    #[test]
    fn the_gradient_of_the_loss_is_that_of_finite_differences() {
        let (batch, mut targets) = lesson(GRAPHS, 5);
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
                let (total, losses) = measure_loss(&heads, &batch, &targets, LossSpec { policy, l2: 0.0 }).unwrap();
                assert_eq!(total.to_scalar::<f64>().unwrap(), losses.policy + losses.value);
                let gradients = total.backward().unwrap();
                [&logits, &values].map(|var| gradients.get(var).unwrap().to_vec1::<f64>().unwrap()).concat()
            };
            let total = |logits: &[f64], values: &[f64]| {
                let tensor = |numbers: &[f64]| Tensor::new(numbers, &Device::Cpu).unwrap();
                let heads = Heads { policy_logits: tensor(logits), value: tensor(values) };
                measure_loss(&heads, &batch, &targets, LossSpec { policy, l2: 0.0 }).unwrap().1.total()
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

    /// A network that can learn anything learns 32 positions by heart.
    #[test]
    fn a_handful_is_learned_by_heart() {
        for (text, dims) in [(SAZ, GRAPHS), (CNN, IMAGES)] {
            let (net, (batch, targets)) = (net(text, dims), lesson(dims, 32));
            let mut adam = Adam::new(AdamSpec { rate: 5e-3, ..AdamSpec::default() }, &*net).unwrap();
            let mut rng = Seed::new(1).rng();
            let mut step = || train_step(&*net, &mut adam, &batch, &targets, LossSpec::default(), &mut rng).unwrap();
            let first = step();
            let last = (0..150).map(|_| step()).last().unwrap();
            assert!(last.total() < 0.2 * first.total(), "{text}: {first:?} {last:?}");
        }
    }

    /// Stopped and continued from bytes, a training ends with the same bytes as without a stop.
    #[test]
    fn a_training_resumes_exactly() {
        let (batch, targets) = lesson(GRAPHS, 8);
        let (loss, text) = (LossSpec { policy: PolicyLoss::Legal, l2: 1e-4 }, r#"{"saz":{"hidden":16}}"#);
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
    }

    /// The first step of Adam moves every weight by the learning rate against the sign of its gradient.
    #[test]
    fn adam_by_hand() {
        let (net, (batch, targets)) = (net(SAZ, GRAPHS), lesson(GRAPHS, 8));
        let before = save(net.params()).unwrap();
        let mut adam = Adam::new(AdamSpec::default(), &*net).unwrap();
        train_step(&*net, &mut adam, &batch, &targets, LossSpec::default(), &mut Seed::new(1).rng()).unwrap();
        let after = save(net.params()).unwrap();
        let bias = before.iter().position(|tensor| tensor.name == "policy.weight").unwrap();
        for (before, after) in before[bias].values.iter().zip(&after[bias].values) {
            let step = (before - after).abs();
            assert!((step - 1e-3).abs() < 1e-5 || step < 1e-3, "{step}");
        }
        assert_ne!(before[bias], after[bias]);
    }

    /// The way of other devices, on the CPU: composed operations, Adam without its fused steps, the plain forward pass.
    #[test]
    fn other_devices_learn_and_answer_alike() {
        for (text, dims) in [(SAZ, GRAPHS), (CNN, IMAGES)] {
            let spec: DeepSpec = serde_json::from_str(text).unwrap();
            let (batch, targets) = lesson(dims, 8);
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
        let (net, (batch, mut targets)) = (net(SAZ, GRAPHS), lesson(GRAPHS, 4));
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
