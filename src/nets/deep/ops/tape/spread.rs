//! Work on the graphs of a batch, on the cores that were lent: each graph alone, so that results are the same on any of them.

use std::convert::Infallible;
use std::marker::PhantomData;

use candle_core::WithDType;

use crate::base::Cores;
use crate::nets::kernels::{Path, Vector, Vectorized};

/// What is done to one graph.
pub trait Task<T>: Send {
    /// Does it; implementations are `#[inline(always)]`, so that they are compiled for the processor's instructions.
    fn run(&mut self, room: &mut Room<T>);
}

/// Rows between the steps of a task; what stands in them at first has no meaning.
pub struct Room<T> {
    rows: [Vec<T>; 2],
}

impl<T: WithDType> Room<T> {
    /// Two buffers of so many numbers.
    pub fn rows(&mut self, count: usize) -> [&mut [T]; 2] {
        self.rows.each_mut().map(|rows| {
            rows.resize(rows.len().max(count), T::zero());
            &mut rows[..count]
        })
    }
}

/// Does all tasks.
pub fn perform<T: WithDType, K: Task<T>>(tasks: &mut [K]) {
    let cores = Cores::lent();
    let mut rooms: Vec<Room<T>> = (0..cores.limit()).map(|_| Room { rows: [Vec::new(), Vec::new()] }).collect();
    let Ok(()) = cores.spread(&mut rooms, tasks, 1, |room, tasks| -> Result<(), Infallible> {
        Path::best().perform(&mut Work { tasks, room, numbers: PhantomData });
        Ok(())
    });
}

struct Work<'a, T, K> {
    tasks: &'a mut [K],
    room: &'a mut Room<T>,
    numbers: PhantomData<T>,
}

impl<T: WithDType, K: Task<T>> Vectorized for Work<'_, T, K> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        for task in self.tasks.iter_mut() {
            task.run(self.room);
        }
    }
}
