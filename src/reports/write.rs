//! A sheet in all its formats, as bytes by file name. Writes no file: the store does that, atomically.

use super::csv::{self, Values};
use super::error::ReportError;
use super::sheet::Sheet;
use super::{latex, markdown, plot};
use std::collections::BTreeMap;

/// Everything that a sheet is rendered to.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// File name of the CSV: `table1.csv`.
    pub csv: String,
    /// Its columns.
    pub columns: Vec<(&'static str, Values)>,
    /// The other files by name: `table1.md`, `.tex`, `.png`, `.svg`.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The picture once more, for the page.
    pub svg: String,
}

/// Renders a sheet in every format. The same sheet gives the same bytes.
///
/// # Errors
/// When the picture cannot be drawn.
pub fn render(sheet: &Sheet) -> Result<Rendered, ReportError> {
    let stem = stem(&sheet.artefact);
    let file = |extension: &str| format!("{stem}.{extension}");
    let svg = plot::svg(sheet)?;
    let files = BTreeMap::from([
        (file("md"), markdown::render(sheet, &file("svg")).into_bytes()),
        (file("tex"), latex::render(sheet, &stem).into_bytes()),
        (file("png"), plot::png(sheet)?),
        (file("svg"), svg.clone().into_bytes()),
    ]);
    Ok(Rendered { csv: file("csv"), columns: csv::columns(sheet), files, svg })
}

/// The part of an artefact's key that names its files, without anything that could leave their directory:
/// `table1` of `schaul2009/table1`.
pub fn stem(artefact: &str) -> String {
    let name = artefact.rsplit('/').next().unwrap_or_default();
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.' { c } else { '-' };
    let name: String = name.chars().map(safe).collect();
    let name = name.trim_start_matches('.');
    if name.is_empty() { "artefact".into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::samples;

    #[test]
    fn every_format_is_there_and_deterministic() {
        let first = render(&samples::small_table()).expect("it renders");
        let names: Vec<_> = first.files.keys().map(String::as_str).collect();
        assert_eq!(names, ["table2.md", "table2.png", "table2.svg", "table2.tex"]);
        assert_eq!(first.csv, "table2.csv");
        assert_eq!(first, render(&samples::small_table()).expect("it renders again"));
    }

    #[test]
    fn names_stay_in_their_directory() {
        assert_eq!(stem("schaul2009/table1"), "table1");
        assert_eq!(stem("../../.hidden x"), "hidden-x");
        assert_eq!(stem("schaul2009/"), "artefact");
    }
}
