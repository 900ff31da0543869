//! A game under way: its position, its random streams, its players, and its end.

use super::adjudicate::{Adjudication, Agreement};
use super::clock::{Clock, Clocks, DecisionTime};
use super::resign::{Resign, Streaks};
use super::suspended::{SuspendedGame, draw, drawn};
use crate::players::{Decision, Turn};
use gauntlet_games::base::{Action, Ending, Outcome, Record, Rng, Seed, Side, SideTime};
use gauntlet_games::formats::Opening;
use gauntlet_games::games::{Game, Position};

/// Rules of play outside the rules of the game.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Terms {
    /// Plies, including the opening's, after which an unfinished game is adjudicated a draw; `None` for no limit.
    pub max_plies: Option<u32>,
    /// The resignation rule; `None` for no resignation.
    pub resign: Option<Resign>,
    /// Adjudication by agreed scores; `None` for none.
    pub adjudicate: Option<Adjudication>,
    /// The time of a game; `None` for games without a clock.
    pub clock: Option<Clock>,
    /// Whether the actions of every game are recorded.
    pub keep_actions: bool,
}

/// A game of a match before its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameStart {
    /// Index of the game, which its random streams depend on.
    pub game: usize,
    /// Player indices, first side first.
    pub players: [usize; 2],
    /// The opening; it fits the game and does not end it.
    pub opening: Opening,
    /// Whether resigning is off, so that the game shows whether a resignation would have been wrong.
    pub played_out: bool,
    /// The game as an interruption left it; it fits the opening. `None` for a new game.
    pub suspended: Option<SuspendedGame>,
}

impl GameStart {
    /// A new game.
    #[must_use]
    pub fn new(game: usize, players: [usize; 2], opening: Opening) -> GameStart {
        GameStart { game, players, opening, played_out: false, suspended: None }
    }
}

/// One finished game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedGame {
    /// Index of the game.
    pub game: usize,
    /// Player indices, first side first.
    pub players: [usize; 2],
    /// Its outcome.
    pub outcome: Outcome,
    /// Number of actions played.
    pub plies: u32,
    /// Number of actions in the opening.
    pub opening: u32,
    /// The reason for its end.
    pub ending: Ending,
    /// The starting position, if it differs from the game's.
    pub start: Option<String>,
    /// Whether resigning was off.
    pub played_out: bool,
    /// The side that would have resigned first, if resigning was off.
    pub would_resign: Option<Side>,
    /// The times of both sides, in a game with a clock.
    pub times: Option<[SideTime; 2]>,
    /// A hash of start and actions: equal for equal games, and almost surely different for different games.
    pub line: u64,
    /// The actions, in order; empty if they are not recorded.
    pub actions: Vec<Action>,
}

impl From<PlayedGame> for Record {
    fn from(played: PlayedGame) -> Record {
        let PlayedGame { game, players, start, actions, opening, outcome, ending, .. } = played;
        let PlayedGame { played_out, would_resign, times, .. } = played;
        Record { game, players, start, actions, opening, outcome, ending, played_out, would_resign, times }
    }
}

/// The random streams of a game.
#[derive(Debug, Clone)]
pub enum Streams {
    /// One for each side, first side first, with its seed.
    Sides([(Seed, Rng); 2]),
    /// One for both sides, and a seed: its children named `ply` are the seeds of the searches.
    Shared(Rng, Seed),
}

impl Streams {
    /// The generator of a side.
    fn generator(&mut self, side: Side) -> &mut Rng {
        match self {
            Streams::Sides(sides) => &mut sides[side.index()].1,
            Streams::Shared(rng, _) => rng,
        }
    }

    /// The stream of a side, its seed, and the seed of its search, as far as there are any.
    fn of(&mut self, side: Side, ply: u32) -> (&mut Rng, Option<Seed>, Option<Seed>) {
        match self {
            Streams::Sides(sides) => {
                let (seed, rng) = &mut sides[side.index()];
                (rng, Some(*seed), None)
            }
            Streams::Shared(rng, seed) => (rng, None, Some(seed.child("ply", u64::from(ply)))),
        }
    }
}

/// A game under way.
pub struct RunningGame {
    pub(super) game: usize,
    pub(super) outcome: Option<Outcome>,
    pub(super) plies: u32,
    pub(super) players: [usize; 2],
    start: Option<String>,
    position: Box<dyn Position>,
    side: Side,
    streams: Streams,
    streaks: Streaks,
    agreement: Agreement,
    clocks: Option<Clocks>,
    played_out: bool,
    would_resign: Option<Side>,
    ending: Ending,
    opening: u32,
    line: u64,
    actions: Vec<Action>,
}

/// A player's answer: its action, its expected outcome, if it has one, and its time, in games with a clock.
pub(super) struct PlayerChoice {
    /// The action; `None` if the player resigns.
    pub action: Option<Action>,
    /// The expected outcome.
    pub expected: Option<f32>,
    /// The time of the decision.
    pub spent: Option<DecisionTime>,
}

impl RunningGame {
    /// A game from this position, between these players, first side first.
    #[must_use]
    pub fn new(game: usize, players: [usize; 2], position: Box<dyn Position>, streams: Streams) -> RunningGame {
        RunningGame {
            game,
            outcome: position.outcome(),
            plies: 0,
            players,
            start: None,
            side: position.side(),
            position,
            streams,
            streaks: Streaks::default(),
            agreement: Agreement::default(),
            clocks: None,
            played_out: false,
            would_resign: None,
            ending: Ending::Rules,
            opening: 0,
            line: 0,
            actions: Vec::new(),
        }
    }

