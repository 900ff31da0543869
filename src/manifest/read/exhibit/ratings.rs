//! What exhibits of ratings, leagues and ladders show.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::curves::Abscissa;
use super::success::{Labels, WrittenLabel, labels};

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

/// Ratings of the players of a stage's tournaments (or matches), as a [`League`] of them.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RatingTable {
    /// The stage.
    pub stage: String,
    /// Axes whose values make tournaments that are rated apart.
    #[serde(default)]
    pub panels: Vec<String>,
    /// The player whose rating is 0: all others are shown by how far they are above it, with the errors of that
    /// difference. Default: nobody, and ratings average to 1000.
    pub anchor: Option<String>,
    /// Whether the tournament of each seed is rated by itself: shown are then means over these runs, with errors over
    /// trainings. Default: games of several seeds are added up, by the players' names, and errors are those of the games
    /// alone.
    #[serde(default)]
    pub by_run: bool,
}

impl RatingTable {
    /// The tournaments.
    #[must_use]
    pub fn league(&self) -> League {
        League { stage: self.stage.clone(), panels: self.panels.clone() }
    }
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
    /// What the abscissa counts. Default: games.
    pub x: Option<Abscissa>,
    /// Whether the tournament of each seed is rated by itself, by the AlphaGateau paper's least squares and by maximum
    /// likelihood: shown are then means over these runs. Default: games of several seeds are added up, by the players'
    /// names.
    #[serde(default)]
    pub by_run: bool,
}

/// A training whose networks are players named by iteration.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProgressCurve {
    /// Its name in the legend.
    pub label: String,
    /// The stage that trains.
    pub stage: String,
    /// What its players' names begin with, before the iteration: `I-`. Iterations that are no players are passed over;
    /// `I-0` is a network before its training.
    pub prefix: String,
    /// Labels of the training, where the stage has several.
    #[serde(default, deserialize_with = "labels")]
    #[schemars(with = "BTreeMap<String, WrittenLabel>")]
    pub only: Labels,
}

impl Progress {
    /// What the abscissa counts.
    #[must_use]
    pub fn abscissa(&self) -> Abscissa {
        self.x.unwrap_or(Abscissa::Games)
    }

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
    /// The rating that the paper prints of its last checkpoint; the stored one stands in the table when absent.
    pub published: Option<f64>,
    /// The two-sigma band that the paper prints beside it.
    pub two_sigma: Option<f64>,
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
