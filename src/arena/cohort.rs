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
    /// Whether the actions of every game are kept.
    pub keep_actions: bool,
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
    /// A hash of the actions: equal games have equal ones, and different games hardly ever do.
    pub line: u64,
    /// The actions, in order; empty where they were not to be kept.
    pub actions: Vec<Action>,
}

impl From<Played> for Record {
    fn from(played: Played) -> Record {
        let Played { game, players, outcome, actions, .. } = played;
        Record { game, players, actions, outcome }
    }
}

impl Cohort {
    /// Enough slots to fill the lanes of a kernel, few enough for a core's cache.
    pub const SLOTS: usize = 128;

    /// `games` games that end by their own rules and of which only the outcomes matter.
    #[must_use]
    pub fn new(games: usize) -> Cohort {
        Cohort { games, slots: Cohort::SLOTS, ply_limit: None, keep_actions: false }
    }

    /// Plays game `i` between the two players of `players` that `seats(i)` names, first side first.
    ///
    /// Later players decide before earlier ones, so that the batches of player 0 hold as many games as can be: put
    /// the player that gains most from large batches first. The games come back in order.
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
        let mut waiting = (0..self.games).map(|index| Slot::new(index, seats(index), game, seed));
        let mut slots: Vec<Slot> = waiting.by_ref().take(self.slots.max(1)).collect();
        let mut played: Vec<Option<Played>> = vec![None; self.games];
        let mut chosen = Vec::new();
        while let Some(player) = slots.iter().map(Slot::player).max() {
            decide(player, players[player], &mut slots, &mut chosen)?;
            let to_move = slots.iter_mut().filter(|slot| slot.player() == player);
            to_move.zip(&chosen).try_for_each(|(slot, &action)| slot.play(action, self))?;
            settle(&mut slots, &mut waiting, &mut played);
        }
        Ok(played.into_iter().map(|played| played.expect("the loop ends when every game has ended")).collect())
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
    line: u64,
    actions: Vec<Action>,
}

impl Slot {
    fn new(index: usize, players: [usize; 2], game: &dyn Game, seed: &Seed) -> Slot {
        let position = game.start();
        let (side, outcome) = (position.side(), position.outcome());
        let rngs = ["first", "second"].map(|label| seed.child(label, index as u64).rng());
        Slot { index, players, position, side, rngs, outcome, plies: 0, line: 0, actions: Vec::new() }
    }

    /// The player to move.
    fn player(&self) -> usize {
        self.players[self.side.index()]
    }

    fn play(&mut self, action: Action, cohort: &Cohort) -> Result<(), ArenaError> {
        if let Some(limit) = cohort.ply_limit.filter(|&limit| self.plies >= limit) {
            return Err(ArenaError::PlyLimit { game: self.index, limit });
        }
        self.position.play(action);
        self.side = self.position.side();
        self.outcome = self.position.outcome();
        self.plies += 1;
        self.line = extend(self.line, action);
        if cohort.keep_actions {
            self.actions.push(action);
        }
        Ok(())
    }

    fn end(self, outcome: Outcome) -> Played {
        let Slot { index: game, players, plies, line, actions, .. } = self;
        Played { game, players, outcome, plies, line, actions }
    }
}

/// Asks `player`, whose index is `index`, for an action in every slot where it is to move.
///
/// The list of turns borrows the slots and therefore lives for one call: one allocation for a whole batch.
fn decide(
    index: usize,
    player: &mut dyn Player,
    slots: &mut [Slot],
    chosen: &mut Vec<Action>,
) -> Result<(), ArenaError> {
    let mut turns = Vec::with_capacity(slots.len());
    turns.extend(slots.iter_mut().filter(|slot| slot.player() == index).map(|slot| Turn {
        game: slot.index,
        position: &*slot.position,
        rng: &mut slot.rngs[slot.side.index()],
        decision: Decision::default(),
    }));
    player.decide(&mut turns)?;
    chosen.clear();
    for turn in &turns {
        chosen.push(turn.decision.action.ok_or(ArenaError::Undecided { player: index, game: turn.game })?);
    }
    Ok(())
}

/// Takes the games that are over out of their slots and lets waiting ones in.
fn settle(slots: &mut Vec<Slot>, waiting: &mut impl Iterator<Item = Slot>, played: &mut [Option<Played>]) {
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
        let game = over.index;
        played[game] = Some(over.end(outcome));
    }
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
        let cohort = Cohort { games: 37, slots, ply_limit: None, keep_actions };
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
    fn the_first_player_decides_full_batches() {
        let (mut net, mut opponent) = (Chaser::default(), Strider);
        let seats = |index: usize| if index < 8 { [0, 1] } else { [1, 0] };
        Cohort::new(16).play(&Line::default(), &mut [&mut net, &mut opponent], seats, &Seed::new(1)).expect("fine");
        assert!(net.batches[0] > 8, "{:?}", net.batches);
    }

    #[test]
    fn an_endless_game_is_an_error() {
        let cohort = Cohort { ply_limit: Some(2), ..Cohort::new(4) };
        let (mut a, mut b) = (Strider, Strider);
        let error = cohort.play(&Line::default(), &mut [&mut a, &mut b], |_| [0, 1], &Seed::new(1)).expect_err("limit");
        assert_eq!(error.to_string(), "game 0 is not over after 2 plies");
    }
}
