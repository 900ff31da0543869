//! Tiny games and evaluators for this module's tests. None is a registered game.

use std::sync::Arc;

use rand::RngExt as _;

use super::{Evaluations, Evaluator, Leaf, Pure, SearchError, SearchSpec, SearchTask, Searcher, Tree};
use gauntlet_games::base::{Action, Outcome, Seed, Side};
use gauntlet_games::games::{Lookback, Past, Piece, Position, State, View};

/// Tic-tac-toe.
#[derive(Clone)]
pub struct Noughts {
    pieces: [Piece; 9],
    side: Side,
    last: Option<Action>,
}

const ROWS: [[usize; 3]; 8] = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

impl Noughts {
    /// The position after these actions.
    pub fn after(actions: &[u32]) -> Noughts {
        let mut position = Noughts { pieces: [Piece::EMPTY; 9], side: Side::First, last: None };
        actions.iter().for_each(|&action| State::play(&mut position, Action(action)));
        position
    }
}

impl State for Noughts {
    fn side(&self) -> Side {
        self.side
    }
    fn actions(&self, into: &mut Vec<Action>) {
        if State::outcome(self).is_none() {
            into.extend((0..9).filter(|&site| self.pieces[site].is_empty()).map(Action::from));
        }
    }
    fn play(&mut self, action: Action) {
        assert!(self.pieces[action.index()].is_empty(), "an illegal action");
        self.pieces[action.index()] = Piece::stone(self.side);
        self.last = Some(action);
        self.side = self.side.opponent();
    }
    fn outcome(&self) -> Option<Outcome> {
        let won = |side: &Side| ROWS.iter().any(|row| row.iter().all(|&site| self.pieces[site].side() == Some(*side)));
        let full = || self.pieces.iter().all(|piece| !piece.is_empty());
        Side::BOTH.into_iter().find(won).map(Outcome::Win).or_else(|| full().then_some(Outcome::Draw))
    }
    fn view(&self, view: &mut View) {
        *view = View { side: self.side, pieces: self.pieces.to_vec(), last: self.last, ..View::new() };
    }
}

/// A game given as a table: entry `i` has the side to move and the successors, or the outcome.
#[derive(Clone)]
pub struct Book {
    entries: Arc<Vec<BookEntry>>,
    at: usize,
    last: Option<Action>,
}

/// One position of a [`Book`].
pub enum BookEntry {
    /// This side moves to one of these entries.
    Turn(Side, Vec<usize>),
    /// The game is over; this side would be to move.
    End(Side, Outcome),
}

impl Book {
    pub fn new(entries: Vec<BookEntry>) -> Book {
        Book { entries: Arc::new(entries), at: 0, last: None }
    }

    /// A root with this many actions, each to a position of the opponent with two draws.
    pub fn bandit(arms: usize) -> Book {
        let mut entries = vec![BookEntry::Turn(Side::First, (1..=arms).collect())];
        entries.extend((0..arms).map(|_| BookEntry::Turn(Side::Second, vec![arms + 1, arms + 1])));
        entries.push(BookEntry::End(Side::First, Outcome::Draw));
        Book::new(entries)
    }
}

impl State for Book {
    fn side(&self) -> Side {
        match &self.entries[self.at] {
            BookEntry::Turn(side, _) | BookEntry::End(side, _) => *side,
        }
    }
    fn actions(&self, into: &mut Vec<Action>) {
        if let BookEntry::Turn(_, next) = &self.entries[self.at] {
            into.extend((0..next.len()).map(Action::from));
        }
    }
    fn play(&mut self, action: Action) {
        let BookEntry::Turn(_, next) = &self.entries[self.at] else { panic!("the game is over") };
        (self.at, self.last) = (next[action.index()], Some(action));
    }
    fn outcome(&self) -> Option<Outcome> {
        match &self.entries[self.at] {
            BookEntry::Turn(..) => None,
            BookEntry::End(_, outcome) => Some(*outcome),
        }
    }
    fn view(&self, view: &mut View) {
        *view = View { side: State::side(self), last: self.last, scalars: vec![self.at as f32], ..View::new() };
    }
}

