//! The table of a sheet as rows of finished texts, before any format: what Markdown, LaTeX and HTML share.
//!
//! Nothing is escaped here; each format does that for itself.

use super::number;
use super::sheet::{ErrorKind, Point, Sheet, Table, Verdict};

/// A table of texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// What the row labels are.
    pub corner: String,
    /// Heads of the columns, left to right.
    pub heads: Vec<Head>,
    /// Label and cells of each row; as many cells as heads.
    pub rows: Vec<(String, Vec<Cell>)>,
    /// How to read the table: runs, errors, marks. Whole sentences.
    pub legend: Vec<String>,
}

/// The head of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// What several neighbouring columns share (`CONV` of `CONV / Correlation`).
    pub group: Option<String>,
    /// What is its own.
    pub label: String,
    /// Whether the paper published numbers for it, so that each cell holds two.
    pub compared: bool,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// Our number with its error and, where cells differ in it, its number of runs; empty where no point stands.
    pub ours: String,
    /// The published number.
    pub published: Option<String>,
    /// How they compare.
    pub verdict: Option<Verdict>,
}

impl Grid {
    /// Lays out the table of a sheet, if it has one.
    pub fn new(sheet: &Sheet) -> Option<Self> {
        let table = sheet.table.as_ref()?;
        let facts = Facts::of(&shown_points(sheet, table));
        let cell = |index: Option<usize>| index.and_then(|i| sheet.points.get(i)).map(|p| facts.cell(p, table.digits));
        let rows = table.rows.iter().map(|(label, indices)| {
            let cells = (0..table.columns.len()).map(|c| cell(indices.get(c).copied().flatten()).unwrap_or_default());
            (label.clone(), cells.collect())
        });
        let rows: Vec<(String, Vec<Cell>)> = rows.collect();
        let heads = table.columns.iter().enumerate().map(|(c, name)| {
            let compared = rows.iter().any(|(_, cells)| cells[c].published.is_some());
            Head::new(name, compared)
        });
        Some(Self { corner: table.corner.clone(), heads: heads.collect(), legend: facts.legend(), rows })
    }

    /// Neighbouring columns under one group, in order: the group's name and how many columns it spans.
    pub fn groups(&self) -> Vec<(Option<&str>, &[Head])> {
        let same = |a: &Head, b: &Head| a.group.is_some() && a.group == b.group;
        self.heads.chunk_by(same).map(|heads| (heads[0].group.as_deref(), heads)).collect()
    }

    /// Whether any column stands under a group.
    pub fn is_grouped(&self) -> bool {
        self.heads.iter().any(|head| head.group.is_some())
    }

    /// Whether any column holds published numbers.
    pub fn is_compared(&self) -> bool {
        self.heads.iter().any(|head| head.compared)
    }
}

impl Head {
    fn new(name: &str, compared: bool) -> Self {
        match name.split_once(" / ") {
            Some((group, label)) => Self { group: Some(group.into()), label: label.into(), compared },
            None => Self { group: None, label: name.into(), compared },
        }
    }
}

/// What all shown points have in common, and what the legend must therefore say once or each cell for itself.
struct Facts {
    runs: Option<(u64, u64)>,
    standard_errors: bool,
    standard_deviations: bool,
    bands: bool,
    games: bool,
    levels: Vec<f64>,
    verdicts: Vec<Verdict>,
}

impl Facts {
    fn of(points: &[&Point]) -> Self {
        let all = |n: (u64, u64)| points.iter().all(|p| (p.n_runs, p.n_requested.max(p.n_runs)) == n);
        let ours = points.iter().filter(|p| p.n_runs != 1).filter_map(|p| p.error);
        let bands = points.iter().filter_map(|p| p.error);
        let published = points.iter().filter_map(|p| p.published.and_then(|q| q.error));
        let kinds: Vec<ErrorKind> = ours.chain(published).map(|error| error.kind).collect();
        let mut levels: Vec<f64> =
            points.iter().filter(|p| p.error.is_none()).filter_map(|p| p.interval).map(|i| i.level).collect();
        levels.dedup();
        let present = |verdict| points.iter().any(|p| p.verdict == Some(verdict));
        Self {
            runs: points.first().map(|p| (p.n_runs, p.n_requested.max(p.n_runs))).filter(|n| all(*n)),
            standard_errors: kinds.contains(&ErrorKind::StandardError),
            standard_deviations: kinds.contains(&ErrorKind::StandardDeviation),
            bands: bands.clone().any(|error| error.kind == ErrorKind::TwoSigma),
            games: bands.clone().any(|error| error.kind == ErrorKind::Games),
            levels,
            verdicts: Verdict::ALL.into_iter().filter(|v| present(*v)).collect(),
        }
    }

