//! The tree of one search: descends, requests one evaluation at a time, and backs it up.
//!
//! The loop is in [`super::Searcher`], which alternates between many trees. Positions are not stored: a leaf's
//! position is replayed from the root on one scratch position.

use super::gumbel::GumbelRoot;
use super::hints::Hints;
use super::improved::Completed;
use super::pruned::Pruning;
use super::result::{Improved, RootChild, SearchResult};
use super::rules::{Endings, Gumbel, Rule};
use super::select::choose;
use super::spec::{Reuse, SearchSpec};
use super::storage::{Node, ROOT, TreeStorage};
use super::traces::Playout;
use super::value::Value;
use super::{Leaf, SearchError};
use gauntlet_games::base::{Action, Rng, Seed, Side};
use gauntlet_games::games::{Position, View};

/// The search tree of one game. It may be kept between moves.
///
/// After each move of the game, call [`Tree::played`], so that the next search may continue from it.
pub struct Tree {
    storage: TreeStorage,
    /// Buffer for the part that is kept when the root moves.
    spare: TreeStorage,
    /// The position at the root; `None` before the first search.
    root: Option<Box<dyn Position>>,
    /// The position that descents are replayed on.
    scratch: Option<Box<dyn Position>>,
    /// Node and action of every step from the root to the leaf.
    path: Vec<(usize, usize)>,
    /// The leaf that waits for its evaluation, and the start of its actions.
    pending: Option<(usize, usize)>,
    played: Vec<Action>,
    seed: Seed,
    rng: Rng,
    simulation: u32,
    /// Visits of the root at which the search ends.
    target: u32,
    /// Maximum of `target`.
    limit: u32,
    solves: bool,
    /// Whether values may exceed that of a won game.
    exceeds: bool,
    /// The pruning of forced visits in the results.
    pruning: Option<Pruning>,
    noise: Vec<f64>,
    /// The settings of a Gumbel search and its state at the root.
    gumbel: Option<Gumbel>,
    gumbel_root: GumbelRoot,
    /// The hints of a UCT search that has them.
    hints: Option<Hints>,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree::new()
    }
}

impl Tree {
    /// An empty tree.
    #[must_use]
    pub fn new() -> Tree {
        let seed = Seed::new(0);
        Tree {
            storage: TreeStorage::default(),
            spare: TreeStorage::default(),
            root: None,
            scratch: None,
            path: Vec::new(),
            pending: None,
            played: Vec::new(),
            seed,
            rng: seed.rng(),
            simulation: 0,
            target: 0,
            limit: 0,
            solves: false,
            exceeds: false,
            pruning: None,
            noise: Vec::new(),
            gumbel: None,
            gumbel_root: GumbelRoot::default(),
            hints: None,
        }
    }

    /// Records that this action was played. More may follow before the next search; the last one may be missing.
    pub fn played(&mut self, action: Action) {
        self.played.push(action);
    }

    /// Forgets the game and keeps the allocation.
    pub fn clear(&mut self) {
        self.storage.clear();
        self.played.clear();
        self.pending = None;
    }

    /// The search result at the root.
    #[must_use]
    pub fn search_result(&self) -> SearchResult {
        let Some(root) = self.storage.nodes.first() else { return SearchResult::default() };
        let opened = root.opened();
        let left = self.pruning.map(|pruning| pruning.left(&self.storage, root));
        let branch = |edge: usize| {
            let prior = self.storage.priors[edge];
            let visits = left.as_ref().map_or(self.storage.visits[edge], |left| left[edge - root.edges().start]);
            let exact = self.solves && opened.contains(&edge) && self.storage.nodes[self.storage.child(edge)].exact;
            let value = opened.contains(&edge).then(|| self.reported_value(self.storage.value(edge), root.side));
            RootChild { action: self.storage.actions[edge], prior, visits, value, exact }
        };
        let mut children: Vec<RootChild> = root.edges().map(branch).collect();
        children.sort_unstable_by_key(|branch| branch.action);
        let value = if root.exact { root.value } else { root.mean() };
        let (side, value) = (Some(root.side), self.reported_value(value, root.side));
        SearchResult { side, children, value, exact: root.exact, improved: self.improved() }
    }

    /// The reported value: at most that of a won game.
    fn reported_value(&self, value: Value, side: Side) -> f32 {
        let value = value.seen_by(side) as f32;
        if self.exceeds { value.clamp(-1.0, 1.0) } else { value }
    }

