//! A player that thinks about one position in slices, within limits of simulations, time or depth.
//!
//! Players with a tree search can be watched and stopped at any time. Other players decide at once and have no limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::search::SearchBudget;
use rand::Rng as _;

use super::ServedPlayer;
use crate::players::{Decision, Player, Turn};
use crate::search::{Anytime, SearchResult, Temperature};
use gauntlet_games::base::{Action, Rng, Seed};
use gauntlet_games::games::{Game, Position};

/// Time of a slice.
const SLICE: Duration = Duration::from_millis(10);

/// Most memory of a tree in bytes, unless the other program names less.
pub const MEMORY: usize = 1 << 30;

/// The limits of a search. It ends when it reaches the first of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Simulations.
    pub simulations: Option<u32>,
    /// Time.
    pub time: Option<Duration>,
    /// Length of the principal variation.
    pub depth: Option<u32>,
    /// Whether the search goes on until it is stopped, even if nothing is left to search.
    pub is_endless: bool,
}

impl Limits {
    /// Whether there is no limit, so that the player's own number of simulations applies.
    fn is_empty(&self) -> bool {
        *self == Limits::default()
    }

    /// Takes the limits of a player's own search.
    fn take(&mut self, budget: SearchBudget) {
        self.time = budget.time();
        self.simulations = self.time.is_none().then(|| budget.most());
    }
}

/// A player that thinks about one position at a time.
pub struct Thinker {
    player: ThinkingPlayer,
    seed: Seed,
    /// Most memory of a tree in bytes.
    memory: usize,
    ongoing: Option<OngoingSearch>,
}

/// The player.
enum ThinkingPlayer {
    /// With a tree search, and the temperature of its moves.
    Search(Box<Anytime>, Temperature),
    /// Another one.
    Player(Box<dyn Player>),
}

/// A search under way, or complete and not yet answered.
struct OngoingSearch {
    position: Box<dyn Position>,
    ply: u32,
    rng: Rng,
    /// The limits, without the simulations that the search itself counts.
    limits: Limits,
    begun: Instant,
    /// The start of the limits: that of the search, or the last call of [`Thinker::limit`].
    limited: Instant,
    is_complete: bool,
    /// The move of a search that has ended.
    chosen: Option<Action>,
    /// The decision of a player without a tree search.
    decision: Decision,
}

/// The state of a search.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The considered moves, best first: at least one after the first simulation.
    pub lines: Vec<Variation>,
    /// Simulations.
    pub simulations: u32,
    /// Length of the longest path.
    pub deepest: usize,
    /// Time since the start.
    pub elapsed: Duration,
    /// The expected outcome for the side to move, -1 to 1, if the player has one.
    pub value: Option<f32>,
    /// Whether the value is the outcome under best play.
    pub is_exact: bool,
}

/// A move with its reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Variation {
    /// The principal variation from this move on, with the move.
    pub moves: Vec<Action>,
    /// Simulations of the move.
    pub visits: u32,
    /// The expected outcome for the side to move.
    pub value: Option<f32>,
    /// Its prior probability.
    pub prior: f32,
}

impl Thinker {
    /// A player of a game; its trees have at most `memory` bytes.
    ///
    /// # Errors
    /// If it cannot play the game; the message is a sentence.
    pub fn new(served: &ServedPlayer, game: &Arc<dyn Game>, seed: &Seed, memory: usize) -> Result<Thinker, String> {
        served.player.check(game)?;
        let (own, said) = (seed.child("weights", 0), |error: crate::players::PlayerError| error.to_string());
        let player = match served.player.searching(game, &served.source(&own)).map_err(said)? {
            Some(player) => {
                let (search, temperature) = player.anytime();
                ThinkingPlayer::Search(Box::new(search), temperature)
            }
            None => ThinkingPlayer::Player(served.player(game, &own)?),
        };
        Ok(Thinker { player, seed: *seed, memory, ongoing: None })
    }

