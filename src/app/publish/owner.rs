//! Ownership of reports: a report is overwritten by its own manifest, and by another manifest of its name only with
//! `--force`. Exhibits that a manifest no longer has leave its page.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::kept::{Kept, SHEETS, directory};
use super::sealed;
use crate::app::errors::Misuse;
use crate::app::options::Options;
use crate::app::plans::{BUILT_IN, Planned};
use gauntlet_report::write::stem;

/// The place of a manifest, and its text.
type SourceManifest = (String, String);

/// Requires that no exhibit overwrites an exhibit of another manifest, in these plans or among the existing reports.
///
/// # Errors
/// The first conflict, with both manifests.
pub fn require_own(options: &Options, plans: &[Planned]) -> anyhow::Result<()> {
    let mut known: HashMap<PathBuf, Vec<(PathBuf, KeptExhibit)>> = HashMap::new();
    for planned in plans.iter().filter(|_| !options.force) {
        let (own, name) = ((planned.place.clone(), planned.text.clone()), planned.plan.written.name.to_string());
        let directory = directory(options, planned);
        let places: Vec<(String, PathBuf)> = places(options, planned).collect();
        let kept = known.entry(directory).or_insert_with_key(|directory| kept_in(directory));
        let is_own = |path: &PathBuf| places.iter().any(|(_, place)| place == path);
        for (path, exhibit) in kept.iter() {
            let other = exhibit.origin.as_ref().filter(|_| exhibit.name == name || is_own(path));
            if let Some((other, _)) = other.filter(|other| is_another(other, &own)) {
                return Err(refused(&exhibit.artefact, other, &own.0));
            }
        }
        // The next plans meet those of this one.
        kept.retain(|(path, _)| !is_own(path));
        let exhibit = |artefact| KeptExhibit { artefact, name: name.clone(), origin: Some(own.clone()) };
        kept.extend(places.into_iter().map(|(artefact, place)| (place, exhibit(artefact))));
    }
    Ok(())
}

/// Whether there is a report of an exhibit of this plan.
pub fn has_report(options: &Options, planned: &Planned) -> bool {
    places(options, planned).any(|(_, place)| place.is_file())
}

/// The exhibits of a plan, each with its kept file.
fn places<'a>(options: &Options, planned: &'a Planned) -> impl Iterator<Item = (String, PathBuf)> + use<'a> {
    let (written, sheets) = (&planned.plan.written, directory(options, planned).join(SHEETS));
    written.exhibits.iter().map(move |exhibit| {
        let name = exhibit.name.as_ref().map_or_else(|| written.name.clone(), |name| written.name.sibling(name));
        let place = sheets.join(format!("{}.json", stem(name.as_str())));
        (name.to_string(), place)
    })
}

/// The owner of a kept exhibit.
struct KeptExhibit {
    artefact: String,
    /// The name of its manifest.
    name: String,
    origin: Option<SourceManifest>,
}

/// The kept exhibits of a directory, by their files.
fn kept_in(directory: &Path) -> Vec<(PathBuf, KeptExhibit)> {
    let read = |path: PathBuf| {
        let kept = sealed::read::<Kept>(&path)?;
        let (artefact, name) = (kept.sheet.artefact.clone(), kept.of.0.clone());
        Some((path, KeptExhibit { artefact, name, origin: origin(kept) }))
    };
    sealed::paths(&directory.join(SHEETS)).filter_map(read).collect()
}

/// Removes the kept files of exhibits that their manifests no longer have.
pub fn drop_gone(options: &Options, plans: &[Planned]) {
    let current: HashSet<String> =
        plans.iter().flat_map(|planned| places(options, planned)).map(|(artefact, _)| artefact).collect();
    let mut named: BTreeMap<PathBuf, HashSet<String>> = BTreeMap::new();
    for planned in plans {
        named.entry(directory(options, planned)).or_default().insert(planned.plan.written.name.to_string());
    }
    for (directory, names) in named {
        for (path, kept) in kept_in(&directory) {
            if names.contains(&kept.name) && !current.contains(&kept.artefact) {
                // A file that stays is a section of the page until the report is deleted.
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

/// The manifest of a report, if it is known and still exists, and the report has a result.
fn origin(kept: Kept) -> Option<SourceManifest> {
    let kept = Some(kept).filter(|kept| !kept.is_empty)?;
    let is_there = kept.source.starts_with(BUILT_IN) || Path::new(&kept.source).is_file();
    is_there.then_some((kept.source, kept.manifest))
}

/// Whether a manifest has another place and another text.
fn is_another(one: &SourceManifest, other: &SourceManifest) -> bool {
    one.0 != other.0 && one.1 != other.1
}

fn refused(artefact: &str, other: &str, own: &str) -> anyhow::Error {
    let message = format!("the report `{artefact}` is that of {other}, and {own} would overwrite it");
    let hint = "give one of them another `name`, name another directory with --reports, or overwrite it with --force";
    Misuse::new(message, hint)
}
