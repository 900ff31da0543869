//! The budget of a search for one move: simulations, counted operations of the network, or time.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, IntoDeserializer, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::numbers::{MOST_SIMULATIONS, Milliseconds, Operations, Simulations};

/// The budget of a search for one move: `100`, `{ operations = 1e8 }` or `{ time-ms = 50 }`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SearchBudget {
    /// Simulations: 1 to 10,000,000.
    Simulations(#[serde(with = "Simulations")] u32),
    /// Another limit.
    Limit(SearchLimit),
}

/// A budget that is not a number of simulations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchLimit {
    /// Milliseconds of wall time, 1 to 3,600,000: in matches and tournaments alone. The simulations depend on the machine.
    TimeMs(#[serde(with = "Milliseconds")] u32),
    /// Floating-point operations of the player's network, from 1: as many simulations as they pay for, if each evaluates a
    /// position.
    Operations(#[serde(with = "Operations")] f64),
}

impl SearchBudget {
    /// The most simulations: those of the budget, or the largest number if it counts something else.
    #[must_use]
    pub fn most(self) -> u32 {
        if let SearchBudget::Simulations(simulations) = self { simulations } else { MOST_SIMULATIONS }
    }

    /// The time, if it is the limit.
    #[must_use]
    pub fn time(self) -> Option<Duration> {
        match self {
            SearchBudget::Limit(SearchLimit::TimeMs(ms)) => Some(Duration::from_millis(ms.into())),
            _ => None,
        }
    }

    /// The operations, if they are the limit.
    #[must_use]
    pub fn operations(self) -> Option<f64> {
        if let SearchBudget::Limit(SearchLimit::Operations(operations)) = self { Some(operations) } else { None }
    }

    /// The same budget in simulations, where it is in operations; `each` are those of an evaluation. At least one simulation.
    #[must_use]
    pub fn counted(self, each: f64) -> SearchBudget {
        let simulations =
            |operations: f64| SearchBudget::Simulations(((operations / each) as u32).clamp(1, MOST_SIMULATIONS));
        self.operations().map_or(self, simulations)
    }
}

impl From<u32> for SearchBudget {
    fn from(simulations: u32) -> SearchBudget {
        SearchBudget::Simulations(simulations)
    }
}

/// As in names of players: `100`, `50 ms`, `1e8 operations`.
impl fmt::Display for SearchBudget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchBudget::Simulations(simulations) => write!(formatter, "{simulations}"),
            SearchBudget::Limit(SearchLimit::TimeMs(ms)) => write!(formatter, "{ms} ms"),
            SearchBudget::Limit(SearchLimit::Operations(operations)) => write!(formatter, "{operations:e} operations"),
        }
    }
}

impl<'de> Deserialize<'de> for SearchBudget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SearchBudget, D::Error> {
        deserializer.deserialize_any(BudgetVisitor)
    }
}

struct BudgetVisitor;

impl<'de> Visitor<'de> for BudgetVisitor {
    type Value = SearchBudget;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .write_str("a number of simulations from 1 to 10,000,000, `{ operations = 1e8 }` or `{ time-ms = 50 }`")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<SearchBudget, E> {
        let small = u32::try_from(number).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))?;
        Simulations::deserialize(small.into_deserializer()).map(SearchBudget::Simulations)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<SearchBudget, E> {
        let small = u32::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))?;
        Simulations::deserialize(small.into_deserializer()).map(SearchBudget::Simulations)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SearchBudget, A::Error> {
        let keys = LimitKeys::deserialize(MapAccessDeserializer::new(map))?;
        let limit = match (keys.time_ms, keys.operations) {
            (Some(ms), None) => SearchLimit::TimeMs(ms),
            (None, Some(operations)) => SearchLimit::Operations(operations),
            _ => return Err(A::Error::custom("a budget has one key: `time-ms` or `operations`")),
        };
        Ok(SearchBudget::Limit(limit))
    }
}

/// The keys of a budget that is a table.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct LimitKeys {
    #[serde(deserialize_with = "milliseconds")]
    time_ms: Option<u32>,
    #[serde(with = "Operations")]
    operations: Option<f64>,
}

/// Reads the time of a search. The error of another value names its bounds.
fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    deserializer.deserialize_any(MillisecondsVisitor).map(Some)
}

struct MillisecondsVisitor;

impl Visitor<'_> for MillisecondsVisitor {
    type Value = u32;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a whole number of milliseconds from 1 to 3,600,000")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u32, E> {
        let small = u32::try_from(number).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))?;
        Milliseconds::deserialize(small.into_deserializer())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<u32, E> {
        let small = u32::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))?;
        Milliseconds::deserialize(small.into_deserializer())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Table {
        simulations: SearchBudget,
    }

    #[test]
    fn budgets_are_read_back_as_they_are_written() {
        for (text, json, name) in [
            ("100", "100", "100"),
            ("{ time-ms = 50 }", r#"{"time-ms":50}"#, "50 ms"),
            ("{ operations = 1e8 }", r#"{"operations":100000000.0}"#, "1e8 operations"),
            ("{ operations = 25000 }", r#"{"operations":25000.0}"#, "2.5e4 operations"),
        ] {
            let read: Table = toml::from_str(&format!("simulations = {text}")).unwrap();
            let written = serde_json::to_string(&read.simulations).unwrap();
            assert_eq!((&*written, &*read.simulations.to_string()), (json, name));
            assert_eq!(serde_json::from_str::<SearchBudget>(json).unwrap(), read.simulations);
        }
    }

    #[test]
    fn impossible_budgets_say_why() {
        for (text, reason) in [
            ("0", "0 simulations: a search takes from 1 to 10000000"),
            ("-1", "-1"),
            ("10000001", "10000001 simulations"),
            ("1.5", "a number of simulations from 1 to 10,000,000, `{ operations = 1e8 }` or `{ time-ms = 50 }`"),
            ("99999999999", "a number of simulations from 1 to 10,000,000"),
            ("\"50ms\"", "a number of simulations"),
            ("{ time-ms = 0 }", "0 ms"),
            ("{ time-ms = 3600001 }", "3600001 ms"),
            ("{ time-ms = 0.5 }", "a whole number of milliseconds from 1 to 3,600,000"),
            ("{ time-ms = 99999999999 }", "a whole number of milliseconds from 1 to 3,600,000"),
            ("{ operations = 0 }", "0 operations"),
            ("{ operations = inf }", "inf operations"),
            ("{ seconds = 1 }", "unknown field `seconds`"),
            ("{}", "a budget has one key: `time-ms` or `operations`"),
            ("{ time-ms = 5, operations = 5 }", "a budget has one key: `time-ms` or `operations`"),
        ] {
            let error = toml::from_str::<Table>(&format!("simulations = {text}")).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn operations_pay_for_whole_evaluations() {
        let budget = |operations| SearchBudget::Limit(SearchLimit::Operations(operations));
        for (operations, each, simulations) in
            [(1000.0, 100.0, 10), (1099.0, 100.0, 10), (50.0, 100.0, 1), (1e18, 1.0, MOST_SIMULATIONS), (1e8, 3e5, 333)]
        {
            assert_eq!(
                budget(operations).counted(each),
                SearchBudget::Simulations(simulations),
                "{operations} / {each}"
            );
        }
        let time = SearchBudget::Limit(SearchLimit::TimeMs(5));
        assert_eq!((time.counted(1e6), SearchBudget::Simulations(7).counted(1e6).most()), (time, 7));
    }
}
