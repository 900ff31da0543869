//! The job interface: a job is a pure function from a seed and its inputs to files. Each job is a type of the
//! module that does the work, reached through that module's spec.

mod continuation;
mod files;
mod upstream;

use std::error::Error;

use crate::players::PlayerSpec;
pub use continuation::{Continuation, without};
pub use files::{Files, GAMES, Inputs, METRICS, RESULT, STATE, WEIGHTS, check_inputs, file, result, weights_file};
use gauntlet_games::base::{ResumePoint, Sink};
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::NumberFormat;
pub use upstream::{ReadFile, UpstreamFiles};

/// A job and its properties, derived from its settings.
pub trait Job {
    /// A short display name that distinguishes jobs of a kind.
    fn slug(&self) -> String;

    /// Checks the combination of individually valid settings.
    ///
    /// # Errors
    /// The reason, as a sentence: a player that cannot play the game, a network that does not fit the board.
    fn check(&self) -> Result<(), String>;

    /// A caution for the author before the job runs, though it can run: the end of a sentence that starts with the
    /// stage.
    fn caution(&self) -> Option<String> {
        None
    }

    /// Runs the job and returns its files. Their bytes are a function of the settings and of `given`.
    ///
    /// # Errors
    /// If the job fails, or if the sink interrupts it.
    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError>;

    /// The game, on the first of its boards; `None` if there is no game.
    fn game(&self) -> Option<GameSpec> {
        None
    }

    /// The players: by name in a tournament, by role (`agent`, `opponent`) elsewhere.
    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        Vec::new()
    }

    /// Whether its results are the same bytes on every processor of an architecture: a number format other than `f32`
    /// has one law for all instruction sets. In `f32`, only steps of optimisation depend on them; such jobs keep the
    /// device class that they always had.
    fn is_portable(&self) -> bool {
        self.training().is_none() && self.numbers().iter().any(|numbers| !numbers.is_f32())
    }

    /// Whether its games have a clock: nothing else runs beside it, and its results depend on the machine.
    fn is_timed(&self) -> bool {
        false
    }

    /// Whether a second run gives the same bytes: its games have no clock, and its programs are declared deterministic.
    fn is_repeatable(&self) -> bool {
        !self.is_timed() && are_repeatable(&self.players())
    }

    /// The number formats of its players and of its steps.
    fn numbers(&self) -> Vec<NumberFormat> {
        self.players().iter().map(|(_, player)| player.agent().numbers()).collect()
    }

    /// The files of the data directory that the job reads.
    fn inputs(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Its length and the settings it shares with longer ones; `None` if it does not train.
    fn continuation(&self) -> Option<Continuation> {
        None
    }

    /// Its training output; `None` if it does not train.
    fn training(&self) -> Option<TrainingOutput<'_>> {
        None
    }
}

/// Whether the programs of players are declared deterministic.
#[must_use]
pub fn are_repeatable(players: &[(&str, &PlayerSpec)]) -> bool {
    players.iter().all(|(_, player)| player.started_program().is_none_or(|program| program.deterministic))
}

/// The inputs of a job besides its settings.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The number of the run's seed.
    pub seed: u64,
    /// The files of the jobs that it depends on: trained weights, games of meetings.
    pub upstream: &'a UpstreamFiles,
    /// The files that it reads from the data directory.
    pub inputs: &'a Inputs,
    /// The last checkpoint of an earlier, interrupted run, or the last state of a shorter training with the same
    /// beginning; the files have the same bytes as without it.
    pub checkpoint: Option<&'a ResumePoint>,
}

/// The output of a training for other jobs.
#[derive(Debug, Clone, Copy)]
pub struct TrainingOutput<'a> {
    /// The trained player; `None` if another program trains for engines.
    pub agent: Option<&'a PlayerSpec>,
    /// The iterations whose networks are kept, ascending.
    pub kept: &'a [u32],
    /// The last iteration.
    pub end: u32,
}

/// The error of a job without files.
pub type JobError = Box<dyn Error + Send + Sync>;
