//! Training with CMA-ES: the candidates of each generation play the same games, and the search adapts to their
//! fitness.
//!
//! Schaul and Schmidhuber 2009, section 3.2. All candidates of a generation have the same random streams; every
//! generation has new ones. The candidates of a generation are spread over the available cores.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::metrics::{TrainingResult, json_lines};
use super::{Cmaes, CmaesJob, CmaesSpec, InitialMean, KeepState, LearningError, ReturnedWeights};
use crate::arena::{Standing, fitness};
use crate::engines::EngineFacts;
use crate::jobs::{
    Continuation, Files, Given, Job, JobError, METRICS, STATE, TrainingOutput, WEIGHTS, file, result, without,
};
use crate::players::{NetPlayer, Player, PlayerSpec, Setting, Source, Weights};
use gauntlet_games::base::{Event, ResumePoint, Seed, Sink};
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_nets::nets::Checkpoint;

/// Generations between two checkpoints; a second or two of games on small boards.
const CHECKPOINT_EVERY: u64 = 10;

/// The scores of a generation of candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Generation {
    /// Mean fitness of the candidates, -1 to 1.
    pub mean: f64,
    /// Fitness of the best candidate, -1 to 1.
    pub best: f64,
    /// Step size with which the candidates were drawn.
    pub sigma: f64,
    /// Fitness of every candidate, in the order in which they were drawn.
    pub fitness: Vec<f64>,
}

/// The metrics of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct GenerationMetrics {
    /// Mean fitness of the candidates, -1 to 1.
    pub mean: f64,
    /// Fitness of the best candidate, -1 to 1.
    pub best: f64,
    /// Step size with which the candidates were drawn.
    pub sigma: f64,
}

/// The result of a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// The network's weights.
    pub weights: Vec<f64>,
    /// One entry for each generation.
    pub curve: Vec<Generation>,
    /// The last state, from which a longer training continues, if it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Vec<u8>>,
}

impl Trained {
    /// Number of evaluated candidates.
    #[must_use]
    pub fn candidates(&self) -> u64 {
        self.curve.iter().map(|generation| generation.fitness.len() as u64).sum()
    }

    /// The curve as JSON lines, an object for each generation; the fitness of every candidate is in the result only.
    ///
    /// # Errors
    /// Errors of the format.
    pub fn metrics(&self) -> Result<Vec<u8>, LearningError> {
        let line = |&Generation { mean, best, sigma, .. }: &Generation| GenerationMetrics { mean, best, sigma };
        json_lines(self.curve.iter().map(line))
    }
}

/// The state that later generations depend on, as its checkpoint has it.
#[derive(Serialize, Deserialize)]
pub struct EvolutionState<S = Cmaes> {
    search: S,
    champion: Option<Champion>,
    /// One entry for each generation so far.
    pub curve: Vec<Generation>,
}

/// The fittest candidate so far.
#[derive(Serialize, Deserialize)]
struct Champion {
    fitness: f64,
    weights: Vec<f64>,
}

impl Job for CmaesJob {
    fn slug(&self) -> String {
        format!("{} {} {}", self.game.build().name(), self.agent.name(), self.opponent.name())
    }

    fn check(&self) -> Result<(), String> {
        let game = self.game.build();
        let Some(agent) = self.agent() else { return Err(format!("{} has no weights to train", self.agent.name())) };
        if agent.weights != Weights::Random && self.settings.start != InitialMean::Zero {
            return Err("the search starts with the weights of the agent: leave out `start`".to_owned());
        }
        if agent.deviation.is_some() {
            return Err("`deviation` has no effect on a search: set `start` and `sigma` instead".to_owned());
        }
        self.agent.check(&game).and_then(|()| self.opponent.check(&game))
    }

