//! Reference implementation of a search with hints: it keeps every simulation, and counts all of them again for every
//! choice. Test code.

use std::num::NonZeroU32;

use super::storage::ROOT;
use super::testing::{Noughts, grow, spec, visits};
use super::traces::Step;
use super::{Rollouts, Rule, SearchSpec, Tree, Uct};
use gauntlet_games::base::{Action, Outcome, Seed, Side};
use gauntlet_games::games::{GameSpec, Position};

/// A simulation: its steps within the tree, and its play-outs with their outcomes for the first side.
struct Simulation {
    path: Vec<Step>,
    playouts: Vec<(Vec<Step>, f64)>,
}

impl Simulation {
    /// The mean outcome for a side.
    fn value(&self, side: Side) -> f64 {
        let sum: f64 = self.playouts.iter().map(|(_, value)| value).sum();
        seen(sum / self.playouts.len() as f64, side)
    }

    /// Whether it went through or ended at the node with this path.
    fn passes(&self, node: &[Step]) -> bool {
        self.path.starts_with(node)
    }
}

fn seen(value: f64, side: Side) -> f64 {
    if side == Side::First { value } else { -value }
}

/// The slow search.
struct Slow {
    root: Box<dyn Position>,
    uct: Uct,
    playouts: u32,
    simulations: Vec<Simulation>,
}

impl Slow {
    /// The same random streams as [`grow`].
    fn simulate(&mut self) {
        let (mut position, mut path) = (self.root.fork(), Vec::new());
        while position.outcome().is_none() && self.simulations.iter().any(|one| one.passes(&path)) {
            let action = self.choose(&*position, &path);
            path.push((position.side(), action));
            position.play(action);
        }
        let mut rng = Seed::new(5).child("leaf", self.simulations.len() as u64).rng();
        let mut playout = |_| {
            let (mut position, mut steps) = (position.fork(), Vec::new());
            while position.outcome().is_none() {
                let action = position.random_action(&mut rng);
                steps.push((position.side(), action));
                position.play(action);
            }
            (steps, position.outcome().unwrap_or(Outcome::Draw).score(Side::First))
        };
        let playouts = if position.outcome().is_some() { 1 } else { self.playouts };
        let playouts = (0..playouts).map(&mut playout).collect();
        self.simulations.push(Simulation { path, playouts });
    }

    fn passing(&self, node: &[Step]) -> impl Iterator<Item = &Simulation> {
        self.simulations.iter().filter(move |one| one.passes(node))
    }

    /// The share of play-outs that contain a step from this node on, and their mean outcome for that step's side.
    fn all_as_first(&self, node: &[Step], step: Step) -> (f64, f64) {
        let (mut count, mut total) = (0.0, 0.0);
        for one in self.passing(node) {
            let share = 1.0 / one.playouts.len() as f64;
            for (steps, value) in &one.playouts {
                if one.path[node.len()..].iter().chain(steps).any(|other| *other == step) {
                    count += share;
                    total += share * seen(*value, step.0);
                }
            }
        }
        (count, if count > 0.0 { total / count } else { 0.0 })
    }

    /// The node whose play-outs count at this one.
    fn reference<'a>(&self, node: &'a [Step]) -> &'a [Step] {
        let wanted = self.uct.rave.map_or(0, |rave| rave.reference) as usize;
        let holds = |length: &usize| self.passing(&node[..*length]).count() > wanted;
        &node[..(0..=node.len()).rev().find(holds).unwrap_or(0)]
    }

    fn choose(&self, position: &dyn Position, node: &[Step]) -> Action {
        let (side, reference, mut actions) = (position.side(), self.reference(node), Vec::new());
        position.actions(&mut actions);
        let sum = self.passing(node).filter(|one| one.path.len() > node.len()).count() as f64;
        let score = |action: Action| {
            let child = [node, &[(side, action)]].concat();
            let (n, total) =
                self.passing(&child).fold((0.0, 0.0), |(n, total), one| (n + 1.0, total + one.value(side)));
            let q = if n > 0.0 { total / n } else { 0.0 };
            let (mut value, mut c, mut is_new) = (q, self.uct.c, true);
            if let Some(rave) = self.uct.rave {
                let (m, all) = self.all_as_first(reference, (side, action));
                let beta = if m > 0.0 { m / (m + n + rave.bias * m * n) } else { 0.0 };
                (value, c, is_new) = ((1.0 - beta) * q + beta * all, rave.c, m == 0.0 || rave.c > 0.0);
            }
            let exploration = if n > 0.0 { c * (sum.ln() / n).sqrt() } else { 0.0 };
            let gained = |weight: f64| {
                let (before, after) = (position.lead(side), position.lead_after(action));
                weight * (after.unwrap_or(0.0) - before.unwrap_or(0.0)) / (n + 1.0)
            };
            let bias = self.uct.progressive_bias.map_or(0.0, |bias| gained(bias.weight));
            (is_new && n == 0.0, value + exploration + bias)
        };
        let mut best = (actions[0], score(actions[0]));
        for &action in &actions[1..] {
            let found = score(action);
            if found > best.1 {
                best = (action, found);
            }
        }
        best.0
    }
}

