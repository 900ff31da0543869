//! Optimal play: the share of positions in which a player's move keeps the value that the position has without mistakes.
//!
//! The positions and their values are those of a job of its own, [`SolutionsJob`]. The player searches each once; its
//! random numbers depend on the seed of the run. `chance` is the share of a player that moves at random.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeasureError;
use super::solutions::{
    Choice, Nodes, Plies, Positions, Problem, Solutions, SolutionsJob, is_start, usual_nodes, usual_positions,
    usual_set,
};
use crate::arena::OpeningsSpec;
use crate::engines::EngineFacts;
use crate::jobs::{Files, Given, Job, JobError, RESULT, UpstreamFiles, result};
use crate::players::{Player, PlayerError, PlayerSpec, Setting, Source, Turn};
use gauntlet_games::base::{Action, Event, Rng, Seed, Sink};
use gauntlet_games::games::GameSpec;
use gauntlet_ratings::intervals;

/// Measures how often a player's move keeps the exact value of a position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OptimalJob {
    /// The game.
    pub game: GameSpec,
    /// The player.
    pub agent: PlayerSpec,
    /// Positions in the set, 1 to 100,000. It has fewer if a game has fewer: at most 20 times as many are drawn. Default:
    /// 200.
    #[serde(default = "usual_positions", with = "Positions")]
    pub positions: u32,
    /// Random plies from the start, or from an opening, to a position, 0 to 1000. The fewer, the harder a position is to
    /// solve.
    #[serde(with = "Plies")]
    pub plies: u32,
    /// The most random plies; a position takes a random number from `plies` to this one. Default: `plies`.
    #[serde(default, with = "Plies", skip_serializing_if = "Option::is_none")]
    pub most_plies: Option<u32>,
    /// Openings before the random plies: a position takes one at random. Default: the start.
    #[serde(default, skip_serializing_if = "is_start")]
    pub openings: OpeningsSpec,
    /// Nodes of the solver for each position, 1 to 1,000,000,000. Positions that need more are left out and counted. Default:
    /// 10,000,000.
    #[serde(default = "usual_nodes", with = "Nodes")]
    pub nodes: u32,
    /// The number of the set: another one has other positions. Default: 1.
    #[serde(default = "usual_set")]
    pub set: NonZeroU64,
}

/// The optimality of a player's moves, and the set of positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Optimality {
    /// Share of the positions in which the player's move keeps the value, 0 to 1.
    pub share: f64,
    /// Standard error of the share over positions: of these moves, not of other trainings. If all moves are alike, Wilson's
    /// bound.
    pub share_error: f64,
    /// Mean value that a move loses: 1 from a win to a draw or from a draw to a loss, 2 from a win to a loss. 0 to 2.
    pub lost: f64,
    /// Standard error of that mean over positions, likewise.
    pub lost_error: f64,
    /// The expected share of a player that moves at random, 0 to 1.
    pub chance: f64,
    /// Positions of the set, all of them won or drawn.
    pub positions: u64,
    /// Those that the side to move wins.
    pub won: Kept,
    /// Those that are drawn.
    pub drawn: Kept,
    /// The positions that were drawn at random, and the reasons to leave some out.
    pub choice: Choice,
    /// The facts about a player that is another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<EngineFacts>,
}

/// Positions of one value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Kept {
    /// Positions.
    pub positions: u64,
    /// Those in which the move keeps the value.
    pub kept: u64,
}

/// The name of the solutions among the files that a measurement reads.
pub const SOLUTIONS: &str = "solutions";

/// Compares the player's moves with the values of the positions, which `given` has.
///
/// # Errors
/// If the solutions are missing or of another game, if the player cannot play the game, and if the sink interrupts.
pub fn measure_optimality(
    job: &OptimalJob,
    given: &Given<'_>,
    sink: &mut dyn Sink,
) -> Result<Optimality, MeasureError> {
    let (game, seed) = (job.game.build(), Seed::new(given.seed));
    let mut agent = job.agent.build(&game, &Source { seed: &seed, checkpoint: given.upstream.of("agent") })?;
    agent.helped_by(&sink.cores());
    let solutions = read(given.upstream)?;
    let problems = solutions.problems(&*game)?;
    agent.begin(&Setting { game: &job.game, stop: sink.stop() })?;
    let chosen = moves(&mut *agent, &problems, &seed.child("optimal", 0).child(&game.name(), 0))?;
    let program = agent.end()?;
    sink.record(Event::Progress { done: problems.len() as u64, total: problems.len() as u64 })?;
    Ok(Optimality { program, choice: solutions.choice, ..compare(&problems, &chosen) })
}

