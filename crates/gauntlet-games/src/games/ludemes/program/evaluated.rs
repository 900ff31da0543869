//! Dependencies between instructions, for searches through a program.

use super::{Bool, BoolId, Dirs, DirsId, Effect, EffectId, Int, IntId, Moves, MovesId, Program, Region, RegionId};

/// An instruction of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// A number.
    Int(IntId),
    /// A condition.
    Bool(BoolId),
    /// A set of sites.
    Region(RegionId),
    /// A set of directions.
    Dirs(DirsId),
    /// A generator of moves.
    Moves(MovesId),
    /// The effects of the moves of a generator.
    Made(MovesId),
    /// An effect.
    Effect(EffectId),
}
use Instruction::{Bool as B, Dirs as D, Effect as E, Int as I, Made, Moves as M, Region as R};

impl Program {
    /// The direct dependencies of an instruction. They exclude the condition of [`Moves::Do`] and the effects of its
    /// moves, which are evaluated in another position.
    pub fn evaluated(&self, instruction: Instruction) -> Vec<Instruction> {
        match instruction {
            I(id) => self.of_int(self.ints[usize::from(id.0)]),
            B(id) => self.of_bool(self.bools[usize::from(id.0)]),
            R(id) => of_region(self.regions[usize::from(id.0)]),
            D(id) => match self.dirs[usize::from(id.0)] {
                Dirs::Towards(a, b) => vec![I(a), I(b)],
                Dirs::Fixed(_) | Dirs::Same | Dirs::Opposite => Vec::new(),
            },
            M(id) => self.of_moves(self.moves[usize::from(id.0)]),
            Made(id) => self.of_made(self.moves[usize::from(id.0)]),
            E(id) => of_effect(self.effects[usize::from(id.0)]),
        }
    }

    fn of_int(&self, int: Int) -> Vec<Instruction> {
        match int {
            Int::Const(_) | Int::Register(_) | Int::LastTo | Int::LastFrom | Int::Colour(_) => Vec::new(),
            Int::Where(_) | Int::WhereOfMover(_) | Int::Moves | Int::Turns | Int::Counter => Vec::new(),
            Int::Pieces(..) => Vec::new(),
            Int::WhoAt(a) | Int::WhatAt(a) | Int::TopLevel(a) | Int::CountAt(a) | Int::Column(a) | Int::Row(a) => {
                vec![I(a)]
            }
            Int::Liberties(a, _) | Int::HandSite(_, a) | Int::Entry(_, a) => vec![I(a)],
            Int::WhoAtLevel(a, b) | Int::WhatAtLevel(a, b) | Int::Max(a, b) | Int::Min(a, b) => vec![I(a), I(b)],
            Int::Plus(a, b) | Int::Minus(a, b) | Int::Times(a, b) => vec![I(a), I(b)],
            Int::Groups(region, _) | Int::Size(region) | Int::PiecesIn(.., region) => vec![R(region)],
            Int::Ahead(a, b, dirs) => vec![I(a), I(b), D(dirs)],
        }
    }

    fn of_bool(&self, bool: Bool) -> Vec<Instruction> {
        match bool {
            Bool::Const(_) | Bool::Prev(_) | Bool::Proposed(_) | Bool::Decided(_) | Bool::Connected(_) => Vec::new(),
            Bool::In(a, region) => vec![I(a), R(region)],
            Bool::Meet(a, b) => vec![R(a), R(b)],
            Bool::Equal(a, b) | Bool::Less(a, b) => vec![I(a), I(b)],
            Bool::Even(a) | Bool::Free(a, _) => vec![I(a)],
            Bool::Not(a) => vec![B(a)],
            Bool::And(a, b) | Bool::Or(a, b) => vec![B(a), B(b)],
            Bool::Line(line) => {
                let line = &self.lines[usize::from(line)];
                [I(line.through), I(line.length)].into_iter().chain(line.within.map(R)).collect()
            }
            Bool::NoMoves(_) => self.of_turn(),
            Bool::CanMove(moves) => vec![M(moves)],
            Bool::All(region, when) => vec![R(region), B(when)],
            Bool::Threatened(region) => {
                let own = self.pieces.iter().filter_map(|piece| piece.moves).map(|moves| M(self.without_test(moves)));
                own.chain([R(region)]).collect()
            }
        }
    }

    /// The dependencies of the moves of either colour's turn.
    fn of_turn(&self) -> Vec<Instruction> {
        let next = |phase: &super::Phase| phase.next.iter().map(|&(_, when, _)| B(when)).collect::<Vec<_>>();
        self.phases.iter().flat_map(|phase| [vec![M(phase.play)], next(phase)].concat()).collect()
    }

