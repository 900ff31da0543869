//! Lowers the ludemes of effects (captures, promotions, counters and turns that follow a move) to [`Effect`]s.

use super::super::program::{BoolId, Effect, EffectId, Int, IntId, Region, RegionId, Register};
use super::super::schema::{Argument, EffectWord, IntWord, Tree, Word};
use super::Lowering;

impl Lowering {
    /// Lowers an effect, with those that follow it.
    pub(super) fn lower_effect(&mut self, argument: &Argument) -> EffectId {
        let Argument::Tree(tree) = argument else { return self.nothing() };
        let Word::Effect(word) = tree.word else { return self.nothing() };
        let effect = self.effect_word(word, tree);
        match tree.tree("then").and_then(|then| then.get("effect")) {
            Some(then) => {
                let then = self.lower_effect(then);
                self.effect(Effect::Seq(effect, then))
            }
            None => effect,
        }
    }

    fn effect_word(&mut self, word: EffectWord, tree: &Tree) -> EffectId {
        let effect = match word {
            EffectWord::And | EffectWord::Or | EffectWord::Seq => {
                let parts = tree.all("effect").map(|part| self.lower_effect(part)).collect();
                return self.sequence(parts);
            }
            EffectWord::If => {
                let condition = tree.get("bool").map_or(BoolId(0), |condition| self.lower_bool(condition));
                let [then, other] = ["effect", "else"].map(|name| self.effect_or_none(tree.get(name)));
                Effect::If(condition, then, other)
            }
            EffectWord::Vote => Effect::None,
            EffectWord::RemoveNow => {
                Effect::Remove(tree.get("place").map_or(RegionId(0), |place| self.lower_region(place)))
            }
            EffectWord::Remove => {
                if tree.get("level").is_some() {
                    self.error(tree.place, "`level:` is not read here; `(fromTo (from ... level:) ...)` is");
                }
                Effect::Remove(tree.get("place").map_or(RegionId(0), |place| self.lower_region(place)))
            }
            EffectWord::FromTo => self.relocate(tree),
            EffectWord::Add => self.add_effect(tree),
            EffectWord::Promote | EffectWord::PromoteNow => {
                let at = self.site_or_last(tree.get("at"));
                let piece = self.piece_number(tree);
                Effect::Promote { at, piece }
            }
            EffectWord::Attract => {
                let from = self.origin(tree, Int::LastTo);
                Effect::Attract { from, dirs: self.lower_dirs(tree.get("dirs")) }
            }
            EffectWord::Custodial => self.custodial(tree),
            EffectWord::Surround => self.surround(tree),
            EffectWord::Enclose => {
                let from = self.origin(tree, Int::LastTo);
                let near = self.neighbours(tree.get("dirs"), tree.place);
                let between = self.passed(tree, Region::Own(super::super::program::Who::Opponent));
                Effect::Enclose { from, near, between, effect: self.applied(tree, "between", Register::Between) }
            }
            EffectWord::Directional => {
                let from = self.origin(tree, Int::LastTo);
                let dirs = self.lower_dirs(tree.get("dirs"));
                let to = self.hit(tree, Region::Own(super::super::program::Who::Opponent));
                Effect::Directional { from, dirs, to, effect: self.applied(tree, "to", Register::To) }
            }
            EffectWord::SetCounter => {
                let value = self.int_or(tree.get("int"), -1);
                Effect::SetCounter(value)
            }
            EffectWord::MoveAgain => Effect::MoveAgain,
            EffectWord::ForEachSite => {
                let sites = tree.get("sites").map_or(RegionId(0), |sites| self.lower_region(sites));
                Effect::ForEachSite(sites, self.effect_or_none(tree.get("effect")))
            }
        };
        self.effect(effect)
    }

    /// Effects in sequence.
    pub(super) fn sequence(&mut self, parts: Vec<EffectId>) -> EffectId {
        let mut parts = parts.into_iter().rev();
        let last = parts.next().unwrap_or_else(|| self.nothing());
        parts.fold(last, |rest, part| self.effect(Effect::Seq(part, rest)))
    }

