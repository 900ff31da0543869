//! The result of a search at its root, from which decisions, training targets and displays are made.

use rand::RngExt as _;

use gauntlet_games::base::{Action, Rng, Side};

/// One child of the root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RootChild {
    /// The action.
    pub action: Action,
    /// Its prior, including noise.
    pub prior: f32,
    /// Simulations that followed it; without pruned forced visits, if the search prunes.
    pub visits: u32,
    /// Mean value of those simulations (Q), for the side to move at the root; `None` without visits.
    pub value: Option<f32>,
    /// Whether `value` is the outcome under best play; only in a search that solves.
    pub exact: bool,
}

/// The search result at the root. All values are for the side to move there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchResult {
    /// The side to move; `None` before a search.
    pub side: Option<Side>,
    /// The actions, ascending.
    pub children: Vec<RootChild>,
    /// Mean of the root's evaluation and of the values of all simulations; the outcome if it is solved.
    pub value: f32,
    /// Whether `value` is the outcome under best play.
    pub exact: bool,
    /// The recommendation of a Gumbel search; `None` for other searches.
    pub improved: Option<Improved>,
}

/// The recommendation of a Gumbel search.
#[derive(Debug, Clone, PartialEq)]
pub struct Improved {
    /// The improved policy: a probability for each root child.
    pub policy: Vec<f32>,
    /// The last action that the halving keeps.
    pub action: Action,
    /// The mixed value, assigned to every action without visits.
    pub mixed: f32,
}

impl SearchResult {
    /// Simulations that went through the root's actions.
    #[must_use]
    pub fn visits(&self) -> u32 {
        self.children.iter().map(|child| child.visits).sum()
    }

    /// Probability of each root child: `N^(1/tau)`, normalised; a tau of 0 shares it among the most visited.
    ///
    /// In a search that solves, actions known to be worse than the best get 0. Without visits, the priors are used
    /// instead; if those are 0 too, the remaining actions are equally likely. For a Gumbel search it is the improved
    /// policy, for any tau.
    #[must_use]
    pub fn policy(&self, tau: f64) -> Vec<f32> {
        if let Some(improved) = &self.improved {
            return improved.policy.clone();
        }
        let weights = self.weights();
        let most = weights.iter().copied().fold(0.0, f64::max);
        let power = |weight: f64| match tau {
            0.0 => f64::from(u8::from(weight == most)),
            1.0 => weight / most,
            tau => (weight / most).powf(1.0 / tau),
        };
        let powers: Vec<f64> = weights.into_iter().map(power).collect();
        let sum: f64 = powers.iter().sum();
        powers.into_iter().map(|power| (power / sum) as f32).collect()
    }

    /// Draws an action from a policy; `None` if there is none. A Gumbel search returns its own choice.
    pub fn draw(&self, policy: &[f32], rng: &mut Rng) -> Option<Action> {
        if let Some(improved) = &self.improved {
            return Some(improved.action);
        }
        let sum: f64 = policy.iter().map(|&p| f64::from(p)).sum();
        let mut left = rng.random::<f64>() * sum;
        let likely = self.children.iter().zip(policy).filter(|&(_, &p)| p > 0.0);
        let mut chosen = None;
        for (child, p) in likely {
            chosen = Some(child.action);
            left -= f64::from(*p);
            if left < 0.0 {
                break;
            }
        }
        chosen
    }

    /// `sum_a policy(a) Q(a)`: the value of following `policy` by the search's own estimates. Actions without visits
    /// count as even or, in a Gumbel search, with the mixed value.
    ///
    /// Chen, Chin and Megas train the value on it, with the policy at a tau of 1.
    #[must_use]
    pub fn expectation(&self, policy: &[f32]) -> f32 {
        let unvisited = self.improved.as_ref().map_or(0.0, |improved| improved.mixed);
        self.children.iter().zip(policy).map(|(child, p)| p * child.value.unwrap_or(unvisited)).sum()
    }

