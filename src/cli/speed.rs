//! How fast this machine is with the networks of a plan: each works for a moment, and its work is timed.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::games::Game;
use crate::manifest::JobSpec;
use crate::players::{GuidedAgent, Probe};

/// How long a network works.
const MOMENT: Duration = Duration::from_millis(100);

/// Larger networks are not built for an estimate: drawing 10^8 weights alone takes half a minute.
const MOST_WEIGHTS: usize = 20_000_000;

/// How long that may take where others want the processor too.
const PATIENCE: Duration = Duration::from_millis(500);

/// Seconds here for a second of the estimates, by network and game, each measured once.
#[derive(Debug, Default)]
pub struct Speed(HashMap<String, f64>);

impl Speed {
    /// Seconds here for a second of this job's estimate; 1 where no network is asked or none can be measured.
    pub fn slowness(&mut self, spec: &JobSpec) -> f64 {
        let Some((agent, game)) = spec.guided() else { return 1.0 };
        let name = format!("{:?} {:?} {}", agent.network, agent.subgraphs, game.name());
        let probe = || is_small(agent, &game).then(|| Probe::new(agent, &game).ok()).flatten();
        *self.0.entry(name).or_insert_with(|| probe().and_then(measure).unwrap_or(1.0))
    }
}

/// Whether a network is built while somebody waits for a plan.
fn is_small(agent: &GuidedAgent, game: &Arc<dyn Game>) -> bool {
    let dims = agent.encoder(&[Arc::clone(game)]).dims();
    agent.network.architecture().weight_count(dims).is_some_and(|weights| weights <= MOST_WEIGHTS)
}

fn measure(mut probe: Probe) -> Option<f64> {
    // Once for its buffers and for the processor to wake up.
    probe.work().ok()?;
    let (clock, mut estimate) = (Clock::start(), 0.0);
    while clock.elapsed() < MOMENT && clock.begin.elapsed() < PATIENCE {
        estimate += probe.work().ok()?;
    }
    let slowness = clock.elapsed().as_secs_f64() / estimate;
    (slowness > 0.0 && slowness.is_finite()).then_some(slowness)
}

/// Counts the time of this thread on a processor, so that waiting for one does not count; where the system does not
/// tell, the time that passes.
struct Clock {
    begin: Instant,
    busy: Option<Duration>,
}

impl Clock {
    fn start() -> Clock {
        Clock { busy: busy(), begin: Instant::now() }
    }

    fn elapsed(&self) -> Duration {
        let busy = self.busy.zip(busy()).map(|(before, now)| now.saturating_sub(before));
        busy.unwrap_or_else(|| self.begin.elapsed())
    }
}

/// How long this thread has been on a processor so far, to a few milliseconds (Linux).
fn busy() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = told.split(' ').next()?.parse().ok()?;
    // Kernels that do not count say 0.
    (nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_does_not_count() {
        if busy().is_none() {
            eprintln!("skipped: this system does not tell how long threads were on a processor");
            return;
        }
        let clock = Clock::start();
        std::thread::sleep(Duration::from_millis(60));
        assert!(clock.elapsed() < Duration::from_millis(30) && clock.begin.elapsed() >= Duration::from_millis(60));
    }
}
