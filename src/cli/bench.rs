//! `gauntlet bench`: the speed of this machine, measured in about ten seconds.
//!
//! An overview, not a measurement to publish: the fastest of a few short repetitions by the wall clock, since other
//! work only slows them. `tests/benches` measures changes of the program.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use candle_core::{Device, Tensor};
use clap::Args;
use serde::Serialize;

use super::output::{json, result, table};
use super::{Exit, Flags};
use crate::players::GuidedAgent;
use crate::reports::number;
use crate::search::{SearchSpec, SearchTask, Searcher, Tree, Uniform};
use gauntlet_games::base::Seed;
use gauntlet_games::games::{Game, GameSpec, Position};
use gauntlet_nets::encoders::Batch;
use gauntlet_nets::nets::deep::{Answers, DeepSpec, Init, inference_of};
use gauntlet_nets::nets::{NumberFormat, SampleProduct, instructions};

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

/// Measure the speed of this machine
#[derive(Debug, Args)]
pub struct Bench {}

/// One line of the table.
#[derive(Debug, Serialize)]
struct BenchLine {
    what: String,
    /// Cores that it used.
    cores: usize,
    per_second: f64,
    unit: &'static str,
    /// For a network: its operations, as a share of those of a wide layer in the same format.
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
}

impl Bench {
    /// Measures and prints.
    ///
    /// # Errors
    /// If the tensor library fails.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let mut speeds = vec![matrix_library()?];
        let layers = NumberFormat::formats().map(layer).into_iter().collect::<anyhow::Result<Vec<_>>>()?;
        let roofs: Vec<f64> = layers.iter().map(|layer| 1e9 * layer.per_second).collect();
        speeds.extend(layers);
        speeds.extend(GAMES.iter().map(|spec| playouts(spec)));
        speeds.push(simulations()?);
        for spec in NETWORKS {
            for (numbers, roof) in NumberFormat::formats().into_iter().zip(&roofs) {
                speeds.push(evaluations(&serde_json::from_str(spec)?, numbers, *roof)?);
            }
        }
        if flags.json {
            json(&speeds);
        } else {
            let row = |it: &BenchLine| {
                let share = it.share.map_or(String::new(), |share| format!("{:.0} %", 100.0 * share));
                vec![it.what.clone(), it.cores.to_string(), rounded(it.per_second), it.unit.to_owned(), share]
            };
            let [plain, few] = instructions();
            result(&table(&["what", "cores", "per second", "unit", "of the layer"], speeds.iter().map(row)));
            result(&format!("kernels of this processor: {plain} for f32, {few} for bf16 and int8\n"));
        }
        Ok(Exit::Done)
    }
}

fn build(spec: &str) -> Arc<dyn Game> {
    toml::from_str::<GameSpec>(spec).expect("the games are well-formed").build()
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
fn matrix_library() -> anyhow::Result<BenchLine> {
    let matrix = Tensor::ones((SIDE, SIDE), candle_core::DType::F32, &Device::Cpu)?;
    let operations = 2.0 * (SIDE as f64).powi(3) / 1e9;
    let per_second = rate(operations, || {
        black_box(matrix.matmul(&matrix)?);
        Ok(())
    })?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(BenchLine { what: format!("f32 matrix product, {SIDE}"), cores, per_second, unit: "GFLOP", share: None })
}

/// The product of a wide layer in play: the peak for networks in a number format.
fn layer(numbers: NumberFormat) -> anyhow::Result<BenchLine> {
    let mut product = SampleProduct::new(numbers);
    let billions = product.run() / 1e9;
    let per_second = rate(billions, || {
        black_box(product.run());
        Ok(())
    })?;
    let unit = if numbers == NumberFormat::Int8 { "GOP" } else { "GFLOP" };
    Ok(BenchLine { what: format!("{} layer, {SIDE}", numbers.word()), cores: 1, per_second, unit, share: None })
}

fn playouts(spec: &str) -> BenchLine {
    let game = build(spec);
    let (start, mut rng) = (game.start(), Seed::new(1).rng());
    let call = || {
        black_box(start.rollout(&mut rng));
        Ok(())
    };
    let per_second = rate(1.0, call).expect("a play-out cannot fail");
    BenchLine { what: game.name(), cores: 1, per_second, unit: "play-out", share: None }
}

/// Positions after a few random plies each.
fn positions(game: &dyn Game) -> Vec<Box<dyn Position>> {
    let position = |index: usize| {
        let (mut position, mut rng) = (game.start(), Seed::new(index as u64).rng());
        for _ in 0..index % 8 {
            position.play(position.random_action(&mut rng));
        }
        position
    };
    (0..POSITIONS).map(position).collect()
}

/// The tree alone: its leaves are not evaluated.
fn simulations() -> anyhow::Result<BenchLine> {
    let game = build(BOARD);
    let (positions, spec) = (positions(&*game), SearchSpec::default());
    let count = positions.len() as f64 * f64::from(spec.simulations);
    let mut searcher = Searcher::new(spec);
    let mut trees: Vec<Tree> = positions.iter().map(|_| Tree::new()).collect();
    let per_second = rate(count, || {
        let pairs = trees.iter_mut().zip(&positions);
        let mut tasks: Vec<SearchTask<'_>> =
            pairs.map(|(tree, position)| SearchTask { tree, position: &**position, seed: Seed::new(1) }).collect();
        Ok(searcher.search(&mut tasks, &mut Uniform)?)
    })?;
    let what = format!("PUCT over uniform priors, {}", game.name());
    Ok(BenchLine { what, cores: 1, per_second, unit: "simulation", share: None })
}

fn evaluations(spec: &DeepSpec, numbers: NumberFormat, roof: f64) -> anyhow::Result<BenchLine> {
    let game = build(BOARD);
    let positions = positions(&*game);
    let mut encoder = GuidedAgent::trained(*spec).encoder(&[Arc::clone(&game)]);
    let net = spec.build(encoder.dims(), Init::default(), &Seed::new(1))?;
    let mut batch = Batch::new(encoder.dims());
    let views: Vec<&dyn Position> = positions.iter().map(|position| &**position).collect();
    encoder.encode(&views, &mut batch);
    let (mut inference, mut answers) = (inference_of(spec, net, numbers)?, Answers::default());
    let per_second = rate(POSITIONS as f64, || {
        inference.infer(&batch, &mut answers)?;
        black_box(&answers);
        Ok(())
    })?;
    let share = Some(per_second * inference.flops(&batch, 0) as f64 / roof);
    let what = format!("{} in {}, {}", spec.name(), numbers.word(), game.name());
    Ok(BenchLine { what, cores: 1, per_second, unit: "evaluation", share })
}

/// A number with three significant digits and commas: `48,600`.
fn rounded(number: f64) -> String {
    let unit = 10_f64.powf(number.max(1.0).log10().floor() - 2.0).max(1.0);
    number::thousands(((number / unit).round() * unit) as u64)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn three_digits_are_enough() {
        assert_eq!([0.4, 95.4, 999.6, 48_617.0, 1_234_567.0].map(rounded), ["0", "95", "1,000", "48,600", "1,230,000"]);
    }
}
