//! Lowers numbers and sites.

use super::super::program::{Int, IntId, Region, Register, Who};
use super::super::schema::{Argument, IntWord, Role, Tree, Word};
use super::super::text::hint;
use super::Lowering;

impl Lowering {
    /// Lowers a number.
    pub(super) fn lower_int(&mut self, argument: &Argument) -> IntId {
        match argument {
            Argument::Tree(tree) => match tree.word {
                Word::Int(word) => self.int_word(word, tree),
                _ => {
                    self.error(tree.place, "here one site or number is expected, not a set of sites");
                    self.constant(0)
                }
            },
            Argument::Value(_) => self.int_value(argument),
        }
    }

    /// Lowers a site, which may be written as a set of one.
    pub(super) fn lower_site(&mut self, argument: &Argument) -> IntId {
        let listed = match argument {
            Argument::Tree(tree) => tree.word != Word::Int(IntWord::LastTo) && !matches!(tree.word, Word::Int(_)),
            Argument::Value(node) => !node.items().is_empty(),
        };
        if !listed {
            return self.lower_int(argument);
        }
        let region = self.lower_region(argument);
        match self.region_of(region) {
            Region::Single(site) => site,
            Region::Mask(mask) if self.mask_of(mask).sites().count() == 1 => {
                let site = self.mask_of(mask).sites().next().unwrap_or(0);
                self.constant(site as i32)
            }
            _ => {
                self.error(argument.place(), "here one site is expected, not a set of sites");
                self.constant(0)
            }
        }
    }

    fn int_value(&mut self, argument: &Argument) -> IntId {
        let text = argument.text().unwrap_or_default().to_owned();
        if let Ok(number) = text.parse::<i32>() {
            return self.constant(number);
        }
        if text == "Off" {
            return self.constant(-1);
        }
        match Role::read(&text) {
            Some(Role::Neutral) => self.constant(0),
            Some(Role::P1) => self.constant(1),
            Some(Role::P2) => self.constant(2),
            Some(role) => {
                let who = self.who(role);
                self.int(Int::Colour(who))
            }
            None => {
                let site = self.coordinate(&text, argument);
                self.constant(site.map_or(0, |site| site as i32))
            }
        }
    }

    /// The site of a label.
    pub(super) fn coordinate(&mut self, text: &str, argument: &Argument) -> Option<usize> {
        let site = self.program.graph.site(text);
        if site.is_none() {
            self.error(argument.place(), format!("there is no site `{text}` on this board"));
        }
        site.map(usize::from)
    }

    #[expect(clippy::too_many_lines, reason = "a table: one arm a ludeme")]
    fn int_word(&mut self, word: IntWord, tree: &Tree) -> IntId {
        let at = |this: &mut Lowering| this.site_or_last(tree.get("at").or(tree.get("place")).or(tree.get("of")));
        let of_two = |this: &mut Lowering, int: fn(IntId, IntId) -> Int| {
            let [a, b] = ["a", "b"].map(|name| tree.get(name).map_or(IntId(0), |number| this.lower_int(number)));
            int(a, b)
        };
        let int = match word {
            IntWord::LastTo => Int::LastTo,
            IntWord::LastFrom => Int::LastFrom,
            IntWord::From => Int::Register(Register::From),
            IntWord::To => Int::Register(Register::To),
            IntWord::Between => Int::Register(Register::Between),
            IntWord::Site => Int::Register(Register::Site),
            IntWord::Who | IntWord::What => {
                let site = at(self);
                let level = tree.get("level").map(|level| self.lower_int(level));
                match (word == IntWord::Who, level) {
                    (true, None) => Int::WhoAt(site),
                    (false, None) => Int::WhatAt(site),
                    (true, Some(level)) => Int::WhoAtLevel(site, level),
                    (false, Some(level)) => Int::WhatAtLevel(site, level),
                }
            }
            IntWord::Where => Int::WhereOfMover(self.kinds_by_mover(tree, "text")),
            IntWord::Id => return self.id(tree),
            IntWord::TopLevel => Int::TopLevel(at(self)),
            IntWord::CountAt => Int::CountAt(at(self)),
            IntWord::CountMoves => Int::Moves,
            IntWord::CountTurns => Int::Turns,
            IntWord::CountPieces => self.count_pieces(tree),
            IntWord::CountGroups => {
                let near = self.neighbours(tree.get("dirs"), tree.place);
                let condition = self.optional_bool(tree.get("if"));
                let occupied = self.region(Region::Occupied);
                let of = match condition {
                    Some(condition) => self.filtered_all(Register::To, condition),
                    None => occupied,
                };
                Int::Groups(of, near)
            }
            IntWord::CountSites => Int::Size(self.region_or_none(tree.get("in"))),
            IntWord::CountLiberties => {
                let near = self.neighbours(tree.get("dirs"), tree.place);
                Int::Liberties(at(self), near)
            }
            IntWord::Counter => Int::Counter,
            IntWord::Ahead => {
                let steps = self.int_or(tree.get("steps"), 1);
                let dirs = self.lower_dirs(tree.get("dirs"));
                Int::Ahead(at(self), steps, self.of_this_move(dirs))
            }
            IntWord::Column => Int::Column(at(self)),
            IntWord::Row => Int::Row(at(self)),
            IntWord::CentrePoint => {
                let centre = self.program.graph.regions().centre.first().copied().unwrap_or(0);
                Int::Const(i32::from(centre))
            }
            IntWord::HandSite => {
                let who = self.role_of(tree, Who::Mover);
                let index = self.int_or(tree.get("index"), 0);
                if self.program.hands.is_empty() {
                    self.error(tree.place, "the equipment has no `(hand ...)`");
                }
                Int::HandSite(who, index)
            }
            IntWord::MapEntry => self.map_entry(tree),
            IntWord::Score => {
                self.error(tree.place, "scores are read in `(byScore ...)` only");
                Int::Const(0)
            }
            IntWord::Mover => Int::Colour(Who::Mover),
            IntWord::Next => Int::Colour(Who::Next),
            IntWord::Max => of_two(self, Int::Max),
            IntWord::Min => of_two(self, Int::Min),
            IntWord::Plus => of_two(self, Int::Plus),
            IntWord::Minus => of_two(self, Int::Minus),
            IntWord::Times => of_two(self, Int::Times),
        };
        self.int(int)
    }

