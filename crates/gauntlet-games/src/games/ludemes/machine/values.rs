//! Evaluation of numbers, conditions and sets of sites in a position.

use super::super::program::{Bool, BoolId, Dirs, DirsId, Int, IntId, Region, RegionId, Register, Who};
use super::bits::Bits;
use super::board::Board;
use super::tables::{NOWHERE, Tables};

/// The registers that rules read; -1 is not a site.
#[derive(Debug, Clone, Copy)]
pub struct Registers {
    /// The colour whose rules are evaluated.
    pub mover: u8,
    /// Sites by [`Register`].
    pub sites: [i32; 4],
}

impl Registers {
    /// Registers for this colour, without sites.
    #[inline]
    pub fn of(mover: u8) -> Registers {
        Registers { mover, sites: [-1; 4] }
    }

    /// The value of a register.
    #[inline]
    pub fn get(&self, register: Register) -> i32 {
        self.sites[register as usize]
    }

    /// A copy with a site in a register.
    #[inline]
    pub fn with(mut self, register: Register, site: usize) -> Registers {
        self.sites[register as usize] = site as i32;
        self
    }
}

/// The tables of a game with a position: the context of evaluation.
#[derive(Debug)]
pub struct EvalContext<'a, const W: usize, const S: usize> {
    /// The game.
    pub tables: &'a Tables<W>,
    /// The position.
    pub board: &'a Board<W, S>,
}

impl<const W: usize, const S: usize> Clone for EvalContext<'_, W, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<const W: usize, const S: usize> Copy for EvalContext<'_, W, S> {}

