//! The file `rankings.json` of AlphaGateau's authors: results of every two players, twice, with the authors' ratings
//! (truncated to whole numbers) and one standard error of each.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::json_map::read_map;
use super::tally::InputFault;

/// The contents of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rankings {
    /// Every two players once, in the order of their names, with wins, draws and losses of the first.
    pub results: Vec<(String, String, [u64; 3])>,
    /// Stored rating and standard error by player.
    pub stored: BTreeMap<String, (f64, f64)>,
}

#[derive(Deserialize)]
#[serde(expecting = "results and ratings")]
struct RankingsFile {
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
        read_map(deserializer, "values by player", |read: &mut Distinct<V>, name: String, value| {
            match read.0.insert(name.clone(), value) {
                None => Ok(()),
                Some(_) => Err(format!("{name:?} has two entries")),
            }
        })
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

pub(super) fn read(text: &[u8]) -> Result<Rankings, InputFault> {
    let written: RankingsFile = serde_json::from_slice(text).map_err(|error| InputFault::of_json(&error, EXPECTED))?;
    let mut results = Vec::new();
    for (a, row) in &written.results.0 {
        for (b, &counts) in &row.0 {
            let mirrored = written.results.0.get(b).and_then(|row| row.0.get(a));
            if a == b {
                return Err(InputFault::at(1, format!("{a:?} plays against itself")));
            }
            let [wins, draws, losses] = counts;
            if mirrored.is_some_and(|mirrored| *mirrored != [losses, draws, wins]) {
                return Err(InputFault::at(1, format!("the results of {a:?} and {b:?} contradict each other")));
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
