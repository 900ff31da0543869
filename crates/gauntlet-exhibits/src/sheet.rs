//! The sheet: output of an exhibit and input of every renderer, with measured points, a table over them and a chart.
//!
//! It is independent of the origin of the numbers and of file formats.

use serde::{Deserialize, Serialize};

pub use super::agreement::Agreement;
use super::axis_names::AxisNames;
use super::comparison::{Comparison, SmallerError};
use super::equivalent::EquivalenceVerdict;
use super::error_bars::ErrorBars;
use gauntlet_games::base::BoardPicture;

/// One table or figure, ready to be rendered in any format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// Key of the artefact: `schaul2009/table1`.
    pub artefact: String,
    /// Heading: `Table 1. Correlations between ...`.
    pub title: String,
    /// Content, scale, and kind of errors. Sentences of plain text.
    pub caption: String,
    /// Name of the profile it was measured at (`paper`, `laptop`, `smoke`, `custom`).
    pub profile: String,
    /// The names of its rows and columns where no heading of their axes stands beside them.
    #[serde(default, skip_serializing_if = "AxisNames::is_empty")]
    pub names: AxisNames,
    /// Every measured number, in the order of the CSV.
    pub points: Vec<Point>,
    /// The table: the cells of the points. Figures have one too (their numbers), unless it would be unreadable.
    pub table: Option<Table>,
    /// The picture.
    pub chart: Chart,
    /// The kind of errors in the table, and of bars and bands in the picture.
    #[serde(default, skip_serializing_if = "ErrorBars::is_standard_error")]
    pub errors: ErrorBars,
    /// The verdicts on claims.
    #[serde(default)]
    pub criteria: Vec<Criterion>,
    /// Remarks below the table (lost runs, warnings, provenance), one sentence each.
    pub notes: Vec<String>,
}

/// One number with everything that is shown beside it; one row of the CSV.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Row label (`5x5 vs. 7x7`).
    pub row: String,
    /// Column label (`Atari-Go`).
    pub column: String,
    /// Abscissa of a plotted point.
    pub x: Option<f64>,
    /// The quantity (`correlation`, `fitness`, `p`).
    pub metric: String,
    /// The measured value; absent without a measurement.
    pub value: Option<f64>,
    /// Its error.
    pub error: Option<Spread>,
    /// Its interval.
    pub interval: Option<ConfidenceInterval>,
    /// The number of runs behind the value.
    pub n_runs: u64,
    /// The number of requested runs; more than `n_runs` if some were lost.
    pub n_requested: u64,
    /// The number of games behind the value.
    pub n_games: u64,
    /// The number that the paper printed in this cell.
    pub published: Option<Published>,
    /// The comparison of the two; absent without `published`, and if the comparison is redundant.
    pub verdict: Option<Agreement>,
    /// Short ids of the configurations behind the value.
    pub config_ids: Vec<String>,
    /// The standard error over the games or positions behind the value, if they are counted and its error is over runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// A text that tables show instead of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Whether an error is larger than another one, by more than rounding: both may be one number but for its last digits.
#[must_use]
pub fn exceeds(error: f64, other: f64) -> bool {
    error * (1.0 - 1e-9) > other
}

impl Point {
    /// Whether only the paper has a number in this cell, and no measurement was requested.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.published.is_some() && self.value.is_none() && self.n_requested == 0 && self.config_ids.is_empty()
    }

    /// Whether the error over runs is smaller than the error over their games or positions.
    #[must_use]
    pub fn is_below_floor(&self) -> bool {
        let of_runs = self.error.filter(|error| error.kind == ErrorKind::StandardError);
        of_runs.zip(self.floor).is_some_and(|(error, floor)| exceeds(floor, error.size))
    }

    /// The size of the larger of the errors over runs and over their games or positions; 0 without an error.
    #[must_use]
    pub fn larger_error(&self) -> f64 {
        let floor = self.floor.filter(|_| self.is_below_floor());
        floor.or(self.error.map(|error| error.size)).unwrap_or(0.0)
    }

    /// The measured value, and the size of its error.
    pub fn measured(&self) -> Option<(f64, Option<f64>)> {
        Some((self.value?, self.error.map(|error| error.size)))
    }

    /// The published value, and the size of its error.
    pub fn printed(&self) -> Option<(f64, Option<f64>)> {
        self.published.map(|published| (published.value, published.error.map(|error| error.size)))
    }
}

