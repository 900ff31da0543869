//! The exhibits of a plan, rendered in all formats and written.

use std::path::PathBuf;

use super::kept::{Kept, SHEETS, directory, write_report};
use super::older_code::OlderCode;
use super::sealed;
use crate::app::options::Options;
use crate::app::plans::Planned;
use crate::app::published_results::PublishedResults;
use gauntlet_games::base::count;
use gauntlet_plan::manifest::exhibit::Exhibit;
use gauntlet_plan::manifest::{Plan, PlanJob};
use gauntlet_report::exhibits::{ExhibitScope, render};
use gauntlet_report::facts::{Fact, Facts};
use gauntlet_report::page::PaperInfo;
use gauntlet_report::{Sheet, number, write};

/// One artefact that was written.
pub struct WrittenArtefact {
    /// Its content.
    pub sheet: Sheet,
    /// The directory of its files.
    pub directory: PathBuf,
}

/// Renders and writes every exhibit of a plan.
///
/// # Errors
/// If a picture cannot be drawn or a file cannot be written.
pub fn exhibits(
    options: &Options,
    planned: &Planned,
    (facts, published): (&Facts<'_>, &PublishedResults),
    taken: &OlderCode,
) -> anyhow::Result<Vec<WrittenArtefact>> {
    let (plan, directory) = (&planned.plan, directory(options, planned));
    let mut written = Vec::new();
    for (place, exhibit) in plan.written.exhibits.iter().enumerate() {
        let scope = ExhibitScope { exhibit, facts, comparable: planned.paper_scales().is_comparable(place) };
        let mut sheet = render(&scope);
        sheet.notes.extend(taken.notes());
        sheet.notes.extend(published.note(shown_jobs(plan, exhibit).map(|(at, _)| at)));
        if !planned.changes.is_empty() {
            sheet.notes.push(format!("Changed on the command line: {}.", planned.changes));
        }
        let files = write::render(&sheet)?;
        for (name, bytes) in &files {
            write_report(&options.reports, &directory.join(name), bytes)?;
        }
        let own = behind(facts, exhibit);
        let (state, is_empty) = (provenance(&own), own.iter().all(|fact| fact.result.is_none()));
        let (of, source) = ((plan.written.name.to_string(), place), planned.place.clone());
        let (manifest, paper) = (planned.text.clone(), paper_info(planned));
        let jobs = shown_jobs(plan, exhibit).map(|(_, job)| job.key.to_string()).collect();
        let kept = Kept { sheet, manifest, paper, state, of, source, jobs, is_empty };
        let name = format!("{}.json", write::stem(&kept.sheet.artefact));
        sealed::write(&options.reports, &directory.join(SHEETS).join(name), &kept)?;
        written.push(WrittenArtefact { sheet: kept.sheet, directory: directory.clone() });
    }
    Ok(written)
}

/// The jobs whose results stand in the shown table, with their indices in the plan.
fn shown_jobs<'p>(plan: &'p Plan, exhibit: &'p Exhibit) -> impl Iterator<Item = (usize, &'p PlanJob)> {
    let about = exhibit.show.about();
    let is_shown = move |job: &PlanJob| about.tables[0].contains(&plan.config(job).stage.as_str());
    plan.jobs.iter().enumerate().filter(move |(_, job)| is_shown(job))
}

/// The information about the paper on the page; a family without a paper shows its own name.
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

/// The jobs of an exhibit's stages.
fn behind<'f>(facts: &'f Facts<'_>, exhibit: &Exhibit) -> Vec<Fact<'f>> {
    let stages = exhibit.show.stages();
    facts.all().filter(|fact| stages.contains(&fact.config.stage.as_str())).collect()
}

/// The data behind an exhibit: its jobs and their games.
fn provenance(own: &[Fact<'_>]) -> String {
    let missing = own.iter().filter(|fact| fact.result.is_none()).count();
    let state =
        if missing == 0 { "complete".to_owned() } else { format!("{} without a result", count(missing, "job")) };
    let games: u64 = own.iter().map(Fact::games).sum();
    format!("{state} · {} · {} games", count(own.len(), "job"), number::thousands(games))
}
