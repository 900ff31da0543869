//! Where a training begins, what it descends, and what it takes besides time.
//!
//! `GAUNTLET_LONG_TESTS=1` measures the memory of fifty iterations.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod workshop;

use std::collections::BTreeMap;
use std::fs;

use candle_core::{DType, Device, Tensor};
use gauntlet::base::{Event, Interrupted, Seed, Sink};
use gauntlet::encoders::{Batch, Dims, Planes};
use gauntlet::learning::{Adam, AdamSpec, AlphaZeroJob, LossSpec, Targets, measure_loss, train_alphazero, train_step};
use gauntlet::nets::deep::{DeepSpec, Init, Mode, Net, Param};
use rand::RngExt as _;
use workshop::{ALPHA_ZERO, TRAINING, Workshop, changed};

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

/// What goes into each unit of a layer, and how many units each input goes to: of a convolution of 3x3, nine times its
/// channels, as Keras has it.
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

/// Four images, each with one action that should be played and an outcome.
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

/// The whole loss: `(v - z)^2 - pi^T log p + c ||theta||^2`, the square over everything that is trained.
fn loss(net: &dyn Net, batch: &Batch, targets: &Targets, spec: LossSpec) -> f64 {
    let heads = net.forward(batch, Mode::Evaluate).unwrap();
    let squares: f64 = net.params().iter().flat_map(numbers).map(|number| number * number).sum();
    measure_loss(&heads, batch, targets, spec).unwrap().1.total() + spec.l2 * squares
}

/// By how much the loss changes with one number of a tensor.
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
    // Adam without a memory, which divides by a huge number and multiplies with it, moves by the gradient itself.
    let plain = AdamSpec { rate: HUGE, beta1: 0.0, beta2: 0.0, epsilon: HUGE };
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
        train_step(&*net, &mut adam, &batch, &targets, spec, &mut Seed::new(1).rng()).unwrap();
        for ((param, before), slopes) in net.params().iter().zip(&before).zip(&slopes) {
            let after = numbers(param);
            for (at, slope) in slopes.iter().enumerate() {
                let step = before[at] - after[at];
                assert!((step - slope).abs() < 1e-5, "{l2} {} {at}: {step} {slope}", param.name);
            }
        }
    }
}

/// The most that the process holds in memory while an iteration lasts, its checkpoint among it; kB.
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