/// A claim at one of the places where it is judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// The text of the claim.
    pub claim: String,
    /// Whether the interval of the gain lies above 0, or the players are equivalent.
    pub met: bool,
    /// The mean gain over runs with its interval, or a difference in Elo; its column is the place.
    pub gain: Point,
    /// The verdict on a claim of equivalence with measurements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equivalence: Option<EquivalenceVerdict>,
    /// The comparison of two sets of runs; `None` for another claim, or if another seed only adds games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// The error over runs, if that over games is larger and decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smaller: Option<SmallerError>,
    /// The number of its results that precede it; `None` if it was not read from the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<WrittenAfter>,
}

/// The number of results behind a claim that existed when it was first planned with their jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenAfter {
    /// Results that existed.
    pub seen: u64,
    /// Results for which this is unknown.
    pub unknown: u64,
    /// All results now.
    pub of: u64,
}

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// One standard error.
    StandardError,
    /// One standard deviation.
    StandardDeviation,
    /// One standard error over games of one training run, or of several that are added up: match noise.
    Games,
    /// One standard error over the positions in which a player that does not learn chose moves.
    Positions,
    /// That over games of a single training run, shown doubled, as a two-sigma band.
    TwoSigma,
}

/// An error of a value: one standard error unless its kind says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Its size, in the unit of the value, not negative.
    pub size: f64,
    /// Its kind.
    pub kind: ErrorKind,
}

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ConfidenceInterval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Coverage, 0 to 1 (0.95).
    pub level: f64,
}

/// A number that a paper printed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// The printed value.
    pub value: f64,
    /// Its error, printed or implied by the method; a printed two-sigma band is halved.
    pub error: Option<Spread>,
    /// Whether it cannot be right as printed; a note then says why.
    #[serde(default)]
    pub is_doubted: bool,
}

/// A table of points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The meaning of the row labels (`Sizes`).
    pub corner: String,
    /// Column labels; may repeat a group before ` / ` (`CONV / Correlation`), which LaTeX and HTML then span.
    pub columns: Vec<String>,
    /// Each row's label and, for each column, the index of its point in [`Sheet::points`].
    pub rows: Vec<(String, Vec<Option<usize>>)>,
    /// Digits after the decimal point, unless the error requires fewer.
    pub digits: usize,
}

/// A picture: one or more panels side by side under one legend, or diagrams.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// Panels, drawn left to right (wrapping to keep them readable).
    pub panels: Vec<Panel>,
    /// Boards, drawn below the panels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagrams: Vec<Diagram>,
}

impl Chart {
    /// A picture that has only panels.
    #[must_use]
    pub fn of(panels: Vec<Panel>) -> Chart {
        Chart { panels, ..Chart::default() }
    }
}

/// A board with its pieces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagram {
    /// Text above the board.
    pub title: String,
    /// Text below the board.
    pub note: String,
    /// The board.
    pub board: BoardPicture,
}

/// One pair of axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// Heading of the panel; may be empty if there is one panel.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The series, from bottom to top; but bands lie below all others, and the first line on top. Names share a legend.
    pub series: Vec<Series>,
}

