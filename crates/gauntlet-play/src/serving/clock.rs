//! Time management: the time for a move, from the clock of a game.

use std::time::Duration;

/// Moves that the time on the clock has to suffice for, unless the other program names a number.
const MOVES: u32 = 30;

/// The clock of a side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GameClock {
    /// Time left.
    pub left: Duration,
    /// Time that is added after each move.
    pub increment: Duration,
    /// Moves until time is added; `None` if the time is for the whole game.
    pub moves: Option<u32>,
}

impl GameClock {
    /// The time for the next move: a thirtieth of the time left, or the share of the moves to come if they are fewer, and
    /// the increment. It leaves `overhead` on the clock, the time that answers take to arrive.
    #[must_use]
    pub fn allotted(&self, overhead: Duration) -> Duration {
        let moves = self.moves.map_or(MOVES, |moves| moves.clamp(1, MOVES));
        (self.left / moves + self.increment).min(self.left.saturating_sub(overhead)).max(LEAST)
    }
}

/// The time for a move that the other program gives, minus the overhead.
#[must_use]
pub fn within(time: Duration, overhead: Duration) -> Duration {
    time.saturating_sub(overhead.min(time / 2)).max(LEAST)
}

/// The shortest time for a move.
const LEAST: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_move_gets_its_share_and_never_the_last_of_the_clock() {
        let allotted = |left, increment, moves| {
            GameClock { left: ms(left), increment: ms(increment), moves }.allotted(ms(30)).as_millis()
        };
        assert_eq!(allotted(60_000, 0, None), 2000);
        assert_eq!(allotted(60_000, 500, None), 2500);
        assert_eq!(allotted(60_000, 0, Some(10)), 6000);
        assert_eq!(allotted(60_000, 0, Some(100)), 2000);
        assert_eq!((allotted(100, 1000, None), allotted(1000, 0, Some(1))), (70, 970));
        assert_eq!((allotted(20, 0, None), allotted(0, 0, Some(0))), (1, 1));
        assert_eq!([ms(1000), ms(20), ms(0)].map(|time| within(time, ms(30)).as_millis()), [970, 10, 1]);
    }

    #[test]
    fn a_game_on_the_clock_never_runs_out_of_time() {
        for increment in [0, 100] {
            let mut left = ms(10_000);
            for _ in 0..400 {
                let spent = GameClock { left, increment: ms(increment), moves: None }.allotted(ms(30));
                assert!(spent < left, "{left:?}");
                left = left - spent + ms(increment);
                if increment == 0 && left < ms(40) {
                    break;
                }
            }
        }
    }
}
