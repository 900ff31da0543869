//! Whether finished results still come out: stored jobs are run again with today's program, and their files compared.
//!
//! ```text
//! batch + store
//!   -> candidates  the finished jobs that the store has of the plans, made by older code or on another machine
//!   -> draw        which of them are run again within a budget: at least one for each change of code
//!   -> rerun       each in a scratch store, on the weights that the stored one read; a long training by its prefix
//!   -> compare     byte by byte: the same, or where the files first differ; kept as a note in the store
//! ```
//! For those who have no store, [`Fresh`] runs drawn jobs of plans with all that they wait for.
//!
//! What follows from the notes is decided where plans and store meet ([`crate::scheduler::Verdicts`]).

mod candidates;
mod compare;
mod draw;
mod fresh;
mod rerun;

pub use candidates::{Candidate, Candidates, find};
pub use compare::{compare_prefix, compare_whole};
pub use draw::{Budget, Draw, Drawable, Drawn, Extent, draw};
pub use fresh::Fresh;
pub use rerun::{Outcome, Rerun};
