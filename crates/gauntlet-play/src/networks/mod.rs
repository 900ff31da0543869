//! Networks of other programs: a process computes and trains a network, and the search is ours.
//!
//! Messages are frames: a line of JSON and blocks of numbers. `docs/network-protocol.md` specifies them. A
//! [`NetworkProcess`] is one process; a [`SharedNetwork`] is what players and trainings hold of it.

mod frames;
mod messages;
mod process;
mod rows;
mod shared;

pub use messages::{Greeting, HelloFromNetwork, LearnRules, Learned, LossParts};
pub use process::{Lesson, NetworkProcess};
pub use shared::SharedNetwork;
