//! The cores of a process and how its jobs share them: each job has one core, and idle cores help the jobs.
//!
//! Jobs request and return helping cores several times a second, one part of the work at a time. The results of
//! spread work do not depend on the thread or on the time of execution, so no result depends on the number of cores.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::work_queue::WorkQueue;

/// The cores that the jobs of a process may use. Clones are of the same cores.
#[derive(Debug, Clone)]
pub struct CorePool(Arc<Mutex<CoreUse>>);

/// How the cores are used.
#[derive(Debug)]
struct CoreUse {
    cores: usize,
    /// Running jobs, each with its own core.
    jobs: usize,
    /// Helping cores.
    helpers: usize,
}

impl CoreUse {
    /// The number of cores that each job may use if all jobs use equally many.
    fn share(&self) -> usize {
        self.cores.div_ceil(self.jobs.max(1)).max(1)
    }
}

impl CorePool {
    /// A pool of `cores` cores without jobs.
    #[must_use]
    pub fn new(cores: usize) -> CorePool {
        CorePool(Arc::new(Mutex::new(CoreUse { cores, jobs: 0, helpers: 0 })))
    }

    /// Starts a job; the job ends when all clones of its cores are dropped.
    #[must_use]
    pub fn enter(&self) -> Cores {
        self.in_use().jobs += 1;
        Cores(Arc::new(JobCores {
            pool: self.clone(),
            helpers: AtomicUsize::new(0),
            was_helped: AtomicBool::new(false),
        }))
    }

    /// Sets the number of cores.
    pub fn resize(&self, cores: usize) {
        self.in_use().cores = cores;
    }

    fn in_use(&self) -> MutexGuard<'_, CoreUse> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The cores of one job: its own core and its helpers. Clones refer to the same job.
#[derive(Debug, Clone)]
pub struct Cores(Arc<JobCores>);

#[derive(Debug)]
struct JobCores {
    pool: CorePool,
    /// Current helpers; written only under the pool's lock.
    helpers: AtomicUsize,
    was_helped: AtomicBool,
}

impl Drop for JobCores {
    fn drop(&mut self) {
        self.pool.in_use().jobs -= 1;
    }
}

thread_local! {
    /// The cores lent to this thread.
    static LENT: RefCell<Option<Cores>> = const { RefCell::new(None) };
}

/// The previous loan, which is restored on drop.
struct Restored(Option<Cores>);

impl Drop for Restored {
    fn drop(&mut self) {
        LENT.set(self.0.take());
    }
}

/// One core without helpers.
impl Default for Cores {
    fn default() -> Cores {
        Cores::alone(1)
    }
}

impl Cores {
    /// `cores` cores for one job, independent of other jobs.
    #[must_use]
    pub fn alone(cores: usize) -> Cores {
        CorePool::new(cores).enter()
    }

    /// Number of threads that may work for this job at present, including its own: at least 1.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.0.pool.in_use().share()
    }

    /// Cores of each job if all cores are divided evenly: at least 1.
    #[must_use]
    pub fn even_share(&self) -> usize {
        let used = self.0.pool.in_use();
        (used.cores / used.jobs.max(1)).max(1)
    }

    /// Whether a core has helped so far. If so, the job's wall time is not its time on one core.
    #[must_use]
    pub fn was_helped(&self) -> bool {
        self.0.was_helped.load(Ordering::Relaxed)
    }

    /// Lends these cores to the code that `call` runs on this thread and that takes no cores as an argument: see
    /// [`Cores::lent`].
    pub fn lend<T>(&self, call: impl FnOnce() -> T) -> T {
        let _before = Restored(LENT.replace(Some(self.clone())));
        call()
    }

    /// The cores lent to this thread; one core if there is no loan.
    #[must_use]
    pub fn lent() -> Cores {
        LENT.with_borrow(Clone::clone).unwrap_or_default()
    }

    /// Processes all items in parts: the caller uses the first state, and each helper uses one of the others. A part
    /// has at least `grain` items, unless a thread would get none.
    ///
    /// # Errors
    /// The first error; work that has not begun by then is skipped.
    ///
    /// # Panics
    /// If `states` is empty.
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

    /// A helper, if there is an idle core and this job has less than its share.
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

/// A core that helps a job until the value is dropped.
struct Helper(Cores);

impl Helper {
    /// Whether another job needs this core.
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

    /// Squares of the numbers below `count`, on as many threads as allowed; each state counts the parts that it
    /// processed.
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
