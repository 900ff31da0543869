//! Optimal play: the share of positions in which a player's move keeps the value that the position has without mistakes.
//!
//! The positions are random: each is reached by uniformly random plies from the start. They depend on the game and the
//! settings alone, and not on the seed of the run, so that all players, trainings and runs meet the same ones. The
//! player searches each once; its own random numbers depend on the seed of the run.
//!
//! A position counts only if some legal action loses value and some keeps it. In all others, lost ones among them, every
//! move is right. `chance` is the share of a player that moves at random.

mod problems;

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeasureError;
use crate::engines::EngineFacts;
use crate::jobs::{Files, Given, Job, JobError, result};
use crate::players::{Player, PlayerError, PlayerSpec, Setting, Source, Turn};
use gauntlet_games::base::{Action, Event, Rng, Seed, Sink, bounded};
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_ratings::intervals;
pub use problems::Choice;
use problems::{Problem, Problems, SetSpec, check_depth, draw};

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
    /// Random plies from the start to a position, 0 to 1000. The fewer, the harder a position is to solve.
    #[serde(with = "Plies")]
    pub plies: u32,
    /// The most random plies; a position takes a random number from `plies` to this one. Default: `plies`.
    #[serde(default, with = "Plies", skip_serializing_if = "Option::is_none")]
    pub most_plies: Option<u32>,
    /// Nodes of the solver for each position, 1 to 1,000,000,000. Positions that need more are left out and counted. Default:
    /// 10,000,000.
    #[serde(default = "usual_nodes", with = "Nodes")]
    pub nodes: u32,
    /// The number of the set: another one has other positions. Default: 1.
    #[serde(default = "usual_set")]
    pub set: NonZeroU64,
}

bounded! {
    /// Positions of a set.
    Positions: u32 from 1 to 100_000, "{value} positions: a set has from {range}"
}
bounded! {
    /// Random plies.
    Plies: u32 from 0 to 1000, "{value} plies are outside {range}"
}
bounded! {
    /// Nodes of a solver.
    Nodes: u32 from 1 to 1_000_000_000, "{value} nodes: a solver takes from {range}"
}

fn usual_positions() -> u32 {
    200
}

fn usual_nodes() -> u32 {
    10_000_000
}

fn usual_set() -> NonZeroU64 {
    NonZeroU64::MIN
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

/// Draws and solves the positions of a job, and compares the player's moves with their values.
///
/// # Errors
/// If the set is empty, if the player cannot play the game, and if the sink interrupts.
pub fn measure_optimality(
    job: &OptimalJob,
    given: &Given<'_>,
    sink: &mut dyn Sink,
) -> Result<Optimality, MeasureError> {
    let (game, seed) = (job.game.build(), Seed::new(given.seed));
    let mut agent = job.agent.build(&game, &Source { seed: &seed, checkpoint: given.upstream.of("agent") })?;
    agent.helped_by(&sink.cores());
    let set = draw(&job.set_spec(), &*game, sink)?;
    agent.begin(&Setting { game: &job.game, stop: sink.stop() })?;
    let chosen = moves(&mut *agent, &set.problems, &seed.child("optimal", 0).child(&game.name(), 0))?;
    let program = agent.end()?;
    sink.record(Event::Progress { done: set.problems.len() as u64, total: set.problems.len() as u64 })?;
    Ok(Optimality { program, ..compare(&set, &chosen) })
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
    Turn { ply, actions: &problem.played, ..Turn::new(index, &*problem.position, rng) }
}

/// The numbers of a player that chose these moves.
fn compare(set: &Problems, chosen: &[Option<Action>]) -> Optimality {
    let (mut losses, mut kept, mut chance) = (Vec::new(), [Kept::default(); 2], 0.0);
    for (problem, action) in set.problems.iter().zip(chosen) {
        let loss = problem.loss(*action);
        let part = &mut kept[usize::from(problem.value() > 0)];
        part.positions += 1;
        part.kept += u64::from(loss == 0);
        losses.push(f64::from(loss));
        chance += problem.share_of_keepers() / set.problems.len() as f64;
    }
    let keeps: Vec<f64> = losses.iter().map(|&loss| f64::from(u8::from(loss == 0.0))).collect();
    let ([share, share_error], [lost, lost_error]) = (mean(&keeps, [0.0, 1.0]), mean(&losses, [0.0, 2.0]));
    let [drawn, won] = kept;
    let positions = losses.len() as u64;
    let (choice, program) = (set.choice, None);
    Optimality { share, share_error, lost, lost_error, chance, positions, won, drawn, choice, program }
}

/// The mean of numbers in a range, at least one, and its standard error, which is never 0.
fn mean(numbers: &[f64], range: [f64; 2]) -> [f64; 2] {
    let mean = intervals::mean(numbers).unwrap_or_default();
    let bound = || intervals::game_level_bound(mean, range, numbers.len() as u64).unwrap_or_default();
    [mean, intervals::standard_error(numbers).unwrap_or_else(bound)]
}

impl OptimalJob {
    /// The settings of its positions.
    fn set_spec(&self) -> SetSpec<'_> {
        SetSpec {
            game: &self.game,
            positions: self.positions as usize,
            plies: [self.plies, self.most_plies.unwrap_or(self.plies)],
            nodes: self.nodes,
            number: self.set.get(),
        }
    }

    /// Refuses depths that no game reaches.
    fn check_depth(&self, game: &dyn Game) -> Result<(), String> {
        check_depth(&self.set_spec(), game).map_err(|deepest| {
            let (name, plies) = (game.name(), self.plies);
            format!("no position of {name} after {plies} random plies goes on: take at most {deepest} `plies`")
        })
    }
}

impl Job for OptimalJob {
    fn slug(&self) -> String {
        format!("optimal {} {}", self.game.build().name(), self.agent.name())
    }

    fn check(&self) -> Result<(), String> {
        if self.most_plies.is_some_and(|most| most < self.plies) {
            return Err("`most-plies` is less than `plies`".to_owned());
        }
        let game = self.game.build();
        self.agent.check(&game).and_then(|()| self.check_depth(&*game))
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
