//! The fixed vocabulary: sides, actions, outcomes, seeds, and the events a job tells.
//!
//! Every other room speaks these words; this one knows none of them.

#[cfg(test)]
pub mod golden;
mod key;
mod play;
mod record;
mod seed;
mod sink;
mod stop;
mod visible;

pub use key::Key;
pub use play::{Action, Outcome, Side};
pub use record::{Ending, Record, Resignations};
pub use seed::{Rng, Seed};
pub use sink::{Event, Silent, Sink};
pub use stop::{Interrupted, Stop};
pub use visible::{is_obeyed, visible, visible_lines};
