//! What an exhibit produces and every renderer reads: measured points, a table over them, and a chart.
//!
//! It knows nothing of how the numbers came about, and nothing of file formats.

use serde::{Deserialize, Serialize};

use super::error_bars::ErrorBars;
use gauntlet_games::base::BoardPicture;

/// One table or figure, ready to be rendered in any format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// Key of the artefact: `schaul2009/table1`.
    pub artefact: String,
    /// Heading: `Table 1. Correlations between ...`.
    pub title: String,
    /// What is shown, at which scale, and what the errors are. Sentences of plain text.
    pub caption: String,
    /// Name of the profile it was measured at (`paper`, `laptop`, `smoke`, `custom`).
    pub profile: String,
    /// Every measured number, in the order of the CSV.
    pub points: Vec<Point>,
    /// The table: which point stands where. Figures have one too (their numbers), unless it would be unreadable.
    pub table: Option<Table>,
    /// The picture.
    pub chart: Chart,
    /// What the errors in the table are, and the bars and bands in the picture.
    #[serde(default, skip_serializing_if = "ErrorBars::is_standard_error")]
    pub errors: ErrorBars,
    /// What the numbers say of claims.
    #[serde(default)]
    pub criteria: Vec<Criterion>,
    /// Remarks below the table (lost runs, warnings, provenance), one sentence each.
    pub notes: Vec<String>,
}

/// One number with everything that must stand beside it; one row of the CSV (DESIGN, section 8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Row label (`5x5 vs. 7x7`).
    pub row: String,
    /// Column label (`Atari-Go`).
    pub column: String,
    /// Abscissa of a plotted point.
    pub x: Option<f64>,
    /// What the value is (`correlation`, `fitness`, `p`).
    pub metric: String,
    /// The measured value; absent when nothing was measured.
    pub value: Option<f64>,
    /// Its error.
    pub error: Option<Spread>,
    /// Its interval.
    pub interval: Option<ConfidenceInterval>,
    /// Runs that the value rests on.
    pub n_runs: u64,
    /// Runs that were asked for; more than `n_runs` when some were lost.
    pub n_requested: u64,
    /// Games that the value rests on.
    pub n_games: u64,
    /// What the paper printed in this place.
    pub published: Option<Published>,
    /// How the two compare; absent without `published`, and where the comparison is no finding of its own.
    pub verdict: Option<Verdict>,
    /// Short ids of the configurations behind the value.
    pub config_ids: Vec<String>,
    /// The standard error that the games behind the value leave by themselves, where they are counted and its error is over
    /// runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
}

impl Point {
    /// Whether only the paper has a number in this place: nothing of ours was asked for there.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.published.is_some() && self.value.is_none() && self.n_requested == 0 && self.config_ids.is_empty()
    }

    /// Whether the error over runs is smaller than what their games alone leave.
    #[must_use]
    pub fn is_below_floor(&self) -> bool {
        let of_runs = self.error.filter(|error| error.kind == ErrorKind::StandardError);
        of_runs.zip(self.floor).is_some_and(|(error, floor)| error.size < floor)
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

/// A claim, at one place where it is judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// The claim in words.
    pub claim: String,
    /// Whether the interval of the gain lies above 0.
    pub met: bool,
    /// The mean gain over runs with its interval; the place is its column.
    pub gain: Point,
    /// How many of its results were there before it; none where nobody has asked the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<WrittenAfter>,
}

/// How many of the results that decide a claim were there when it was first planned with their jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenAfter {
    /// Those that were.
    pub seen: u64,
    /// Those of which it is not known.
    pub unknown: u64,
    /// All that there are now.
    pub of: u64,
}

impl Criterion {
    /// The verdict in a word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self.gain.value {
            None => "not measured",
            Some(_) if self.met => "met",
            Some(_) => "not met",
        }
    }
}

/// What an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// One standard error.
    StandardError,
    /// One standard deviation.
    StandardDeviation,
    /// One standard error over games, of one training run or of several that are added up: match noise.
    Games,
    /// One standard error over the games of a single training run: match noise. Shown doubled, as a two-sigma band.
    TwoSigma,
}

/// An error of a value: one standard error unless its kind says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Its size, in the unit of the value, not negative.
    pub size: f64,
    /// What it is.
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

/// How our value compares with the published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Within twice the combined standard error.
    Agrees,
    /// Outside of it.
    Differs,
    /// Another scale than the paper's: never judged.
    NotComparable,
}

impl Verdict {
    /// Every verdict, in the order of legends.
    pub const ALL: [Self; 3] = [Self::Agrees, Self::Differs, Self::NotComparable];

