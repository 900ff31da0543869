//! Memory of a tree's nodes and actions: flat arrays with 32-bit indices, reused by the next search.
//!
//! The actions of a node are one range. Followed actions come first, so that scoring a node need not read the others:
//! of those, only the best can be next. This file stores; it does not choose.

use std::ops::Range;

use super::value::Value;
use gauntlet_games::base::{Action, Side};

/// The root of every tree.
pub(super) const ROOT: usize = 0;

/// A position of the tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// The side to move.
    pub side: Side,
    /// Whether `value` is the outcome under best play, as it always is if the game is over.
    pub exact: bool,
    /// Whether the first unvisited action is the best of the unvisited ones.
    pub ready: bool,
    start: u32,
    count: u32,
    opened: u32,
    /// Simulations that continued through one of its actions.
    pub visits: u32,
    /// Sum of the values of those simulations.
    pub total: Value,
    /// The evaluation, or the outcome.
    pub value: Value,
}

impl Node {
    /// A node without actions.
    #[inline]
    pub fn new(side: Side) -> Node {
        let (total, value) = (Value::ZERO, Value::ZERO);
        Node { side, exact: false, ready: false, start: 0, count: 0, opened: 0, visits: 0, total, value }
    }

    /// All of its actions.
    #[inline]
    pub fn edges(&self) -> Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }

    /// The actions that lead to a node of the tree.
    #[inline]
    pub fn opened(&self) -> Range<usize> {
        self.start as usize..(self.start + self.opened) as usize
    }

    /// The actions that do not yet.
    #[inline]
    pub fn closed(&self) -> Range<usize> {
        (self.start + self.opened) as usize..(self.start + self.count) as usize
    }

    /// Mean of the evaluation and of all values below.
    #[inline]
    pub fn mean(&self) -> Value {
        let mut sum = self.total;
        sum += self.value;
        sum.mean(self.visits + 1)
    }
}

/// The nodes and actions of one tree.
#[derive(Debug, Default)]
pub(super) struct TreeStorage {
    pub nodes: Vec<Node>,
    pub actions: Vec<Action>,
    pub priors: Vec<f32>,
    pub visits: Vec<u32>,
    pub totals: Vec<Value>,
    /// Scratch memory: one number for each action of a node.
    pub weights: Vec<f64>,
    children: Vec<u32>,
}

impl TreeStorage {
    /// Empties the storage and keeps its allocation.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.actions.clear();
        self.priors.clear();
        self.visits.clear();
        self.totals.clear();
        self.children.clear();
    }

    /// Approximate size in bytes.
    pub fn memory(&self) -> usize {
        let action = size_of::<Action>() + size_of::<f32>() + size_of::<Value>() + 2 * size_of::<u32>();
        self.nodes.len() * size_of::<Node>() + self.actions.len() * action
    }

    /// The node that an opened action leads to.
    #[inline]
    pub fn child(&self, edge: usize) -> usize {
        self.children[edge] as usize
    }

    /// The mean value below an expanded action; exact if that is known.
    #[inline]
    pub fn value(&self, edge: usize) -> Value {
        match self.nodes[self.child(edge)] {
            Node { exact: true, value, .. } => value,
            _ => self.totals[edge].mean(self.visits[edge]),
        }
    }

    /// Gives a node its actions: those at the end of `self.actions`, from `start`, with `priors`.
    pub fn expand(&mut self, node: usize, start: usize, priors: &[f32]) {
        let end = self.actions.len();
        debug_assert_eq!(priors.len(), end - start, "a prior for each action");
        self.priors.extend_from_slice(priors);
        self.visits.resize(end, 0);
        self.totals.resize(end, Value::ZERO);
        self.children.resize(end, 0);
        self.nodes[node].start = index(start);
        self.nodes[node].count = index(end - start);
    }

    /// Adds the child node of a node's first closed action.
    #[inline]
    pub fn open(&mut self, node: usize, child: Node) -> usize {
        let parent = &mut self.nodes[node];
        let edge = parent.closed().start;
        parent.opened += 1;
        parent.ready = false;
        self.children[edge] = index(self.nodes.len());
        self.nodes.push(child);
        self.nodes.len() - 1
    }

    /// Makes an action the first of its node's closed ones.
    #[inline]
    pub fn bring_forward(&mut self, node: usize, edge: usize) {
        let front = self.nodes[node].closed().start;
        self.actions.swap(front, edge);
        self.priors.swap(front, edge);
        self.nodes[node].ready = true;
    }

    /// Records that a simulation went through this action of this node with the value `value`.
    #[inline]
    pub fn visit(&mut self, node: usize, edge: usize, value: Value) {
        self.visits[edge] += 1;
        self.totals[edge] += value;
        self.nodes[node].visits += 1;
        self.nodes[node].total += value;
    }

    /// Solves a node from its children: if one is won, or if all are solved. Returns whether it is now solved.
    pub fn settle(&mut self, node: usize) -> bool {
        let Node { side, .. } = self.nodes[node];
        let mut best = f64::NEG_INFINITY;
        let mut all = self.nodes[node].closed().is_empty();
        for edge in self.nodes[node].opened() {
            let child = &self.nodes[self.child(edge)];
            match child.exact {
                true => best = best.max(child.value.seen_by(side)),
                false => all = false,
            }
        }
        if !all && best < 1.0 {
            return false;
        }
        self.nodes[node].value = Value::of(side, best);
        self.nodes[node].exact = true;
        true
    }

    /// Copies the tree below `node` into an empty storage, as its root.
    pub fn transplant(&self, node: usize, into: &mut TreeStorage) {
        into.clear();
        into.nodes.push(self.nodes[node]);
        let mut at = 0;
        while at < into.nodes.len() {
            let (edges, opened) = (into.nodes[at].edges(), into.nodes[at].opened());
            let start = into.actions.len();
            into.actions.extend_from_slice(&self.actions[edges.clone()]);
            into.priors.extend_from_slice(&self.priors[edges.clone()]);
            into.visits.extend_from_slice(&self.visits[edges.clone()]);
            into.totals.extend_from_slice(&self.totals[edges.clone()]);
            into.children.resize(into.actions.len(), 0);
            for (edge, old) in (start..).zip(opened) {
                into.children[edge] = index(into.nodes.len());
                into.nodes.push(self.nodes[self.child(old)]);
            }
            into.nodes[at].start = index(start);
            at += 1;
        }
    }
}

fn index(number: usize) -> u32 {
    u32::try_from(number).expect("a tree of the most simulations has fewer than 2^32 actions")
}
