//! Policy target pruning: removes forced visits at the root that the selection rule would not have made. Policies and
//! moves then reflect the search's preference, not the forced exploration.
//!
//! Wu 2020 ("Accelerating self-play learning in Go"), section 3.2. From every action but the most visited, it removes
//! forced visits as long as the PUCT score, at the final Q, stays at most that of the most visited action. An action
//! left with one visit gets none.

use super::rules::{FirstVisit, Puct, Rule};
use super::select::forced_visits;
use super::spec::SearchSpec;
use super::storage::{Node, TreeStorage};

/// Settings of the pruning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pruning {
    puct: Puct,
    /// `k` of the forced visits.
    factor: f64,
    /// `sum N` in the number of forced visits, if it is not the visits of the root.
    simulations: Option<u32>,
}

impl Pruning {
    /// The pruning of a search; `None` if it does not prune.
    pub fn of(spec: &SearchSpec) -> Option<Pruning> {
        match (spec.rule, spec.forced_visits) {
            (Rule::Puct(puct), Some(factor)) if spec.prune_forced => {
                Some(Pruning { puct, factor, simulations: spec.forced_by.simulations(spec) })
            }
            _ => None,
        }
    }

    /// The visits of each root action after pruning, in the order of its actions.
    pub fn left(&self, storage: &TreeStorage, root: &Node) -> Vec<u32> {
        let mut left = storage.visits[root.edges()].to_vec();
        let start = root.edges().start;
        let Some(best) = root.opened().max_by_key(|&edge| storage.visits[edge]) else { return left };
        let score = |edge: usize, visits: u32| self.score(storage, root, edge, visits);
        let most = score(best, storage.visits[best]);
        for edge in root.opened().filter(|&edge| edge != best) {
            let forced = forced_visits(self.factor, storage.priors[edge], self.simulations.unwrap_or(root.visits));
            let visits = &mut left[edge - start];
            let least = visits.saturating_sub(forced as u32);
            while *visits > least && score(edge, *visits - 1) <= most {
                *visits -= 1;
            }
            *visits = if *visits == 1 && storage.visits[best] > 1 { 0 } else { *visits };
        }
        left
    }

    fn score(&self, storage: &TreeStorage, root: &Node, edge: usize, visits: u32) -> f64 {
        let q = storage.totals[edge].mean(storage.visits[edge]).seen_by(root.side);
        let sum = root.visits + u32::from(self.puct.first_visit == FirstVisit::OwnVisit);
        q + self.puct.c * f64::from(sum).sqrt() * f64::from(storage.priors[edge]) / (1.0 + f64::from(visits))
    }
}
