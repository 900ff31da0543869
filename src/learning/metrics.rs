//! What a training measured, as JSON lines: an object for each iteration or generation, with its number first.
//!
//! The numbers are those of the curve, which travels with every checkpoint: an interruption changes no byte.

use serde::Serialize;

use super::LearningError;

#[derive(Serialize)]
struct Line<T> {
    /// Number of the entry, from 1.
    step: usize,
    #[serde(flatten)]
    entry: T,
}

/// One line for each entry of a curve: `{"step":1,...}`.
///
/// # Errors
/// For an entry that is no JSON object.
pub(super) fn json_lines<T: Serialize>(curve: impl IntoIterator<Item = T>) -> Result<Vec<u8>, LearningError> {
    let mut lines = Vec::new();
    for (step, entry) in (1..).zip(curve) {
        serde_json::to_writer(&mut lines, &Line { step, entry })?;
        lines.push(b'\n');
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_number_and_all_of_the_entry() {
        let lines = json_lines([serde_json::json!({ "loss": 0.5, "games": 3 }), serde_json::json!({})]).unwrap();
        assert_eq!(String::from_utf8(lines).unwrap(), "{\"step\":1,\"loss\":0.5,\"games\":3}\n{\"step\":2}\n");
    }
}