    /// The recommendation of a Gumbel search at its root.
    fn improved(&self) -> Option<Improved> {
        let (rule, root) = (self.gumbel.as_ref()?, self.storage.nodes.first()?);
        let action = self.gumbel_root.recommended(&self.storage, rule)?;
        let completed = Completed::of(&self.storage, root, rule);
        let weights = completed.weights(&self.storage, root, &mut Vec::new());
        let likely = |edge| (self.storage.actions[edge], weights.probability(&self.storage, root, edge) as f32);
        let mut policy: Vec<(Action, f32)> = root.edges().map(likely).collect();
        policy.sort_unstable_by_key(|&(action, _)| action);
        let policy = policy.into_iter().map(|(_, probability)| probability).collect();
        Some(Improved { policy, action, mixed: completed.mixed as f32 })
    }

    /// Starts a search of this position, which is not over: from the kept tree, or from an empty one.
    pub(super) fn begin(&mut self, position: &dyn Position, seed: Seed, spec: &SearchSpec) {
        self.seed = seed;
        self.rng = seed.child("tree", 0).rng();
        self.simulation = 0;
        self.solves = spec.solve;
        self.exceeds = spec.terminal_weight > 1.0;
        self.pruning = Pruning::of(spec);
        self.gumbel = if let Rule::Gumbel(rule) = spec.rule { Some(rule) } else { None };
        self.hints = Hints::of(spec);
        let is_fresh = spec.reuse == Reuse::Fresh || self.gumbel.is_some();
        let known = if is_fresh { None } else { self.find(position) };
        self.played.clear();
        self.pending = None;
        hold(&mut self.root, position);
        match known {
            Some(node) => self.continue_from(node, spec),
            None => {
                self.storage.clear();
                self.storage.nodes.push(Node::new(position.side()));
                self.target = fresh_target(spec);
            }
        }
        self.limit = match self.gumbel {
            Some(Gumbel { endings: Endings::Free, .. }) => 2 * self.target,
            _ => self.target,
        };
    }

    fn continue_from(&mut self, node: usize, spec: &SearchSpec) {
        self.storage.transplant(node, &mut self.spare);
        std::mem::swap(&mut self.storage, &mut self.spare);
        let visits = self.storage.nodes[ROOT].visits;
        self.target = if spec.reuse == Reuse::Keep { visits + spec.simulations.most() } else { fresh_target(spec) };
        self.add_root_noise(spec);
    }

    /// The node of a position: the one after the actions played since the last search, or one of its children.
    fn find(&mut self, position: &dyn Position) -> Option<usize> {
        if self.pending.is_some() || self.storage.nodes.is_empty() || self.played.is_empty() {
            return None;
        }
        let mut here = self.root.as_deref()?.fork();
        let mut node = ROOT;
        for &action in &self.played {
            let mut opened = self.storage.nodes[node].opened();
            let edge = opened.find(|&edge| self.storage.actions[edge] == action)?;
            here.play(action);
            node = self.storage.child(edge);
        }
        let (mut wanted, mut view) = (View::new(), View::new());
        position.view(&mut wanted);
        here.view(&mut view);
        if view != wanted {
            node = self.storage.nodes[node].opened().find_map(|edge| {
                let mut next = here.fork();
                next.play(self.storage.actions[edge]);
                next.view(&mut view);
                (view == wanted).then(|| self.storage.child(edge))
            })?;
        }
        (!self.storage.nodes[node].edges().is_empty()).then_some(node)
    }

    /// Simulates until a leaf must be evaluated. Returns false if the search is over.
    pub(super) fn gather(&mut self, spec: &SearchSpec) -> bool {
        if self.storage.nodes[ROOT].edges().is_empty() {
            let root = self.root.as_deref().expect("a search has begun");
            hold(&mut self.scratch, root);
            self.path.clear();
            return root.outcome().is_none() && self.wait(ROOT);
        }
        while self.storage.nodes[ROOT].visits < self.target && !(spec.solve && self.storage.nodes[ROOT].exact) {
            self.simulation += 1;
            if self.descend(spec) {
                return true;
            }
            self.hints.iter_mut().for_each(|hints| hints.end(&self.storage, &self.path));
            self.target += u32::from(self.target < self.limit);
        }
        false
    }

    /// Visits of the root at which the search ends.
    pub(super) fn target(&self) -> u32 {
        self.target
    }

    /// Makes the search end at this number of visits of the root.
    pub(super) fn end_at(&mut self, visits: u32) {
        (self.target, self.limit) = (visits, visits);
    }

    /// Visits of the root.
    pub(super) fn visits(&self) -> u32 {
        self.storage.nodes.first().map_or(0, |root| root.visits)
    }

    /// Whether the outcome under best play is known at the root.
    pub(super) fn is_solved(&self) -> bool {
        self.solves && self.storage.nodes.first().is_some_and(|root| root.exact)
    }

    /// Length of the last path.
    pub(super) fn depth(&self) -> usize {
        self.path.len()
    }