    /// Visits of the actions not ruled out; their priors if none has visits; 1 if those are 0 too.
    fn weights(&self) -> Vec<f64> {
        let weigh = |number: fn(&RootChild) -> f64| -> Option<Vec<f64>> {
            let weight = |child: &RootChild| if self.rules_out(child) { 0.0 } else { number(child) };
            let weights: Vec<f64> = self.children.iter().map(weight).collect();
            weights.iter().any(|&weight| weight > 0.0).then_some(weights)
        };
        let visits = weigh(|child| f64::from(child.visits));
        let weights = visits.or_else(|| weigh(|child| f64::from(child.prior))).or_else(|| weigh(|_| 1.0));
        weights.unwrap_or_else(|| vec![1.0; self.children.len()])
    }

    /// Whether a root child is known to be worse than the best: a loss, or less than the value of a solved root.
    fn rules_out(&self, child: &RootChild) -> bool {
        match child.value.filter(|_| child.exact) {
            Some(value) if self.exact => value < self.value,
            Some(value) => value < 0.0,
            None => self.exact,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;

    fn search_result(visits: &[u32]) -> SearchResult {
        let child = |(index, &visits): (usize, &u32)| RootChild {
            action: Action::from(index),
            prior: 1.0 / 3.0,
            visits,
            value: (visits > 0).then_some(0.5 - index as f32),
            exact: false,
        };
        let children = visits.iter().enumerate().map(child).collect();
        SearchResult { side: Some(Side::First), children, value: 0.1, exact: false, improved: None }
    }

    #[test]
    fn the_temperature_sharpens_and_flattens() {
        let found = search_result(&[1, 2, 1]);
        assert_eq!(found.policy(1.0), [0.25, 0.5, 0.25]);
        assert_eq!(found.policy(0.0), [0.0, 1.0, 0.0]);
        assert_eq!(found.policy(0.5), [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0]);
        assert_eq!(search_result(&[3, 1, 3]).policy(0.0), [0.5, 0.0, 0.5]);
        assert_eq!(search_result(&[0, 0, 0]).policy(1.0), [1.0 / 3.0; 3]);
        // A tiny tau and a huge count do not overflow.
        assert_eq!(search_result(&[10_000_000, 9_999_999, 0]).policy(1e-10), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn actions_are_drawn_from_the_policy_and_ties_at_random() {
        let mut rng = Seed::new(1).rng();
        for (visits, tau, expected) in [([1, 2, 1], 1.0, [750, 1500, 750]), ([3, 1, 3], 0.0, [1500, 0, 1500])] {
            let (found, mut counts) = (search_result(&visits), [0_i32; 3]);
            (0..3000).for_each(|_| counts[found.draw(&found.policy(tau), &mut rng).unwrap().index()] += 1);
            for (count, expected) in counts.into_iter().zip(expected) {
                assert!((count - expected).abs() <= expected / 8, "{counts:?}");
            }
        }
        assert_eq!(SearchResult::default().draw(&[], &mut rng), None);
    }

    #[test]
    fn the_expectation_weighs_each_value() {
        let found = search_result(&[2, 2, 0]);
        assert_eq!(found.expectation(&found.policy(1.0)), 0.5 * 0.5 + 0.5 * -0.5);
    }

    #[test]
    fn what_is_known_to_be_worse_is_not_played() {
        let mut found = search_result(&[5, 3, 0]);
        found.children[0] = RootChild { value: Some(-1.0), exact: true, ..found.children[0] };
        assert_eq!(found.policy(1.0), [0.0, 1.0, 0.0]);
        found.children[1] = RootChild { value: Some(-1.0), exact: true, ..found.children[1] };
        assert_eq!(found.policy(1.0), [0.0, 0.0, 1.0], "hope is where nobody looked");
        found.children[2].prior = 0.0;
        for tau in [0.0, 0.5, 1.0] {
            assert_eq!(found.policy(tau), [0.0, 0.0, 1.0], "a prior of 0 is no knowledge");
        }
        let nowhere = SearchResult { exact: true, value: 1.0, ..found.clone() };
        assert_eq!(nowhere.policy(1.0), [1.0 / 3.0; 3]);
        found.children[1].value = Some(1.0);
        (found.value, found.exact) = (1.0, true);
        assert_eq!(found.policy(1.0), [0.0, 1.0, 0.0]);
    }
}