    /// Result: `curve`, an entry for each generation, and `games`, their number.
    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        let (game, number) = (self.game.build(), given.seed);
        let net = *self.net().expect("the plan has checked that the agent is a network");
        let (trained, engine) = train_cmaes(self, &game, given, sink)?;
        let origin = format!("CMA-ES on {} against {}, seed {number}", game.name(), self.opponent.name());
        let games = trained.candidates() * self.settings.games.get() as u64;
        let metrics = trained.metrics()?;
        let panel = engine.map(|facts| Standing {
            engines: [(self.opponent.name(), facts)].into(),
            ..Standing::new(Vec::new(), &[], None)
        });
        let numbers = result(&TrainingResult {
            curve: trained.curve,
            games,
            untrained: None,
            panel,
            program: None,
            effort: None,
        })?;
        let checkpoint = Checkpoint { net, weights: trained.weights, board: game.topology().rows(), origin };
        let state = trained.state.map(|state| file(STATE, state));
        let files = [file(WEIGHTS, checkpoint.to_bytes()?), numbers, file(METRICS, metrics)];
        Ok(files.into_iter().chain(state).collect())
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        vec![("agent", &self.agent), ("opponent", &self.opponent)]
    }

    fn continuation(&self) -> Option<Continuation> {
        let job = serde_json::to_value(self).expect("a job is plain data");
        Some(Continuation {
            beginning: without(job, &["generations", "keep"]),
            end: self.settings.generations,
            compute: f64::INFINITY,
            kept: Vec::new(),
            obstacle: None,
        })
    }

    fn training(&self) -> Option<TrainingOutput<'_>> {
        Some(TrainingOutput { agent: Some(&self.agent), kept: &[], end: self.settings.generations })
    }
}

/// Evolves the weights of a job's network in games against its opponent, and returns facts about an opponent that is an
/// engine. The initial mean of the search is the weights that are given for the agent or, if they are random, follows
/// the settings.
///
/// `given.checkpoint` is a checkpoint that an earlier, interrupted call with the same arguments reported to its sink, or the
/// last state of a shorter training with the same beginning. The result has the same bytes as without it.
///
/// # Errors
/// If a player cannot play the game, if the sink interrupts, if that is not a checkpoint of this training, and
/// if the initial weights are missing or belong to another network.
///
/// # Panics
/// If the job does not pass its own check.
pub fn train_cmaes(
    job: &CmaesJob,
    game: &Arc<dyn Game>,
    given: &Given<'_>,
    sink: &mut dyn Sink,
) -> Result<(Trained, Option<EngineFacts>), LearningError> {
    let source = &Source { seed: &Seed::new(given.seed), checkpoint: given.upstream.of("agent") };
    let (spec, opponent, stop) = (&job.settings, &job.opponent, sink.stop());
    let agent = job.agent().expect("the plan has checked that the agent is a network");
    let (net, seed) = (&agent.network, &source.seed.child("train", 0).child(&game.name(), 0));
    let mean = match agent.weights {
        Weights::Random => spec.mean(net.weight_count(game.topology().sites()), seed),
        Weights::Trained | Weights::File(_) => agent.draw(&**game, source)?,
    };
    let (own, cores) = (seed.child("opponent", 0), sink.cores());
    let start = || -> Result<Box<dyn Player>, LearningError> {
        let source = Source { seed: &own, checkpoint: given.upstream.of("opponent") };
        let mut opponent = opponent.build(game, &source)?;
        opponent.begin(&Setting { game: &job.game, stop: stop.clone() })?;
        Ok(opponent)
    };
    // Also for a search that is complete: the facts about an engine are part of the result.
    let mut opponents = vec![start()?];
    let fitness = |opponent: &mut Box<dyn Player>, weights: &[f64], seed: &Seed| -> Result<f64, LearningError> {
        let mut agent = NetPlayer::new(net.kernel(game.topology(), weights)?, &**game)?;
        Ok(fitness(&**game, &mut agent, &mut **opponent, spec.games, seed)?.mean())
    };
    let measure = |candidates: &[Vec<f64>], seed: &Seed| {
        while opponents.len() < cores.limit() {
            opponents.push(start()?);
        }
        let mut measured: Vec<(&[f64], f64)> = candidates.iter().map(|weights| (&**weights, 0.0)).collect();
        cores.spread(&mut opponents, &mut measured, 1, |opponent, candidates| {
            let mut each = candidates.iter_mut();
            each.try_for_each(|(weights, score)| fitness(opponent, weights, seed).map(|found| *score = found))
        })?;
        Ok(measured.into_iter().map(|(_, score)| score).collect())
    };
    let trained = evolve(spec, mean, measure, seed, given.checkpoint, sink)?;
    let facts = opponents.iter_mut().map(|opponent| opponent.end()).collect::<Result<Vec<_>, _>>()?;
    Ok((trained, facts.into_iter().flatten().reduce(both)))
}

