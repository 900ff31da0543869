//! The `INFO` of a manager: time, memory and rules.

use std::time::Duration;

use super::super::clock::{GameClock, within};
use gauntlet_games::games::{GameSpec, GomokuSpec};

/// Time that answers take to arrive.
const OVERHEAD: Duration = Duration::from_millis(30);

/// The least memory of a tree in bytes.
const LEAST: usize = 16 << 20;

/// The settings of a manager.
#[derive(Debug, Clone, Default)]
pub(super) struct ManagerSettings {
    /// Time for a move; 0 for an answer as soon as possible.
    turn: Option<Duration>,
    /// Whether the time of the whole match is limited.
    has_match_limit: bool,
    /// Time left for the match.
    left: Option<Duration>,
    memory: Option<usize>,
}

/// A rule of a manager: the sum of its bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct RuleBits(u64);

impl RuleBits {
    /// The bit by which only five in a row win.
    const EXACT: u64 = 1;

    /// The bits of forbidden moves and of caro.
    const OTHERS: u64 = 4 | 8;

    /// Reads the number of a rule.
    pub fn read(value: &str) -> Result<RuleBits, String> {
        value.parse().map(RuleBits).map_err(|_| "INFO rule needs a number".to_owned())
    }

    /// A game by this rule; an error if Gomoku does not have it here.
    pub fn of(self, spec: &GameSpec) -> Result<GameSpec, String> {
        let GameSpec::Gomoku(game) = spec else { return Ok(spec.clone()) };
        match self.0 & RuleBits::OTHERS {
            0 => Ok(GameSpec::Gomoku(GomokuSpec { exact: self.0 & RuleBits::EXACT != 0, ..*game })),
            _ => Err("unsupported rule: this engine plays without forbidden moves, and not caro".to_owned()),
        }
    }
}

impl ManagerSettings {
    /// Notes a value; unknown keys have no effect.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let wrong = || format!("INFO {key} needs a number");
        let number = || value.parse::<u64>().map_err(|_| wrong());
        match key.to_ascii_lowercase().as_str() {
            "timeout_turn" => self.turn = Some(Duration::from_millis(number()?)),
            "timeout_match" => self.has_match_limit = number()? > 0,
            // Some managers send negative times, and 2^31 - 1 without a limit.
            "time_left" => {
                let left = value.parse::<i64>().map_err(|_| wrong())?;
                let is_limit = left < i64::from(i32::MAX);
                self.left = is_limit.then(|| Duration::from_millis(left.max(0).unsigned_abs()));
            }
            "max_memory" => self.memory = usize::try_from(number()?).ok().filter(|bytes| *bytes > 0),
            _ => {}
        }
        Ok(())
    }

    /// The time for the next move; `None` if the manager set none.
    pub fn time(&self) -> Option<Duration> {
        let turn = self.turn.map(|turn| within(turn, OVERHEAD));
        let share = self.left.filter(|_| self.has_match_limit || self.turn.is_none());
        let share = share.map(|left| GameClock { left, ..GameClock::default() }.allotted(OVERHEAD));
        turn.into_iter().chain(share).min()
    }

    /// The memory of a tree: half of what the manager grants, at most `usual` bytes.
    pub fn memory(&self, usual: usize) -> usize {
        self.memory.map_or(usual, |bytes| (bytes / 2).clamp(LEAST, usual))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(lines: &str) -> ManagerSettings {
        let mut settings = ManagerSettings::default();
        for line in lines.lines() {
            let (key, value) = line.split_once(' ').unwrap();
            settings.set(key, value).unwrap();
        }
        settings
    }

    #[test]
    fn times_and_memory_are_kept() {
        let time = |lines: &str| settings(lines).time().map(|time| time.as_millis());
        assert_eq!(time("folder x\nevaluate 1,1\ngame_type 1"), None);
        assert_eq!(time("timeout_turn 1000"), Some(970));
        assert_eq!(time("timeout_turn 0"), Some(1));
        assert_eq!(time("timeout_turn 30000\ntimeout_match 180000\ntime_left 60000"), Some(2000));
        assert_eq!(time("timeout_turn 5000\ntimeout_match 0\ntime_left 2147483647"), Some(4970));
        assert_eq!(time("time_left -5"), Some(1));
        let memory = |lines: &str| settings(lines).memory(1 << 30) >> 20;
        assert_eq!((memory("rule 0"), memory("max_memory 0"), memory("max_memory 83886080")), (1024, 1024, 40));
    }

    #[test]
    fn rules_choose_the_game_or_are_refused() {
        let chosen = |game: &str, value: &str| RuleBits::read(value)?.of(&toml::from_str(game).unwrap());
        let exact = "gomoku = { size = 15, exact = true }";
        for (value, is_exact) in [("0", false), ("1", true), ("2", false), ("3", true)] {
            for game in ["gomoku = { size = 15 }", exact] {
                let GameSpec::Gomoku(chosen) = chosen(game, value).unwrap() else { panic!("Gomoku") };
                assert_eq!((chosen.exact, chosen.size.get()), (is_exact, 15), "{value}");
            }
        }
        for value in ["4", "5", "8"] {
            assert!(chosen(exact, value).unwrap_err().contains("unsupported rule"), "{value}");
        }
        assert_eq!(chosen(exact, "x").unwrap_err(), "INFO rule needs a number");
    }
}