/// A fast search of `simulations` simulations and a slow one.
fn both(position: &dyn Position, settings: &str, playouts: u32, simulations: u32) -> (Tree, Slow) {
    let settings = SearchSpec { simulations: simulations.into(), ..spec(settings) };
    let Rule::Uct(uct) = settings.rule else { panic!("these are settings of UCT") };
    let mut slow = Slow { root: position.fork(), uct, playouts, simulations: Vec::new() };
    (0..=simulations).for_each(|_| slow.simulate());
    let mut by = Rollouts { count: NonZeroU32::new(playouts).expect("above 0"), most_plies: u32::MAX };
    (grow(position, &settings, &mut by), slow)
}

fn positions() -> Vec<Box<dyn Position>> {
    let start = |text: &str| toml::from_str::<GameSpec>(text).expect("a game").build().start();
    vec![
        Box::new(Noughts::after(&[])),
        Box::new(Noughts::after(&[0, 4, 8])),
        start("gomoku = { size = 5, row = 3 }"),
        start("hex = { size = 3, swap = true }"),
        // Captures, so that an action occurs twice in a game and is illegal in between.
        start("go = { size = 3, move-cap = 14 }"),
        start("othello = { size = 4 }"),
    ]
}

#[test]
fn the_tree_agrees_with_the_recounted_simulations() {
    for (settings, playouts) in [
        ("rave = {}", 1),
        ("rave = { bias = 0.05 }", 2),
        ("rave = { bias = 0.01, c = 0.3 }", 1),
        ("rave = { bias = 0.01, ref = 8 }", 1),
        ("progressive-bias = { weight = 0.3 }", 1),
        ("c = 0\nprogressive-bias = {}", 4),
        ("rave = { ref = 20 }\nprogressive-bias = { weight = 0.1 }", 2),
    ] {
        for (index, position) in positions().iter().enumerate() {
            let text = settings.replace("\n", "\nrule.uct.");
            let (tree, slow) = both(&**position, &format!("rule.uct.{text}"), playouts, 80);
            tree.check_conservation();
            let mut actions = Vec::new();
            position.actions(&mut actions);
            let count = |&action: &Action| slow.passing(&[(position.side(), action)]).count() as u32;
            let expected: Vec<u32> = actions.iter().map(count).collect();
            assert_eq!(visits(&tree), expected, "{settings}, position {index}");
            compare_statistics(&tree, &slow);
        }
    }
}

/// The root's statistics of every action of both sides, by both searches.
fn compare_statistics(tree: &Tree, slow: &Slow) {
    let hints = tree.hints().expect("the search has hints");
    for side in Side::BOTH {
        for action in (0..40).map(Action) {
            let expected = slow.uct.rave.map(|_| slow.all_as_first(&[], (side, action))).filter(|found| found.0 > 0.0);
            let found = hints.sample(ROOT, side, action);
            assert_eq!(found.is_some(), expected.is_some(), "{side:?} {action:?}");
            if let (Some((m, mean)), Some((count, value))) = (found, expected) {
                assert!((m - count).abs() < 1e-4 && (mean - value).abs() < 1e-4, "{side:?} {action:?}");
            }
        }
    }
}

/// A finished game below the root counts for its path, without any play-out of its own.
#[test]
fn a_finished_game_counts_for_its_actions() {
    // First has 0 and 1; 2 wins at once.
    let position = Noughts::after(&[0, 3, 1, 4]);
    let (tree, _) = both(&position, "rule.uct.rave = {}", 1, 200);
    let (count, mean) =
        tree.hints().and_then(|hints| hints.sample(ROOT, Side::First, Action(2))).expect("it was played");
    assert!(count > 150.0 && mean == 1.0, "{count} {mean}");
    assert!(visits(&tree)[0] > 150, "{:?}", visits(&tree));
}
