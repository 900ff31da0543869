//! The drawing of a set: random positions, solved, and kept if a player has a choice in them.
//!
//! Position `i` depends on the game, the settings and `i` alone. The set takes the first ones that fit, whatever the number
//! of cores that solve them.

use std::collections::HashSet;

use super::super::MeasureError;
use super::super::solve::Solver;
use super::spec::SolutionsJob;
use crate::arena::Openings;
use gauntlet_games::base::{Action, Event, Interrupted, Seed, Sink, Stop};
use gauntlet_games::formats::Opening;
use gauntlet_games::games::{Game, Position};
use rand::RngExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The choice of a set: random positions, until it is full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Choice {
    /// Random positions.
    pub tried: u64,
    /// Those whose game was over before.
    pub over: u64,
    /// Those that occurred before.
    pub repeated: u64,
    /// Those that the budget of nodes did not suffice for.
    pub unsolved: u64,
    /// Those without a choice: won, every legal action keeps the value.
    pub all_win: u64,
    /// The same, drawn.
    pub all_draw: u64,
    /// The same, lost: no position that is lost has a wrong move.
    pub all_lose: u64,
}

/// A position with a choice.
pub struct Problem {
    pub position: Box<dyn Position>,
    /// The position from which the actions count, in the game's notation; `None` for the start by the rules.
    pub start: Option<String>,
    /// The actions that lead to it.
    pub played: Vec<Action>,
    /// The legal actions with their values for the side to move: win 1, draw 0, loss -1.
    pub values: Vec<(Action, i8)>,
}

impl Problem {
    /// The value of the position.
    pub fn value(&self) -> i8 {
        self.values.iter().map(|(_, value)| *value).max().unwrap_or(-1)
    }

    /// The value that an action loses; `None` is a player that gives up, and loses the game.
    pub fn loss(&self, action: Option<Action>) -> i8 {
        let of = self.values.iter().find(|(legal, _)| Some(*legal) == action);
        self.value() - of.map_or(-1, |(_, value)| *value)
    }

    /// Share of the legal actions that keep the value.
    pub fn share_of_keepers(&self) -> f64 {
        let keepers = self.values.iter().filter(|(action, _)| self.loss(Some(*action)) == 0).count();
        keepers as f64 / self.values.len() as f64
    }
}

/// Random positions for each position of a set, at most.
const TRIES: u64 = 20;

/// Positions without an answer after which the solver gives up, if it has solved none.
const HOPELESS: u64 = 20;

/// Positions that are solved between two progress events, on all cores.
const ROUND: usize = 32;

/// Random games by which the depth of a set is checked.
const GAMES: u64 = 200;

/// A random position on its way into a set.
enum Candidate {
    /// The game was over before.
    Over,
    /// The position occurred before.
    Repeated,
    /// A position, whose values are known once it is solved.
    Open { problem: Problem, is_solved: bool },
}

/// The random positions of a set.
struct RandomPositions<'a> {
    job: &'a SolutionsJob,
    game: &'a dyn Game,
    openings: Openings,
    seed: Seed,
}

impl RandomPositions<'_> {
    fn new<'a>(job: &'a SolutionsJob, game: &'a dyn Game) -> Result<RandomPositions<'a>, String> {
        let openings = job.openings.build(&job.game).map_err(|error| error.to_string())?;
        let seed = Seed::new(job.set.get()).child("optimal", 0).child(&game.name(), 0);
        Ok(RandomPositions { job, game, openings, seed })
    }

    /// A random position, and the actions that lead to it; the game may be over earlier.
    fn position(&self, index: u64) -> Problem {
        let mut rng = self.seed.child("position", index).rng();
        let plies = rng.random_range(self.job.plies..=self.job.deepest());
        let opening = match &self.openings {
            Openings::Book(book) => book[rng.random_range(0..book.len())].clone(),
            _ => Opening::default(),
        };
        let mut position = self.game.begin(opening.start.as_deref()).expect("the opening was read for this game");
        opening.actions.iter().for_each(|&action| position.play(action));
        let mut played = opening.actions;
        for _ in 0..plies {
            if position.outcome().is_some() {
                break;
            }
            let action = position.random_action(&mut rng);
            position.play(action);
            played.push(action);
        }
        Problem { position, start: opening.start, played, values: Vec::new() }
    }
}

/// Checks that some random game goes on after the plies of the set.
///
/// # Errors
/// A sentence with the most plies after which one of [`GAMES`] random games goes on, if that is fewer, or about openings
/// that cannot be played.
pub(super) fn check_depth(job: &SolutionsJob, game: &dyn Game) -> Result<(), String> {
    let (source, mut deepest) = (RandomPositions::new(job, game)?, 0);
    for index in 0..GAMES {
        let Problem { position, played, .. } = source.position(index);
        if position.outcome().is_none() {
            return Ok(());
        }
        deepest = deepest.max(played.len().saturating_sub(1) as u32);
    }
    let (name, plies) = (game.name(), job.plies);
    let remedy = if matches!(source.openings, Openings::Book(_)) {
        "take fewer `plies`, or shorter openings".to_owned()
    } else {
        format!("take at most {deepest} `plies`")
    };
    Err(format!("no position of {name} after {plies} random plies goes on: {remedy}"))
}

