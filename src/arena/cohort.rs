//! Many games in lockstep, so that a player decides all of its positions in one batch.
//!
//! It is no match: who meets whom, and what a result is worth, is said elsewhere. A game depends on its index, its
//! two players and the seed alone, never on the games beside it; slots refill in the order of the games.

use super::ArenaError;
use crate::base::{Action, Outcome, Record, Rng, Seed, Side};
use crate::games::{Game, Position};
use crate::players::{Decision, Player, Turn};

/// How a number of games is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cohort {
    /// Number of games.
    pub games: usize,
    /// Games under way at the same time; no result depends on it.
    pub slots: usize,
    /// Plies after which an unfinished game is an error; `None` for games that always end.
    pub ply_limit: Option<u32>,
    /// Plies, the opening's included, after which an unfinished game is called a draw; `None` to play on.
    pub max_plies: Option<u32>,
    /// Whether the actions of every game are kept.
    pub keep_actions: bool,
}

/// A game that is to be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Index of the game, which its random streams depend on.
    pub game: usize,
    /// Player indices, first side first.
    pub players: [usize; 2],
    /// Legal actions that are played before either player is asked.
    pub opening: Vec<Action>,
}

/// Hears of the games of a cohort while they are played. An error of it ends the cohort.
pub trait Listener {
    /// A game is over. Games end in any order.
    ///
    /// # Errors
    /// Whatever shall end the cohort.
    fn ended(&mut self, played: Played) -> Result<(), ArenaError>;

    /// A player has decided a batch of positions.
    ///
    /// # Errors
    /// Whatever shall end the cohort, an interruption above all.
    fn moved(&mut self) -> Result<(), ArenaError> {
        Ok(())
    }
}

/// Keeps every game in its place.
impl Listener for Vec<Option<Played>> {
    fn ended(&mut self, played: Played) -> Result<(), ArenaError> {
        let game = played.game;
        self[game] = Some(played);
        Ok(())
    }
}

/// One game of a cohort, played to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Index of the game.
    pub game: usize,
    /// Player indices, first side first.
    pub players: [usize; 2],
    /// How it ended.
    pub outcome: Outcome,
    /// Number of actions played.
    pub plies: u32,
    /// How many of them the opening gave.
    pub opening: u32,
    /// Whether it was called a draw at the cohort's `max_plies`.
    pub adjudicated: bool,
    /// A hash of the actions: equal games have equal ones, and different games hardly ever do.
    pub line: u64,
    /// The actions, in order; empty where they were not to be kept.
    pub actions: Vec<Action>,
}

impl From<Played> for Record {
    fn from(played: Played) -> Record {
        let Played { game, players, outcome, opening, adjudicated, actions, .. } = played;
        Record { game, players, actions, opening, outcome, adjudicated }
    }
}

impl Cohort {
    /// All of a usual fitness, a whole number of lanes, and few enough games for a core's cache.
    pub const SLOTS: usize = 112;

    /// `games` games that end by their own rules and of which only the outcomes matter.
    #[must_use]
    pub fn new(games: usize) -> Cohort {
        Cohort { games, slots: Cohort::SLOTS, ply_limit: None, max_plies: None, keep_actions: false }
    }

    /// Plays game `i` between the two players of `players` that `seats(i)` names, first side first.
    ///
    /// The games come back in order.
    ///
    /// # Errors
    /// When a player cannot answer, and when a game exceeds the ply limit.
    pub fn play(
        &self,
        game: &dyn Game,
        players: &mut [&mut dyn Player],
        seats: impl Fn(usize) -> [usize; 2],
        seed: &Seed,
    ) -> Result<Vec<Played>, ArenaError> {
        let starts = (0..self.games).map(|game| Start { game, players: seats(game), opening: Vec::new() });
        let mut played: Vec<Option<Played>> = vec![None; self.games];
        self.play_each(game, players, starts, seed, &mut played)?;
        Ok(played.into_iter().map(|played| played.expect("the loop ends when every game has ended")).collect())
    }

    /// Plays every game of `starts` (not only as many as the cohort names), and tells the listener of each.
    ///
    /// A player is asked for a whole number of its lanes as long as it has so many games, and later players before
    /// earlier ones: put the player that gains most from large batches first.
    ///
    /// # Errors
    /// When a player cannot answer, when a game exceeds the ply limit, and when the listener says so.
    pub fn play_each(
        &self,
        game: &dyn Game,
        players: &mut [&mut dyn Player],
        starts: impl IntoIterator<Item = Start>,
        seed: &Seed,
        listener: &mut dyn Listener,
    ) -> Result<(), ArenaError> {
        let mut waiting = starts.into_iter().map(|start| self.slot(start, game, seed));
        let mut slots: Vec<Slot> = waiting.by_ref().take(self.slots.max(1)).collect();
        loop {
            forget(&slots, players);
            settle(&mut slots, &mut waiting, listener)?;
            let Some(player) = next_player(&slots, players) else { return Ok(()) };
            let mut asked = asked(&mut slots, player, players[player].lanes());
            let actions = decide(player, players[player], &mut asked)?;
            asked.into_iter().zip(actions).try_for_each(|(slot, action)| slot.decided(action, self))?;
            listener.moved()?;
        }
    }

