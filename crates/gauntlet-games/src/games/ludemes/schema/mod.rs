//! The table of all ludemes, and the typed tree of a valid description.

mod bind;
mod reference;
mod signature;
mod tree;
mod types;
mod words;

pub use bind::bind;
pub use reference::{LudemeEntry, TypeEntry, ludemes, types};
pub use tree::{Argument, Tree};
pub use types::{COMPASS, Role, TURNS, Type, direction};
pub use words::{
    BoolWord, ClauseWord, DirsWord, EffectWord, FrameWord, GraphWord, IntWord, MovesWord, RegionWord, Word,
};
