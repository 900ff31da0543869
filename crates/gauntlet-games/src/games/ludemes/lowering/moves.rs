//! Lowers generators of moves, and the rules that define the effects of their moves.

use super::super::program::{BoolId, Change, Int, IntId, MoveKind, Moves, MovesId, Region, RegionId, Register, Who};
use super::super::schema::{Argument, MovesWord, Tree, Word};
use super::Lowering;

impl Lowering {
    /// Lowers a generator of moves.
    pub(super) fn lower_moves(&mut self, argument: &Argument) -> MovesId {
        let Argument::Tree(tree) = argument else { return self.moves(Moves::None) };
        let Word::Moves(word) = tree.word else { return self.moves(Moves::None) };
        let joins = matches!(
            word,
            MovesWord::ForEachPiece | MovesWord::Or | MovesWord::Priority | MovesWord::If | MovesWord::Do
        );
        if !joins {
            return self.lower_single(tree, word);
        }
        let then = tree.tree("then").and_then(|then| then.get("effect")).map(|effect| self.lower_effect(effect));
        self.thens.extend(then);
        let moves = self.lower_joining(tree, word);
        if then.is_some() {
            self.thens.pop();
        }
        moves
    }

    /// Lowers a generator that combines others.
    fn lower_joining(&mut self, tree: &Tree, word: MovesWord) -> MovesId {
        let moves = match word {
            MovesWord::ForEachPiece => self.for_each_piece(tree),
            MovesWord::Priority => return self.joined_moves(tree, Moves::Priority),
            MovesWord::If => {
                let condition = tree.get("bool").map_or(BoolId(0), |condition| self.lower_bool(condition));
                let [then, other] = ["moves", "else"].map(|name| self.moves_or_none(tree.get(name)));
                Moves::If(condition, then, other)
            }
            MovesWord::Do => self.filtered_moves(tree),
            _ => return self.joined_moves(tree, Moves::Or),
        };
        self.moves(moves)
    }

    /// Lowers a generator with one rule.
    fn lower_single(&mut self, tree: &Tree, word: MovesWord) -> MovesId {
        let moves = match word {
            MovesWord::Add => self.add(tree),
            MovesWord::Remove => {
                let sites = tree.get("place").map_or(RegionId(0), |place| self.lower_region(place));
                Moves::On { rule: self.rule(tree, MoveKind::Remove, Change::Take, &[]), sites }
            }
            MovesWord::Promote => {
                let sites = tree.get("at").map_or(RegionId(0), |place| self.lower_region(place));
                Moves::On { rule: self.promotion(tree), sites }
            }
            MovesWord::Step => self.step(tree),
            MovesWord::Slide => self.slide(tree),
            MovesWord::Hop => self.hop(tree),
            MovesWord::Leap => self.leap(tree),
            MovesWord::Select if tree.get("to").is_none() => {
                let sites = self.origins(tree);
                Moves::On { rule: self.rule(tree, MoveKind::Select, Change::None, &[]), sites }
            }
            MovesWord::Select => self.any(tree, MoveKind::Select, Change::None),
            MovesWord::FromTo => {
                let kind = if self.in_hand { MoveKind::Drop } else { MoveKind::Move };
                self.moved_from_to(tree, kind)
            }
            MovesWord::Pass => Moves::Alone { rule: self.rule(tree, MoveKind::Pass, Change::None, &[]) },
            MovesWord::Propose => {
                let text = self.proposal(tree);
                Moves::Alone { rule: self.rule(tree, MoveKind::Propose, Change::Propose(text), &[]) }
            }
            MovesWord::Vote => {
                let text = self.proposal(tree);
                Moves::Alone { rule: self.rule(tree, MoveKind::Vote, Change::Vote(text), &[]) }
            }
            MovesWord::ForEachPiece | MovesWord::Or | MovesWord::Priority | MovesWord::If | MovesWord::Do => {
                Moves::None
            }
        };
        self.moves(moves)
    }

    fn joined_moves(&mut self, tree: &Tree, join: impl Fn(MovesId, MovesId) -> Moves) -> MovesId {
        let parts: Vec<MovesId> = tree.all("moves").map(|part| self.lower_moves(part)).collect();
        let mut parts = parts.into_iter().rev();
        let last = parts.next().unwrap_or_else(|| self.moves(Moves::None));
        parts.fold(last, |rest, part| self.moves(join(part, rest)))
    }