    /// A game with its opening played.
    fn slot(&self, start: Start, game: &dyn Game, seed: &Seed) -> Slot {
        let mut slot = Slot::new(start.game, start.players, game, seed);
        start.opening.into_iter().for_each(|action| slot.play(action, self));
        slot.opening = slot.plies;
        slot
    }
}

/// A game under way.
struct Slot {
    index: usize,
    players: [usize; 2],
    position: Box<dyn Position>,
    side: Side,
    /// The random streams of the two sides.
    rngs: [Rng; 2],
    outcome: Option<Outcome>,
    plies: u32,
    opening: u32,
    adjudicated: bool,
    line: u64,
    actions: Vec<Action>,
}

impl Slot {
    fn new(index: usize, players: [usize; 2], game: &dyn Game, seed: &Seed) -> Slot {
        let position = game.start();
        let (side, outcome) = (position.side(), position.outcome());
        let rngs = ["first", "second"].map(|label| seed.child(label, index as u64).rng());
        let (plies, opening, adjudicated, line) = (0, 0, false, 0);
        Slot { index, players, position, side, rngs, outcome, plies, opening, adjudicated, line, actions: Vec::new() }
    }

    /// The player to move.
    fn player(&self) -> usize {
        self.players[self.side.index()]
    }

    fn turn(&mut self) -> Turn<'_> {
        Turn {
            game: self.index,
            position: &*self.position,
            rng: &mut self.rngs[self.side.index()],
            decision: Decision::default(),
        }
    }

    /// Plays what a player has decided, within the limits of the cohort.
    fn decided(&mut self, action: Action, cohort: &Cohort) -> Result<(), ArenaError> {
        if let Some(limit) = cohort.ply_limit.filter(|&limit| self.plies >= limit) {
            return Err(ArenaError::PlyLimit { game: self.index, limit });
        }
        self.play(action, cohort);
        Ok(())
    }

    fn play(&mut self, action: Action, cohort: &Cohort) {
        self.position.play(action);
        self.side = self.position.side();
        self.outcome = self.position.outcome();
        self.plies += 1;
        self.line = extend(self.line, action);
        if cohort.keep_actions {
            self.actions.push(action);
        }
        if self.outcome.is_none() && cohort.max_plies.is_some_and(|most| self.plies >= most) {
            (self.outcome, self.adjudicated) = (Some(Outcome::Draw), true);
        }
    }

    fn end(self, outcome: Outcome) -> Played {
        let Slot { index: game, players, plies, opening, adjudicated, line, actions, .. } = self;
        Played { game, players, outcome, plies, opening, adjudicated, line, actions }
    }
}

/// The last player with at least a whole batch of games to decide, or else the last with any.
fn next_player(slots: &[Slot], players: &[&mut dyn Player]) -> Option<usize> {
    let mut waiting = vec![0; players.len()];
    slots.iter().for_each(|slot| waiting[slot.player()] += 1);
    let candidates = (0..players.len()).filter(|&player| waiting[player] > 0);
    candidates.max_by_key(|&player| (waiting[player] >= players[player].lanes(), player))
}

/// The slots where `player` is to move; of more than a whole number of lanes, the least advanced ones.
fn asked(slots: &mut [Slot], player: usize, lanes: usize) -> Vec<&mut Slot> {
    let mut asked: Vec<&mut Slot> = slots.iter_mut().filter(|slot| slot.player() == player).collect();
    let whole = asked.len() / lanes * lanes;
    if 0 < whole && whole < asked.len() {
        asked.select_nth_unstable_by_key(whole, |slot| slot.plies);
        asked.truncate(whole);
    }
    asked
}

/// Asks `player`, whose index is `index`, for an action in each of these slots.
///
/// The lists borrow the slots and therefore live for one call: a few allocations for a whole batch.
fn decide(index: usize, player: &mut dyn Player, slots: &mut [&mut Slot]) -> Result<Vec<Action>, ArenaError> {
    let mut turns: Vec<Turn<'_>> = slots.iter_mut().map(|slot| slot.turn()).collect();
    player.decide(&mut turns)?;
    let action = |turn: &Turn<'_>| turn.decision.action.ok_or(ArenaError::Undecided { player: index, game: turn.game });
    turns.iter().map(action).collect()
}

/// Has the players of games that are over forget them.
fn forget(slots: &[Slot], players: &mut [&mut dyn Player]) {
    for slot in slots.iter().filter(|slot| slot.outcome.is_some()) {
        slot.players.iter().for_each(|&player| players[player].forget(slot.index));
    }
}