    /// The role of a ludeme, or a default if it has none.
    pub(super) fn role_of(&mut self, tree: &Tree, default: Who) -> Who {
        tree.text("role").and_then(Role::read).map_or(default, |role| self.who(role))
    }

    /// Kinds of pieces of a name, by colour to move, optionally of a role.
    pub(super) fn kinds_by_mover(&mut self, tree: &Tree, parameter: &str) -> [u64; 3] {
        let name = tree.text(parameter).unwrap_or_default().to_owned();
        let role = tree.text("role").and_then(Role::read);
        let mut of = |owner: Option<u8>| self.kinds(&name, owner, tree.place);
        match role {
            None | Some(Role::Each) => [of(None); 3],
            Some(Role::Neutral) => [of(Some(0)); 3],
            Some(Role::P1) => [of(Some(1)); 3],
            Some(Role::P2) => [of(Some(2)); 3],
            Some(Role::Mover) => [0, of(Some(1)), of(Some(2))],
            Some(Role::Next | Role::Enemy) => [0, of(Some(2)), of(Some(1))],
        }
    }

    fn id(&mut self, tree: &Tree) -> IntId {
        let kinds = self.kinds_by_mover(tree, "text").map(|kinds| kinds.trailing_zeros() as i32);
        if kinds[1] == kinds[2] {
            return self.constant(kinds[1]);
        }
        self.program.maps.push(vec![0, kinds[1], kinds[2]]);
        self.maps.push(None);
        let mover = self.int(Int::Colour(Who::Mover));
        self.int(Int::Entry(self.program.maps.len() as u16 - 1, mover))
    }

    fn count_pieces(&mut self, tree: &Tree) -> Int {
        let within = tree.get("in").map(|within| self.lower_region(within));
        let who = self.role_of(tree, Who::Both);
        let kinds = match tree.text("piece").map(str::to_owned) {
            Some(name) => self.kinds(&name, None, tree.place),
            None => u64::MAX,
        };
        match within {
            Some(within) => Int::PiecesIn(who, kinds, within),
            None => Int::Pieces(who, kinds),
        }
    }

    fn map_entry(&mut self, tree: &Tree) -> Int {
        let name = tree.text("name");
        let key = tree.get("key").map_or(IntId(0), |key| self.lower_int(key));
        let found = match name {
            Some(name) => self.maps.iter().position(|known| known.as_deref() == Some(name)),
            None => self.maps.iter().position(Option::is_none).or(Some(0).filter(|_| !self.maps.is_empty())),
        };
        let Some(found) = found else {
            let known = self.maps.iter().flatten().map(String::as_str);
            let message = name
                .map_or("there is no map".to_owned(), |name| format!("there is no map `{name}`{}", hint(name, known)));
            self.error(tree.place, message);
            return Int::Const(0);
        };
        Int::Entry(found as u16, key)
    }
}