fn read(upstream: &UpstreamFiles) -> Result<Solutions, MeasureError> {
    let missing = || MeasureError::Positions("the solutions of its positions are missing".to_owned());
    let bytes = upstream.of_job(SOLUTIONS, RESULT).ok_or_else(missing)?;
    let broken = |error| MeasureError::Positions(format!("the solutions of its positions cannot be read: {error}"));
    serde_json::from_slice(bytes).map_err(broken)
}

/// Positions that a player decides at once.
const BATCH: usize = 64;

/// The player's move in each position; `None` if it gives up.
fn moves(agent: &mut dyn Player, problems: &[Problem], seed: &Seed) -> Result<Vec<Option<Action>>, PlayerError> {
    let mut chosen = Vec::with_capacity(problems.len());
    for batch in problems.chunks(BATCH.min(agent.games_at_once())) {
        let first = chosen.len();
        let seeds = (first..first + batch.len()).map(|index| seed.child("position", index as u64));
        let mut generators: Vec<_> = seeds.map(|seed| seed.rng()).collect();
        let turn = |(at, (problem, rng))| turn(first + at, problem, rng);
        let mut turns: Vec<Turn<'_>> = batch.iter().zip(&mut generators).enumerate().map(turn).collect();
        agent.decide(&mut turns)?;
        chosen.extend(turns.iter().map(|turn| turn.decision.action));
        (first..chosen.len()).for_each(|index| agent.forget(index));
    }
    Ok(chosen)
}

fn turn<'a>(index: usize, problem: &'a Problem, rng: &'a mut Rng) -> Turn<'a> {
    let ply = problem.played.len() as u32;
    Turn { ply, start: problem.start.as_deref(), actions: &problem.played, ..Turn::new(index, &*problem.position, rng) }
}

/// The numbers of a player that chose these moves.
fn compare(problems: &[Problem], chosen: &[Option<Action>]) -> Optimality {
    let (mut losses, mut kept, mut chance) = (Vec::new(), [Kept::default(); 2], 0.0);
    for (problem, action) in problems.iter().zip(chosen) {
        let loss = problem.loss(*action);
        let part = &mut kept[usize::from(problem.value() > 0)];
        part.positions += 1;
        part.kept += u64::from(loss == 0);
        losses.push(f64::from(loss));
        chance += problem.share_of_keepers() / problems.len() as f64;
    }
    let keeps: Vec<f64> = losses.iter().map(|&loss| f64::from(u8::from(loss == 0.0))).collect();
    let ([share, share_error], [lost, lost_error]) = (mean(&keeps, [0.0, 1.0]), mean(&losses, [0.0, 2.0]));
    let [drawn, won] = kept;
    let positions = losses.len() as u64;
    let (choice, program) = (Choice::default(), None);
    Optimality { share, share_error, lost, lost_error, chance, positions, won, drawn, choice, program }
}

/// The mean of numbers in a range, at least one, and its standard error, which is never 0.
fn mean(numbers: &[f64], range: [f64; 2]) -> [f64; 2] {
    let mean = intervals::mean(numbers).unwrap_or_default();
    let bound = || intervals::game_level_bound(mean, range, numbers.len() as u64).unwrap_or_default();
    [mean, intervals::standard_error(numbers).unwrap_or_else(bound)]
}

impl OptimalJob {
    /// The job that solves its positions.
    #[must_use]
    pub fn solutions(&self) -> SolutionsJob {
        let OptimalJob { game, positions, plies, most_plies, openings, nodes, set, .. } = self.clone();
        SolutionsJob { game, positions, plies, most_plies, openings, nodes, set }
    }
}

impl Job for OptimalJob {
    fn slug(&self) -> String {
        format!("optimal {} {}", self.game.build().name(), self.agent.name())
    }

    fn check(&self) -> Result<(), String> {
        self.agent.check(&self.game.build()).and_then(|()| self.solutions().check())
    }

    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        Ok(vec![result(&measure_optimality(self, given, sink)?)?])
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        vec![("agent", &self.agent)]
    }
}

#[cfg(test)]
mod tests;
