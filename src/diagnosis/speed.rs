//! The speed of this machine: matrix products, play-outs, searches, evaluations of networks.
//!
//! An overview, not a measurement to publish: the fastest of a few short repetitions by the wall clock, since other
//! work only slows them. `tests/benches` measures changes of the program.

use std::hint::black_box;
use std::time::{Duration, Instant};

use candle_core::{Device, Tensor};
use serde::Serialize;

use super::Finding;
use super::examples::{batch, build, positions, targets};
use gauntlet_games::base::Seed;
use gauntlet_nets::nets::deep::{Answers, DeepSpec, Init, device_class, gpu_roofs, inference_of, is_card, precision};
use gauntlet_nets::nets::{NumberFormat, SampleProduct};
use gauntlet_play::learning::{Adam, AdamSpec, LossSpec, StepRules, train_step};
use gauntlet_play::search::{SearchSpec, SearchTask, Searcher, Tree, Uniform};

/// Repetitions of a measurement, and the duration of each.
const TIMES: usize = 4;
const SPAN: Duration = Duration::from_millis(200);

/// Rows of the matrices.
const SIDE: usize = 1024;

/// Positions that are searched or evaluated in one batch.
const POSITIONS: usize = 64;

/// Games for the random play-outs.
const GAMES: [&str; 4] =
    ["gomoku = { size = 9 }", "othello = { size = 8 }", "go = { size = 9 }", "atari-go = { size = 9 }"];

/// The game for trees and networks.
const BOARD: &str = "gomoku = { size = 9 }";

