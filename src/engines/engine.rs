//! The trait of a running engine: positions in, decisions out.

use std::time::Duration;

use super::error::EngineError;
use super::messages::ClockTimes;
use gauntlet_games::base::{Action, Seed};
use gauntlet_games::games::Position;

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
    /// Name and version, as the engine says them.
    fn says(&self) -> String;

    /// The most positions that it decides at once, each of another game.
    fn most(&self) -> usize;

    /// Number of games that it can play at the same time. Default: any number.
    fn games(&self) -> usize {
        usize::MAX
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

    /// Processor time of the engine, where the system tells.
    fn processor_time(&self) -> Option<Duration>;
}
