//! The state of the lowering: the program so far, the mistakes, and the meaning of names.

use super::super::program::{
    Bool, BoolId, Dirs, DirsId, Effect, EffectId, Int, IntId, Mask, MaskId, Moves, MovesId, NearId, Program, Region,
    RegionId, Register,
};
use super::super::schema::{Argument, Role};
use super::super::text::{Mistake, SourcePlace};

/// Maximum number of instructions of one sort.
const MOST: usize = 4000;

/// A named region of the equipment: its name, its owner, its parts.
#[derive(Debug)]
pub(super) struct NamedRegion {
    pub name: Option<String>,
    pub owner: Role,
    pub parts: Vec<Mask>,
}

/// A game that is being lowered.
pub(super) struct Lowering {
    pub program: Program,
    pub wrong: Vec<Mistake>,
    pub regions: Vec<NamedRegion>,
    pub maps: Vec<Option<String>>,
    /// The compass direction that a colour faces.
    pub facing: [Option<u8>; 3],
    /// Whether the current rules apply to pieces in hands.
    pub in_hand: bool,
    /// Queries about moves, with their places.
    pub asked: Vec<(BoolId, SourcePlace)>,
    /// Effects after the moves that are being lowered, from the enclosing ludemes, outermost first.
    pub thens: Vec<EffectId>,
    /// The movement rules of pieces, by kind.
    pub ways: Vec<Option<Argument>>,
}

/// The number of an instruction; equal instructions are stored once.
pub(super) fn intern<T: PartialEq>(table: &mut Vec<T>, item: T) -> u16 {
    let index = table.iter().position(|known| *known == item).unwrap_or_else(|| {
        if table.len() < MOST {
            table.push(item);
        }
        table.len() - 1
    });
    index as u16
}

impl Lowering {
    pub fn new(program: Program, wrong: Vec<Mistake>) -> Lowering {
        Lowering {
            program,
            wrong,
            regions: Vec::new(),
            maps: Vec::new(),
            facing: [None; 3],
            in_hand: false,
            asked: Vec::new(),
            thens: Vec::new(),
            ways: Vec::new(),
        }
    }

    pub fn error(&mut self, place: SourcePlace, message: impl Into<String>) {
        self.wrong.push(Mistake::new(place, message));
    }

    /// Reports sorts with more instructions than can be numbered; the excess was not stored.
    pub fn check_sizes(&mut self, place: SourcePlace) {
        let program = &self.program;
        let sizes = [program.ints.len(), program.bools.len(), program.regions.len(), program.moves.len()];
        let others = [program.effects.len(), program.dirs.len(), program.masks.len(), program.near.len()];
        let tables = [program.lines.len(), program.links.len(), program.tables.len(), program.texts.len()];
        if [sizes, others, tables].concat().into_iter().any(|size| size >= MOST) {
            self.error(
                place,
                format!("the game needs {MOST} numbers, conditions, sets of sites or moves; that is too many"),
            );
        }
    }

    pub fn int(&mut self, int: Int) -> IntId {
        IntId(intern(&mut self.program.ints, int))
    }
    pub fn bool(&mut self, bool: Bool) -> BoolId {
        BoolId(intern(&mut self.program.bools, bool))
    }
    pub fn region(&mut self, region: Region) -> RegionId {
        RegionId(intern(&mut self.program.regions, region))
    }
    pub fn moves(&mut self, moves: Moves) -> MovesId {
        MovesId(intern(&mut self.program.moves, moves))
    }
    pub fn effect(&mut self, effect: Effect) -> EffectId {
        EffectId(intern(&mut self.program.effects, effect))
    }
    pub fn dirs(&mut self, dirs: Dirs) -> DirsId {
        DirsId(intern(&mut self.program.dirs, dirs))
    }
    pub fn mask(&mut self, mask: Mask) -> MaskId {
        MaskId(intern(&mut self.program.masks, mask))
    }
    pub fn near(&mut self, near: Vec<Mask>) -> NearId {
        NearId(intern(&mut self.program.near, near))
    }

    pub fn constant(&mut self, value: i32) -> IntId {
        self.int(Int::Const(value))
    }
    pub fn register(&mut self, register: Register) -> IntId {
        self.int(Int::Register(register))
    }
    pub fn known(&mut self, mask: Mask) -> RegionId {
        let mask = self.mask(mask);
        self.region(Region::Mask(mask))
    }
    pub fn truth(&mut self, value: bool) -> BoolId {
        self.bool(Bool::Const(value))
    }
    pub fn nothing(&mut self) -> EffectId {
        self.effect(Effect::None)
    }
    pub fn last_to(&mut self) -> IntId {
        self.int(Int::LastTo)
    }
    /// All sites of the board.
    pub fn board(&self) -> Mask {
        Mask::below(self.program.board_sites())
    }

    pub fn int_of(&self, id: IntId) -> Int {
        self.program.ints[usize::from(id.0)]
    }
    pub fn bool_of(&self, id: BoolId) -> Bool {
        self.program.bools[usize::from(id.0)]
    }
    pub fn region_of(&self, id: RegionId) -> Region {
        self.program.regions[usize::from(id.0)]
    }
    pub fn mask_of(&self, id: MaskId) -> Mask {
        self.program.masks[usize::from(id.0)]
    }

    /// The site of a parameter, or that of the last move if it is missing.
    pub fn site_or_last(&mut self, argument: Option<&Argument>) -> IntId {
        match argument {
            Some(argument) => self.lower_site(argument),
            None => self.last_to(),
        }
    }
    /// The number of a parameter, or a default if it is missing.
    pub fn int_or(&mut self, argument: Option<&Argument>, default: i32) -> IntId {
        match argument {
            Some(argument) => self.lower_int(argument),
            None => self.constant(default),
        }
    }
    /// The set of sites of a parameter, or an empty one if it is missing.
    pub fn region_or_none(&mut self, argument: Option<&Argument>) -> RegionId {
        match argument {
            Some(argument) => self.lower_region(argument),
            None => self.known(Mask::default()),
        }
    }
    /// The moves of a parameter, or none if it is missing.
    pub fn moves_or_none(&mut self, argument: Option<&Argument>) -> MovesId {
        match argument {
            Some(argument) => self.lower_moves(argument),
            None => self.moves(Moves::None),
        }
    }
    /// The effect of a parameter, or none if it is missing.
    pub fn effect_or_none(&mut self, argument: Option<&Argument>) -> EffectId {
        match argument {
            Some(argument) => self.lower_effect(argument),
            None => self.nothing(),
        }
    }

    /// An optional condition.
    pub fn optional_bool(&mut self, argument: Option<&Argument>) -> Option<BoolId> {
        argument.map(|argument| self.lower_bool(argument))
    }
}
