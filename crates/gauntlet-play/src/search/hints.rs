//! Hints of a UCT search: statistics of all moves as first, and the leads that actions gain; and the selection by them.
//!
//! The sources are in [`Rave`](super::rules::Rave) and [`ProgressiveBias`](super::rules::ProgressiveBias). A node's
//! statistics cover the actions of both sides, legal there or not, because nodes below may refer to them. Searches
//! without hints are in [`super::select`].

use super::best::Best;
use super::rules::Uct;
use super::spec::SearchSpec;
use super::storage::{ROOT, TreeStorage};
use super::traces::{Playout, Step};
use super::value::Value;
use gauntlet_games::base::{Action, Rng, Side};
use gauntlet_games::games::Position;

/// The hints of one tree.
#[derive(Debug)]
pub(super) struct Hints {
    uct: Uct,
    /// By node: the play-outs with each action of each side.
    samples: Vec<Samples>,
    /// By node: the lead that each of its actions gains, by action; empty without a progressive bias.
    gains: Vec<Vec<(Action, f32)>>,
    /// The node whose play-outs count at the last node of the descent.
    reference: usize,
    /// The actions of the present play-out, ascending, each once.
    keys: Vec<u32>,
    /// Approximate size in bytes.
    memory: usize,
}

/// The play-outs with an action of a side.
#[derive(Debug, Clone, Copy)]
struct Sample {
    key: u32,
    count: f32,
    /// Sum of their outcomes for the first side.
    total: f32,
}

/// The play-outs with each action, ascending by key.
type Samples = Vec<Sample>;

/// An action of a side as a number.
fn key((side, action): Step) -> u32 {
    action.0 << 1 | side.index() as u32
}

impl Hints {
    /// The hints of an empty tree; `None` if the search needs none.
    pub fn of(spec: &SearchSpec) -> Option<Hints> {
        let uct = spec.rule.hinted()?;
        Some(Hints { uct, samples: vec![], gains: vec![], reference: ROOT, keys: vec![], memory: 0 })
    }

    /// Approximate size in bytes.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Reads the leads that a node's actions gain, ascending.
    pub fn expand(&mut self, node: usize, position: &dyn Position, actions: &[Action]) {
        if self.uct.progressive_bias.is_none() {
            return;
        }
        let before = position.lead(position.side()).unwrap_or(0.0);
        let gain = |&action: &Action| (action, (position.lead_after(action).unwrap_or(0.0) - before) as f32);
        *at(&mut self.gains, node) = actions.iter().map(gain).collect();
        self.memory += size_of_val(actions) * 2;
    }

    /// Adds a path that ends in a finished game to the statistics of all nodes on it.
    pub fn end(&mut self, storage: &TreeStorage, path: &[(usize, usize)]) {
        let value = storage.nodes[leaf(storage, path)].value;
        self.learn(storage, path, Playout { steps: &[], value, share: 1.0 });
    }

    /// Adds a play-out from the end of a path to the statistics of all nodes on it.
    pub fn learn(&mut self, storage: &TreeStorage, path: &[(usize, usize)], playout: Playout<'_>) {
        if self.uct.rave.is_none() {
            return;
        }
        self.keys.clear();
        self.keys.extend(playout.steps.iter().copied().map(key));
        self.keys.sort_unstable();
        self.keys.dedup();
        self.add(leaf(storage, path), playout);
        for &(node, edge) in path.iter().rev() {
            let key = key((storage.nodes[node].side, storage.actions[edge]));
            if let Err(place) = self.keys.binary_search(&key) {
                self.keys.insert(place, key);
            }
            self.add(node, playout);
        }
    }

