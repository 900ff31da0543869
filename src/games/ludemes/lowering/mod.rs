//! From the typed tree to the flat program: names become numbers, conditions on single sites become sets of sites.
//!
//! Everything that is wrong is collected; what is wrong lowers to something harmless, so that the rest is read too.

mod actions;
mod bools;
mod directions;
mod effects;
mod equipment;
mod frame;
mod ints;
mod moves;
mod regions;

use super::program::{
    Bool, BoolId, Dirs, DirsId, Effect, EffectId, Int, IntId, Mask, MaskId, Moves, MovesId, NearId, Program, Region,
    RegionId, Register,
};
use super::schema::{Argument, Role, Tree};
use super::text::{Mistake, Place};

/// Lowers a game.
///
/// # Errors
/// Everything that is wrong with it.
pub fn lower(tree: &Tree, options: Vec<(String, Vec<String>)>) -> Result<Program, Vec<Mistake>> {
    let mut wrong = Vec::new();
    let program = frame::board(tree, &mut wrong).map(|board| {
        let mut lowering = Lowering::new(frame::empty(tree, board, options), std::mem::take(&mut wrong));
        lowering.game(tree);
        wrong = lowering.wrong;
        lowering.program
    });
    match program {
        Some(program) if wrong.is_empty() => Ok(program),
        _ => Err(wrong),
    }
}

/// Most instructions of one sort.
const MOST: usize = 4000;

/// A region that the equipment names: its name, its owner, its parts.
#[derive(Debug)]
struct NamedRegion {
    name: Option<String>,
    owner: Role,
    parts: Vec<Mask>,
}

/// A game that is being lowered.
struct Lowering {
    program: Program,
    wrong: Vec<Mistake>,
    regions: Vec<NamedRegion>,
    maps: Vec<Option<String>>,
    /// Point of the compass that a colour faces.
    facing: [Option<u8>; 3],
    /// Whether what is lowered now is about pieces in hands.
    in_hand: bool,
}

/// The number of an instruction; the same ones are stored once.
fn intern<T: PartialEq>(table: &mut Vec<T>, item: T) -> u16 {
    let index = table.iter().position(|known| *known == item).unwrap_or_else(|| {
        if table.len() < MOST {
            table.push(item);
        }
        table.len() - 1
    });
    index as u16
}

impl Lowering {
    fn new(program: Program, wrong: Vec<Mistake>) -> Lowering {
        Lowering { program, wrong, regions: Vec::new(), maps: Vec::new(), facing: [None; 3], in_hand: false }
    }

    fn error(&mut self, place: Place, message: impl Into<String>) {
        self.wrong.push(Mistake::new(place, message));
    }

    fn int(&mut self, int: Int) -> IntId {
        IntId(intern(&mut self.program.ints, int))
    }
    fn bool(&mut self, bool: Bool) -> BoolId {
        BoolId(intern(&mut self.program.bools, bool))
    }
    fn region(&mut self, region: Region) -> RegionId {
        RegionId(intern(&mut self.program.regions, region))
    }
    fn moves(&mut self, moves: Moves) -> MovesId {
        MovesId(intern(&mut self.program.moves, moves))
    }
    fn effect(&mut self, effect: Effect) -> EffectId {
        EffectId(intern(&mut self.program.effects, effect))
    }
    fn dirs(&mut self, dirs: Dirs) -> DirsId {
        DirsId(intern(&mut self.program.dirs, dirs))
    }
    fn mask(&mut self, mask: Mask) -> MaskId {
        MaskId(intern(&mut self.program.masks, mask))
    }
    fn near(&mut self, near: Vec<Mask>) -> NearId {
        NearId(intern(&mut self.program.near, near))
    }

    fn constant(&mut self, value: i32) -> IntId {
        self.int(Int::Const(value))
    }
    fn register(&mut self, register: Register) -> IntId {
        self.int(Int::Register(register))
    }
    fn known(&mut self, mask: Mask) -> RegionId {
        let mask = self.mask(mask);
        self.region(Region::Mask(mask))
    }
    fn truth(&mut self, value: bool) -> BoolId {
        self.bool(Bool::Const(value))
    }
    fn nothing(&mut self) -> EffectId {
        self.effect(Effect::None)
    }
    fn last_to(&mut self) -> IntId {
        self.int(Int::LastTo)
    }
    /// All sites of the board.
    fn board(&self) -> Mask {
        Mask::below(self.program.board_sites())
    }

    fn int_of(&self, id: IntId) -> Int {
        self.program.ints[usize::from(id.0)]
    }
    fn bool_of(&self, id: BoolId) -> Bool {
        self.program.bools[usize::from(id.0)]
    }
    fn region_of(&self, id: RegionId) -> Region {
        self.program.regions[usize::from(id.0)]
    }
    fn mask_of(&self, id: MaskId) -> Mask {
        self.program.masks[usize::from(id.0)]
    }

    /// The site of a parameter, or that of the last move where it is missing.
    fn site_or_last(&mut self, argument: Option<&Argument>) -> IntId {
        match argument {
            Some(argument) => self.lower_site(argument),
            None => self.last_to(),
        }
    }
    /// The number of a parameter, or another where it is missing.
    fn int_or(&mut self, argument: Option<&Argument>, default: i32) -> IntId {
        match argument {
            Some(argument) => self.lower_int(argument),
            None => self.constant(default),
        }
    }
    /// The set of sites of a parameter, or none where it is missing.
    fn region_or_none(&mut self, argument: Option<&Argument>) -> RegionId {
        match argument {
            Some(argument) => self.lower_region(argument),
            None => self.known(Mask::default()),
        }
    }
    /// The decisions of a parameter, or none where it is missing.
    fn moves_or_none(&mut self, argument: Option<&Argument>) -> MovesId {
        match argument {
            Some(argument) => self.lower_moves(argument),
            None => self.moves(Moves::None),
        }
    }
    /// The consequence of a parameter, or none where it is missing.
    fn effect_or_none(&mut self, argument: Option<&Argument>) -> EffectId {
        match argument {
            Some(argument) => self.lower_effect(argument),
            None => self.nothing(),
        }
    }

    /// A condition that may be missing.
    fn optional_bool(&mut self, argument: Option<&Argument>) -> Option<BoolId> {
        argument.map(|argument| self.lower_bool(argument))
    }
}
