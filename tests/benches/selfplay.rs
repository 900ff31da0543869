//! Self-play on one core: games of Othello 8 x 8 by a search of 100 simulations a move, guided by SAZ with 64 hidden
//! features, every move a lesson. Prints moves and evaluations a second on a processor.
//!
//! `cargo bench --bench selfplay -- [--save=DIR]` saves the network as `selfplay.safetensors` for the scripts in
//! `tests/peers`.

mod clock;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clock::clock;
use gauntlet::arena::Cohort;
use gauntlet::base::Seed;
use gauntlet::games::GameSpec;
use gauntlet::learning::{Board, Meter, Metered, PolicyTarget, SelfPlay, ValueTarget, costs};
use gauntlet::nets::deep::DeepCheckpoint;
use gauntlet::players::{PlayerSpec, Source};

const AGENT: &str = "guided = { network = { saz = { hidden = 64 } }, search = { simulations = 100 } }";

fn main() {
    // `cargo test --benches` only asks whether a benchmark starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let Ok(PlayerSpec::Guided(agent)) = toml::from_str(AGENT) else { unreachable!("the agent is guided") };
    let game = toml::from_str::<GameSpec>("othello = { size = 8 }").expect("a game").build();
    let (boards, seed) = ([Board { game: Arc::clone(&game), weight: 1.0 }], Seed::new(1));
    let source = Source { seed: &seed, checkpoint: None };
    let net = agent.net(&[Arc::clone(&game)], &source).expect("the settings are possible");
    if let Some(shelf) = std::env::args().find_map(|argument| argument.strip_prefix("--save=").map(PathBuf::from)) {
        let checkpoint = DeepCheckpoint::of(agent.network, &*net, "a benchmark").expect("the network is whole");
        let bytes = checkpoint.to_bytes().expect("tensors can be written");
        std::fs::write(shelf.join("selfplay.safetensors"), bytes).expect("the directory is there");
    }
    let rules = SelfPlay { agent: &agent, boards: &boards, value: ValueTarget::Outcome, policy: PolicyTarget::Visits };
    let meter = Arc::new(Meter::default());
    let costs = costs(&*net, game.topology().sites());
    let inference = Metered::new(net.inference().expect("the network is whole"), costs, Arc::clone(&meter));
    let start = Instant::now();
    let before = clock(start);
    let lessons = rules.play(vec![Box::new(inference)], Cohort::SLOTS as u64, &seed, &mut |_| Ok(()));
    let seconds = clock(start) - before;
    let moves: usize = lessons.expect("all positions can be evaluated").iter().map(|one| one.examples.len()).sum();
    println!("{:>10} {:>10} {:>14}", "moves", "moves/s", "evaluations/s");
    println!("{moves:10} {:10.1} {:14.0}", moves as f64 / seconds, meter.evaluations() as f64 / seconds);
}
