//! What a manifest wants shown: which stage, along which axes, as what.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::names::Name;

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
    Ratings(League),
    /// Who scored what against whom in a tournament, and what the ratings expect.
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
            Show::Curves(show) => &show.stage,
            Show::Scatter(show) => &show.stage,
            Show::Means(show) => &show.stage,
            Show::Ratings(show) | Show::Crosstable(show) | Show::WinMatrix(show) | Show::ScoreMatrix(show) => {
                &show.stage
            }
            Show::EloTable(show) => &show.stage,
            Show::EloCurves(show) => &show.stage,
            Show::EloDifferences(show) => &show.stage,
            Show::RunningTimes(show) => &show.stage,
            Show::Progress(show) => &show.stage,
        }
    }

    /// Every stage that the exhibit names.
    #[must_use]
    pub fn stages(&self) -> Vec<&str> {
        let others: Vec<&str> = match self {
            Show::EloCurves(show) => show.hours.as_deref().into_iter().collect(),
            Show::Progress(show) => show.curves.iter().map(|curve| curve.stage.as_str()).collect(),
            _ => Vec::new(),
        };
        std::iter::once(self.stage()).chain(others).collect()
    }

    /// Every axis that the exhibit names.
    #[must_use]
    pub fn axes(&self) -> Vec<&str> {
        let (lists, single): (Vec<&Vec<String>>, Option<&String>) = match self {
            Show::Correlations(show) => (vec![&show.rows, &show.columns], Some(&show.across)),
            Show::Percentiles(show) => (vec![&show.panels, &show.curves], None),
            Show::Curves(show) => (vec![&show.panels, &show.curves], None),
            Show::Scatter(show) => (vec![&show.series], Some(&show.across)),
            Show::Means(show) => (vec![&show.rows, &show.columns], show.x.as_ref()),
            Show::Ratings(show) | Show::Crosstable(show) | Show::WinMatrix(show) | Show::ScoreMatrix(show) => {
                (vec![&show.panels], None)
            }
            Show::Progress(show) => (vec![&show.panels], None),
            Show::EloTable(_) | Show::EloCurves(_) | Show::EloDifferences(_) | Show::RunningTimes(_) => (vec![], None),
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
    /// Whether the share of runs that are fitter at the second value is shown too.
    #[serde(default)]
    pub share_fitter: bool,
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

/// Mean and best result of each step of a training, averaged over runs
/// (Schaul and Schmidhuber 2009, Figure 3).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Curves {
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
    /// The stage.
    pub stage: String,
    /// Axes whose values make the rows.
    pub rows: Vec<String>,
    /// Axes whose values make the columns.
    #[serde(default)]
    pub columns: Vec<String>,
    /// A numeric axis, among the rows, that the figure has as its abscissa.
    pub x: Option<String>,
    /// Label of the ordinate (`score against naive`).
    pub y_label: Option<String>,
    /// How results are counted. Default: as fitness.
    #[serde(default)]
    pub scale: Scale,
}

/// How the results of games are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Win 1, draw 0, loss -1.
    #[default]
    Fitness,
    /// Win 1, draw 0.5, loss 0: the average outcome of Ben-Assayag and El-Yaniv 2021.
    Outcome,
}

/// The players of a stage's tournaments (or matches). Games of several seeds are added up, by the players' names.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct League {
    /// The stage.
    pub stage: String,
    /// Axes whose values make tournaments that are rated apart.
    #[serde(default)]
    pub panels: Vec<String>,
}

/// Ratings of the kept networks of trainings that met in a stage's tournaments, over the games of self-play.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Progress {
    /// The stage.
    pub stage: String,
    /// The player whose rating is 0.
    pub anchor: String,
    /// The trainings.
    pub curves: Vec<ProgressCurve>,
    /// Axes whose values make tournaments that are rated apart.
    #[serde(default)]
    pub panels: Vec<String>,
}

/// A training whose networks are players named by iteration.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProgressCurve {
    /// Its name in the legend.
    pub label: String,
    /// The stage that trains.
    pub stage: String,
    /// What its players' names begin with, before the iteration: `I-`. Iterations that are no players are passed over.
    pub prefix: String,
}

impl Progress {
    /// The tournaments.
    #[must_use]
    pub fn league(&self) -> League {
        League { stage: self.stage.clone(), panels: self.panels.clone() }
    }
}

/// Ratings of single players, as the text of a paper names them.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EloTable {
    /// The stage, of `measure.ladder` jobs.
    pub stage: String,
    /// The players, top to bottom.
    pub players: Vec<NamedPlayer>,
}

/// One player of a ladder.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NamedPlayer {
    /// How it is called here.
    pub label: String,
    /// Its name in the ladder.
    pub player: String,
    /// The rating that the paper prints.
    pub published: Option<f64>,
    /// The half width of the two-sigma band that the paper prints.
    pub two_sigma: Option<f64>,
}

/// Ratings of trainings whose checkpoints are players of a ladder, named `run/iteration`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EloCurves {
    /// The stage, of `measure.ladder` jobs.
    pub stage: String,
    /// The stage of `measure.hours` jobs; iterations are the abscissa when absent.
    pub hours: Option<String>,
    /// The curves.
    pub curves: Vec<EloCurve>,
}

/// One training.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EloCurve {
    /// Its name in the legend.
    pub label: String,
    /// Its name in the ladder.
    pub run: String,
    /// The last iteration that is shown; all when absent.
    pub last: Option<u32>,
    /// GPUs that it ran on: hours are shown as of 8.
    #[serde(default = "eight")]
    pub gpus: u32,
}

fn eight() -> u32 {
    8
}

/// The paper's estimate of every player of a ladder against other estimates.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EloDifferences {
    /// The stage, of `measure.ladder` jobs.
    pub stage: String,
}

/// Hours that trainings took, beside those that a paper prints.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunningTimes {
    /// The stage, of `measure.hours` jobs.
    pub stage: String,
    /// The trainings, top to bottom.
    pub runs: Vec<RunningTime>,
}

/// One training.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunningTime {
    /// How it is called here.
    pub label: String,
    /// Its name in the file.
    pub run: String,
    /// The last iteration that counts; all when absent.
    pub last: Option<u32>,
    /// Hours that the paper prints.
    pub published: Option<f64>,
}

/// How axis values are shown.
pub type Labels = BTreeMap<String, String>;
