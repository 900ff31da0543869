//! The fixed vocabulary: sides, actions, outcomes, seeds, and the events a job tells.
//!
//! Every other room speaks these words; this one knows none of them.

mod key;
mod play;
mod seed;
mod sink;

pub use key::Key;
pub use play::{Action, Outcome, Record, Side};
pub use seed::{Rng, Seed};
pub use sink::{Event, Interrupted, Silent, Sink};
