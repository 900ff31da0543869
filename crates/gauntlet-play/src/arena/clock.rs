//! Matches with a clock: a mode of its own, in which results depend on time.
//!
//! Each side has a time for the game and gets an increment for each of its moves (Fischer). A side that uses more than
//! it has loses. Only one game is under way, nothing else runs beside it, and no core helps.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engines::messages::ClockTimes;
use crate::players::Player;
use gauntlet_games::base::{AboveZero, FromZero, Side, SideTime};

/// The time of a game: `{ seconds = 60, increment = 0.5 }`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Clock {
    /// Seconds of each side for the game.
    #[serde(with = "AboveZero")]
    pub seconds: f64,
    /// Seconds that a side gets for each of its moves. Default: 0.
    #[serde(default, with = "FromZero")]
    pub increment: f64,
}

/// The time of one decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DecisionTime {
    wall: Duration,
    processor: Duration,
}

/// The clocks of a game under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clocks {
    rule: Clock,
    left: [Duration; 2],
    used: [DecisionTime; 2],
}

impl Clocks {
    /// Both clocks at the start of a game.
    pub fn new(rule: Clock) -> Clocks {
        Clocks { rule, left: [of_seconds(rule.seconds); 2], used: [DecisionTime::default(); 2] }
    }

    /// The times that a player is told.
    pub fn times(&self) -> ClockTimes {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let [first_ms, second_ms] = self.left.map(ms);
        ClockTimes { first_ms, second_ms, increment_ms: ms(of_seconds(self.rule.increment)) }
    }

    /// Takes the time of a decision from a side's clock. Returns whether the side has lost on time.
    pub fn spend(&mut self, side: Side, spent: DecisionTime) -> bool {
        let (left, used) = (&mut self.left[side.index()], &mut self.used[side.index()]);
        used.wall += spent.wall;
        used.processor += spent.processor;
        match left.checked_sub(spent.wall) {
            None => true,
            Some(rest) => {
                *left = rest.saturating_add(of_seconds(self.rule.increment));
                false
            }
        }
    }

    /// The times that both sides have used.
    pub fn used(&self) -> [SideTime; 2] {
        self.used.map(|spent| SideTime {
            wall_ms: spent.wall.as_millis() as u64,
            processor_ms: spent.processor.as_millis() as u64,
        })
    }
}

/// A time. One that is too long is [`Duration::MAX`].
fn of_seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// A running measurement of a decision.
pub(super) struct Stopwatch {
    begin: Instant,
    own: Duration,
    engine: Option<Duration>,
}

impl Stopwatch {
    /// Starts before a decision of this player.
    pub fn start(player: &dyn Player) -> Stopwatch {
        Stopwatch { engine: player.processor_time(), own: thread_time(), begin: Instant::now() }
    }

    /// The time since the start. Processor time is that of this thread, or of the engine if the player is one.
    pub fn stop(self, player: &dyn Player) -> DecisionTime {
        let wall = self.begin.elapsed();
        let engine = player.processor_time().zip(self.engine).map(|(now, before)| now.saturating_sub(before));
        DecisionTime { wall, processor: engine.unwrap_or_else(|| thread_time().saturating_sub(self.own)) }
    }
}

/// Processor time of this thread.
pub fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(milliseconds: u64) -> DecisionTime {
        DecisionTime { wall: Duration::from_millis(milliseconds), processor: Duration::from_millis(milliseconds / 2) }
    }

    #[test]
    fn a_clock_counts_down_and_gains_the_increment() {
        let mut clocks = Clocks::new(toml::from_str("seconds = 1\nincrement = 0.1").unwrap());
        assert!(!clocks.spend(Side::First, spent(400)) && !clocks.spend(Side::Second, spent(1000)));
        let times = clocks.times();
        assert_eq!((times.first_ms, times.second_ms, times.increment_ms), (700, 100, 100));
        assert!(!clocks.spend(Side::First, spent(700)), "all of the time, and not more");
        assert!(clocks.spend(Side::Second, spent(101)), "the increment comes after the move");
        let [first, second] = clocks.used();
        assert_eq!((first.wall_ms, first.processor_ms, second.wall_ms), (1100, 550, 1101));
    }

    #[test]
    fn invalid_clocks_report_key_and_range() {
        for text in ["seconds = 0", "seconds = -1", "seconds = 1\nincrement = -1", "increment = 1"] {
            assert!(toml::from_str::<Clock>(text).is_err(), "{text}");
        }
    }
}
