//! The index of all reports below a directory.

use std::path::Path;

use super::kept::{Kept, SHEETS, write_report};
use super::runs::TABLE;
use super::sealed;
use crate::app::library::natural;
use gauntlet_report::index::{ListedReport, render};

/// Writes the index of the reports below a directory.
///
/// # Errors
/// If it cannot be rendered or written.
pub fn write(reports: &Path) -> anyhow::Result<()> {
    let entries: Vec<ListedReport> = below(reports).iter().flat_map(|family| of_family(reports, family)).collect();
    let generated = format!("made by gauntlet {}", env!("CARGO_PKG_VERSION"));
    write_report(reports, &reports.join("index.html"), render(&entries, &generated)?.as_bytes())
}

/// The reports of a paper or manifest, one for each profile.
fn of_family(reports: &Path, family: &str) -> Vec<ListedReport> {
    let profiles = below(&reports.join(family));
    profiles.into_iter().filter_map(|profile| report(reports, family, profile)).collect()
}

/// One report, if it has files.
fn report(reports: &Path, family: &str, profile: String) -> Option<ListedReport> {
    let directory = reports.join(family).join(&profile);
    let mut kept: Vec<Kept> = sealed::read_intact(&directory.join(SHEETS));
    kept.sort_by_cached_key(Kept::order);
    let paper = kept.first()?.paper.clone();
    let exhibits = kept.into_iter().map(|kept| (kept.sheet, kept.state)).collect();
    Some(ListedReport {
        family: family.to_owned(),
        profile,
        paper,
        exhibits,
        has_runs: directory.join(TABLE).is_file(),
    })
}

/// The names of the directories below one, in order.
fn below(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut names: Vec<String> = directories.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_by_cached_key(|name| natural(name));
    names
}