/// The facts about two processes of one engine.
fn both(one: EngineFacts, other: EngineFacts) -> EngineFacts {
    EngineFacts { repeatable: one.repeatable && other.repeatable, ..one }
}

/// Evolves weights, from `mean`, for maximum fitness; `measure(candidates, seed)` returns the fitness of each.
///
/// # Errors
/// Those of [`train_cmaes`], and the errors of `measure`.
pub fn evolve(
    spec: &CmaesSpec,
    mean: Vec<f64>,
    mut measure: impl FnMut(&[Vec<f64>], &Seed) -> Result<Vec<f64>, LearningError>,
    seed: &Seed,
    resume: Option<&ResumePoint>,
    sink: &mut dyn Sink,
) -> Result<Trained, LearningError> {
    let mut state = match resume {
        Some(point) => EvolutionState::resume(&point.head, mean.len())?,
        None => EvolutionState::new(spec, mean),
    };
    while state.search.generation() < u64::from(spec.generations) {
        state.step(&mut measure, seed)?;
        state.tell(spec, sink)?;
    }
    let last = spec.keep.map(|KeepState::State| state.resume_point()).transpose()?;
    Ok(Trained { state: last.map(|point| point.to_bytes()), ..state.end(spec.result) })
}

impl EvolutionState {
    fn new(spec: &CmaesSpec, mean: Vec<f64>) -> EvolutionState {
        let population = spec.population(mean.len());
        let search = Cmaes::new(mean, spec.sigma, population, spec.active);
        EvolutionState { search, champion: None, curve: Vec::new() }
    }

    fn resume_point(&self) -> Result<ResumePoint, LearningError> {
        Ok(serde_json::to_vec(self)?.into())
    }

    fn resume(checkpoint: &[u8], dimension: usize) -> Result<EvolutionState, LearningError> {
        let state: EvolutionState = serde_json::from_slice(checkpoint)?;
        match state.search.mean().len() {
            found if found == dimension => Ok(state),
            found => Err(LearningError::Foreign { expected: dimension, found }),
        }
    }

    /// One generation.
    fn step(
        &mut self,
        measure: &mut impl FnMut(&[Vec<f64>], &Seed) -> Result<Vec<f64>, LearningError>,
        seed: &Seed,
    ) -> Result<(), LearningError> {
        let games = seed.child("fitness", self.search.generation());
        let sigma = self.search.sigma();
        let population = self.search.ask(seed);
        let candidates = &population.candidates;
        let fitness = measure(candidates, &games)?;
        let costs: Vec<f64> = fitness.iter().map(|fitness| -fitness).collect();
        self.search.tell(&population, &costs);
        candidates.iter().zip(&fitness).for_each(|(weights, &fitness)| self.challenge(weights, fitness));
        let mean = fitness.iter().sum::<f64>() / fitness.len() as f64;
        let best = fitness.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.curve.push(Generation { mean, best, sigma, fitness });
        Ok(())
    }

    fn challenge(&mut self, weights: &[f64], fitness: f64) {
        if self.champion.as_ref().is_none_or(|champion| fitness > champion.fitness) {
            self.champion = Some(Champion { fitness, weights: weights.to_vec() });
        }
    }

