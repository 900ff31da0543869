//! Gumbel search: action selection at the root and below it, and the final recommendation.
//!
//! Danihelka, Guez, Schrittwieser and Silver 2022, "Policy improvement by planning with Gumbel", as implemented in
//! mctx, its authors' library. The root considers the actions with the greatest `g + ln P`; they come first among its
//! actions once it has begun. The halving and the improved policy have their own files.

use rand_distr::{Distribution as _, Gumbel as GumbelDistribution};

use super::best::Best;
use super::halving::Halving;
use super::improved::{Completed, prior};
use super::rules::Gumbel;
use super::spec::Ties;
use super::storage::{ROOT, TreeStorage};
use gauntlet_games::base::{Action, Rng};

/// State of a Gumbel search at its root, in addition to the tree.
#[derive(Debug, Default)]
pub(super) struct GumbelRoot {
    halving: Halving,
    /// `g + ln P` of the considered actions, which are the root's first ones; descending.
    scores: Vec<f64>,
    /// Buffer for sorting.
    sorted: Vec<(f64, Action, f32)>,
}

impl GumbelRoot {
    /// Draws the noise of every action of the root, which has just been expanded, and starts the halving.
    pub fn begin(&mut self, storage: &mut TreeStorage, rule: &Gumbel, simulations: u32, rng: &mut Rng) {
        let noise = GumbelDistribution::new(0.0, 1.0).expect("1 is a scale");
        let mut draw = || if rule.scale > 0.0 { rule.scale * noise.sample(rng) } else { 0.0 };
        self.begin_with(storage, rule, simulations, |_| draw());
    }

    /// As `begin`, with noise from `noise`, called in the order of the actions.
    pub fn begin_with(
        &mut self,
        storage: &mut TreeStorage,
        rule: &Gumbel,
        simulations: u32,
        mut noise: impl FnMut(Action) -> f64,
    ) {
        let edges = storage.nodes[ROOT].edges();
        let score = |edge: usize| {
            let action = storage.actions[edge];
            (noise(action) + prior(storage, edge).ln(), action, storage.priors[edge])
        };
        self.sorted.clear();
        self.sorted.extend(edges.clone().map(score));
        let likely = self.sorted.iter().filter(|(.., prior)| *prior > 0.0).count().max(1);
        self.sorted.sort_unstable_by(|(a, first, p), (b, second, q)| {
            (*p <= 0.0).cmp(&(*q <= 0.0)).then(b.total_cmp(a)).then(first.cmp(second))
        });
        for (edge, &(_, action, prior)) in edges.zip(&self.sorted) {
            (storage.actions[edge], storage.priors[edge]) = (action, prior);
        }
        let considered = likely.min(rule.considered.get() as usize);
        self.scores.clear();
        self.scores.extend(self.sorted[..considered].iter().map(|(score, ..)| score));
        self.halving = Halving::new(considered as u32, simulations);
    }

    /// The action that the next simulation follows from the root.
    pub fn choose(&mut self, storage: &TreeStorage, rule: &Gumbel, ties: Ties, rng: &mut Rng) -> usize {
        match self.halving.next() {
            // The considered actions come first, best first, and all without visits have the same sigma.
            Some(0) | None => storage.nodes[ROOT].closed().start,
            Some(visits) => self.best(storage, rule, visits, ties, rng),
        }
    }

    /// The recommended action: the best of the most visited ones.
    pub fn recommended(&self, storage: &TreeStorage, rule: &Gumbel) -> Option<Action> {
        let edges = storage.nodes[ROOT].edges();
        let visits = edges.clone().map(|edge| storage.visits[edge]).max()?;
        let greatest =
            self.with_visits(storage, rule, visits).fold(None, |best: Option<(usize, f64)>, (edge, score)| {
                let worse = |&(other, least): &(usize, f64)| {
                    score < least || score == least && storage.actions[edge] > storage.actions[other]
                };
                best.filter(worse).or(Some((edge, score)))
            });
        greatest.map(|(edge, _)| storage.actions[edge])
    }

    fn best(&self, storage: &TreeStorage, rule: &Gumbel, visits: u32, ties: Ties, rng: &mut Rng) -> usize {
        let mut best = Best::new(ties);
        self.with_visits(storage, rule, visits).for_each(|(edge, score)| best.offer(edge, score, storage, rng));
        best.edge.expect("an action has as many visits as the halving says")
    }

    /// The considered actions with this number of visits, and their scores.
    fn with_visits<'a>(
        &'a self,
        storage: &'a TreeStorage,
        rule: &Gumbel,
        visits: u32,
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        let at = &storage.nodes[ROOT];
        let completed = Completed::of(storage, at, rule);
        let considered = at.edges().zip(&self.scores).filter(move |&(edge, _)| storage.visits[edge] == visits);
        considered.map(move |(edge, score)| (edge, score + completed.sigma_of(storage, at, edge)))
    }
}

/// The action that a descent follows below the root. Deterministic: it moves the visits towards the improved policy.
#[inline(never)]
pub(super) fn choose_improved(
    storage: &mut TreeStorage,
    node: usize,
    rule: &Gumbel,
    ties: Ties,
    rng: &mut Rng,
) -> usize {
    let mut weights = std::mem::take(&mut storage.weights);
    let at = &storage.nodes[node];
    let improved = Completed::of(storage, at, rule).weights(storage, at, &mut weights);
    let (share, one) = (1.0 / f64::from(1 + at.visits), 1.0 / improved.sum);
    let mut best = Best::new(ties);
    for (edge, weight) in at.opened().zip(&weights) {
        best.offer(edge, weight * one - f64::from(storage.visits[edge]) * share, storage, rng);
    }
    if let Some(edge) = at.closed().next() {
        best.offer(edge, prior(storage, edge) * improved.unvisited * one, storage, rng);
    }
    storage.weights = weights;
    best.edge.expect("a node that is not decided has an action")
}
