//! Learning curves as a manifest asks for them: what of a training is shown, and over what.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Stages;

/// What trainings went through, averaged over runs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Curves {
    /// The stage, or several stages.
    pub stage: Stages,
    /// Axes whose values make panels.
    #[serde(default)]
    pub panels: Vec<String>,
    /// Axes whose values make curves.
    pub curves: Vec<String>,
    /// What is shown. Default: fitness.
    #[serde(default)]
    pub of: Ordinate,
    /// What the abscissa counts. Default: iterations for fitness, operations for skill.
    pub x: Option<Abscissa>,
    /// How the abscissa places values. Default: by their logarithm for operations, else proportionally.
    pub x_scale: Option<Spacing>,
    /// Label of the ordinate (`average outcome against greedy`).
    pub y_label: Option<String>,
}

impl Curves {
    /// What the abscissa counts.
    #[must_use]
    pub fn abscissa(&self) -> Abscissa {
        self.x.unwrap_or(match self.of {
            Ordinate::Fitness => Abscissa::Iterations,
            Ordinate::Skill => Abscissa::Operations,
        })
    }

    /// How the abscissa places values.
    #[must_use]
    pub fn spacing(&self) -> Spacing {
        self.x_scale.unwrap_or(match self.abscissa() {
            Abscissa::Operations => Spacing::Log,
            _ => Spacing::Linear,
        })
    }
}

/// What of a training is shown as a curve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ordinate {
    /// Mean and best fitness of each generation (Schaul and Schmidhuber 2009, Figure 3).
    #[default]
    Fitness,
    /// The evaluations of an AlphaZero training (Ben-Assayag and El-Yaniv 2021, Figure 5).
    Skill,
}

/// What the abscissa of a learning curve counts: what the training has taken up to the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Abscissa {
    /// Iterations, or generations of an evolution.
    Iterations,
    /// Games that were learned from.
    Games,
    /// Evaluations by the network, in 10^6; evolutions do not count them.
    Evaluations,
    /// Floating-point operations, in 10^12; evolutions do not count them.
    Operations,
    /// Hours by the clock of this machine, those of a whole training divided by the operations of its iterations, or by
    /// the games of its generations. No two runs agree on them.
    Hours,
}

/// How an axis places values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Proportionally.
    Linear,
    /// By their logarithm, where 0 has no place.
    Log,
}