    fn add(&mut self, tree: &Tree) -> Moves {
        let kinds = self.piece_by_mover(tree);
        if kinds.iter().any(|&kind| kind == 0 || usize::from(kind) >= self.program.pieces.len()) {
            self.error(tree.place, "each player needs a piece to add: `(piece \"Stone\" Each)`");
        }
        if tree.flag("stack") {
            self.error(tree.place, "`stack:` is not read in `(move Add ...)`: stacks grow by moves of pieces");
        }
        let sites = self.target(tree, Region::Empty);
        if self.program.swap && self.program.pieces.len() < 2 {
            self.error(tree.place, "there are no pieces");
        }
        Moves::On { rule: self.rule(tree, MoveKind::Place, Change::Put(kinds), &["to"]), sites }
    }

    /// The destinations given by `(to ...)`.
    fn target(&mut self, tree: &Tree, default: Region) -> RegionId {
        let Some(to) = tree.tree("to") else { return self.region(default) };
        let condition = self.optional_bool(to.get("if"));
        let of = match (to.get("place"), condition) {
            (Some(place), _) => self.lower_region(place),
            (None, Some(_)) => self.known(self.board()),
            (None, None) => self.region(default),
        };
        self.filtered(of, Register::To, condition)
    }

    /// The one origin given by `(from ...)`.
    pub(super) fn origin(&mut self, tree: &Tree, default: Int) -> IntId {
        match tree.tree("from").and_then(|from| from.get("place")) {
            Some(place) => self.lower_site(place),
            None => self.int(default),
        }
    }

    /// Whether a whole stack is moved.
    fn carry(&mut self, tree: &Tree) -> Change {
        let stack = tree.flag("stack");
        self.program.stacking |= stack;
        Change::Carry { stack }
    }

    fn step(&mut self, tree: &Tree) -> Moves {
        let from = self.origin(tree, Int::Register(Register::From));
        let dirs = self.lower_dirs(tree.get("dirs"));
        let to = self.target(tree, Region::Empty);
        let change = self.carry(tree);
        Moves::Step { rule: self.rule(tree, MoveKind::Step, change, &["to"]), from, dirs, to }
    }

    /// The sites that a `(between ...)` allows.
    pub(super) fn passed(&mut self, tree: &Tree, default: Region) -> RegionId {
        let condition = tree.tree("between").and_then(|between| between.get("if"));
        let condition = self.optional_bool(condition);
        match condition {
            Some(condition) => self.filtered_all(Register::Between, condition),
            None => self.region(default),
        }
    }

    fn slide(&mut self, tree: &Tree) -> Moves {
        let from = self.origin(tree, Int::Register(Register::From));
        self.check_stops(tree);
        let go = self.passed(tree, Region::Empty);
        let stop = tree.tree("to").map(|_| self.target(tree, Region::Empty));
        let change = self.carry(tree);
        let rule = self.rule(tree, MoveKind::Slide, change, &["to"]);
        if tree.get("track").is_none() {
            let dirs = self.lower_dirs(tree.get("dirs"));
            let within = self.farthest(tree, from, dirs);
            let limit = |this: &mut Lowering, region| within.map_or(region, |within| this.and(region, within));
            let (go, stop) = (limit(self, go), stop.map(|stop| limit(self, stop)));
            return Moves::Slide { rule, from, dirs, go, stop };
        }
        self.no_distance(tree);
        if self.program.tracks.is_empty() {
            self.error(tree.place, "the board has no tracks; that of `(surakartaBoard ...)` has");
        }
        let nowhere = self.known(Default::default());
        Moves::Track { rule, from, go, stop: stop.unwrap_or(nowhere) }
    }

    /// The sites that a slide reaches within its `(max ...)`, if it has one.
    fn farthest(&mut self, tree: &Tree, from: IntId, dirs: super::DirsId) -> Option<RegionId> {
        let most = tree.tree("between")?.tree("max")?.get("int")?;
        let number = self.lower_int(most);
        let within = match self.int_of(number) {
            Int::Const(most) => self.within_steps(from, dirs, usize::try_from(most).unwrap_or(0)),
            _ => None,
        };
        if within.is_none() {
            self.error(most.place(), "how far a slide leads is a plain number, in directions that do not change");
        }
        within
    }

    /// Reports a distance at a move that takes none.
    fn no_distance(&mut self, tree: &Tree) {
        if tree.tree("between").is_some_and(|between| between.get("max").is_some()) {
            self.error(tree.place, "`(max ...)` is read for slides in directions and for `custodial` only");
        }
    }

