//! The file `rankings.json` of AlphaGateau's authors: results of every two players, twice, with the authors' ratings
//! (truncated to whole numbers) and one standard error of each.

use std::collections::BTreeMap;
use std::io::Read;

use serde::Deserialize;

use super::tally::Fault;

/// Maximum size of a file in bytes. The authors' own has 1.3 MB.
const LARGEST: u64 = 64 << 20;

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

pub(super) fn read(input: impl Read) -> Result<Rankings, Fault> {
    let mut text = Vec::new();
    input.take(LARGEST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LARGEST {
        let what = format!("this JSON has more than {} MB, and is only read whole", LARGEST >> 20);
        return Err(Fault { line: None, what, hint: Some("write the counts as CSV, which is read line by line") });
    }
    let written: Written = serde_json::from_slice(&text).map_err(|error| {
        let line = error.line() as u64;
        let what = if error.is_eof() { "the file ends in the middle".to_owned() } else { error.to_string() };
        Fault::at(
            line,
            format!(
                "{what} (expected results of every player against every other, as [wins, draws, losses], each below 2^32)"
            ),
        )
    })?;
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
