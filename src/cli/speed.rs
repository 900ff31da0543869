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
    let (begin, mut estimate) = (Instant::now(), 0.0);
    while begin.elapsed() < MOMENT {
        estimate += probe.work().ok()?;
    }
    (estimate > 0.0).then(|| begin.elapsed().as_secs_f64() / estimate)
}
