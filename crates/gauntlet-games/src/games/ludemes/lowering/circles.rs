//! Detects circular queries about moves, which make a game unplayable.
//!
//! `(no Moves Next)` needs all moves of a turn, `(is Threatened ...)` those of all pieces, so that their evaluation
//! may need the same query again. The recursion ends only if a piece has left a hand each time: a pawn drop in shogi
//! may not give mate, and dropping another one does not answer the check.

use std::collections::HashSet;

use super::super::program::{Change, Instruction, Moves, MovesId, Program};
use super::Lowering;

/// The moves between a query and another one that its evaluation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Since {
    /// No moves: the same position.
    Nothing,
    /// Only drops of pieces from hands.
    Drops,
    /// Any other move.
    Moves,
}

impl Lowering {
    /// Reports queries about moves that would never end.
    pub(super) fn circles(&mut self) {
        let asked = std::mem::take(&mut self.asked);
        for (index, &(question, place)) in asked.iter().enumerate() {
            let first = asked[..index].iter().all(|&(earlier, _)| earlier != question);
            if first && self.asks_itself(Instruction::Bool(question)) {
                self.error(place, ENDLESS);
            }
        }
    }

    /// Whether the evaluation of a query may need the same query in a position that is no simpler.
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

/// The error message for such a query.
const ENDLESS: &str = "to answer this, it has to be answered again, and so without end; after a move, moves can be asked \
    for where that move only takes a piece out of a hand";

/// The instructions that an instruction needs, with the moves in between.
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

/// Whether all moves of a generator only drop a piece from a hand onto the board.
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
