//! A queue that hands out a list to several threads in ever smaller parts, so that all threads end at about the same
//! time.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The remaining items of a list, and the first error.
pub(super) struct WorkQueue<'a, T, E> {
    rest: Mutex<(&'a mut [T], Option<E>)>,
    threads: usize,
    /// Minimum number of items in a part.
    least: usize,
}

impl<'a, T, E> WorkQueue<'a, T, E> {
    /// A queue of these items for `threads` threads.
    pub fn new(items: &'a mut [T], threads: usize, grain: usize) -> WorkQueue<'a, T, E> {
        let least = grain.min(items.len().div_ceil(threads)).max(1);
        WorkQueue { rest: Mutex::new((items, None)), threads, least }
    }

    /// The next part; `None` if all parts are handed out or an error occurred.
    pub fn next(&self) -> Option<&'a mut [T]> {
        let mut rest = self.rest();
        let items = std::mem::take(&mut rest.0);
        let count = items.len().div_ceil(2 * self.threads - 1).max(self.least).min(items.len());
        let (part, others) = items.split_at_mut(count);
        rest.0 = others;
        (count > 0).then_some(part)
    }

    /// Stops handing out parts and keeps the error.
    pub fn fail(&self, error: E) {
        let mut rest = self.rest();
        rest.0 = &mut [];
        rest.1.get_or_insert(error);
    }

    /// The first error, if any.
    pub fn end(self) -> Result<(), E> {
        self.rest.into_inner().unwrap_or_else(PoisonError::into_inner).1.map_or(Ok(()), Err)
    }

    fn rest(&self) -> MutexGuard<'_, (&'a mut [T], Option<E>)> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(count: usize, threads: usize, grain: usize) -> Vec<usize> {
        let mut items = vec![0; count];
        let parts: WorkQueue<'_, _, ()> = WorkQueue::new(&mut items, threads, grain);
        std::iter::from_fn(|| parts.next().map(|part| part.len())).collect()
    }

    #[test]
    fn parts_become_smaller_down_to_the_grain() {
        assert_eq!(sizes(100, 1, 4), [100]);
        assert_eq!(sizes(100, 2, 4), [34, 22, 15, 10, 7, 4, 4, 4]);
        assert_eq!(sizes(6, 32, 4), [1; 6]);
        assert_eq!(sizes(6, 2, 4), [3, 3]);
        assert_eq!(sizes(0, 2, 4), [0; 0]);
    }

    #[test]
    fn the_first_error_ends_it() {
        let mut items = vec![0; 100];
        let parts = WorkQueue::new(&mut items, 2, 1);
        parts.next().expect("it is whole");
        parts.fail("one");
        parts.fail("two");
        assert!(parts.next().is_none());
        assert_eq!(parts.end(), Err("one"));
    }
}
