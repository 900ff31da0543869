//! What a training takes besides time.
//!
//! `GAUNTLET_LONG_TESTS=1` measures the memory of fifty iterations.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod workshop;

use gauntlet::base::{Event, Interrupted, Seed, Sink};
use gauntlet::learning::{AlphaZeroJob, train_alphazero};

/// What the process has taken at most, after every iteration; kB.
#[derive(Default)]
struct Peaks(Vec<u64>);

impl Sink for Peaks {
    fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
        if let Event::Checkpoint(_) = event {
            self.0.push(peak());
        }
        Ok(())
    }
}

fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
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
    let mut peaks = Peaks::default();
    train_alphazero(&job, &Seed::new(1), None, &mut peaks).unwrap();
    let (early, late) = (peaks.0[4], peaks.0[49]);
    eprintln!("peak memory after 5 iterations {early} kB, after 50 {late} kB");
    assert!(late as f64 <= 1.05 * early as f64, "{:?}", peaks.0);
}
