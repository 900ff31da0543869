//! The options of the chess engine.

use std::time::Duration;

use super::super::excerpt;
use crate::search::MOST_SIMULATIONS;

/// Most memory of the tree in MiB, by default.
const HASH: u64 = 1024;

/// The options, as set by the other program.
#[derive(Debug, Clone)]
pub(super) struct Options {
    /// Most simulations of a search; `None` for the player's own number, in searches without limits.
    pub simulations: Option<u32>,
    /// Tau of the moves; `None` for the player's own.
    pub temperature: Option<f64>,
    /// Most memory of the tree in MiB.
    pub hash: u64,
    /// Time that answers take to arrive.
    pub overhead: Duration,
    /// Number of lines in the information.
    pub lines: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { simulations: None, temperature: None, hash: HASH, overhead: Duration::from_millis(30), lines: 1 }
    }
}

impl Options {
    /// Most memory of the tree in bytes.
    pub fn memory(&self) -> usize {
        usize::try_from(self.hash << 20).unwrap_or(usize::MAX)
    }

    /// The lines that declare them.
    pub fn declared(&self) -> String {
        let simulations = self.simulations.unwrap_or(0);
        let tau = self.temperature.map_or("own".to_owned(), |tau| tau.to_string());
        format!(
            "option name Simulations type spin default {simulations} min 0 max {MOST_SIMULATIONS}\n\
             option name Temperature type string default {tau}\n\
             option name Hash type spin default {HASH} min 16 max 65536\n\
             option name MultiPV type spin default 1 min 1 max 256\n\
             option name Move Overhead type spin default 30 min 0 max 5000\n"
        )
    }

    /// Sets an option from `name NAME value VALUE`. Returns whether the player has to be built again.
    pub fn set(&mut self, words: &[&str]) -> Result<bool, String> {
        let value = words.iter().position(|word| *word == "value");
        let name = words.get(1..value.unwrap_or(words.len())).filter(|_| words.first() == Some(&"name"));
        let name = name.ok_or("an option is set by `setoption name NAME value VALUE`")?.join(" ");
        let value = value.map_or(String::new(), |at| words[at + 1..].join(" "));
        let wrong = || format!("option {}: {} is not a value for it", excerpt(&name), excerpt(&value));
        let number = |least: u64, most: u64| {
            value.parse::<u64>().ok().filter(|number| (least..=most).contains(number)).ok_or_else(wrong)
        };
        match name.to_ascii_lowercase().as_str() {
            "simulations" => {
                let number = number(0, u64::from(MOST_SIMULATIONS))?;
                self.simulations = u32::try_from(number).ok().filter(|number| *number > 0);
                Ok(false)
            }
            "temperature" => {
                let own = value.eq_ignore_ascii_case("own");
                let tau = value.parse().ok().filter(|tau: &f64| tau.is_finite() && *tau >= 0.0);
                self.temperature = if own { None } else { Some(tau.ok_or_else(wrong)?) };
                Ok(true)
            }
            "hash" => {
                self.hash = number(16, 65536)?;
                Ok(false)
            }
            "multipv" => {
                self.lines = number(1, 256)? as usize;
                Ok(false)
            }
            "move overhead" => {
                self.overhead = Duration::from_millis(number(0, 5000)?);
                Ok(false)
            }
            // Programs set some options of all engines.
            "ponder" | "threads" | "uci_analysemode" | "uci_opponent" | "uci_chess960" | "uci_showwdl" => Ok(false),
            _ => Err(format!("no option {}", excerpt(&name))),
        }
    }
}
