//! Optional outputs of a training beside its final network: intermediate networks, and the state from which a longer
//! training continues.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{SerializeSeq as _, Serializer};
use serde::{Deserialize, Serialize};

/// The keyword for the last state.
const STATE: &str = "state";

/// `[10, 20]`, `"state"`, or both: `[10, 20, "state"]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keep {
    /// The iterations whose network is kept, from 1, ascending.
    pub iterations: Vec<u32>,
    /// Whether the last state is kept, including examples and optimiser.
    pub state: bool,
}

/// Optional output of a training without iterations to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeepState {
    /// The last state, from which a longer training continues.
    State,
}

impl Keep {
    /// Whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iterations.is_empty() && !self.state
    }

    fn checked<E: Error>(self) -> Result<Keep, E> {
        match self.iterations.first() == Some(&0) || !self.iterations.is_sorted_by(|a, b| a < b) {
            true => Err(E::custom("iterations to keep count from 1 and ascend, each once")),
            false => Ok(self),
        }
    }
}

impl Serialize for Keep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.iterations.is_empty() && self.state {
            return serializer.serialize_str(STATE);
        }
        let mut list = serializer.serialize_seq(Some(self.iterations.len() + usize::from(self.state)))?;
        self.iterations.iter().try_for_each(|iteration| list.serialize_element(iteration))?;
        if self.state {
            list.serialize_element(STATE)?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Keep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Keep, D::Error> {
        deserializer.deserialize_any(KeepVisitor)
    }
}

struct KeepVisitor;

impl<'de> Visitor<'de> for KeepVisitor {
    type Value = Keep;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of iterations, or \"state\"")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Keep, E> {
        let KeepEntry::State = KeepEntryVisitor.visit_str(word)? else {
            return Err(E::custom("iterations are a list"));
        };
        Ok(Keep { iterations: Vec::new(), state: true })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Keep, A::Error> {
        let mut keep = Keep::default();
        while let Some(kept) = list.next_element()? {
            match kept {
                KeepEntry::Iteration(iteration) => keep.iterations.push(iteration),
                KeepEntry::State => keep.state = true,
            }
        }
        keep.checked()
    }
}

/// One entry of the list.
enum KeepEntry {
    Iteration(u32),
    State,
}

impl<'de> Deserialize<'de> for KeepEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<KeepEntry, D::Error> {
        deserializer.deserialize_any(KeepEntryVisitor)
    }
}

struct KeepEntryVisitor;

impl Visitor<'_> for KeepEntryVisitor {
    type Value = KeepEntry;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an iteration from 1, or \"state\"")
    }

    fn visit_u64<E: Error>(self, iteration: u64) -> Result<KeepEntry, E> {
        u32::try_from(iteration)
            .map(KeepEntry::Iteration)
            .map_err(|_| E::custom(format!("there is no iteration {iteration}")))
    }

    fn visit_i64<E: Error>(self, iteration: i64) -> Result<KeepEntry, E> {
        let iteration =
            u64::try_from(iteration).map_err(|_| E::custom(format!("there is no iteration {iteration}")))?;
        self.visit_u64(iteration)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<KeepEntry, E> {
        match word {
            STATE => Ok(KeepEntry::State),
            other => Err(E::custom(format!("`{other}` cannot be kept, only iterations and \"state\""))),
        }
    }
}

impl JsonSchema for Keep {
    fn schema_name() -> Cow<'static, str> {
        "Keep".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let item = serde_json::json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": STATE }] });
        json_schema!({ "anyOf": [{ "const": STATE }, { "type": "array", "items": item }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_survives_the_round_trip() {
        for (text, iterations, state) in
            [("[2,30]", vec![2, 30], false), ("\"state\"", vec![], true), ("[5,\"state\"]", vec![5], true)]
        {
            let keep: Keep = serde_json::from_str(text).unwrap();
            assert_eq!(keep, Keep { iterations, state });
            assert_eq!(serde_json::to_string(&keep).unwrap(), text);
        }
        for wrong in ["[0]", "[2,2]", "[\"weights\"]", "\"all\"", "[-1]", "3"] {
            assert!(serde_json::from_str::<Keep>(wrong).is_err(), "{wrong}");
        }
    }
}
