//! A tiny game, three players and a sink for this module's tests: a race of two pawns along a line of six sites.
//!
//! A ply moves the own pawn by 1 or 2; the first pawn on the last site wins. It is not a registered game.

use rand::RngExt as _;

use crate::players::{Player, PlayerError, Turn};
use gauntlet_games::base::{Action, Event, Interrupted, Outcome, ResumePoint, Side, Sink};
use gauntlet_games::games::{Game, Position, State, Topology, View};

const GOAL: u32 = 5;

#[derive(Clone)]
struct Race {
    pawns: [u32; 2],
    side: Side,
}

impl State for Race {
    fn side(&self) -> Side {
        self.side
    }
    fn actions(&self, into: &mut Vec<Action>) {
        if State::outcome(self).is_none() {
            into.extend([Action(1), Action(2)]);
        }
    }
    fn play(&mut self, action: Action) {
        self.pawns[self.side.index()] += action.0;
        self.side = self.side.opponent();
    }
    fn outcome(&self) -> Option<Outcome> {
        let winner = Side::BOTH.into_iter().find(|side| self.pawns[side.index()] >= GOAL);
        winner.map(|winner| if self.pawns == [5, 6] { Outcome::Draw } else { Outcome::Win(winner) })
    }
    fn view(&self, view: &mut View) {
        *view = View { side: self.side, ..View::new() };
    }
}

/// The race.
pub struct RaceGame(Topology);

impl Default for RaceGame {
    fn default() -> RaceGame {
        RaceGame(Topology::square(3))
    }
}

impl Game for RaceGame {
    fn name(&self) -> String {
        "race".to_owned()
    }
    fn start(&self) -> Box<dyn Position> {
        Box::new(Race { pawns: [0; 2], side: Side::First })
    }
    fn topology(&self) -> &Topology {
        &self.0
    }
    fn action_count(&self) -> usize {
        3
    }
    fn action_name(&self, action: Action) -> String {
        action.0.to_string()
    }
    fn parse_action(&self, name: &str) -> Option<Action> {
        name.parse().ok().map(Action)
    }
}

/// Moves by 1 or 2 at random, and records the sizes of its batches.
pub struct Chaser {
    pub lanes: usize,
    pub batches: Vec<usize>,
}

impl Default for Chaser {
    fn default() -> Chaser {
        Chaser { lanes: 3, batches: Vec::new() }
    }
}

impl Player for Chaser {
    fn lanes(&self) -> usize {
        self.lanes
    }
    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError> {
        self.batches.push(turns.len());
        turns.iter_mut().for_each(|turn| turn.decision.action = Some(Action(turn.rng.random_range(1..=2))));
        Ok(())
    }
}

/// Moves by 2 three times out of four.
pub struct Strider;

impl Player for Strider {
    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError> {
        for turn in turns {
            turn.decision.action = Some(Action(if turn.rng.random_bool(0.75) { 2 } else { 1 }));
        }
        Ok(())
    }
}

/// Moves by 2 and always expects a loss.
pub struct Pessimist;

impl Player for Pessimist {
    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError> {
        for turn in turns {
            (turn.decision.action, turn.decision.value) = (Some(Action(2)), Some(-1.0));
        }
        Ok(())
    }
}

/// Interrupts after some decisions and ends of pairs, and keeps the last checkpoint.
pub struct Impatient {
    pub left: usize,
    pub checkpoint: Option<ResumePoint>,
}

impl Sink for Impatient {
    fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
        match event {
            Event::Checkpoint(point) => self.checkpoint = Some(point.clone()),
            Event::Progress { .. } => self.left = self.left.checked_sub(1).ok_or(Interrupted)?,
            _ => {}
        }
        Ok(())
    }
}
