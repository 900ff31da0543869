//! What a manifest wants shown: which stage, along which axes, as what.

mod boards;
mod curves;
mod error_bars;
mod numbers;
mod ratings;
mod stages;
mod success;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::names::Name;
pub use boards::{Boards, DRAW, GameSelector, PositionView};
pub use curves::{Abscissa, Curves, Ordinate, Spacing};
pub use error_bars::ErrorBars;
use gauntlet_games::base::Key;
pub use numbers::{GivenNumbers, NamedNumber, Numbers, Per};
pub use ratings::{
    EloCurve, EloCurves, EloDifferences, EloTable, League, NamedPlayer, Progress, ProgressCurve, RatingTable,
    RunningTime, RunningTimes,
};
pub use stages::Stages;
pub use success::{Labels, Over, Success};

/// One table or figure.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Exhibit {
    /// Name within the manifest's family; the manifest's own name when absent.
    pub name: Option<Name>,
    /// Heading; the manifest's title when absent.
    pub title: Option<String>,
    /// Sentences below the heading.
    #[serde(default)]
    pub caption: String,
    /// What it is.
    pub show: Show,
    /// What its errors are, in the table and in the picture. Default: one standard error.
    #[serde(default)]
    pub errors: ErrorBars,
    /// Whether published numbers of the same metric, row and column stand beside; `false` where what is shown is not what
    /// the paper measured. Default: true.
    #[serde(default = "published")]
    pub published: bool,
    /// Claims about what is shown, decided by the numbers.
    #[serde(default)]
    pub success: Vec<Success>,
}

fn published() -> bool {
    true
}

impl Exhibit {
    /// What a claim is known by: its words, its numbers, and how results are counted.
    #[must_use]
    pub fn criterion_key(&self, success: &Success) -> Key {
        Key::of("criterion", &json!([success, self.show.scale()]))
    }
}

/// The kinds of exhibits.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Show {
    /// Correlations of a result between pairs of values of one axis, over runs.
    Correlations(Correlations),
    /// What share of runs reaches at least a given result.
    Percentiles(Percentiles),
    /// Learning curves, averaged over runs.
    Curves(Curves),
    /// One dot a run: its result at one value of an axis against that at another.
    Scatter(Scatter),
    /// Mean results, as a table and against one numeric axis where one is named.
    Means(Means),
    /// Ratings of the players of a tournament.
    Ratings(RatingTable),
    /// Scores of all pairs of players of a tournament, observed and expected by the ratings.
    Crosstable(League),
    /// Ratings of single players of a ladder, estimator beside estimator.
    EloTable(EloTable),
    /// Ratings of trainings along their iterations or hours.
    EloCurves(EloCurves),
    /// How far the estimates of all players of a ladder differ.
    EloDifferences(EloDifferences),
    /// Hours that trainings took.
    RunningTimes(RunningTimes),
    /// Win and lose rates by who moved first, one ordered pair of players a cell.
    WinMatrix(League),
    /// Which of two players is the better one over both colours, by the differences of their win rates.
    ScoreMatrix(League),
    /// Single games as boards with numbered stones.
    Boards(Boards),
    /// Positions of single games as diagrams: the board and the pieces on it.
    Positions(Boards),
    /// Numbers that are counted.
    Numbers(Numbers),
    /// Embeddings of actions over board sizes.
    Embeddings(Embeddings),
    /// Ratings of the kept networks of trainings over the games of self-play, against one fixed player.
    Progress(Progress),
}

impl Show {
    /// The stage whose results are shown.
    #[must_use]
    pub fn stage(&self) -> &str {
        match self {
            Show::Correlations(show) => &show.stage,
            Show::Percentiles(show) => &show.stage,
            Show::Curves(show) => show.stage.first(),
            Show::Scatter(show) => &show.stage,
            Show::Means(show) => show.stage.first(),
            Show::Ratings(show) => &show.stage,
            Show::Crosstable(show) | Show::WinMatrix(show) | Show::ScoreMatrix(show) => &show.stage,
            Show::EloTable(show) => &show.stage,
            Show::EloCurves(show) => &show.stage,
            Show::EloDifferences(show) => &show.stage,
            Show::RunningTimes(show) => &show.stage,
            Show::Boards(show) | Show::Positions(show) => &show.stage,
            Show::Numbers(show) => show.stage.first(),
            Show::Embeddings(show) => &show.stage,
            Show::Progress(show) => &show.stage,
        }
    }

    /// Every stage that the exhibit names.
    #[must_use]
    pub fn stages(&self) -> Vec<&str> {
        match self {
            Show::Means(show) => show.stage.all().collect(),
            Show::Curves(show) => show.stage.all().collect(),
            Show::Numbers(show) => show.stage.all().collect(),
            Show::EloCurves(EloCurves { stage, hours: Some(hours), .. }) => vec![stage, hours],
            Show::Progress(show) => {
                let curves = show.curves.iter().map(|curve| curve.stage.as_str());
                std::iter::once(self.stage()).chain(curves).collect()
            }
            _ => vec![self.stage()],
        }
    }

    /// How results of games are counted.
    #[must_use]
    pub fn scale(&self) -> OutcomeScale {
        match self {
            Show::Means(show) => show.scale,
            _ => OutcomeScale::Fitness,
        }
    }

    /// Every axis that the exhibit names.
    #[must_use]
    pub fn axes(&self) -> Vec<&str> {
        let abscissa = match self {
            Show::Means(show) => show.x.as_deref(),
            _ => None,
        };
        self.cells().into_iter().chain(abscissa).collect()
    }

