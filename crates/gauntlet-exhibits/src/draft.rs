//! The content of an exhibit in the making: a kind gives points, in rows; the table and the chart follow.

use super::context::{Content, Context};
use super::estimate::{in_csv, of_errors};
use super::frame::{Fact, lost};
use super::sheet::{Chart, Panel, Point, Table};

/// A row of a table: its label and the indices of its points.
pub(super) type TableRow = (String, Vec<Option<usize>>);

/// Points, rows, panels and notes so far.
#[derive(Default)]
pub(super) struct Draft {
    pub points: Vec<Point>,
    /// Rows may be shorter than the table is wide.
    pub rows: Vec<TableRow>,
    pub panels: Vec<Panel>,
    pub notes: Vec<String>,
}

impl Draft {
    /// A draft that says how many of its facts are lost.
    pub fn of(facts: &[Fact<'_>]) -> Draft {
        Draft { notes: Vec::from_iter(lost(facts)), ..Draft::default() }
    }

    /// Adds a point and gives its cell.
    pub fn add(&mut self, point: Point) -> Option<usize> {
        self.points.push(point);
        Some(self.points.len() - 1)
    }

    /// Adds a row with a cell for each point.
    pub fn row<P: Into<Option<Point>>>(&mut self, label: impl Into<String>, points: impl IntoIterator<Item = P>) {
        let cells = points.into_iter().map(|point| point.into().and_then(|point| self.add(point))).collect();
        self.rows.push((label.into(), cells));
    }

    /// The points of a column, each with the number of its row.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (usize, &Point)> {
        let cell = move |(row, (_, cells)): (usize, &TableRow)| Some((row, (*cells.get(column)?)?));
        self.rows.iter().enumerate().filter_map(cell).map(|(row, at)| (row, &self.points[at]))
    }

    /// Puts the points of each row under the headings that they name.
    pub fn under(&mut self, columns: &[String]) {
        let points = &self.points;
        for (_, cells) in &mut self.rows {
            let cell = |column: &String| cells.iter().flatten().copied().find(|&at| points[at].column == *column);
            *cells = columns.iter().map(cell).collect();
        }
    }

    /// Makes rows of the columns, with these labels; the former labels become headings.
    pub fn turn(&mut self, labels: Vec<String>) -> Vec<String> {
        let (columns, cells): (Vec<String>, Vec<Vec<_>>) = std::mem::take(&mut self.rows).into_iter().unzip();
        let row = |(at, label)| (label, cells.iter().map(|cells| cells[at]).collect());
        self.rows = labels.into_iter().enumerate().map(row).collect();
        columns
    }

    /// The caption's sentence on the shown errors. A note names those that the CSV alone has.
    pub fn errors(&mut self, context: &Context<'_>, over: &str, how: &str) -> String {
        self.notes.push(in_csv(context.errors, how));
        of_errors(context.errors, over, how)
    }

    /// The content with a table of the rows.
    pub fn content<C: Into<String>>(
        mut self,
        corner: impl Into<String>,
        columns: impl IntoIterator<Item = C>,
        digits: usize,
        caption: impl Into<String>,
    ) -> Content {
        let columns: Vec<String> = columns.into_iter().map(Into::into).collect();
        self.rows.iter_mut().for_each(|(_, cells)| cells.resize(columns.len(), None));
        let table = Table { corner: corner.into(), columns, rows: std::mem::take(&mut self.rows), digits };
        Content { table: Some(table), ..self.without_table(caption) }
    }

    /// The content without a table.
    pub fn without_table(self, caption: impl Into<String>) -> Content {
        let Draft { points, panels, notes, .. } = self;
        Content { points, table: None, chart: Chart::of(panels), notes, caption: caption.into() }
    }
}
