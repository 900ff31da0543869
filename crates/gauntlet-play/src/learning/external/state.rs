//! The state of a trainer: its metrics, its effort, and the files of its last checkpoint.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engines::{EngineError, EngineFacts};
use crate::learning::LearningError;
use crate::learning::metrics::TrainerEffort;
use crate::players::PlayerError;
use gauntlet_games::base::{Event, ResumePoint, Segment, Sink};

/// The named numbers of a line of metrics.
pub type Numbers = BTreeMap<String, f64>;

/// The state from which an interrupted training continues; the files of the checkpoint are segments.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainerState {
    /// The files of its last checkpoint.
    pub names: Vec<String>,
    /// Its metrics so far.
    pub curve: Vec<Numbers>,
    /// Its work so far.
    pub effort: TrainerEffort,
}

/// The files of a trainer, with its metrics and effort.
pub struct TrainedElsewhere {
    pub files: BTreeMap<String, Vec<u8>>,
    pub state: TrainerState,
    pub facts: EngineFacts,
}

/// The state of an interrupted training, and the files of its last checkpoint.
///
/// # Errors
/// If it is that of another training.
pub fn resumed(point: &ResumePoint) -> Result<(TrainerState, BTreeMap<String, Vec<u8>>), LearningError> {
    let state: TrainerState = serde_json::from_slice(&point.head)?;
    if state.names.len() != point.segments.len() {
        return Err(LearningError::Torn);
    }
    let contents = point.segments.iter().map(|segment| segment.bytes().to_vec());
    let files = state.names.iter().cloned().zip(contents).collect();
    Ok((state, files))
}

impl TrainerState {
    /// The state with the files of a checkpoint.
    pub fn point(&self, files: BTreeMap<String, Vec<u8>>) -> Result<ResumePoint, LearningError> {
        let (names, contents): (Vec<String>, Vec<Vec<u8>>) = files.into_iter().unzip();
        let head = serde_json::to_vec(&TrainerState { names, ..self.clone() })?;
        Ok(ResumePoint { head, segments: contents.into_iter().map(Segment::new).collect() })
    }

    /// Reports the last line of metrics.
    pub fn tell(&self, sink: &mut dyn Sink) -> Result<(), LearningError> {
        let step = self.curve.len() as u64;
        for (name, &value) in self.curve.last().into_iter().flatten() {
            sink.record(Event::Metric { name, step, value })?;
        }
        Ok(())
    }
}

/// The error of a training whose program is broken.
pub fn broken(error: EngineError) -> LearningError {
    PlayerError::from(error).into()
}
