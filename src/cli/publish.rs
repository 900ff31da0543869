//! Writing reports: every exhibit in all formats, and the page of its family.

mod finished;
mod index;
mod kept;
mod made;
mod owner;
mod runs;
mod taken;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Flags;
use super::environment::environment;
use super::library::natural;
use super::load_plans::Planned;
use super::output::{self, count};
use super::sealed;
use super::training_times::TrainingTimes;
use crate::manifest::exhibit::Exhibit;
use crate::reports::exhibits::{Scene, render};
use crate::reports::facts::{Fact, Facts};
use crate::reports::page::{Page, PaperInfo, Partial, Section};
use crate::reports::{Sheet, markdown, number, write};
use crate::scheduler::content_hash;
pub use finished::{FinishedArtefact, finished};
use kept::{Kept, SHEETS, directory, write_report};
pub use made::Made;
pub use owner::require_own;
pub use runs::{rows, runs, shared_runs};
pub use taken::Taken;

/// Where the hours of trainings wait for the page: apart from the sheets, which hold what equal runs agree on.
const HOURS: &str = ".hours";

/// One artefact that was written.
pub struct WrittenArtefact {
    /// What it shows.
    pub sheet: Sheet,
    /// The directory of its files.
    pub directory: PathBuf,
}

/// Renders and writes every exhibit of a plan.
///
/// # Errors
/// When a picture cannot be drawn or a file cannot be written.
pub fn exhibits(
    flags: &Flags,
    planned: &Planned,
    facts: &Facts<'_>,
    taken: &Taken,
) -> anyhow::Result<Vec<WrittenArtefact>> {
    let (plan, directory) = (&planned.plan, directory(flags, planned));
    let mut written = Vec::new();
    for (place, exhibit) in plan.written.exhibits.iter().enumerate() {
        let scene = Scene { exhibit, facts, comparable: planned.scale.is_comparable(place) };
        let mut sheet = render(&scene);
        sheet.notes.extend(taken.notes());
        if !planned.changes.is_empty() {
            sheet.notes.push(format!("Changed on the command line: {}.", planned.changes));
        }
        let files = write::render(&sheet)?;
        for (name, bytes) in &files {
            write_report(&directory.join(name), bytes)?;
        }
        let (state, picture) = (provenance(facts, exhibit), picture(&files));
        let (of, source) = ((plan.written.name.to_string(), place), planned.place.clone());
        let (manifest, paper) = (planned.text.clone(), paper_info(planned));
        let kept = Kept { sheet, manifest, paper, state, picture, of, source };
        let name = format!("{}.json", write::stem(&kept.sheet.artefact));
        sealed::write(&directory.join(SHEETS).join(name), &kept)?;
        written.push(WrittenArtefact { sheet: kept.sheet, directory: directory.clone() });
    }
    Ok(written)
}

/// The hash of the picture among the files of an artefact.
fn picture(files: &BTreeMap<String, Vec<u8>>) -> String {
    files.iter().find(|(name, _)| name.ends_with(".svg")).map_or(String::new(), |(_, bytes)| content_hash(bytes))
}

/// Keeps the hours of a plan's trainings for the page.
///
/// # Errors
/// When the file cannot be written.
pub fn hours(flags: &Flags, planned: &Planned, hours: &TrainingTimes) -> anyhow::Result<()> {
    let (directory, name) = (directory(flags, planned).join(HOURS), planned.plan.written.name.to_string());
    if hours.is_empty() {
        return Ok(());
    }
    let stem = write::stem(&name);
    let of_plan: TrainingTimes = hours.iter().map(|(what, text)| (format!("{stem}: {what}"), text.clone())).collect();
    sealed::write(&directory.join(format!("{stem}.json")), &of_plan)
}

