//! The [`Game`] of every game whose actions are the points of a square board.

use super::{BoardSize, Game, Position, State, Topology, notation};
use crate::base::Action;

/// A game on a square board, where action `row * size + column` plays on that point.
#[derive(Debug, Clone)]
pub struct SquareGame<S> {
    name: String,
    size: usize,
    start: S,
    topology: Topology,
}

impl<S: State> SquareGame<S> {
    /// The game `name` on a board of this size, from this position.
    #[must_use]
    pub fn new(name: String, size: BoardSize, start: S) -> SquareGame<S> {
        let size = size.get();
        SquareGame { name, size, start, topology: Topology::square(size) }
    }
}

impl<S: State> Game for SquareGame<S> {
    fn name(&self) -> String {
        self.name.clone()
    }
    fn start(&self) -> Box<dyn Position> {
        self.start.fork()
    }
    fn topology(&self) -> &Topology {
        &self.topology
    }
    fn action_count(&self) -> usize {
        self.size * self.size
    }
    fn action_name(&self, action: Action) -> String {
        notation::name(action.index(), self.size)
    }
    fn parse_action(&self, name: &str) -> Option<Action> {
        notation::parse(name, self.size).map(Action::from)
    }
}
