//! Files that reports keep for the pages of later runs; they are disposable like all files of reports.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::app::errors::{REPORT, write};
use crate::app::library::natural;
use crate::app::options::Options;
use crate::app::plans::Planned;
use gauntlet_report::Sheet;
use gauntlet_report::page::PaperInfo;
use gauntlet_report::same_jobs;
use gauntlet_report::write::stem;

/// The directory of sheets that wait for their page.
pub const SHEETS: &str = ".sheets";

/// The part of an artefact that the page of its family needs, kept beside its files.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    /// Its content.
    pub sheet: Sheet,
    /// The text of its manifest.
    pub manifest: String,
    /// The information about the paper on the page.
    pub paper: PaperInfo,
    /// Its progress.
    pub state: String,
    /// Name of the manifest, and the index of the exhibit in it: the order of the page.
    #[serde(default)]
    pub of: (String, usize),
    /// The place of the manifest.
    #[serde(default)]
    pub source: String,
    /// The keys of the jobs that it shows.
    #[serde(default)]
    pub jobs: BTreeSet<String>,
    /// Whether no job behind it has a result: such a report takes no name.
    #[serde(default)]
    pub is_empty: bool,
}

impl Kept {
    /// A sort key: manifests by name, exhibits in the order of their manifest.
    pub fn order(&self) -> (Vec<(String, u64)>, usize) {
        (natural(&self.of.0), self.of.1)
    }
}

/// Adds a note to each artefact of a report that shows jobs of another one.
pub fn note_same_jobs(kept: &mut [Kept]) {
    let stems: Vec<String> = kept.iter().map(|one| stem(&one.sheet.artefact)).collect();
    let artefacts: Vec<(&str, &BTreeSet<String>)> =
        stems.iter().zip(kept.iter()).map(|(stem, one)| (stem.as_str(), &one.jobs)).collect();
    let notes = same_jobs::notes(&artefacts);
    kept.iter_mut().zip(notes).for_each(|(one, note)| one.sheet.notes.extend(note));
}

/// Writes one file of a report, below the directory of all reports.
///
/// # Errors
/// If it cannot be written.
pub fn write_report(reports: &Path, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write(reports, path, bytes, REPORT)
}

/// The directory of a plan's files.
pub fn directory(options: &Options, planned: &Planned) -> PathBuf {
    options.reports.join(planned.plan.written.name.family()).join(&planned.plan.profile)
}