    /// The word on a chip.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::NotComparable => "not comparable",
        }
    }

    /// The relation sign between our number and the published one.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Agrees => "≈",
            Self::Differs => "≠",
            Self::NotComparable => "○",
        }
    }

    /// What the sign stands for, as a part of a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Agrees => "agrees within twice the combined standard error",
            Self::Differs => "differs by more than twice the combined standard error",
            Self::NotComparable => "not comparable, as it was measured at another scale",
        }
    }
}

/// A table of points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What the row labels are (`Sizes`).
    pub corner: String,
    /// Column labels; may repeat a group before ` / ` (`CONV / Correlation`), which LaTeX and HTML then span.
    pub columns: Vec<String>,
    /// Each row's label and, for each column, the index of its point in [`Sheet::points`].
    pub rows: Vec<(String, Vec<Option<usize>>)>,
    /// Digits after the decimal point, where the error does not ask for fewer.
    pub digits: usize,
}

/// A picture: one or more panels side by side under one legend, or diagrams.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// Panels, drawn left to right (wrapping to keep them readable).
    pub panels: Vec<Panel>,
    /// Boards, drawn so below the panels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagrams: Vec<Diagram>,
}

impl Chart {
    /// A picture of panels alone.
    #[must_use]
    pub fn of(panels: Vec<Panel>) -> Chart {
        Chart { panels, ..Chart::default() }
    }
}

/// A board with what stands on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagram {
    /// Above it.
    pub title: String,
    /// Below it.
    pub note: String,
    /// The board.
    pub board: BoardPicture,
}

/// One pair of axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// Heading of the panel; may be empty when there is one panel.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// What is drawn, the first at the bottom; but bands lie below all else, and of lines the first is on top. Series of
    /// the same name in several panels share colour and legend.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Label with unit (`generation`, `fitness on 7x7`).
    pub label: String,
    /// How values are placed.
    pub scale: AxisScale,
    /// Fixed ends; fitted to the data where absent.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis fitted to its data.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: AxisScale::Linear, range: None }
    }

    /// An axis of names, without a label.
    pub fn categories(names: Vec<String>) -> Axis {
        Axis { label: String::new(), scale: AxisScale::Categories(names), range: None }
    }
}

/// How an axis places values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxisScale {
    /// Proportional.
    Linear,
    /// By their logarithm (values above 0).
    Log,
    /// Value `i` is category `i`, labelled with its name; on a vertical axis the first stands at the top. Series of
    /// dots, diamonds, crosses or bars at whole categories are moved apart, so that none covers another.
    Categories(Vec<String>),
}

/// One thing that is drawn, with one entry in the legend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Name in the legend (`MDLSTM`, `paper`); no entry when empty.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Index of the colour in the palette; series that belong together (mean and best) share one.
    pub colour: usize,
    /// Its points.
    pub points: Vec<Vertex>,
}

impl Series {
    /// A thin line between two points, without an entry in the legend.
    pub fn rule(ends: [(f64, f64); 2]) -> Series {
        let points = ends.map(|(x, y)| Vertex::at(x, y)).to_vec();
        Series { name: String::new(), mark: Mark::Rule, colour: 0, points }
    }
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// A solid line; `low` and `high` make a shaded band.
    Line,
    /// The same with a hatched band: one of another kind than those of the lines beside it.
    Hatched,
    /// A broken line.
    Dashed,
    /// Filled dots; `low` and `high` make error bars.
    Dot,
    /// Hollow diamonds; `low` and `high` make error bars.
    Diamond,
    /// Crosses.
    Cross,
    /// Vertical bars from zero; `low` and `high` make error bars.
    Bar,
    /// A thin grey straight line (diagonal, zero line) without legend entry when its name is empty.
    Rule,
    /// A stone on a board, with the number of its move or none. A panel with stones, whose axes are both categories,
    /// is drawn as a board: lines through all points, squares as high as wide.
    Stone {
        /// Whether it is black, else white.
        black: bool,
        /// Its number.
        number: Option<u32>,
    },
    /// A coloured cell of a table, where two categories meet, with a number in it.
    Tile {
        /// The number.
        value: f64,
        /// Its error, which stands below it.
        error: Option<f64>,
        /// How strong the colour is, 0 to 1; numbers below 0 have another one.
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
    /// Lower end of its error bar or band, along the ordinate; along the abscissa where the vertical axis holds
    /// categories.
    pub low: Option<f64>,
    /// Upper end of its error bar or band.
    pub high: Option<f64>,
}

impl Vertex {
    /// A point without an error.
    pub fn at(x: f64, y: f64) -> Vertex {
        Vertex { x, y, low: None, high: None }
    }

    /// A point with an error along the ordinate, where it has one.
    pub fn around(x: f64, y: f64, error: Option<f64>) -> Vertex {
        Vertex { x, y, low: error.map(|error| y - error), high: error.map(|error| y + error) }
    }
}
