//! Trainings by other programs: a trainer gets a directory and a budget, and the files that it leaves there are the
//! result of its job.

mod messages;
mod spec;
mod trainer;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::LearningError;
use super::metrics::{Effort, TrainingResult, json_lines};
use crate::engines::{EngineError, EngineFacts, Workplace};
use crate::jobs::{Files, Given, Job, JobError, METRICS, TrainingOutput, WEIGHTS, file, result};
use crate::players::PlayerError;
use gauntlet_games::base::{Event, ResumePoint, Seed, Segment, Sink};
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::Bundle;
pub use spec::{ExternalJob, TrainingBudget};
use trainer::Trainer;

/// The named numbers of a line of metrics.
pub type Numbers = BTreeMap<String, f64>;

/// The state from which an interrupted training continues; the files of the checkpoint are segments.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct TrainerState {
    /// The files of its last checkpoint.
    names: Vec<String>,
    curve: Vec<Numbers>,
    effort: Effort,
}

impl Job for ExternalJob {
    fn slug(&self) -> String {
        format!("{} {}", self.game.build().name(), self.called())
    }

    fn check(&self) -> Result<(), String> {
        self.check_settings()
    }

    /// Result: `curve`, the trainer's metrics, and `effort`. Its files are a [`Bundle`].
    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        let trained = train(self, given, sink)?;
        let origin = format!("{} on {}, seed {}", self.called(), self.game.build().name(), given.seed);
        let games = trained.state.effort.games.unwrap_or_default();
        let metrics = json_lines(trained.state.curve.iter())?;
        let numbers = result(&TrainingResult {
            curve: trained.state.curve,
            games,
            untrained: None,
            panel: None,
            program: Some(trained.facts),
            effort: Some(trained.state.effort),
        })?;
        let bundle = Bundle { files: trained.files, origin };
        Ok(vec![file(WEIGHTS, bundle.to_bytes()?), numbers, file(METRICS, metrics)])
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }

    fn is_repeatable(&self) -> bool {
        self.deterministic
    }

    fn training(&self) -> Option<TrainingOutput<'_>> {
        Some(TrainingOutput { agent: None, kept: &[], end: 1 })
    }
}

/// The files of a trainer, with its metrics and effort.
struct TrainedElsewhere {
    files: BTreeMap<String, Vec<u8>>,
    state: TrainerState,
    facts: EngineFacts,
}

/// Runs a trainer to its end.
fn train(job: &ExternalJob, given: &Given<'_>, sink: &mut dyn Sink) -> Result<TrainedElsewhere, LearningError> {
    job.require_consent().map_err(broken)?;
    let (state, checkpoint) = match given.checkpoint {
        Some(point) => resumed(point)?,
        None => (TrainerState::default(), BTreeMap::new()),
    };
    let begun = match given.upstream.of("agent") {
        Some(bytes) => Bundle::from_bytes(bytes)?.files,
        None => BTreeMap::new(),
    };
    let began_with: Vec<String> = begun.keys().cloned().collect();
    let place = Workplace::with(&begun.into_iter().chain(checkpoint).collect());
    let place = place.map_err(|error| broken(job.fault(format!("cannot get a directory: {error}"))))?;
    let seed = Seed::new(given.seed).child("trainer", 0);
    Trainer::start(job, &seed, place, began_with, state, sink)?.run(sink)
}

fn resumed(point: &ResumePoint) -> Result<(TrainerState, BTreeMap<String, Vec<u8>>), LearningError> {
    let state: TrainerState = serde_json::from_slice(&point.head)?;
    if state.names.len() != point.segments.len() {
        return Err(LearningError::Torn);
    }
    let contents = point.segments.iter().map(|segment| segment.bytes().to_vec());
    let files = state.names.iter().cloned().zip(contents).collect();
    Ok((state, files))
}

impl TrainerState {
    /// The state with the files of a checkpoint.
    fn point(&self, files: BTreeMap<String, Vec<u8>>) -> Result<ResumePoint, LearningError> {
        let (names, contents): (Vec<String>, Vec<Vec<u8>>) = files.into_iter().unzip();
        let head = serde_json::to_vec(&TrainerState { names, ..self.clone() })?;
        Ok(ResumePoint { head, segments: contents.into_iter().map(Segment::new).collect() })
    }

    /// Reports the last line of metrics; all lines go to live viewers as well, if they are due.
    fn tell(&self, is_due: bool, sink: &mut dyn Sink) -> Result<(), LearningError> {
        let step = self.curve.len() as u64;
        for (name, &value) in self.curve.last().into_iter().flatten() {
            sink.record(Event::Metric { name, step, value })?;
        }
        if is_due {
            sink.record(Event::Metrics(&json_lines(self.curve.iter())?))?;
        }
        Ok(())
    }
}

fn broken(error: EngineError) -> LearningError {
    PlayerError::from(error).into()
}
