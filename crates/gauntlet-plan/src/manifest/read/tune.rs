//! `tune`: a race between the settings of a stage.

use schemars::JsonSchema;
use serde::Deserialize;

use gauntlet_exhibits::Need;
use gauntlet_ratings::race::{RaceBudget, RaceRule, RaceUnits};

/// A race between the settings of a stage: each seed is a round, which only the settings that are left play.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Tune {
    /// Probability that a setting which is out was not worse, or that an interval misses, in the whole race; above 0 and
    /// below 0.5. Default: 0.05.
    #[serde(default = "usual_error")]
    error: f64,
    /// The number by which settings are compared. Default: the score, or the share of optimal moves.
    pub objective: Option<Objective>,
    /// Whether less of that number is better. Default: of losses, errors and lost values less is, of others more.
    less: Option<bool>,
    /// The race also ends when no other setting can be better than the leader by more than this, in units of the number;
    /// scores are from 0 to 1. Default: 0, it goes on.
    #[serde(default)]
    within: f64,
    /// The games or jobs of all settings together; no round begins that would exceed it. Default: all seeds.
    budget: Option<RaceBudget>,
    /// Axes whose values every setting plays, such as opponents or boards; a unit is the mean over them. Default: none.
    #[serde(default)]
    pub panel: Vec<String>,
    /// An axis of numbers, such as `settings.iterations`: the race begins at the smallest one, and the settings that are left
    /// after all rounds go on to the next one. Default: none.
    pub rungs: Option<String>,
}

/// A number of a result, other than its score: of `measure.optimal`, or of the last iteration or generation of a training
/// that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// The mean value that a move loses, of `measure.optimal`.
    Lost,
    /// The loss of the policy, of `train.alpha-zero`.
    PolicyLoss,
    /// The loss of the values, of `train.alpha-zero`.
    ValueLoss,
    /// The mean difference between the values of the search and the outcomes, of `train.alpha-zero`.
    ValueError,
    /// The score in the training's own evaluation, -1 to 1, of `train.alpha-zero`.
    Evaluation,
    /// The mean fitness of the candidates, of `train.cma-es`.
    MeanFitness,
    /// The fitness of the best candidate, of `train.cma-es`.
    BestFitness,
}

impl Objective {
    /// Its name in results.
    pub fn column(self) -> &'static str {
        match self {
            Objective::Lost => "lost",
            Objective::PolicyLoss => "policy_loss",
            Objective::ValueLoss => "value_loss",
            Objective::ValueError => "value_error",
            Objective::Evaluation => "score",
            Objective::MeanFitness => "mean",
            Objective::BestFitness => "best",
        }
    }

    /// Its name in words.
    pub fn words(self) -> &'static str {
        match self {
            Objective::Lost => "value lost",
            Objective::PolicyLoss => "policy loss",
            Objective::ValueLoss => "value loss",
            Objective::ValueError => "value error",
            Objective::Evaluation => "score in the evaluation, -1 to 1",
            Objective::MeanFitness => "mean fitness",
            Objective::BestFitness => "best fitness",
        }
    }

    /// The jobs whose results have it.
    pub fn jobs(self) -> &'static str {
        match self {
            Objective::Lost => "`measure.optimal` has it",
            Objective::PolicyLoss | Objective::ValueLoss | Objective::ValueError => "`train.alpha-zero` has it",
            Objective::Evaluation => "`train.alpha-zero` with `settings.evaluation` has it",
            Objective::MeanFitness | Objective::BestFitness => "`train.cma-es` has it",
        }
    }

    /// The result that has it.
    pub fn need(self) -> Need {
        match self {
            Objective::Lost => Need::Optimality,
            Objective::PolicyLoss | Objective::ValueLoss | Objective::ValueError => Need::Operations,
            Objective::Evaluation => Need::Skill,
            Objective::MeanFitness | Objective::BestFitness => Need::Fitness,
        }
    }

    fn is_better_if_less(self) -> bool {
        !matches!(self, Objective::Evaluation | Objective::MeanFitness | Objective::BestFitness)
    }
}

fn usual_error() -> f64 {
    0.05
}

impl Tune {
    /// Whether less is better.
    pub fn is_less_better(&self) -> bool {
        self.less.unwrap_or_else(|| self.objective.is_some_and(Objective::is_better_if_less))
    }

    /// The rule of the race, for units of this kind.
    #[must_use]
    pub fn rule(&self, units: RaceUnits) -> RaceRule {
        RaceRule { error: self.error, within: self.within, budget: self.budget, units }
    }
}
