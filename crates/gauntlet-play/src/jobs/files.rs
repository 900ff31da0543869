//! Input and output files of jobs.

use std::collections::BTreeMap;

use serde::Serialize;

/// The output files of a job: names and contents.
pub type Files = Vec<(String, Vec<u8>)>;

/// Contents of a job's input files, by their names in the data directory.
pub type Inputs = BTreeMap<String, Vec<u8>>;

/// The file with a job's numbers, as JSON.
pub const RESULT: &str = "result.json";

/// The file with trained weights.
pub const WEIGHTS: &str = "weights.safetensors";

/// The file with the last state of a training, from which a longer one continues.
pub const STATE: &str = "state.bin";

/// The file with the metrics of a training, as JSON lines. AlphaZero's grows during the run.
pub const METRICS: &str = "metrics.jsonl";

/// The file with game records, as JSON lines.
pub const GAMES: &str = "games.jsonl";

/// The file with the weights of a kept iteration, or the final weights.
#[must_use]
pub fn weights_file(iteration: Option<u32>) -> String {
    iteration.map_or_else(|| WEIGHTS.to_owned(), |iteration| format!("weights-{iteration}.safetensors"))
}

/// A file with a name and contents.
#[must_use]
pub fn file(name: &str, bytes: Vec<u8>) -> (String, Vec<u8>) {
    (name.to_owned(), bytes)
}

/// The file [`RESULT`] with these numbers.
///
/// # Errors
/// If they cannot be written as JSON.
pub fn result(numbers: &impl Serialize) -> serde_json::Result<(String, Vec<u8>)> {
    Ok(file(RESULT, serde_json::to_vec(numbers)?))
}

/// Checks that paths stay within the data directory.
///
/// # Errors
/// The reason, as a sentence.
pub fn check_inputs(files: &[&str]) -> Result<(), String> {
    let leaves = |file: &&&str| file.contains('\\') || file.split('/').any(|part| matches!(part, "" | "." | ".."));
    match files.iter().find(leaves) {
        Some(file) => Err(format!("`{file}` is not a file of the data directory")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stay_in_the_data_directory() {
        for (file, fine) in [("rankings.json", true), ("a/b.csv", true), ("../x", false), ("/x", false), ("", false)] {
            assert_eq!(check_inputs(&[file]).is_ok(), fine, "{file}");
        }
    }
}
