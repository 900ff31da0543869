//! One table or figure of a paper as LaTeX.

use super::blocks::{BESIDE, Sizes, TooWide};
use super::chosen::chosen;
use super::error::TypesetError;
use crate::grid::Grid;
use crate::latex::{Breaks, Float, escape, tabular};
use crate::sheet::Sheet;
use gauntlet_exhibits::typeset::{CaptionLength, Typeset};

/// The usual size of letters in points, for estimates of tables without one.
const USUAL: f64 = 10.0;
/// Distance of base lines, as a multiple of the size of letters.
const LEADING: f64 = 1.2;

/// A table as LaTeX with its estimated size.
pub struct Piece {
    /// The LaTeX.
    pub text: String,
    /// Its width in points.
    pub width: f64,
    /// Its height in points, without caption and notes.
    pub height: f64,
}

/// The table of a sheet; `None` if it has none.
///
/// # Errors
/// If it lacks a chosen column, or if one does not fit into the width.
pub fn table(sheet: &Sheet, settings: &Typeset) -> Result<Option<Piece>, TypesetError> {
    let sheet = chosen(sheet, settings)?;
    let Some(grid) = Grid::new(&sheet) else { return Ok(None) };
    let letters = settings.font_size.map_or(USUAL, |size| size.points());
    let room = settings.width.map(|width| width.points());
    let sizes = Sizes::new(letters, room);
    let blocks = sizes.blocks(&grid).map_err(|TooWide { column, needed }| {
        let heading = sheet.table.as_ref().map(|table| sheet.names.column(&table.columns[column]));
        let (artefact, column) = (sheet.artefact.clone(), heading.unwrap_or_default());
        TypesetError::Wide { artefact, column, needed, room: room.unwrap_or_default() }
    })?;
    let parts: Vec<String> = blocks.iter().map(|columns| part(&grid.part(columns), sizes)).collect();
    // Heads, and the room of rules.
    let heads = 2 + usize::from(grid.is_grouped()) + usize::from(grid.is_compared());
    let lines = blocks.len() * (grid.rows.len() + heads);
    Ok(Some(Piece {
        text: if settings.bare { bare(&parts, settings) } else { float(&sheet, &grid, &parts, settings) },
        width: blocks.iter().map(|columns| sizes.width(&grid, columns)).fold(0.0, f64::max),
        height: lines as f64 * letters * LEADING,
    }))
}

/// One block of a table, with long names and headings in several lines.
fn part(grid: &Grid, sizes: Sizes) -> String {
    let head = |text: &str| match sizes.narrow(text) {
        Some(width) => format!("\\parbox[b]{{{}}}{{\\centering {}}}", length(width), escape(text)),
        None => escape(text),
    };
    tabular(grid, &Breaks { names: sizes.names(grid).map(length), head: &head })
}

/// The figure of a sheet, whose picture is a file of its final size. `is_second` if the sheet has a table as well.
#[must_use]
pub fn figure(sheet: &Sheet, settings: &Typeset, picture: &str, is_second: bool) -> String {
    let body = format!("  \\includegraphics{{{picture}}}");
    if settings.bare {
        return format!("{}\n", body.trim_start());
    }
    let mut float = arranged(Float::figure(sheet), settings);
    float.body = body;
    if is_second {
        // The notes and the label are those of the table.
        float.notes.clear();
        float.caption.truncate(1);
        float.label += "-figure";
    }
    float.text()
}

fn float(sheet: &Sheet, grid: &Grid, parts: &[String], settings: &Typeset) -> String {
    let mut float = arranged(Float::table(sheet, grid), settings);
    float.settings.extend(beside(settings));
    float.body = parts.join("\n  \\par\\medskip\n");
    float.text()
}

/// A float with its caption and the place of its notes.
fn arranged(mut float: Float, settings: &Typeset) -> Float {
    let is_short = settings.caption == Some(CaptionLength::Short);
    if is_short {
        let sentences = float.caption.split_off(1);
        float.notes.splice(..0, sentences);
    }
    float.settings.extend(letters(settings));
    if is_short || settings.width.is_some() || settings.font_size.is_some() {
        float.width = Some(settings.width.map_or("\\linewidth".to_owned(), |width| length(width.points())));
        if settings.font_size.is_none() && !float.notes.is_empty() {
            float.notes.insert(0, "\\footnotesize".to_owned());
        }
    }
    float
}

/// The table alone. Commands for its size are in a group, so that they end with it.
fn bare(parts: &[String], settings: &Typeset) -> String {
    let own: Vec<String> = letters(settings).into_iter().chain(beside(settings)).collect();
    let text = parts.join("\n  \\par\\medskip\n");
    match own.is_empty() {
        true => format!("{}\n", unindented(&text)),
        false => format!("{{{}\n{}\n}}\n", own.concat(), unindented(&text)),
    }
}

