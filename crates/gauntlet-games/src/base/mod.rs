//! Basic types: sides, actions, outcomes, seeds, the events of a job, and the cores that it may use.
//!
//! All other rooms use these types; this room depends on no other room.

mod amount;
mod bounded;
mod cores;
pub mod files;
mod key;
mod picture;
mod play;
mod program;
mod record;
mod resume;
mod seed;
mod sink;
mod stop;
mod visible;
mod work_queue;

pub use amount::{bytes, count, duration, thousands};
pub use bounded::{AboveZero, BoundedNumber, Bounds, FromOne, FromZero, OutOfBounds, Share, SomeShare, bounded};
pub use cores::{CorePool, Cores};
pub use key::Key;
pub use picture::{BoardPicture, CellPicture, Chessman, Figure, PiecePicture, Tone};
pub use play::{Action, Outcome, Side};
pub use program::{Patience, Place};
pub use record::{Ending, Record, Resignations, SideTime};
pub use resume::{ResumePoint, Segment};
pub use seed::{Rng, Seed};
pub use sink::{Event, Silent, Sink};
pub use stop::{Interrupted, Stop};
pub use visible::{is_obeyed, visible, visible_lines};
