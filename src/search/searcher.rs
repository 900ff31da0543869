//! The loop: gather a leaf from every tree, evaluate all of them at once, and apply the answers.
//!
//! One leaf a tree and round: no tree ever waits for a value that it has already spent, so that there is no virtual
//! loss, and nothing of one tree depends on the trees beside it. Threads are the caller's: one searcher each.

use std::ops::AddAssign;

use super::{EvaluationCost, Evaluations, Evaluator, Leaf, SearchError, SearchSpec, Tree};
use gauntlet_games::base::{Seed, Stop};
use gauntlet_games::games::Position;

/// One search to be made.
pub struct SearchTask<'a> {
    /// The tree to grow.
    pub tree: &'a mut Tree,
    /// The position to decide, which is not over.
    pub position: &'a dyn Position,
    /// The random streams of this search; no two searches share one.
    pub seed: Seed,
}

/// What searches have cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Searches that were made.
    pub searches: u64,
    /// Leaves that were evaluated.
    pub evaluations: u64,
    /// Batches that they came in.
    pub batches: u64,
    /// Leaves that a cache has answered.
    pub remembered: u64,
    /// What evaluating them costs without a cache.
    pub work: EvaluationCost,
}

impl AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.searches += other.searches;
        self.evaluations += other.evaluations;
        self.batches += other.batches;
        self.remembered += other.remembered;
        self.work += other.work;
    }
}

/// Searches many trees in lockstep.
pub struct Searcher {
    spec: SearchSpec,
    evaluations: Evaluations,
    /// No leaves, but room for some.
    leaves: Vec<Leaf<'static>>,
    effort: Effort,
    stop: Stop,
}

impl Searcher {
    /// A searcher with these settings.
    #[must_use]
    pub fn new(spec: SearchSpec) -> Searcher {
        let (evaluations, effort, stop) = (Evaluations::new(), Effort::default(), Stop::default());
        Searcher { spec, evaluations, leaves: Vec::new(), effort, stop }
    }

    /// Looks before every batch whether to stop, from now on.
    pub fn heed(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    /// A searcher with the same settings for another thread, which has made no search yet.
    #[must_use]
    pub fn fork(&self) -> Searcher {
        Searcher { stop: self.stop.clone(), ..Searcher::new(self.spec.clone()) }
    }

    /// Its settings.
    #[must_use]
    pub fn spec(&self) -> &SearchSpec {
        &self.spec
    }

    /// What all searches so far have cost.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Makes every search; what each has found is then in its tree.
    ///
    /// # Errors
    /// When the evaluator fails, or answers what is no evaluation, and when it shall stop. The trees are then good for
    /// new searches only.
    pub fn search(&mut self, tasks: &mut [SearchTask<'_>], evaluator: &mut dyn Evaluator) -> Result<(), SearchError> {
        for SearchTask { tree, position, seed } in tasks.iter_mut() {
            tree.begin(*position, *seed, &self.spec);
        }
        self.effort.searches += tasks.len() as u64;
        while self.gather(tasks) {
            self.stop.check()?;
            self.evaluate(tasks, evaluator)?;
            self.apply(tasks)?;
        }
        Ok(())
    }

    /// Brings every tree to its next leaf. Whether any has one.
    fn gather(&mut self, tasks: &mut [SearchTask<'_>]) -> bool {
        tasks.iter_mut().fold(false, |any, task| task.tree.gather(&self.spec) | any)
    }

    fn evaluate(&mut self, tasks: &[SearchTask<'_>], evaluator: &mut dyn Evaluator) -> Result<(), SearchError> {
        let mut leaves = room(std::mem::take(&mut self.leaves));
        leaves.extend(tasks.iter().filter_map(|task| task.tree.leaf()));
        self.evaluations.prepare(&leaves);
        let answer = evaluator.evaluate(&leaves, &mut self.evaluations);
        self.effort.evaluations += leaves.len() as u64;
        self.effort.batches += 1;
        self.effort.remembered += self.evaluations.remembered() as u64;
        self.effort.work += self.evaluations.total_work();
        self.leaves = room(leaves);
        answer
    }

    fn apply(&mut self, tasks: &mut [SearchTask<'_>]) -> Result<(), SearchError> {
        let waiting = tasks.iter_mut().filter(|task| task.tree.is_waiting());
        for (leaf, task) in waiting.enumerate() {
            task.tree.apply(self.evaluations.priors(leaf), self.evaluations.value(leaf), &self.spec)?;
        }
        Ok(())
    }
}

/// The memory of a list of leaves, for leaves of another life: collecting a list in place keeps its memory.
fn room<'b>(mut leaves: Vec<Leaf<'_>>) -> Vec<Leaf<'b>> {
    leaves.clear();
    leaves.into_iter().map(|_| unreachable!("the list is empty")).collect()
}
