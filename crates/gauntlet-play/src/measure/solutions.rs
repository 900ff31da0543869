//! Exact solutions of positions: a set of them, each with the value of every legal action.
//!
//! The positions are random: each is reached by uniformly random plies from the start or from a given opening. They
//! depend on the game and the settings alone, and not on the seed of the run, so that all players, trainings and runs
//! meet the same ones, and the set is solved once.
//!
//! A position counts only if some legal action loses value and some keeps it. In all others, lost ones among them, every
//! move is right.

mod draw;
mod spec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeasureError;
use crate::arena::OpeningsSpec;
use crate::jobs::{Files, Given, Job, JobError, result};
use draw::check_depth;
pub use draw::{Choice, Problem, Problems, draw};
use gauntlet_games::base::Sink;
use gauntlet_games::games::{Game, GameSpec};
pub use spec::SolutionsJob;
pub(super) use spec::{Nodes, Plies, Positions, is_start, usual_nodes, usual_positions, usual_set};

/// A set of solved positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Solutions {
    /// The positions that were drawn at random, and the reasons to leave some out.
    pub choice: Choice,
    /// The positions of the set.
    pub positions: Vec<Solved>,
}

/// A solved position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Solved {
    /// The position from which the actions count, in the game's notation, if it is not the start by the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The actions that lead to it, separated by spaces.
    pub played: String,
    /// The legal actions with their values for the side to move: win 1, draw 0, loss -1.
    pub values: Vec<(String, i8)>,
}

impl Solved {
    fn new(problem: &Problem, game: &dyn Game) -> Solved {
        let mut position = game.begin(problem.start.as_deref()).expect("the position was set up before");
        let mut played = Vec::with_capacity(problem.played.len());
        for &action in &problem.played {
            played.push(game.write_move(&*position, action));
            position.play(action);
        }
        let name = |&(action, value)| (game.write_move(&*problem.position, action), value);
        let values = problem.values.iter().map(name).collect();
        Solved { start: problem.start.clone(), played: played.join(" "), values }
    }

    /// The position; `None` if it is none of this game.
    fn problem(&self, game: &dyn Game) -> Option<Problem> {
        let (mut position, mut played) = (game.begin(self.start.as_deref()).ok()?, Vec::new());
        for name in self.played.split(' ').filter(|name| !name.is_empty()) {
            let action = game.read_move(&*position, name)?;
            position.play(action);
            played.push(action);
        }
        let value = |(name, value): &(String, i8)| Some((game.read_move(&*position, name)?, *value));
        let values = self.values.iter().map(value).collect::<Option<_>>()?;
        Some(Problem { position, start: self.start.clone(), played, values })
    }
}

impl Solutions {
    /// The positions as a player meets them.
    ///
    /// # Errors
    /// If one is no position of the game.
    pub fn problems(&self, game: &dyn Game) -> Result<Vec<Problem>, MeasureError> {
        let problem = |solved: &Solved| {
            let lack = || MeasureError::Positions(format!("{} is no position of {}", solved.played, game.name()));
            solved.problem(game).ok_or_else(lack)
        };
        self.positions.iter().map(problem).collect()
    }
}

/// Draws and solves the positions of a job.
///
/// # Errors
/// If the set is empty, and if the sink interrupts.
pub fn solve_positions(job: &SolutionsJob, sink: &mut dyn Sink) -> Result<Solutions, MeasureError> {
    let game = job.game.build();
    let Problems { problems, choice, .. } = draw(job, &*game, sink)?;
    let positions = problems.iter().map(|problem| Solved::new(problem, &*game)).collect();
    Ok(Solutions { choice, positions })
}

impl Job for SolutionsJob {
    fn slug(&self) -> String {
        format!("solutions {}", self.game.build().name())
    }

    fn check(&self) -> Result<(), String> {
        if self.deepest() < self.plies {
            return Err("`most-plies` is less than `plies`".to_owned());
        }
        if matches!(self.openings, OpeningsSpec::Random(_)) {
            return Err("positions are random: say so by `plies`, and leave random `openings` out".to_owned());
        }
        check_depth(self, &*self.game.build())
    }

    fn run(&self, _given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        Ok(vec![result(&solve_positions(self, sink)?)?])
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }
}

#[cfg(test)]
mod tests;