    /// Reports the last generation to the sink. An interruption here gets a checkpoint of this generation.
    fn tell(&self, spec: &CmaesSpec, sink: &mut dyn Sink) -> Result<(), LearningError> {
        let (done, total) = (self.search.generation(), u64::from(spec.generations));
        let last = self.curve.last().expect("a generation has just ended");
        for (name, value) in [("mean", last.mean), ("best", last.best), ("sigma", last.sigma)] {
            sink.record(Event::Metric { name, step: done, value })?;
        }
        let due = done % CHECKPOINT_EVERY == 0 && done < total;
        if due {
            sink.record(Event::Checkpoint(&self.resume_point()?))?;
        }
        if let Err(interrupted) = sink.record(Event::Progress { done, total }) {
            if !due {
                sink.record(Event::Checkpoint(&self.resume_point()?))?;
            }
            return Err(interrupted.into());
        }
        Ok(())
    }

    fn end(self, answer: ReturnedWeights) -> Trained {
        let weights = match (answer, self.champion) {
            (ReturnedWeights::Best, Some(champion)) => champion.weights,
            _ => self.search.mean().to_vec(),
        };
        Trained { weights, curve: self.curve, state: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::{Inputs, UpstreamFiles};
    use gauntlet_games::base::{Interrupted, Silent};
    use rand::RngExt as _;

    fn spec(generations: u32) -> CmaesSpec {
        CmaesSpec { generations, population: Some(8), sigma: 0.5, start: InitialMean::Normal, ..CmaesSpec::default() }
    }

    /// As [`super::evolve`], from the initial mean that the settings define.
    fn evolve(
        spec: &CmaesSpec,
        dimension: usize,
        measure: impl FnMut(&[Vec<f64>], &Seed) -> Result<Vec<f64>, LearningError>,
        seed: &Seed,
        resume: Option<&ResumePoint>,
        sink: &mut dyn Sink,
    ) -> Result<Trained, LearningError> {
        super::evolve(spec, spec.mean(dimension, seed), measure, seed, resume, sink)
    }

    /// A noisy hill with its top at (1, 1, ...), whose noise is common to a generation.
    fn hill(candidates: &[Vec<f64>], seed: &Seed) -> Result<Vec<f64>, LearningError> {
        let noise: f64 = seed.rng().random_range(-0.1..0.1);
        let height = |weights: &Vec<f64>| noise - weights.iter().map(|weight| (weight - 1.0).powi(2)).sum::<f64>();
        Ok(candidates.iter().map(height).collect())
    }

    /// Keeps the last checkpoint and interrupts when a number of generations is done.
    struct Stopper {
        after: u64,
        checkpoint: Option<ResumePoint>,
    }

    impl Sink for Stopper {
        fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
            match event {
                Event::Checkpoint(point) => self.checkpoint = Some(point.clone()),
                Event::Progress { done, .. } if done == self.after => return Err(Interrupted),
                _ => {}
            }
            Ok(())
        }
    }

    #[test]
    fn evolution_climbs() {
        let trained = evolve(&spec(60), 6, hill, &Seed::new(1), None, &mut Silent).expect("nothing fails");
        assert_eq!(trained.curve.len(), 60);
        assert!(trained.weights.iter().all(|weight| (weight - 1.0).abs() < 0.05), "{:?}", trained.weights);
        let last = &trained.curve[59];
        assert!(last.mean > trained.curve[0].best && last.best >= last.mean);
        assert!(trained.curve.iter().all(|generation| generation.fitness.len() == 8));
    }

    #[test]
    fn a_resumed_training_ends_with_the_same_bytes() {
        let bytes = |trained: &Trained| serde_json::to_vec(trained).expect("all numbers are finite");
        for result in [ReturnedWeights::Mean, ReturnedWeights::Best] {
            let spec = CmaesSpec { result, ..spec(25) };
            let whole = evolve(&spec, 6, hill, &Seed::new(2), None, &mut Silent).expect("nothing fails");
            for after in [3, 10, 24] {
                let mut stopper = Stopper { after, checkpoint: None };
                let stopped = evolve(&spec, 6, hill, &Seed::new(2), None, &mut stopper);
                assert!(matches!(stopped, Err(LearningError::Interrupted(_))));
                let resume = stopper.checkpoint.as_ref();
                let resumed = evolve(&spec, 6, hill, &Seed::new(2), resume, &mut Silent).expect("nothing fails");
                assert_eq!(bytes(&resumed), bytes(&whole), "interrupted after {after}");
            }
        }
    }

    #[test]
    fn the_best_candidate_was_a_candidate() {
        let best = CmaesSpec { result: ReturnedWeights::Best, ..spec(5) };
        let mut seen = Vec::new();
        let watched = |candidates: &[Vec<f64>], seed: &Seed| {
            let fitness = hill(candidates, seed)?;
            seen.extend(candidates.iter().cloned().zip(fitness.clone()));
            Ok(fitness)
        };
        let trained = evolve(&best, 4, watched, &Seed::new(3), None, &mut Silent).expect("nothing fails");
        let top = seen.iter().map(|(_, fitness)| *fitness).fold(f64::NEG_INFINITY, f64::max);
        assert!(seen.iter().any(|(weights, fitness)| *fitness == top && *weights == trained.weights));
    }

    #[test]
    fn a_wrong_checkpoint_is_an_error() {
        let mut stopper = Stopper { after: 2, checkpoint: None };
        evolve(&spec(9), 4, hill, &Seed::new(1), None, &mut stopper).expect_err("it is interrupted");
        let checkpoint = stopper.checkpoint.expect("an interrupt leaves a checkpoint").head;
        let resume = |bytes: &[u8]| evolve(&spec(9), 5, hill, &Seed::new(1), Some(&bytes.to_vec().into()), &mut Silent);
        assert!(matches!(resume(&checkpoint), Err(LearningError::Foreign { expected: 5, found: 4 })));
        assert!(matches!(resume(&checkpoint[..40]), Err(LearningError::Unreadable(_))));
    }

    #[test]
    fn a_network_learns_to_beat_random_players() {
        let job = |start: &str, weights: &str| -> CmaesJob {
            let text = format!(
                "game = {{ atari-go = {{ size = 5 }} }}\nopponent = {{ random = {{}} }}\n\
                 agent = {{ net = {{ network = {{ mdrnn = {{ units = 2 }} }}, weights = {weights} }} }}\n\
                 settings = {{ generations = 15, population = 8, games = 20, start = \"{start}\" }}"
            );
            toml::from_str(&text).expect("a job")
        };
        let (first, game) = (job("zero", "\"random\""), job("zero", "\"random\"").game.build());
        let inputs = Inputs::new();
        let train = |job: &CmaesJob, weights: Option<&[u8]>, checkpoint: Option<&ResumePoint>, sink: &mut dyn Sink| {
            let upstream: UpstreamFiles = weights.iter().map(|bytes| (None, bytes.to_vec())).collect();
            let given = Given { seed: 4, upstream: &upstream, inputs: &inputs, checkpoint };
            train_cmaes(job, &game, &given, sink).map(|(trained, _)| trained)
        };
        let whole = train(&first, None, None, &mut Silent).expect("nothing fails");
        assert_eq!(whole.weights.len(), first.net().expect("a network").weight_count(25));
        assert!(whole.curve[14].mean > 0.5 && whole.curve[14].mean > whole.curve[0].mean, "{:?}", whole.curve);
        let mut stopper = Stopper { after: 7, checkpoint: None };
        assert!(train(&first, None, None, &mut stopper).is_err());
        assert_eq!(train(&first, None, stopper.checkpoint.as_ref(), &mut Silent).expect("nothing fails"), whole);
        // A search that starts with the result of another one.
        let checkpoint = Checkpoint {
            net: *first.net().expect("a network"),
            weights: whole.weights,
            board: 5,
            origin: String::new(),
        };
        let (bytes, second) = (checkpoint.to_bytes().expect("plain numbers"), job("zero", "\"trained\""));
        let again = train(&second, Some(&bytes), None, &mut Silent).expect("nothing fails");
        assert!(again.curve[0].mean > whole.curve[0].mean + 0.2, "{:?}", again.curve);
        assert!(matches!(train(&second, None, None, &mut Silent), Err(LearningError::Player(_))));
        let drawn = job("normal", "\"trained\"").check().expect_err("there are weights");
        assert!(drawn.contains("leave out `start`"), "{drawn}");
    }
}
