//! Checks of a machine: what it is, whether it computes right, and how fast. `gauntlet doctor` prints them.
//!
//! Every line has a verdict. A fact has none; a check that does not apply here says why it was skipped.

mod arithmetic;
mod device;
mod examples;
mod finding;
mod machine;
mod part;
mod play;
pub mod speed;

use std::path::Path;

pub use finding::{Finding, Verdict};
pub use part::Part;

/// The checks of a part; `tell` receives each line when it is known. `results` is the directory of results, which need
/// not exist.
pub fn diagnose(part: Part, results: &Path, cores: usize, tell: &mut dyn FnMut(Finding)) {
    match part {
        Part::Machine => machine::lines(results).into_iter().for_each(tell),
        Part::Device => device::lines().into_iter().for_each(tell),
        Part::Arithmetic => arithmetic::lines(tell),
        Part::Play => play::lines(cores, tell),
        Part::Speed => speed::lines(tell),
    }
}