    /// A game of a match after its opening; each side has a stream of its own.
    pub(super) fn begin(start: GameStart, game: &dyn Game, seed: &Seed, terms: &Terms) -> RunningGame {
        let GameStart { game: index, players, opening, played_out, suspended } = start;
        let position = game.begin(opening.start.as_deref()).expect("openings are checked when they are read");
        let streams = ["first", "second"].map(|label| {
            let own = seed.child(label, index as u64);
            (own, own.rng())
        });
        let mut running = RunningGame::new(index, players, position, Streams::Sides(streams));
        running.line = opening.start.as_ref().map_or(0, |_| running.position.key() as u64);
        opening.actions.into_iter().for_each(|action| running.play(action, terms));
        (running.opening, running.start, running.played_out) = (running.plies, opening.start, played_out);
        running.clocks = terms.clock.map(Clocks::new);
        suspended.into_iter().for_each(|suspended| running.resume(suspended, terms));
        running
    }

    /// Plays a suspended game up to its last action.
    fn resume(&mut self, suspended: SuspendedGame, terms: &Terms) {
        let SuspendedGame { actions, drawn, streaks, agreement, would_resign, .. } = suspended;
        actions.into_iter().skip(self.actions.len()).for_each(|action| self.play(action, terms));
        if let Streams::Sides(sides) = &mut self.streams {
            sides.iter_mut().zip(drawn).for_each(|((_, rng), count)| draw(count, rng));
        }
        (self.streaks, self.agreement, self.would_resign) = (streaks, agreement, would_resign);
    }

    /// Its state, from which it can go on. `None` with a clock, and for games of self-play.
    pub(super) fn suspended(&self) -> Option<SuspendedGame> {
        let (Streams::Sides(sides), None) = (&self.streams, self.clocks) else { return None };
        let RunningGame { game, streaks, agreement, would_resign, .. } = *self;
        let drawn = [0, 1].map(|side: usize| drawn(&sides[side].0, &sides[side].1));
        Some(SuspendedGame { game, actions: self.actions.clone(), drawn, streaks, agreement, would_resign })
    }

    /// The player to move.
    pub(super) fn player(&self) -> usize {
        self.players[self.side.index()]
    }

    /// The generator of the side to move.
    pub(super) fn generator(&mut self) -> &mut Rng {
        self.streams.generator(self.side)
    }

    pub(super) fn turn(&mut self) -> Turn<'_> {
        let (game, ply, position) = (self.game, self.plies, &*self.position);
        let (start, actions, clock) = (self.start.as_deref(), &*self.actions, self.clocks.map(|clocks| clocks.times()));
        let (rng, stream, seed) = self.streams.of(self.side, ply);
        Turn { game, ply, position, start, actions, rng, stream, clock, seed, decision: Decision::default() }
    }

    /// Plays a player's choice, unless the player resigns or its time is over.
    pub(super) fn decided(&mut self, choice: PlayerChoice, terms: &Terms) {
        let PlayerChoice { action, expected, spent } = choice;
        if let Some((clocks, spent)) = self.clocks.as_mut().zip(spent)
            && clocks.spend(self.side, spent)
        {
            (self.outcome, self.ending) = (Some(Outcome::Win(self.side.opponent())), Ending::Time);
            return;
        }
        let Some(action) = action else {
            (self.outcome, self.ending) = (Some(Outcome::Win(self.side.opponent())), Ending::Resigned);
            return;
        };
        let agreed = terms.adjudicate.and_then(|rule| self.agreement.outcome(&rule, self.side, expected, self.plies));
        let resigns = terms.resign.is_some_and(|rule| self.streaks.resigns(&rule, self.side, expected));
        if resigns && !self.played_out {
            (self.outcome, self.ending) = (Some(Outcome::Win(self.side.opponent())), Ending::Resigned);
            return;
        }
        if resigns {
            self.would_resign.get_or_insert(self.side);
        }
        self.play(action, terms);
        if let (Some(outcome), None) = (agreed, self.outcome) {
            (self.outcome, self.ending) = (Some(outcome), Ending::Agreed);
        }
    }

    fn play(&mut self, action: Action, terms: &Terms) {
        self.position.play(action);
        self.side = self.position.side();
        self.outcome = self.position.outcome();
        self.plies += 1;
        self.line = extend(self.line, action);
        self.actions.push(action);
        if self.outcome.is_none() && terms.max_plies.is_some_and(|most| self.plies >= most) {
            (self.outcome, self.ending) = (Some(Outcome::Draw), Ending::MaxPlies);
        }
    }

    pub(super) fn end(self, outcome: Outcome, terms: &Terms) -> PlayedGame {
        let RunningGame { game, players, start, plies, opening, ending, line, played_out, would_resign, .. } = self;
        let actions = if terms.keep_actions { self.actions } else { Vec::new() };
        let times = self.clocks.map(|clocks| clocks.used());
        PlayedGame {
            game,
            players,
            outcome,
            plies,
            opening,
            ending,
            start,
            played_out,
            would_resign,
            times,
            line,
            actions,
        }
    }
}

/// One step of the hash of a game's actions: multiplication by 2^64 / golden ratio, then a rotation so that high bits
/// count.
pub(super) fn extend(line: u64, action: Action) -> u64 {
    ((line ^ (u64::from(action.0) + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)).rotate_left(29)
}
