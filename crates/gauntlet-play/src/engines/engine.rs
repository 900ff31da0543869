//! The trait of a running engine: positions in, decisions out.

use std::time::Duration;

use super::error::EngineError;
use super::messages::{Budget, ClockTimes};
use super::process::{Launch, Process};
use gauntlet_games::base::{Action, Seed};
use gauntlet_games::games::{Game, GameSpec, Position};
use serde_json::{Map, Value};

/// The settings that an engine starts with.
pub struct EngineStart<'a> {
    /// Its program.
    pub launch: Launch,
    /// The game.
    pub game: &'a GameSpec,
    /// The seed of this player in this job.
    pub seed: &'a Seed,
    /// Its options, from the manifest.
    pub options: &'a Map<String, Value>,
    /// The budget of each move.
    pub budget: Option<Budget>,
}

/// A protocol of engines: facts for both sides, and the start of the client.
pub struct Protocol {
    /// Its name in manifests and on the command line.
    pub name: &'static str,
    /// Its games and the programs that speak it, for users of our players.
    pub programs: &'static str,
    /// The game of our players as engines, if nothing names another one; `None` if the messages name it.
    pub usual_game: Option<&'static str>,
    /// Whether its engines play a game.
    pub plays: fn(&dyn Game) -> bool,
    /// Whether it has a way to tell a budget.
    pub takes: fn(Budget) -> bool,
    /// Starts an engine.
    pub start: fn(EngineStart<'_>) -> Result<Box<dyn Engine>, EngineError>,
}

/// A position for an engine to decide.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// Index of the game.
    pub game: usize,
    /// The starting position, if it is not the one by the rules.
    pub start: Option<&'a str>,
    /// The actions since the start.
    pub actions: &'a [Action],
    /// The position, which is not over.
    pub position: &'a dyn Position,
    /// The seed of this game and side.
    pub stream: Seed,
    /// The clock, in matches with one.
    pub clock: Option<ClockTimes>,
}

/// The time after which an engine that has not decided these positions is broken: its `timeout`, beside the time that it
/// was given to think.
#[must_use]
pub fn patience(timeout: Duration, budget: Option<Budget>, asks: &[Ask<'_>]) -> Duration {
    let given = if let Some(Budget::TimeMs(time)) = budget { time.saturating_mul(asks.len() as u64) } else { 0 };
    let left = |ask: &Ask<'_>| ask.clock.map_or(0, |clock| clock.longest());
    let clocks = asks.iter().map(left).max().unwrap_or(0);
    timeout.saturating_add(Duration::from_millis(given.max(clocks)))
}

/// The decision of an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// A legal action; `None` if the engine gives the game up.
    pub action: Option<Action>,
    /// Expected outcome for the side to move, -1 to 1, if the engine tells one.
    pub value: Option<f32>,
    /// A probability for each legal action, ascending; empty if the engine tells none.
    pub policy: Vec<f32>,
}

/// A running engine that speaks some protocol.
pub trait Engine: Send {
    /// Its process, which has its name and version.
    fn process(&self) -> &Process;

    /// The most positions that it decides at once, each of another game. Default: one.
    fn most(&self) -> usize {
        1
    }

    /// Number of games that it can play at the same time. Default: one.
    fn games(&self) -> usize {
        1
    }

    /// Sets up the game of a position that will be asked next. Default: no effect; [`Engine::ask`] does it, too.
    ///
    /// # Errors
    /// If the engine is broken.
    fn prepare(&mut self, _ask: &Ask<'_>) -> Result<(), EngineError> {
        Ok(())
    }

    /// Sends positions: at least one, and at most [`Engine::most`].
    ///
    /// # Errors
    /// If the engine is broken.
    fn ask(&mut self, asks: &[Ask<'_>]) -> Result<(), EngineError>;

    /// Waits for the decisions of the positions that were sent last, in their order.
    ///
    /// # Errors
    /// If the engine is broken, or answers by an illegal move.
    fn answers(&mut self, asks: &[Ask<'_>]) -> Result<Vec<Reply>, EngineError>;

    /// Ends these games: their numbers may be used again.
    fn over(&mut self, games: &[usize]);

    /// Ends the engine.
    fn quit(&mut self);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_to_think_is_no_delay() {
        let game = serde_json::from_str::<GameSpec>(r#"{"othello":{"size":4}}"#).unwrap().build();
        let position = game.start();
        let ask = |clock| Ask { game: 0, start: None, actions: &[], position: &*position, stream: Seed::new(1), clock };
        let clock = ClockTimes { first_ms: 5000, second_ms: 3000, increment_ms: 0 };
        let seconds = |budget, asks: &[Ask<'_>]| patience(Duration::from_secs(10), budget, asks).as_secs();
        assert_eq!(seconds(None, &[ask(None)]), 10);
        assert_eq!(seconds(Some(Budget::Nodes(9_999_999)), &[ask(None)]), 10);
        assert_eq!(seconds(Some(Budget::TimeMs(2000)), &[ask(None), ask(None)]), 14);
        assert_eq!(seconds(None, &[ask(Some(clock))]), 15);
        assert!(seconds(Some(Budget::TimeMs(u64::MAX)), &[ask(None), ask(None)]) > 1_000_000);
    }
}