/// The networks.
const NETWORKS: [&str; 2] = [r#"{"saz":{"hidden":64}}"#, r#"{"az-cnn":{"channels":64,"wide":128,"narrow":64}}"#];

/// Networks of the papers, with their boards, for a GPU.
const LARGE: [(&str, &str); 2] = [
    (r#"{"saz":{"hidden":512}}"#, "othello = { size = 8 }"),
    (r#"{"gateau":{"hidden":128,"blocks":5}}"#, "chess = {}"),
];

/// Positions of a batch on a GPU, in play; the first number is that of a step of optimisation, too.
const LARGE_BATCHES: [usize; 2] = [256, 1024];

/// A measured speed.
#[derive(Debug, Serialize)]
pub struct SpeedLine {
    /// The work.
    pub what: String,
    /// Cores that it used.
    pub cores: usize,
    /// Units of work a second.
    pub per_second: f64,
    /// The unit.
    pub unit: &'static str,
    /// For a network: its operations, as a share of those of a wide layer in the same format, or of a GPU's products.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

/// The speeds of this machine.
///
/// # Errors
/// If the tensor library fails.
pub fn speeds() -> anyhow::Result<Vec<SpeedLine>> {
    let mut speeds = vec![matrix_library()?];
    let layers = NumberFormat::formats().map(layer).into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    let roofs: Vec<f64> = layers.iter().map(|layer| 1e9 * layer.per_second).collect();
    speeds.extend(layers);
    speeds.extend(GAMES.iter().map(|spec| playouts(spec)));
    speeds.push(simulations()?);
    for spec in NETWORKS {
        for (numbers, roof) in NumberFormat::formats().into_iter().zip(&roofs) {
            speeds.push(evaluations((spec, BOARD), numbers, POSITIONS, *roof)?);
        }
    }
    Ok(speeds)
}

/// The roofs of this machine and the evaluations of networks below them.
pub fn lines(tell: &mut dyn FnMut(Finding)) {
    let measured = if is_card(&device_class()) { on_gpu() } else { on_cpu() };
    match measured {
        Ok(speeds) => {
            for SpeedLine { what, per_second, unit, share, .. } in speeds {
                let share = share.map_or(String::new(), |share| format!(", {:.0} % of the roof", 100.0 * share));
                // `265 GFLOP/s`, but `28,000 evaluations/s`.
                let plural = if unit.starts_with('G') { "" } else { "s" };
                tell(Finding::fact("speed", what, format!("{per_second:.0} {unit}{plural}/s{share}")));
            }
        }
        Err(error) => tell(Finding::failed("speed", "networks", &error, "see the checks above")),
    }
}

fn on_cpu() -> anyhow::Result<Vec<SpeedLine>> {
    let layers = NumberFormat::formats().map(layer).into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    let mut speeds = Vec::new();
    for (numbers, layer) in NumberFormat::formats().into_iter().zip(layers) {
        let evaluated = NETWORKS.map(|spec| evaluations((spec, BOARD), numbers, POSITIONS, 1e9 * layer.per_second));
        speeds.push(layer);
        speeds.extend(evaluated.into_iter().collect::<anyhow::Result<Vec<_>>>()?);
    }
    Ok(speeds)
}

/// The networks of the papers, in batches that fill a card, in the precision of the process.
fn on_gpu() -> anyhow::Result<Vec<SpeedLine>> {
    let roof = gpu_roofs()?.into_iter().find(|(of, _)| *of == precision());
    let roof = roof.map_or(f64::NAN, |(_, roof)| roof);
    let mut speeds = Vec::new();
    for of in LARGE {
        for count in LARGE_BATCHES {
            let speed = evaluations(of, NumberFormat::F32, count, roof)?;
            speeds.push(SpeedLine { what: format!("{}, {count} positions", speed.what), ..speed });
        }
        speeds.push(steps(of, LARGE_BATCHES[0])?);
    }
    Ok(speeds)
}

/// Steps of optimisation, on `count` positions each.
fn steps((spec, board): (&str, &str), count: usize) -> anyhow::Result<SpeedLine> {
    let (spec, game) = (serde_json::from_str::<DeepSpec>(spec)?, build(board));
    let batch = batch(&spec, &game, count);
    let net = spec.build(batch.dims(), Init::default(), &Seed::new(1))?;
    let (targets, mut adam) = (targets(&batch), Adam::new(AdamSpec::default(), &*net)?);
    let (rules, mut rng) = (StepRules::in_f32(LossSpec::default()), Seed::new(2).rng());
    let per_second = rate(1.0, || {
        black_box(train_step(&*net, &mut adam, &batch, &targets, rules, &mut rng)?);
        Ok(())
    })?;
    let what = format!("{}, {}, training on {count} positions", spec.name(), game.name());
    Ok(SpeedLine { what, cores: 1, per_second, unit: "step", share: None })
}

/// The rate of a call that does `count` operations, per second.
fn rate(count: f64, mut call: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    call()?;
    let mut best = 0.0_f64;
    for _ in 0..TIMES {
        let (start, mut calls) = (Instant::now(), 0.0);
        while start.elapsed() < SPAN {
            call()?;
            calls += 1.0;
        }
        best = best.max(calls * count / start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// The product of the matrix library, which steps of optimisation in `f32` use.
fn matrix_library() -> anyhow::Result<SpeedLine> {
    let matrix = Tensor::ones((SIDE, SIDE), candle_core::DType::F32, &Device::Cpu)?;
    let operations = 2.0 * (SIDE as f64).powi(3) / 1e9;
    let per_second = rate(operations, || {
        black_box(matrix.matmul(&matrix)?);
        Ok(())
    })?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(SpeedLine { what: format!("f32 matrix product, {SIDE}"), cores, per_second, unit: "GFLOP", share: None })
}

/// The product of a wide layer in play: the peak for networks in a number format.
fn layer(numbers: NumberFormat) -> anyhow::Result<SpeedLine> {
    let mut product = SampleProduct::new(numbers);
    let billions = product.run() / 1e9;
    let per_second = rate(billions, || {
        black_box(product.run());
        Ok(())
    })?;
    let unit = if numbers == NumberFormat::Int8 { "GOP" } else { "GFLOP" };
    Ok(SpeedLine { what: format!("{} layer, {SIDE}", numbers.word()), cores: 1, per_second, unit, share: None })
}

fn playouts(spec: &str) -> SpeedLine {
    let game = build(spec);
    let (start, mut rng) = (game.start(), Seed::new(1).rng());
    let call = || {
        black_box(start.rollout(&mut rng));
        Ok(())
    };
    let per_second = rate(1.0, call).expect("a play-out cannot fail");
    SpeedLine { what: game.name(), cores: 1, per_second, unit: "play-out", share: None }
}

/// The tree alone: its leaves are not evaluated.
fn simulations() -> anyhow::Result<SpeedLine> {
    let game = build(BOARD);
    let (positions, spec) = (positions(&*game, POSITIONS), SearchSpec::default());
    let count = positions.len() as f64 * f64::from(spec.simulations.most());
    let mut searcher = Searcher::new(spec);
    let mut trees: Vec<Tree> = positions.iter().map(|_| Tree::new()).collect();
    let per_second = rate(count, || {
        let pairs = trees.iter_mut().zip(&positions);
        let mut tasks: Vec<SearchTask<'_>> =
            pairs.map(|(tree, position)| SearchTask { tree, position: &**position, seed: Seed::new(1) }).collect();
        Ok(searcher.search(&mut tasks, &mut Uniform)?)
    })?;
    let what = format!("PUCT over uniform priors, {}", game.name());
    Ok(SpeedLine { what, cores: 1, per_second, unit: "simulation", share: None })
}

fn evaluations(
    (spec, board): (&str, &str),
    numbers: NumberFormat,
    count: usize,
    roof: f64,
) -> anyhow::Result<SpeedLine> {
    let (spec, game) = (serde_json::from_str::<DeepSpec>(spec)?, build(board));
    let batch = batch(&spec, &game, count);
    let net = spec.build(batch.dims(), Init::default(), &Seed::new(1))?;
    let (mut inference, mut answers) = (inference_of(&spec, net, numbers)?, Answers::default());
    let per_second = rate(count as f64, || {
        inference.infer(&batch, &mut answers)?;
        black_box(&answers);
        Ok(())
    })?;
    let share = Some(per_second * inference.flops(&batch, 0) as f64 / roof);
    let word = if is_card(&device_class()) { precision().word() } else { numbers.word() };
    let what = format!("{} in {word}, {}", spec.name(), game.name());
    Ok(SpeedLine { what, cores: 1, per_second, unit: "evaluation", share })
}
