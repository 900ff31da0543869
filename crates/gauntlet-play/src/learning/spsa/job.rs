//! The tuning job: batches of games between two changed copies of a player.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::RngExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Spsa, SpsaSpec, Trial};
use crate::arena::{EvenGames, Openings, OpeningsSpec, play_pairs_from, repetition};
use crate::engines::EngineFacts;
use crate::jobs::{Files, Given, Job, JobError, METRICS, TrainingOutput, WEIGHTS, file, result};
use crate::learning::metrics::MetricsLine;
use crate::learning::{LearningError, Numbers};
use crate::players::{
    NumberRange, Player, PlayerError, PlayerSpec, Setting, Source, TunedAgent, TunedSource, Weights, tuned_bytes,
};
use gauntlet_games::base::{Event, ResumePoint, Seed, Sink};
use gauntlet_games::games::{Game, GameSpec};

/// Batches between two checkpoints.
const CHECKPOINT_EVERY: u32 = 10;

/// Most steps of a course that are kept.
const KEPT_STEPS: u32 = 1000;

/// A tuning of a player's numbers by games against itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpsaJob {
    /// The game.
    pub game: GameSpec,
    /// The player, of the kind `tuned`.
    pub agent: PlayerSpec,
    /// Openings of the pairs of games. Default: the starting position.
    #[serde(default)]
    pub openings: OpeningsSpec,
    /// The tuning settings.
    #[serde(default)]
    pub settings: SpsaSpec,
}

/// The result of a tuning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpsaResult {
    /// The numbers by their paths.
    pub numbers: BTreeMap<String, TunedNumber>,
    /// The course, at most about a thousand steps of it, and its end.
    pub curve: Vec<SpsaStep>,
    /// Number of games.
    pub games: u64,
    /// The facts about the player's program, if it is an engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<EngineFacts>,
}

/// A number before and after its tuning.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TunedNumber {
    /// The number before the tuning.
    pub start: f64,
    /// The number after it.
    pub found: f64,
    /// Its range.
    #[serde(flatten)]
    pub range: NumberRange,
}

/// The numbers after some pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpsaStep {
    /// Pairs of games so far.
    pub pairs: u32,
    /// The numbers, by their paths; whole ones are not rounded.
    pub numbers: Numbers,
}

/// The state of a tuning, as its checkpoint has it.
#[derive(Serialize, Deserialize)]
struct Course {
    spsa: Spsa,
    curve: Vec<SpsaStep>,
    program: Option<EngineFacts>,
}

impl SpsaJob {
    /// The player to tune, if it has numbers.
    #[must_use]
    pub fn agent(&self) -> Option<&TunedAgent<PlayerSpec>> {
        if let PlayerSpec::Tuned(agent) = &self.agent { Some(agent) } else { None }
    }
}

impl Job for SpsaJob {
    fn slug(&self) -> String {
        format!("{} {} spsa", self.game.build().name(), self.agent.name())
    }

    fn check(&self) -> Result<(), String> {
        if self.agent().is_none() {
            let example = "`tuned = { agent.uct = {}, numbers.c = { from = 0.2, to = 4 } }`";
            return Err(format!("{} has no `numbers` to tune: take a player of the kind {example}", self.agent.name()));
        }
        self.agent.check(&self.game.build())?;
        self.openings.build(&self.game).map(drop).map_err(|error| error.to_string())
    }

    /// Two copies that choose no moves at random play one pair again and again. The number of games is that of a batch.
    fn caution(&self) -> Option<String> {
        let pairs = self.settings.batch.min(self.settings.pairs);
        let games = EvenGames::try_from(2 * i64::from(pairs)).ok()?;
        let is_from_start = self.openings == OpeningsSpec::None;
        is_from_start.then(|| repetition([&self.agent, &self.agent], games, "add `openings`")).flatten()
    }

