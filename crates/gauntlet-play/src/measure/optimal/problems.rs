//! The set of positions: drawn at random, solved, and kept if a player has a choice in them.
//!
//! Position `i` depends on the game, the settings and `i` alone. The set takes the first ones that fit, whatever the number
//! of cores that solve them.

use std::collections::HashSet;

use super::super::MeasureError;
use super::super::solve::Solver;
use gauntlet_games::base::{Action, Event, Interrupted, Seed, Sink, Stop};
use gauntlet_games::games::{Game, GameSpec, Position};
use rand::RngExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The settings of a set.
pub(super) struct SetSpec<'a> {
    pub game: &'a GameSpec,
    /// The most positions.
    pub positions: usize,
    /// Random plies: at least, at most.
    pub plies: [u32; 2],
    /// Nodes of the solver for each position.
    pub nodes: u32,
    /// The number of the set.
    pub number: u64,
}

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
pub(super) struct Problem {
    pub position: Box<dyn Position>,
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
    spec: &'a SetSpec<'a>,
    game: &'a dyn Game,
    seed: Seed,
}

impl RandomPositions<'_> {
    fn new<'a>(spec: &'a SetSpec<'a>, game: &'a dyn Game) -> RandomPositions<'a> {
        RandomPositions { spec, game, seed: Seed::new(spec.number).child("optimal", 0).child(&game.name(), 0) }
    }

    /// A random position, and the actions that lead to it; the game may be over earlier.
    fn position(&self, index: u64) -> (Box<dyn Position>, Vec<Action>) {
        let mut rng = self.seed.child("position", index).rng();
        let ([least, most], mut position, mut played) = (self.spec.plies, self.game.start(), Vec::new());
        let plies = rng.random_range(least..=most);
        while played.len() < plies as usize && position.outcome().is_none() {
            let action = position.random_action(&mut rng);
            position.play(action);
            played.push(action);
        }
        (position, played)
    }
}

/// Checks that some random game goes on after the plies of the set.
///
/// # Errors
/// The most plies after which one of [`GAMES`] random games goes on, if that is fewer.
pub(super) fn check_depth(spec: &SetSpec<'_>, game: &dyn Game) -> Result<(), u32> {
    let (source, mut deepest) = (RandomPositions::new(spec, game), 0);
    for index in 0..GAMES {
        let (position, played) = source.position(index);
        if position.outcome().is_none() {
            return Ok(());
        }
        deepest = deepest.max(played.len().saturating_sub(1) as u32);
    }
    Err(deepest)
}

/// A set of positions, and the way in which it was chosen.
#[derive(Default)]
pub(super) struct Problems {
    pub problems: Vec<Problem>,
    pub choice: Choice,
    /// The keys of all positions so far.
    met: HashSet<u128>,
}

/// Draws a set.
///
/// # Errors
/// If it is empty, and if the sink interrupts.
pub(super) fn draw(spec: &SetSpec<'_>, game: &dyn Game, sink: &mut dyn Sink) -> Result<Problems, MeasureError> {
    let (source, mut set) = (RandomPositions::new(spec, game), Problems::default());
    let (cores, stop, wanted) = (sink.cores(), sink.stop(), spec.positions);
    let mut solvers: Vec<Solver> = (0..cores.limit()).map(|_| Solver::new(spec.game, spec.nodes.into())).collect();
    while set.is_wanting(wanted) {
        let mut round = set.round(&source, wanted);
        let solve =
            |solver: &mut Solver, part: &mut [Candidate]| part.iter_mut().try_for_each(|one| one.solve(solver, &stop));
        cores.spread(&mut solvers, &mut round, 1, solve)?;
        round.into_iter().for_each(|candidate| set.take(candidate));
        sink.record(Event::Progress { done: set.problems.len() as u64, total: wanted as u64 })?;
    }
    if set.problems.is_empty() { Err(MeasureError::Positions(set.lack(spec, game))) } else { Ok(set) }
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

    fn candidate(&mut self, (position, played): (Box<dyn Position>, Vec<Action>)) -> Candidate {
        if position.outcome().is_some() {
            return Candidate::Over;
        }
        match self.met.insert(position.key()) {
            true => Candidate::Open { problem: Problem { position, played, values: Vec::new() }, is_solved: false },
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
    fn lack(&self, spec: &SetSpec<'_>, game: &dyn Game) -> String {
        let Choice { tried, over, unsolved, .. } = self.choice;
        let (name, plies) = (game.name(), spec.plies[0]);
        if over == tried {
            return format!("all {tried} games of {name} were over after {plies} random plies: take fewer `plies`");
        }
        if unsolved > 0 {
            return format!(
                "no position of {name} with a choice was solved within {} nodes ({unsolved} of {tried} were not solved): \
                 take more `plies`, more `nodes` or a smaller board",
                spec.nodes
            );
        }
        format!("in all {tried} positions of {name} after {plies} random plies every move is right: take other `plies`")
    }
}