impl<const W: usize, const S: usize> EvalContext<'_, W, S> {
    /// A colour, 0 for no player.
    #[inline]
    pub fn colour(&self, who: Who, mover: u8) -> u8 {
        match who {
            Who::Colour(colour) => colour,
            Who::Mover | Who::Both => mover,
            Who::Opponent => 3 - mover,
            Who::Next => {
                if self.board.again {
                    mover
                } else {
                    3 - mover
                }
            }
        }
    }

    /// Sites with pieces of these owners.
    #[inline]
    pub fn own(&self, who: Who, mover: u8) -> Bits<W> {
        match who {
            Who::Both => self.board.own[1].or(&self.board.own[2]),
            _ => self.board.own[usize::from(self.colour(who, mover))],
        }
    }

    /// Sites of the board without a piece.
    #[inline]
    pub fn empty(&self) -> Bits<W> {
        self.tables.board.without(&self.board.occupied())
    }

    /// The (top) piece on a site, 0 for an empty site.
    #[inline]
    fn what(&self, site: i32) -> u8 {
        if site >= 0 && (site as usize) < self.tables.program.sites { self.board.piece(site as usize) } else { 0 }
    }

    #[inline]
    fn who(&self, piece: u8) -> i32 {
        i32::from(self.tables.owner[usize::from(piece)])
    }

    /// Evaluates a number or site.
    pub fn int(&self, id: IntId, at: &Registers) -> i32 {
        let int = |id: IntId| self.int(id, at);
        match self.tables.program.ints[usize::from(id.0)] {
            Int::Const(value) => value,
            Int::Register(register) => at.get(register),
            Int::LastTo => i32::from(self.board.last[0][1]),
            Int::LastFrom => i32::from(self.board.last[0][0]),
            Int::Colour(who) => i32::from(self.colour(who, at.mover)),
            Int::WhoAt(site) => self.who(self.what(int(site))),
            Int::WhatAt(site) => i32::from(self.what(int(site))),
            Int::WhoAtLevel(site, level) => self.who(self.at_level(int(site), int(level))),
            Int::WhatAtLevel(site, level) => i32::from(self.at_level(int(site), int(level))),
            Int::Where(kinds) => {
                self.kinds(Who::Both, kinds, at.mover).or(&self.kinds(Who::Colour(0), kinds, at.mover)).first()
            }
            Int::WhereOfMover(kinds) => {
                let kinds = kinds[usize::from(at.mover)];
                self.kinds(Who::Both, kinds, at.mover).or(&self.kinds(Who::Colour(0), kinds, at.mover)).first()
            }
            Int::TopLevel(site) => {
                let site = usize::try_from(int(site)).ok().filter(|&site| site < self.tables.program.sites);
                site.map_or(0, |site| self.board.height(site).saturating_sub(1) as i32)
            }
            Int::CountAt(site) => self.count(int(site)),
            Int::Moves => self.board.moves as i32,
            Int::Turns => self.board.turns as i32,
            Int::Counter => self.board.counter,
            Int::Pieces(who, kinds) => self.pieces(who, kinds, at.mover),
            Int::PiecesIn(who, kinds, region) => self.pieces_in(who, kinds, &self.region(region, at), at.mover),
            Int::Groups(region, near) => self.groups(self.region(region, at), near),
            Int::Size(region) => self.region(region, at).len() as i32,
            Int::Liberties(site, near) => self.liberties(int(site), near) as i32,
            Int::Ahead(site, steps, dirs) => self.ahead(int(site), int(steps), self.dirs(dirs, at)),
            Int::Column(site) => self.cell(int(site))[0],
            Int::Row(site) => self.cell(int(site))[1],
            Int::HandSite(who, index) => self.hand_site(self.colour(who, at.mover), int(index)),
            Int::Entry(map, key) => {
                let map = &self.tables.program.maps[usize::from(map)];
                usize::try_from(int(key)).ok().and_then(|key| map.get(key)).copied().unwrap_or(-1)
            }
            Int::Max(a, b) => int(a).max(int(b)),
            Int::Min(a, b) => int(a).min(int(b)),
            Int::Plus(a, b) => int(a).wrapping_add(int(b)),
            Int::Minus(a, b) => int(a).wrapping_sub(int(b)),
            Int::Times(a, b) => int(a).wrapping_mul(int(b)),
        }
    }

    fn at_level(&self, site: i32, level: i32) -> u8 {
        match (usize::try_from(site), usize::try_from(level)) {
            (Ok(site), Ok(level)) if site < self.tables.program.sites => self.board.level(site, level),
            _ => 0,
        }
    }

    fn count(&self, site: i32) -> i32 {
        let Ok(site) = usize::try_from(site) else { return 0 };
        match site.checked_sub(self.tables.program.board_sites()) {
            Some(place) => self.board.counts.get(place).copied().map_or(0, i32::from),
            None => self.board.height(site) as i32,
        }
    }

    fn pieces(&self, who: Who, kinds: u64, mover: u8) -> i32 {
        let whole = kinds == u64::MAX;
        let on_board = if whole { self.own(who, mover) } else { self.kinds(who, kinds, mover) }.len() as i32;
        let below = if S > 0 { self.hidden(who, kinds, mover) } else { 0 };
        let hands =
            self.tables.program.hands.iter().filter(|hand| who == Who::Both || hand.owner == self.colour(who, mover));
        let kept = hands.flat_map(|hand| usize::from(hand.first)..usize::from(hand.first + hand.size));
        let fits = |site: &usize| kinds >> self.board.piece(*site) & 1 != 0;
        on_board + below + kept.filter(fits).map(|site| self.count(site as i32)).sum::<i32>()
    }

    /// Number of pieces in a set of sites of the board and of hands.
    fn pieces_in(&self, who: Who, kinds: u64, within: &Bits<W>, mover: u8) -> i32 {
        let colour = (who != Who::Both).then(|| self.colour(who, mover));
        let fits = |piece: u8| {
            piece != 0
                && kinds >> piece & 1 != 0
                && colour.is_none_or(|colour| self.tables.owner[usize::from(piece)] == colour)
        };
        let of_site = |site: usize| match S > 0 {
            true => (0..self.board.height(site)).filter(|&level| fits(self.board.level(site, level))).count() as i32,
            false if fits(self.board.piece(site)) => self.count(site as i32),
            false => 0,
        };
        within.into_iter().map(of_site).sum()
    }

    /// Number of pieces under others.
    fn hidden(&self, who: Who, kinds: u64, mover: u8) -> i32 {
        let colour = (who != Who::Both).then(|| self.colour(who, mover));
        let fits = |piece: u8| {
            kinds >> piece & 1 != 0 && colour.is_none_or(|colour| self.tables.owner[usize::from(piece)] == colour)
        };
        let under = |site: usize| {
            (0..self.board.height(site).saturating_sub(1)).filter(|&level| fits(self.board.level(site, level))).count()
        };
        self.board.occupied().into_iter().map(under).sum::<usize>() as i32
    }

    /// Sites with pieces of these owners and kinds.
    fn kinds(&self, who: Who, kinds: u64, mover: u8) -> Bits<W> {
        let mut found = Bits::EMPTY;
        for site in self.own(who, mover) {
            if kinds >> self.board.piece(site) & 1 != 0 {
                found.insert(site);
            }
        }
        found
    }

    fn ahead(&self, site: i32, steps: i32, dirs: u16) -> i32 {
        if dirs == 0 || site < 0 || site as usize >= self.tables.program.board_sites() {
            return -1;
        }
        let (point, mut at) = (dirs.trailing_zeros() as usize, site as u16);
        for _ in 0..steps.clamp(0, 400) {
            at = self.tables.next(point, usize::from(at));
            if at == NOWHERE {
                return -1;
            }
        }
        i32::from(at)
    }

    fn cell(&self, site: i32) -> [i32; 2] {
        let inside = usize::try_from(site).ok().filter(|&site| site < self.tables.program.board_sites());
        inside.map_or([-1; 2], |site| self.tables.program.graph.column_and_row(site).map(i32::from))
    }

    fn hand_site(&self, colour: u8, index: i32) -> i32 {
        let hand = self.tables.program.hands.iter().find(|hand| hand.owner == colour);
        hand.filter(|hand| (0..i32::from(hand.size)).contains(&index)).map_or(-1, |hand| i32::from(hand.first) + index)
    }

    /// Evaluates directions, as bits.
    #[inline]
    pub fn dirs(&self, id: DirsId, at: &Registers) -> u16 {
        let point = |from: i32, to: i32| self.tables.towards(from, to).map_or(0, |point| 1 << point);
        let [from, to] = self.board.last[0].map(i32::from);
        match self.tables.program.dirs[usize::from(id.0)] {
            Dirs::Fixed(bits) => bits[usize::from(at.mover)],
            Dirs::Same => point(from, to),
            Dirs::Opposite => {
                let bits: u16 = point(from, to);
                bits.rotate_left(8)
            }
            Dirs::Towards(from, to) => point(self.int(from, at), self.int(to, at)),
        }
    }

    /// Whether a condition holds.
    pub fn bool(&self, id: BoolId, at: &Registers) -> bool {
        match self.tables.program.bools[usize::from(id.0)] {
            Bool::Const(value) => value,
            Bool::In(site, region) => self.contains(region, self.int(site, at), at),
            Bool::Meet(a, b) => self.region(a, at).meets(&self.region(b, at)),
            Bool::Equal(a, b) => self.int(a, at) == self.int(b, at),
            Bool::Less(a, b) => self.int(a, at) < self.int(b, at),
            Bool::Even(number) => self.int(number, at) % 2 == 0,
            Bool::Not(inner) => !self.bool(inner, at),
            Bool::And(a, b) => self.bool(a, at) && self.bool(b, at),
            Bool::Or(a, b) => self.bool(a, at) || self.bool(b, at),
            Bool::Line(line) => self.has_line(&self.tables.program.lines[usize::from(line)], at),
            Bool::Connected(link) => self.is_connected(&self.tables.program.links[usize::from(link)], at),
            Bool::Prev(who) => self.board.previous == self.colour(who, at.mover),
            Bool::Proposed(text) => self.board.proposed == text + 1,
            Bool::Decided(text) => self.board.decided == text + 1,
            Bool::NoMoves(who) => !self.has_moves(who, at.mover),
            Bool::CanMove(generator) => self.exists(generator, at, None),
            Bool::All(region, condition) => {
                self.region(region, at).into_iter().all(|site| self.bool(condition, &at.with(Register::Site, site)))
            }
            Bool::Threatened(region) => self.threatened(&self.region(region, at)),
            Bool::Free(site, near) => self.is_free(self.int(site, at), near),
        }
    }

    /// Whether a site is in a set; if possible, the set is not computed.
    fn contains(&self, id: RegionId, site: i32, at: &Registers) -> bool {
        if site < 0 || site as usize >= 64 * W {
            return false;
        }
        match self.tables.program.regions[usize::from(id.0)] {
            Region::Mask(mask) => self.tables.mask(mask).has(site as usize),
            Region::Own(who) if who != Who::Both => {
                self.board.own[usize::from(self.colour(who, at.mover))].has(site as usize)
            }
            Region::And(a, b) => self.contains(a, site, at) && self.contains(b, site, at),
            Region::Or(a, b) => self.contains(a, site, at) || self.contains(b, site, at),
            _ => self.region(id, at).has(site as usize),
        }
    }

    /// Evaluates a set of sites.
    pub fn region(&self, id: RegionId, at: &Registers) -> Bits<W> {
        match self.tables.program.regions[usize::from(id.0)] {
            Region::Mask(mask) => *self.tables.mask(mask),
            Region::MaskOf(who, masks) => *self.tables.mask(masks[usize::from(self.colour(who, at.mover))]),
            Region::Empty => self.empty(),
            Region::Occupied => self.board.occupied(),
            Region::Own(who) => self.own(who, at.mover),
            Region::Kinds(who, kinds) => self.kinds(who, kinds, at.mover),
            Region::Near(site, near) => self.tables.near(near[usize::from(at.mover)], self.int(site, at)),
            Region::Ray(site, dirs, far) => self.ray(self.int(site, at), self.dirs(dirs, at), far),
            Region::Single(site) => Bits::single(self.int(site, at)),
            Region::Not(inner) => self.tables.board.without(&self.region(inner, at)),
            Region::And(a, b) => self.region(a, at).and(&self.region(b, at)),
            Region::Or(a, b) => self.region(a, at).or(&self.region(b, at)),
            Region::Filter(of, register, condition) => {
                let mut found = self.region(of, at);
                for site in found {
                    if !self.bool(condition, &at.with(register, site)) {
                        found.remove(site);
                    }
                }
                found
            }
            Region::Expand(of, near, steps) => {
                let mut wide = self.region(of, at);
                for _ in 0..self.int(steps, at).clamp(0, 64) {
                    wide = wide.into_iter().fold(wide, |all, site| all.or(&self.tables.near(near, site as i32)));
                }
                wide
            }
            Region::Visited => self.board.visited,
            Region::Hand(who) => self.hand(self.colour(who, at.mover)),
        }
    }

    fn ray(&self, site: i32, dirs: u16, far: bool) -> Bits<W> {
        let mut found = Bits::EMPTY;
        if site < 0 || site as usize >= self.tables.program.board_sites() {
            return found;
        }
        for point in (0..16).filter(|point| dirs >> point & 1 != 0) {
            let mut at = self.tables.next(point, site as usize);
            while at != NOWHERE {
                found.insert(usize::from(at));
                at = if far { self.tables.next(point, usize::from(at)) } else { NOWHERE };
            }
        }
        found
    }

    /// The occupied sites of a hand.
    pub fn hand(&self, colour: u8) -> Bits<W> {
        let mut found = Bits::EMPTY;
        for hand in self.tables.program.hands.iter().filter(|hand| hand.owner == colour) {
            let held = (hand.first..hand.first + hand.size).filter(|&site| self.count(i32::from(site)) > 0);
            held.for_each(|site| found.insert(usize::from(site)));
        }
        found
    }
}
