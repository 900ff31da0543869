//! The table of a sheet as rows of finished texts, before any format: the common input of Markdown, LaTeX and HTML.
//!
//! Texts are not escaped here; each format escapes them itself.

use super::number::{self, Marked};
use super::sheet::{Agreement, ErrorKind, Point, Sheet, Table};
use super::uncertainty::Uncertainty;
use gauntlet_plan::manifest::exhibit::ErrorBars;
use gauntlet_ratings::intervals::percent;

/// A table of texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The heading of the row labels.
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
    /// The common heading of several neighbouring columns (`CONV` of `CONV / Correlation`).
    pub group: Option<String>,
    /// The rest of the heading.
    pub label: String,
    /// Whether the paper published numbers for it, so that each cell holds two.
    pub compared: bool,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// Our number with its error and, if cells differ in it, its number of runs; empty without a point.
    pub ours: String,
    /// The published number; it replaces ours in a column of the paper's own.
    pub published: Option<String>,
    /// The verdict of the comparison.
    pub verdict: Option<Agreement>,
}

impl Grid {
    /// Lays out the table of a sheet, if it has one.
    pub fn new(sheet: &Sheet) -> Option<Self> {
        let table = sheet.table.as_ref()?;
        let legend = CellLegend::of(&shown_points(sheet, table), sheet.errors);
        let cell = |index: Option<usize>| index.and_then(|i| sheet.points.get(i)).map(|p| legend.cell(p, table.digits));
        let rows = table.rows.iter().map(|(label, indices)| {
            let cells = (0..table.columns.len()).map(|c| cell(indices.get(c).copied().flatten()).unwrap_or_default());
            (label.clone(), cells.collect())
        });
        let rows: Vec<(String, Vec<Cell>)> = rows.collect();
        let heads = table.columns.iter().enumerate().map(|(c, name)| {
            let compared = rows.iter().any(|(_, cells)| cells[c].published.is_some());
            Head::new(&sheet.names.column(name), compared)
        });
        Some(Self { corner: table.corner.clone(), heads: heads.collect(), legend: legend.legend(), rows })
    }

    /// The same table with these columns alone, without its legend.
    pub fn part(&self, columns: &[usize]) -> Grid {
        let cells = |cells: &Vec<Cell>| columns.iter().map(|&column| cells[column].clone()).collect();
        Grid {
            corner: self.corner.clone(),
            heads: columns.iter().map(|&column| self.heads[column].clone()).collect(),
            rows: self.rows.iter().map(|(label, all)| (label.clone(), cells(all))).collect(),
            legend: Vec::new(),
        }
    }

    /// Neighbouring columns under one group, in order: the group's name and its columns.
    pub fn groups(&self) -> Vec<(Option<&str>, &[Head])> {
        let same = |a: &Head, b: &Head| a.group.is_some() && a.group == b.group;
        self.heads.chunk_by(same).map(|heads| (heads[0].group.as_deref(), heads)).collect()
    }

    /// Whether any column has a group.
    pub fn is_grouped(&self) -> bool {
        self.heads.iter().any(|head| head.group.is_some())
    }

    /// Whether no number can be compared with its published one: the legend says so once, and signs say no more.
    pub fn is_apart(&self) -> bool {
        let mut verdicts = self.rows.iter().flat_map(|(_, cells)| cells).filter_map(|cell| cell.verdict).peekable();
        verdicts.peek().is_some() && verdicts.all(|verdict| verdict == Agreement::NotComparable)
    }

    /// Whether any column holds published numbers.
    pub fn is_compared(&self) -> bool {
        self.heads.iter().any(|head| head.compared)
    }
}