    /// The action that a Gumbel search recommends.
    pub(super) fn recommended(&self) -> Option<Action> {
        self.gumbel.as_ref().and_then(|rule| self.gumbel_root.recommended(&self.storage, rule))
    }

    /// Approximate size in bytes.
    pub(super) fn memory(&self) -> usize {
        self.storage.memory() + self.hints.as_ref().map_or(0, Hints::memory)
    }

    /// The nodes and actions.
    pub(super) fn storage(&self) -> &TreeStorage {
        &self.storage
    }

    /// The leaf that waits for its evaluation.
    pub(super) fn leaf(&self) -> Option<Leaf<'_>> {
        let (_, start) = self.pending?;
        let position = self.scratch.as_deref()?;
        Some(Leaf { position, actions: &self.storage.actions[start..], seed: &self.seed, simulation: self.simulation })
    }

    /// Whether a leaf waits for its evaluation.
    pub(super) fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }

    /// Applies the evaluation of the waiting leaf.
    pub(super) fn apply(&mut self, priors: &[f32], value: f32, spec: &SearchSpec) -> Result<(), SearchError> {
        check(priors, value)?;
        let (node, start) = self.pending.take().expect("a leaf waits");
        self.storage.expand(node, start, priors);
        if let (Some(hints), Some(position)) = (&mut self.hints, &self.scratch) {
            hints.expand(node, &**position, &self.storage.actions[start..]);
        }
        if let Some(noise) = spec.noise {
            noise.mix(&mut self.storage.priors[start..], &mut self.noise, &mut self.rng);
        }
        let value = Value::of(self.storage.nodes[node].side, f64::from(value));
        self.storage.nodes[node].value = value;
        match node {
            ROOT => self.begin_root(spec),
            _ => self.carry_up(value, false),
        }
        Ok(())
    }

    /// Adds a play-out of the last leaf to the hints.
    pub(super) fn learn(&mut self, playout: Playout<'_>) {
        self.hints.iter_mut().for_each(|hints| hints.learn(&self.storage, &self.path, playout));
    }

    /// Initialises a root that has just been expanded.
    fn begin_root(&mut self, spec: &SearchSpec) {
        self.add_root_noise(spec);
        if let Some(rule) = &self.gumbel {
            self.gumbel_root.begin(&mut self.storage, rule, self.target, &mut self.rng);
        }
    }

    fn add_root_noise(&mut self, spec: &SearchSpec) {
        if let Some(noise) = spec.root_noise {
            let edges = self.storage.nodes[ROOT].edges();
            noise.mix(&mut self.storage.priors[edges], &mut self.noise, &mut self.rng);
            self.storage.nodes[ROOT].ready = false;
        }
    }

    /// Runs one simulation. Returns whether it ends at a leaf that must be evaluated; otherwise it is complete.
    fn descend(&mut self, spec: &SearchSpec) -> bool {
        self.path.clear();
        let mut node = ROOT;
        while !self.storage.nodes[node].exact {
            let edge = match &mut self.hints {
                Some(hints) => hints.choose(&mut self.storage, node, spec, &mut self.rng),
                None => choose(&mut self.storage, node, spec, &mut self.gumbel_root, &mut self.rng),
            };
            self.path.push((node, edge));
            if edge == self.storage.nodes[node].closed().start {
                return self.open(node, spec);
            }
            node = self.storage.child(edge);
        }
        self.carry_up(self.storage.nodes[node].value, spec.solve);
        false
    }

    /// Adds the node at the end of the path. Returns whether it must be evaluated; not if the game is over.
    fn open(&mut self, parent: usize, spec: &SearchSpec) -> bool {
        let root = self.root.as_deref().expect("a search has begun");
        hold(&mut self.scratch, root);
        let position = self.scratch.as_deref_mut().expect("it has just been filled");
        self.path.iter().for_each(|&(_, edge)| position.play(self.storage.actions[edge]));
        let node = self.storage.open(parent, Node::new(position.side()));
        let Some(outcome) = position.outcome() else { return self.wait(node) };
        let value = Value::from(outcome).times(spec.terminal_weight);
        self.storage.nodes[node].exact = true;
        self.storage.nodes[node].value = value;
        self.carry_up(value, spec.solve);
        false
    }

    fn wait(&mut self, node: usize) -> bool {
        let start = self.storage.actions.len();
        self.scratch.as_deref().expect("the leaf's position stands there").actions(&mut self.storage.actions);
        self.pending = Some((node, start));
        true
    }

    /// Adds a value to every node on the path; `decided` says whether the leaf may solve the nodes above it.
    fn carry_up(&mut self, mut value: Value, mut decided: bool) {
        for &(node, edge) in self.path.iter().rev() {
            self.storage.visit(node, edge, value);
            decided = decided && self.storage.settle(node);
            if decided {
                value = self.storage.nodes[node].value;
            }
        }
    }
}