impl Panel {
    /// A panel with these series.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis, series: impl IntoIterator<Item = Series>) -> Panel {
        Panel { title: title.into(), x, y, series: series.into_iter().collect() }
    }
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Label with unit (`generation`, `fitness on 7x7`).
    pub label: String,
    /// The scale.
    pub scale: AxisScale,
    /// Fixed ends. Default: fitted to the data.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis fitted to its data.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: AxisScale::Linear, range: None }
    }

    /// A linear axis with fixed ends.
    pub fn within(label: impl Into<String>, range: (f64, f64)) -> Axis {
        Axis { range: Some(range), ..Axis::linear(label) }
    }

    /// An axis of names.
    pub fn categories(label: impl Into<String>, names: impl Into<Vec<String>>) -> Axis {
        Axis { scale: AxisScale::Categories(names.into()), ..Axis::linear(label) }
    }
}

/// The scale of an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxisScale {
    /// Linear.
    Linear,
    /// Logarithmic (values above 0).
    Log,
    /// Linear; a value is a date, as days since 1970-01-01.
    Dates,
    /// Value `i` is category `i`; on a vertical axis the first is at the top. Series of points or bars are shifted apart.
    Categories(Vec<String>),
}

/// One series, with one entry in the legend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Name in the legend (`MDLSTM`, `paper`); no entry when empty.
    pub name: String,
    /// Its mark.
    pub mark: Mark,
    /// Index of the colour in the palette; series that belong together (mean and best) share one.
    pub colour: usize,
    /// Names of its points, in their order, for readers who point at them; empty if axes and legend name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Its points.
    pub points: Vec<Vertex>,
}

impl Series {
    /// A series whose points have no names.
    pub fn new(name: impl Into<String>, mark: Mark, colour: usize, points: impl IntoIterator<Item = Vertex>) -> Series {
        Series { name: name.into(), mark, colour, names: Vec::new(), points: points.into_iter().collect() }
    }

    /// A thin line between two points, without an entry in the legend.
    pub fn rule(ends: [(f64, f64); 2]) -> Series {
        Series::new("", Mark::Rule, 0, ends.map(|(x, y)| Vertex::at(x, y)))
    }
}

/// The mark of a series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// A solid line; `low` and `high` make a shaded band.
    Line,
    /// A solid line with a hatched band, for errors of another kind than those of the lines beside it.
    Hatched,
    /// A broken line.
    Dashed,
    /// Filled points, a shape for each colour; `low` and `high` make error bars.
    Dot,
    /// The same, hollow (in the second colour, diamonds); `low` and `high` make error bars.
    Diamond,
    /// Crosses.
    Cross,
    /// The sign of numbers that differ, above each point.
    Unequal,
    /// Vertical bars from zero; `low` and `high` make error bars.
    Bar,
    /// A thin grey straight line (diagonal, zero line) without legend entry when its name is empty.
    Rule,
    /// A stone with the number of its move, if any. A panel with stones over categories is drawn as a board.
    Stone {
        /// Whether it is black; otherwise white.
        black: bool,
        /// Its number.
        number: Option<u32>,
    },
    /// A coloured cell of a table, at two categories, with a number in it.
    Tile {
        /// The number.
        value: f64,
        /// Its error, printed below it.
        error: Option<f64>,
        /// Saturation of the colour, 0 to 1; negative numbers have another colour.
        depth: f64,
    },
}

/// One drawn point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Vertex {
    /// Abscissa.
    pub x: f64,
    /// Ordinate.
    pub y: f64,
    /// Lower end of its error bar or band, along the ordinate, or the abscissa if the vertical axis holds categories.
    pub low: Option<f64>,
    /// Upper end of its error bar or band.
    pub high: Option<f64>,
    /// Whether its error is over games, beside errors over runs: its bar is then broken.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_games: bool,
}

impl Vertex {
    /// A point without an error.
    pub fn at(x: f64, y: f64) -> Vertex {
        Vertex { x, y, low: None, high: None, over_games: false }
    }

    /// A point with an error along the ordinate, if it has one.
    pub fn around(x: f64, y: f64, error: Option<f64>) -> Vertex {
        Vertex { low: error.map(|error| y - error), high: error.map(|error| y + error), ..Vertex::at(x, y) }
    }
}
