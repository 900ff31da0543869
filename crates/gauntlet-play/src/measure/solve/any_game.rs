//! The solver for any game: the exact value of a position by the rules alone.
//!
//! It asks whether the value is a win, and if not, whether it is at least a draw: alpha-beta with null windows, to the end
//! of the game. Actions that end the game, or after which the other side wins at once, need no search, and neither do
//! those whose answer is in the table. Of the others, the first is the one that decided when the position was met before.
//! Then come those that leave the other side fewer replies, and then those that decided elsewhere (the history
//! heuristic, Schaeffer 1983).
//!
//! Positions share values only if equal keys mean equal futures ([`Position::has_history`]); these games have no
//! cycles. In other games the table only orders actions, so that a repetition or a limit of plies counts as in the game.

use super::budget::{Aborted, NodeBudget};
use super::table::{Name, TranspositionTable};
use gauntlet_games::base::{Action, Side};
use gauntlet_games::games::Position;

/// The longest line in plies: a longer one would fill the stack.
const DEEPEST: usize = 400;

/// Below a loss.
const NOTHING: i8 = -2;

/// A solver of positions of one game.
pub(super) struct AnyGame {
    table: TranspositionTable,
    /// The plies of the line that is searched.
    levels: Vec<Level>,
    /// How often each action decided, by side.
    decided: [Vec<u64>; 2],
    /// A buffer.
    actions: Vec<Action>,
}

/// A ply of a line: its position, and the actions that need a search, in their order.
struct Level {
    position: Box<dyn Position>,
    moves: Vec<Move>,
}

/// An action with its rank: the least is searched first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Move {
    is_new: bool,
    replies: usize,
    undecided: u64,
    action: Action,
}

impl AnyGame {
    /// A solver with this table.
    pub fn new(table: TranspositionTable) -> AnyGame {
        AnyGame { table, levels: Vec::new(), decided: [Vec::new(), Vec::new()], actions: Vec::new() }
    }

    /// Forgets all earlier positions.
    pub fn clear(&mut self) {
        self.table.clear();
        self.decided.iter_mut().for_each(Vec::clear);
    }

    /// The value of a position that is not over, for its side to move.
    pub fn value(&mut self, position: &dyn Position, budget: &mut NodeBudget<'_>) -> Result<i8, Aborted> {
        self.levels.clear();
        self.levels.push(Level { position: position.fork(), moves: Vec::new() });
        match self.search(0, 1, budget)? {
            0 => self.search(0, 0, budget),
            value => Ok(value),
        }
    }

    /// A bound of the value of the position at a level, for its side to move: a lower one if the value is at least
    /// `least`, else an upper one.
    fn search(&mut self, at: usize, least: i8, budget: &mut NodeBudget<'_>) -> Result<i8, Aborted> {
        budget.spend()?;
        let position = &*self.levels[at].position;
        let (name, is_shared, side) = (name(position), !position.has_history(), position.side());
        let mut known = self.table.get(name);
        if let Some(answer) = known.answer(least) {
            return Ok(answer);
        }
        if at == DEEPEST {
            return Err(Aborted);
        }
        let mut most = self.expand(at, least, known.best);
        let mut index = 0;
        while most < least && index < self.levels[at].moves.len() {
            let action = self.levels[at].moves[index].action;
            most = most.max(self.after(at, action, least, budget)?);
            if most >= least {
                known.best = action.0;
                self.credit(side, action);
            }
            index += 1;
        }
        if is_shared {
            known.learn(least, most);
        }
        self.table.put(name, known);
        Ok(most)
    }

    /// A bound of the value of an action at a level, as of its position.
    fn after(&mut self, at: usize, action: Action, least: i8, budget: &mut NodeBudget<'_>) -> Result<i8, Aborted> {
        match self.play(at, action) {
            true => self.search(at + 1, least, budget),
            false => self.search(at + 1, 1 - least, budget).map(|value| -value),
        }
    }

    /// Plays an action on the level above. Returns whether the same side moves again.
    fn play(&mut self, at: usize, action: Action) -> bool {
        if self.levels.len() == at + 1 {
            let position = self.levels[at].position.fork();
            self.levels.push(Level { position, moves: Vec::new() });
        }
        let (below, above) = self.levels.split_at_mut(at + 1);
        let (from, next) = (&*below[at].position, &mut above[0].position);
        next.assign(from);
        next.play(action);
        next.side() == from.side()
    }

    /// Lists the actions at a level that need a search, in their order. Returns the best value of the others, which decides if
    /// it is at least `least`.
    fn expand(&mut self, at: usize, least: i8, best: u32) -> i8 {
        let mut most = NOTHING;
        let (mut moves, mut actions) = (std::mem::take(&mut self.levels[at].moves), Vec::new());
        moves.clear();
        self.levels[at].position.actions(&mut actions);
        let side = self.levels[at].position.side();
        for action in actions {
            match self.plain(at, action, least) {
                Ok(value) => most = most.max(value),
                Err(replies) => {
                    let decided = self.decided[side.index()].get(action.index()).copied().unwrap_or(0);
                    moves.push(Move { is_new: action.0 != best, replies, undecided: u64::MAX - decided, action });
                }
            }
            if most >= least {
                break;
            }
        }
        moves.sort_unstable();
        self.levels[at].moves = moves;
        most
    }

    /// The value of an action at a level, or a bound of it that suffices for the question, if no search is needed. Otherwise
    /// the number of replies of the other side, 0 if the same side moves again.
    fn plain(&mut self, at: usize, action: Action, least: i8) -> Result<i8, usize> {
        let moves_again = self.play(at, action);
        let (side, next) = (self.levels[at].position.side(), &*self.levels[at + 1].position);
        if let Some(outcome) = next.outcome() {
            return Ok(outcome.score(side) as i8);
        }
        let known = self.table.get(name(next));
        if moves_again {
            return known.answer(least).ok_or(0);
        }
        if let Some(answer) = known.answer(1 - least) {
            return Ok(-answer);
        }
        self.actions.clear();
        next.decisive(&mut self.actions, &mut Vec::new());
        if !self.actions.is_empty() {
            return Ok(-1);
        }
        next.actions(&mut self.actions);
        Err(self.actions.len())
    }

    /// Remembers that an action decided.
    fn credit(&mut self, side: Side, action: Action) {
        let decided = &mut self.decided[side.index()];
        decided.resize(decided.len().max(action.index() + 1), 0);
        decided[action.index()] += 1;
    }
}

/// The name of a position by its key.
fn name(position: &dyn Position) -> Name {
    let key = position.key();
    [key as u64, (key >> 64) as u64]
}