/// Takes the games that are over out of their slots and lets waiting ones in.
fn settle(
    slots: &mut Vec<Slot>,
    waiting: &mut impl Iterator<Item = Slot>,
    listener: &mut dyn Listener,
) -> Result<(), ArenaError> {
    let mut at = 0;
    while at < slots.len() {
        let Some(outcome) = slots[at].outcome else {
            at += 1;
            continue;
        };
        let over = match waiting.next() {
            Some(slot) => std::mem::replace(&mut slots[at], slot),
            None => slots.swap_remove(at),
        };
        listener.ended(over.end(outcome))?;
    }
    Ok(())
}

/// One step of the hash of a game's actions: FNV-1a on whole actions, then a rotation so that high bits count.
fn extend(line: u64, action: Action) -> u64 {
    ((line ^ (u64::from(action.0) + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Chaser, Line, Strider};
    use super::*;

    fn play(slots: usize, keep_actions: bool, seed: u64) -> Vec<Played> {
        let cohort = Cohort { slots, keep_actions, ..Cohort::new(37) };
        let seats = |index: usize| [index % 3, (index + 1) % 3];
        let (mut a, mut b, mut c) = (Chaser::default(), Strider, Chaser::default());
        cohort.play(&Line::default(), &mut [&mut a, &mut b, &mut c], seats, &Seed::new(seed)).expect("nobody fails")
    }

    #[test]
    fn no_result_depends_on_the_slots() {
        let whole = play(37, true, 1);
        assert_eq!(whole.iter().map(|played| played.game).collect::<Vec<_>>(), (0..37).collect::<Vec<_>>());
        [1, 2, 5, 36, 128].into_iter().for_each(|slots| assert_eq!(play(slots, true, 1), whole, "{slots} slots"));
        assert_ne!(play(37, true, 2), whole);
    }

    #[test]
    fn the_actions_of_a_game_replay_to_its_outcome() {
        for played in play(8, true, 3) {
            let mut position = Line::default().start();
            played.actions.iter().for_each(|&action| position.play(action));
            assert_eq!(position.outcome(), Some(played.outcome));
            assert_eq!(played.actions.len(), played.plies as usize);
            assert_eq!(played.actions.iter().fold(0, |line, &action| extend(line, action)), played.line);
        }
        assert!(play(8, false, 3).iter().all(|played| played.actions.is_empty()));
    }

    #[test]
    fn the_first_player_decides_whole_batches() {
        let (mut net, mut opponent) = (Chaser { lanes: 8, batches: Vec::new() }, Strider);
        let seats = |index: usize| if index < 50 { [0, 1] } else { [1, 0] };
        Cohort::new(100).play(&Line::default(), &mut [&mut net, &mut opponent], seats, &Seed::new(1)).expect("fine");
        assert_eq!(net.batches[0], 96, "of 100 games, eight at a time");
        assert!(net.batches.iter().all(|&batch| batch % 8 == 0 || batch < 8), "{:?}", net.batches);
    }

    #[test]
    fn an_endless_game_is_an_error() {
        let cohort = Cohort { ply_limit: Some(2), ..Cohort::new(4) };
        let (mut a, mut b) = (Strider, Strider);
        let error = cohort.play(&Line::default(), &mut [&mut a, &mut b], |_| [0, 1], &Seed::new(1)).expect_err("limit");
        assert_eq!(error.to_string(), "game 0 is not over after 2 plies");
    }

    #[test]
    fn an_endless_game_may_be_called_a_draw() {
        let cohort = Cohort { max_plies: Some(2), keep_actions: true, ..Cohort::new(4) };
        let (mut a, mut b) = (Strider, Strider);
        let played = cohort.play(&Line::default(), &mut [&mut a, &mut b], |_| [0, 1], &Seed::new(1)).expect("fine");
        assert!(played.iter().all(|game| game.adjudicated && game.outcome == Outcome::Draw && game.plies == 2));
    }

    #[test]
    fn openings_are_played_before_anybody_is_asked() {
        let opening = vec![Action(2), Action(1)];
        let starts = (0..3).map(|game| Start { game, players: [0, 1], opening: opening.clone() });
        let mut played = vec![None; 3];
        let cohort = Cohort { keep_actions: true, ..Cohort::new(3) };
        let (mut a, mut b) = (Strider, Strider);
        let mut players: [&mut dyn Player; 2] = [&mut a, &mut b];
        cohort.play_each(&Line::default(), &mut players, starts, &Seed::new(1), &mut played).expect("fine");
        for game in played.into_iter().flatten() {
            assert_eq!((&game.actions[..2], game.opening), (&opening[..], 2));
            assert!(game.plies > 2 && !game.adjudicated);
        }
    }
}
