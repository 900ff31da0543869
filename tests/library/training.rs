//! Tests of training: initial weights, the loss and its gradient, and memory use.
//!
//! `GAUNTLET_LONG_TESTS=1` measures the memory of fifty iterations.

use candle_core::{DType, Device, Tensor};
use gauntlet_games::base::{Event, Interrupted, Seed, Sink};
use gauntlet_nets::encoders::{Batch, Dims, Planes};
use gauntlet_nets::nets::deep::{DeepSpec, Init, Mode, Net, Param};
use gauntlet_play::jobs::{Given, Inputs, UpstreamFiles};
use gauntlet_play::learning::{
    Adam, AdamSpec, AlphaZeroJob, LossSpec, StepRules, Targets, measure_loss, train_alphazero, train_step,
};
use rand::RngExt as _;

/// A network of "Reinforcement Learning for Gomoku" on a board of 4x4, in doubles.
fn network(init: Init) -> Box<dyn Net> {
    let text = r#"{"agz-cnn":{"channels":[6,10,12],"policy":3,"value":2,"hidden":8}}"#;
    let spec: DeepSpec = serde_json::from_str(text).unwrap();
    let dims = Dims::Planes { channels: 2, rows: 4, columns: 4, actions: 16 };
    spec.build_on(dims, init, &Seed::new(5), DType::F64, &Device::Cpu).unwrap()
}

fn numbers(param: &Param) -> Vec<f64> {
    param.var.flatten_all().unwrap().to_vec1().unwrap()
}

/// Fan-in and fan-out of each layer: for a convolution of 3x3, nine times its
/// channels, as in Keras.
const FANS: [(&str, [usize; 2]); 8] = [
    ("conv0", [9 * 2, 9 * 6]),
    ("conv1", [9 * 6, 9 * 10]),
    ("conv2", [9 * 10, 9 * 12]),
    ("policy.maps", [12, 3]),
    ("policy", [3 * 16, 16]),
    ("value.maps", [12, 2]),
    ("value.hidden", [2 * 16, 8]),
    ("value", [8, 1]),
];

/// Glorot and Bengio 2010, eq. 16: uniform, with the variance 2 / (inputs + outputs).
#[test]
fn glorot_weights_fill_their_range_and_biases_are_zero() {
    let net = network(Init::Glorot);
    assert_eq!(net.params().len(), 2 * FANS.len());
    for (name, [inputs, outputs]) in FANS {
        let of = |end: &str| net.params().iter().find(|param| param.name == format!("{name}.{end}")).map(numbers);
        assert!(of("bias").unwrap().iter().all(|&bias| bias == 0.0), "{name}");
        let (weights, limit) = (of("weight").unwrap(), (6.0 / (inputs + outputs) as f64).sqrt());
        let largest = weights.iter().fold(0.0, |most: f64, weight| most.max(weight.abs()));
        assert!(largest <= limit && largest > limit * (1.0 - 5.0 / weights.len() as f64), "{name}: {largest} {limit}");
        if weights.len() > 100 {
            let variance = weights.iter().map(|weight| weight * weight).sum::<f64>() / weights.len() as f64;
            let ratio = variance * (inputs + outputs) as f64 / 2.0;
            // The squares of a uniform number spread by sqrt(4 / 5) of their mean.
            assert!((ratio - 1.0).abs() < 4.0 * (0.8 / weights.len() as f64).sqrt(), "{name}: {ratio}");
        }
    }
}

/// Four images, each with one target action and an outcome.
fn training_batch() -> (Batch, Targets) {
    let mut rng = Seed::new(6).rng();
    let (mut planes, mut targets) = (Planes::new(2, 4, 4, 16), Targets::default());
    for _ in 0..4 {
        planes.push(&(0..32).map(|_| f32::from(rng.random_range(-1i8..=1))).collect::<Vec<_>>());
        let choice = rng.random_range(0..16);
        targets.policy.extend((0..16).map(|action| if action == choice { 1.0 } else { 0.0 }));
        targets.legal.extend([true; 16]);
        targets.values.push(f32::from(rng.random_range(-1i8..=1)));
    }
    (Batch::Planes(planes), targets)
}

/// The whole loss: `(v - z)^2 - pi^T log p + c ||theta||^2`, with the square over all trained weights.
fn loss(net: &dyn Net, batch: &Batch, targets: &Targets, spec: LossSpec) -> f64 {
    let heads = net.forward(batch, Mode::Evaluate).unwrap();
    let squares: f64 = net.params().iter().flat_map(numbers).map(|number| number * number).sum();
    measure_loss(&heads, batch, targets, spec).unwrap().1.total() + spec.l2 * squares
}