/// A set of positions, and the way in which it was chosen.
#[derive(Default)]
pub struct Problems {
    pub problems: Vec<Problem>,
    pub choice: Choice,
    /// The keys of all positions so far.
    met: HashSet<u128>,
}

/// Draws a set.
///
/// # Errors
/// If it is empty, and if the sink interrupts.
pub fn draw(job: &SolutionsJob, game: &dyn Game, sink: &mut dyn Sink) -> Result<Problems, MeasureError> {
    let source = RandomPositions::new(job, game).map_err(MeasureError::Positions)?;
    let (mut set, wanted) = (Problems::default(), job.positions as usize);
    let (cores, stop) = (sink.cores(), sink.stop());
    let mut solvers: Vec<Solver> = (0..cores.limit()).map(|_| Solver::new(&job.game, job.nodes.into())).collect();
    while set.is_wanting(wanted) {
        let mut round = set.round(&source, wanted);
        let solve =
            |solver: &mut Solver, part: &mut [Candidate]| part.iter_mut().try_for_each(|one| one.solve(solver, &stop));
        cores.spread(&mut solvers, &mut round, 1, solve)?;
        round.into_iter().for_each(|candidate| set.take(candidate));
        sink.record(Event::Progress { done: set.problems.len() as u64, total: wanted as u64 })?;
    }
    if set.problems.is_empty() { Err(MeasureError::Positions(set.lack(job, game))) } else { Ok(set) }
}

impl Candidate {
    /// Solves the position, if the budget suffices.
    fn solve(&mut self, solver: &mut Solver, stop: &Stop) -> Result<(), Interrupted> {
        if let Candidate::Open { problem, is_solved } = self
            && let Some(values) = solver.values(&*problem.position, stop)
        {
            (problem.values, *is_solved) = (values, true);
        }
        stop.check()
    }
}

impl Problems {
    /// Whether more positions are needed, and may be tried.
    fn is_wanting(&self, wanted: usize) -> bool {
        let is_hopeless = self.problems.is_empty() && self.choice.unsolved >= HOPELESS;
        self.problems.len() < wanted && self.choice.tried < TRIES * wanted as u64 && !is_hopeless
    }

    /// The next random positions. Their number depends on the set alone.
    fn round(&mut self, source: &RandomPositions<'_>, wanted: usize) -> Vec<Candidate> {
        let first = self.choice.tried;
        let count = (wanted - self.problems.len()).min(ROUND) as u64;
        (first..first + count).map(|index| self.candidate(source.position(index))).collect()
    }

    fn candidate(&mut self, problem: Problem) -> Candidate {
        if problem.position.outcome().is_some() {
            return Candidate::Over;
        }
        match self.met.insert(problem.position.key()) {
            true => Candidate::Open { problem, is_solved: false },
            false => Candidate::Repeated,
        }
    }

    /// Keeps a position if a player has a choice in it, or counts the reason to leave it out.
    fn take(&mut self, candidate: Candidate) {
        let choice = &mut self.choice;
        choice.tried += 1;
        let count = match candidate {
            Candidate::Over => &mut choice.over,
            Candidate::Repeated => &mut choice.repeated,
            Candidate::Open { is_solved: false, .. } => &mut choice.unsolved,
            Candidate::Open { problem, .. }
                if problem.values.iter().any(|(action, _)| problem.loss(Some(*action)) > 0) =>
            {
                return self.problems.push(problem);
            }
            Candidate::Open { problem, .. } => match problem.value() {
                1 => &mut choice.all_win,
                0 => &mut choice.all_draw,
                _ => &mut choice.all_lose,
            },
        };
        *count += 1;
    }

    /// The reason why a set is empty, with a remedy.
    fn lack(&self, job: &SolutionsJob, game: &dyn Game) -> String {
        let Choice { tried, over, unsolved, .. } = self.choice;
        let (name, plies) = (game.name(), job.plies);
        if over == tried {
            return format!("all {tried} games of {name} were over after {plies} random plies: take fewer `plies`");
        }
        if unsolved > 0 {
            return format!(
                "no position of {name} with a choice was solved within {} nodes ({unsolved} of {tried} were not solved): \
                 take more `plies`, more `nodes` or a smaller board",
                job.nodes
            );
        }
        format!("in all {tried} positions of {name} after {plies} random plies every move is right: take other `plies`")
    }
}
