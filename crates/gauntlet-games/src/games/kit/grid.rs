//! The [`Game`] implementation for games whose actions are the points of a grid, and perhaps one more.

use super::{Game, Layout, Offsite, Piece, Position, SetUpError, State, Topology, notation};
use crate::base::{Action, Side};

/// A game on a grid, where action `row * columns + column` plays on that point. If sides may pass, the pass is the
/// action after the last point. `A1` is the point at the bottom left, unless rows count from the top.
#[derive(Debug, Clone)]
pub struct GridGame<S> {
    name: String,
    start: S,
    topology: Topology,
    /// The name of the action after the last point, if there is one.
    extra: Option<&'static str>,
    alphabet: &'static [u8],
    from_top: bool,
    goals: [Vec<usize>; 2],
}

impl<S: State> GridGame<S> {
    /// The game `name` on a board of `rows` x `columns` points, with this starting position.
    #[must_use]
    pub fn new(name: String, [rows, columns]: [usize; 2], start: S) -> GridGame<S> {
        let topology = Topology::grid(rows, columns);
        GridGame {
            name,
            start,
            topology,
            extra: None,
            alphabet: notation::GO,
            from_top: false,
            goals: Default::default(),
        }
    }

    /// Adds a pass as the last action.
    #[must_use]
    pub fn with_pass(self) -> GridGame<S> {
        self.with_extra(notation::PASS)
    }

    /// Adds a last action of this name.
    #[must_use]
    pub fn with_extra(self, name: &'static str) -> GridGame<S> {
        GridGame { extra: Some(name), ..self }
    }

    /// Replaces the board by another one with equally many points.
    #[must_use]
    pub fn with_topology(self, topology: Topology) -> GridGame<S> {
        GridGame { topology, ..self }
    }

    /// Draws the board as squares.
    #[must_use]
    pub fn with_cells(self) -> GridGame<S> {
        GridGame { topology: self.topology.with_layout(Layout::Cells), ..self }
    }

    /// Names the columns as on a chess board.
    #[must_use]
    pub fn with_chess_names(self) -> GridGame<S> {
        GridGame { alphabet: notation::CHESS, ..self }
    }

    /// Counts rows from the top: `A1` is the point at the top left.
    #[must_use]
    pub fn with_rows_from_top(self) -> GridGame<S> {
        GridGame { from_top: true, ..self }
    }

    /// Sets the sites that each side has to join.
    #[must_use]
    pub fn with_goals(self, goals: [Vec<usize>; 2]) -> GridGame<S> {
        GridGame { goals, ..self }
    }

    /// Limits the board to the symmetries of [`Topology::with_gravity`], for games with falling discs.
    #[must_use]
    pub fn with_gravity(self) -> GridGame<S> {
        GridGame { topology: self.topology.with_gravity(), ..self }
    }

    /// Converts a row's index to its number and back.
    fn flip(&self, row: usize) -> usize {
        if self.from_top { row } else { self.topology.rows() - 1 - row }
    }
}

impl<S: State> Game for GridGame<S> {
    fn name(&self) -> String {
        self.name.clone()
    }
    fn start(&self) -> Box<dyn Position> {
        self.start.fork()
    }
    fn offsite(&self, action: Action) -> Option<Offsite> {
        let what = if self.extra == Some(notation::SWAP) { Offsite::Swap } else { Offsite::Pass };
        self.extra.filter(|_| action.index() == self.topology.sites()).map(|_| what)
    }
    fn swap_scalar(&self) -> Option<usize> {
        self.extra.filter(|&name| name == notation::SWAP).map(|_| 0)
    }
    fn goal(&self, side: Side) -> Vec<usize> {
        self.goals[side.index()].clone()
    }
    fn topology(&self) -> &Topology {
        &self.topology
    }
    fn action_count(&self) -> usize {
        self.topology.sites() + usize::from(self.extra.is_some())
    }
    fn action_name(&self, action: Action) -> String {
        let (site, columns) = (action.index(), self.topology.columns());
        if let Some(name) = self.extra.filter(|_| site == self.topology.sites()) {
            return name.into();
        }
        notation::name(self.alphabet, self.flip(site / columns) + 1, site % columns)
    }
    fn parse_action(&self, name: &str) -> Option<Action> {
        let null = self.extra == Some(notation::PASS) && name == notation::NULL_MOVE;
        if null || self.extra.is_some_and(|extra| name.eq_ignore_ascii_case(extra)) {
            return Some(Action::from(self.topology.sites()));
        }
        let (number, column) = notation::parse(self.alphabet, name)?;
        let inside = number <= self.topology.rows() && column < self.topology.columns();
        inside.then(|| Action::from(self.flip(number - 1) * self.topology.columns() + column))
    }
    fn set_up(&self, pieces: &[Piece], side: Side) -> Result<Box<dyn Position>, SetUpError> {
        let sites = self.topology.sites();
        if pieces.len() != sites {
            return Err(SetUpError::Sites { given: pieces.len(), sites });
        }
        Ok(Box::new(self.start.set_up(pieces, side)?))
    }
}

#[cfg(test)]
mod tests {
    use crate::games::GameSpec;

    #[test]
    fn points_are_named_from_the_bottom_or_from_the_top() {
        let read = |text: &str| serde_json::from_str::<GameSpec>(text).unwrap().build();
        let go = read(r#"{"go":{"size":9}}"#);
        assert_eq!([0, 8, 72, 81].map(|site: usize| go.action_name(site.into())), ["A9", "J9", "A1", "pass"]);
        let othello = read(r#"{"othello":{"size":8}}"#);
        assert_eq!([0, 7, 56, 64].map(|site: usize| othello.action_name(site.into())), ["A1", "H1", "A8", "pass"]);
        let gomoku = read(r#"{"gomoku":{"size":9}}"#);
        for wrong in ["K3", "A10", "A0", "pass"] {
            assert_eq!(gomoku.parse_action(wrong), None, "{wrong}");
        }
        assert_eq!(["Pass", "--"].map(|name| go.parse_action(name)), [Some(81.into()); 2]);
    }
}
