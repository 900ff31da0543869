//! Job specifications: all inputs of a job except its seed. The spec types belong to the modules that do the work; this
//! file only combines them.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_nets::nets::deep::{is_card, portable_class};
use gauntlet_play::arena::{ArenaError, PlaySpec};
use gauntlet_play::jobs::{Job, JobError, check_inputs};
use gauntlet_play::learning::{self, EvaluationSpec, LearningError, TrainSpec};
use gauntlet_play::measure::MeasureSpec;
use gauntlet_play::players::{EngineAgent, PlayerSpec};

/// Suffix of the name of an agent whose weights are drawn.
const UNTRAINED: &str = ", untrained";

/// The class of all processors of an architecture. A card stands in a machine of this program's architecture.
fn processor_class(workers: &str) -> &str {
    static OWN: LazyLock<String> = LazyLock::new(|| format!("cpu-{}", std::env::consts::ARCH));
    if is_card(workers) { &OWN } else { portable_class(workers) }
}

/// Whether a job failed because the given checkpoint is not one of its states.
#[must_use]
pub fn is_of_checkpoint(error: &JobError) -> bool {
    let of_training = |error: &LearningError| {
        use LearningError::{Checkpoint, Foreign, Torn, Unreadable};
        matches!(error, Torn | Foreign { .. } | Unreadable(_) | Checkpoint(_))
    };
    error.downcast_ref::<LearningError>().is_some_and(of_training)
        || matches!(error.downcast_ref::<ArenaError>(), Some(ArenaError::Checkpoint))
}

/// The specification of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JobSpec {
    /// Trains a network.
    Train(TrainSpec),
    /// Plays games.
    Play(PlaySpec),
    /// Measures numbers.
    Measure(MeasureSpec),
}

impl JobSpec {
    fn named(&self) -> (&'static str, &dyn Job) {
        match self {
            JobSpec::Train(spec) => ("train", spec.job()),
            JobSpec::Play(spec) => ("play", spec.job()),
            JobSpec::Measure(spec) => ("measure", spec.job()),
        }
    }

    /// The kind, as in directory names.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.named().0
    }

    /// The job.
    #[must_use]
    pub fn job(&self) -> &dyn Job {
        self.named().1
    }

    /// A short readable name that distinguishes jobs of a kind. The name of a training does not include its initial
    /// weights.
    #[must_use]
    pub fn slug(&self) -> String {
        let slug = self.job().slug();
        if matches!(self, JobSpec::Train(_)) { slug.replace(UNTRAINED, "") } else { slug }
    }

    /// The device class in the job's key, for workers of a class.
    #[must_use]
    pub fn device_class<'a>(&self, workers: &'a str) -> &'a str {
        match () {
            () if self.is_without_networks() => processor_class(workers),
            () if self.job().is_portable() => portable_class(workers),
            () => workers,
        }
    }

    /// Whether it plays games without networks, engines and clocks: its bytes are the same on every processor of an
    /// architecture, and beside any card.
    #[must_use]
    pub fn is_without_networks(&self) -> bool {
        let job = self.job();
        let has_none = |player: &PlayerSpec| player.agent().weights().is_none();
        let players = job.players();
        let is_plain = job.game().is_some() && job.training().is_none() && !job.is_timed() && !self.has_programs();
        is_plain && players.iter().all(|(_, player)| has_none(player))
    }

    /// The data files that the job reads, including those with weights.
    #[must_use]
    pub fn inputs(&self) -> Vec<&str> {
        let mut inputs = self.job().inputs();
        for (_, file) in self.weights_files() {
            if !inputs.contains(&file) {
                inputs.push(file);
            }
        }
        inputs
    }

    /// Whether it starts a program of others: an engine, that of a network, or a trainer.
    #[must_use]
    pub fn has_programs(&self) -> bool {
        !self.started_programs().is_empty()
    }

    /// The programs of others that it starts: those of its players, or its trainer.
    #[must_use]
    pub fn started_programs(&self) -> Vec<Cow<'_, EngineAgent>> {
        match self {
            JobSpec::Train(TrainSpec::External(job)) => vec![Cow::Owned(job.as_engine())],
            _ => self.job().players().into_iter().filter_map(|(_, player)| player.started_program()).collect(),
        }
    }

    /// The weights files that the job reads, each with the player that uses it.
    #[must_use]
    pub fn weights_files(&self) -> Vec<(&str, &str)> {
        let players = self.job().players().into_iter();
        players.filter_map(|(name, player)| Some((name, player.weights_file()?))).collect()
    }

    /// The opponents in the panel of a training, whose games are counted one by one.
    #[must_use]
    pub fn panel(&self) -> Vec<String> {
        self.evaluation().map(EvaluationSpec::counted).unwrap_or_default()
    }

    /// The number of opponents over which the score of an evaluation is a mean.
    #[must_use]
    pub fn scored(&self) -> u64 {
        self.evaluation().map_or(1, EvaluationSpec::scored)
    }

    /// The evaluations of a training.
    #[must_use]
    pub fn evaluation(&self) -> Option<&EvaluationSpec> {
        if let JobSpec::Train(TrainSpec::AlphaZero(job)) = self { job.settings.evaluation.as_ref() } else { None }
    }

    /// The first `end` iterations of a training, at least one; `None` for other jobs.
    #[must_use]
    pub fn shorter(&self, end: u32) -> Option<JobSpec> {
        if let JobSpec::Train(training) = self { Some(JobSpec::Train(learning::shorter(training, end))) } else { None }
    }

    /// Like [`JobSpec::check`], with later rules. They are in no job's key, as no job calls this function.
    ///
    /// # Errors
    /// If the combination is invalid: a message.
    pub fn check_written(&self) -> Result<(), String> {
        let lacks = |player: &PlayerSpec| {
            if let PlayerSpec::Engine(engine) = player.untuned() { engine.needs_clock() } else { None }
        };
        let reason =
            self.job().players().iter().find_map(|(_, player)| lacks(player)).filter(|_| !self.job().is_timed());
        reason.map_or_else(|| self.check(), |reason| Err(reason.to_owned()))
    }

    /// Checks the combination of settings that are valid by themselves.
    ///
    /// # Errors
    /// If the combination is invalid: a message.
    pub fn check(&self) -> Result<(), String> {
        let files = self.weights_files();
        let is_engine = |(_, player): &(&str, &PlayerSpec)| matches!(player.untuned(), PlayerSpec::Engine(_));
        let takes_engines = |spec: &MeasureSpec| matches!(spec, MeasureSpec::Optimal(_));
        if matches!(self, JobSpec::Measure(spec) if !takes_engines(spec)) && self.job().players().iter().any(is_engine)
        {
            return Err("engines play in matches and tournaments, as opponents in trainings, and in `measure.optimal`"
                .to_owned());
        }
        let is_timed = |(_, player): &(&str, &PlayerSpec)| player.agent().thinking_time().is_some();
        if self.job().players().iter().any(is_timed) && !matches!(self, JobSpec::Play(_)) {
            return Err(
                "players with `time-ms` play in matches and tournaments: give it simulations or operations here"
                    .to_owned(),
            );
        }
        let is_settled =
            |player: &PlayerSpec| matches!(player.untuned(), PlayerSpec::Engine(engine) if engine.deterministic);
        if self.job().is_timed() && self.job().players().iter().any(|(_, player)| is_settled(player)) {
            return Err(
                "no engine is deterministic where time decides: leave `deterministic` out, or `clock` and `time-ms`"
                    .to_owned(),
            );
        }
        check_inputs(&files.iter().map(|(_, file)| *file).collect::<Vec<_>>())?;
        self.job().check()
    }
}
