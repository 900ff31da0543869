//! Seeds as written: a count, or a list.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use super::sweep::MOST;

/// `seeds = 5` or `seeds = [3, 4]`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the variants tell the schema what can be written")]
enum SeedsWritten {
    Count(u32),
    List(Vec<u64>),
}

/// Independent runs: a number of seeds, counted from 1, or a list of different ones.
#[derive(JsonSchema)]
pub(super) struct Seeds(#[schemars(with = "SeedsWritten")] pub(super) Vec<u64>);

impl<'de> Deserialize<'de> for Seeds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seeds, D::Error> {
        struct CountOrList;

        impl<'de> Visitor<'de> for CountOrList {
            type Value = Vec<u64>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a number of seeds or a list of seeds")
            }

            fn visit_i64<E: serde::de::Error>(self, count: i64) -> Result<Vec<u64>, E> {
                match u64::try_from(count) {
                    Ok(count @ 1..) if count <= MOST as u64 => Ok((1..=count).collect()),
                    _ => Err(E::custom(format!("{count} seeds are outside 1 to {MOST}"))),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u64>, A::Error> {
                let mut seeds: Vec<u64> = Vec::new();
                let mut known = std::collections::HashSet::new();
                while let Some(seed) = list.next_element()? {
                    if !known.insert(seed) {
                        let message = format!("the seed {seed} twice would count one run as two");
                        return Err(A::Error::custom(message));
                    }
                    seeds.push(seed);
                }
                if seeds.is_empty() { Err(A::Error::custom("a stage has at least one seed")) } else { Ok(seeds) }
            }
        }

        deserializer.deserialize_any(CountOrList).map(Seeds)
    }
}
