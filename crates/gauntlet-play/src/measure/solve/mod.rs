//! Exact values of positions: the outcome of a game in which neither side makes a mistake.
//!
//! There is one solver for all games, and a faster one for Connect Four. Their answers are equal. Every answer is exact: a
//! position that the budget does not suffice for has none.

mod any_game;
mod budget;
mod connect_four;
mod table;
#[cfg(test)]
mod tests;

use any_game::AnyGame;
use budget::NodeBudget;
use connect_four::{ConnectFour, Shape};
use gauntlet_games::base::{Action, Stop};
use gauntlet_games::games::{GameSpec, Position};
use table::TranspositionTable;

/// Solves positions of one game.
pub struct Solver {
    method: Method,
    nodes: u64,
}

enum Method {
    AnyGame(AnyGame),
    ConnectFour(ConnectFour),
}

impl Solver {
    /// A solver with a budget of nodes for each position. Its table takes 16 bytes a node, at most 64 MiB.
    #[must_use]
    pub fn new(game: &GameSpec, nodes: u64) -> Solver {
        let shape = match game {
            GameSpec::ConnectFour(spec) if spec.row.get() == 4 => Shape::new([spec.rows.get(), spec.columns.get()]),
            _ => None,
        };
        match shape {
            Some(shape) => {
                Solver { method: Method::ConnectFour(ConnectFour::new(shape, TranspositionTable::new(nodes))), nodes }
            }
            None => Solver::of_any_game(nodes),
        }
    }

    /// The solver for all games.
    fn of_any_game(nodes: u64) -> Solver {
        Solver { method: Method::AnyGame(AnyGame::new(TranspositionTable::new(nodes))), nodes }
    }

    /// The legal actions of a position that is not over, each with its value for the side to move: win 1, draw 0, loss -1.
    /// `None` if the budget does not suffice for all of them. The answer does not depend on earlier positions.
    pub fn values(&mut self, position: &dyn Position, stop: &Stop) -> Option<Vec<(Action, i8)>> {
        match &mut self.method {
            Method::AnyGame(solver) => solver.clear(),
            Method::ConnectFour(solver) => solver.clear(),
        }
        let (mut budget, mut actions) = (NodeBudget::new(self.nodes, stop), Vec::new());
        position.actions(&mut actions);
        let value = |action| Some((action, self.value_after(position, action, &mut budget)?));
        actions.into_iter().map(value).collect()
    }

    /// The value of an action for the side to move.
    fn value_after(&mut self, position: &dyn Position, action: Action, budget: &mut NodeBudget<'_>) -> Option<i8> {
        let (side, mut next) = (position.side(), position.fork());
        next.play(action);
        if let Some(outcome) = next.outcome() {
            return Some(outcome.score(side) as i8);
        }
        let value = match &mut self.method {
            Method::AnyGame(solver) => solver.value(&*next, budget),
            Method::ConnectFour(solver) => solver.value(&*next, budget),
        };
        value.ok().map(|value| if next.side() == side { value } else { -value })
    }
}
