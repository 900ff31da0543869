//! Lowers the rules of moves: the effects of each move, and its piece.

use super::super::program::{Change, Effect, EffectId, MoveKind, Register, Rule};
use super::super::schema::{Argument, IntWord, Role, Tree, Word};
use super::Lowering;

/// Maximum number of rules that make moves.
const MOST_RULES: usize = 250;

impl Lowering {
    /// A rule with the effects of its clauses (`to`, `between`) before its change.
    pub(super) fn rule(&mut self, tree: &Tree, kind: MoveKind, change: Change, clauses: &[&str]) -> u8 {
        let applied = clauses.iter().filter_map(|name| tree.tree(name)).filter_map(|clause| clause.tree("apply"));
        let effects: Vec<EffectId> = applied
            .map(|apply| match kind {
                MoveKind::Slide => self.effect_or_none(apply.get("effect")),
                _ => self.lower_apply(apply),
            })
            .collect();
        self.rule_after(tree, kind, change, effects)
    }

    /// A rule with these effects before its change.
    fn rule_after(&mut self, tree: &Tree, kind: MoveKind, change: Change, before: Vec<EffectId>) -> u8 {
        let before = self.sequence(before);
        let then = self.effect_or_none(tree.tree("then").and_then(|then| then.get("effect")));
        let then = self.with_outer(then);
        let same = |rule: &Rule| (rule.before, rule.change, rule.then) == (before, change, then);
        let class = self.program.rules.iter().find(|rule| same(rule)).map(|rule| rule.class);
        let class = class.unwrap_or_else(|| {
            self.program.classes.push(self.program.rules.len().min(MOST_RULES) as u8);
            self.program.classes.len().min(MOST_RULES) as u8 - 1
        });
        if self.program.rules.len() >= MOST_RULES {
            self.error(tree.place, format!("a game has at most {MOST_RULES} rules that make moves"));
            return 0;
        }
        super::intern(&mut self.program.rules, Rule { kind, before, change, then, class }) as u8
    }

    /// The effect of a move, followed by those of the enclosing ludemes.
    fn with_outer(&mut self, then: EffectId) -> EffectId {
        let mut all: Vec<EffectId> = self.thens.iter().rev().copied().collect();
        if all.is_empty() {
            return then;
        }
        if then != self.nothing() {
            all.insert(0, then);
        }
        self.sequence(all)
    }

    /// The kind of piece that a ludeme names, by colour to move.
    pub(super) fn piece_by_mover(&mut self, tree: &Tree) -> [u8; 3] {
        let clause = tree.tree("piece");
        let named: Vec<&Argument> = clause.into_iter().flat_map(|clause| clause.all("named")).collect();
        if named.len() > 1 {
            self.error(tree.place, "a choice of several pieces is not read: write one move for each");
        }
        let name = match named.first() {
            Some(Argument::Tree(Tree { word: Word::Int(IntWord::Id), .. })) => {
                let id = clause.and_then(|clause| clause.tree("named"));
                let kinds = id.map_or([0; 3], |id| self.kinds_by_mover(id, "text"));
                return kinds.map(|kinds| kinds.trailing_zeros().min(63) as u8);
            }
            Some(Argument::Tree(tree)) => {
                self.error(tree.place, "here a piece is named: `(piece \"Name\")`");
                None
            }
            Some(named) => named.text().map(str::to_owned),
            None => None,
        };
        let whose = tree.text("role").and_then(Role::read).unwrap_or(Role::Mover);
        let owners = match whose {
            Role::Neutral => [0; 3],
            Role::P1 => [1; 3],
            Role::P2 => [2; 3],
            Role::Next | Role::Enemy => [1, 2, 1],
            Role::Mover | Role::Each => [1, 1, 2],
        };
        match name {
            None => owners.map(|owner| self.first_of(owner)),
            Some(name) => {
                let one = |this: &mut Lowering, owner| this.kinds(&name, Some(owner), tree.place);
                let kinds = owners.map(|owner| one(self, owner));
                let neutral = one(self, 0);
                kinds.map(|kinds| if kinds == 0 { neutral } else { kinds }.trailing_zeros().min(63) as u8)
            }
        }
    }

    /// The rule of a promotion to a named piece or to one that the move determines.
    pub(super) fn promotion(&mut self, tree: &Tree) -> u8 {
        let named = tree.tree("piece").and_then(|clause| clause.tree("named"));
        if named.is_none_or(|named| named.word == Word::Int(IntWord::Id)) {
            let kinds = self.piece_by_mover(tree);
            return self.rule(tree, MoveKind::Promote, Change::Become(kinds), &[]);
        }
        let [at, piece] = [self.register(Register::To), self.piece_number(tree)];
        let before = self.effect(Effect::Promote { at, piece });
        self.rule_after(tree, MoveKind::Promote, Change::None, vec![before])
    }

    fn first_of(&self, owner: u8) -> u8 {
        let of = |piece: &super::super::program::PieceKind| piece.owner == owner && !piece.name.is_empty();
        self.program.pieces.iter().position(of).unwrap_or(0) as u8
    }
}
