//! Verification of finished results: stored jobs are run again with the current program, and their files are compared.
//!
//! ```text
//! batch + store
//!   -> candidates  the stored finished jobs of the plans, made by older code or on another machine
//!   -> draw        the jobs to run again within a budget: at least one for each change of code
//!   -> rerun       each in a scratch store, on the weights that the stored one read; a long training by its prefix
//!   -> compare     byte by byte: equal, or the first difference; kept as a note in the store
//! ```
//! Without a store, [`Fresh`] runs drawn jobs of plans with all their dependencies, and an [`audit`] draws them at random.
//!
//! The scheduler combines plans, store and notes ([`crate::scheduler::VerifiedCode`]).

mod audit;
mod candidates;
mod compare;
mod draw;
mod fresh;
mod rerun;

pub use audit::{CONFIDENCE, Stratum, audit};
pub use candidates::{Candidate, Candidates, DamagedJob, find};
pub use compare::{compare_prefix, compare_whole};
pub use draw::{Budget, Draw, Drawable, Drawn, Extent, draw};
pub use fresh::Fresh;
pub use rerun::{Outcome, Rerun};
