//! The file `rankings.json` of AlphaGateau's authors: results of every two players, twice, with the authors' ratings
//! (truncated to whole numbers) and one standard error of each.

use std::collections::BTreeMap;

use serde::Deserialize;

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
    results: BTreeMap<String, BTreeMap<String, [u32; 3]>>,
    #[serde(default)]
    elo: BTreeMap<String, f64>,
    #[serde(default)]
    std: BTreeMap<String, f64>,
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
    for (a, row) in &written.results {
        for (b, &counts) in row {
            let mirrored = written.results.get(b).and_then(|row| row.get(a));
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
    let stored = written.elo.iter().filter_map(|(name, &elo)| Some((name.clone(), (elo, *written.std.get(name)?))));
    Ok(Rankings { results, stored: stored.collect() })
}
