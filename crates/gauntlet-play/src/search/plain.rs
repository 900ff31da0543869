//! Reference implementation of the search: every action is scored every time, positions are copied, nothing is reused.
//!
//! The fast tree must agree with it visit by visit. Test code.

use super::testing::{Book, Hashed, Noughts, grow, spec, visits};
use super::{Evaluations, Evaluator, FirstVisit, Leaf, Puct, Rule, SearchSpec, Uct, Unvisited};
use gauntlet_games::base::{Action, Seed};
use gauntlet_games::games::{GameSpec, Position};

struct Plain {
    position: Box<dyn Position>,
    value: f64,
    arms: Vec<Arm>,
}

struct Arm {
    action: Action,
    prior: f64,
    visits: f64,
    /// For the side to move at the node.
    total: f64,
    child: Option<Plain>,
}

impl Plain {
    fn new(position: Box<dyn Position>, evaluator: &mut dyn Evaluator) -> Plain {
        if let Some(outcome) = position.outcome() {
            return Plain { value: outcome.score(position.side()), position, arms: Vec::new() };
        }
        let (mut actions, mut out) = (Vec::new(), Evaluations::new());
        position.actions(&mut actions);
        let leaves = [Leaf { position: &*position, actions: &actions, seed: &Seed::new(0), simulation: 0 }];
        out.prepare(&leaves);
        evaluator.evaluate(&leaves, &mut out).expect("an answer");
        let arm = |(&action, &prior): (&Action, &f32)| Arm {
            action,
            prior: f64::from(prior),
            visits: 0.0,
            total: 0.0,
            child: None,
        };
        let arms = actions.iter().zip(out.priors(0)).map(arm).collect();
        let value = f64::from(out.value(0));
        Plain { position, value, arms }
    }

    /// One simulation; returns its value for the side to move here.
    fn simulate(&mut self, rule: &Rule, evaluator: &mut dyn Evaluator) -> f64 {
        if self.arms.is_empty() {
            return self.value;
        }
        let scores: Vec<f64> = self.arms.iter().map(|arm| self.score(rule, arm)).collect();
        let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let side = self.position.side();
        // Among untried actions, UCT follows the priors.
        let ties = (0..scores.len()).filter(|&arm| scores[arm] == greatest);
        let best = ties.max_by(|&a, &b| {
            let prior = |arm: usize| if greatest.is_infinite() { self.arms[arm].prior } else { 0.0 };
            prior(a).total_cmp(&prior(b)).then(b.cmp(&a))
        });
        let arm = &mut self.arms[best.expect("there are actions")];
        let child = match &mut arm.child {
            Some(child) => {
                let value = child.simulate(rule, evaluator);
                if child.position.side() == side { value } else { -value }
            }
            empty => {
                let mut position = self.position.fork();
                position.play(arm.action);
                let child = empty.insert(Plain::new(position, evaluator));
                if child.position.side() == side { child.value } else { -child.value }
            }
        };
        arm.visits += 1.0;
        arm.total += child;
        child
    }

    fn score(&self, rule: &Rule, arm: &Arm) -> f64 {
        let sum: f64 = self.arms.iter().map(|arm| arm.visits).sum();
        match rule {
            Rule::Uct(Uct { c, .. }) if arm.visits > 0.0 => arm.total / arm.visits + c * (sum.ln() / arm.visits).sqrt(),
            Rule::Uct(_) => f64::INFINITY,
            Rule::Gumbel(_) => unreachable!("it has its own oracle"),
            Rule::Puct(puct) => {
                let q = if arm.visits > 0.0 { arm.total / arm.visits } else { self.unvisited(puct, sum) };
                let sum = match puct.first_visit {
                    FirstVisit::Prior => sum.max(1.0),
                    FirstVisit::Order => sum,
                    FirstVisit::OwnVisit => sum + 1.0,
                };
                q + puct.c * sum.sqrt() * arm.prior / (1.0 + arm.visits)
            }
        }
    }

    /// The value of an arm's first visit.
    fn first(&self, arm: &Arm) -> Option<f64> {
        let child = arm.child.as_ref()?;
        Some(if child.position.side() == self.position.side() { child.value } else { -child.value })
    }

    fn unvisited(&self, puct: &Puct, sum: f64) -> f64 {
        let total: f64 = self.arms.iter().map(|arm| arm.total).sum();
        let mean = (self.value + total) / (1.0 + sum);
        match puct.unvisited {
            Unvisited::Zero => 0.0,
            Unvisited::One => 1.0,
            Unvisited::Parent => mean,
            Unvisited::Siblings => {
                let firsts: Vec<f64> = self.arms.iter().filter_map(|arm| self.first(arm)).collect();
                firsts.iter().sum::<f64>() / firsts.len().max(1) as f64
            }
            Unvisited::Reduced(by) => {
                let visited = self.arms.iter().filter(|arm| arm.visits > 0.0).map(|arm| arm.prior);
                mean - by * visited.sum::<f64>().sqrt()
            }
        }
    }
}

/// Settings without randomness and without solving.
fn plain_settings() -> Vec<SearchSpec> {
    [
        "",
        "rule.puct = { c = 4.0, unvisited = \"one\" }",
        "rule.puct = { c = 0.7, unvisited = \"parent\", first-visit = \"own-visit\" }",
        "rule.puct = { unvisited = { reduced = 0.3 } }",
        "rule.puct = { first-visit = \"order\" }",
        "rule.puct = { c = 1.1, unvisited = \"siblings\", first-visit = \"own-visit\" }",
        "rule.uct = {}",
    ]
    .map(spec)
    .to_vec()
}

#[test]
fn the_tree_agrees_with_the_plain_search() {
    let gomoku = |text: &str| toml::from_str::<GameSpec>(text).expect("a game").build().start();
    let positions: [Box<dyn Position>; 4] = [
        Box::new(Noughts::after(&[])),
        Box::new(Noughts::after(&[0, 4, 8])),
        gomoku("gomoku = { size = 5, row = 3 }"),
        Box::new(Book::bandit(4)),
    ];
    for settings in plain_settings() {
        for position in &positions {
            let mut plain = Plain::new(position.fork(), &mut Hashed);
            (0..400).for_each(|_| {
                plain.simulate(&settings.rule, &mut Hashed);
            });
            let expected: Vec<u32> = plain.arms.iter().map(|arm| arm.visits as u32).collect();
            let tree = grow(&**position, &SearchSpec { simulations: 400.into(), ..settings.clone() }, &mut Hashed);
            assert_eq!(visits(&tree), expected, "{settings:?}");
            for (child, arm) in tree.search_result().children.iter().zip(&plain.arms) {
                let value = child.value.map_or(0.0, f64::from);
                assert!((value - arm.total / arm.visits.max(1.0)).abs() < 1e-6);
            }
        }
    }
}
