//! The state of an AlphaZero training, and its serialisation in checkpoints.
//!
//! Random streams are children of the seed by iteration, and so need no state.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::{ExampleSegment, KeptIteration, LearningError, Replay, Window};
use super::learner::Learner;
use super::{Iteration, Snapshot};
use gauntlet_games::base::ResumePoint;
use gauntlet_nets::encoders::Batch;
use gauntlet_nets::nets::deep::DeepCheckpoint;
use gauntlet_nets::nets::read_versioned;

/// A training between two iterations.
pub struct TrainingState {
    /// The network with its optimiser.
    pub learner: Box<dyn Learner>,
    /// The examples of the last iterations.
    pub replay: Replay,
    /// The measurements, an entry for each iteration.
    pub curve: Vec<Iteration>,
    /// The networks kept so far. Every checkpoint includes them, so that no output file is incomplete.
    pub kept: Vec<Snapshot>,
}

/// The version that is written, and the only one that can be read.
const VERSION: u64 = 2;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateHeader {
    version: u64,
    curve: Vec<Iteration>,
    /// The iterations whose networks are kept: the first segments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kept: Vec<u32>,
    /// Bytes of the network and of the optimiser behind the header.
    parts: [usize; 2],
    /// Whether a bit for each example of each iteration follows: whether it is still in the window.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    thinned: bool,
}

impl TrainingState {
    /// The state at the start of a training.
    pub fn new(learner: Box<dyn Learner>, window: Window) -> TrainingState {
        TrainingState { learner, replay: Replay::new(window), curve: Vec::new(), kept: Vec::new() }
    }

    /// A checkpoint: a header, the network and the optimiser; and as segments the kept networks and the iterations of the
    /// window, which do not change any more.
    ///
    /// # Errors
    /// Errors of the formats.
    pub fn resume_point(&self) -> Result<ResumePoint, LearningError> {
        let (network, adam) = (self.learner.network("")?.to_bytes()?, self.learner.optimiser()?);
        let (kept, parts) = (self.kept.iter().map(|kept| kept.iteration).collect(), [network.len(), adam.len()]);
        let thinned = self.replay.iterations().any(|iteration| iteration.left().is_some());
        let curve = self.curve.clone();
        let header = serde_json::to_vec(&StateHeader { version: VERSION, curve, kept, parts, thinned })?;
        let left: Vec<u8> = self.replay.iterations().filter(|_| thinned).flat_map(left_bits).collect();
        let head = [&(header.len() as u64).to_le_bytes()[..], &header, &network, &adam, &left].concat();
        let kept = self.kept.iter().map(|kept| &kept.weights);
        let iterations = self.replay.iterations().map(|iteration| iteration.stored().segment());
        Ok(ResumePoint { head, segments: kept.chain(iterations).cloned().collect() })
    }

    /// Continues this training from one of its checkpoints, right after its start.
    ///
    /// # Errors
    /// If the bytes are not a complete checkpoint of a training of this network.
    pub fn resume(
        mut self,
        point: &ResumePoint,
        window: Window,
        boards: &Batch,
    ) -> Result<TrainingState, LearningError> {
        let (header, [network, adam, mut left]) = read(&point.head)?;
        let (kept, iterations) = point.segments.split_at_checked(header.kept.len()).ok_or(LearningError::Torn)?;
        let (checkpoint, dims) = (DeepCheckpoint::from_bytes(network)?, self.learner.dims());
        if checkpoint.dims != dims || boards.dims() != dims {
            return Err(LearningError::Torn);
        }
        self.learner.restore(&checkpoint, adam)?;
        self.replay = Replay::new(window);
        for segment in iterations {
            let examples = ExampleSegment::open(Arc::clone(segment), boards).ok_or(LearningError::Torn)?;
            let bits = if header.thinned { examples.len().div_ceil(8) } else { 0 };
            let (bits, rest) = left.split_at_checked(bits).ok_or(LearningError::Torn)?;
            let is_left = |at: &u32| bits[*at as usize / 8] >> (at % 8) & 1 == 1;
            let kept = header.thinned.then(|| (0..examples.len() as u32).filter(is_left).collect());
            self.replay.restore(examples, kept);
            left = rest;
        }
        self.curve = header.curve;
        let kept = header.kept.into_iter().zip(kept);
        self.kept = kept.map(|(iteration, weights)| Snapshot { iteration, weights: Arc::clone(weights) }).collect();
        Ok(self)
    }
}

/// A bit for each stored example of an iteration: whether it is still in the window.
fn left_bits(iteration: &KeptIteration) -> Vec<u8> {
    let stored = iteration.stored().len();
    let mut bits = vec![0; stored.div_ceil(8)];
    let all: Vec<u32> = (0..stored as u32).collect();
    iteration.left().unwrap_or(&all).iter().for_each(|&at| bits[at as usize / 8] |= 1 << (at % 8));
    bits
}

/// The header of a checkpoint head, and its parts: the network, the optimiser, and the window bits.
fn read(head: &[u8]) -> Result<(StateHeader, [&[u8]; 3]), LearningError> {
    let (length, rest) = head.split_first_chunk::<8>().ok_or(LearningError::Torn)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| LearningError::Torn)?;
    let (header, rest) = rest.split_at_checked(length).ok_or(LearningError::Torn)?;
    let header: StateHeader = read_versioned(header, VERSION)?;
    let (network, rest) = rest.split_at_checked(header.parts[0]).ok_or(LearningError::Torn)?;
    let (adam, left) = rest.split_at_checked(header.parts[1]).ok_or(LearningError::Torn)?;
    if left.is_empty() != header.thinned { Ok((header, [network, adam, left])) } else { Err(LearningError::Torn) }
}
