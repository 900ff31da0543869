//! The manifest as written: files merged, and their sections as types.

mod claims;
pub mod cluster;
pub mod exhibit;
mod files;
pub mod load;
mod misplaced;
pub mod named;
pub mod names;
pub mod paper;
mod replaced;
mod scale;
pub mod schema;
mod search;
mod seeds;
pub mod stage;
pub mod suite;
pub mod sweep;
pub mod swept;
pub mod tune;
mod tuned;
pub mod upstream;
pub mod variant;
pub mod written;

pub use scale::PaperScale;