    /// Result: [`SpsaResult`]. Its weights file has the numbers, with the weights of its network.
    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        let tuning = Tuning::new(self, given)?;
        let course = tuning.run(sink)?;
        let agent = &tuning.agent;
        let (start, found) = (&tuning.numbers_before, tuning.numbers(course.spsa.coordinates(), true));
        tuning.checked(&found)?;
        let number = |(path, &range): (&String, &NumberRange)| {
            (path.clone(), TunedNumber { start: start[path], found: found[path], range })
        };
        let numbers = agent.numbers.iter().map(number).collect();
        let origin = format!("SPSA on {}, {}, seed {}", self.game.build().name(), agent.agent.name(), given.seed);
        let weights = tuning.weights.as_deref();
        let metrics = metrics(&course.curve)?;
        let games = 2 * u64::from(course.spsa.pairs());
        let numbers = result(&SpsaResult { numbers, curve: course.curve, games, program: course.program })?;
        Ok(vec![file(WEIGHTS, tuned_bytes(&found, weights, origin)?), numbers, file(METRICS, metrics)])
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        vec![("agent", &self.agent)]
    }

    fn training(&self) -> Option<TrainingOutput<'_>> {
        Some(TrainingOutput { agent: Some(&self.agent), kept: &[], end: 1 })
    }
}

/// The inputs of a tuning.
struct Tuning<'a> {
    job: &'a SpsaJob,
    /// The player with the numbers before the tuning, and the source of its weights.
    agent: TunedAgent<PlayerSpec>,
    game: Arc<dyn Game>,
    openings: Openings,
    numbers_before: BTreeMap<String, f64>,
    start: Vec<f64>,
    seed: Seed,
    /// The bytes of the player's weights, if it has any.
    weights: Option<Vec<u8>>,
    resume: Option<&'a ResumePoint>,
}