    /// The effects of `(apply ...)`.
    pub(super) fn lower_apply(&mut self, apply: &Tree) -> EffectId {
        let effect = self.effect_or_none(apply.get("effect"));
        match self.optional_bool(apply.get("if")) {
            Some(condition) => {
                let nothing = self.nothing();
                self.effect(Effect::If(condition, effect, nothing))
            }
            None => effect,
        }
    }

    /// The effects of a clause; if it gives none, the site of a register is cleared.
    fn applied(&mut self, tree: &Tree, clause: &str, register: Register) -> EffectId {
        let apply = tree.tree(clause).and_then(|clause| clause.tree("apply"));
        match apply {
            Some(apply) => self.lower_apply(apply),
            None => {
                let at = self.register(register);
                let site = self.region(Region::Single(at));
                self.effect(Effect::Remove(site))
            }
        }
    }

    /// The sites for which the condition of `(to ...)` holds.
    fn hit(&mut self, tree: &Tree, default: Region) -> RegionId {
        let condition = tree.tree("to").and_then(|to| to.get("if"));
        match self.optional_bool(condition) {
            Some(condition) => self.filtered_all(Register::To, condition),
            None => self.region(default),
        }
    }

    fn relocate(&mut self, tree: &Tree) -> Effect {
        let from = self.origin(tree, Int::Register(Register::From));
        let to = match tree.tree("to").and_then(|to| to.get("place")) {
            Some(to) => self.lower_site(to),
            None => self.register(Register::To),
        };
        let level = tree.tree("from").and_then(|from| from.get("level"));
        let level = level.map(|level| self.lower_int(level));
        self.program.stacking |= level.is_some() || tree.flag("stack");
        let level = level.or_else(|| (!tree.flag("stack")).then(|| self.int(Int::TopLevel(from))));
        Effect::Relocate { from, to, level }
    }

    /// The number of the piece of an effect: a name, or a number computed during play.
    pub(super) fn piece_number(&mut self, tree: &Tree) -> IntId {
        let named = tree.tree("piece").and_then(|clause| clause.get("named"));
        if let Some(argument @ Argument::Tree(tree)) = named
            && tree.word != Word::Int(IntWord::Id)
        {
            return self.lower_int(argument);
        }
        let kinds = self.piece_by_mover(tree);
        if kinds[1] == kinds[2] {
            return self.constant(i32::from(kinds[1]));
        }
        self.program.maps.push(kinds.map(i32::from).to_vec());
        self.maps.push(None);
        let mover = self.int(Int::Colour(super::super::program::Who::Mover));
        self.int(Int::Entry(self.program.maps.len() as u16 - 1, mover))
    }

    fn add_effect(&mut self, tree: &Tree) -> Effect {
        let piece = self.piece_number(tree);
        let to = tree.tree("to").and_then(|to| to.get("place"));
        let to = self.site_or_last(to);
        Effect::Add { piece, to }
    }

    fn custodial(&mut self, tree: &Tree) -> Effect {
        use super::super::program::Who;
        let from = self.origin(tree, Int::LastTo);
        let dirs = self.lower_dirs(tree.get("dirs"));
        let most = tree.tree("between").and_then(|between| between.tree("max")).and_then(|max| max.get("int"));
        let most = self.int_or(most, 1000);
        let between = self.passed(tree, Region::Own(Who::Opponent));
        let to = self.hit(tree, Region::Own(Who::Mover));
        Effect::Custodial { from, dirs, most, between, to, effect: self.applied(tree, "between", Register::Between) }
    }

    fn surround(&mut self, tree: &Tree) -> Effect {
        use super::super::program::Who;
        let from = self.origin(tree, Int::LastTo);
        let near = self.neighbours(tree.get("dirs"), tree.place);
        let between = self.passed(tree, Region::Own(Who::Opponent));
        let to = self.hit(tree, Region::Own(Who::Mover));
        let except = self.int_or(tree.get("except"), 0);
        Effect::Surround { from, near, between, to, except, effect: self.applied(tree, "between", Register::Between) }
    }
}
