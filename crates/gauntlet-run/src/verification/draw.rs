//! The draw of jobs to run again: at least one of every group, cheap ones first, then more until a budget is used. A
//! pure function of estimates and a seed.

use std::collections::{BTreeMap, VecDeque};

use rand::seq::SliceRandom as _;

use gauntlet_games::base::Seed;

/// The limits of a verification run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Wall-clock seconds; infinite for no limit.
    pub seconds: f64,
    /// Number of parallel jobs.
    pub slots: usize,
    /// Maximum number of jobs; each group has one even beyond it.
    pub jobs: usize,
}

/// The part of a job that is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// The first iterations of a training.
    Prefix(u32),
}

/// The properties of a job that the draw depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawable {
    /// The number of its group.
    pub group: usize,
    /// Estimated seconds of one core.
    pub seconds: f64,
    /// Its iterations, if a prefix of them can be run; otherwise 1.
    pub iterations: u32,
    /// The extent that an interrupted run has begun.
    pub begun: Option<Extent>,
    /// The extent that is already verified.
    pub known: Option<Extent>,
}

/// A job that was drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// Its index.
    pub at: usize,
    /// The part of it to run.
    pub extent: Extent,
    /// Estimated remaining seconds of one core.
    pub seconds: f64,
}

/// The result of a draw.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draw {
    /// The jobs to run, including those already verified.
    pub drawn: Vec<Drawn>,
    /// One job of each group without a job in the budget.
    pub passed_over: Vec<usize>,
}

impl Extent {
    /// The number of iterations if it is a prefix.
    #[must_use]
    pub fn iterations(self) -> Option<u32> {
        if let Extent::Prefix(iterations) = self { Some(iterations) } else { None }
    }
}

/// Draws jobs by a seed.
#[must_use]
pub fn draw(jobs: &[Drawable], budget: Budget, seed: u64) -> Draw {
    let mut queues = queues(jobs, seed);
    let mut purse = Purse { jobs, budget, left: budget.seconds * budget.slots as f64, draw: Draw::default() };
    let groups = queues.len();
    for (place, queue) in queues.iter_mut().enumerate() {
        purse.spend_first(queue, groups - place);
    }
    while purse.spend_round(&mut queues) {}
    purse.draw
}

/// The jobs of every group, known or begun ones first and then cheap ones; the cheapest group first. The seed orders
/// jobs of equal cost.
fn queues(jobs: &[Drawable], seed: u64) -> Vec<VecDeque<usize>> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.shuffle(&mut Seed::new(seed).child("verify", 0).rng());
    let rank = |job: &Drawable| (job.known.is_none(), job.begun.is_none());
    order.sort_by(|&a, &b| {
        let (a, b) = (&jobs[a], &jobs[b]);
        rank(a).cmp(&rank(b)).then(a.seconds.total_cmp(&b.seconds))
    });
    let mut groups: BTreeMap<usize, VecDeque<usize>> = BTreeMap::new();
    order.into_iter().for_each(|at| groups.entry(jobs[at].group).or_default().push_back(at));
    let mut queues: Vec<VecDeque<usize>> = groups.into_values().collect();
    queues.sort_by(|a, b| jobs[a[0]].seconds.total_cmp(&jobs[b[0]].seconds));
    queues
}

/// The remaining budget, and the jobs drawn so far.
struct Purse<'a> {
    jobs: &'a [Drawable],
    budget: Budget,
    /// Remaining seconds of one core.
    left: f64,
    draw: Draw,
}

impl Purse<'_> {
    /// Draws the first job of a group that fits; `open` groups share the remaining budget.
    fn spend_first(&mut self, queue: &mut VecDeque<usize>, open: usize) {
        let share = self.left / open as f64;
        let fits = |at: &usize| self.extent(*at, share, true).is_some();
        match queue.iter().position(fits).and_then(|place| queue.remove(place)) {
            Some(at) => self.spend(at, share, true),
            None => self.draw.passed_over.extend(queue.drain(..).next()),
        }
    }

    /// Draws one more job of every group that has any; returns whether there was one.
    fn spend_round(&mut self, queues: &mut [VecDeque<usize>]) -> bool {
        let before = self.draw.drawn.len();
        let open = queues.iter().filter(|queue| !queue.is_empty()).count();
        for (place, queue) in queues.iter_mut().filter(|queue| !queue.is_empty()).enumerate() {
            let share = self.left / (open - place) as f64;
            match queue.front().copied().filter(|&at| self.extent(at, share, false).is_some()) {
                Some(at) if self.draw.drawn.len() < self.budget.jobs => {
                    queue.pop_front();
                    self.spend(at, share, false);
                }
                // The jobs after it cost more.
                _ => queue.clear(),
            }
        }
        self.draw.drawn.len() > before
    }

    fn spend(&mut self, at: usize, share: f64, must: bool) {
        let Some(extent) = self.extent(at, share, must) else { return };
        let is_known = self.jobs[at].known.is_some_and(|known| suffices(known, extent));
        let seconds = if is_known { 0.0 } else { self.jobs[at].cost(extent) };
        let extent = self.jobs[at].known.filter(|_| is_known).unwrap_or(extent);
        self.left -= seconds;
        self.draw.drawn.push(Drawn { at, extent, seconds });
    }

    /// The extent of a job that fits: all of it, or as many iterations as a share of the budget allows; at least one
    /// if `must`.
    fn extent(&self, at: usize, share: f64, must: bool) -> Option<Extent> {
        let job = &self.jobs[at];
        let most = if job.iterations > 1 && must { share } else { self.left };
        if job.known == Some(Extent::Whole) || job.seconds <= most.min(self.budget.seconds) {
            return Some(Extent::Whole);
        }
        if job.begun.is_some() {
            return job.begun;
        }
        if job.iterations <= 1 {
            return None;
        }
        let each = job.seconds / f64::from(job.iterations);
        let pays = (share.min(self.budget.seconds) / each).floor() as u32;
        let least = if must { 1 } else { 0 };
        Some(pays.clamp(least, job.iterations - 1)).filter(|&pays| pays > 0).map(Extent::Prefix)
    }
}

