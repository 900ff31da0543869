//! Alpha-beta search of one position: minimax values, without the children that cannot change them.
//!
//! A search may have a table of positions (a transposition table, Slate and Atkin 1977), which lives as long as the
//! search. The table holds the value at a number of plies, or a bound of it, and the best action. It never changes a
//! value:
//!
//! * A value is used again at exactly its number of plies, so that it equals the value of a search without the table.
//! * A value is used again only in games in which equal keys mean equal futures
//!   ([`Position::has_history`]). In Go, chess and described games, where a repetition or a count of plies may end the
//!   game, the table only orders actions.
//! * The key has 128 bits: two different positions of a search of ten million nodes share one with a probability
//!   below 10^-24.

use std::collections::HashMap;
use std::time::Instant;

use crate::players::chooser::keep_best;
use gauntlet_games::base::{Action, Outcome, Side, Stop};
use gauntlet_games::games::Position;

/// Above every lead.
const WIN: f64 = 1e9;

/// Depth of the last iteration, in plies: a longer forced line would only fill the stack.
const DEEPEST: u32 = 60;

/// Nodes between two looks at the clock.
const PATIENCE: u64 = 64;

/// A search with a budget.
pub(super) struct Minimax {
    /// Nodes that it may still visit. Every action that it tries is a node.
    pub left: u64,
    /// The time at which it ends, once one ply is complete; checked every [`PATIENCE`] nodes.
    deadline: Option<Instant>,
    /// Whether a leaf since the start of the iteration was not over, so that a deeper search may find more.
    is_open: bool,
    /// A request that ends it at once; looked at as often as the clock.
    stop: Stop,
    /// The positions met so far; `None` for a search without a table.
    table: Option<HashMap<u128, TableEntry>>,
}

/// An entry of the table.
#[derive(Clone, Copy)]
struct TableEntry {
    /// Plies that the value looks ahead.
    depth: u32,
    value: f64,
    bound: Bound,
    /// The action with that value.
    best: Action,
    is_open: bool,
}

/// The relation of a stored value to the true one.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Exact,
    Lower,
    Upper,
}

impl Minimax {
    /// A search without a table and without a limit.
    pub fn plain() -> Minimax {
        Minimax { left: u64::MAX, deadline: None, is_open: false, stop: Stop::default(), table: None }
    }

    /// A search with a table that visits at most `nodes` nodes.
    pub fn within(nodes: u64) -> Minimax {
        Minimax { left: nodes, table: Some(HashMap::new()), ..Minimax::plain() }
    }

    /// The same until a stop is requested; its results are then meaningless.
    pub fn until(self, stop: &Stop) -> Minimax {
        Minimax { stop: stop.clone(), ..self }
    }

    /// Keeps the actions with the best value at `depth` plies, their own included, in their order. Returns that value,
    /// or `None` if the budget ends before; the actions are then meaningless.
    pub fn keep_best(&mut self, position: &dyn Position, actions: &mut Vec<Action>, depth: u32) -> Option<f64> {
        let (mut best, mut is_complete) = (f64::NEG_INFINITY, true);
        self.is_open = false;
        keep_best(actions, |action| {
            // The window includes the best value so far, so that ties are exact.
            let value = self.after(position, action, depth, best.next_down(), f64::INFINITY);
            is_complete &= value.is_some();
            best = value.map_or(best, |value| best.max(value));
            value
        });
        is_complete.then_some(best)
    }

    /// The best actions of the deepest iteration that the budget and the deadline allow, ascending: depths from 1 on, the
    /// best actions of one iteration first in the next. It ends early when a win or a loss is certain, or all games end.
    pub fn deepen(&mut self, position: &dyn Position, deadline: Option<Instant>) -> Vec<Action> {
        let mut order = Vec::new();
        position.actions(&mut order);
        self.left = self.left.max(order.len() as u64);
        let mut best = order.clone();
        for depth in 1..=DEEPEST {
            let mut kept = order.clone();
            let Some(value) = self.keep_best(position, &mut kept, depth) else { break };
            best = kept;
            if !self.is_open || value.abs() >= WIN || order.len() == 1 {
                break;
            }
            order.sort_by_key(|action| !best.contains(action));
            self.deadline = deadline;
        }
        best.sort_unstable();
        best
    }

