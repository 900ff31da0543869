//! The cores of a process, and how its jobs share them: a job has one of its own, and those that no job wants help it.
//!
//! Help is asked for and given back several times a second, a part of the work at a time, so that cores are with whom
//! they are of use. What is spread over cores is work whose answers depend neither on who does it nor on when: no
//! result depends on cores.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::work_queue::WorkQueue;

/// The cores that the jobs of a process may use. Clones are of the same cores.
#[derive(Debug, Clone)]
pub struct CorePool(Arc<Mutex<CoreUse>>);

/// Who uses the cores.
#[derive(Debug)]
struct CoreUse {
    cores: usize,
    /// Jobs under way, each with a core of its own.
    jobs: usize,
    /// Cores that help one of them.
    helpers: usize,
}

impl CoreUse {
    /// Cores that one of the jobs may use while the others use as many.
    fn share(&self) -> usize {
        self.cores.div_ceil(self.jobs.max(1)).max(1)
    }
}

impl CorePool {
    /// So many cores, without a job.
    #[must_use]
    pub fn new(cores: usize) -> CorePool {
        CorePool(Arc::new(Mutex::new(CoreUse { cores, jobs: 0, helpers: 0 })))
    }

    /// A job begins; it ends when all clones of its cores are dropped.
    #[must_use]
    pub fn enter(&self) -> Cores {
        self.in_use().jobs += 1;
        Cores(Arc::new(JobCores {
            pool: self.clone(),
            helpers: AtomicUsize::new(0),
            was_helped: AtomicBool::new(false),
        }))
    }

    /// There are so many cores from now on.
    pub fn resize(&self, cores: usize) {
        self.in_use().cores = cores;
    }

    fn in_use(&self) -> MutexGuard<'_, CoreUse> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The cores of one job: its own, and those that help it. Clones are of the same job.
#[derive(Debug, Clone)]
pub struct Cores(Arc<JobCores>);

#[derive(Debug)]
struct JobCores {
    pool: CorePool,
    /// Those that help now; written under the pool's lock alone.
    helpers: AtomicUsize,
    was_helped: AtomicBool,
}

impl Drop for JobCores {
    fn drop(&mut self) {
        self.pool.in_use().jobs -= 1;
    }
}

thread_local! {
    /// The cores that were lent to this thread.
    static LENT: RefCell<Option<Cores>> = const { RefCell::new(None) };
}

/// What was lent before, and is again when this is dropped.
struct Restored(Option<Cores>);

impl Drop for Restored {
    fn drop(&mut self) {
        LENT.set(self.0.take());
    }
}

/// One core, and no help.
impl Default for Cores {
    fn default() -> Cores {
        Cores::alone(1)
    }
}

impl Cores {
    /// So many cores for one job, whatever others do.
    #[must_use]
    pub fn alone(cores: usize) -> Cores {
        CorePool::new(cores).enter()
    }

    /// Threads that may work for this job at present, its own among them: at least 1.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.0.pool.in_use().share()
    }

    /// Cores that every job has when all are divided evenly: at least 1.
    #[must_use]
    pub fn even_share(&self) -> usize {
        let used = self.0.pool.in_use();
        (used.cores / used.jobs.max(1)).max(1)
    }

    /// Whether any core has helped so far: what the job took by the clock is then not what one core takes.
    #[must_use]
    pub fn was_helped(&self) -> bool {
        self.0.was_helped.load(Ordering::Relaxed)
    }

    /// Lends these cores to all that `call` does on this thread and that cannot be given them: see [`Cores::lent`].
    pub fn lend<T>(&self, call: impl FnOnce() -> T) -> T {
        let _before = Restored(LENT.replace(Some(self.clone())));
        call()
    }

    /// The cores that were lent to this thread; one where none were.
    #[must_use]
    pub fn lent() -> Cores {
        LENT.with_borrow(Clone::clone).unwrap_or_default()
    }