/// Visits of the root at the end of a search from an empty tree.
fn fresh_target(spec: &SearchSpec) -> u32 {
    spec.simulations.most() - u32::from(spec.count_root)
}

/// Copies a position into `held`, in the allocation of the previous one if possible.
fn hold(held: &mut Option<Box<dyn Position>>, from: &dyn Position) {
    let done = held.as_mut().is_some_and(|position| position.assign(from));
    if !done {
        *held = Some(from.fork());
    }
}

/// Refuses invalid evaluations. Slightly more than 1 is rounding.
fn check(priors: &[f32], value: f32) -> Result<(), SearchError> {
    let sound = priors.iter().fold(true, |sound, prior| sound & (0.0..=1.001).contains(prior));
    if sound && value.abs() <= 1.001 {
        return Ok(());
    }
    let nan = priors.iter().any(|prior| prior.is_nan());
    let fold = |start, pick: fn(f32, f32) -> f32| if nan { f32::NAN } else { priors.iter().copied().fold(start, pick) };
    Err(SearchError::Unsound {
        value,
        least: fold(f32::INFINITY, f32::min),
        greatest: fold(f32::NEG_INFINITY, f32::max),
    })
}

#[cfg(test)]
impl Tree {
    /// Panics unless every visit and every value of a node went through one of its actions.
    pub(super) fn check_conservation(&self) {
        for node in &self.storage.nodes {
            let opened = node.opened();
            assert_eq!(node.visits, opened.clone().map(|edge| self.storage.visits[edge]).sum::<u32>());
            assert!(node.closed().all(|edge| self.storage.visits[edge] == 0));
            let totals: f64 = opened.clone().map(|edge| self.storage.totals[edge].seen_by(node.side)).sum();
            assert!((totals - node.total.seen_by(node.side)).abs() < 1e-9);
            for edge in opened {
                let (child, visits) = (&self.storage.nodes[self.storage.child(edge)], self.storage.visits[edge]);
                // One visit yielded the child's own value; the others continued from there.
                let found = if child.exact {
                    Value::of(node.side, f64::from(visits) * child.value.seen_by(node.side))
                } else {
                    assert_eq!(visits, child.visits + 1);
                    let mut sum = child.total;
                    sum += child.value;
                    sum
                };
                assert!((found.seen_by(node.side) - self.storage.totals[edge].seen_by(node.side)).abs() < 1e-9);
            }
        }
    }

    /// The hints of the last search.
    pub(super) fn hints(&self) -> Option<&Hints> {
        self.hints.as_ref()
    }

    /// Restarts the halving of a Gumbel search in another way.
    pub(super) fn restart(&mut self, begin: impl FnOnce(&mut GumbelRoot, &mut TreeStorage)) {
        begin(&mut self.gumbel_root, &mut self.storage);
    }

    /// The parent and the action of each node but the root, in order of expansion, and its visits if the game is over
    /// there.
    pub(super) fn expanded(&self) -> Vec<(usize, Action, Option<u32>)> {
        let mut nodes = vec![(0, Action(0), None); self.storage.nodes.len() - 1];
        for (index, node) in self.storage.nodes.iter().enumerate() {
            for edge in node.opened() {
                let child = self.storage.child(edge);
                let ended = self.storage.nodes[child].exact.then_some(self.storage.visits[edge]);
                nodes[child - 1] = (index, self.storage.actions[edge], ended);
            }
        }
        nodes
    }

    /// The priors of every expanded node but the root.
    pub(super) fn interior_priors(&self) -> Vec<Vec<f32>> {
        let inside = self.storage.nodes.iter().skip(1).filter(|node| node.edges().len() > 1);
        inside.map(|node| self.storage.priors[node.edges()].to_vec()).collect()
    }

    /// Folds the whole tree, leaves first: `fold` gets a node's value and its followed actions with their results.
    pub(super) fn walk<T>(&self, fold: &impl Fn(f64, Vec<(RootChild, T)>) -> T) -> T {
        self.walk_from(ROOT, fold)
    }

    fn walk_from<T>(&self, node: usize, fold: &impl Fn(f64, Vec<(RootChild, T)>) -> T) -> T {
        let at = &self.storage.nodes[node];
        let branch = |edge: usize| {
            let (visits, prior, action) =
                (self.storage.visits[edge], self.storage.priors[edge], self.storage.actions[edge]);
            let (child, value) = (self.storage.child(edge), self.storage.value(edge).seen_by(at.side) as f32);
            let exact = self.storage.nodes[child].exact;
            (RootChild { action, prior, visits, value: Some(value), exact }, self.walk_from(child, fold))
        };
        fold(at.value.seen_by(at.side), at.opened().map(branch).collect())
    }
}
