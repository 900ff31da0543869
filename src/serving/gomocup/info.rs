//! The `INFO` of a manager: time, memory and rules.

use std::time::Duration;

use super::super::clock::{Clock, within};
use gauntlet_games::games::GameSpec;

/// Time that answers take to arrive.
const OVERHEAD: Duration = Duration::from_millis(30);

/// The least memory of a tree in bytes.
const LEAST: usize = 16 << 20;

/// The bit of the rule by which only five in a row win.
const EXACT: u64 = 1;

/// The bits of forbidden moves and of caro.
const OTHERS: u64 = 4 | 8;

/// What a manager told.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    /// Time for a move; 0 for an answer as soon as possible.
    turn: Option<Duration>,
    /// Whether the time of the whole match is limited.
    has_match_limit: bool,
    /// Time left for the match.
    left: Option<Duration>,
    memory: Option<usize>,
    /// Why the rules of the manager are not ours.
    contradiction: Option<String>,
}

impl Told {
    /// Notes a value; unknown keys have no effect.
    pub fn set(&mut self, key: &str, value: &str, spec: &GameSpec) -> Result<(), String> {
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
            "rule" => self.contradiction = contradiction(number()?, spec),
            _ => {}
        }
        self.contradiction.clone().filter(|_| key.eq_ignore_ascii_case("rule")).map_or(Ok(()), Err)
    }

    /// Why the rules of the manager are not ours.
    pub fn contradiction(&self) -> Option<&str> {
        self.contradiction.as_deref()
    }

    /// The time for the next move; `None` if the manager told none.
    pub fn time(&self) -> Option<Duration> {
        let turn = self.turn.map(|turn| within(turn, OVERHEAD));
        let share = self.left.filter(|_| self.has_match_limit || self.turn.is_none());
        let share = share.map(|left| Clock { left, ..Clock::default() }.allotted(OVERHEAD));
        turn.into_iter().chain(share).min()
    }

    /// The memory of a tree: half of what the manager grants, at most `usual` bytes.
    pub fn memory(&self, usual: usize) -> usize {
        self.memory.map_or(usual, |bytes| (bytes / 2).clamp(LEAST, usual))
    }
}

/// Why a rule is not that of the game.
fn contradiction(bits: u64, spec: &GameSpec) -> Option<String> {
    let GameSpec::Gomoku(rules) = spec else { return None };
    let has = |bit: u64| bits & bit != 0;
    if has(OTHERS) {
        return Some("unsupported rule: this engine plays without forbidden moves, and not caro".to_owned());
    }
    match (has(EXACT), rules.exact) {
        (true, false) => Some("unsupported rule: longer rows win too in this engine's game; start it with --game 'gomoku = { size = 15, exact = true }'".to_owned()),
        (false, true) => Some("unsupported rule: longer rows do not win in this engine's game; start it without exact = true".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &str) -> Told {
        let (mut told, spec) = (Told::default(), toml::from_str("gomoku = { size = 15 }").unwrap());
        for line in lines.lines() {
            let (key, value) = line.split_once(' ').unwrap();
            told.set(key, value, &spec).unwrap();
        }
        told
    }

    #[test]
    fn times_and_memory_are_kept() {
        let time = |lines: &str| told(lines).time().map(|time| time.as_millis());
        assert_eq!(time("folder x\nevaluate 1,1\ngame_type 1"), None);
        assert_eq!(time("timeout_turn 1000"), Some(970));
        assert_eq!(time("timeout_turn 0"), Some(1));
        assert_eq!(time("timeout_turn 30000\ntimeout_match 180000\ntime_left 60000"), Some(2000));
        assert_eq!(time("timeout_turn 5000\ntimeout_match 0\ntime_left 2147483647"), Some(4970));
        assert_eq!(time("time_left -5"), Some(1));
        let memory = |lines: &str| told(lines).memory(1 << 30) >> 20;
        assert_eq!((memory("rule 0"), memory("max_memory 0"), memory("max_memory 83886080")), (1024, 1024, 40));
    }

    #[test]
    fn other_rules_are_refused() {
        let set = |game: &str, value: &str| Told::default().set("rule", value, &toml::from_str(game).unwrap());
        let exact = "gomoku = { size = 15, exact = true }";
        assert!(set("gomoku = { size = 15 }", "2").is_ok() && set(exact, "1").is_ok());
        for (game, value) in [("gomoku = { size = 15 }", "1"), (exact, "0"), (exact, "5"), (exact, "8")] {
            assert!(set(game, value).unwrap_err().contains("unsupported rule"), "{game} {value}");
        }
        assert_eq!(set(exact, "x").unwrap_err(), "INFO rule needs a number");
    }
}
