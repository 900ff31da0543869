//! The fitness measurement: an agent's score in every game on one board.
//!
//! Schaul and Schmidhuber 2009, section 3. The source of the weights does not matter (drawn, trained, or from another
//! board). All scores are kept, so that reliabilities and game-level errors can be computed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeasureError;
use crate::arena::{EvenGames, Fitness, fitness, repetition};
use crate::jobs::{Files, Given, Job, JobError, result};
use crate::players::{PlayerSpec, Setting, Source};
use gauntlet_games::base::{Event, Seed, Sink};
use gauntlet_games::games::GameSpec;

/// One measurement of fitness (Schaul and Schmidhuber 2009, section 3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FitnessJob {
    /// The game.
    pub game: GameSpec,
    /// The player whose fitness is measured.
    pub agent: PlayerSpec,
    /// The opponent.
    pub opponent: PlayerSpec,
    /// Number of games, half of them with the agent as the first side.
    pub games: EvenGames,
}

/// The fitness of an agent against an opponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The mean score, -1 to 1.
    pub mean: f64,
    /// Every game's score, and the number of different games.
    #[serde(flatten)]
    pub fitness: Fitness,
}

/// Runs the measurement of a job. Drawn weights come from the seed alone, the games from the seed and the game, so
/// that the same network plays other games on every board.
///
/// # Errors
/// If a player cannot play the game, if the weights belong to another network, and if the sink interrupts.
pub fn measure_fitness(job: &FitnessJob, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Measured, MeasureError> {
    let game = job.game.build();
    let seed = &Seed::new(given.seed);
    let mut agent = job.agent.build(&game, &Source { seed, checkpoint: given.upstream.of("agent") })?;
    let own = Source { seed: &seed.child("opponent", 0), checkpoint: given.upstream.of("opponent") };
    let mut opponent = job.opponent.build(&game, &own)?;
    [&mut agent, &mut opponent].into_iter().for_each(|player| player.helped_by(&sink.cores()));
    let setting = Setting { game: &job.game, stop: sink.stop() };
    [&mut agent, &mut opponent].into_iter().try_for_each(|player| player.begin(&setting))?;
    let games_seed = seed.child("fitness", 0).child(&game.name(), 0);
    let fitness = fitness(&*game, &mut *agent, &mut *opponent, job.games, &games_seed)?;
    let games = job.games.get() as u64;
    sink.record(Event::Progress { done: games, total: games })?;
    Ok(Measured { mean: fitness.mean(), fitness })
}

impl Job for FitnessJob {
    fn slug(&self) -> String {
        format!("{} {} {}", self.game.build().name(), self.agent.name(), self.opponent.name())
    }

    fn check(&self) -> Result<(), String> {
        let game = self.game.build();
        self.agent.check(&game).and_then(|()| self.opponent.check(&game))
    }

    fn caution(&self) -> Option<String> {
        let remedy = "sample some moves (`sampled-plies`), or play a `match`, which can have `openings`";
        repetition([&self.agent, &self.opponent], self.games, remedy)
    }

    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        let measured = measure_fitness(self, given, sink)?;
        Ok(vec![result(&measured)?])
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        vec![("agent", &self.agent), ("opponent", &self.opponent)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::{Inputs, UpstreamFiles};
    use crate::players::PlayerError;
    use gauntlet_games::base::Silent;
    use gauntlet_nets::nets::{Checkpoint, NetSpec};

    fn job(weights: &str) -> FitnessJob {
        let text = format!(
            "game.atari-go.size = 7\nagent.net = {{ network.mdlstm.cells = 3, weights = \"{weights}\" }}\n\
             opponent.naive = {{}}\ngames = 100"
        );
        toml::from_str(&text).expect("a job")
    }

    fn trained() -> Checkpoint {
        let net: NetSpec = toml::from_str("mdlstm = { cells = 3 }").expect("a network");
        let weights = (0..net.weight_count(49)).map(|index| (index as f64 * 0.7).sin()).collect();
        Checkpoint { net, weights, board: 7, origin: String::new() }
    }

    fn measure(job: &FitnessJob, seed: u64, checkpoint: Option<&Checkpoint>) -> Result<Measured, MeasureError> {
        let bytes = checkpoint.map(|checkpoint| checkpoint.to_bytes().expect("it is sound"));
        let upstream: UpstreamFiles = bytes.into_iter().map(|bytes| (None, bytes)).collect();
        let given = Given { seed, upstream: &upstream, inputs: &Inputs::new(), checkpoint: None };
        measure_fitness(job, &given, &mut Silent)
    }

    #[test]
    fn what_was_measured_survives_the_round_trip() {
        let measured = measure(&job("random"), 1, None).expect("it can be played");
        assert_eq!(measured.fitness.scores.as_slice().len(), 100);
        assert_eq!(measured.mean, measured.fitness.scores.mean());
        let text = serde_json::to_string(&measured).expect("all numbers are finite");
        assert_eq!(serde_json::from_str::<Measured>(&text).expect("its own text"), measured);
        assert!(text.contains("\"scores\":\""), "{text}");
    }

    #[test]
    fn games_depend_on_the_seed_and_on_the_weights() {
        let (job, network) = (job("trained"), trained());
        let other = Checkpoint { weights: network.weights.iter().map(|weight| -weight).collect(), ..network.clone() };
        let of = |seed, checkpoint| measure(&job, seed, Some(checkpoint)).expect("playable").fitness;
        assert_eq!(of(2, &network), of(2, &network));
        assert_ne!(of(2, &network), of(3, &network));
        assert_ne!(of(2, &network), of(2, &other));
    }

    #[test]
    fn weights_of_another_network_are_refused() {
        let mut other = trained();
        other.net = toml::from_str("mdrnn = { units = 3 }").expect("a network");
        other.weights.truncate(21);
        let refused = |checkpoint| match measure(&job("trained"), 1, checkpoint) {
            Err(MeasureError::Player(error)) => error,
            other => panic!("{other:?}"),
        };
        assert!(matches!(refused(None), PlayerError::Untrained { .. }));
        assert!(matches!(refused(Some(&other)), PlayerError::OtherWeights { .. }));
    }
}
