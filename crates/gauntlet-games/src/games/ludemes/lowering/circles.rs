//! Questions about moves whose answer asks them again: such a game could never be played.
//!
//! `(no Moves Next)` asks for all moves of a turn, `(is Threatened ...)` for those of all pieces, so that what they need may
//! ask them again. That comes to an end only where each time a piece has left a hand before: shogi's pawn may not be
//! dropped so that the king is mated, and dropping another one is no way out of it.

use std::collections::HashSet;

use super::super::program::{Change, Instruction, Moves, MovesId, Program};
use super::Lowering;

/// What has happened between a question and something that its answer needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Since {
    /// Nothing: the same position is looked at.
    Nothing,
    /// Pieces left hands, and nothing came into one.
    Drops,
    /// Any other move.
    Moves,
}

impl Lowering {
    /// Notes the questions about moves that would be asked without end.
    pub(super) fn circles(&mut self) {
        let asked = std::mem::take(&mut self.asked);
        for (index, &(question, place)) in asked.iter().enumerate() {
            let first = asked[..index].iter().all(|&(earlier, _)| earlier != question);
            if first && self.asks_itself(Instruction::Bool(question)) {
                self.error(place, ENDLESS);
            }
        }
    }

    /// Whether the answer to a question may need the answer to it in a position that is no simpler.
    fn asks_itself(&self, question: Instruction) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![(question, Since::Nothing)];
        while let Some((from, since)) = open.pop() {
            let next = needed(&self.program, from, since);
            if next.iter().any(|&(to, since)| to == question && since != Since::Drops) {
                return true;
            }
            open.extend(next.into_iter().filter(|&next| seen.insert(next)));
        }
        false
    }
}

/// What is said of such a question.
const ENDLESS: &str = "to answer this, it has to be answered again, and so without end; after a move, moves can be asked \
    for where that move only takes a piece out of a hand";

/// What an instruction needs, with what has happened before that is looked at.
fn needed(program: &Program, from: Instruction, since: Since) -> Vec<(Instruction, Since)> {
    let mut needed: Vec<(Instruction, Since)> =
        program.evaluated(from).into_iter().map(|instruction| (instruction, since)).collect();
    if let Instruction::Moves(id) = from
        && let Moves::Do(inner, after, _) = program.moves[usize::from(id.0)]
    {
        let since =
            if since != Since::Moves && only_drops(program, inner, false) { Since::Drops } else { Since::Moves };
        needed.extend([(Instruction::Made(inner), since), (Instruction::Bool(after), since)]);
    }
    needed
}

/// Whether all that the moves of a generator do is to take a piece out of a hand and to put it on the board.
fn only_drops(program: &Program, moves: MovesId, hand: bool) -> bool {
    match program.moves[usize::from(moves.0)] {
        Moves::None => true,
        Moves::Pieces { table, hand, .. } => program.rows(table).all(|row| only_drops(program, row, hand)),
        Moves::Or(a, b) | Moves::Priority(a, b) | Moves::If(_, a, b) => {
            only_drops(program, a, hand) && only_drops(program, b, hand)
        }
        Moves::Do(inner, ..) => only_drops(program, inner, hand),
        Moves::Any { rule, .. } => {
            let rule = program.rules[usize::from(rule)];
            hand && matches!(rule.change, Change::Carry { .. })
                && program.removes(rule.before)
                && program.removes(rule.then)
        }
        _ => false,
    }
}