fn unindented(text: &str) -> String {
    text.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect::<Vec<&str>>().join("\n")
}

/// The command for the size of letters.
fn letters(settings: &Typeset) -> Option<String> {
    let size = settings.font_size?.points();
    Some(format!("\\fontsize{{{}}}{{{}}}\\selectfont", length(size), length(size * LEADING)))
}

/// The command for narrow columns.
fn beside(settings: &Typeset) -> Option<String> {
    settings.width.map(|_| format!("\\setlength{{\\tabcolsep}}{{{}}}", length(BESIDE)))
}

/// A length in points, for TeX.
pub(super) fn length(points: f64) -> String {
    let text = format!("{points:.3}");
    format!("{}pt", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{latex, samples};

    fn settings(text: &str) -> Typeset {
        toml::from_str(text).expect(text)
    }

    fn set(text: &str) -> String {
        table(&samples::small_table(), &settings(text)).expect(text).expect("it has a table").text
    }

    #[test]
    fn without_settings_a_table_is_that_of_the_report() {
        assert_eq!(set(""), latex::render(&samples::small_table(), "table2"));
        assert_eq!(set("caption = \"full\""), set(""));
    }

    #[test]
    fn a_table_for_a_column() {
        let text = set("columns = [\"p\", \"ties\"]\ncaption = \"short\"\nwidth = \"180pt\"\nfont-size = \"8pt\"");
        insta::assert_snapshot!(text, @r"
        % Needs \usepackage{booktabs}.
        \begin{table}
          \centering
          \caption{Table 2. Scalability of trained networks.}
          \label{schaul2009/table2}
          \par\smallskip
          \fontsize{8pt}{9.6pt}\selectfont
          \setlength{\tabcolsep}{3pt}
          \begin{tabular}{l rcl}
            \toprule
             & \multicolumn{3}{c}{CONV} \\
            \cmidrule(lr){2-4}
             & \multicolumn{3}{c}{p} \\
            \cmidrule(lr){2-4}
            Sizes & ours &  & paper \\
            \midrule
            7x7 vs. 9x9 & 0.12 $\pm$ 0.10 & $\circ$ & 0.20 $\pm$ 0.10 \\
            7x7 vs. 11x11 &  &  &  \\
            \bottomrule
          \end{tabular}
          \par\medskip
          \begin{tabular}{l r}
            \toprule
            Sizes & \multicolumn{1}{c}{ties} \\
            \midrule
            7x7 vs. 9x9 & 0.07 $\pm$ 0.02 \\
            7x7 vs. 11x11 &  \\
            \bottomrule
          \end{tabular}
          \par\smallskip\parbox{180pt}{Correlation of the fitness on 7x7 with that on larger boards, 100 networks per scenario. Profile: paper. Every number rests on n = 100 runs. $\pm$ is one standard error. Ours against the paper's: $\circ$ not comparable, as it was measured at another scale. One network was lost \& replaced.}
        \end{table}
        ");
    }

    #[test]
    fn a_bare_table_is_the_tabular_alone() {
        let text = set("bare = true\ncolumns = [\"ties\"]");
        assert!(
            text.starts_with("\\begin{tabular}{l r}\n  \\toprule\n") && text.ends_with("\\end{tabular}\n"),
            "{text}"
        );
        let sized = set("bare = true\ncolumns = [\"ties\"]\nfont-size = \"8pt\"");
        assert!(sized.starts_with("{\\fontsize{8pt}{9.6pt}\\selectfont\n\\begin{tabular}"), "{sized}");
        assert!(sized.ends_with("\\end{tabular}\n}\n"), "{sized}");
    }

    #[test]
    fn a_column_that_does_not_fit_is_refused_with_its_width() {
        let error = table(&samples::small_table(), &settings("width = \"20mm\"")).err().expect("it is too wide");
        assert!(matches!(&error, TypesetError::Wide { column, .. } if column == "CONV / Correlation"), "{error}");
        assert!(error.to_string().contains("of 57pt"), "{error}");
    }

    #[test]
    fn a_figure_has_the_size_of_its_file() {
        let sheet = Sheet { table: None, ..samples::small_table() };
        let text = figure(&sheet, &settings("caption = \"short\"\nwidth = \"85mm\""), "paper-table2.pdf", false);
        assert!(
            text.contains(
                "  \\includegraphics{paper-table2.pdf}\n  \\par\\smallskip\\parbox{241.848pt}{\\footnotesize "
            )
        );
        assert!(text.contains("\\caption{Table 2. Scalability of trained networks.}"), "{text}");
        let second = figure(&sheet, &settings(""), "paper-table2.pdf", true);
        assert!(second.contains("\\label{schaul2009/table2-figure}") && !second.contains("replaced"), "{second}");
        assert_eq!(figure(&sheet, &settings("bare = true"), "a.pdf", false), "\\includegraphics{a.pdf}\n");
    }
}
