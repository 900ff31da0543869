//! AlphaZero training: iterations of self-play and optimisation.
//!
//! Ben-Assayag and El-Yaniv 2021, Algorithm 3; the gate between iterations is optional. Searches are spread over the cores.
//! The budget is counted in floating-point operations, which are equal on every machine: those of all evaluations, three times
//! those of an evaluation for each example of a step (forward and backward), and [`RULE_STEP`] for each simulation and move.

mod checks;
mod divergence;
mod evaluation;
mod gate;
mod job;
mod learner;
mod own_learner;
mod panel;
mod processor_time;
mod program_learner;
mod spec;
mod state;
mod step_sums;
mod trained;

use std::sync::Arc;

use super::selfplay::{SelfPlay, WeightedBoard, draw_board};
use super::{Examples, KeptIteration, LearningError, PackedExamples, RateSchedule, Sampler, StepRules};
use crate::jobs::{Given, UpstreamFiles};
use crate::players::{GuidedAgent, ModelMetadata, Player as _, PlayerSpec, SearchPlayer, Source};
use crate::search::Effort;
pub use gate::GateSpec;
use gauntlet_games::base::{Cores, Event, Record, Seed, Segment, Sink, Stop};
use gauntlet_games::games::{Game, Position};
use gauntlet_nets::encoders::{Batch, Topology};
use gauntlet_nets::nets::deep::{DeepCheckpoint, DeepSpec, Inference};
use learner::Learner;
use own_learner::OwnLearner;
use panel::Evaluated;
pub use panel::PanelScore;
use processor_time::ProcessorTime;
use program_learner::ProgramLearner;
pub use spec::{AlphaZeroJob, AlphaZeroSpec, Draw, EvaluationSpec, RULE_STEP, SizeShare};
use state::TrainingState;
use step_sums::StepSums;
pub use trained::{AlphaZeroTrained, Iteration, Snapshot};

/// Trains the network of a job. The initial weights are those that its agent takes from what is given: drawn by the seed,
/// or those of another training, with a new optimiser.
///
/// `given.checkpoint` is a checkpoint that an earlier, interrupted call with the same arguments reported to its sink, or the
/// last state of a shorter training with the same beginning. The result has the same bytes as without it.
///
/// # Errors
/// If the sink interrupts, if the loss or the weights diverge, if it is not a checkpoint of this training, and
/// if the initial weights are missing or belong to another network.
///
/// # Panics
/// If the job does not pass its own check.
pub fn train_alphazero(
    job: &AlphaZeroJob,
    given: &Given<'_>,
    sink: &mut dyn Sink,
) -> Result<AlphaZeroTrained, LearningError> {
    let boards = job.boards().expect("the plan has checked the sizes");
    let agent = job.agent().expect("the plan has checked that the agent is guided");
    let source = Source { seed: &Seed::new(given.seed), checkpoint: given.upstream.of("agent") };
    let training = Trainer::new(job, agent, &boards, source.seed.child("train", 0), given.upstream);
    training.run(given, &source, sink)
}

/// The constant inputs of all iterations.
struct Trainer<'a> {
    job: &'a AlphaZeroJob,
    agent: &'a GuidedAgent,
    boards: &'a [WeightedBoard],
    games: Vec<Arc<dyn Game>>,
    seed: Seed,
    /// The weights of opponents.
    upstream: &'a UpstreamFiles,
}