    /// Checks that only slides along a track have `(apply if:False ...)`, which ends the slide.
    fn check_stops(&mut self, tree: &Tree) {
        let Some(apply) = tree.tree("to").and_then(|to| to.tree("apply")) else { return };
        let never = apply.text("if").is_some_and(|word| word.eq_ignore_ascii_case("false"));
        if apply.get("if").is_some() && !(never && tree.get("track").is_some()) {
            self.error(
                apply.place,
                "`(apply if: ...)` of a slide is read as `(apply if:False ...)` along a track only",
            );
        }
    }

    fn hop(&mut self, tree: &Tree) -> Moves {
        self.no_distance(tree);
        let from = self.origin(tree, Int::Register(Register::From));
        let dirs = self.lower_dirs(tree.get("dirs"));
        let between = self.passed(tree, Region::Occupied);
        let to = self.target(tree, Region::Empty);
        let change = self.carry(tree);
        Moves::Hop { rule: self.rule(tree, MoveKind::Hop, change, &["between", "to"]), from, dirs, between, to }
    }

    /// The origins given by `(from ...)`.
    fn origins(&mut self, tree: &Tree) -> RegionId {
        let clause = tree.tree("from");
        let mut from = match clause.and_then(|from| from.get("place")) {
            Some(place) => self.lower_region(place),
            None => {
                let own = self.register(Register::From);
                self.region(Region::Single(own))
            }
        };
        if self.in_hand {
            let hand = self.region(Region::Hand(Who::Mover));
            from = self.and(hand, from);
        }
        let condition = clause.and_then(|from| from.get("if"));
        let condition = self.optional_bool(condition);
        self.filtered(from, Register::From, condition)
    }

    /// Moves from the occupied sites of a set to another set.
    fn moved_from_to(&mut self, tree: &Tree, kind: MoveKind) -> Moves {
        let moves = self.any(tree, kind, Change::Carry { stack: false });
        let Moves::Any { rule, from, to } = moves else { return moves };
        let holds = match self.region_of(from) {
            Region::Kinds(..) | Region::Own(_) | Region::Occupied => true,
            Region::Single(at) => self.int_of(at) == Int::Register(Register::From),
            _ => self.in_hand,
        };
        if holds {
            return moves;
        }
        let hands: Vec<u8> = self.program.hands.iter().map(|hand| hand.owner).collect();
        let mut holding = self.region(Region::Occupied);
        for owner in hands {
            let hand = self.region(Region::Hand(Who::Colour(owner)));
            holding = self.or(holding, hand);
        }
        Moves::Any { rule, from: self.region(Region::And(holding, from)), to }
    }

    /// Jumps to the ends of walks, over any sites.
    fn leap(&mut self, tree: &Tree) -> Moves {
        let site = self.origin(tree, Int::Register(Register::From));
        let from = self.region(Region::Single(site));
        let near = self.walks(tree);
        let reached = self.region(Region::Near(site, near));
        let to = self.target(tree, Region::Empty);
        let to = self.and(reached, to);
        Moves::Any { rule: self.rule(tree, MoveKind::Hop, Change::Carry { stack: false }, &["to"]), from, to }
    }

    fn any(&mut self, tree: &Tree, kind: MoveKind, change: Change) -> Moves {
        let from = self.origins(tree);
        let to = self.target(tree, Region::Empty);
        Moves::Any { rule: self.rule(tree, kind, change, &["to"]), from, to }
    }

    fn for_each_piece(&mut self, tree: &Tree) -> Moves {
        let who = self.role_of(tree, Who::Mover);
        self.program.stacking |= tree.flag("top");
        let names: Vec<String> = tree.all("names").filter_map(|name| name.text().map(str::to_owned)).collect();
        let kinds = names.iter().fold(0, |kinds, name| kinds | self.kinds(name, None, tree.place));
        let container = tree.get("container").map(|container| self.lower_int(container));
        let hand = container.is_some_and(|container| self.int_of(container) != Int::Const(0));
        let outside = std::mem::replace(&mut self.in_hand, hand);
        let given = tree.get("moves").map(|moves| self.lower_moves(moves));
        self.in_hand = outside;
        let of = |kind: &usize| names.is_empty() || kinds >> kind & 1 != 0;
        let row: Vec<Option<MovesId>> = (0..self.program.pieces.len())
            .map(|kind| Some(kind).filter(of).and_then(|kind| given.or_else(|| self.own_moves(kind))))
            .collect();
        if row.iter().all(Option::is_none) && self.wrong.is_empty() {
            self.error(tree.place, "none of these pieces has moves");
        }
        Moves::Pieces { who, table: super::intern(&mut self.program.tables, row), hand }
    }
}