    /// Adds a play-out with the actions `self.keys` to a node.
    fn add(&mut self, node: usize, playout: Playout<'_>) {
        let samples = at(&mut self.samples, node);
        let (mut place, known) = (0, samples.len());
        for &key in &self.keys {
            place += samples[place..].partition_point(|sample| sample.key < key);
            if samples.get(place).is_none_or(|sample| sample.key != key) {
                samples.insert(place, Sample { key, count: 0.0, total: 0.0 });
            }
            samples[place].count += playout.share;
            samples[place].total += playout.share * playout.value.seen_by(Side::First) as f32;
        }
        self.memory += (samples.len() - known) * size_of::<Sample>();
    }

    /// Number of play-outs of a node with an action of a side, and their mean outcome for that side; `None` without any.
    pub fn sample(&self, node: usize, side: Side, action: Action) -> Option<(f64, f64)> {
        let samples = self.samples.get(node)?;
        let place = samples.binary_search_by_key(&key((side, action)), |sample| sample.key).ok()?;
        let Sample { count, total, .. } = samples[place];
        Some((count.into(), Value::of(Side::First, f64::from(total) / f64::from(count)).seen_by(side)))
    }

    /// The term of the progressive bias of an action with `visits` visits.
    fn bias(&self, node: usize, action: Action, visits: u32) -> f64 {
        let Some((bias, gains)) = self.uct.progressive_bias.zip(self.gains.get(node)) else { return 0.0 };
        let gain = gains.binary_search_by_key(&action, |gain| gain.0).map_or(0.0, |place| gains[place].1.into());
        bias.weight * gain / (f64::from(visits) + 1.0)
    }

    /// The action that a descent follows from `node`, which has actions; the first closed one if it is new.
    pub fn choose(&mut self, storage: &mut TreeStorage, node: usize, spec: &SearchSpec, rng: &mut Rng) -> usize {
        let here = storage.nodes[node];
        let wanted = self.uct.rave.map_or(0, |rave| rave.reference);
        if node == ROOT || here.visits + 1 > wanted {
            self.reference = node;
        }
        let log = f64::from(here.visits.max(1)).ln();
        let (mut best, mut are_first) = (Best::new(spec.ties), false);
        for edge in here.edges() {
            let (is_first, mut score) = self.score(storage, here.side, edge, log);
            score += self.bias(node, storage.actions[edge], storage.visits[edge]);
            if is_first && !are_first {
                (best, are_first) = (Best::new(spec.ties), true);
            }
            if is_first == are_first {
                best.offer(edge, score, storage, rng);
            }
        }
        let edge = best.edge.expect("the node has actions");
        if !here.closed().contains(&edge) {
            return edge;
        }
        storage.bring_forward(node, edge);
        here.closed().start
    }

    /// Whether an action of `side` precedes all that do not, and its score without the bias; `log` is that of all visits.
    fn score(&self, storage: &TreeStorage, side: Side, edge: usize, log: f64) -> (bool, f64) {
        let count = storage.visits[edge];
        let visits = f64::from(count);
        let mean = if count > 0 { storage.totals[edge].mean(count).seen_by(side) } else { 0.0 };
        let (c, beta, all) = match (self.uct.rave, self.sample(self.reference, side, storage.actions[edge])) {
            (None, _) => (self.uct.c, 0.0, 0.0),
            (Some(rave), None) => (rave.c, 0.0, 0.0),
            (Some(rave), Some((m, all))) => (rave.c, rave.beta(visits, m), all),
        };
        let exploration = if count > 0 { c * (log / visits).sqrt() } else { 0.0 };
        (count == 0 && (c > 0.0 || beta == 0.0), (1.0 - beta) * mean + beta * all + exploration)
    }
}

/// The node at the end of a path.
fn leaf(storage: &TreeStorage, path: &[(usize, usize)]) -> usize {
    path.last().map_or(ROOT, |&(_, edge)| storage.child(edge))
}

/// The entry of a node, which is made if it is missing.
fn at<T: Default>(entries: &mut Vec<T>, node: usize) -> &mut T {
    if entries.len() <= node {
        entries.resize_with(node + 1, T::default);
    }
    &mut entries[node]
}