/// Pseudo-random priors and values, as functions of the position's view.
#[derive(Clone, Copy)]
pub struct Hashed;

impl Evaluator for Hashed {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        let mut view = View::new();
        answer(leaves, out, |leaf| {
            leaf.position.view(&mut view);
            let View { side, pieces, last, scalars, .. } = &view;
            format!("View {{ side: {side:?}, pieces: {pieces:?}, last: {last:?}, scalars: {scalars:?} }}")
        });
        Ok(())
    }
}

impl Pure for Hashed {
    fn lookback(&self) -> Lookback {
        Lookback::LAST
    }
}

/// The same as functions of a position without its last action and of a part of its history.
#[derive(Clone, Copy)]
pub struct Looking {
    /// The history that it reads.
    pub at: Lookback,
    /// The history that it declares.
    pub claims: Lookback,
}

impl Evaluator for Looking {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        let (mut view, mut past) = (View::new(), Past::new());
        answer(leaves, out, |leaf| {
            leaf.position.view(&mut view);
            view.last = None;
            leaf.position.past(self.at, &mut past);
            format!("{view:?} {:?} {:?} {:?} {}", past.actions, past.pieces, past.repetitions, past.plies)
        });
        Ok(())
    }
}

impl Pure for Looking {
    fn lookback(&self) -> Lookback {
        self.claims
    }
}

/// Answers every leaf by a hash of the text that `read` returns.
fn answer(leaves: &[Leaf<'_>], out: &mut Evaluations, mut read: impl FnMut(&Leaf<'_>) -> String) {
    for (index, leaf) in leaves.iter().enumerate() {
        let text = read(leaf);
        let hash = text.bytes().fold(7_u64, |hash, byte| hash.wrapping_mul(0x100_0000_01b3) ^ u64::from(byte));
        let mut rng = Seed::new(hash).rng();
        let priors = out.priors_mut(index);
        priors.iter_mut().for_each(|prior| *prior = rng.random::<f32>().powi(2));
        let sum: f32 = priors.iter().sum();
        priors.iter_mut().for_each(|prior| *prior /= sum);
        out.set_value(index, rng.random_range(-1.0..1.0));
    }
}

/// The root's priors and value, and the value of each position one action below it; all others are even.
pub struct Fixed {
    pub priors: Vec<f32>,
    pub root: f32,
    pub arms: Vec<f32>,
}

impl Evaluator for Fixed {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        let mut view = View::new();
        for (index, leaf) in leaves.iter().enumerate() {
            leaf.position.view(&mut view);
            match view.last {
                None => {
                    out.priors_mut(index).copy_from_slice(&self.priors);
                    out.set_value(index, self.root);
                }
                Some(action) => {
                    let count = leaf.actions.len() as f32;
                    out.priors_mut(index).fill(1.0 / count);
                    // An arm's value is for the side that chose it, and below it the opponent is to move.
                    out.set_value(index, -self.arms[action.index()]);
                }
            }
        }
        Ok(())
    }
}

/// The tree of one search of one position.
pub fn grow(position: &dyn Position, spec: &SearchSpec, evaluator: &mut dyn Evaluator) -> Tree {
    let mut tree = Tree::new();
    search(&mut tree, position, spec, evaluator);
    tree
}

/// Searches one position in this tree.
pub fn search(tree: &mut Tree, position: &dyn Position, spec: &SearchSpec, evaluator: &mut dyn Evaluator) {
    let mut tasks = [SearchTask { tree, position, seed: Seed::new(5) }];
    Searcher::new(spec.clone()).search(&mut tasks, evaluator).expect("the evaluation is sound");
}

/// Visits of the root's actions.
pub fn visits(tree: &Tree) -> Vec<u32> {
    tree.search_result().children.iter().map(|child| child.visits).collect()
}

/// Settings as a manifest writes them.
pub fn spec(text: &str) -> SearchSpec {
    toml::from_str(text).expect("settings")
}