impl<'a> Trainer<'a> {
    fn new(
        job: &'a AlphaZeroJob,
        agent: &'a GuidedAgent,
        boards: &'a [WeightedBoard],
        seed: Seed,
        upstream: &'a UpstreamFiles,
    ) -> Trainer<'a> {
        let games = boards.iter().map(|board| Arc::clone(&board.game)).collect();
        Trainer { job, agent, boards, games, seed, upstream }
    }

    /// All iterations.
    fn run(
        &self,
        given: &Given<'_>,
        source: &Source<'_>,
        sink: &mut dyn Sink,
    ) -> Result<AlphaZeroTrained, LearningError> {
        let mut state = self.begin(source, &sink.stop())?;
        let untrained = self.evaluate_untrained(&state, sink)?;
        if let Some(point) = given.checkpoint {
            state = state.resume(point, self.job.settings.window(), &self.starts())?;
        }
        let time = ProcessorTime::after(&state.curve);
        while !self.is_over(&state.curve) {
            self.iterate(&mut state, &time, sink)?;
            self.tell(&state, sink)?;
        }
        let network = self.model(&state, &self.origin())?;
        let last = self
            .job
            .settings
            .keep
            .state
            .then(|| Ok::<_, LearningError>(state.resume_point()?.to_bytes()))
            .transpose()?;
        let before = untrained.iter().map(|evaluated| (0, &*evaluated.panel));
        let after = (1..).zip(&state.curve).map(|(number, entry)| (number, &*entry.panel));
        let (panel, program) = (panel::standing(before.chain(after)), state.learner.program_facts());
        let untrained = untrained.and_then(|evaluated| evaluated.score);
        Ok(AlphaZeroTrained { network, kept: state.kept, curve: state.curve, untrained, panel, program, state: last })
    }

    /// The state at the start.
    fn begin(&self, source: &Source<'_>, stop: &Stop) -> Result<TrainingState, LearningError> {
        let (agent, settings) = (self.agent, &self.job.settings);
        // Trainings of our own networks do not depend on the code of programs: these arms alone name it.
        let learner: Box<dyn Learner> = match &agent.network {
            DeepSpec::External(program) => {
                Box::new(ProgramLearner::start(agent, program, &self.games[0], source, settings, stop)?)
            }
            _ => {
                let net = agent.net(&self.games, source)?;
                Box::new(OwnLearner::new(agent.network.clone(), net, settings.adam)?)
            }
        };
        Ok(TrainingState::new(learner, settings.window()))
    }

    /// The starting positions on all boards, encoded.
    fn starts(&self) -> Batch {
        let mut encoder = self.agent.encoder(&self.games);
        let starts: Vec<Box<dyn Position>> = self.games.iter().map(|game| game.start()).collect();
        let (starts, mut batch) = (starts.iter().map(|start| &**start).collect::<Vec<_>>(), Batch::new(encoder.dims()));
        encoder.encode(&starts, &mut batch);
        batch
    }

    fn topologies(&self) -> Vec<&Topology> {
        self.games.iter().map(|game| game.topology()).collect()
    }

    fn is_over(&self, curve: &[Iteration]) -> bool {
        let settings = &self.job.settings;
        let is_spent = |last: &Iteration| {
            settings.compute.is_some_and(|budget| last.compute as f64 / 1e12 >= budget)
                || settings.processor_seconds.zip(last.processor_seconds).is_some_and(|(budget, spent)| spent >= budget)
        };
        curve.len() >= settings.iterations.get() as usize || curve.last().is_some_and(is_spent)
    }

    /// Progress with `done` games or plies of the next iteration: the largest share of iterations, compute and processor
    /// time. A running iteration is assumed to cost as much as the last one.
    fn progress(&self, curve: &[Iteration], done: u64) -> Event<'static> {
        let settings = &self.job.settings;
        let units = settings.amount().units();
        let total = u64::from(settings.iterations.get()) * units;
        let share = |of: fn(&Iteration) -> f64, budget: f64| {
            let spent = |back: usize| curve.len().checked_sub(back).map_or(0.0, |at| of(&curve[at]));
            (spent(1) + (spent(1) - spent(2)) * done as f64 / units as f64) / budget
        };
        let compute = settings.compute.map(|budget| share(|entry| entry.compute as f64 / 1e12, budget));
        let time = settings.processor_seconds;
        let time = time.map(|budget| share(|entry| entry.processor_seconds.unwrap_or_default(), budget));
        let share = compute.unwrap_or_default().max(time.unwrap_or_default()).min(1.0);
        let played = curve.len() as u64 * units + done;
        Event::Progress { done: played.max((share * total as f64) as u64), total }
    }

    /// The cores of the job; one if its processor time is limited.
    fn cores(&self, sink: &dyn Sink) -> Cores {
        if self.job.settings.processor_seconds.is_some() { Cores::default() } else { sink.cores() }
    }

    /// One iteration: games, then steps, then, if due, a gate and an evaluation.
    fn iterate(
        &self,
        state: &mut TrainingState,
        time: &ProcessorTime,
        sink: &mut dyn Sink,
    ) -> Result<(), LearningError> {
        let number = state.curve.len() as u64;
        let mut entry = self.play(state, number, sink)?;
        self.improve(state, number, &mut entry, sink)?;
        if let Some(Evaluated { score, panel }) = self.evaluate(state, number, sink)? {
            (entry.score, entry.panel) = (score, panel);
        }
        entry.processor_seconds = self.job.settings.processor_seconds.map(|_| time.seconds());
        state.curve.push(entry);
        self.keep(state)
    }

    /// Keeps the network of the last iteration, if `keep` names it.
    fn keep(&self, state: &mut TrainingState) -> Result<(), LearningError> {
        let ended = u32::try_from(state.curve.len()).expect("iterations are counted in 32 bits");
        if self.job.settings.keep.iterations.contains(&ended) {
            let weights = self.model(state, &format!("{}, iteration {ended}", self.origin()))?.to_bytes()?;
            state.kept.push(Snapshot { iteration: ended, weights: Segment::new(weights) });
        }
        Ok(())
    }

    /// The current network for self-play.
    fn current(&self, state: &TrainingState) -> Result<Box<dyn Inference>, LearningError> {
        state.learner.inference(self.agent, state.learner.dims())
    }

    /// The network as a file with its game and player.
    fn model(&self, state: &TrainingState, origin: &str) -> Result<DeepCheckpoint, LearningError> {
        let agent = PlayerSpec::Guided(Box::new(self.agent.portable()));
        let purpose = ModelMetadata::new(self.job.first_board(), agent);
        Ok(purpose.mark(state.learner.network(origin)?))
    }

    /// The origin of its networks, for display.
    fn origin(&self) -> String {
        let games: Vec<String> = self.games.iter().map(|game| game.name()).collect();
        format!("AlphaZero on {}", games.join(", "))
    }

    fn play(&self, state: &mut TrainingState, number: u64, sink: &mut dyn Sink) -> Result<Iteration, LearningError> {
        let (settings, seed) = (&self.job.settings, self.seed.child("self-play", number));
        let drawn = match settings.draw {
            Draw::Game => self.boards.to_vec(),
            Draw::Iteration => vec![self.boards[draw_board(self.boards, &mut seed.child("board", 0).rng())].clone()],
        };
        let rules = SelfPlay { agent: self.agent, boards: &drawn, value: settings.value, policy: settings.policy };
        let before = state.curve.last().map_or(0, |last| last.games);
        let (cores, stop) = (self.cores(sink), sink.stop());
        let mut tell = |done, record: Option<&Record>| {
            // With several boards, a record does not identify its board.
            let record = record.filter(|_| self.boards.len() == 1);
            record.map_or(Ok(()), |record| sink.record(Event::Game(record)))?;
            sink.record(self.progress(&state.curve, done))
        };
        let (trajectories, effort) =
            rules.play(self.current(state)?, settings.amount(), &seed, (&cores, &stop), &mut tell)?;
        let remembered = effort.remembered as f64 / effort.evaluations.max(1) as f64;
        sink.record(Event::Metric { name: "remembered", step: number + 1, value: remembered })?;
        let mut examples = PackedExamples::new(state.learner.dims());
        trajectories.iter().for_each(|trajectory| examples.extend(&trajectory.examples));
        state.replay.push(&examples, &mut seed.child("window", 0).rng());
        let last = state.curve.last();
        let (evaluations, compute) = last.map_or((0, 0), |last| (last.evaluations, last.compute));
        let compute = compute + self.searched(effort);
        let (evaluations, divergence) = (evaluations + effort.work.evaluations, effort.work.mean_divergence());
        Ok(Iteration { evaluations, compute, divergence, ..Iteration::of(&trajectories, before) })
    }

    /// Trains on the window. With a gate, a failed candidate is replaced by the previous network.
    fn improve(
        &self,
        state: &mut TrainingState,
        number: u64,
        entry: &mut Iteration,
        sink: &mut dyn Sink,
    ) -> Result<(), LearningError> {
        let Some(gate) = &self.job.settings.gate else { return self.optimise(state, number, entry, sink) };
        let (champion, optimiser) = (state.learner.network("")?, state.learner.optimiser()?);
        self.optimise(state, number, entry, sink)?;
        let (share, effort) = self.compare(gate, [&state.learner.network("")?, &champion], number, sink)?;
        let promoted = share >= gate.share;
        (entry.gate, entry.promoted) = (Some(share), Some(promoted));
        entry.evaluations += effort.work.evaluations;
        entry.compute += self.searched(effort);
        if promoted { Ok(()) } else { state.learner.restore(&champion, &optimiser) }
    }

    /// The candidate's share of the points against the champion on all boards, and the search cost of both.
    fn compare(
        &self,
        gate: &GateSpec,
        networks: [&DeepCheckpoint; 2],
        number: u64,
        sink: &dyn Sink,
    ) -> Result<(f64, Effort), LearningError> {
        let seed = self.seed.child("gate", number);
        let contender = |network| self.contender(network, &self.games, &seed, sink);
        let [candidate, champion] = networks.map(contender);
        gate.play(self.boards, [candidate?, champion?], &seed)
    }

    /// Trains on the window. After an interruption, it starts again from the last checkpoint.
    fn optimise(
        &self,
        state: &mut TrainingState,
        number: u64,
        entry: &mut Iteration,
        sink: &mut dyn Sink,
    ) -> Result<(), LearningError> {
        let (settings, seed) = (&self.job.settings, self.seed.child("optimise", number));
        let (mut draws, mut dropout) = (seed.child("draws", 0).rng(), seed.child("dropout", 0).rng());
        let rate = |rates: &RateSchedule| rates.rate(settings.adam.rate, number + 1, settings.iterations.get());
        state.learner.begin(settings.fresh_adam, settings.rates.as_ref().map(rate))?;
        let topologies = self.topologies();
        let latest = settings.samples.map(|samples| samples.get() as usize);
        let mut sampler = Sampler::new(&state.replay, &topologies, settings.symmetries, latest);
        let count = settings.batch.get() as usize;
        let added = state.replay.iterations().last().map_or(0, KeptIteration::len);
        let steps = settings.steps(added, sampler.len());
        let mut batch = Examples::new(state.learner.dims());
        let (mut sums, cores) = (StepSums::default(), self.cores(sink));
        for step in 0..steps {
            sink.record(self.progress(&state.curve, settings.amount().units()))?;
            sampler.draw(count, &mut batch, &mut draws);
            let (learner, how) = (&mut state.learner, StepRules { loss: settings.loss, numbers: settings.numbers });
            let (losses, metrics) = cores.lend(|| learner.step(&batch, how, &mut dropout))?;
            divergence::check_loss(losses, number, step)?;
            sums.add(losses, metrics)?;
            entry.compute += 3 * state.learner.operations(batch.batch());
        }
        state.learner.check(&batch, settings.loss, number, steps)?;
        sums.write(entry);
        Ok(())
    }

    /// A network as a player of these games, which stops when the sink requests it.
    fn contender(
        &self,
        network: &DeepCheckpoint,
        boards: &[Arc<dyn Game>],
        seed: &Seed,
        sink: &dyn Sink,
    ) -> Result<SearchPlayer, LearningError> {
        let inference = match &self.agent.network {
            DeepSpec::External(program) => {
                self.agent.resume_program(program, &boards[0], network, &sink.stop())?.inference()?
            }
            _ => self.agent.inference(network.build(self.agent.encoder(boards).dims())?)?,
        };
        Ok(self.seated(inference, boards, seed, sink))
    }

    /// The current network as such a player.
    fn learner(
        &self,
        state: &TrainingState,
        board: &Arc<dyn Game>,
        seed: &Seed,
        sink: &dyn Sink,
    ) -> Result<SearchPlayer, LearningError> {
        let boards = [Arc::clone(board)];
        let inference = state.learner.inference(self.agent, self.agent.encoder(&boards).dims())?;
        Ok(self.seated(inference, &boards, seed, sink))
    }

    fn seated(
        &self,
        inference: Box<dyn Inference>,
        boards: &[Arc<dyn Game>],
        seed: &Seed,
        sink: &dyn Sink,
    ) -> SearchPlayer {
        let mut player = self.agent.player(boards, inference, seed).until(&sink.stop());
        player.helped_by(&self.cores(sink));
        player
    }

    /// Floating-point operations counted for search: one move follows every search.
    fn searched(&self, effort: Effort) -> u64 {
        let simulations = self.agent.search_of(&*self.games[0]).simulations.most();
        let steps = effort.searches * (u64::from(simulations) + 1);
        effort.work.operations + steps * RULE_STEP
    }

    /// Reports the last iteration to the sink, with a checkpoint.
    fn tell(&self, state: &TrainingState, sink: &mut dyn Sink) -> Result<(), LearningError> {
        let last = state.curve.last().expect("an iteration has just ended");
        let metrics = [
            ("policy loss", Some(last.policy_loss)),
            ("value loss", Some(last.value_loss)),
            ("value error", Some(last.value_error)),
            ("length", Some(last.length)),
            ("first", Some(last.first)),
            ("evaluations", Some(last.evaluations as f64)),
            ("compute", Some(last.compute as f64)),
            ("entropy", last.entropy),
            ("score", last.score),
        ];
        for (name, value) in metrics.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            sink.record(Event::Metric { name, step: state.curve.len() as u64, value })?;
        }
        sink.record(Event::Metrics(&trained::metrics(&state.curve)?))?;
        Ok(sink.record(Event::Checkpoint(&state.resume_point()?))?)
    }
}

#[cfg(test)]
mod tests;
