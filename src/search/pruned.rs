//! Visits that were forced at the root, taken off again where the rule of selection would not have made them: what is
//! learned and played is then what the search found, and not that it looked.
//!
//! Wu 2020 ("Accelerating self-play learning in Go"), section 3.2: of every action but the most visited as many of its forced
//! visits as leave its PUCT score, at its final Q, not above that of the most visited; what is left with one visit has none.

use super::rules::{FirstVisit, Puct, Rule};
use super::select::forced_visits;
use super::spec::SearchSpec;
use super::storage::{Node, TreeStorage};

/// The settings that it takes, where a search prunes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pruning {
    puct: Puct,
    /// `k` of the forced visits.
    factor: f64,
    /// What `sum N` is in their number, where it is not the visits of the root.
    simulations: Option<u32>,
}

impl Pruning {
    /// The pruning of a search, where there is one.
    pub fn of(spec: &SearchSpec) -> Option<Pruning> {
        match (spec.rule, spec.forced_visits) {
            (Rule::Puct(puct), Some(factor)) if spec.prune_forced => {
                Some(Pruning { puct, factor, simulations: spec.forced_by.simulations(spec) })
            }
            _ => None,
        }
    }

    /// The visits of each action of a root that are left, in the order of its actions.
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
