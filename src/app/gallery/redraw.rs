//! Draws the pictures of a gallery again in today's style, and judges its criteria again by
//! today's rules. It reads the gallery's own CSV alone: no job runs, and no store is read.
//!
//! A picture is replaced only if today's manifest shows exactly the numbers of the CSV. Criteria over runs are judged again
//! from the runs of the gallery, if these give the published gain. The runs hold no pairs of games. Errors over games are
//! those of the CSV; a page with a dagger whose CSV does not have them keeps its criteria.

use std::collections::BTreeMap;
use std::path::Path;

use super::recipe::Recipe;
use crate::app::errors::{self, FILE};
use crate::app::options::Options;
use crate::app::plans::Planned;
use gauntlet_games::base::count;
use gauntlet_games::base::files::{LARGEST_DATA, LARGEST_NOTE, read_text};
use gauntlet_plan::manifest::exhibit::Exhibit;
use gauntlet_report::exhibits::{ExhibitScope, render};
use gauntlet_report::facts::Facts;
use gauntlet_report::gallery::GalleryPicture;
use gauntlet_report::markdown::escape;
use gauntlet_report::number::DOUBTED;
use gauntlet_report::published_facts::results;
use gauntlet_report::published_runs::parse;
use gauntlet_report::recorded::{RecordedSheet, first_difference, read};
use gauntlet_report::{Criterion, Sheet, csv, plot, write};

/// The outcome for one artefact.
struct Redrawn {
    png: Vec<u8>,
    /// Whether it has criteria that the runs of the gallery do not give again.
    is_unjudged: bool,
    /// The CSV and the page with criteria that are judged again; `None` if nothing changes.
    judged: Option<(Vec<u8>, String)>,
}

/// Draws every picture that the gallery's CSV determines. A message names the others, with the reason.
///
/// # Errors
/// If a file cannot be written.
pub fn redraw(
    options: &Options,
    gallery: &Path,
    pictures: &[GalleryPicture],
    note: &dyn Fn(&str),
) -> anyhow::Result<()> {
    let (mut plans, mut drawn, mut judged) = (BTreeMap::new(), 0, 0);
    for picture in pictures {
        let directory = gallery.join(&picture.family).join(&picture.profile);
        let path = |ending: &str| directory.join(format!("{}.{ending}", picture.stem));
        let name = format!("{}/{}/{}", picture.family, picture.profile, picture.stem);
        match artefact(options, &directory, &picture.stem, &mut plans) {
            Err(reason) => note(&format!("{name} is left as it is: {reason}")),
            Ok(Redrawn { png, is_unjudged, judged: again }) => {
                drawn += 1;
                if is_unjudged {
                    note(&format!("{name}: its criteria stay, as its runs do not give their gains again"));
                }
                errors::write(gallery, &path("png"), &png, FILE)?;
                if let Some((table, page)) = again {
                    judged += 1;
                    note(&format!("{name}: criteria judged again"));
                    errors::write(gallery, &path("csv"), &table, FILE)?;
                    errors::write(gallery, &path("md"), page.as_bytes(), FILE)?;
                }
            }
        }
    }
    let reported = format!("{} drawn again, {} with other criteria", count(drawn, "picture"), count(judged, "page"));
    note(&reported);
    Ok(())
}

/// Draws one artefact of a report's directory.
fn artefact(
    options: &Options,
    directory: &Path,
    stem: &str,
    plans: &mut BTreeMap<String, Option<Planned>>,
) -> Result<Redrawn, String> {
    let text = |ending: &str| {
        let name = format!("{stem}.{ending}");
        read_text(&directory.join(&name), LARGEST_DATA).map_err(|_| format!("there is no {name}"))
    };
    let (table, page) = (text("csv")?, text("md")?);
    let recorded = read(&table).ok_or("its CSV is none of an exhibit")?;
    let profile = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let command = Recipe::command(&page).ok_or("its page names no command")?;
    let planned = plans.entry(format!("{profile} {command}")).or_insert_with(|| {
        let (recipe, name) = Recipe::of_page(&page, &profile)?;
        recipe.plan(options, &name).ok()
    });
    let planned = planned.as_ref().ok_or("today's program does not have its manifest, or not in this form")?;
    let sheet = sheet(planned, directory, stem, &recorded)?;
    first_difference(&sheet.points, &recorded.points).map_or(Ok(()), Err)?;
    let png = plot::png(&sheet).map_err(|error| error.to_string())?;
    let found = judged(sheet, &recorded, &page);
    let is_unjudged = found.is_none() && !recorded.criteria.is_empty();
    let judged = found.filter(|(_, reported)| *reported != page);
    Ok(Redrawn { png, is_unjudged, judged })
}

