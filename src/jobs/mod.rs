//! What a job is: a pure function from a seed and what the job is given to files. No job is here; each is a type of the
//! room that does the work, reached through the spec of that room.

mod continuation;
mod files;
mod trained;

use std::error::Error;

use crate::players::PlayerSpec;
pub use continuation::{Continuation, without};
pub use files::{Files, GAMES, Inputs, METRICS, RESULT, STATE, WEIGHTS, check_inputs, file, result, weights_file};
use gauntlet_games::base::{ResumePoint, Sink};
use gauntlet_games::games::GameSpec;
pub use trained::TrainedWeights;

/// What a job's settings say of it, and the job itself.
pub trait Job {
    /// A few words that tell jobs of a kind apart, for people.
    fn slug(&self) -> String;

    /// What is wrong with the combination of otherwise sound settings, if anything.
    ///
    /// # Errors
    /// A sentence for people: a player that cannot play the game, a network that does not fit the board.
    fn check(&self) -> Result<(), String>;

    /// What its author should know before it runs, though it can run: as the end of a sentence that begins with the stage.
    fn caution(&self) -> Option<String> {
        None
    }

    /// Does the job and returns its files. Their bytes are a function of the settings and of what is given.
    ///
    /// # Errors
    /// When the job fails, or the sink interrupts it.
    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError>;

    /// The game, on the first of its boards; none where there is no game.
    fn game(&self) -> Option<GameSpec> {
        None
    }

    /// Who plays: by name in a tournament, by role (`agent`, `opponent`) elsewhere.
    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        Vec::new()
    }

    /// The files of the data directory that the job reads.
    fn inputs(&self) -> Vec<&str> {
        Vec::new()
    }

    /// How far it goes, and what a longer one has in common with it; none where it trains nothing.
    fn continuation(&self) -> Option<Continuation> {
        None
    }

    /// What it trains; none where it trains nothing.
    fn training(&self) -> Option<TrainingOutput<'_>> {
        None
    }
}

/// What a job depends on besides its settings.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The number of the run's seed.
    pub seed: u64,
    /// The weights of the trainings that it waits for.
    pub trained: &'a TrainedWeights,
    /// The files that it reads from the data directory.
    pub inputs: &'a Inputs,
    /// What an earlier, interrupted run of it has told its sink last, or the last state of a shorter training that it
    /// begins like; the files have the same bytes as without.
    pub checkpoint: Option<&'a ResumePoint>,
}

/// What a training leaves to others.
#[derive(Debug, Clone, Copy)]
pub struct TrainingOutput<'a> {
    /// Who learns.
    pub agent: &'a PlayerSpec,
    /// The iterations whose networks are kept, ascending.
    pub kept: &'a [u32],
    /// The last iteration.
    pub end: u32,
}

/// Why a job has left no files.
pub type JobError = Box<dyn Error + Send + Sync>;
