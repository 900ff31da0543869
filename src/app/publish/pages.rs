//! The page of every family of reports.

use std::path::Path;

use super::environment::environment;
use super::exhibits::WrittenArtefact;
use super::index;
use super::kept::{Kept, SHEETS, directory, note_same_jobs, write_report};
use super::sealed;
use super::training_times::TrainingTimes;
use crate::app::library::natural;
use crate::app::options::Options;
use crate::app::plans::Planned;
use gauntlet_report::page::{Page, PaperInfo, Partial, Section};
use gauntlet_report::plot::{narrow_svg, svg};
use gauntlet_report::write;
use gauntlet_run::scheduler::Listener;

/// The directory of training times that wait for the page: separate from the sheets, which are equal for equal runs.
const HOURS: &str = ".hours";

/// Keeps the hours of a plan's trainings for the page.
///
/// # Errors
/// If the file cannot be written.
pub fn write_hours(options: &Options, planned: &Planned, hours: &TrainingTimes) -> anyhow::Result<()> {
    let (directory, name) = (directory(options, planned).join(HOURS), planned.plan.written.name.to_string());
    if hours.is_empty() {
        return Ok(());
    }
    let stem = write::stem(&name);
    let of_plan: TrainingTimes = hours.iter().map(|(what, text)| (format!("{stem}: {what}"), text.clone())).collect();
    sealed::write(&options.reports, &directory.join(format!("{stem}.json")), &of_plan)
}

/// Writes the page of every directory with new files, and the index of all reports; `partial` describes unfinished
/// jobs.
///
/// # Errors
/// If a page cannot be rendered or written.
pub fn pages(
    options: &Options,
    written: &[WrittenArtefact],
    partial: Option<&Partial>,
    listener: &mut dyn Listener,
) -> anyhow::Result<()> {
    let mut directories: Vec<&Path> = written.iter().map(|written| written.directory.as_path()).collect();
    directories.dedup();
    for directory in directories {
        let page = Page { partial: partial.cloned(), ..page(options, directory, listener) };
        let page = gauntlet_report::page::render(&page)?;
        write_report(&options.reports, &directory.join("index.html"), page.as_bytes())?;
    }
    index::write(&options.reports)
}

fn page(options: &Options, directory: &Path, listener: &mut dyn Listener) -> Page {
    let mut kept: Vec<Kept> = sealed::read_all(&directory.join(SHEETS), listener);
    kept.sort_by_cached_key(Kept::order);
    note_same_jobs(&mut kept);
    let first = kept.first();
    let paper = first.map_or_else(PaperInfo::default, |kept| kept.paper.clone());
    let profile = first.map_or(String::new(), |kept| kept.sheet.profile.clone());
    let section = |kept: Kept| {
        let (svg, narrow) = (svg(&kept.sheet).ok()?, narrow_svg(&kept.sheet).ok()?);
        Some(Section { sheet: kept.sheet, svg, narrow, manifest: kept.manifest, state: kept.state })
    };
    let sections = kept.into_iter().filter_map(section).collect();
    let generated = format!("made by gauntlet {}", env!("CARGO_PKG_VERSION"));
    let mut hours = sealed::read_all::<TrainingTimes>(&directory.join(HOURS), listener);
    hours.sort_by_cached_key(|of_plan| of_plan.first().map(|(what, _)| natural(what)));
    let environment = environment(options.named_class().unwrap_or(&options.own_class).to_owned());
    Page { paper, profile, generated, environment, hours: hours.concat(), sections, partial: None }
}
