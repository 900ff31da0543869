//! The thread of an owner.

use std::sync::Mutex;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The limits of a batch of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of positions of a batch.
    pub positions: usize,
    /// Maximum time that a free device waits for more positions, or half of the time of the last batch if that is more: a
    /// full batch takes less time for each position than several small ones.
    pub patience: Duration,
}

impl Default for Limits {
    /// 1,024 positions; 200 microseconds, a small part of a batch's time.
    fn default() -> Limits {
        Limits { positions: 1024, patience: Duration::from_micros(200) }
    }
}

/// The work of an owner so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// Batches of positions.
    pub batches: u64,
    /// Positions in them.
    pub positions: u64,
    /// Time in batches and calls.
    pub busy: Duration,
}

/// A thread that owns a device. Work is done in the order of arrival.
pub struct Owner {
    pool: ThreadPool,
    limits: Limits,
    load: Mutex<Load>,
}

impl Owner {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system starts no further thread.
    pub fn start(limits: Limits) -> Result<Owner, std::io::Error> {
        // A pool of one thread: it runs borrowed closures for others, in order, and returns their panics.
        let pool = ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "device".to_owned()).build();
        Ok(Owner { pool: pool.map_err(std::io::Error::other)?, limits, load: Mutex::default() })
    }

    /// Runs a closure on the owner's thread and waits for its result. On that thread itself, it runs at once.
    ///
    /// # Panics
    /// If the closure panics.
    pub fn call<T: Send>(&self, call: impl FnOnce() -> T + Send) -> T {
        if self.is_here() {
            return call();
        }
        self.pool.install(|| self.timed(call))
    }

    /// The limits of its batches.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The work so far.
    #[must_use]
    pub fn load(&self) -> Load {
        *self.lock()
    }

    /// Whether this is the owner's thread.
    pub(super) fn is_here(&self) -> bool {
        self.pool.current_thread_index().is_some()
    }

    /// Runs a closure after all work that has arrived before, without waiting for it.
    pub(super) fn later(&self, call: impl FnOnce() + Send + 'static) {
        self.pool.spawn(call);
    }

    /// Runs a closure and adds its time to the load.
    pub(super) fn timed<T>(&self, call: impl FnOnce() -> T) -> T {
        let start = std::time::Instant::now();
        let result = call();
        self.lock().busy += start.elapsed();
        result
    }

    /// Counts a batch.
    pub(super) fn count(&self, positions: usize) {
        let mut load = self.lock();
        load.batches += 1;
        load.positions += positions as u64;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Load> {
        self.load.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