    /// Sets the most memory of a tree, in bytes.
    pub fn set_memory(&mut self, memory: usize) {
        self.memory = memory;
    }

    /// Makes later random choices those of another seed.
    pub fn reseed(&mut self, seed: Seed) {
        self.seed = seed;
    }

    /// Starts to think about a position that is not over, after this number of plies. Its random choices depend only on
    /// the seed and the ply.
    pub fn begin(&mut self, position: &dyn Position, ply: u32, mut limits: Limits) {
        let mut rng = self.seed.child("move", u64::from(ply)).rng();
        if let ThinkingPlayer::Search(search, _) = &mut self.player {
            if limits.is_empty() {
                limits.take(search.usual());
            }
            search.begin(position, Seed::new(rng.next_u64()), limits.simulations.filter(|_| !limits.is_endless));
        }
        limits.simulations = None;
        let (position, begun) = (position.fork(), Instant::now());
        let decision = Decision::default();
        let (limited, is_complete, chosen) = (begun, false, None);
        self.ongoing =
            Some(OngoingSearch { position, ply, rng, limits, begun, limited, is_complete, chosen, decision });
    }

    /// Whether a search is under way that goes on until it is stopped.
    #[must_use]
    pub fn is_endless(&self) -> bool {
        self.ongoing.as_ref().is_some_and(|ongoing| ongoing.limits.is_endless)
    }

    /// Gives a search without limits these ones; time counts from now on, simulations from its start.
    pub fn limit(&mut self, mut limits: Limits) {
        let Some(ongoing) = &mut self.ongoing else { return };
        if let (ThinkingPlayer::Search(search, _), true) = (&self.player, limits.is_empty()) {
            limits.take(search.usual());
        }
        (ongoing.limits, ongoing.limited) = (limits, Instant::now());
    }

    /// Thinks for a slice of time. Returns whether the search has reached a limit.
    ///
    /// # Errors
    /// If the player fails.
    pub fn think(&mut self) -> Result<bool, String> {
        let Some(ongoing) = &mut self.ongoing else { return Ok(true) };
        if ongoing.is_complete {
            if ongoing.limits.is_endless {
                // There is nothing to do but to wait for the next line.
                std::thread::sleep(SLICE);
            }
            return Ok(!ongoing.limits.is_endless);
        }
        match &mut self.player {
            ThinkingPlayer::Player(player) => {
                let mut turns = [Turn { ply: ongoing.ply, ..Turn::new(0, &*ongoing.position, &mut ongoing.rng) }];
                player.decide(&mut turns).map_err(|error| error.to_string())?;
                let [turn] = turns;
                (ongoing.decision, ongoing.is_complete) = (turn.decision, true);
            }
            ThinkingPlayer::Search(search, _) => ongoing.slice(search, self.memory)?,
        }
        Ok(ongoing.is_complete && !ongoing.limits.is_endless)
    }

    /// Chooses the move of a search that goes on no more, if there is one: the first line of the findings begins with
    /// it from now on.
    pub fn settle(&mut self) {
        let Some(ongoing) = self.ongoing.as_mut().filter(|ongoing| ongoing.chosen.is_none()) else { return };
        let chosen = match &self.player {
            ThinkingPlayer::Player(_) => ongoing.decision.action,
            ThinkingPlayer::Search(search, temperature) => {
                let found = search.found();
                found.draw(&found.policy(temperature.at(ongoing.ply)), &mut ongoing.rng)
            }
        };
        // A search that was stopped before its first evaluation has found nothing.
        ongoing.chosen = chosen.or_else(|| any(&*ongoing.position));
    }

    /// Ends the search and returns its move; none if there was no search.
    pub fn choose(&mut self) -> Option<Action> {
        self.settle();
        self.ongoing.take()?.chosen
    }

