//! Measuring jobs as a manifest writes them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Complexity, ComplexityJob, Embedded, EmbeddingsJob, Hours, HoursJob, LadderJob, MeasureError, Measured,
    RatedLadder, count, embed, measure_fitness, rate_results, read_hours,
};
use crate::arena::EvenGames;
use crate::base::{Seed, Sink};
use crate::games::GameSpec;
use crate::players::PlayerSpec;

/// The kinds of measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeasureSpec {
    /// What an agent scores against an opponent.
    Fitness(FitnessJob),
    /// Ratings of the results in a file of the data directory.
    Ladder(LadderJob),
    /// Running times of trainings, from a file of the data directory.
    Hours(HoursJob),
    /// How large a game is.
    Complexity(ComplexityJob),
    /// Where a graph network sees a good and a bad action on boards of many sizes.
    Embeddings(EmbeddingsJob),
}

/// Contents of the files that a job reads, by their names in the data directory.
pub type Inputs = BTreeMap<String, Vec<u8>>;

/// What came out, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Measurement {
    /// Of [`MeasureSpec::Fitness`].
    Fitness(Measured),
    /// Of [`MeasureSpec::Ladder`].
    Ladder(RatedLadder),
    /// Of [`MeasureSpec::Hours`].
    Hours(Hours),
    /// Of [`MeasureSpec::Complexity`].
    Complexity(Complexity),
    /// Of [`MeasureSpec::Embeddings`].
    Embeddings(Embedded),
}

/// One measurement of fitness (Schaul and Schmidhuber 2009, section 3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FitnessJob {
    /// The game.
    pub game: GameSpec,
    /// Whose fitness is measured.
    pub agent: PlayerSpec,
    /// Against whom.
    pub opponent: PlayerSpec,
    /// Number of games, half of them with the agent as the first side.
    pub games: EvenGames,
}

impl MeasureSpec {
    /// A few words for people.
    #[must_use]
    pub fn slug(&self) -> String {
        match self {
            MeasureSpec::Fitness(job) => {
                format!("{} {} {}", job.game.build().name(), job.agent.name(), job.opponent.name())
            }
            MeasureSpec::Ladder(job) => format!("ladder {}", job.results),
            MeasureSpec::Hours(job) => format!("hours {}", job.hours),
            MeasureSpec::Complexity(job) => format!("complexity {}", job.game.build().name()),
            MeasureSpec::Embeddings(job) => format!("embeddings {}", job.agent.name()),
        }
    }

    /// The files of the data directory that the job reads.
    #[must_use]
    pub fn inputs(&self) -> Vec<&str> {
        match self {
            MeasureSpec::Fitness(_) | MeasureSpec::Complexity(_) | MeasureSpec::Embeddings(_) => Vec::new(),
            MeasureSpec::Ladder(job) => vec![&job.results],
            MeasureSpec::Hours(job) => vec![&job.hours],
        }
    }

    /// Whether both players know the game, and whether files stay in the data directory.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn check(&self) -> Result<(), String> {
        if let MeasureSpec::Fitness(job) = self {
            let game = job.game.build();
            return job.agent.check(&game).and_then(|()| job.opponent.check(&game));
        }
        if let MeasureSpec::Embeddings(job) = self {
            return job.check();
        }
        let leaves = |file: &&str| file.contains('\\') || file.split('/').any(|part| matches!(part, "" | "." | ".."));
        match self.inputs().into_iter().find(leaves) {
            Some(file) => Err(format!("`{file}` is no file of the data directory")),
            None => Ok(()),
        }
    }

    /// Measures; `checkpoint` holds the trained weights, where the agent wants them, `inputs` the files that the job
    /// reads.
    ///
    /// # Errors
    /// As [`measure_fitness`], [`rate_results`], [`read_hours`] and [`embed`].
    pub fn run(
        &self,
        number: u64,
        checkpoint: Option<&[u8]>,
        inputs: &Inputs,
        sink: &mut dyn Sink,
    ) -> Result<Measurement, MeasureError> {
        match self {
            MeasureSpec::Fitness(job) => {
                measure_fitness(job, &Seed::new(number), checkpoint, sink).map(Measurement::Fitness)
            }
            MeasureSpec::Ladder(job) => rate_results(job, inputs).map(Measurement::Ladder),
            MeasureSpec::Hours(job) => read_hours(job, inputs).map(Measurement::Hours),
            MeasureSpec::Complexity(job) => Ok(Measurement::Complexity(count(job))),
            MeasureSpec::Embeddings(job) => {
                embed(job, &Seed::new(number), checkpoint, sink).map(Measurement::Embeddings)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stay_in_the_data_directory() {
        for (file, fine) in [("rankings.json", true), ("a/b.csv", true), ("../x", false), ("/x", false), ("", false)] {
            let spec = MeasureSpec::Ladder(LadderJob { results: file.to_owned() });
            assert_eq!((spec.check().is_ok(), spec.inputs()), (fine, vec![file]));
        }
    }
}
