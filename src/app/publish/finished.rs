//! The finished artefacts of a report and their runs, for a gallery.

use std::path::Path;

use super::kept::{Kept, SHEETS, note_same_jobs};
use super::provenance::Provenance;
use super::sealed;
use gauntlet_report::page::PaperInfo;
use gauntlet_report::{markdown, write};
use gauntlet_run::scheduler::Listener;

/// One artefact, ready for a gallery.
pub struct FinishedArtefact {
    /// The name of its files, without an ending.
    pub stem: String,
    /// Its page, with the picture as PNG and its provenance in the last line.
    pub page: String,
    /// The name of its manifest.
    pub manifest: String,
    /// Its paper.
    pub paper: PaperInfo,
    /// The reasons for which the commit of its page cannot be named.
    pub doubts: Vec<String>,
}

/// The artefacts of a report in the order of its page, and the names of artefacts of unknown provenance.
pub fn finished(report: &Path, listener: &mut dyn Listener) -> (Vec<FinishedArtefact>, Vec<String>) {
    let mut kept: Vec<Kept> = sealed::read_all(&report.join(SHEETS), listener);
    kept.sort_by_cached_key(Kept::order);
    note_same_jobs(&mut kept);
    let (mut finished, mut unknown) = (Vec::new(), Vec::new());
    for kept in kept {
        let stem = write::stem(&kept.sheet.artefact);
        match Provenance::read(report, &kept.of.0) {
            Some(made) => {
                let page = markdown::render(&kept.sheet, &format!("{stem}.png"));
                let page = format!("{page}\n{}\n", made.sentence());
                finished.push(FinishedArtefact {
                    stem,
                    page,
                    manifest: kept.of.0,
                    paper: kept.paper,
                    doubts: made.doubts,
                });
            }
            None => unknown.push(stem),
        }
    }
    (finished, unknown)
}
