//! Prints the artefacts that a run or a report has written: as text on a terminal, as Markdown elsewhere.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use super::{Flags, output, sheet_text};
use crate::app::WrittenArtefact;
use gauntlet_report::{Sheet, markdown, write};

/// Prints the tables of artefacts, and the directories of their files.
pub fn announce(flags: &Flags, written: &[WrittenArtefact]) {
    if flags.json {
        let sheets: Vec<&Sheet> = written.iter().map(|written| &written.sheet).collect();
        return output::json(&sheets);
    }
    let is_for_people = std::io::stdout().is_terminal();
    for WrittenArtefact { sheet, directory } in written {
        let stem = write::stem(&sheet.artefact);
        output::result(&match is_for_people {
            true => sheet_text::render(sheet, sheet_text::columns()),
            false => markdown::render(sheet, &format!("{stem}.svg")),
        });
        output::result(&format!("{}\n", directory.join(format!("{stem}.{{csv,md,tex,png,svg,pdf}}")).display()));
    }
    let mut pages: Vec<PathBuf> = written.iter().map(|written| written.directory.join("index.html")).collect();
    pages.dedup();
    for page in pages {
        output::result(&page.display().to_string());
    }
}
