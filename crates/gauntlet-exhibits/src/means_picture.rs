//! The picture of mean results: against a numeric axis, or against the rows of their table.

use super::levels::even_score;
use super::mean_settings::Means;
use super::run_values::Shown;
use super::sheet::{Axis, AxisScale, Mark, Panel, Point, Series, Vertex};
use super::uncertainty::is_over_games;
use super::{Context, distinct};

/// One column: the labels of its facts, and its value.
pub(super) struct MeansColumn {
    pub labels: Vec<String>,
    pub shown: Shown,
    /// The labels for a legend.
    pub legend: String,
    pub name: String,
}

/// One row, and its points by columns.
pub(super) struct MeansRow {
    pub name: String,
    pub line: String,
    pub cells: Vec<Option<usize>>,
}

/// The rows of a picture: all along an abscissa, else those with a measured value. Without any, all.
pub(super) fn drawn<'a>(show: &Means, rows: &'a [MeansRow], points: &[Point]) -> Vec<&'a MeansRow> {
    let is_measured = |row: &MeansRow| row.cells.iter().flatten().any(|&at| points[at].value.is_some());
    rows.iter().filter(|row| show.x.is_some() || is_measured(row) || !rows.iter().any(is_measured)).collect()
}

/// A part of the table, for drawing.
pub(super) struct Picture<'a> {
    pub context: &'a Context<'a>,
    pub show: &'a Means,
    pub columns: &'a [MeansColumn],
    pub rows: Vec<&'a MeansRow>,
    pub points: &'a [Point],
}

