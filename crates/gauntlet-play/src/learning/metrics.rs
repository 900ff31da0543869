//! Metrics of a training: its result, and JSON lines with an object for each iteration or generation.
//!
//! The numbers are those of the curve, which every checkpoint includes: an interruption changes no byte.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LearningError;
use crate::arena::Standing;
use crate::engines::EngineFacts;

/// The result of a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrainingResult<T> {
    /// An entry for each iteration or generation.
    pub curve: Vec<T>,
    /// Number of games.
    pub games: u64,
    /// Mean score of the network before its training, -1 to 1, if it was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrained: Option<f64>,
    /// All games of its evaluations by a panel, and the facts about its engines, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel: Option<Standing>,
    /// The facts about the program of its network, or its trainer, if that is another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<EngineFacts>,
    /// The work of a trainer that is another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<TrainerEffort>,
}

/// The work of a trainer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrainerEffort {
    /// Wall-clock seconds, over all its processes; none for a deterministic trainer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Seconds of processor time of the trainer and of all that it started, where the system tells; none for a
    /// deterministic trainer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_seconds: Option<f64>,
    /// The most bytes of memory that the trainer and all that it started held at one of the looks, where the system tells;
    /// none for a deterministic trainer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Games, if it counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Evaluations by its network, if it counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluations: Option<u64>,
}

/// A line of metrics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricsLine<T> {
    /// Number of the iteration or generation, from 1.
    pub step: usize,
    /// Its measurements.
    #[serde(flatten)]
    pub entry: T,
}

/// One line for each entry of a curve: `{"step":1,...}`.
///
/// # Errors
/// If an entry is not a JSON object.
pub(super) fn json_lines<T: Serialize>(curve: impl IntoIterator<Item = T>) -> Result<Vec<u8>, LearningError> {
    let mut lines = Vec::new();
    for (step, entry) in (1..).zip(curve) {
        serde_json::to_writer(&mut lines, &MetricsLine { step, entry })?;
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
