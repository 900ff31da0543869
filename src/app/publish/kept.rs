//! What reports keep beside their files for the pages of later runs: disposable like everything there.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::app::errors::{REPORT, write};
use crate::app::library::natural;
use crate::app::options::Options;
use crate::app::plans::Planned;
use crate::reports::Sheet;
use crate::reports::page::PaperInfo;

/// Where sheets wait for their page.
pub const SHEETS: &str = ".sheets";

/// What the page of a family needs of an artefact, kept beside its files.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    /// What it shows.
    pub sheet: Sheet,
    /// The text of its manifest.
    pub manifest: String,
    /// What the page says about the paper.
    pub paper: PaperInfo,
    /// How far it is.
    pub state: String,
    /// Name of the manifest, and the place of the exhibit in it: the order of the page.
    #[serde(default)]
    pub of: (String, usize),
    /// Where the manifest lies.
    #[serde(default)]
    pub source: String,
}

impl Kept {
    /// A sort key: manifests by their names, exhibits as their manifest has them.
    pub fn order(&self) -> (Vec<(String, u64)>, usize) {
        (natural(&self.of.0), self.of.1)
    }
}

/// Writes one file of a report.
///
/// # Errors
/// When it cannot be written.
pub fn write_report(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write(path, bytes, REPORT)
}

/// Where a plan's files go.
pub fn directory(options: &Options, planned: &Planned) -> PathBuf {
    options.reports.join(planned.plan.written.name.family()).join(&planned.plan.profile)
}
