//! A sheet as text for a terminal: title, caption, an aligned table, legend, criteria and notes.

use super::explain::wrapped;
use gauntlet_report::grid::{Grid, Head};
use gauntlet_report::profile::stated;
use gauntlet_report::{Criterion, Sheet};

/// Columns of a terminal of unknown width.
const USUAL: usize = 100;
/// Spaces between two columns.
const GAP: usize = 2;

/// The number of columns of the terminal.
pub fn columns() -> usize {
    terminal_size::terminal_size().map_or(USUAL, |(width, _)| usize::from(width.0)).max(40)
}

/// A column of texts with its heading; a compared column has three.
struct Column {
    cells: Vec<Vec<String>>,
    widths: Vec<usize>,
}

impl Column {
    /// A heading and the cells below it, each of the same number of texts.
    fn new(cells: Vec<Vec<String>>) -> Column {
        let texts = cells.first().map_or(0, Vec::len);
        let width = |at: usize| cells.iter().map(|cell| cell[at].chars().count()).max().unwrap_or(0);
        Column { widths: (0..texts).map(width).collect(), cells }
    }

    fn width(&self) -> usize {
        self.widths.iter().map(|width| width + GAP).sum()
    }
}

/// The sheet for a terminal with this number of columns.
pub fn render(sheet: &Sheet, width: usize) -> String {
    let profile = stated(&sheet.profile).map_or(String::new(), |profile| format!("{profile}. "));
    let mut blocks = vec![sheet.title.clone(), paragraph(&(profile + &sheet.caption))];
    if let Some(grid) = Grid::new(sheet) {
        blocks.push(table(&grid, width));
        blocks.push(paragraph(&grid.legend.join(" ")));
    }
    let criteria = sheet.criteria.iter().map(Criterion::sentence).map(|sentence| item(&sentence));
    blocks.push(criteria.collect());
    blocks.push(sheet.notes.iter().map(|note| item(note)).collect());
    blocks.retain(|block| !block.trim().is_empty());
    blocks.iter().map(|block| format!("{}\n", block.trim_end())).collect::<Vec<_>>().join("\n")
}

fn paragraph(text: &str) -> String {
    wrapped(text, 0)
}

/// An item of a list.
fn item(text: &str) -> String {
    let lines = wrapped(text, 2);
    format!("- {}", lines.trim_start())
}

/// The table; columns that do not fit follow below, with the labels of the rows again.
fn table(grid: &Grid, width: usize) -> String {
    let label = |text: &String| vec![text.clone()];
    let corner = std::iter::once(&grid.corner).chain(grid.rows.iter().map(|(label, _)| label)).map(label);
    let labels = Column::new(corner.collect());
    let mut parts: Vec<Vec<Column>> = vec![Vec::new()];
    let mut used = labels.width();
    for (at, head) in grid.heads.iter().enumerate() {
        let column = column(grid, at, head);
        let last = parts.last_mut().expect("there is one part");
        if !last.is_empty() && used + column.width() > width + GAP {
            used = labels.width() + column.width();
            parts.push(vec![column]);
        } else {
            used += column.width();
            last.push(column);
        }
    }
    parts.iter().map(|columns| lines(&labels, columns)).collect::<Vec<_>>().join("\n")
}

fn column(grid: &Grid, at: usize, head: &Head) -> Column {
    let name = head.group.as_ref().map_or_else(|| head.label.clone(), |group| format!("{group} / {}", head.label));
    let heading = if head.compared { vec![name, String::new(), "paper".to_owned()] } else { vec![name] };
    let cells =
        grid.rows.iter().map(|(_, cells)| cells[at].texts(head.compared).into_iter().map(str::to_owned).collect());
    Column::new(std::iter::once(heading).chain(cells).collect())
}

/// Labels to the left, numbers to the right, and a rule below the headings.
fn lines(labels: &Column, columns: &[Column]) -> String {
    let mut text = String::new();
    for row in 0..labels.cells.len() {
        let mut line = format!("{:width$}", labels.cells[row][0], width = labels.widths[0]);
        for column in columns {
            for (cell, width) in column.cells[row].iter().zip(&column.widths) {
                line += &format!("{:GAP$}{cell:>width$}", "");
            }
        }
        text += line.trim_end();
        text.push('\n');
        if row == 0 {
            let width = labels.widths[0] + columns.iter().map(Column::width).sum::<usize>();
            text += &"─".repeat(width);
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
#[expect(dead_code, reason = "most are for the tests of `gauntlet-report`")]
#[path = "../../crates/gauntlet-exhibits/src/samples.rs"]
mod samples;

#[cfg(test)]
mod tests {
    use super::samples;
    use super::*;

    #[test]
    fn a_small_table_is_aligned() {
        let text = render(&samples::small_table(), 160);
        assert!(text.starts_with("Table 2. Scalability of trained networks\n\nProfile: paper. "), "{text}");
        for row in ["0.84 ± 0.03  ≈  0.86 ± 0.026  ", "−0.05 ± 0.10  ≠   0.72 ± 0.05\n"] {
            assert!(text.contains(row), "{text}");
        }
        assert!(text.contains("- One network was lost & replaced.") && !text.contains('|'), "{text}");
        let rule = text.lines().find(|line| line.starts_with('─')).map_or(0, |line| line.chars().count());
        let longest = text.lines().filter(|line| line.starts_with("7x7")).map(|line| line.chars().count()).max();
        assert_eq!(Some(rule), longest, "{text}");
    }

    #[test]
    fn columns_that_do_not_fit_follow_below() {
        let text = render(&samples::small_table(), 50);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("7x7 vs. 9x9")).collect();
        assert!(rows.len() > 1, "{text}");
        let table = text.lines().filter(|line| line.starts_with("7x7") || line.starts_with('─'));
        assert!(table.clone().all(|line| line.chars().count() <= 50), "{text}");
    }
}
