//! The search loop: gather a leaf from every tree, evaluate all of them at once, and apply the answers.
//!
//! Each tree contributes one leaf a round. No tree has two leaves pending, so that there is no virtual loss, and no
//! tree depends on the trees beside it. The caller provides threads: one searcher each.

use std::ops::AddAssign;

use super::{EvaluationCost, Evaluations, Evaluator, Leaf, SearchError, SearchSpec, Tree};
use gauntlet_games::base::{Seed, Stop};
use gauntlet_games::games::Position;

/// One search.
pub struct SearchTask<'a> {
    /// The tree to grow.
    pub tree: &'a mut Tree,
    /// The root position, which is not over.
    pub position: &'a dyn Position,
    /// The random streams of this search; no two searches share one.
    pub seed: Seed,
}

/// Cost of searches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Completed searches.
    pub searches: u64,
    /// Evaluated leaves.
    pub evaluations: u64,
    /// Evaluated batches.
    pub batches: u64,
    /// Leaves answered by a cache.
    pub remembered: u64,
    /// Cost of the evaluations without a cache.
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
    /// An empty list that keeps its allocation.
    leaves: Vec<Leaf<'static>>,
    effort: Effort,
    stop: Stop,
}

impl Searcher {
    /// A searcher with these settings.
    #[must_use]
    pub fn new(spec: SearchSpec) -> Searcher {
        let evaluations = Evaluations::recording(spec.rule.hinted().is_some());
        let (effort, stop) = (Effort::default(), Stop::default());
        Searcher { spec, evaluations, leaves: Vec::new(), effort, stop }
    }

    /// Makes later searches check `stop` before every batch.
    pub fn heed(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    /// A searcher with the same settings and no searches yet, for another thread.
    #[must_use]
    pub fn fork(&self) -> Searcher {
        Searcher { stop: self.stop.clone(), ..Searcher::new(self.spec.clone()) }
    }

    /// Its settings.
    #[must_use]
    pub fn spec(&self) -> &SearchSpec {
        &self.spec
    }

    /// Cost of all searches so far.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Runs every search; the results are then in the trees.
    ///
    /// # Errors
    /// If the evaluator fails or returns an invalid answer, or if the run is interrupted. The trees can then only
    /// start new searches.
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

    /// Descends every tree to its next leaf. Returns whether any has one.
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
            self.evaluations.playouts(leaf).for_each(|playout| task.tree.learn(playout));
        }
        Ok(())
    }
}

/// Reuses the allocation of a list of leaves under another lifetime: collecting in place keeps the allocation.
fn room<'b>(mut leaves: Vec<Leaf<'_>>) -> Vec<Leaf<'b>> {
    leaves.clear();
    leaves.into_iter().map(|_| unreachable!("the list is empty")).collect()
}
