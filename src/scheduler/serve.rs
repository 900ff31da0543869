//! A worker process: runs one task, and says by files how far it is and how it ended.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::exchange::Exchange;
use super::executor::{Slot, attempt};
use super::gauge::Gauge;
use super::outcome::TaskOutcome;
use super::task::Task;
use super::worker::run_task;
use crate::store::Store;
use gauntlet_games::base::{Cores, Stop};

/// Time between two signs of life.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Runs the task that was read from `path` on these cores; signs of life and the outcome are written beside it.
#[must_use]
pub fn serve(task: &Task, path: PathBuf, store: &Store, data: Option<&Path>, cores: Cores, stop: &Stop) -> TaskOutcome {
    let (exchange, gauge) = (Exchange::beside(path), Gauge::default());
    let outcome = thread::scope(|scope| {
        let (ended, end) = mpsc::channel();
        scope.spawn(|| beat(&exchange, &gauge, end));
        let work = |_: usize, slot: &Slot<'_>| run_task(task, store, data, slot);
        let outcome = attempt(&work, 0, &Slot { index: 0, gauge: &gauge, stop, cores });
        drop::<mpsc::Sender<()>>(ended);
        outcome
    });
    exchange.end(&outcome);
    outcome
}

/// Gives signs of life until the other end of the channel is gone.
fn beat(exchange: &Exchange, gauge: &Gauge, end: Receiver<()>) {
    loop {
        exchange.beat(gauge);
        if end.recv_timeout(HEARTBEAT) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}
