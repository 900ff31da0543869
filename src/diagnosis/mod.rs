//! Checks of a machine: what it is, whether it computes right, and how fast. `gauntlet doctor` prints them.
//!
//! Every line has a verdict. A fact has none; a check that does not apply here says why it was skipped.

mod arithmetic;
mod device;
mod line;
mod machine;
mod play;
pub mod speed;

use std::path::Path;

pub use line::{Line, Verdict};

/// All checks, in order; `tell` receives each line when it is known. `results` is the directory of results, which need
/// not exist.
pub fn diagnose(results: &Path, cores: usize, tell: &mut dyn FnMut(Line)) {
    machine::lines(results).into_iter().for_each(&mut *tell);
    device::lines().into_iter().for_each(&mut *tell);
    arithmetic::lines(tell);
    play::lines(cores, tell);
    speed::lines(tell);
}
