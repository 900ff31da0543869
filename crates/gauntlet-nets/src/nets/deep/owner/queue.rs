//! The positions that wait for one network.

use std::collections::VecDeque;
use std::sync::mpsc::SyncSender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::Limits;
use crate::encoders::Batch;
use crate::nets::deep::{Answers, DeepError};

/// Positions of one sender.
pub struct Request {
    /// The number of the sender: batches are in this order.
    pub sender: u64,
    /// The positions.
    pub batch: Batch,
    /// The place for the answers.
    pub reply: SyncSender<Result<Answers, DeepError>>,
}

/// A queue of requests.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Request>,
    /// Number of senders that exist: a batch does not wait for more than these.
    senders: usize,
    /// The number of the next sender.
    next: u64,
}

impl Queue {
    /// A number for a new sender.
    pub fn join(&self) -> u64 {
        let mut state = self.lock();
        state.senders += 1;
        state.next += 1;
        state.next - 1
    }

    /// A sender ends.
    pub fn leave(&self) {
        self.lock().senders -= 1;
        self.arrived.notify_all();
    }

    /// Adds a request.
    pub fn push(&self, request: Request) {
        self.lock().waiting.push_back(request);
        self.arrived.notify_all();
    }

    /// The next requests, whose positions make one batch: as many as wait and fit, and at least one. While there are
    /// other senders and there is room, it waits for them within the limit. None if nothing waits, because an earlier
    /// batch took it along.
    pub fn take(&self, limits: Limits) -> Vec<Request> {
        let start = Instant::now();
        let mut state = self.lock();
        while !state.waiting.is_empty() && state.waiting.len() < state.senders && state.positions() < limits.positions {
            let Some(left) = limits.patience.checked_sub(start.elapsed()) else { break };
            state = self.arrived.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let mut taken = state.fitting(limits.positions);
        drop(state);
        taken.sort_by_key(|request| request.sender);
        taken
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn positions(&self) -> usize {
        self.waiting.iter().map(|request| request.batch.positions()).sum()
    }

    /// Removes the first requests of equal dimensions that fit in a batch.
    fn fitting(&mut self, most: usize) -> Vec<Request> {
        let (mut taken, mut positions) = (Vec::<Request>::new(), 0);
        while let Some(next) = self.waiting.front() {
            positions += next.batch.positions();
            let fits = taken.first().is_none_or(|first| positions <= most && first.batch.dims() == next.batch.dims());
            if !fits {
                break;
            }
            taken.extend(self.waiting.pop_front());
        }
        taken
    }
}
