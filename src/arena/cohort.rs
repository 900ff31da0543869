//! Many games in lockstep, so that a player decides all of its positions in one batch.
//!
//! It is no match: who meets whom, and what a result is worth, is said elsewhere. A game depends on its index, its
//! two players and the seed alone, never on the games beside it; slots refill in the order of the games.

use super::ArenaError;
use super::resign::{Resign, Watch};
use crate::base::{Action, Ending, Outcome, Record, Rng, Seed, Side};
use crate::formats::Opening;
use crate::games::{Game, Position};
use crate::players::{Decision, Player, Turn};

/// How a number of games is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cohort {
    /// Number of games.
    pub games: usize,
    /// Games under way at the same time; no result depends on it.
    pub slots: usize,
    /// Plies after which an unfinished game is an error; `None` for games that always end.
    pub ply_limit: Option<u32>,
    /// Plies, the opening's included, after which an unfinished game is called a draw; `None` to play on.
    pub max_plies: Option<u32>,
    /// When players resign; `None` to play on.
    pub resign: Option<Resign>,
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
    /// What is set up and played before either player is asked; it fits the game and does not end it.
    pub opening: Opening,
    /// Whether nobody may resign, so that the game tells whether it would have been wrong.
    pub played_out: bool,
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
    /// Why it was over.
    pub ending: Ending,
    /// The position that was set up, if one was.
    pub start: Option<String>,
    /// Whether nobody was allowed to resign.
    pub played_out: bool,
    /// Who would have resigned first, where nobody was allowed to.
    pub would_resign: Option<Side>,
    /// A hash of start and actions: equal games have equal ones, and different games hardly ever do.
    pub line: u64,
    /// The actions, in order; empty where they were not to be kept.
    pub actions: Vec<Action>,
}

impl From<Played> for Record {
    fn from(played: Played) -> Record {
        let Played { game, players, start, actions, opening, outcome, ending, played_out, would_resign, .. } = played;
        Record { game, players, start, actions, opening, outcome, ending, played_out, would_resign }
    }
}

impl Cohort {
    /// All of a usual fitness, a whole number of lanes, and few enough games for a core's cache.
    pub const SLOTS: usize = 112;

    /// `games` games that end by their own rules and of which only the outcomes matter.
    #[must_use]
    pub fn new(games: usize) -> Cohort {
        let (ply_limit, max_plies, resign) = (None, None, None);
        Cohort { games, slots: Cohort::SLOTS, ply_limit, max_plies, resign, keep_actions: false }
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
        let start = |game| Start { game, players: seats(game), opening: Opening::default(), played_out: false };
        let starts = (0..self.games).map(start);
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
            let choices = decide(player, players[player], &mut asked)?;
            asked.into_iter().zip(choices).try_for_each(|(slot, choice)| slot.decided(choice, self))?;
            listener.moved()?;
        }
    }

    /// A game with its opening played.
    fn slot(&self, start: Start, game: &dyn Game, seed: &Seed) -> Slot {
        let mut slot = Slot::new(&start, game, seed);
        start.opening.actions.into_iter().for_each(|action| slot.play(action, self));
        (slot.opening, slot.start) = (slot.plies, start.opening.start);
        slot
    }
}

/// A game under way.
struct Slot {
    index: usize,
    players: [usize; 2],
    start: Option<String>,
    position: Box<dyn Position>,
    side: Side,
    /// The random streams of the two sides.
    rngs: [Rng; 2],
    watch: Watch,
    played_out: bool,
    would_resign: Option<Side>,
    outcome: Option<Outcome>,
    ending: Ending,
    plies: u32,
    opening: u32,
    line: u64,
    actions: Vec<Action>,
}

/// What a player answered: its action, and what it expects, if it expects anything.
type Choice = (Action, Option<f32>);

