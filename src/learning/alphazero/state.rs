//! Everything that the rest of an AlphaZero training depends on, and its way into a checkpoint and back.
//!
//! Random streams are children of the seed by iteration, so that they need no room here.

use serde::{Deserialize, Serialize};

use super::super::{Adam, AdamSpec, Examples, LearningError, Replay};
use super::{Iteration, Snapshot};
use crate::encoders::Batch;
use crate::nets::deep::{DeepCheckpoint, DeepSpec, Net};
use crate::nets::{CheckpointError, read_versioned};

/// A training between two iterations.
pub struct TrainingState {
    /// The architecture.
    pub spec: DeepSpec,
    /// The network as it is now.
    pub net: Box<dyn Net>,
    /// Its optimiser.
    pub adam: Adam,
    /// The examples of the last iterations.
    pub replay: Replay,
    /// What has been measured, an entry for each iteration.
    pub curve: Vec<Iteration>,
    /// The networks that are kept, so far. They travel with every checkpoint, so that no file of a job is ever half
    /// made; beside the examples of a replay window they are small.
    pub kept: Vec<Snapshot>,
}

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

/// Bytes that are set apart for a header: some hundred an iteration.
const HEADER: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateHeader {
    version: u64,
    curve: Vec<Iteration>,
    /// The iterations whose networks are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kept: Vec<u32>,
    /// Bytes of each of the parts behind the header: network, optimiser, kept networks, iterations.
    parts: Vec<usize>,
}

impl TrainingState {
    /// A training that begins.
    ///
    /// # Errors
    /// Candle's.
    pub fn new(
        spec: DeepSpec,
        net: Box<dyn Net>,
        adam: AdamSpec,
        window: usize,
    ) -> Result<TrainingState, LearningError> {
        let adam = Adam::new(adam, &*net)?;
        Ok(TrainingState { spec, net, adam, replay: Replay::new(window), curve: Vec::new(), kept: Vec::new() })
    }

    /// Writes a checkpoint in the place of an earlier one, or of nothing: `file` grows once, by what a full window takes.
    ///
    /// # Errors
    /// Those of the formats.
    pub fn write(&self, file: &mut Vec<u8>) -> Result<(), LearningError> {
        file.clear();
        let mut parts = Vec::new();
        let mut add = |file: &mut Vec<u8>, part: &[u8]| {
            file.extend_from_slice(part);
            parts.push(part.len());
        };
        add(file, &self.network("")?.to_bytes()?);
        add(file, &self.adam.to_bytes()?);
        self.kept.iter().for_each(|kept| add(file, &kept.weights));
        for (index, examples) in self.replay.iterations().enumerate() {
            let part = examples.to_bytes()?;
            make_room(file, part.len(), self.replay.window() - index);
            add(file, &part);
        }
        let kept = self.kept.iter().map(|kept| kept.iteration).collect();
        let header = serde_json::to_vec(&StateHeader { version: VERSION, curve: self.curve.clone(), kept, parts })?;
        file.splice(..0, (header.len() as u64).to_le_bytes().into_iter().chain(header));
        Ok(())
    }

    /// Continues this training, just begun, from a checkpoint of it.
    ///
    /// # Errors
    /// Everything but a whole checkpoint of a training of this network.
    pub fn resume(mut self, bytes: &[u8], window: usize, boards: &Batch) -> Result<TrainingState, LearningError> {
        let (header, parts) = read(bytes)?;
        let [network, adam, rest @ ..] = parts.as_slice() else { return Err(LearningError::Torn) };
        let (kept, iterations) = rest.split_at_checked(header.kept.len()).ok_or(LearningError::Torn)?;
        let (checkpoint, dims) = (DeepCheckpoint::from_bytes(network)?, self.net.dims());
        if checkpoint.net != self.spec || checkpoint.dims != dims || boards.dims() != dims {
            return Err(LearningError::Torn);
        }
        self.restore(&checkpoint, adam)?;
        self.replay = Replay::new(window);
        for examples in iterations {
            self.replay.push(&Examples::from_bytes(examples, boards)?);
        }
        self.curve = header.curve;
        let kept = header.kept.into_iter().zip(kept);
        self.kept = kept.map(|(iteration, weights)| Snapshot { iteration, weights: weights.to_vec() }).collect();
        Ok(self)
    }

    /// The network once more, for play: what is learned later does not reach it.
    ///
    /// # Errors
    /// Candle's.
    pub fn copy(&self) -> Result<Box<dyn Net>, LearningError> {
        Ok(self.network("")?.build(self.net.dims())?)
    }

    /// Goes back to an earlier network and the state of its optimiser.
    ///
    /// # Errors
    /// When they belong to another network.
    pub fn restore(&mut self, network: &DeepCheckpoint, adam: &[u8]) -> Result<(), LearningError> {
        self.net = network.build(self.net.dims())?;
        self.adam = Adam::from_bytes(adam, &*self.net)?;
        Ok(())
    }

    /// The network on its way to a file.
    ///
    /// # Errors
    /// Candle's.
    pub fn network(&self, origin: &str) -> Result<DeepCheckpoint, CheckpointError> {
        Ok(DeepCheckpoint::of(self.spec, &*self.net, origin)?)
    }
}

/// Takes the memory for this part, where it is missing, and for those that a full window adds, so many with this one.
fn make_room(file: &mut Vec<u8>, part: usize, parts: usize) {
    let length = file.len();
    if file.capacity() - length < part {
        file.reserve_exact(HEADER + parts * part);
        // Memory that was never written to is only reserved.
        file.resize(file.capacity(), 0);
        file.truncate(length);
    }
}

fn read(bytes: &[u8]) -> Result<(StateHeader, Vec<&[u8]>), LearningError> {
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or(LearningError::Torn)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| LearningError::Torn)?;
    let (header, mut rest) = rest.split_at_checked(length).ok_or(LearningError::Torn)?;
    let header: StateHeader = read_versioned(header, VERSION)?;
    let mut parts = Vec::with_capacity(header.parts.len());
    for &length in &header.parts {
        let (part, behind) = rest.split_at_checked(length).ok_or(LearningError::Torn)?;
        parts.push(part);
        rest = behind;
    }
    if rest.is_empty() { Ok((header, parts)) } else { Err(LearningError::Torn) }
}
