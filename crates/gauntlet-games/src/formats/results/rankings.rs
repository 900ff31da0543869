//! The file `rankings.json` of AlphaGateau's authors: results of every two players, twice, with the authors' ratings
//! (truncated to whole numbers) and one standard error of each.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Error as _, MapAccess, Visitor};

use super::tally::Fault;

/// The contents of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rankings {
    /// Every two players once, in the order of their names, with wins, draws and losses of the first.
    pub results: Vec<(String, String, [u64; 3])>,
    /// Stored rating and standard error by player.
    pub stored: BTreeMap<String, (f64, f64)>,
}

#[derive(Deserialize)]
struct Written {
    /// Counts have the same limit as in a CSV.
    results: Distinct<Distinct<[u32; 3]>>,
    #[serde(default)]
    elo: Distinct<f64>,
    #[serde(default)]
    std: Distinct<f64>,
}

/// A map that refuses a second value of a key, which would hide the first.
struct Distinct<V>(BTreeMap<String, V>);

impl<V> Default for Distinct<V> {
    fn default() -> Distinct<V> {
        Distinct(BTreeMap::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Distinct<V> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Distinct<V>, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// Reads the entries one by one.
struct Entries<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
    type Value = Distinct<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("values by player")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Distinct<V>, M::Error> {
        let mut entries = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, V>()? {
            if entries.contains_key(&name) {
                return Err(M::Error::custom(format!("{name:?} has two entries")));
            }
            entries.insert(name, value);
        }
        Ok(Distinct(entries))
    }
}

/// Reads the file.
///
/// # Errors
/// A sentence with the line, if the file is invalid.
pub fn rankings(bytes: &[u8]) -> Result<Rankings, String> {
    read(bytes).map_err(|fault| format!("line {}: {}", fault.line.unwrap_or(0), fault.what))
}

/// The form of the file, for errors.
const EXPECTED: &str =
    "expected results of every player against every other, as [wins, draws, losses], each below 2^32";

pub(super) fn read(text: &[u8]) -> Result<Rankings, Fault> {
    let written: Written = serde_json::from_slice(text).map_err(|error| Fault::of_json(&error, EXPECTED))?;
    let mut results = Vec::new();
    for (a, row) in &written.results.0 {
        for (b, &counts) in &row.0 {
            let mirrored = written.results.0.get(b).and_then(|row| row.0.get(a));
            if a == b {
                return Err(Fault::at(1, format!("{a:?} plays against itself")));
            }
            let [wins, draws, losses] = counts;
            if mirrored.is_some_and(|mirrored| *mirrored != [losses, draws, wins]) {
                return Err(Fault::at(1, format!("the results of {a:?} and {b:?} contradict each other")));
            }
            if a < b || mirrored.is_none() {
                results.push((a.clone(), b.clone(), counts.map(u64::from)));
            }
        }
    }
    let (elo, errors) = (written.elo.0, written.std.0);
    let stored = elo.into_iter().filter_map(|(name, elo)| Some((name.clone(), (elo, *errors.get(&name)?))));
    Ok(Rankings { results, stored: stored.collect() })
}