impl Cell {
    /// Its texts: ours, and in a compared column the verdict's sign and the published number.
    pub fn texts(&self, compared: bool) -> Vec<&str> {
        let theirs = [self.verdict.map_or("", Agreement::mark), self.published.as_deref().unwrap_or_default()];
        std::iter::once(self.ours.as_str()).chain(compared.then_some(theirs).into_iter().flatten()).collect()
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

/// The common properties of all shown points; the legend states them once, or each cell for itself.
struct CellLegend {
    shown: ErrorBars,
    runs: Option<(u64, u64)>,
    standard_errors: bool,
    standard_deviations: bool,
    bands: bool,
    /// The units of errors and intervals: runs, games, positions.
    units: [bool; 3],
    has_errors_of_players: bool,
    /// Levels of the intervals in cells, ascending.
    levels: Vec<f64>,
    verdicts: Vec<Agreement>,
    /// Digits after the point in columns of the paper's own, if there are any: as many as its numbers have.
    apart: Option<usize>,
}

/// The errors that hold for some players alone.
const PLAYERS: [ErrorKind; 2] = [ErrorKind::Games, ErrorKind::Positions];

/// The unit of a point's error; `None` for runs.
fn unit(point: &Point) -> Option<ErrorKind> {
    point.error.map(|error| error.kind).filter(|kind| PLAYERS.contains(kind))
}

impl CellLegend {
    fn of(points: &[&Point], shown: ErrorBars) -> Self {
        let is_empty = |p: &Point| p.value.is_none() && p.config_ids.is_empty();
        let measured: Vec<&&Point> = points.iter().filter(|p| !is_empty(p) && p.text.is_none()).collect();
        let all = |n: (u64, u64)| measured.iter().all(|p| (p.n_runs, p.n_requested.max(p.n_runs)) == n);
        let doubts: Vec<(&Point, Uncertainty)> =
            points.iter().filter_map(|p| Some((*p, p.value.and(p.uncertainty(shown))?))).collect();
        let ours =
            doubts.iter().filter_map(
                |(_, uncertainty)| if let Uncertainty::Error(error) = uncertainty { Some(*error) } else { None },
            );
        let published = points.iter().filter_map(|p| p.published.and_then(|q| q.error));
        let kinds: Vec<ErrorKind> = ours.clone().chain(published).map(|error| error.kind).collect();
        let mut levels: Vec<f64> = doubts.iter().filter_map(|(_, uncertainty)| uncertainty.level()).collect();
        let units = [None, Some(ErrorKind::Games), Some(ErrorKind::Positions)];
        let units = units.map(|of| doubts.iter().any(|(point, _)| unit(point) == of));
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        let present = |verdict| measured.iter().any(|p| p.verdict == Some(verdict));
        Self {
            shown,
            runs: measured.first().map(|p| (p.n_runs, p.n_requested.max(p.n_runs))).filter(|n| all(*n)),
            standard_errors: kinds.contains(&ErrorKind::StandardError),
            standard_deviations: kinds.contains(&ErrorKind::StandardDeviation),
            bands: kinds.contains(&ErrorKind::TwoSigma),
            units,
            has_errors_of_players: kinds.iter().any(|kind| PLAYERS.contains(kind)),
            levels,
            verdicts: Agreement::ALL.into_iter().filter(|v| present(*v)).collect(),
            apart: points.iter().filter(|p| p.is_apart()).filter_map(|p| p.published).map(number::decimals).max(),
        }
    }

    /// Whether cells must state the kind of their errors.
    fn is_mixed(&self) -> bool {
        let kinds = [self.standard_errors || self.has_errors_of_players, self.standard_deviations, self.bands];
        kinds.into_iter().filter(|is_there| *is_there).count() > 1
    }

    /// Whether cells must state the units of their errors.
    fn is_split(&self) -> bool {
        self.units.iter().filter(|is_there| **is_there).count() > 1
    }

    /// The units of errors, if they are not runs alone.
    fn over(&self) -> String {
        let [runs, games, positions] = self.units;
        let others = [(games, "games"), (positions, "positions")].into_iter().filter(|(is_there, _)| *is_there);
        let others = others.map(|(_, unit)| unit);
        if !self.is_split() {
            return others.map(|unit| format!(" over {unit}")).collect();
        }
        let runs = runs.then(|| "over runs".to_owned());
        let all: Vec<String> =
            runs.into_iter().chain(others.map(|unit| format!("over {unit} where ({unit}) says so"))).collect();
        format!(" {}", all.join(", or "))
    }

    fn cell(&self, point: &Point, digits: usize) -> Cell {
        if let Some(text) = &point.text {
            return Cell { ours: text.clone(), ..Cell::default() };
        }
        let mixed = self.is_mixed();
        let published = |digits| point.published.map(|published| number::published(&published, digits, mixed));
        if let Some(digits) = self.apart.filter(|_| point.is_apart()) {
            return Cell { ours: published(digits).unwrap_or_default(), ..Cell::default() };
        }
        let marked = Marked { kinds: mixed, games: self.is_split() };
        let mut ours = number::measured(point, digits, self.shown, marked);
        let uncertainty = point.value.and(point.uncertainty(self.shown));
        if let Some(level) = uncertainty.and_then(|uncertainty| uncertainty.level()).filter(|_| self.levels.len() > 1) {
            ours += &format!(" ({} %)", percent(level));
        }
        if self.runs.is_none() && point.n_requested.max(point.n_runs) > 0 {
            ours += &format!(" ({})", number::runs(point.n_runs, point.n_requested));
        }
        Cell { ours, published: published(digits), verdict: point.verdict }
    }

    fn legend(&self) -> Vec<String> {
        let mut legend = Vec::new();
        if let Some((n, requested)) = self.runs.filter(|(_, requested)| *requested > 0) {
            let numbers = if self.apart.is_some() { "Every number of ours" } else { "Every number" };
            legend.push(match (n, requested) {
                (1, 1) => format!("{numbers} rests on a single run."),
                _ if self.units == [false, true, false] => {
                    format!("{numbers} adds up the games of {} seeds.", number::runs(n, requested))
                }
                _ => format!("{numbers} rests on {} runs.", number::runs(n, requested)),
            });
        }
        legend.extend(self.errors());
        match self.levels.as_slice() {
            [] => {}
            [level] => legend.push(format!("Brackets are {} % confidence intervals{}.", percent(*level), self.over())),
            _ => legend.push("Brackets are confidence intervals of the level behind them.".into()),
        }
        if !self.verdicts.is_empty() {
            let marks: Vec<_> = self.verdicts.iter().map(|v| format!("{} {}", v.mark(), v.meaning())).collect();
            legend.push(format!("Ours against the paper's: {}.", marks.join("; ")));
        }
        if self.apart.is_some() {
            legend.push(APART.into());
        }
        legend
    }

    fn errors(&self) -> Option<String> {
        let one = format!("one standard error{}", if self.has_errors_of_players { self.over() } else { String::new() });
        let two = "two standard errors over games";
        let kinds = [
            (self.standard_errors || self.has_errors_of_players, one.clone(), one),
            (
                self.standard_deviations,
                "one standard deviation".into(),
                "one standard deviation where s.d. says so".into(),
            ),
            (self.bands, format!("{two}; training runs vary more"), format!("{two} where 2σ says so")),
        ];
        let is_mixed = self.is_mixed();
        let kinds = kinds.into_iter().filter(|(is_there, ..)| *is_there);
        let texts: Vec<String> = kinds.map(|(_, alone, mixed)| if is_mixed { mixed } else { alone }).collect();
        (!texts.is_empty()).then(|| format!("± is {}.", texts.join(", or ")))
    }
}

/// The legend of the paper's own columns.
const APART: &str = "Columns of the paper hold what it printed for places that were not measured here: not comparable \
    with ours.";

fn shown_points<'a>(sheet: &'a Sheet, table: &Table) -> Vec<&'a Point> {
    let indices = table.rows.iter().flat_map(|(_, indices)| indices.iter().flatten());
    indices.filter_map(|index| sheet.points.get(*index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::sheet::{ConfidenceInterval, Spread};

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
    fn a_lost_run_is_not_what_numbers_rest_on() {
        let mut sheet = samples::small_table();
        let mut first = |n_runs| {
            sheet.points.iter_mut().for_each(|point| (point.n_runs, point.n_requested) = (n_runs, 1));
            Grid::new(&sheet).expect("it has a table").legend[0].clone()
        };
        assert_eq!(first(1), "Every number rests on a single run.");
        assert_eq!(first(0), "Every number rests on n = 0/1 runs.");
    }

    #[test]
    fn intervals_of_several_levels_and_errors_of_several_kinds_say_which_they_are() {
        let mut sheet = samples::small_table();
        let interval = |level| Some(ConfidenceInterval { low: 0.1, high: 0.2, level });
        let two_sigma = Spread { size: 0.02, kind: ErrorKind::TwoSigma };
        (sheet.points[0].error, sheet.points[0].interval) = (None, interval(0.95));
        (sheet.points[1].error, sheet.points[1].interval) = (None, interval(0.9));
        sheet.points[3].error = Some(two_sigma);
        let grid = Grid::new(&sheet).expect("it has a table");
        let cells: Vec<&str> = grid.rows[0].1.iter().map(|cell| cell.ours.as_str()).collect();
        assert_eq!(cells, ["0.84 [0.10, 0.20] (95 %)", "0.12 [0.10, 0.20] (90 %)", "0.07 ± 0.04 (2σ)"]);
        assert_eq!(grid.legend[1], "± is one standard error, or two standard errors over games where 2σ says so.");
        assert_eq!(grid.legend[2], "Brackets are confidence intervals of the level behind them.");
        sheet.points.iter_mut().for_each(|point| (point.published, point.verdict) = (None, None));
        sheet.points.iter_mut().for_each(|point| point.error = Some(two_sigma));
        let grid = Grid::new(&sheet).expect("it has a table");
        assert_eq!(grid.rows[0].1[2].ours, "0.07 ± 0.04");
        assert_eq!(grid.legend[1], "± is two standard errors over games; training runs vary more.");
    }

    #[test]
    fn what_only_the_paper_has_stands_in_a_column_of_its_own() {
        let mut sheet = samples::small_table();
        let published = sheet.points[0].published;
        let apart = &mut sheet.points[3];
        (apart.published, apart.value, apart.error) = (published, None, None);
        apart.verdict = Some(Agreement::NotComparable);
        (apart.n_runs, apart.n_requested, apart.config_ids) = (0, 0, Vec::new());
        sheet.table.as_mut().expect("it has a table").digits = 3;
        let grid = Grid::new(&sheet).expect("it has a table");
        assert!(!grid.heads[2].compared && grid.heads[0].compared);
        assert_eq!(grid.rows[0].1[2], Cell { ours: "0.86 ± 0.026".into(), ..Cell::default() });
        assert_eq!(grid.legend[0], "Every number of ours rests on n = 100 runs.");
        assert_eq!(grid.legend.last().map(String::as_str), Some(APART));
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