impl Slot {
    fn new(start: &Start, game: &dyn Game, seed: &Seed) -> Slot {
        let set_up = start.opening.start.as_deref();
        let position = game.begin(set_up).expect("openings are checked when they are read");
        Slot {
            index: start.game,
            players: start.players,
            start: None,
            side: position.side(),
            rngs: ["first", "second"].map(|label| seed.child(label, start.game as u64).rng()),
            watch: Watch::default(),
            played_out: start.played_out,
            would_resign: None,
            outcome: position.outcome(),
            ending: Ending::Rules,
            plies: 0,
            opening: 0,
            line: set_up.map_or(0, |_| position.key() as u64),
            actions: Vec::new(),
            position,
        }
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

    /// Plays what a player has decided, within the limits of the cohort, unless it resigns.
    fn decided(&mut self, (action, expected): Choice, cohort: &Cohort) -> Result<(), ArenaError> {
        if let Some(limit) = cohort.ply_limit.filter(|&limit| self.plies >= limit) {
            return Err(ArenaError::PlyLimit { game: self.index, limit });
        }
        let despairs = cohort.resign.is_some_and(|rule| self.watch.hears(&rule, self.side, expected));
        match despairs {
            true if !self.played_out => {
                (self.outcome, self.ending) = (Some(Outcome::Win(self.side.opponent())), Ending::Resigned);
                return Ok(());
            }
            true => drop(self.would_resign.get_or_insert(self.side)),
            false => {}
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
            (self.outcome, self.ending) = (Some(Outcome::Draw), Ending::MaxPlies);
        }
    }

    fn end(self, outcome: Outcome) -> Played {
        let Slot { index: game, players, start, plies, opening, ending, line, actions, .. } = self;
        let Slot { played_out, would_resign, .. } = self;
        Played { game, players, outcome, plies, opening, ending, start, played_out, would_resign, line, actions }
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

/// Asks `player`, whose index is `index`, for a choice in each of these slots.
///
/// The lists borrow the slots and therefore live for one call: a few allocations for a whole batch.
fn decide(index: usize, player: &mut dyn Player, slots: &mut [&mut Slot]) -> Result<Vec<Choice>, ArenaError> {
    let mut turns: Vec<Turn<'_>> = slots.iter_mut().map(|slot| slot.turn()).collect();
    player.decide(&mut turns)?;
    let choice = |turn: &Turn<'_>| match turn.decision.action {
        Some(action) => Ok((action, turn.decision.value)),
        None => Err(ArenaError::Undecided { player: index, game: turn.game }),
    };
    turns.iter().map(choice).collect()
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
    use super::super::testing::{Chaser, Line, Pessimist, Strider};
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
        assert!(
            played
                .iter()
                .all(|game| game.ending == Ending::MaxPlies && game.outcome == Outcome::Draw && game.plies == 2)
        );
    }

    #[test]
    fn openings_are_played_before_anybody_is_asked() {
        let opening = Opening { actions: vec![Action(2), Action(1)], ..Opening::default() };
        let starts = (0..3).map(|game| Start { game, players: [0, 1], opening: opening.clone(), played_out: false });
        let mut played = vec![None; 3];
        let cohort = Cohort { keep_actions: true, ..Cohort::new(3) };
        let (mut a, mut b) = (Strider, Strider);
        let mut players: [&mut dyn Player; 2] = [&mut a, &mut b];
        cohort.play_each(&Line::default(), &mut players, starts, &Seed::new(1), &mut played).expect("fine");
        for game in played.into_iter().flatten() {
            assert_eq!((&game.actions[..2], game.opening), (&opening.actions[..], 2));
            assert!(game.plies > 2 && game.ending == Ending::Rules);
        }
    }

    #[test]
    fn who_sees_no_hope_resigns_unless_the_game_is_played_out() {
        let resign = Some(Resign { below: -0.9, plies: 2, played_out: 0.5 });
        let cohort = Cohort { resign, keep_actions: true, ..Cohort::new(40) };
        let start = |game: usize| {
            let (players, opening) = ([game % 2, 1 - game % 2], Opening::default());
            Start { game, players, opening, played_out: game >= 20 }
        };
        let mut played: Vec<Option<Played>> = vec![None; 40];
        let (mut gloomy, mut other) = (Pessimist, Strider);
        let mut players: [&mut dyn Player; 2] = [&mut gloomy, &mut other];
        cohort.play_each(&Line::default(), &mut players, (0..40).map(start), &Seed::new(1), &mut played).expect("fine");
        let played: Vec<Played> = played.into_iter().flatten().collect();
        for game in &played[..20] {
            let gloomy = Side::BOTH[game.players.iter().position(|&player| player == 0).expect("it plays")];
            assert_eq!((game.ending, game.outcome), (Ending::Resigned, Outcome::Win(gloomy.opponent())));
            assert_eq!(game.plies, 2 + gloomy.index() as u32, "its second move is not played");
            assert_eq!((game.played_out, game.would_resign), (false, None));
        }
        for game in &played[20..] {
            let gloomy = Side::BOTH[game.players.iter().position(|&player| player == 0).expect("it plays")];
            assert_eq!((game.ending, game.would_resign), (Ending::Rules, Some(gloomy)));
        }
        let wrong = |game: &&Played| game.outcome.score(game.would_resign.expect("see above")) >= 0.0;
        assert!(played[20..].iter().filter(wrong).count() >= 10, "it never moves by 1 and often wins");
    }

    #[test]
    fn a_position_that_was_set_up_is_played_on() {
        let game: crate::games::GameSpec = serde_json::from_str(r#"{"mnk":{"rows":3,"columns":3,"row":3}}"#).unwrap();
        let game = game.build();
        let opening = |start: &str| Opening { start: Some(start.to_owned()), ..Opening::default() };
        let starts = ["xx1/3/oo1 o", "xx1/oo1/3 x"].into_iter().enumerate();
        let starts =
            starts.map(|(game, text)| Start { game, players: [0, 1], opening: opening(text), played_out: false });
        let mut played = vec![None; 2];
        let (mut a, mut b) = (crate::players::Naive::default(), crate::players::Naive::default());
        let mut players: [&mut dyn Player; 2] = [&mut a, &mut b];
        Cohort::new(2).play_each(&*game, &mut players, starts, &Seed::new(1), &mut played).expect("fine");
        let played: Vec<Played> = played.into_iter().flatten().collect();
        // Whoever is to move wins at once.
        assert_eq!((played[0].plies, played[0].outcome), (1, Outcome::Win(Side::Second)));
        assert_eq!((played[1].plies, played[1].outcome), (1, Outcome::Win(Side::First)));
        assert_eq!(played[0].start.as_deref(), Some("xx1/3/oo1 o"));
        assert_ne!(played[0].line, played[1].line);
    }
}
