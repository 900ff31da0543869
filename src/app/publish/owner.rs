//! Whose reports are written over: those of the same manifest, and of another one of its name only where that is asked for.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::kept::{Kept, SHEETS, directory};
use super::sealed;
use crate::app::errors::Misuse;
use crate::app::options::Options;
use crate::app::plans::{BUILT_IN, Planned};
use crate::reports::write::stem;

/// Where a manifest lies, and its text.
type Origin = (String, String);

/// Whether every exhibit is written to a place of its own: not to that of another manifest, in these plans or in the
/// reports that are there.
///
/// # Errors
/// The first that is not, with both manifests.
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

/// The exhibits of a plan, each with the file that is kept of it.
fn places<'a>(options: &Options, planned: &'a Planned) -> impl Iterator<Item = (String, PathBuf)> + use<'a> {
    let (written, sheets) = (&planned.plan.written, directory(options, planned).join(SHEETS));
    written.exhibits.iter().map(move |exhibit| {
        let name = exhibit.name.as_ref().map_or_else(|| written.name.clone(), |name| written.name.sibling(name));
        let place = sheets.join(format!("{}.json", stem(name.as_str())));
        (name.to_string(), place)
    })
}

/// The manifest that a report was made from, where that is known and the manifest is still there.
fn origin(place: &Path) -> Option<Origin> {
    let kept: Kept = sealed::read(place)?;
    let is_there = kept.source.starts_with(BUILT_IN) || Path::new(&kept.source).is_file();
    is_there.then_some((kept.source, kept.manifest))
}

/// Whether a manifest lies elsewhere and says something else.
fn is_another(one: &Origin, other: &Origin) -> bool {
    one.0 != other.0 && one.1 != other.1
}

fn refused(artefact: &str, other: &str, own: &str) -> anyhow::Error {
    let message = format!("the report `{artefact}` is that of {other}, and would be written over by {own}");
    let hint = "give one of them another `name`, name another directory with --reports, or write over it with --force";
    Misuse::new(message, hint)
}
