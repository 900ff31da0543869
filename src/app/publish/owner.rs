//! Ownership of reports: a report is overwritten by its own manifest, and by another manifest of its name only with
//! `--force`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::kept::{Kept, SHEETS, directory};
use super::sealed;
use crate::app::errors::Misuse;
use crate::app::options::Options;
use crate::app::plans::{BUILT_IN, Planned};
use crate::reports::write::stem;

/// The place of a manifest, and its text.
type Origin = (String, String);

/// Requires that no exhibit overwrites an exhibit of another manifest, in these plans or among the existing reports.
///
/// # Errors
/// The first conflict, with both manifests.
pub fn require_own(options: &Options, plans: &[Planned]) -> anyhow::Result<()> {
    let mut taken: HashMap<PathBuf, Origin> = HashMap::new();
    for planned in plans.iter().filter(|_| !options.force) {
        let own = (planned.place.clone(), planned.text.clone());
        for (artefact, place) in places(options, planned) {
            let other = taken.get(&place).cloned().or_else(|| origin(&place));
            if let Some((other, _)) = other.filter(|other| is_another(other, &own)) {
                return Err(refused(&artefact, &other, &own.0));
            }
            taken.insert(place, own.clone());
        }
    }
    Ok(())
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

/// The manifest of a report, if it is known and still exists, and the report has a result.
fn origin(place: &Path) -> Option<Origin> {
    let kept = sealed::read::<Kept>(place).filter(|kept| !kept.is_empty)?;
    let is_there = kept.source.starts_with(BUILT_IN) || Path::new(&kept.source).is_file();
    is_there.then_some((kept.source, kept.manifest))
}

/// Whether a manifest has another place and another text.
fn is_another(one: &Origin, other: &Origin) -> bool {
    one.0 != other.0 && one.1 != other.1
}

fn refused(artefact: &str, other: &str, own: &str) -> anyhow::Error {
    let message = format!("the report `{artefact}` is that of {other}, and {own} would overwrite it");
    let hint = "give one of them another `name`, name another directory with --reports, or overwrite it with --force";
    Misuse::new(message, hint)
}