/// What the page says about the paper; a family without a paper shows its own name.
fn paper_info(planned: &Planned) -> PaperInfo {
    let written = &planned.plan.written;
    match &written.paper {
        None => {
            PaperInfo { key: written.name.family().to_owned(), title: written.title.clone(), ..PaperInfo::default() }
        }
        Some(paper) => PaperInfo {
            key: paper.key.to_string(),
            title: paper.title.clone(),
            authors: paper.authors.clone(),
            venue: paper.venue.clone(),
        },
    }
}

/// How much stands behind an exhibit: the jobs of its stages, and their games.
fn provenance(facts: &Facts<'_>, exhibit: &Exhibit) -> String {
    let stages = exhibit.show.stages();
    let own: Vec<Fact<'_>> = facts.all().filter(|fact| stages.contains(&fact.config.stage.as_str())).collect();
    let missing = own.iter().filter(|fact| fact.result.is_none()).count();
    let state =
        if missing == 0 { "complete".to_owned() } else { format!("{} without a result", count(missing, "job")) };
    let games: u64 = own.iter().map(Fact::games).sum();
    format!("{state} · {} · {} games", count(own.len(), "job"), number::thousands(games))
}

/// Writes the page of every directory that something was written to, and the index of all reports; `partial` tells of
/// jobs that are still to run.
///
/// # Errors
/// When a page cannot be rendered or written.
pub fn pages(flags: &Flags, written: &[WrittenArtefact], partial: Option<&Partial>) -> anyhow::Result<()> {
    let mut directories: Vec<&Path> = written.iter().map(|written| written.directory.as_path()).collect();
    directories.dedup();
    for directory in directories {
        let page = Page { partial: partial.cloned(), ..page(directory) };
        let page = crate::reports::page::render(&page)?;
        write_report(&directory.join("index.html"), page.as_bytes())?;
    }
    index::write(&flags.reports)
}

fn page(directory: &Path) -> Page {
    let mut kept: Vec<Kept> = sealed::read_all(&directory.join(SHEETS));
    kept.sort_by_cached_key(Kept::order);
    let first = kept.first();
    let paper = first.map_or_else(PaperInfo::default, |kept| kept.paper.clone());
    let profile = first.map_or(String::new(), |kept| kept.sheet.profile.clone());
    let section = |kept: Kept| {
        let picture = directory.join(format!("{}.svg", write::stem(&kept.sheet.artefact)));
        let svg = std::fs::read_to_string(&picture).ok()?;
        if content_hash(svg.as_bytes()) != kept.picture {
            sealed::warn(&picture);
            return None;
        }
        let narrow = crate::reports::plot::narrow_svg(&kept.sheet).ok()?;
        Some(Section { sheet: kept.sheet, svg, narrow, manifest: kept.manifest, state: kept.state })
    };
    // An artefact whose picture was removed is left out, too.
    let sections = kept.into_iter().filter_map(section).collect();
    let generated = format!("made by gauntlet {}", env!("CARGO_PKG_VERSION"));
    let mut hours = sealed::read_all::<TrainingTimes>(&directory.join(HOURS));
    hours.sort_by_cached_key(|of_plan| of_plan.first().map(|(what, _)| natural(what)));
    Page { paper, profile, generated, environment: environment(), hours: hours.concat(), sections, partial: None }
}

/// Prints the tables and where the files are.
pub fn announce(flags: &Flags, written: &[WrittenArtefact]) {
    if flags.json {
        let sheets: Vec<&Sheet> = written.iter().map(|written| &written.sheet).collect();
        return output::json(&sheets);
    }
    for WrittenArtefact { sheet, directory } in written {
        let stem = write::stem(&sheet.artefact);
        output::result(&markdown::render(sheet, &format!("{stem}.svg")));
        output::result(&format!("{}\n", directory.join(format!("{stem}.{{csv,md,tex,png,svg}}")).display()));
    }
    let mut pages: Vec<PathBuf> = written.iter().map(|written| written.directory.join("index.html")).collect();
    pages.dedup();
    for page in pages {
        output::result(&page.display().to_string());
    }
}
