//! The files that jobs read and leave.

use std::collections::BTreeMap;

use serde::Serialize;

/// What a job leaves: names and contents.
pub type Files = Vec<(String, Vec<u8>)>;

/// Contents of the files that a job reads, by their names in the data directory.
pub type Inputs = BTreeMap<String, Vec<u8>>;

/// The file that holds a job's numbers, as JSON.
pub const RESULT: &str = "result.json";

/// The file that holds trained weights.
pub const WEIGHTS: &str = "weights.safetensors";

/// The file that holds the last state of a training, from which a longer one continues.
pub const STATE: &str = "state.bin";

/// The file that holds the metrics of a training, as JSON lines. AlphaZero's grows while it runs.
pub const METRICS: &str = "metrics.jsonl";

/// The file that holds game records, as JSON lines.
pub const GAMES: &str = "games.jsonl";

/// The file that holds the weights of a kept iteration, or those that the training ended with.
#[must_use]
pub fn weights_file(iteration: Option<u32>) -> String {
    iteration.map_or_else(|| WEIGHTS.to_owned(), |iteration| format!("weights-{iteration}.safetensors"))
}

/// A file of a name.
#[must_use]
pub fn file(name: &str, bytes: Vec<u8>) -> (String, Vec<u8>) {
    (name.to_owned(), bytes)
}

/// The file [`RESULT`] with these numbers.
///
/// # Errors
/// When they are no JSON.
pub fn result(numbers: &impl Serialize) -> serde_json::Result<(String, Vec<u8>)> {
    Ok(file(RESULT, serde_json::to_vec(numbers)?))
}

/// Whether files stay in the data directory.
///
/// # Errors
/// A sentence for people.
pub fn check_inputs(files: &[&str]) -> Result<(), String> {
    let leaves = |file: &&&str| file.contains('\\') || file.split('/').any(|part| matches!(part, "" | "." | ".."));
    match files.iter().find(leaves) {
        Some(file) => Err(format!("`{file}` is no file of the data directory")),
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