impl Picture<'_> {
    /// A panel for each shown value, as their units differ.
    pub fn panels(&self, title: &str) -> Vec<Panel> {
        if let [shown] = self.show.values[..] {
            let label = self.show.y_label.clone().unwrap_or_else(|| shown.metric(self.show.scale));
            return vec![self.panel(title.to_owned(), label, shown)];
        }
        let panel = |&shown: &Shown| {
            // Outcomes share an axis; the titles name their players.
            let of = if shown.is_outcome() { Shown::Mean } else { shown };
            let own = if shown.is_outcome() { shown.title(self.show.scale) } else { "" };
            let title = [title, own].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
            self.panel(title, of.metric(self.show.scale), shown)
        };
        self.show.values.iter().map(panel).collect()
    }

    fn panel(&self, title: String, label: String, shown: Shown) -> Panel {
        let columns = self.columns.iter().enumerate().filter(|(_, column)| column.shown == shown);
        let lines = columns.flat_map(|(at, column)| self.lines().into_iter().map(move |line| (at, column, line)));
        let series = lines.enumerate().flat_map(|(colour, (at, column, line))| self.series(at, column, line, colour));
        // Not every line has points in every column.
        let series: Vec<Series> = series.filter(|series| self.show.x.is_none() || !series.points.is_empty()).collect();
        let x = match &self.show.x {
            Some(axis) => {
                let scale = self.show.x_scale.unwrap_or_default().scale();
                Axis { scale, ..Axis::linear(self.context.axis(axis)) }
            }
            None => {
                let names: Vec<String> = self.rows.iter().map(|row| row.name.clone()).collect();
                Axis::categories(self.context.axes(&self.show.rows), names)
            }
        };
        // Games and operations vary by orders of magnitude.
        let scale = if self.show.counts_effort() { AxisScale::Log } else { AxisScale::Linear };
        // Comparable panels have equal ends, and a single point is shown within the full range.
        let [low, high] = shown.range(self.show.scale);
        let is_alone = series.iter().map(|series| series.points.len()).sum::<usize>() == 1;
        let range = ((self.show.values.len() > 1 || is_alone) && high.is_finite()).then_some((low, high));
        let mut panel = Panel::new(title, x, Axis { label, scale, range }, series);
        if shown.is_outcome() {
            even_score(&mut panel, self.show.scale);
        }
        panel
    }

    /// The lines of a column, in the order of the rows: one `None` if the picture has no abscissa.
    fn lines(&self) -> Vec<Option<&str>> {
        if self.show.x.is_none() {
            return vec![None];
        }
        distinct(self.rows.iter().map(|row| Some(row.line.as_str())))
    }

    /// The measured series, and the paper's if it has any.
    fn series(&self, at: usize, column: &MeansColumn, line: Option<&str>, colour: usize) -> Vec<Series> {
        let name = match (column.legend.as_str(), line.unwrap_or_default()) {
            ("", "") => column.name.clone(),
            ("", line) => line.to_owned(),
            (legend, "") => legend.to_owned(),
            (legend, line) => format!("{legend}, {line}"),
        };
        let mark = if self.show.x.is_some() { self.mark(at, line) } else { Mark::Dot };
        let (errors, range) = (self.context.errors, column.shown.range(self.show.scale));
        let points = self.vertices(at, line, |point, x| point.vertex(x, errors, range));
        let own = Series::new(&name, mark, colour, points);
        let points = self.vertices(at, line, |point, x| point.printed_vertex(x, errors, range));
        let paper = Series::new(format!("{name}, paper"), Mark::Diamond, colour, points);
        if paper.points.is_empty() { vec![own] } else { vec![own, paper] }
    }

    /// The mark of a line: hatched if its errors are over games and those of others over runs.
    fn mark(&self, column: usize, line: Option<&str>) -> Mark {
        let own = self.of_line(line).filter_map(|(_, row)| row.cells[column]).map(|at| &self.points[at]);
        let mut own = own.filter(|point| point.error.is_some()).peekable();
        let others = self.points.iter().any(|point| point.error.is_some() && !is_over_games(point));
        let games = own.peek().is_some() && own.all(is_over_games);
        if games && others { Mark::Hatched } else { Mark::Line }
    }

    /// The rows of a line, with their places; all rows if there are no lines.
    fn of_line<'l>(&'l self, line: Option<&'l str>) -> impl Iterator<Item = (usize, &'l MeansRow)> {
        self.rows.iter().copied().enumerate().filter(move |(_, row)| line.is_none_or(|line| row.line == line))
    }

    fn vertices(
        &self,
        column: usize,
        line: Option<&str>,
        vertex: impl Fn(&Point, f64) -> Option<Vertex>,
    ) -> Vec<Vertex> {
        let vertex = |(at, row): (usize, &MeansRow)| {
            let point = &self.points[row.cells[column]?];
            vertex(point, if self.show.x.is_some() { point.x? } else { at as f64 })
        };
        let mut vertices: Vec<Vertex> = self.of_line(line).filter_map(vertex).collect();
        // A line goes along its abscissa, in whatever order the rows stand.
        vertices.sort_by(|one, other| one.x.total_cmp(&other.x));
        vertices
    }
}

#[cfg(test)]
mod tests {
    use super::super::blank;
    use super::*;

    #[test]
    fn rows_without_a_measurement_are_in_the_table_alone() {
        let show = |rest: &str| toml::from_str::<Means>(&format!("stage = \"s\"\nrows = [\"a\"]\n{rest}")).unwrap();
        let row = |name: &str, cells: &[Option<usize>]| MeansRow {
            name: name.into(),
            line: String::new(),
            cells: cells.to_vec(),
        };
        let rows = [row("measured", &[None, Some(0)]), row("lost", &[Some(1), None]), row("empty", &[None, None])];
        let point = |value| Point { value, ..blank("outcome", "r", "c") };
        let names = |show: &Means, points: &[Point]| -> Vec<String> {
            drawn(show, &rows, points).into_iter().map(|row| row.name.clone()).collect()
        };
        let (some, none) = ([point(Some(0.0)), point(None)], [point(None), point(None)]);
        assert_eq!(names(&show(""), &some), ["measured"]);
        assert_eq!(names(&show(""), &none), ["measured", "lost", "empty"], "the paper's numbers alone are a picture");
        assert_eq!(names(&show("x = \"a\""), &some), ["measured", "lost", "empty"], "a published curve stays whole");
        assert!(drawn(&show(""), &[], &none).is_empty());
    }
}
