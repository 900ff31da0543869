//! Costs of jobs: work counted from their specs, and its estimated seconds on this machine.
//!
//! Displayed estimates and the start order of jobs depend on them; results never do. A job is a list of [`WorkItem`]s:
//! a piece of work and its number of repetitions. The cost of a piece comes from one table and is corrected by the
//! store's timing journal or, for work without journal entries, by a short measurement ([`Speed`]).

mod formats;
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