/// The derivative of the loss by one number of a tensor.
fn slope(param: &Param, at: usize, loss: impl Fn() -> f64) -> f64 {
    const STEP: f64 = 1e-5;
    let before = numbers(param);
    let moved = |by: f64| {
        let mut after = before.clone();
        after[at] += by;
        param.var.set(&Tensor::from_vec(after, param.var.shape(), &Device::Cpu).unwrap()).unwrap();
        loss()
    };
    let slope = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
    moved(0.0);
    slope
}

#[test]
fn a_step_descends_the_loss_with_the_squares_of_all_weights() {
    const HUGE: f64 = 1e8;
    // Adam without momentum, with a huge divisor and an equally huge rate, moves by the gradient itself.
    let plain = AdamSpec { rate: HUGE, beta1: 0.0, beta2: 0.0, epsilon: HUGE, clip: None };
    let (batch, targets) = training_batch();
    for l2 in [0.0, 0.3] {
        let (net, spec) = (network(Init::Torch), LossSpec { l2, ..LossSpec::default() });
        let slopes: Vec<Vec<f64>> = net
            .params()
            .iter()
            .map(|param| {
                (0..numbers(param).len().min(5))
                    .map(|at| slope(param, at, || loss(&*net, &batch, &targets, spec)))
                    .collect()
            })
            .collect();
        let before: Vec<Vec<f64>> = net.params().iter().map(numbers).collect();
        let mut adam = Adam::new(plain, &*net).unwrap();
        train_step(&*net, &mut adam, &batch, &targets, StepRules::in_f32(spec), &mut Seed::new(1).rng()).unwrap();
        for ((param, before), slopes) in net.params().iter().zip(&before).zip(&slopes) {
            let after = numbers(param);
            for (at, slope) in slopes.iter().enumerate() {
                let step = before[at] - after[at];
                assert!((step - slope).abs() < 1e-5, "{l2} {} {at}: {step} {slope}", param.name);
            }
        }
    }
}

/// A gradient longer than its clip is shortened to it and keeps its direction.
#[test]
fn a_clipped_gradient_has_the_length_of_its_clip() {
    const HUGE: f64 = 1e8;
    let (batch, targets) = training_batch();
    let stepped = |clip: Option<f64>| -> Vec<f64> {
        let (net, spec) = (network(Init::Torch), AdamSpec { rate: HUGE, beta1: 0.0, beta2: 0.0, epsilon: HUGE, clip });
        let flat = |net: &dyn Net| net.params().iter().flat_map(numbers).collect::<Vec<f64>>();
        let (before, mut adam) = (flat(&*net), Adam::new(spec, &*net).unwrap());
        train_step(&*net, &mut adam, &batch, &targets, StepRules::in_f32(LossSpec::default()), &mut Seed::new(1).rng())
            .unwrap();
        before.iter().zip(flat(&*net)).map(|(before, after)| before - after).collect()
    };
    let length = |step: &[f64]| step.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (whole, half) = (stepped(None), stepped(Some(0.05)));
    assert!(length(&whole) > 0.1 && (length(&half) - 0.05).abs() < 1e-5, "{} {}", length(&whole), length(&half));
    let share = 0.05 / length(&whole);
    assert!(whole.iter().zip(&half).all(|(whole, half)| (whole * share - half).abs() < 1e-5));
    assert_eq!(stepped(Some(100.0)), whole);
}

/// Maximum resident memory of the process during an iteration, including its checkpoint; kB.
#[derive(Default)]
struct Memory {
    iterations: Vec<f64>,
    most: f64,
}

impl Sink for Memory {
    fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
        self.most = self.most.max(resident());
        if let Event::Checkpoint(_) = event {
            self.iterations.push(std::mem::take(&mut self.most));
        }
        Ok(())
    }
}

fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// A training allocates its memory at the start: neither the growing window nor other data add to it.
#[test]
fn memory_stays_as_it_is() {
    if std::env::var_os("GAUNTLET_LONG_TESTS").is_none() || !cfg!(target_os = "linux") {
        eprintln!("skipped: set GAUNTLET_LONG_TESTS=1 on Linux");
        return;
    }
    let job: AlphaZeroJob = toml::from_str(
        "game = { othello = { size = 6 } }\n\
         agent = { guided = { network = { saz = { hidden = 16 } }, subgraphs = {}, search = { simulations = 20 } } }\n\
         settings = { iterations = 50, games = 32, steps = 20 }",
    )
    .unwrap();
    let mut memory = Memory::default();
    let (upstream, inputs) = (UpstreamFiles::default(), Inputs::new());
    let given = Given { seed: 1, upstream: &upstream, inputs: &inputs, checkpoint: None };
    train_alphazero(&job, &given, &mut memory).unwrap();
    // An allocator returns memory irregularly, so that a single reading says little.
    let (early, late) = (mean(&memory.iterations[4..9]), mean(&memory.iterations[45..50]));
    eprintln!("resident from iteration 5 on {early} kB, up to iteration 50 {late} kB");
    eprintln!("after each iteration, in kB: {:?}", memory.iterations);
    assert!(late <= 1.05 * early);
}
