//! The progress of error estimates for thousands of players, with the estimated remaining time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::cli::output::{duration, note};

/// Time before the first line, and between later ones.
const SILENCE: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(10)];

/// Prints progress at intervals.
pub struct Estimation {
    quiet: bool,
    estimator: &'static str,
    players: usize,
    done: AtomicUsize,
    begun: Instant,
    next: Mutex<Duration>,
}

impl Estimation {
    /// Starts the progress of the errors of an estimator.
    pub fn new(quiet: bool, estimator: &'static str, players: usize) -> Estimation {
        let (done, begun, next) = (AtomicUsize::new(0), Instant::now(), Mutex::new(SILENCE[0]));
        Estimation { quiet, estimator, players, done, begun, next }
    }

    /// Reports the errors of some more players.
    pub fn advance(&self, players: usize) {
        let done = self.done.fetch_add(players, Ordering::Relaxed) + players;
        let (elapsed, Ok(mut next)) = (self.begun.elapsed(), self.next.lock()) else { return };
        if elapsed >= *next {
            *next = elapsed + SILENCE[1];
            note(self.quiet, &line(self.estimator, done, self.players, elapsed));
        }
    }
}

fn line(estimator: &str, done: usize, players: usize, elapsed: Duration) -> String {
    let rest = elapsed.as_secs_f64() / done as f64 * players.saturating_sub(done) as f64;
    format!("errors of {estimator}: {done} of {players} players, about {} to go", duration(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_the_start_did() {
        let reported = line("weighted least squares", 500, 2000, Duration::from_secs(10));
        assert_eq!(
            reported,
            format!("errors of weighted least squares: 500 of 2000 players, about {} to go", duration(30.0))
        );
    }
}
