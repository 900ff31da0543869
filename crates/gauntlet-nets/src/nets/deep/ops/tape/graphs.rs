//! Parallel work on the graphs of a batch: each graph is computed separately, so that results do not depend on the
//! cores.

use std::convert::Infallible;
use std::marker::PhantomData;

use candle_core::WithDType;

use crate::nets::kernels::{Path, Vector, Vectorized};
use gauntlet_games::base::Cores;

/// A task on one graph.
pub trait GraphTask<T>: Send {
    /// Runs the task; implementations are `#[inline(always)]`, so that they are compiled for the processor's
    /// instructions.
    fn run(&mut self, scratch: &mut Scratch<T>);
}

/// Scratch rows of a task; their initial contents are unspecified.
pub struct Scratch<T> {
    rows: [Vec<T>; 2],
}

impl<T: WithDType> Scratch<T> {
    /// Two buffers of `count` numbers.
    pub fn rows(&mut self, count: usize) -> [&mut [T]; 2] {
        self.rows.each_mut().map(|rows| {
            rows.resize(rows.len().max(count), T::zero());
            &mut rows[..count]
        })
    }
}

/// Runs all tasks.
pub fn perform<T: WithDType, K: GraphTask<T>>(tasks: &mut [K]) {
    let cores = Cores::lent();
    let mut all: Vec<Scratch<T>> = (0..cores.limit()).map(|_| Scratch { rows: [Vec::new(), Vec::new()] }).collect();
    let Ok(()) = cores.spread(&mut all, tasks, 1, |scratch, tasks| -> Result<(), Infallible> {
        Path::best().perform(&mut GraphTasks { tasks, scratch, numbers: PhantomData });
        Ok(())
    });
}

struct GraphTasks<'a, T, K> {
    tasks: &'a mut [K],
    scratch: &'a mut Scratch<T>,
    numbers: PhantomData<T>,
}

impl<T: WithDType, K: GraphTask<T>> Vectorized for GraphTasks<'_, T, K> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        for task in self.tasks.iter_mut() {
            task.run(self.scratch);
        }
    }
}