    /// The axes that tell cells apart, where a cell is whatever has runs of one configuration: a number, a curve, a panel.
    #[must_use]
    pub fn cells(&self) -> Vec<&str> {
        let (lists, single): (Vec<&Vec<String>>, Option<&String>) = match self {
            Show::Correlations(show) => (vec![&show.rows, &show.columns, &show.arms], Some(&show.across)),
            Show::Percentiles(show) => (vec![&show.panels, &show.curves], None),
            Show::Curves(show) => (vec![&show.panels, &show.curves], None),
            Show::Scatter(show) => (vec![&show.series], Some(&show.across)),
            Show::Means(show) => (vec![&show.panels, &show.rows, &show.columns], None),
            Show::Ratings(show) => (vec![&show.panels], None),
            Show::Crosstable(show) | Show::WinMatrix(show) | Show::ScoreMatrix(show) => (vec![&show.panels], None),
            Show::Numbers(show) => (vec![&show.rows, &show.columns], None),
            Show::Embeddings(show) => (vec![&show.panels], None),
            Show::Progress(show) => (vec![&show.panels], None),
            Show::EloTable(_)
            | Show::EloCurves(_)
            | Show::EloDifferences(_)
            | Show::RunningTimes(_)
            | Show::Boards(_)
            | Show::Positions(_) => (vec![], None),
        };
        lists.into_iter().flatten().chain(single).map(String::as_str).collect()
    }
}

/// Pearson correlations between the results of the same runs at two values of an axis
/// (Schaul and Schmidhuber 2009, Tables 1 and 2).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Correlations {
    /// The stage.
    pub stage: String,
    /// The axis whose values are paired: `game.size`.
    pub across: String,
    /// The pairs of its values.
    pub pairs: Vec<[i64; 2]>,
    /// Axes whose values group the rows.
    #[serde(default)]
    pub rows: Vec<String>,
    /// Axes whose values make the columns.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Axes whose values are drawn over each other in the panel of a column; in the table each is a column.
    #[serde(default)]
    pub arms: Vec<String>,
    /// Whether the share of runs that are fitter at the second value is shown too.
    #[serde(default)]
    pub share_fitter: bool,
    /// What a draw counts in a fitness.
    #[serde(default)]
    pub draws: DrawScore,
}

/// What a draw counts beside a win, 1, and a loss, -1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DrawScore {
    /// 0.
    #[default]
    Half,
    /// 1.
    Win,
    /// -1.
    Loss,
}

impl DrawScore {
    /// The number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            DrawScore::Half => 0.0,
            DrawScore::Win => 1.0,
            DrawScore::Loss => -1.0,
        }
    }
}

/// The distribution of results over runs, as "what share reaches at least this"
/// (Schaul and Schmidhuber 2009, Figure 2).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Percentiles {
    /// The stage.
    pub stage: String,
    /// Axes whose values make panels.
    #[serde(default)]
    pub panels: Vec<String>,
    /// Axes whose values make curves.
    pub curves: Vec<String>,
}

/// Results of the same runs at two values of an axis, one dot a run
/// (Schaul and Schmidhuber 2009, Figure 4).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scatter {
    /// The stage.
    pub stage: String,
    /// The axis whose values are compared: `game.size`.
    pub across: String,
    /// Its value on the horizontal axis.
    pub x: i64,
    /// Its value on the vertical axis.
    pub y: i64,
    /// Axes whose values make differently marked series.
    #[serde(default)]
    pub series: Vec<String>,
}

/// Means with standard errors over runs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Means {
    /// The stage, or several stages whose results stand in one table.
    pub stage: Stages,
    /// Axes whose values make panels of the figure.
    #[serde(default)]
    pub panels: Vec<String>,
    /// Axes whose values make the rows.
    pub rows: Vec<String>,
    /// Axes whose values make the columns.
    #[serde(default)]
    pub columns: Vec<String>,
    /// A numeric axis, among the rows, that the figure has as its abscissa.
    pub x: Option<String>,
    /// How the abscissa places values. Default: proportionally.
    pub x_scale: Option<Spacing>,
    /// Label of the ordinate (`score against naive`).
    pub y_label: Option<String>,
    /// How results are counted. Default: as outcome, 0 to 1.
    #[serde(default)]
    pub scale: OutcomeScale,
    /// What is shown of each cell. Default: the mean.
    #[serde(default = "mean_alone")]
    pub values: Vec<Shown>,
    /// What errors of means are over. Default: runs, or games where another run is only more games.
    #[serde(default)]
    pub over: ErrorsOver,
}

/// What the errors of means are over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorsOver {
    /// Runs: what is said of a method.
    #[default]
    Runs,
    /// Games: what is said of these players alone, as where a paper has trained once.
    Games,
}

/// What is shown of the runs of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// The mean result.
    Mean,
    /// The mean result of the games that the player began.
    First,
    /// The mean result of the games that the opponent began.
    Second,
    /// The share of games that are unlike all others of their run.
    Distinct,
    /// Games of an AlphaZero training.
    Games,
    /// Its evaluations, in 10^6.
    Evaluations,
    /// Its floating-point operations, in 10^12.
    Compute,
}

fn mean_alone() -> Vec<Shown> {
    vec![Shown::Mean]
}

/// How the results of games are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeScale {
    /// Win 1, draw 0, loss -1: the fitness of Schaul and Schmidhuber 2009.
    Fitness,
    /// Win 1, draw 0.5, loss 0: the average outcome of Ben-Assayag and El-Yaniv 2021.
    #[default]
    Outcome,
}

/// Embeddings of a good and a bad action on boards of many sizes
/// (Ben-Assayag and El-Yaniv 2021, Figure 4).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Embeddings {
    /// The stage, of `measure.embeddings` jobs.
    pub stage: String,
    /// Axes whose values make rows of the table and panels of the figure.
    #[serde(default)]
    pub panels: Vec<String>,
}
