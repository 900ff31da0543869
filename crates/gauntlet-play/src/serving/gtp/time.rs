//! The clocks of a game in GTP: main time, then periods of Canadian or Japanese overtime.

use std::time::Duration;

use super::super::clock::GameClock;
use gauntlet_games::base::Side;

/// Time that answers take to arrive.
const OVERHEAD: Duration = Duration::from_millis(50);

/// The clocks of both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GtpClocks {
    /// The clock of each side, first side first; `None` without a time limit.
    sides: [Option<GameClock>; 2],
    /// A period of overtime, and its moves.
    overtime: Option<(Duration, u32)>,
}

impl GtpClocks {
    /// The clocks of `time_settings MAIN PERIOD STONES`, in seconds. A period without stones is not a time limit.
    pub fn canadian(words: &[&str]) -> Result<GtpClocks, String> {
        let [main, period, stones] = words else { return Err(WRONG.to_owned()) };
        let (main, period) = (seconds(main)?, seconds(period)?);
        let stones: u32 = stones.parse().map_err(|_| WRONG.to_owned())?;
        if stones == 0 && period > Duration::ZERO {
            return Ok(GtpClocks::default());
        }
        Ok(GtpClocks::new(main, Some((period, stones)).filter(|_| stones > 0)))
    }

    /// The clocks of `kgs-time_settings KIND ...`.
    pub fn kgs(words: &[&str]) -> Result<GtpClocks, String> {
        match words {
            ["none"] => Ok(GtpClocks::default()),
            ["absolute", main] => Ok(GtpClocks::new(seconds(main)?, None)),
            // Each period is the time of one move.
            ["byoyomi", main, period, _periods] => Ok(GtpClocks::new(seconds(main)?, Some((seconds(period)?, 1)))),
            ["canadian", settings @ ..] => GtpClocks::canadian(settings),
            _ => Err(WRONG.to_owned()),
        }
    }

    fn new(main: Duration, overtime: Option<(Duration, u32)>) -> GtpClocks {
        let clock = match overtime {
            Some((period, stones)) if main.is_zero() => {
                GameClock { left: period, increment: Duration::ZERO, moves: Some(stones) }
            }
            // Overtime to come is like an increment: half of it stays as a reserve.
            overtime => {
                let share = overtime.map_or(Duration::ZERO, |(period, stones)| period / stones.max(1) / 2);
                GameClock { left: main, increment: share, moves: None }
            }
        };
        GtpClocks { sides: [Some(clock); 2], overtime }
    }

    /// Sets a clock by `time_left COLOUR SECONDS STONES`.
    pub fn set(&mut self, side: Side, left: &str, stones: &str) -> Result<(), String> {
        let stones: u32 = stones.parse().map_err(|_| WRONG.to_owned())?;
        let before = self.sides[side.index()].unwrap_or_default();
        let (increment, moves) = if stones > 0 { (Duration::ZERO, Some(stones)) } else { (before.increment, None) };
        self.sides[side.index()] = Some(GameClock { left: seconds(left)?, increment, moves });
        Ok(())
    }

    /// The time for the next move of a side, if there is a limit.
    pub fn allotted(&self, side: Side) -> Option<Duration> {
        self.sides[side.index()].map(|clock| clock.allotted(OVERHEAD))
    }

    /// Takes the time of a move off a clock.
    pub fn spend(&mut self, side: Side, time: Duration) {
        let Some(clock) = &mut self.sides[side.index()] else { return };
        clock.left = clock.left.saturating_sub(time);
        clock.moves = clock.moves.map(|moves| moves.saturating_sub(1));
        let Some((period, stones)) = self.overtime else { return };
        if clock.left.is_zero() || clock.moves == Some(0) {
            *clock = GameClock { left: period, increment: Duration::ZERO, moves: Some(stones) };
        }
    }
}

const WRONG: &str = "syntax error: not a time setting";

/// A number of seconds, perhaps with a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite());
    let seconds = seconds.ok_or_else(|| WRONG.to_owned())?.clamp(0.0, 1e9);
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allotted(clocks: &GtpClocks) -> Option<u128> {
        clocks.allotted(Side::First).map(|time| time.as_millis())
    }

    #[test]
    fn settings_become_times() {
        let canadian = |text: &str| GtpClocks::canadian(&text.split(' ').collect::<Vec<_>>());
        assert_eq!(allotted(&canadian("60 0 0").unwrap()), Some(2000));
        assert_eq!(allotted(&canadian("0 30 10").unwrap()), Some(3000));
        assert_eq!(allotted(&canadian("60 30 10").unwrap()), Some(3500));
        assert_eq!(allotted(&canadian("60 30 0").unwrap()), None, "no limit");
        let kgs = |text: &str| GtpClocks::kgs(&text.split(' ').collect::<Vec<_>>());
        assert_eq!(allotted(&kgs("none").unwrap()), None);
        assert_eq!(allotted(&kgs("absolute 30").unwrap()), Some(1000));
        assert_eq!(allotted(&kgs("byoyomi 0 2 5").unwrap()), Some(1950));
        assert_eq!(allotted(&kgs("canadian 0 10 5").unwrap()), Some(2000));
        for text in ["", "1", "1 2", "x 0 0", "1 2 -1", "nan 0 0"] {
            assert!(canadian(text).is_err() && kgs(text).is_err(), "{text}");
        }
    }

    #[test]
    fn moves_take_time() {
        let mut clocks = GtpClocks::canadian(&["10", "20", "4"]).unwrap();
        clocks.spend(Side::First, Duration::from_secs(11));
        assert_eq!(allotted(&clocks), Some(5000), "overtime");
        clocks.set(Side::First, "7", "7").unwrap();
        assert_eq!(allotted(&clocks), Some(1000));
        clocks.spend(Side::First, Duration::from_secs(1));
        assert_eq!(allotted(&clocks), Some(1000));
        clocks.set(Side::Second, "3", "0").unwrap();
        assert!(clocks.set(Side::Second, "x", "0").is_err());
        assert_eq!(allotted(&GtpClocks::default()), None);
    }
}
