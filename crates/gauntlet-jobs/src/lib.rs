//! One job of an experiment: its specification, its work, and the code that it runs.
//!
//! | module | contents |
//! |---|---|
//! | `spec` | all inputs of a job except its seed, composed of the specs of `gauntlet-play` |
//! | `execute` | the job as a pure function: spec, seed and upstream files in, files out |
//! | [`code`] | fingerprints: a hash of the source items that a job can reach, from the table of the build script |
//! | `variants` | the variants that a spec names, as the fingerprints need them |

pub mod code;
mod execute;
mod spec;
mod variants;

pub use execute::{UnusableCheckpoint, execute};
pub use spec::JobSpec;
