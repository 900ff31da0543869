//! What jobs take: work that is counted from their specs, and the seconds that it takes on this machine.
//!
//! Estimates for people, and the order in which jobs start, depend on it; results never do. A job is some [`WorkItem`]s; a
//! part is a piece of work and how often it is done. What a piece takes is assumed, from one table, and corrected: by
//! the store's timing journal, or for work that it does not know by a short measurement ([`Speed`]).

mod jobs;
mod memory;
mod probe;
mod speed;
mod training;
mod work;

pub use jobs::{parts, seconds};
pub use memory::memory;
pub use speed::Speed;
pub use work::{WorkItem, WorkKind};