    /// The findings so far, with at most `most` lines.
    #[must_use]
    pub fn findings(&self, most: usize) -> Findings {
        let Some(ongoing) = &self.ongoing else { return Findings::default() };
        let elapsed = ongoing.begun.elapsed();
        match &self.player {
            ThinkingPlayer::Player(_) => {
                let Decision { action, value, .. } = ongoing.decision;
                let line = |action| Variation { moves: vec![action], visits: 1, value, prior: 1.0 };
                let (lines, simulations) = (action.map(line).into_iter().collect(), u32::from(ongoing.is_complete));
                Findings { lines, simulations, deepest: 1, elapsed, value, is_exact: false }
            }
            ThinkingPlayer::Search(search, _) => {
                let found = search.found();
                let (simulations, deepest) = (search.simulations(), search.deepest());
                let value = found.side.map(|_| found.value);
                let is_exact = found.exact;
                Findings {
                    lines: lines(search, found, ongoing.chosen, most),
                    simulations,
                    deepest,
                    elapsed,
                    value,
                    is_exact,
                }
            }
        }
    }

    /// Records that an action was played, so that a kept tree goes on.
    pub fn played(&mut self, action: Action) {
        match &mut self.player {
            ThinkingPlayer::Search(search, _) => search.played(action),
            ThinkingPlayer::Player(_) => {}
        }
    }

    /// Forgets the game and the search under way.
    pub fn forget(&mut self) {
        self.ongoing = None;
        match &mut self.player {
            ThinkingPlayer::Search(search, _) => search.clear(),
            ThinkingPlayer::Player(player) => player.forget(0),
        }
    }
}

impl OngoingSearch {
    /// Searches until a limit is reached, or for a slice of time.
    fn slice(&mut self, search: &mut Anytime, memory: usize) -> Result<(), String> {
        let (now, limits) = (Instant::now(), self.limits);
        let deadline = limits.time.map(|time| self.limited + time);
        let end = deadline.map_or(now + SLICE, |deadline| deadline.min(now + SLICE));
        loop {
            let goes_on = search.step().map_err(|error| error.to_string())?;
            let has_enough = limits.simulations.is_some_and(|most| search.simulations() >= most);
            self.is_complete = !goes_on || has_enough || search.memory() > memory;
            if self.is_complete || Instant::now() >= end {
                break;
            }
        }
        self.is_complete |= deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.is_complete |= limits.depth.is_some_and(|depth| self.reaches(&search.line(None), depth));
        Ok(())
    }

    /// Whether a line has this length, or ends the game.
    fn reaches(&self, line: &[Action], depth: u32) -> bool {
        let mut position = self.position.fork();
        line.iter().for_each(|&action| position.play(action));
        line.len() as u64 >= u64::from(depth) || position.outcome().is_some()
    }
}

/// The visited moves of a search, best first, or the most probable ones before a visit. The chosen move counts as best.
fn lines(search: &Anytime, found: SearchResult, chosen: Option<Action>, most: usize) -> Vec<Variation> {
    let best = chosen.or_else(|| search.line(None).first().copied());
    let mut children = found.children;
    children.sort_by(|a, b| {
        let rank = |child: &crate::search::RootChild| (Some(child.action) == best, child.visits);
        rank(b).cmp(&rank(a)).then(b.prior.total_cmp(&a.prior))
    });
    let has_visits = children.first().is_some_and(|child| child.visits > 0);
    let shown = children.iter().filter(|child| child.visits > 0 || !has_visits).take(most);
    let line = |child: &crate::search::RootChild| {
        let moves = Some(search.line(Some(child.action))).filter(|line| !line.is_empty());
        let moves = moves.unwrap_or_else(|| vec![child.action]);
        Variation { moves, visits: child.visits, value: child.value, prior: child.prior }
    };
    shown.map(line).collect()
}

/// The first legal action.
fn any(position: &dyn Position) -> Option<Action> {
    let mut legal = Vec::new();
    position.actions(&mut legal);
    legal.first().copied()
}