    /// Has work done on all items, a few of them at a time: by the caller with the first of the states, and by those
    /// that help with one of the others each. `grain` items at least come together, unless that leaves a thread without.
    ///
    /// # Errors
    /// The first that was met; what was not begun before it stays undone.
    ///
    /// # Panics
    /// Without states.
    pub fn spread<S: Send, T: Send, E: Send>(
        &self,
        states: &mut [S],
        items: &mut [T],
        grain: usize,
        work: impl Fn(&mut S, &mut [T]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let threads = self.limit().min(states.len());
        let (own, others) = states.split_first_mut().expect("the caller works, too");
        if threads == 1 || items.len() < 2 {
            return work(own, items);
        }
        let parts = WorkQueue::new(items, threads, grain);
        let attempt = |state: &mut S, part: &mut [T]| {
            let _ = work(state, part).map_err(|error| parts.fail(error));
        };
        rayon::in_place_scope(|scope| {
            let mut others = others.iter_mut();
            loop {
                while others.len() > 0
                    && let Some(helper) = self.helper()
                {
                    let state = others.next().expect("there is one");
                    let (parts, attempt) = (&parts, &attempt);
                    scope.spawn(move |_| {
                        while !helper.is_wanted()
                            && let Some(part) = parts.next()
                        {
                            attempt(state, part);
                        }
                    });
                }
                let Some(part) = parts.next() else { return };
                attempt(own, part);
            }
        });
        parts.end()
    }

    /// A core that no job wants, unless this one has its share already.
    fn helper(&self) -> Option<Helper> {
        let mut used = self.0.pool.in_use();
        let helpers = self.0.helpers.load(Ordering::Relaxed);
        if used.jobs + used.helpers >= used.cores || helpers + 1 >= used.share() {
            return None;
        }
        used.helpers += 1;
        self.0.helpers.store(helpers + 1, Ordering::Relaxed);
        self.0.was_helped.store(true, Ordering::Relaxed);
        Some(Helper(self.clone()))
    }
}

/// A core that helps a job until it is dropped.
struct Helper(Cores);

impl Helper {
    /// Whether another job wants this core.
    fn is_wanted(&self) -> bool {
        let used = self.0.0.pool.in_use();
        used.jobs + used.helpers > used.cores || self.0.0.helpers.load(Ordering::Relaxed) >= used.share()
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        let job = &self.0.0;
        let mut used = job.pool.in_use();
        used.helpers -= 1;
        job.helpers.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares of the first numbers, by as many threads as may; each state counts the parts that it has done.
    fn squares(cores: &Cores, states: &mut [usize], count: u64) -> Result<Vec<u64>, String> {
        let mut numbers: Vec<u64> = (0..count).collect();
        cores.spread(states, &mut numbers, 2, |parts, numbers| {
            *parts += 1;
            numbers.iter_mut().for_each(|number| *number *= *number);
            if numbers.contains(&10_000) { Err("a large number".to_owned()) } else { Ok(()) }
        })?;
        Ok(numbers)
    }

    #[test]
    fn everything_is_done_once_on_any_number_of_cores() {
        for (cores, states) in [(1, 1), (1, 4), (2, 4), (3, 3), (9, 2)] {
            let mut parts = vec![0; states];
            for count in [0, 1, 2, 100] {
                let found = squares(&Cores::alone(cores), &mut parts, count).expect("no number is large");
                assert_eq!(found, (0..count).map(|number| number * number).collect::<Vec<_>>(), "{cores} cores");
            }
            assert!(cores > 1 || parts.iter().skip(1).all(|&parts| parts == 0), "one core has no help");
        }
        assert_eq!(squares(&Cores::alone(3), &mut [0; 3], 200).expect_err("100 is met"), "a large number");
    }

    #[test]
    fn cores_help_until_a_job_wants_them() {
        let pool = CorePool::new(4);
        let first = pool.enter();
        let helpers: Vec<_> = std::iter::from_fn(|| first.helper()).collect();
        assert_eq!((helpers.len(), first.limit()), (3, 4));
        assert!(helpers.iter().all(|helper| !helper.is_wanted()));
        let second = pool.enter();
        assert!(helpers.iter().all(Helper::is_wanted) && second.helper().is_none());
        drop(helpers);
        assert_eq!([&first, &second].map(Cores::limit), [2; 2]);
        let shared = [&first, &second].map(Cores::helper);
        assert!(shared.iter().all(Option::is_some) && first.helper().is_none());
        drop((second, shared));
        assert_eq!((first.limit(), std::iter::from_fn(|| first.helper()).take(9).count()), (4, 9));
        assert!(first.was_helped() && !pool.enter().was_helped());
        let lent = first.lend(|| Cores::lent().limit());
        assert_eq!((lent, Cores::lent().limit()), (4, 1));
    }

    #[test]
    fn what_is_left_over_goes_to_whoever_asks_first() {
        let pool = CorePool::new(4);
        let jobs = [pool.enter(), pool.enter(), pool.enter()];
        let helpers: Vec<_> = jobs.iter().map(Cores::helper).collect();
        assert_eq!(helpers.iter().flatten().count(), 1);
        assert_eq!((jobs[0].limit(), jobs[0].even_share()), (2, 1));
        pool.resize(6);
        assert_eq!((jobs[1].limit(), jobs[1].even_share()), (2, 2));
    }
}
