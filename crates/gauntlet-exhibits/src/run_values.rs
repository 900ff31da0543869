//! Values of a run in exhibits of means: outcomes, the length and the share of distinct games, the optimality of moves,
//! efforts of trainings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counted::{games_of_all, score_over_games};
use super::estimate::ErrorOverPositions;
use super::frame::{Fact, by_configuration, repeats};
use super::job_result::JobResult;
use super::need::Need;
use super::sheet::ErrorKind;
use gauntlet_ratings::MeanScore;
use gauntlet_ratings::intervals::mean;

/// A value of the runs of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// The mean result.
    Mean,
    /// The mean result of the games that the player began.
    First,
    /// The mean result of the games that the opponent began.
    Second,
    /// The share of games that differ from all others of their run.
    Distinct,
    /// The mean number of plies of a game, from the start position.
    Length,
    /// The share of positions in which the player's move keeps the exact value.
    Optimal,
    /// The mean value that a move loses, 0 to 2.
    Lost,
    /// Games of a training.
    Games,
    /// Network evaluations of a training, in 10^6.
    Evaluations,
    /// Floating-point operations of an AlphaZero training, in 10^12.
    Compute,
    /// Wall-clock seconds of a training on this machine. No two runs agree on them.
    Seconds,
    /// Seconds of processor time of a training, if it measures them: that of a program, or with a budget of it.
    ProcessorSeconds,
    /// The most memory of a training by another program and of all that it started, in 10^6 bytes.
    Memory,
}

/// The source of the errors of means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorsOver {
    /// Runs: a statement about a method.
    #[default]
    Runs,
    /// Games: a statement about these players only, for example if a paper has trained once.
    Games,
}

/// The scale of the results of games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeScale {
    /// Win 1, draw 0, loss -1: the fitness of Schaul and Schmidhuber 2009.
    Fitness,
    /// Win 1, draw 0.5, loss 0: the average outcome of Ben-Assayag and El-Yaniv 2021.
    #[default]
    Outcome,
}

impl Shown {
    /// The default values.
    pub(super) fn mean_alone() -> Vec<Shown> {
        vec![Shown::Mean]
    }

    /// The result that contains it.
    pub(super) fn need(self) -> Need {
        match self {
            Shown::Mean => Need::Score,
            Shown::First | Shown::Second | Shown::Distinct | Shown::Length => Need::Colours,
            Shown::Optimal | Shown::Lost => Need::Optimality,
            Shown::Games | Shown::Evaluations | Shown::Seconds | Shown::ProcessorSeconds | Shown::Memory => {
                Need::Effort
            }
            Shown::Compute => Need::Operations,
        }
    }

    /// The value of a run, if its result has one.
    #[must_use]
    pub fn value(self, counting: OutcomeScale, fact: &Fact<'_>) -> Option<f64> {
        match self {
            Shown::Mean => fact.mean().map(|mean| counting.convert(mean)),
            Shown::First => Some(counting.convert(fact.means_by_turn()?[0])),
            Shown::Second => Some(counting.convert(fact.means_by_turn()?[1])),
            Shown::Distinct => fact.share_distinct(),
            Shown::Length => fact.mean_length(),
            Shown::Optimal | Shown::Lost => match fact.result()? {
                JobResult::Optimal(own) => Some(if self == Shown::Optimal { own.share } else { own.lost }),
                _ => None,
            },
            Shown::Games => fact.counts()[0].map(|games| games as f64),
            Shown::Evaluations => fact.counts()[1].map(|evaluations| evaluations as f64 / 1e6),
            Shown::Seconds => fact.trainer().and_then(|(_, effort)| effort.seconds).or(fact.seconds),
            Shown::ProcessorSeconds => fact.processor_seconds(),
            Shown::Memory => Some(fact.trainer()?.1.memory? as f64 / 1e6),
            Shown::Compute => Some(fact.iterations()?.last()?.compute as f64 / 1e12),
        }
    }

