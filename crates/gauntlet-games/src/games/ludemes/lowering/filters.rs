//! Lowers the moves of pieces by kind, and moves filtered by a condition on the position after them.

use super::super::program::{BoolId, Change, Int, Moves, MovesId, Rule};
use super::super::schema::Tree;
use super::Lowering;

impl Lowering {
    /// The moves of a kind of piece, with the enclosing effects.
    pub(super) fn own_moves(&mut self, kind: usize) -> Option<MovesId> {
        if self.thens.is_empty() {
            return self.program.pieces[kind].moves;
        }
        let way = self.ways.get(kind).cloned().flatten()?;
        Some(self.lower_moves(&way))
    }

    pub(super) fn filtered_moves(&mut self, tree: &Tree) -> Moves {
        let moves = self.moves_or_none(tree.get("moves"));
        let after = self.optional_bool(tree.get("ifAfterwards"));
        let after = after.unwrap_or_else(|| self.truth(true));
        Moves::Do(moves, after, self.free_at_once(moves, after))
    }

    /// If the condition after adding a stone is that its group has a liberty: the neighbours of which one empty site
    /// suffices.
    fn free_at_once(&self, moves: MovesId, after: BoolId) -> Option<super::NearId> {
        let super::Bool::Free(at, near) = self.bool_of(after) else { return None };
        let Moves::On { rule, .. } = self.program.moves[usize::from(moves.0)] else { return None };
        let puts = matches!(self.program.rules[usize::from(rule)].change, Change::Put(_));
        (puts && self.int_of(at) == Int::LastTo && self.only_removes(rule)).then_some(near)
    }

    /// Whether the effects of a rule, apart from its change, only remove pieces.
    fn only_removes(&self, rule: u8) -> bool {
        let Rule { before, then, .. } = self.program.rules[usize::from(rule)];
        [before, then].into_iter().all(|effect| self.program.removes(effect))
    }
}
