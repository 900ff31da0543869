//! A compiled game: flat tables of instructions, sets of sites, and the numbers of its actions.

mod evaluated;
mod mask;
mod nodes;

use super::topology::{BoardGraph, Track};
pub use evaluated::Instruction;
pub use mask::{MOST_SITES, Mask};
pub use nodes::{
    Bool, BoolId, Change, Connected, Dirs, DirsId, Effect, EffectId, Int, IntId, LineTest, MaskId, MoveKind, Moves,
    MovesId, NearId, Region, RegionId, Register, Rule, Who,
};

/// A kind of piece of one owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceKind {
    /// Its name with the number of its owner: `Pawn1`.
    pub name: String,
    /// Its name without the number.
    pub base: String,
    /// 1 or 2; 0 for a neutral piece.
    pub owner: u8,
    /// The index of its base name among those of all pieces, from 0.
    pub shape: u8,
    /// Its own movement rule, if it has one.
    pub moves: Option<MovesId>,
}

/// A hand: sites beside the board that hold pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hand {
    /// 1 or 2.
    pub owner: u8,
    /// Its first site.
    pub first: u16,
    /// Number of its sites.
    pub size: u16,
}

/// The outcome when a condition holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndResult {
    /// This player wins.
    Win(Who),
    /// This player loses.
    Loss(Who),
    /// A draw.
    Draw,
    /// The higher of two numbers wins.
    ByScore([IntId; 2]),
}

/// A rule of the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndRule {
    /// The condition.
    pub when: BoolId,
    /// The outcome.
    pub verdict: EndResult,
}

/// A phase of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// The colour that has it; 0 for both.
    pub owner: u8,
    /// Its moves.
    pub play: MovesId,
    /// Its rules of the end, before those of the game.
    pub ends: Vec<EndRule>,
    /// Transitions to other phases: colours (bits 1 and 2), condition, and phase.
    pub next: Vec<(Who, BoolId, u8)>,
}

/// Pieces on a site at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The site.
    pub site: u16,
    /// The kind of piece.
    pub piece: u8,
    /// Number of pieces.
    pub count: u8,
}

/// The kind of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ActionKind {
    /// A move from a site to a site by rules of this class.
    Sites {
        /// The origin.
        from: u16,
        /// The destination.
        to: u16,
        /// The class of rules.
        class: u8,
    },
    /// A pass, a proposal or a vote, by rules of this class.
    Alone(u8),
    /// A forced pass.
    Pass,
    /// The second player takes over the first player's colour.
    Swap,
}

/// A compiled game.
#[derive(Debug, Clone)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// The board.
    pub graph: BoardGraph,
    /// Tracks of the board.
    pub tracks: Vec<Track>,
    /// Sites of board and hands.
    pub sites: usize,
    /// Kinds of pieces; 0 is none.
    pub pieces: Vec<PieceKind>,
    /// Hands, by owner.
    pub hands: Vec<Hand>,
    /// Whether the game has stacks.
    pub stacking: bool,
    /// Whether moves depend on the sites that the mover visited in this turn.
    pub visits: bool,
    /// Whether the second player may take over the first player's colour.
    pub swap: bool,
    /// Texts that can be proposed and voted for.
    pub texts: Vec<String>,
    /// The start.
    pub start: Vec<Placed>,
    /// Its phases, at least one.
    pub phases: Vec<Phase>,
    /// Rules of the end in all phases.
    pub ends: Vec<EndRule>,
    /// Rules that make moves.
    pub rules: Vec<Rule>,
    /// The lowest rule of every class.
    pub classes: Vec<u8>,
    /// Actions by number.
    pub actions: Vec<ActionKind>,
    /// Numbers.
    pub ints: Vec<Int>,
    /// Conditions.
    pub bools: Vec<Bool>,
    /// Sets of sites.
    pub regions: Vec<Region>,
    /// Generators of moves.
    pub moves: Vec<Moves>,
    /// Effects.
    pub effects: Vec<Effect>,
    /// Sets of directions.
    pub dirs: Vec<Dirs>,
    /// Tests for lines.
    pub lines: Vec<LineTest>,
    /// Tests whether groups join regions.
    pub links: Vec<Connected>,
    /// Rows of generators by kind of piece.
    pub tables: Vec<Vec<Option<MovesId>>>,
    /// Tables of numbers.
    pub maps: Vec<Vec<i32>>,
    /// Sets known at compile time.
    pub masks: Vec<Mask>,
    /// By number: a set for every site.
    pub near: Vec<Vec<Mask>>,
    /// The options of the description: heading and names.
    pub options: Vec<(String, Vec<String>)>,
}

impl Program {
    /// Sites of the board.
    pub fn board_sites(&self) -> usize {
        self.graph.sites()
    }

    /// The name of a site: its label, or the owner and number of a place in a hand.
    pub fn site_name(&self, site: usize) -> String {
        match self.hands.iter().find(|hand| (hand.first..hand.first + hand.size).contains(&(site as u16))) {
            Some(hand) => format!("hand{}.{}", hand.owner, site as u16 - hand.first + 1),
            None => self.graph.label(site),
        }
    }

    /// Whether an effect only removes pieces.
    pub fn removes(&self, effect: EffectId) -> bool {
        match self.effects[usize::from(effect.0)] {
            Effect::None | Effect::Remove(_) | Effect::SetCounter(_) | Effect::MoveAgain => true,
            Effect::Seq(a, b) | Effect::If(_, a, b) => self.removes(a) && self.removes(b),
            Effect::Custodial { effect, .. } | Effect::Surround { effect, .. } | Effect::Enclose { effect, .. } => {
                self.removes(effect)
            }
            Effect::Directional { effect, .. } | Effect::ForEachSite(_, effect) => self.removes(effect),
            Effect::Relocate { .. } | Effect::Add { .. } | Effect::Promote { .. } | Effect::Attract { .. } => false,
        }
    }
}