    /// The value of an action for the side to move, at `depth` plies including this one; a bound if it lies outside
    /// `alpha` to `beta`. `None` if the budget ends.
    fn after(&mut self, position: &dyn Position, action: Action, depth: u32, alpha: f64, beta: f64) -> Option<f64> {
        self.left = self.left.checked_sub(1)?;
        if self.left.is_multiple_of(PATIENCE) {
            let is_late = self.deadline.is_some_and(|end| Instant::now() >= end);
            if is_late || self.stop.is_requested() {
                self.left = 0;
                return None;
            }
        }
        let side = position.side();
        if let Some(outcome) = position.outcome_after(action) {
            return Some(end(outcome, side, depth));
        }
        if depth == 1 {
            self.is_open = true;
            return Some(position.lead_after(action).unwrap_or(0.0));
        }
        let mut next = position.fork();
        next.play(action);
        match next.side() == side {
            true => self.best(&*next, depth - 1, alpha, beta),
            false => self.best(&*next, depth - 1, -beta, -alpha).map(|value| -value),
        }
    }

    /// The value of a position that is not over, for its side to move, from the table if it is there.
    fn best(&mut self, position: &dyn Position, depth: u32, alpha: f64, beta: f64) -> Option<f64> {
        let key = self.table.is_some().then(|| position.key());
        let known = key.and_then(|key| self.table.as_ref()?.get(&key).copied());
        let value = known.filter(|_| !position.has_history()).and_then(|known| known.value(depth, alpha, beta));
        if let (Some(value), Some(known)) = (value, known) {
            self.is_open |= known.is_open;
            return Some(value);
        }
        let was_open = std::mem::take(&mut self.is_open);
        let (value, best) = self.search(position, known.map(|known| known.best), depth, alpha, beta)?;
        if let (Some(key), Some(table)) = (key, &mut self.table) {
            let bound = Bound::of(value, alpha, beta);
            table.insert(key, TableEntry { depth, value, bound, best, is_open: self.is_open });
        }
        self.is_open |= was_open;
        Some(value)
    }

    /// The value of a position and the action that has it; the action `first` is tried first.
    fn search(
        &mut self,
        position: &dyn Position,
        first: Option<Action>,
        depth: u32,
        alpha: f64,
        beta: f64,
    ) -> Option<(f64, Action)> {
        let mut actions = Vec::new();
        position.actions(&mut actions);
        if let Some(at) = first.and_then(|first| actions.iter().position(|&action| action == first)) {
            actions[..=at].rotate_right(1);
        }
        let mut most = (f64::NEG_INFINITY, actions[0]);
        for action in actions {
            let value = self.after(position, action, depth, alpha.max(most.0), beta)?;
            if value > most.0 {
                most = (value, action);
            }
            if value >= beta {
                break;
            }
        }
        Some(most)
    }
}

impl TableEntry {
    /// The value, if it decides a search to `depth` plies in the window from `alpha` to `beta`.
    fn value(&self, depth: u32, alpha: f64, beta: f64) -> Option<f64> {
        let decides = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
        };
        (self.depth == depth && decides).then_some(self.value)
    }
}

impl Bound {
    /// The meaning of a value that a search in the window from `alpha` to `beta` returned.
    fn of(value: f64, alpha: f64, beta: f64) -> Bound {
        match value {
            value if value <= alpha => Bound::Upper,
            value if value >= beta => Bound::Lower,
            _ => Bound::Exact,
        }
    }
}

/// The value of an outcome with `depth` plies left: earlier wins and later losses are better.
pub(super) fn end(outcome: Outcome, side: Side, depth: u32) -> f64 {
    outcome.score(side) * (WIN + f64::from(depth))
}
