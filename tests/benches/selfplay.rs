//! Self-play on Othello: moves a second on one core and on two, and what remembered evaluations are worth.
//!
//! Other work on the machine takes processors away; so beside moves a second of the clock stand moves a second that a
//! processor really worked for this program, all threads together. `cargo bench --bench selfplay -- 8x8` measures the
//! agents whose names contain that.

use std::sync::Arc;
use std::time::Instant;

use gauntlet::base::{Seed, Stop};
use gauntlet::games::{Game, GameSpec};
use gauntlet::learning::{Board, PolicyTarget, SelfPlay, ValueTarget};
use gauntlet::players::{GuidedAgent, Source};

/// Games of a measurement.
const GAMES: u64 = 64;

fn main() {
    // `cargo test --benches` only asks whether a benchmark starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    println!("{:44} {:>7} {:>10} {:>16} {:>10}", "agent", "threads", "moves/s", "moves/cpu second", "remembered");
    for (size, hidden, simulations, subgraphs) in [(6, 32, 50, "count = 0"), (6, 32, 50, ""), (8, 64, 100, "count = 0")]
    {
        for (threads, cache) in [(1, 0), (1, 16384), (2, 16384)] {
            let text = format!(
                "cache = {cache}\nnetwork.saz = {{ hidden = {hidden} }}\nsubgraphs = {{ {subgraphs} }}\n\
                 search.simulations = {simulations}"
            );
            let agent: GuidedAgent = toml::from_str(&text).expect("an agent");
            let game = toml::from_str::<GameSpec>(&format!("othello = {{ size = {size} }}")).expect("a game").build();
            let name = format!("{size}x{size}, {}", agent.name());
            if name.contains(&wanted) {
                measure(&name, &agent, game, threads);
            }
        }
    }
}

fn measure(name: &str, agent: &GuidedAgent, game: Arc<dyn Game>, threads: usize) {
    let boards = [Board { game: Arc::clone(&game), weight: 1.0 }];
    let rules = SelfPlay { agent, boards: &boards, value: ValueTarget::Outcome, policy: PolicyTarget::Visits };
    let seed = Seed::new(1);
    let net = agent.net(&[game], &Source { seed: &seed, checkpoint: None }).expect("a network");
    let inferences = (0..threads).map(|_| net.inference().expect("the network is whole")).collect();
    let (begin, before) = (Instant::now(), processor_seconds());
    let (lessons, effort) =
        rules.play(inferences, GAMES, &seed, &Stop::default(), &mut |_| Ok(())).expect("nothing interrupts");
    let (wall, spent) = (begin.elapsed().as_secs_f64(), processor_seconds() - before);
    let moves = lessons.iter().map(|lesson| lesson.examples.len()).sum::<usize>() as f64;
    let remembered = 100.0 * effort.remembered as f64 / effort.evaluations as f64;
    println!("{name:44} {threads:>7} {:>10.0} {:>16.0} {remembered:>9.0}%", moves / wall, moves / spent);
}

/// Seconds that all threads, past ones too, have spent on a processor; NaN where Linux does not tell.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
    // In hundredths of a second.
    fields.map(|ticks| ticks.parse().unwrap_or(f64::NAN)).sum::<f64>() / 100.0
}