    fn cell(&self, point: &Point, digits: usize) -> Cell {
        let mixed = self.standard_errors && self.standard_deviations;
        let mut ours = number::measured(point, digits, mixed);
        if self.runs.is_none() && point.n_requested.max(point.n_runs) > 0 {
            ours += &format!(" ({})", number::runs(point.n_runs, point.n_requested));
        }
        Cell { ours, published: point.published.map(|p| number::published(&p, digits, mixed)), verdict: point.verdict }
    }

    fn legend(&self) -> Vec<String> {
        let mut legend = Vec::new();
        if let Some((n, requested)) = self.runs.filter(|(_, requested)| *requested > 0) {
            legend.push(match requested {
                1 => "Every number rests on a single run.".into(),
                _ => format!("Every number rests on {} runs.", number::runs(n, requested)),
            });
        }
        legend.extend(self.errors());
        if let Some(level) = self.levels.first() {
            legend.push(format!("Brackets are {:.0} % confidence intervals.", 100.0 * level));
        }
        if !self.verdicts.is_empty() {
            let marks: Vec<_> = self.verdicts.iter().map(|v| format!("{} {}", v.mark(), v.meaning())).collect();
            legend.push(format!("Ours against the paper's: {}.", marks.join("; ")));
        }
        legend
    }

    fn errors(&self) -> Option<String> {
        if self.bands {
            return Some("± is two standard errors over games; training runs vary more.".into());
        }
        if self.games {
            return Some("± is one standard error over games.".into());
        }
        match (self.standard_errors, self.standard_deviations) {
            (true, true) => Some("± is one standard error, or one standard deviation where s.d. says so.".into()),
            (true, false) => Some("± is one standard error.".into()),
            (false, true) => Some("± is one standard deviation.".into()),
            (false, false) => None,
        }
    }
}

fn shown_points<'a>(sheet: &'a Sheet, table: &Table) -> Vec<&'a Point> {
    let indices = table.rows.iter().flat_map(|(_, indices)| indices.iter().flatten());
    indices.filter_map(|index| sheet.points.get(*index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::samples;

    #[test]
    fn runs_stand_in_the_legend_when_all_agree_and_in_the_cells_when_not() {
        let mut sheet = samples::small_table();
        let grid = Grid::new(&sheet).expect("it has a table");
        assert_eq!(grid.rows[0].1[0].ours, "0.84 ± 0.03");
        assert!(grid.legend[0].contains("n = 100 runs"), "{:?}", grid.legend);
        sheet.points[1].n_runs = 99;
        let grid = Grid::new(&sheet).expect("it has a table");
        assert_eq!(grid.rows[0].1[0].ours, "0.84 ± 0.03 (n = 100)");
        assert_eq!(grid.rows[0].1[1].ours, "0.12 ± 0.10 (n = 99/100)");
    }

    #[test]
    fn groups_span_their_columns() {
        let grid = Grid::new(&samples::small_table()).expect("it has a table");
        let spans: Vec<_> = grid.groups().into_iter().map(|(group, heads)| (group, heads.len())).collect();
        assert_eq!(spans, [(Some("CONV"), 2), (None, 1)]);
    }

    #[test]
    fn a_sheet_without_a_table_has_no_grid() {
        let sheet = Sheet { table: None, ..samples::small_table() };
        assert_eq!(Grid::new(&sheet), None);
    }
}
