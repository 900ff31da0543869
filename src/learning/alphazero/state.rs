//! Everything that the rest of an AlphaZero training depends on, and its way into a checkpoint and back.
//!
//! Random streams are children of the seed by iteration, so that they need no room here.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::{Adam, AdamSpec, ExampleSegment, LearningError, Replay};
use super::{Iteration, Snapshot};
use crate::base::ResumePoint;
use crate::encoders::Topology;
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
    /// The networks that are kept, so far. They travel with every checkpoint, so that no file of a job is ever half made.
    pub kept: Vec<Snapshot>,
}

/// The version that is written, and the only one that is read.
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

    /// A checkpoint: a header, the network and the optimiser; and as segments the kept networks and the iterations of the
    /// window, which do not change any more.
    ///
    /// # Errors
    /// Those of the formats.
    pub fn resume_point(&self) -> Result<ResumePoint, LearningError> {
        let (network, adam) = (self.network("")?.to_bytes()?, self.adam.to_bytes()?);
        let (kept, parts) = (self.kept.iter().map(|kept| kept.iteration).collect(), [network.len(), adam.len()]);
        let header = serde_json::to_vec(&StateHeader { version: VERSION, curve: self.curve.clone(), kept, parts })?;
        let head = [&(header.len() as u64).to_le_bytes()[..], &header, &network, &adam].concat();
        let kept = self.kept.iter().map(|kept| &kept.weights);
        let segments = kept.chain(self.replay.iterations().map(ExampleSegment::segment)).cloned().collect();
        Ok(ResumePoint { head, segments })
    }

    /// Continues this training, just begun, from a checkpoint of it.
    ///
    /// # Errors
    /// Everything but a whole checkpoint of a training of this network.
    pub fn resume(
        mut self,
        point: &ResumePoint,
        window: usize,
        boards: &[&Topology],
    ) -> Result<TrainingState, LearningError> {
        let (header, network, adam) = read(&point.head)?;
        let (kept, iterations) = point.segments.split_at_checked(header.kept.len()).ok_or(LearningError::Torn)?;
        let (checkpoint, dims) = (DeepCheckpoint::from_bytes(network)?, self.net.dims());
        if checkpoint.net != self.spec || checkpoint.dims != dims {
            return Err(LearningError::Torn);
        }
        self.restore(&checkpoint, adam)?;
        self.replay = Replay::new(window);
        for segment in iterations {
            let examples = ExampleSegment::open(Arc::clone(segment), dims, boards);
            self.replay.restore(examples.ok_or(LearningError::Torn)?);
        }
        self.curve = header.curve;
        let kept = header.kept.into_iter().zip(kept);
        self.kept = kept.map(|(iteration, weights)| Snapshot { iteration, weights: Arc::clone(weights) }).collect();
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

/// The header of a head, the network and the optimiser.
fn read(head: &[u8]) -> Result<(StateHeader, &[u8], &[u8]), LearningError> {
    let (length, rest) = head.split_first_chunk::<8>().ok_or(LearningError::Torn)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| LearningError::Torn)?;
    let (header, rest) = rest.split_at_checked(length).ok_or(LearningError::Torn)?;
    let header: StateHeader = read_versioned(header, VERSION)?;
    let (network, adam) = rest.split_at_checked(header.parts[0]).ok_or(LearningError::Torn)?;
    if adam.len() == header.parts[1] { Ok((header, network, adam)) } else { Err(LearningError::Torn) }
}
