//! What a training takes besides time.
//!
//! `GAUNTLET_LONG_TESTS=1` measures the memory of fifty iterations.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod workshop;

use gauntlet::base::{Event, Interrupted, Seed, Sink};
use gauntlet::learning::{AlphaZeroJob, train_alphazero};

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
