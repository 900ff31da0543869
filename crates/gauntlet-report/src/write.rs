//! A sheet in all its formats, as bytes by file name. It writes no file: the store does that, atomically.

use super::error::ReportError;
use super::sheet::Sheet;
use super::{csv, latex, markdown, plot};
use std::collections::BTreeMap;

/// Renders a sheet in every format: `table1.csv`, `.md`, `.tex`, `.png`, `.svg` and `.pdf`. The same sheet gives the same bytes.
///
/// # Errors
/// If the picture cannot be drawn.
pub fn render(sheet: &Sheet) -> Result<BTreeMap<String, Vec<u8>>, ReportError> {
    let stem = stem(&sheet.artefact);
    let file = |extension: &str| format!("{stem}.{extension}");
    Ok(BTreeMap::from([
        (file("csv"), csv::render(sheet)?),
        (file("md"), markdown::render(sheet, &file("svg")).into_bytes()),
        (file("tex"), latex::render(sheet, &stem).into_bytes()),
        (file("png"), plot::png(sheet)?),
        (file("svg"), plot::svg(sheet)?.into_bytes()),
        (file("pdf"), plot::pdf(sheet)?),
    ]))
}

/// The part of an artefact's key that names its files: `table1` of `schaul2009/table1`. It has no characters that could
/// leave their directory.
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
    use crate::samples;

    #[test]
    fn every_format_is_there_and_deterministic() {
        let first = render(&samples::small_table()).expect("it renders");
        let names: Vec<_> = first.keys().map(String::as_str).collect();
        assert_eq!(names, ["table2.csv", "table2.md", "table2.pdf", "table2.png", "table2.svg", "table2.tex"]);
        assert_eq!(first, render(&samples::small_table()).expect("it renders again"));
    }

    #[test]
    fn names_stay_in_their_directory() {
        assert_eq!(stem("schaul2009/table1"), "table1");
        assert_eq!(stem("../../.hidden x"), "hidden-x");
        assert_eq!(stem("schaul2009/"), "artefact");
    }
}
