//! Abscissas of learning curves: the effort of a training up to an entry of its curve.

use schemars::JsonSchema;
use serde::Deserialize;

use super::frame::Fact;
use super::sheet::AxisScale;
use gauntlet_ratings::intervals::mean;

/// Seconds in an hour.
const HOUR: f64 = 3600.0;

/// The unit of the abscissa of a learning curve: the effort of the training up to the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Abscissa {
    /// Iterations, or generations of an evolution.
    Iterations,
    /// Frames: positions of self-play used for learning. Evolutions do not count them.
    Frames,
    /// Games used for learning.
    Games,
    /// Network evaluations, in 10^6; evolutions do not count them.
    Evaluations,
    /// Floating-point operations, in 10^12; evolutions do not count them.
    Operations,
    /// Wall-clock hours of this machine: those of a whole training, divided by the operations of its iterations, or by
    /// the games of its generations. They differ between runs.
    Hours,
}

/// Scale of an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Linear.
    #[default]
    Linear,
    /// Logarithmic; 0 has no position.
    Log,
}

impl Spacing {
    /// The scale of an axis in a picture.
    pub(super) fn scale(self) -> AxisScale {
        match self {
            Spacing::Linear => AxisScale::Linear,
            Spacing::Log => AxisScale::Log,
        }
    }
}

impl Abscissa {
    /// The label of the axis; `entry` is the unit that a training repeats.
    pub(super) fn label(self, entry: &'static str) -> &'static str {
        match self {
            Abscissa::Iterations => entry,
            Abscissa::Frames => "frames of the training",
            Abscissa::Games => "games of the training",
            Abscissa::Evaluations => "10^6 evaluations by the network",
            Abscissa::Operations => "10^12 operations of the training",
            Abscissa::Hours => "hours of the training",
        }
    }

    /// The unit in one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Abscissa::Iterations => "iterations",
            Abscissa::Frames => "frames",
            Abscissa::Games => "games",
            Abscissa::Evaluations => "evaluations",
            Abscissa::Operations => "operations",
            Abscissa::Hours => "hours",
        }
    }

    /// The unit of an amount of it.
    pub(super) fn amount(self) -> &'static str {
        match self {
            Abscissa::Evaluations => "10^6 evaluations",
            Abscissa::Operations => "10^12 operations",
            Abscissa::Iterations | Abscissa::Frames | Abscissa::Games | Abscissa::Hours => self.word(),
        }
    }

    /// The effort of a run at the end of an entry of its curve.
    pub(super) fn at(self, fact: &Fact<'_>, entry: usize) -> Option<f64> {
        match self {
            Abscissa::Iterations => Some((entry + 1) as f64),
            Abscissa::Frames => frames(fact, entry),
            Abscissa::Games => games(fact, entry),
            Abscissa::Evaluations => Some(fact.iterations()?.get(entry)?.evaluations as f64 / 1e6),
            Abscissa::Operations => Some(fact.iterations()?.get(entry)?.compute as f64 / 1e12),
            Abscissa::Hours => Some(fact.seconds? / HOUR * share(fact, entry)?),
        }
    }

    /// The mean effort of some runs until the end of an iteration: 0 before the first one.
    pub(super) fn mean_at(self, runs: &[Fact<'_>], iteration: usize) -> Option<f64> {
        let Some(entry) = iteration.checked_sub(1) else { return Some(0.0) };
        mean(&runs.iter().filter_map(|run| self.at(run, entry)).collect::<Vec<_>>())
    }

    /// The caption's explanation of the abscissa, besides its label.
    pub(super) fn caption(self) -> &'static str {
        match self {
            Abscissa::Hours => {
                " Hours are those of this machine's clock for the whole training. Iterations share them by their \
                 operations, and generations by their games: no two runs agree on them."
            }
            _ => "",
        }
    }

    /// The note on runs without a position, if there are any.
    pub(super) fn note(self, facts: &[Fact<'_>]) -> Option<String> {
        let finished = facts.iter().filter(|fact| fact.result.is_some());
        let untimed = finished.filter(|fact| fact.seconds.is_none()).count();
        (self == Abscissa::Hours && untimed > 0).then(|| {
            format!(
                "{untimed} of {} trainings were interrupted, or ran elsewhere, and have no hours: places are those of \
                 the others.",
                facts.len()
            )
        })
    }
}

/// Positions of self-play up to the end of an entry.
fn frames(fact: &Fact<'_>, entry: usize) -> Option<f64> {
    Some(fact.iterations()?.get(..=entry)?.iter().map(|iteration| iteration.examples as f64).sum())
}

/// Games up to the end of an entry; those of an evolution follow from the number of its candidates.
fn games(fact: &Fact<'_>, entry: usize) -> Option<f64> {
    if let Some(iterations) = fact.iterations() {
        return Some(iterations.get(entry)?.games as f64);
    }
    let generations = fact.generations()?.get(..=entry)?;
    let candidates: usize = generations.iter().map(|generation| generation.fitness.len()).sum();
    Some(candidates as f64 * fact.setting("/train/cma-es/settings/games")? as f64)
}

/// The share of a training that is done at the end of an entry, by operations, or else by games.
fn share(fact: &Fact<'_>, entry: usize) -> Option<f64> {
    let last = fact.entries()?.checked_sub(1)?;
    let spent = |entry: usize| match fact.iterations() {
        Some(iterations) => Some(iterations.get(entry)?.compute as f64),
        None => games(fact, entry),
    };
    Some(spent(entry)? / spent(last)?)
}
