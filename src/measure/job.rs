//! Measuring jobs as a manifest writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Complexity, ComplexityJob, Embedded, EmbeddingsJob, FitnessJob, Hours, HoursJob, Inputs, LadderJob, MeasureError,
    Measured, RatedLadder, count, embed, measure_fitness, rate_results, read_hours,
};
use crate::base::{Seed, Sink};
use crate::players::plies;

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

/// What a game costs, per site of the board, in seconds of one core.
const SECONDS_PER_SITE: f64 = 8e-7;

/// What one core does in plain layers, roughly.
const OPERATIONS_PER_SECOND: f64 = 2e10;

/// What rating a file costs: two dense inversions for about two thousand players.
const SECONDS_PER_LADDER: f64 = 6.0;

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

    /// Rough seconds of one core.
    #[must_use]
    pub fn cost(&self) -> f64 {
        match self {
            MeasureSpec::Fitness(job) => {
                let game = job.game.build();
                // The two players decide half of the plies each.
                let decision = (job.agent.seconds(&*game) + job.opponent.seconds(&*game)) / 2.0;
                job.games.get() as f64 * (game.topology().sites() as f64 * SECONDS_PER_SITE + plies(&*game) * decision)
            }
            MeasureSpec::Ladder(_) => SECONDS_PER_LADDER,
            MeasureSpec::Hours(_) | MeasureSpec::Complexity(_) => 0.1,
            MeasureSpec::Embeddings(job) => 2.0 * job.products() / OPERATIONS_PER_SECOND,
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

    /// A measurement costs what its players search and what their networks take for that.
    #[test]
    fn networks_and_simulations_cost() {
        let cost = |hidden: u32, simulations: u32, opponent: &str| {
            let text = format!(
                "game = {{ othello = {{ size = 8 }} }}\ngames = 100\nopponent = {{ {opponent} = {{}} }}\n\
                 agent = {{ guided = {{ network = {{ saz = {{ hidden = {hidden} }} }}, \
                 search = {{ simulations = {simulations} }} }} }}"
            );
            MeasureSpec::Fitness(toml::from_str(&text).expect("a job")).cost()
        };
        // About 60 plies, half of them searched, at about 20 microseconds an evaluation.
        let usual = cost(32, 50, "random");
        assert!((1.5..6.0).contains(&usual), "{usual}");
        assert!(cost(512, 50, "random") > 50.0 * usual);
        assert!((1.9..2.1).contains(&(cost(32, 100, "random") / usual)));
        assert!(cost(32, 50, "uct") > usual);
    }

    #[test]
    fn files_stay_in_the_data_directory() {
        for (file, fine) in [("rankings.json", true), ("a/b.csv", true), ("../x", false), ("/x", false), ("", false)] {
            let spec = MeasureSpec::Ladder(LadderJob { results: file.to_owned() });
            assert_eq!((spec.check().is_ok(), spec.inputs()), (fine, vec![file]));
        }
    }
}