    /// A generator without its condition on the position after a move.
    fn without_test(&self, moves: MovesId) -> MovesId {
        match self.moves[usize::from(moves.0)] {
            Moves::Do(inner, ..) => inner,
            _ => moves,
        }
    }

    fn of_moves(&self, moves: Moves) -> Vec<Instruction> {
        match moves {
            Moves::None | Moves::Alone { .. } => Vec::new(),
            Moves::On { sites, .. } => vec![R(sites)],
            Moves::Step { from, dirs, to, .. } => vec![I(from), D(dirs), R(to)],
            Moves::Slide { from, dirs, go, stop, .. } => {
                [I(from), D(dirs), R(go)].into_iter().chain(stop.map(R)).collect()
            }
            Moves::Track { from, go, stop, .. } => vec![I(from), R(go), R(stop)],
            Moves::Hop { from, dirs, between, to, .. } => vec![I(from), D(dirs), R(between), R(to)],
            Moves::Any { from, to, .. } => vec![R(from), R(to)],
            Moves::Pieces { table, .. } => self.rows(table).map(M).collect(),
            Moves::Or(a, b) | Moves::Priority(a, b) => vec![M(a), M(b)],
            Moves::If(when, a, b) => vec![B(when), M(a), M(b)],
            Moves::Do(inner, ..) => vec![M(inner)],
        }
    }

    fn of_made(&self, moves: Moves) -> Vec<Instruction> {
        match moves {
            Moves::None => Vec::new(),
            Moves::Pieces { table, .. } => self.rows(table).map(Made).collect(),
            Moves::Or(a, b) | Moves::Priority(a, b) | Moves::If(_, a, b) => vec![Made(a), Made(b)],
            Moves::Do(inner, ..) => vec![Made(inner)],
            Moves::On { rule, .. }
            | Moves::Alone { rule }
            | Moves::Step { rule, .. }
            | Moves::Slide { rule, .. }
            | Moves::Track { rule, .. }
            | Moves::Hop { rule, .. }
            | Moves::Any { rule, .. } => {
                let rule = self.rules[usize::from(rule)];
                vec![E(rule.before), E(rule.then)]
            }
        }
    }

    /// The generators of a table's row by kind of piece.
    pub fn rows(&self, table: u16) -> impl Iterator<Item = MovesId> + '_ {
        self.tables[usize::from(table)].iter().flatten().copied()
    }
}

fn of_region(region: Region) -> Vec<Instruction> {
    match region {
        Region::Mask(_) | Region::MaskOf(..) | Region::Empty | Region::Occupied | Region::Own(_) => Vec::new(),
        Region::Kinds(..) | Region::Visited | Region::Hand(_) => Vec::new(),
        Region::Near(a, _) | Region::Single(a) => vec![I(a)],
        Region::Ray(a, dirs, _) => vec![I(a), D(dirs)],
        Region::Not(a) => vec![R(a)],
        Region::And(a, b) | Region::Or(a, b) => vec![R(a), R(b)],
        Region::Filter(a, _, when) => vec![R(a), B(when)],
        Region::Expand(a, _, times) => vec![R(a), I(times)],
    }
}

fn of_effect(effect: Effect) -> Vec<Instruction> {
    match effect {
        Effect::None | Effect::MoveAgain => Vec::new(),
        Effect::Seq(a, b) => vec![E(a), E(b)],
        Effect::If(when, a, b) => vec![B(when), E(a), E(b)],
        Effect::Remove(sites) => vec![R(sites)],
        Effect::Relocate { from, to, level } => [I(from), I(to)].into_iter().chain(level.map(I)).collect(),
        Effect::Add { piece, to } => vec![I(piece), I(to)],
        Effect::Promote { at, piece } => vec![I(at), I(piece)],
        Effect::Attract { from, dirs } => vec![I(from), D(dirs)],
        Effect::Custodial { from, dirs, most, between, to, effect } => {
            vec![I(from), D(dirs), I(most), R(between), R(to), E(effect)]
        }
        Effect::Surround { from, between, to, except, effect, .. } => {
            vec![I(from), R(between), R(to), I(except), E(effect)]
        }
        Effect::Enclose { from, between, effect, .. } => vec![I(from), R(between), E(effect)],
        Effect::Directional { from, dirs, to, effect } => vec![I(from), D(dirs), R(to), E(effect)],
        Effect::SetCounter(value) => vec![I(value)],
        Effect::ForEachSite(sites, effect) => vec![R(sites), E(effect)],
    }
}
