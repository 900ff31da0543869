//! What a training takes besides time.
//!
//! `GAUNTLET_LONG_TESTS=1` measures the memory of fifty iterations.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod workshop;

use gauntlet::base::{Event, Interrupted, Seed, Sink};
use gauntlet::learning::{AlphaZeroJob, train_alphazero};

/// What the process holds in memory after every iteration; kB.
#[derive(Default)]
struct Memory(Vec<f64>);

impl Sink for Memory {
    fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
        if let Event::Checkpoint(_) = event {
            self.0.push(resident());
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

/// Once its window is full, a training needs no more memory, however long it goes on.
#[test]
fn memory_stays_as_it_is() {
    if !workshop::is_long() || !cfg!(target_os = "linux") {
        eprintln!("skipped: set GAUNTLET_LONG_TESTS=1 on Linux");
        return;
    }
    let job: AlphaZeroJob = toml::from_str(
        "game = { othello = { size = 6 } }\n\
         agent = { guided = { network = { saz = { hidden = 16 } }, subgraphs = {}, search = { simulations = 20 } } }\n\
         settings = { iterations = 50, games = 32, history = 4, steps = 20 }",
    )
    .unwrap();
    let mut memory = Memory::default();
    train_alphazero(&job, &Seed::new(1), None, &mut memory).unwrap();
    // An allocator gives back memory now and then, so that one moment says little.
    let (early, late) = (mean(&memory.0[4..9]), mean(&memory.0[45..50]));
    eprintln!("resident from iteration 5 on {early} kB, up to iteration 50 {late} kB");
    assert!(late <= 1.05 * early, "{:?}", memory.0);
}