impl<'a> Tuning<'a> {
    fn new(job: &'a SpsaJob, given: &Given<'a>) -> Result<Tuning<'a>, LearningError> {
        let written = job.agent().expect("the plan has checked that the agent has numbers");
        let game = job.game.build();
        let seed = Seed::new(given.seed).child("tune", 0).child(&game.name(), 0);
        let source = Source { seed: &seed, checkpoint: given.upstream.of("agent") };
        // Weights of another stage are for this player, the only one, also where `from` names no player.
        let weights = if source.checkpoint.is_some() { Some(Weights::Trained) } else { written.weights.clone() };
        let TunedSource { agent, numbers, weights } = TunedAgent { weights, ..written.clone() }.source(&source)?;
        let refused = |reason: String| -> LearningError { unsuited(&agent, &*game, reason).into() };
        let numbers_before = numbers.map_or_else(|| agent.own_numbers(), Ok).map_err(refused)?;
        let start = agent.coordinates(&numbers_before).map_err(refused)?;
        let openings = job.openings.build(&job.game).expect("the plan has checked the openings");
        Ok(Tuning { job, agent, game, openings, numbers_before, start, seed, weights, resume: given.checkpoint })
    }

    /// The numbers at coordinates; whole ones are rounded if that is wanted.
    fn numbers(&self, coordinates: &[f64], rounded: bool) -> BTreeMap<String, f64> {
        self.agent.numbers_at(coordinates, |number| if rounded { number.round() } else { number })
    }

    /// The player with these numbers, if it can play with them.
    fn checked(&self, numbers: &BTreeMap<String, f64>) -> Result<PlayerSpec, LearningError> {
        let refused = |reason| unsuited(&self.agent, &*self.game, format!("a changed copy {reason}")).into();
        self.agent.checked(numbers, &self.game).map_err(refused)
    }

    fn run(&self, sink: &mut dyn Sink) -> Result<Course, LearningError> {
        let settings = &self.job.settings;
        let mut course = match self.resume {
            Some(point) => self.resumed(point)?,
            None => {
                let start = SpsaStep { pairs: 0, numbers: self.numbers(&self.start, false) };
                Course { spsa: Spsa::new(self.start.clone()), curve: vec![start], program: None }
            }
        };
        let every = settings.pairs.div_ceil(settings.batch).div_ceil(KEPT_STEPS);
        while let Some(trial) = course.spsa.trial(settings, &self.seed) {
            let (played, facts) = self.play(&trial, course.spsa.pairs(), sink)?;
            course.spsa.learn(&trial, played);
            course.program = facts.or(course.program);
            let batch = course.spsa.pairs().div_ceil(settings.batch);
            if batch.is_multiple_of(every) || course.spsa.pairs() == settings.pairs {
                let numbers = self.numbers(course.spsa.coordinates(), false);
                course.curve.push(SpsaStep { pairs: course.spsa.pairs(), numbers });
            }
            self.record(&course, batch, sink)?;
        }
        Ok(course)
    }

    fn resumed(&self, point: &ResumePoint) -> Result<Course, LearningError> {
        let course: Course = serde_json::from_slice(&point.head)?;
        let (expected, found) = (self.start.len(), course.spsa.coordinates().len());
        if found == expected { Ok(course) } else { Err(LearningError::Foreign { expected, found }) }
    }

    /// Plays a batch, and returns the first player's wins less its losses, and the facts about an engine.
    fn play(
        &self,
        trial: &Trial,
        before: u32,
        sink: &mut dyn Sink,
    ) -> Result<(f64, Option<EngineFacts>), LearningError> {
        let seed = self.seed.child("batch", before.into());
        let setting = Setting { game: &self.job.game, stop: sink.stop() };
        let mut rounding = seed.child("rounding", 0).rng();
        let mut player = |coordinates: &[f64]| -> Result<Box<dyn Player>, LearningError> {
            // Up with the probability of the fraction, so that the mean is the number itself.
            let numbers = self.agent.numbers_at(coordinates, |number| (number + rounding.random::<f64>()).floor());
            let changed = self.checked(&numbers)?;
            let source = Source { seed: &self.seed, checkpoint: self.weights.as_deref() };
            let mut player = changed.build(&self.game, &source)?;
            player.begin(&setting)?;
            player.helped_by(&sink.cores());
            Ok(player)
        };
        let [mut one, mut other] = [player(&trial.players[0])?, player(&trial.players[1])?];
        let players: [&mut dyn Player; 2] = [&mut *one, &mut *other];
        let turns = before as usize..(before + trial.pairs) as usize;
        let pairs = play_pairs_from(&*self.game, players, turns, &self.openings, &seed);
        let played: f64 = pairs.map_err(LearningError::from)?.iter().map(|pair| 2.0 * pair.score()).sum();
        let facts = (one.end()?, other.end()?);
        Ok((played, facts.0.or(facts.1)))
    }

    /// Reports the last batch to the sink. An interruption here gets a checkpoint of this batch.
    fn record(&self, course: &Course, batch: u32, sink: &mut dyn Sink) -> Result<(), LearningError> {
        let (done, total) = (u64::from(course.spsa.pairs()), u64::from(self.job.settings.pairs));
        for (name, value) in self.numbers(course.spsa.coordinates(), false) {
            sink.record(Event::Metric { name: &name, step: done, value })?;
        }
        let point = || -> Result<ResumePoint, LearningError> { Ok(serde_json::to_vec(course)?.into()) };
        let due = batch.is_multiple_of(CHECKPOINT_EVERY) && done < total;
        if due {
            sink.record(Event::Checkpoint(&point()?))?;
        }
        if let Err(interrupted) = sink.record(Event::Progress { done, total }) {
            if !due {
                sink.record(Event::Checkpoint(&point()?))?;
            }
            return Err(interrupted.into());
        }
        Ok(())
    }
}

/// The course as JSON lines: the numbers after some pairs, which count the steps.
fn metrics(curve: &[SpsaStep]) -> serde_json::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for SpsaStep { pairs, numbers } in curve {
        serde_json::to_writer(&mut lines, &MetricsLine { step: *pairs as usize, entry: numbers })?;
        lines.push(b'\n');
    }
    Ok(lines)
}

fn unsuited(agent: &TunedAgent<PlayerSpec>, game: &dyn Game, reason: String) -> PlayerError {
    PlayerError::Unsuited { player: agent.agent.name(), game: game.name(), reason }
}
