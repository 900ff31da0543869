//! Selection: the action that a descent follows from a node, by the rule or by special cases at the root.
//!
//! Actions without visits all have the same Q, so that the one with the greatest prior beats the others. Hence a node
//! scores only the actions that it has followed and that one.

use rand::RngExt as _;

use super::best::Best;
use super::gumbel::{GumbelRoot, choose_improved};
use super::rules::{FirstVisit, Puct, Rule, Uct, Unvisited};
use super::spec::{SearchSpec, Ties};
use super::storage::{Node, ROOT, TreeStorage};
use gauntlet_games::base::Rng;

/// The action that a descent follows from `node`, which has actions and is not solved.
///
/// The root is handled apart from all other nodes: its special cases belong there.
#[inline]
pub(super) fn choose(
    storage: &mut TreeStorage,
    node: usize,
    spec: &SearchSpec,
    gumbel: &mut GumbelRoot,
    rng: &mut Rng,
) -> usize {
    if let (ROOT, Rule::Gumbel(rule)) = (node, &spec.rule) {
        return gumbel.choose(storage, rule, spec.ties, rng);
    }
    if !storage.nodes[node].ready && !storage.nodes[node].closed().is_empty() {
        bring_best_forward(storage, node, spec, rng);
    }
    if node == ROOT
        && let Some(edge) = owed(storage, spec)
    {
        return edge;
    }
    choose_inside(storage, node, spec, rng)
}

/// A root action with fewer visits than forced; it takes precedence over the rule.
fn owed(storage: &TreeStorage, spec: &SearchSpec) -> Option<usize> {
    let (k, root) = (spec.forced_visits?, &storage.nodes[ROOT]);
    let simulations = spec.forced_by.simulations(spec);
    let (sum, least) = (simulations.unwrap_or(root.visits), u32::from(simulations.is_some()));
    let due = |edge: usize| forced_visits(k, storage.priors[edge], sum);
    let owed = |edge: usize| storage.visits[edge] >= least && f64::from(storage.visits[edge]) < due(edge);
    let lost = |edge: usize| spec.solve && root.opened().contains(&edge) && is_lost(storage, root, edge);
    candidates(root).find(|&edge| owed(edge) && !lost(edge))
}

/// The number of forced visits of a root action.
pub(super) fn forced_visits(k: f64, prior: f32, sum: u32) -> f64 {
    (k * f64::from(prior) * f64::from(sum)).sqrt().floor()
}

#[inline]
fn choose_inside(storage: &mut TreeStorage, node: usize, spec: &SearchSpec, rng: &mut Rng) -> usize {
    match spec.rule {
        Rule::Puct(puct) => choose_puct(storage, node, &puct, spec, rng),
        Rule::Uct(uct) => choose_uct(storage, node, uct, spec, rng),
        Rule::Gumbel(rule) => choose_improved(storage, node, &rule, spec.ties, rng),
    }
}

#[inline]
fn choose_puct(storage: &TreeStorage, node: usize, puct: &Puct, spec: &SearchSpec, rng: &mut Rng) -> usize {
    let at = &storage.nodes[node];
    let sum = f64::from(match puct.first_visit {
        FirstVisit::Prior => at.visits.max(1),
        FirstVisit::Order => at.visits,
        FirstVisit::OwnVisit => at.visits + 1,
    });
    let weight = puct.c * sum.sqrt();
    let unvisited = || match puct.unvisited {
        Unvisited::Zero => 0.0,
        Unvisited::One => 1.0,
        Unvisited::Parent => at.mean().seen_by(at.side),
        Unvisited::Siblings => mean_of_first_visits(storage, at),
        Unvisited::Reduced(by) => {
            let visited: f64 = at.opened().map(|edge| f64::from(storage.priors[edge])).sum();
            at.mean().seen_by(at.side) - by * visited.sqrt()
        }
    };
    let score = |q: f64, prior: f32, visits: u32| q + weight * f64::from(prior) / (1.0 + f64::from(visits));
    greatest(storage, at, spec, rng, score, |prior| score(unvisited(), prior, 0))
}

#[inline(never)]
fn choose_uct(storage: &TreeStorage, node: usize, uct: Uct, spec: &SearchSpec, rng: &mut Rng) -> usize {
    let at = &storage.nodes[node];
    let log = f64::from(at.visits.max(1)).ln();
    let score = |q: f64, _: f32, visits: u32| q + uct.c * (log / f64::from(visits)).sqrt();
    greatest(storage, at, spec, rng, score, |_| f64::INFINITY)
}

/// The action with the greatest score, among those followed so far and the best of the others.
#[inline]
fn greatest(
    storage: &TreeStorage,
    at: &Node,
    spec: &SearchSpec,
    rng: &mut Rng,
    score: impl Fn(f64, f32, u32) -> f64,
    unvisited: impl Fn(f32) -> f64,
) -> usize {
    let mut best = Best::new(spec.ties);
    for edge in at.opened() {
        if spec.solve && is_lost(storage, at, edge) {
            continue;
        }
        let visits = storage.visits[edge];
        let q = match spec.solve {
            true => storage.value(edge),
            false => storage.totals[edge].mean(visits),
        };
        best.offer(edge, score(q.seen_by(at.side), storage.priors[edge], visits), storage, rng);
    }
    if let Some(edge) = at.closed().next() {
        best.offer(edge, unvisited(storage.priors[edge]), storage, rng);
    }
    best.edge.expect("a node that is not decided has an action that is not lost")
}

/// Mean of the first evaluations of the followed actions' nodes, for the side to move; 0 without any.
#[inline(never)]
fn mean_of_first_visits(storage: &TreeStorage, at: &Node) -> f64 {
    let opened = at.opened();
    let count = opened.len().max(1) as f64;
    opened.map(|edge| storage.nodes[storage.child(edge)].value.seen_by(at.side)).sum::<f64>() / count
}

/// The followed actions and the best of the others.
fn candidates(at: &Node) -> impl Iterator<Item = usize> {
    at.opened().chain(at.closed().take(1))
}

/// Whether an expanded action is known to lose.
#[inline]
fn is_lost(storage: &TreeStorage, at: &Node, edge: usize) -> bool {
    let child = &storage.nodes[storage.child(edge)];
    child.exact && child.value.seen_by(at.side) < 0.0
}

/// Moves the best unvisited action in front of the other unvisited ones.
fn bring_best_forward(storage: &mut TreeStorage, node: usize, spec: &SearchSpec, rng: &mut Rng) {
    let at = &storage.nodes[node];
    let closed = at.closed();
    let by_prior = match spec.rule {
        Rule::Puct(Puct { first_visit: FirstVisit::Order, .. }) => at.visits > 0,
        _ => true,
    };
    // No prior is negative, so such floats are ordered as their bits: an integer maximum vectorises.
    let bits = |edge: usize| storage.priors[edge].to_bits();
    let most = storage.priors[closed.clone()].iter().map(|prior| prior.to_bits()).max().filter(|_| by_prior);
    let equals = |edge: &usize| most.is_none_or(|most| bits(*edge) == most);
    let best = match spec.ties {
        Ties::First => closed.filter(equals).min_by_key(|&edge| storage.actions[edge]),
        Ties::Random => {
            let count = closed.clone().filter(equals).count();
            closed.filter(equals).nth(rng.random_range(0..count))
        }
    };
    storage.bring_forward(node, best.expect("there are closed actions"));
}