/// The sheet of an artefact with the recorded numbers, and criteria from the runs of the gallery.
fn sheet(planned: &Planned, directory: &Path, stem: &str, recorded: &RecordedSheet) -> Result<Sheet, String> {
    let (plan, written) = (&planned.plan, &planned.plan.written);
    let runs = directory.join("runs").join(format!("{}.csv", write::stem(written.name.as_str())));
    let runs = read_text(&runs, LARGEST_NOTE).ok().as_deref().and_then(parse).unwrap_or_default();
    let name = |exhibit: &Exhibit| match &exhibit.name {
        Some(own) => write::stem(&written.name.sibling(own).to_string()),
        None => write::stem(written.name.as_str()),
    };
    let place = written.exhibits.iter().position(|exhibit| name(exhibit) == stem);
    let place = place.ok_or("today's manifest does not have this exhibit")?;
    let facts = Facts::new(plan, results(plan, &runs)).with_recorded(&recorded.points);
    let comparable = planned.paper_scales().is_comparable(place);
    Ok(render(&ExhibitScope { exhibit: &written.exhibits[place], facts: &facts, comparable }))
}

/// The CSV and the page with criteria that are judged again; `None` if the sheet does not have their gains, or the CSV not
/// the errors over games.
fn judged(sheet: Sheet, recorded: &RecordedSheet, page: &str) -> Option<(Vec<u8>, String)> {
    if page.contains(DOUBTED) && recorded.points.iter().all(|point| point.floor.is_none()) {
        return None;
    }
    let mut page = page.to_owned();
    let mut criteria = Vec::new();
    for (verdict, old) in &recorded.criteria {
        let is_it = |one: &&Criterion| (&one.gain.row, &one.gain.column) == (&old.row, &old.column);
        let one = sheet.criteria.iter().find(is_it)?;
        if one.comparison.is_none() && one.smaller.is_none() {
            // The rule for it is as it was.
            let kept = Criterion { gain: old.clone(), met: verdict == "met", ..one.clone() };
            if kept.word() != verdict {
                return None;
            }
            criteria.push(kept);
            continue;
        }
        if !is_close(one.gain.value, old.value) {
            return None;
        }
        page = told_again(&page, one)?;
        criteria.push(one.clone());
    }
    let points = recorded.points.clone();
    let bytes = csv::render(&Sheet { points, criteria, ..sheet }).ok()?;
    Some((bytes, page))
}

/// Whether the runs give the published gain. A gain without a value was not measured.
fn is_close(one: Option<f64>, other: Option<f64>) -> bool {
    one.map_or(other.is_none(), |one| other.is_some_and(|other| (one - other).abs() < 1e-9 * one.abs().max(1.0)))
}

/// The starts of the sentence on the time at which a criterion was fixed.
const FIXED: [&str; 3] = [" Fixed before", " Whether it was fixed", " Written after"];

/// A page whose line on a criterion is written again; the sentence on its time stays. `None` if there is no such line.
fn told_again(page: &str, criterion: &Criterion) -> Option<String> {
    let sentence = format!("- {}", escape(&criterion.sentence()));
    let (head, _) = sentence.split_once(&format!(": {}. ", criterion.word()))?;
    let old = page.lines().find(|line| line.strip_prefix(head).is_some_and(|rest| rest.starts_with(": ")))?;
    let time = FIXED.iter().find_map(|start| Some(&old[old.rfind(start)?..])).unwrap_or_default();
    Some(page.replace(old, &format!("{sentence}{time}")))
}