/// A training takes its memory when it begins: neither the window that fills up nor anything else adds to it.
#[test]
fn memory_stays_as_it_is() {
    if !workshop::is_long() || !cfg!(target_os = "linux") {
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
    train_alphazero(&job, &Seed::new(1), None, &mut memory).unwrap();
    // An allocator gives back memory now and then, so that one moment says little.
    let (early, late) = (mean(&memory.iterations[4..9]), mean(&memory.iterations[45..50]));
    eprintln!("resident from iteration 5 on {early} kB, up to iteration 50 {late} kB");
    eprintln!("after each iteration, in kB: {:?}", memory.iterations);
    assert!(late <= 1.05 * early);
}

/// The files of one training of a manifest, and what planning and running it said.
fn trained(workshop: &Workshop, manifest: &str) -> (BTreeMap<String, Vec<u8>>, String, String) {
    workshop.write("m.toml", manifest);
    let planned = workshop.done("plan m.toml --only stage=train").stdout;
    let told = workshop.done("run m.toml --only stage=train").stderr;
    (workshop.files("results/jobs", ""), planned, told)
}

#[test]
fn a_longer_training_continues_a_shorter_one_to_the_same_bytes() {
    let alpha_zero = |length: u32, kept: &str, rates: &str| {
        let keep = format!("keep = [{kept}]\nrates = {rates}");
        changed(ALPHA_ZERO, &[("iterations = 30", &format!("iterations = {length}")), ("keep = [2, 30]", &keep)])
    };
    let steps = "{ steps = [{ from = 3, rate = 0.01 }, { from = 6, rate = 0.001 }] }";
    let evolution = |length: u32, kept: &str| {
        let settings = format!("generations = {length}{kept}");
        changed(TRAINING, &[("generations = 30", &settings), ("seeds = 2", "seeds = 1")])
    };
    for [short, long] in [
        [alpha_zero(4, "2, \"state\"", steps), alpha_zero(7, "2, 6, \"state\"", steps)],
        [evolution(7, ", keep = \"state\""), evolution(12, "")],
    ] {
        let (whole, ..) = trained(&Workshop::with(&long), &long);
        let workshop = Workshop::new();
        let (first, ..) = trained(&workshop, &short);
        let (both, planned, told) = trained(&workshop, &long);
        assert!(
            planned.contains(" continues train-") && told.contains(" continue a shorter training"),
            "{planned}{told}"
        );
        assert!(first.keys().any(|name| name.ends_with("state.bin")) && both.len() == first.len() + whole.len());
        whole.iter().for_each(|(name, bytes)| assert!(both[name] == *bytes, "{name}"));
        // Nothing is continued twice, and no longer one by a shorter one.
        assert!(!trained(&workshop, &short).1.contains("continues"));
    }
}

#[test]
fn a_training_that_cannot_be_continued_says_so() {
    let of = |length: u32, rest: &str| {
        let settings = format!("iterations = {length}");
        changed(ALPHA_ZERO, &[("iterations = 30", &settings), ("keep = [2, 30]", rest)])
    };
    for (short, long, reason) in [
        ("", "", "it kept no state: `keep = \"state\"`"),
        (
            "keep = \"state\"\nrates.cosine = { last = 1e-5 }",
            "rates.cosine = { last = 1e-5 }",
            "its learning rates depend on its length",
        ),
    ] {
        let workshop = Workshop::new();
        trained(&workshop, &of(1, short));
        workshop.write("m.toml", &of(2, long));
        let planned = workshop.done("plan m.toml --explain").stdout;
        let told = "starts over and does not continue train-othello-4x4-saz";
        assert!(planned.contains(told) && planned.contains(reason), "{planned}");
    }
    // Another beginning is no beginning of this one.
    let workshop = Workshop::new();
    trained(&workshop, &of(1, "keep = \"state\""));
    workshop.write("m.toml", &of(2, "").replace("batch = 8", "batch = 9"));
    assert!(!workshop.done("plan m.toml --explain").stdout.contains("continue"));
}

/// A player with weights from a file, which is measured as those of a training are.
const OF_FILE: &str = r#"schema = 1
name = "test/file"
title = "Weights from a file"
games.go.atari-go = { size = 5 }
agents.naive.naive = {}
agents.mine.net = { network = { mdlstm = { cells = 3 } }, weights = { file = "my.safetensors" } }
stages.test.measure.fitness = { game = "go", agent = "mine", opponent = "naive", games = 20 }
[[exhibit]]
show.means = { stage = "test", rows = ["agent"] }
"#;

#[test]
fn weights_of_a_file_play_as_those_of_their_training() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml --seeds 1 --only agent=mdlstm,game.size=5");
    let result = |kind: &str| fs::read(workshop.jobs(kind).remove(0).join("result.json")).unwrap();
    let (expected, job) = (result("measure"), workshop.jobs("train").remove(0));
    workshop.jobs("measure").iter().for_each(|job| fs::remove_dir_all(job).unwrap());
    workshop.write("file.toml", OF_FILE);
    let missing = workshop.run("run file.toml");
    assert!(missing.code == 2 && missing.stderr.contains("reads `my.safetensors`"), "{}", missing.stderr);
    let weights = fs::read(job.join("weights.safetensors")).unwrap();
    fs::create_dir(workshop.path("data")).unwrap();
    fs::write(workshop.path("data/my.safetensors"), &weights).unwrap();
    workshop.done("run file.toml --data data");
    assert_eq!(result("measure"), expected);
    // The job is known by what is in the file.
    fs::rename(workshop.path("data"), workshop.path("elsewhere")).unwrap();
    assert!(workshop.done("run file.toml --data elsewhere").stderr.contains("nothing to do"));
    let other = OF_FILE.replace("cells = 3", "cells = 4");
    workshop.write("file.toml", &other);
    let refused = workshop.run("run file.toml --data elsewhere");
    assert!(refused.code == 1 && refused.stderr.contains("`my.safetensors` has no weights of"), "{}", refused.stderr);
    let training = TRAINING.replace("cells = 3 } }", "cells = 3 } }, weights = { file = \"../x\" }");
    workshop.write("m.toml", &training);
    assert!(workshop.run("check m.toml").stderr.contains("nobody in a training has weights of a file"));
    workshop.write("file.toml", &OF_FILE.replace("my.safe", "../my.safe"));
    assert!(workshop.run("check file.toml").stderr.contains("is no file of the data directory"));
}
