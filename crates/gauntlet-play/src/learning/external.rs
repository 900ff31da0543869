//! Trainings by other programs: a trainer gets a directory and a budget, and the files that it leaves there are the
//! result of its job.

mod messages;
mod spec;
mod state;
mod trainer;

use std::collections::BTreeMap;

use super::LearningError;
use super::metrics::{TrainingResult, json_lines};
use crate::engines::Workplace;
use crate::jobs::{Files, Given, Job, JobError, METRICS, TrainingOutput, WEIGHTS, file, result};
use gauntlet_games::base::{Seed, Sink};
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::Bundle;
pub use spec::{ExternalJob, TrainingBudget};
pub use state::Numbers;
use state::{TrainedElsewhere, TrainerState, broken, resumed};
use trainer::TrainerProcess;

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

/// Runs a trainer to its end.
fn train(job: &ExternalJob, given: &Given<'_>, sink: &mut dyn Sink) -> Result<TrainedElsewhere, LearningError> {
    let program = job.as_engine();
    program.require_startable().map_err(broken)?;
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
    let place = place.map_err(|error| broken(program.broken(format!("cannot get a directory: {error}"))))?;
    let seed = Seed::new(given.seed).child("trainer", 0);
    TrainerProcess::start(job, &seed, place, began_with, state, sink)?.run(sink)
}
