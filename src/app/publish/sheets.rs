//! The artefacts of a report, read back from it.

use super::kept::{Kept, SHEETS, directory};
use super::sealed;
use crate::app::options::Options;
use crate::app::plans::Planned;
use gauntlet_report::Sheet;

/// The artefacts that a manifest's report holds, each with its place among the exhibits, in their order.
#[must_use]
pub fn sheets(options: &Options, planned: &Planned) -> Vec<(usize, Sheet)> {
    let name = planned.plan.written.name.to_string();
    let kept: Vec<Kept> = sealed::read_intact(&directory(options, planned).join(SHEETS));
    let own = kept.into_iter().filter(|kept| kept.of.0 == name);
    let mut sheets: Vec<(usize, Sheet)> = own.map(|kept| (kept.of.1, kept.sheet)).collect();
    sheets.sort_by_key(|(place, _)| *place);
    sheets
}