    /// The error over positions of a player that does not learn, if the value is one of optimality. All runs meet the same
    /// positions, so that the error of their mean is at most the mean of their errors.
    #[must_use]
    pub fn error_over_positions(self, facts: &[Fact<'_>]) -> Option<ErrorOverPositions> {
        let learns = facts.iter().any(|fact| fact.config.varies_by_run);
        self.error_of_positions(facts).filter(|_| !learns)
    }

    /// The error that remains within runs, in units of a value whose range has this width: that of their games, or of the
    /// positions that they share.
    #[must_use]
    pub fn error_within_runs(self, width: f64, facts: &[Fact<'_>]) -> Option<f64> {
        let of_positions = self.error_of_positions(facts).map(|error| error.size);
        of_positions.or_else(|| Some(width * self.score_over_games(facts)?.error))
    }

    fn error_of_positions(self, facts: &[Fact<'_>]) -> Option<ErrorOverPositions> {
        let of = |fact: &Fact<'_>| match (self, fact.result()?) {
            (Shown::Optimal, JobResult::Optimal(own)) => Some((own.share_error, own.positions)),
            (Shown::Lost, JobResult::Optimal(own)) => Some((own.lost_error, own.positions)),
            _ => None,
        };
        let (sizes, positions): (Vec<f64>, Vec<u64>) = facts.iter().filter_map(of).unzip();
        Some(ErrorOverPositions { size: mean(&sizes)?, positions: *positions.first()? })
    }

    /// The kind of the error that remains within runs.
    #[must_use]
    pub fn kind_within_runs(self) -> ErrorKind {
        match self {
            Shown::Optimal | Shown::Lost => ErrorKind::Positions,
            _ => ErrorKind::Games,
        }
    }

    /// Whether it is an outcome of games.
    #[must_use]
    pub fn is_outcome(self) -> bool {
        matches!(self, Shown::Mean | Shown::First | Shown::Second)
    }

    /// The score over the games of all runs, if another run only adds games.
    #[must_use]
    pub fn score_of_all(self, facts: &[Fact<'_>]) -> Option<MeanScore> {
        let varies = facts.iter().any(|fact| fact.config.varies_by_run);
        if varies { None } else { self.score_over_games(facts) }
    }

    /// The score over the games of all runs, if the value is an outcome. It describes these players, not others trained
    /// like them.
    #[must_use]
    pub fn score_over_games(self, facts: &[Fact<'_>]) -> Option<MeanScore> {
        if self == Shown::Mean {
            return score_over_games(facts);
        }
        MeanScore::of_games(self.games_by_turn(facts)?)
    }

    /// The number of units behind that score: pairs of games, or games by who moves first.
    #[must_use]
    pub fn units(self, facts: &[Fact<'_>]) -> Option<u64> {
        match self {
            Shown::Mean => Some(games_of_all(facts)?.match_counts().units()),
            _ => Some(self.games_by_turn(facts)?.iter().sum()),
        }
    }

    /// The games of all runs in which the player moved first, or second: lost, drawn, won. Repetitions of players that choose
    /// nothing at random count once.
    fn games_by_turn(self, facts: &[Fact<'_>]) -> Option<[u64; 3]> {
        let is_second = match self {
            Shown::First => false,
            Shown::Second => true,
            _ => return None,
        };
        let of_pairs = |pairs: [[u64; 3]; 3]| -> [u64; 3] {
            std::array::from_fn(|at| {
                (0..3).map(|other| if is_second { pairs[other][at] } else { pairs[at][other] }).sum()
            })
        };
        let finished: Vec<Fact<'_>> = facts.iter().filter(|fact| fact.result.is_some()).copied().collect();
        let mut games = [0; 3];
        for runs in by_configuration(&finished) {
            let own: Vec<[u64; 3]> = match repeats(&runs).and_then(|repeats| repeats.once) {
                Some(pairs) => vec![of_pairs(pairs)],
                None => {
                    runs.iter().map(|run| Some(run.games_by_turn()?[usize::from(is_second)])).collect::<Option<_>>()?
                }
            };
            own.iter().for_each(|own| games.iter_mut().zip(own).for_each(|(sum, count)| *sum += count));
        }
        Some(games)
    }

    /// The minimum and the maximum.
    #[must_use]
    pub fn range(self, counting: OutcomeScale) -> [f64; 2] {
        match self {
            Shown::Mean | Shown::First | Shown::Second => counting.range(),
            Shown::Distinct | Shown::Optimal => [0.0, 1.0],
            Shown::Lost => [0.0, 2.0],
            _ => [0.0, f64::INFINITY],
        }
    }

    /// The name in CSVs and on axes.
    #[must_use]
    pub fn metric(self, counting: OutcomeScale) -> String {
        match self {
            Shown::Mean => counting.metric().to_owned(),
            Shown::First => format!("{} moving first", counting.metric()),
            Shown::Second => format!("{} moving second", counting.metric()),
            Shown::Distinct => "share of distinct games".to_owned(),
            Shown::Length => "mean plies of a game".to_owned(),
            Shown::Optimal => "share of optimal moves".to_owned(),
            Shown::Lost => "mean value lost by a move".to_owned(),
            _ => self.title(counting).to_owned(),
        }
    }

    /// The title of columns and panels.
    pub(super) fn title(self, counting: OutcomeScale) -> &'static str {
        match self {
            Shown::Mean => counting.title(),
            Shown::First => "moving first",
            Shown::Second => "moving second",
            Shown::Distinct => "distinct games",
            Shown::Length => "plies",
            Shown::Optimal => "optimal moves",
            Shown::Lost => "value lost",
            Shown::Games => "games",
            Shown::Evaluations => "10^6 evaluations",
            Shown::Compute => "10^12 operations",
            Shown::Seconds => "seconds",
            Shown::ProcessorSeconds => "seconds of a processor",
            Shown::Memory => "10^6 bytes of memory",
        }
    }

    /// The number of games behind the value: all games, or those in which the player moved first, or second.
    #[must_use]
    pub fn n_games<'a>(self, facts: impl IntoIterator<Item = &'a Fact<'a>>) -> u64 {
        let games: u64 = facts.into_iter().map(Fact::games).sum();
        if matches!(self, Shown::First | Shown::Second) { games / 2 } else { games }
    }
}

impl OutcomeScale {
    /// The name of a mean in CSVs and on axes.
    pub(super) fn metric(self) -> &'static str {
        match self {
            OutcomeScale::Fitness => "fitness",
            OutcomeScale::Outcome => "average outcome",
        }
    }

    fn title(self) -> &'static str {
        match self {
            OutcomeScale::Fitness => "Fitness",
            OutcomeScale::Outcome => "Average outcome",
        }
    }

    /// The minimum and the maximum result.
    #[must_use]
    pub fn range(self) -> [f64; 2] {
        [self.convert(-1.0), self.convert(1.0)]
    }

    /// Converts a mean of wins 1, draws 0 and losses -1 to this scale.
    #[must_use]
    pub fn convert(self, mean: f64) -> f64 {
        match self {
            OutcomeScale::Fitness => mean,
            OutcomeScale::Outcome => (mean + 1.0) / 2.0,
        }
    }
}
