//! Lowers conditions, and turns conditions on a single site into sets of sites.

use super::super::program::{
    Bool, BoolId, Connected, Dirs, Instruction, Int, IntId, LineTest, Mask, Region, RegionId, Register, Who,
};
use super::super::schema::{Argument, BoolWord, Role, Tree, Word};
use super::{Lowering, equipment};

impl Lowering {
    /// Lowers a condition.
    pub(super) fn lower_bool(&mut self, argument: &Argument) -> BoolId {
        match argument {
            Argument::Tree(tree) => match tree.word {
                Word::Bool(word) => self.bool_word(word, tree),
                _ => self.truth(false),
            },
            Argument::Value(_) => self.truth(argument.text().is_some_and(|word| word.eq_ignore_ascii_case("true"))),
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table: one arm a ludeme")]
    fn bool_word(&mut self, word: BoolWord, tree: &Tree) -> BoolId {
        let bool = match word {
            BoolWord::Empty | BoolWord::Occupied | BoolWord::Visited => {
                let site = tree.get("site").map_or(IntId(0), |site| self.lower_site(site));
                if let Int::HandSite(..) = self.int_of(site) {
                    return self.holds(site, word == BoolWord::Empty);
                }
                self.program.visits |= word == BoolWord::Visited;
                let region = match word {
                    BoolWord::Empty => Region::Empty,
                    BoolWord::Occupied => Region::Occupied,
                    _ => Region::Visited,
                };
                Bool::In(site, self.region(region))
            }
            BoolWord::Enemy => return self.is_of(tree, Who::Opponent),
            BoolWord::Friend => return self.is_of(tree, Who::Mover),
            BoolWord::In => return self.is_in(tree),
            BoolWord::Line => self.line(tree),
            BoolWord::Connected => self.connected(tree),
            BoolWord::Prev => Bool::Prev(self.role_of(tree, Who::Mover)),
            BoolWord::IsMover => {
                let who = tree.get("who").map_or(IntId(0), |who| self.lower_int(who));
                Bool::Equal(who, self.int(Int::Colour(Who::Mover)))
            }
            BoolWord::Even | BoolWord::Odd => {
                let number = tree.get("int").map_or(IntId(0), |number| self.lower_int(number));
                let even = self.bool(Bool::Even(number));
                if word == BoolWord::Even { return even } else { Bool::Not(even) }
            }
            BoolWord::Within => {
                let pieces = match tree.tree("piece") {
                    Some(piece) => self.sites_of(piece),
                    None => {
                        let kinds = self.kinds_by_mover(tree, "piece");
                        let kinds = kinds[1] | kinds[2];
                        if let Some(region) = tree.get("in") {
                            let region = self.lower_region(region);
                            let [count, none] =
                                [Int::PiecesIn(Who::Both, kinds, region), Int::Const(0)].map(|int| self.int(int));
                            let is_none = self.bool(Bool::Equal(count, none));
                            return self.bool(Bool::Not(is_none));
                        }
                        self.region(Region::Kinds(Who::Both, kinds))
                    }
                };
                let region = tree.get("in").map_or(pieces, |region| self.lower_region(region));
                Bool::Meet(pieces, region)
            }
            BoolWord::Threatened => self.threatened(tree),
            BoolWord::Proposed => Bool::Proposed(self.proposal(tree)),
            BoolWord::Decided => Bool::Decided(self.proposal(tree)),
            BoolWord::NoMoves => Bool::NoMoves(self.role_of(tree, Who::Next)),
            BoolWord::NoPieces => {
                let who = self.role_of(tree, Who::Both);
                let kinds =
                    tree.text("piece").map(str::to_owned).map_or(u64::MAX, |name| self.kinds(&name, None, tree.place));
                let [count, none] = [Int::Pieces(who, kinds), Int::Const(0)].map(|int| self.int(int));
                Bool::Equal(count, none)
            }
            BoolWord::AllSites => {
                let region = tree.get("sites").map(|region| self.lower_region(region));
                let condition = self.optional_bool(tree.get("if"));
                Bool::All(region.unwrap_or(RegionId(0)), condition.unwrap_or(BoolId(0)))
            }
            BoolWord::CanMove => {
                let outer = std::mem::take(&mut self.thens);
                let moves = self.moves_or_none(tree.get("moves"));
                self.thens = outer;
                Bool::CanMove(moves)
            }
            BoolWord::Equal
            | BoolWord::Unequal
            | BoolWord::Less
            | BoolWord::AtLeast
            | BoolWord::More
            | BoolWord::AtMost => return self.comparison(word, tree),
            BoolWord::And | BoolWord::Or => return self.joined(tree, word == BoolWord::And),
            BoolWord::Not => {
                let inner = self.optional_bool(tree.get("bool"));
                Bool::Not(inner.unwrap_or(BoolId(0)))
            }
        };
        let id = self.bool(bool);
        if matches!(bool, Bool::NoMoves(_) | Bool::Threatened(_)) {
            self.asked.push((id, tree.place));
        }
        id
    }

    /// Whether a site of a hand is empty (or holds a piece).
    fn holds(&mut self, site: IntId, empty: bool) -> BoolId {
        let [count, none] = [Int::CountAt(site), Int::Const(0)].map(|int| self.int(int));
        let is_empty = self.bool(Bool::Equal(count, none));
        if empty { is_empty } else { self.bool(Bool::Not(is_empty)) }
    }

    fn comparison(&mut self, word: BoolWord, tree: &Tree) -> BoolId {
        let [a, b] = ["a", "b"].map(|name| tree.get(name).map_or(IntId(0), |number| self.lower_int(number)));
        let bool = match word {
            BoolWord::Equal | BoolWord::Unequal => self.bool(Bool::Equal(a, b)),
            BoolWord::Less | BoolWord::AtLeast => self.bool(Bool::Less(a, b)),
            _ => self.more(a, b),
        };
        let is_not = matches!(word, BoolWord::Unequal | BoolWord::AtLeast | BoolWord::AtMost);
        if is_not { self.bool(Bool::Not(bool)) } else { bool }
    }

    /// Whether a number is more than another; testing a group for a liberty is cheaper than counting its liberties.
    fn more(&mut self, a: IntId, b: IntId) -> BoolId {
        let bool = match (self.int_of(a), self.int_of(b)) {
            (Int::Liberties(at, near), Int::Const(0)) => Bool::Free(at, near),
            _ => Bool::Less(b, a),
        };
        self.bool(bool)
    }

    fn joined(&mut self, tree: &Tree, and: bool) -> BoolId {
        let parts: Vec<BoolId> = tree.all("bool").map(|part| self.lower_bool(part)).collect();
        let join = |this: &mut Lowering, a, b| this.bool(if and { Bool::And(a, b) } else { Bool::Or(a, b) });
        let mut parts = parts.into_iter().rev();
        let last = parts.next().unwrap_or_else(|| self.truth(and));
        parts.fold(last, |rest, part| join(self, part, rest))
    }

    /// Whether the owner of a piece is the mover or the opponent.
    fn is_of(&mut self, tree: &Tree, who: Who) -> BoolId {
        let of = tree.get("who").map_or(IntId(0), |of| self.lower_int(of));
        let bool = match self.int_of(of) {
            Int::WhoAt(site) => Bool::In(site, self.region(Region::Own(who))),
            _ => Bool::Equal(of, self.int(Int::Colour(who))),
        };
        self.bool(bool)
    }

    fn is_in(&mut self, tree: &Tree) -> BoolId {
        let [Some(place), Some(sites)] = ["place", "sites"].map(|name| tree.get(name)) else { return BoolId(0) };
        let region = self.lower_region(sites);
        let bool = match place {
            Argument::Tree(Tree { word: Word::Region(_), .. }) => Bool::Meet(self.lower_region(place), region),
            _ => Bool::In(self.lower_site(place), region),
        };
        self.bool(bool)
    }

    fn line(&mut self, tree: &Tree) -> Bool {
        let length = tree.get("length").map_or(IntId(0), |length| self.lower_int(length));
        if let Int::Const(..1) = self.int_of(length) {
            self.error(tree.place, "a line has at least one site");
        }
        let dirs = self.lower_dirs(tree.get("dirs"));
        let Dirs::Fixed([_, bits, _]) = self.program.dirs[usize::from(dirs.0)] else {
            self.error(tree.place, "lines lie in directions that do not change");
            return Bool::Const(false);
        };
        let through = self.site_or_last(tree.get("through"));
        let condition = self.optional_bool(tree.get("if"));
        let within = condition.map(|condition| self.filtered_all(Register::To, condition));
        let line = LineTest { through, length, axes: (bits | bits >> 8) & 0xFF, exact: tree.flag("exact"), within };
        Bool::Line(super::intern(&mut self.program.lines, line))
    }

    fn connected(&mut self, tree: &Tree) -> Bool {
        let near = self.neighbours(tree.get("dirs"), tree.place);
        let who = self.role_of(tree, Who::Mover);
        let given: Vec<Mask> = tree.all("regions").map(|region| self.known_mask(region)).collect();
        let parts = [0, 1, 2].map(|owner| if given.is_empty() { self.parts_of(owner, None) } else { given.clone() });
        if parts[1].len() < 2 || parts[2].len() < 2 {
            self.error(
                tree.place,
                "to be connected, each player needs two regions: `(regions P1 { (sites Side NE) ... })`",
            );
        }
        let regions = parts.map(|parts| parts.into_iter().map(|part| self.mask(part)).collect());
        Bool::Connected(super::intern(&mut self.program.links, Connected { who, regions, near }))
    }

    /// The index of a text among those that can be proposed.
    pub(super) fn proposal(&mut self, tree: &Tree) -> u8 {
        super::intern(&mut self.program.texts, tree.text("text").unwrap_or_default().to_owned()) as u8
    }

    fn threatened(&mut self, tree: &Tree) -> Bool {
        let sites = match (tree.get("at"), tree.text("piece").map(str::to_owned)) {
            (Some(at), _) => self.lower_region(at),
            (None, _) if tree.tree("piece").is_some() => {
                tree.tree("piece").map_or(RegionId(0), |piece| self.sites_of(piece))
            }
            (None, Some(name)) => {
                let kinds = self.kinds(&name, None, tree.place);
                self.region(Region::Kinds(Who::Mover, kinds))
            }
            (None, None) => self.region(Region::Own(Who::Mover)),
        };
        Bool::Threatened(sites)
    }

    /// The sites of a set for which a condition on a register holds.
    pub(super) fn filtered(&mut self, of: RegionId, register: Register, condition: Option<BoolId>) -> RegionId {
        let Some(condition) = condition else { return of };
        if let Bool::And(one, other) = self.bool_of(condition) {
            let narrow = self.filtered(of, register, Some(one));
            return self.filtered(narrow, register, Some(other));
        }
        match self.as_region(condition, register) {
            Some(region) => self.and(of, region),
            None => self.region(Region::Filter(of, register, condition)),
        }
    }

    /// The sites of the board for which a condition on a register holds.
    pub(super) fn filtered_all(&mut self, register: Register, condition: BoolId) -> RegionId {
        let board = self.known(self.board());
        self.filtered(board, register, Some(condition))
    }

    /// The sites where a condition holds, if it tests only one site and its membership in sets.
    fn as_region(&mut self, condition: BoolId, register: Register) -> Option<RegionId> {
        let own = |this: &Lowering, at: IntId| this.int_of(at) == Int::Register(register);
        match self.bool_of(condition) {
            Bool::Const(true) => Some(self.known(self.board())),
            Bool::Const(false) => Some(self.known(Mask::default())),
            Bool::In(at, region) if own(self, at) && !self.depends(Instruction::Region(region), register) => {
                Some(region)
            }
            Bool::Equal(a, b) => match (self.int_of(a), self.int_of(b)) {
                (Int::WhatAt(at), Int::Const(kind)) | (Int::Const(kind), Int::WhatAt(at))
                    if own(self, at) && kind > 0 =>
                {
                    let owner = self.program.pieces.get(usize::try_from(kind).ok()?)?.owner;
                    Some(self.region(Region::Kinds(Who::Colour(owner), 1 << kind)))
                }
                _ if own(self, a) && !self.depends(Instruction::Int(b), register) => {
                    Some(self.region(Region::Single(b)))
                }
                _ if own(self, b) && !self.depends(Instruction::Int(a), register) => {
                    Some(self.region(Region::Single(a)))
                }
                _ => None,
            },
            Bool::And(a, b) => {
                let [a, b] = [self.as_region(a, register)?, self.as_region(b, register)?];
                Some(self.and(a, b))
            }
            Bool::Or(a, b) => {
                let [a, b] = [self.as_region(a, register)?, self.as_region(b, register)?];
                Some(self.or(a, b))
            }
            Bool::Not(inner) => {
                let inner = self.as_region(inner, register)?;
                Some(self.not(inner))
            }
            _ => None,
        }
    }

    /// Sites in both sets.
    pub(super) fn and(&mut self, a: RegionId, b: RegionId) -> RegionId {
        let whole = Region::Mask(self.mask(self.board()));
        match (self.region_of(a), self.region_of(b)) {
            (Region::Mask(one), Region::Mask(other)) => {
                let mask = self.mask_of(one).with(&self.mask_of(other), |one, other| one & other);
                self.known(mask)
            }
            (first, _) if first == whole => b,
            (_, second) if second == whole => a,
            _ => self.region(Region::And(a, b)),
        }
    }

    /// Sites in either set.
    pub(super) fn or(&mut self, a: RegionId, b: RegionId) -> RegionId {
        match (self.region_of(a), self.region_of(b)) {
            (Region::Mask(one), Region::Mask(other)) => {
                let mask = equipment::union(&[self.mask_of(one), self.mask_of(other)]);
                self.known(mask)
            }
            _ => self.region(Region::Or(a, b)),
        }
    }

    /// Sites of the board that are not in a set.
    pub(super) fn not(&mut self, a: RegionId) -> RegionId {
        match self.region_of(a) {
            Region::Mask(mask) => {
                let mask = self.board().with(&self.mask_of(mask), |one, other| one & !other);
                self.known(mask)
            }
            Region::Empty => self.region(Region::Occupied),
            Region::Occupied => self.region(Region::Empty),
            _ => self.region(Region::Not(a)),
        }
    }

    /// Whether a value depends on the site of a register. Conditions are not followed, as they may read any register.
    fn depends(&self, instruction: Instruction, register: Register) -> bool {
        match instruction {
            Instruction::Int(int) if self.int_of(int) == Int::Register(register) => true,
            Instruction::Bool(_) => true,
            of => self.program.evaluated(of).into_iter().any(|part| self.depends(part, register)),
        }
    }

    /// The player number of a role.
    pub(super) fn role_number(role: Role) -> Option<u8> {
        match role {
            Role::Neutral => Some(0),
            Role::P1 => Some(1),
            Role::P2 => Some(2),
            Role::Mover | Role::Next | Role::Enemy | Role::Each => None,
        }
    }
}
