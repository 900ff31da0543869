//! Benchmark of self-play on Othello: moves a second on one core and on two, and the effect of cached evaluations.
//!
//! Other work on the machine takes processor time. The table therefore has moves for each second of the clock and for
//! each second of processor time, all threads together. All settings of an agent alternate over a few rounds, and the
//! fastest counts, by each of the two clocks. Inference runs on this project's kernels, so that `CANDLE_NUM_THREADS`
//! and `RAYON_NUM_THREADS` have no effect here.
//!
//! `cargo bench --bench selfplay -- [NAME] [--games=N] [--rounds=N] [--threads=N] [--cache=N]` measures the agents
//! whose names contain NAME. `--threads` and `--cache` select settings by their threads and cached evaluations.

use std::sync::Arc;
use std::time::Instant;

use gauntlet_games::base::{Cores, Seed, Stop};
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_nets::nets::NumberFormat;
use gauntlet_play::learning::{Amount, PolicyTarget, SelfPlay, ValueTarget, WeightedBoard};
use gauntlet_play::players::{Agent as _, GuidedAgent, Source};

/// Inference threads and cached evaluations of each.
const SETTINGS: [(usize, usize); 3] = [(1, 0), (1, 16384), (2, 16384)];

fn main() {
    // `cargo test --benches` only checks that a benchmark starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let asked = |option: Option<u64>, value: usize| option.is_none_or(|option| option == value as u64);
    let (threads, cache) = (number("threads"), number("cache"));
    let settings = SETTINGS.into_iter().filter(|setting| asked(threads, setting.0) && asked(cache, setting.1));
    let settings: Vec<_> = settings.collect();
    println!("{:44} {:>7} {:>10} {:>16} {:>10}", "agent", "threads", "moves/s", "moves/cpu second", "remembered");
    for (size, hidden, simulations, subgraphs) in [(6, 32, 50, "count = 0"), (6, 32, 50, ""), (8, 64, 100, "count = 0")]
    {
        let game = toml::from_str::<GameSpec>(&format!("othello = {{ size = {size} }}")).expect("a game").build();
        let agent = |cache: usize| -> GuidedAgent {
            let text = format!(
                "cache = {cache}\nnetwork.saz = {{ hidden = {hidden} }}\nsubgraphs = {{ {subgraphs} }}\n\
                 search.simulations = {simulations}"
            );
            toml::from_str(&text).expect("an agent")
        };
        let name = format!("{size}x{size}, {}", agent(0).name());
        if !name.contains(&wanted) {
            continue;
        }
        let mut best = vec![Rates::default(); settings.len()];
        for _ in 0..number("rounds").unwrap_or(3) {
            for (best, &(threads, cache)) in best.iter_mut().zip(&settings) {
                best.take(&measure(&agent(cache), &game, threads));
            }
        }
        for (Rates { wall, cpu, remembered }, (threads, _)) in best.into_iter().zip(&settings) {
            println!("{name:44} {threads:>7} {wall:>10.0} {cpu:>16.0} {:>9.0}%", 100.0 * remembered);
        }
    }
}

/// The number in `--NAME=`.
fn number(name: &str) -> Option<u64> {
    let number = |argument: String| argument.strip_prefix(&format!("--{name}="))?.parse().ok();
    std::env::args().find_map(number)
}

/// Moves a second.
#[derive(Clone, Default)]
struct Rates {
    /// By the clock.
    wall: f64,
    /// By the processor time of all threads together.
    cpu: f64,
    /// Share of the evaluations from the cache.
    remembered: f64,
}

impl Rates {
    fn take(&mut self, other: &Rates) {
        (self.wall, self.cpu) = (self.wall.max(other.wall), self.cpu.max(other.cpu));
        self.remembered = other.remembered;
    }
}

fn measure(agent: &GuidedAgent, game: &Arc<dyn Game>, cores: usize) -> Rates {
    let boards = [WeightedBoard { game: Arc::clone(game), weight: 1.0 }];
    let rules = SelfPlay { agent, boards: &boards, value: ValueTarget::Outcome, policy: PolicyTarget::Visits };
    let seed = Seed::new(1);
    let net = agent.net(&[Arc::clone(game)], &Source { seed: &seed, checkpoint: None }).expect("a network");
    let inference = net.inference(NumberFormat::F32).expect("the network is whole");
    let games = number("games").unwrap_or(64);
    let (begin, before) = (Instant::now(), processor_seconds());
    let help = (&Cores::alone(cores), &Stop::default());
    let (trajectories, effort) =
        rules.play(inference, Amount::Games(games), &seed, help, &mut |_, _| Ok(())).expect("nothing interrupts");
    let (wall, spent) = (begin.elapsed().as_secs_f64(), processor_seconds() - before);
    let moves = trajectories.iter().map(|trajectory| trajectory.examples.len()).sum::<usize>() as f64;
    Rates { wall: moves / wall, cpu: moves / spent, remembered: effort.remembered as f64 / effort.evaluations as f64 }
}

/// Processor time of all threads, including finished ones, in seconds; NaN if Linux does not report it.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
    // In hundredths of a second.
    fields.map(|ticks| ticks.parse().unwrap_or(f64::NAN)).sum::<f64>() / 100.0
}