impl Drawable {
    fn cost(&self, extent: Extent) -> f64 {
        match extent {
            Extent::Whole => self.seconds,
            Extent::Prefix(iterations) => self.seconds * f64::from(iterations) / f64::from(self.iterations.max(1)),
        }
    }
}

/// Whether the known extent suffices for the wanted one: estimates vary, which does not justify repeating half of
/// it.
fn suffices(known: Extent, wanted: Extent) -> bool {
    match (known, wanted) {
        (Extent::Whole, _) => true,
        (Extent::Prefix(_), Extent::Whole) => false,
        (Extent::Prefix(known), Extent::Prefix(wanted)) => known >= wanted.div_ceil(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(group: usize, seconds: f64) -> Drawable {
        Drawable { group, seconds, iterations: 1, begun: None, known: None }
    }

    fn training(group: usize, seconds: f64, iterations: u32) -> Drawable {
        Drawable { iterations, ..job(group, seconds) }
    }

    fn minutes(seconds: f64) -> Budget {
        Budget { seconds, slots: 1, jobs: usize::MAX }
    }

    fn names(draw: &Draw) -> Vec<(usize, Extent)> {
        draw.drawn.iter().map(|drawn| (drawn.at, drawn.extent)).collect()
    }

    #[test]
    fn every_group_has_one_and_cheap_jobs_come_first() {
        let jobs = [job(0, 9.0), job(0, 5.0), job(1, 1.0), job(1, 1.5), job(1, 50.0)];
        let whole = |at: usize| (at, Extent::Whole);
        assert_eq!(names(&draw(&jobs, minutes(10.0), 1)), [2, 1, 3].map(whole));
        assert_eq!(names(&draw(&jobs, Budget { jobs: 1, ..minutes(f64::INFINITY) }, 1)), [2, 1].map(whole));
        assert_eq!(names(&draw(&jobs, minutes(f64::INFINITY), 1)).len(), 5);
    }

    #[test]
    fn a_long_training_is_cut_and_what_cannot_be_cut_is_passed_over() {
        let jobs = [training(0, 100.0, 50), job(1, 1.0), job(2, 100.0)];
        let found = draw(&jobs, minutes(21.0), 1);
        assert_eq!(names(&found), [(1, Extent::Whole), (0, Extent::Prefix(5))]);
        assert_eq!(found.passed_over, [2]);
        // At least one iteration is drawn.
        assert_eq!(names(&draw(&jobs[..1], minutes(0.1), 1)), [(0, Extent::Prefix(1))]);
        assert_eq!(names(&draw(&jobs[..1], minutes(100.0), 1)), [(0, Extent::Whole)]);
    }

    #[test]
    fn what_is_known_costs_nothing_and_what_was_begun_goes_on() {
        let known = Drawable { known: Some(Extent::Whole), ..job(0, 1e6) };
        let begun = Drawable { begun: Some(Extent::Prefix(3)), ..training(1, 100.0, 50) };
        let found = draw(&[known, job(0, 1.0), begun, training(1, 50.0, 50)], minutes(10.0), 1);
        assert_eq!(names(&found)[..2], [(2, Extent::Prefix(3)), (0, Extent::Whole)]);
        assert_eq!(found.drawn[1].seconds, 0.0);
        // The requested prefix is longer than the known one.
        let short = Drawable { known: Some(Extent::Prefix(4)), ..training(0, 100.0, 50) };
        let asked = |seconds: f64| draw(std::slice::from_ref(&short), minutes(seconds), 1).drawn[0];
        assert_eq!((asked(16.0).extent, asked(16.0).seconds), (Extent::Prefix(4), 0.0));
        assert_eq!((asked(40.0).extent, asked(40.0).seconds), (Extent::Prefix(20), 40.0));
    }

    #[test]
    fn the_seed_chooses_among_equals_and_nothing_else_does() {
        let jobs: Vec<Drawable> = (0..40).map(|_| job(0, 1.0)).collect();
        let drawn = |seed: u64| names(&draw(&jobs, minutes(5.0), seed));
        assert_eq!((drawn(1), drawn(1).len()), (drawn(1), 5));
        assert_ne!(drawn(1), drawn(2));
    }
}
