//! Checkpoints of deep networks: the safetensors format, with the configuration in its metadata.
//!
//! This module opens no files. Tensors are `F32` under their own names; one metadata entry, `gauntlet`, holds the
//! JSON of everything else with a version. The bytes are a function of the checkpoint, and loading restores it bit by
//! bit. Input is untrusted. Optimiser states use the same two functions.

use std::collections::HashMap;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::params::{Init, Saved};
use super::{DeepError, DeepSpec, External, Net, load, save};
use crate::encoders::Dims;
use crate::nets::{CheckpointError, read_versioned};
use gauntlet_games::base::{Seed, visible};

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

/// Maximum size of a file in bytes: room for AZ-CNN on 20 x 20 with its optimiser's state.
const MOST_BYTES: usize = 4 << 30;

/// The metadata entry that holds everything but the tensors.
const ENTRY: &str = "gauntlet";

/// The tensor with the state of a network of another program.
const STATE: &str = "state";

/// A deep network with its weights and their origin.
#[derive(Debug, Clone, PartialEq)]
pub struct DeepCheckpoint {
    /// The architecture.
    pub net: DeepSpec,
    /// The dimensions of the batches that it was built for.
    pub dims: Dims,
    /// Its tensors, in its order; none for a network of another program.
    pub tensors: Vec<Saved>,
    /// The state of a network of another program, as that program saved it.
    pub state: Option<Vec<u8>>,
    /// Origin of the weights, for display.
    pub origin: String,
    /// The purpose of the network, as defined by higher layers: game, player and search.
    pub purpose: Option<Value>,
}

/// The metadata as written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeepHeader {
    version: u64,
    net: DeepSpec,
    dims: Dims,
    /// The network's order of the tensors; safetensors sorts by size and name.
    order: Vec<String>,
    origin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    purpose: Option<Value>,
}

impl DeepCheckpoint {
    /// The checkpoint of a network's current state.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn of(spec: DeepSpec, net: &dyn Net, origin: &str) -> Result<DeepCheckpoint, DeepError> {
        let (dims, tensors, origin) = (net.dims(), save(net.params())?, origin.to_owned());
        Ok(DeepCheckpoint { net: spec, dims, tensors, state: None, origin, purpose: None })
    }

    /// The checkpoint of a network of another program, with the bytes that the program saved.
    #[must_use]
    pub fn of_program(network: &External, dims: Dims, state: Vec<u8>, origin: &str) -> DeepCheckpoint {
        let (net, origin) = (DeepSpec::External(Box::new(network.portable())), origin.to_owned());
        DeepCheckpoint { net, dims, tensors: Vec::new(), state: Some(state), origin, purpose: None }
    }

    /// Adds the purpose.
    #[must_use]
    pub fn made_for(self, purpose: Value) -> DeepCheckpoint {
        DeepCheckpoint { purpose: Some(purpose), ..self }
    }

    /// Builds the network; the board may differ from the original one if the weights do not depend on it.
    ///
    /// # Errors
    /// If the tensors do not fit these batches, or hold a number that is not finite.
    pub fn build(&self, dims: Dims) -> Result<Box<dyn Net>, DeepError> {
        let net = self.net.build(dims, Init::default(), &Seed::new(0))?;
        load(net.params(), &self.tensors)?;
        Ok(net)
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// Errors of the format.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        let order = self.tensors.iter().map(|tensor| tensor.name.clone()).collect();
        let (origin, purpose) = (self.origin.clone(), self.purpose.clone());
        let header = DeepHeader { version: VERSION, net: self.net.clone(), dims: self.dims, order, origin, purpose };
        let header = serde_json::to_string(&header).map_err(|error| CheckpointError::Header(error.to_string()))?;
        match &self.state {
            Some(state) => write_state(state, header),
            None => write_tensors(&self.tensors, header),
        }
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// If it is not a complete checkpoint of this version whose tensors fit its network.
    pub fn from_bytes(bytes: &[u8]) -> Result<DeepCheckpoint, CheckpointError> {
        let Contents { mut tensors, state, header: text } = read(bytes)?;
        let header: DeepHeader = read_versioned(text.as_bytes(), VERSION)?;
        let mut ordered = Vec::with_capacity(tensors.len());
        for name in &header.order {
            let index = tensors.iter().position(|tensor| tensor.name == *name).ok_or_else(|| missing(name))?;
            ordered.push(tensors.swap_remove(index));
        }
        if let Some(name) = tensors.iter().map(|tensor| &tensor.name).min() {
            return Err(other(name));
        }
        let DeepHeader { net, dims, origin, purpose, .. } = header;
        let is_of_program = matches!(net, DeepSpec::External(_));
        let checkpoint = DeepCheckpoint { net, dims, tensors: ordered, state, origin, purpose };
        match (is_of_program, &checkpoint.state) {
            (true, Some(_)) => {}
            (true, None) => return Err(missing(STATE)),
            (false, Some(_)) => return Err(other(STATE)),
            (false, None) => drop(checkpoint.build(checkpoint.dims)?),
        }
        Ok(checkpoint)
    }
}

/// Tensors and a header as the bytes of a safetensors file.
///
/// # Errors
/// Errors of the format.
pub fn write_tensors(tensors: &[Saved], header: String) -> Result<Vec<u8>, CheckpointError> {
    let bytes = |tensor: &Saved| tensor.values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let data: Vec<Vec<u8>> = tensors.iter().map(bytes).collect();
    let views = tensors
        .iter()
        .zip(&data)
        .map(|(tensor, data)| Ok((tensor.name.as_str(), TensorView::new(Dtype::F32, tensor.shape.clone(), data)?)));
    let views = views.collect::<Result<Vec<_>, CheckpointError>>()?;
    Ok(safetensors::serialize(views, entry(header))?)
}

/// The state of a network of another program and a header as the bytes of a safetensors file.
fn write_state(state: &[u8], header: String) -> Result<Vec<u8>, CheckpointError> {
    let view = TensorView::new(Dtype::U8, vec![state.len()], state)?;
    Ok(safetensors::serialize([(STATE, view)], entry(header))?)
}

fn entry(header: String) -> Option<HashMap<String, String>> {
    Some(HashMap::from([(ENTRY.to_owned(), header)]))
}

/// Reads the output of [`write_tensors`], in the format's order.
///
/// # Errors
/// If it is not a complete safetensors file of 32-bit floats with a header.
pub fn read_tensors(bytes: &[u8]) -> Result<(Vec<Saved>, String), CheckpointError> {
    match read(bytes)? {
        Contents { tensors, state: None, header } => Ok((tensors, header)),
        Contents { state: Some(_), .. } => Err(other(STATE)),
    }
}

fn missing(name: &str) -> CheckpointError {
    CheckpointError::MissingTensor(visible(name))
}

fn other(name: &str) -> CheckpointError {
    CheckpointError::OtherTensor(visible(name))
}

/// The contents of a file.
struct Contents {
    /// The tensors of 32-bit floats.
    tensors: Vec<Saved>,
    /// The state of a network of another program.
    state: Option<Vec<u8>>,
    header: String,
}

fn read(bytes: &[u8]) -> Result<Contents, CheckpointError> {
    if bytes.len() > MOST_BYTES {
        return Err(CheckpointError::Size(bytes.len()));
    }
    let (_, metadata) = SafeTensors::read_metadata(bytes)?;
    let entry = metadata.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
    let header = entry.ok_or_else(|| CheckpointError::Header(format!("metadata without `{ENTRY}`")))?.clone();
    let (mut tensors, mut state) = (Vec::new(), None);
    for (name, view) in SafeTensors::deserialize(bytes)?.tensors() {
        match view.dtype() {
            Dtype::F32 => {
                let values = view.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
                tensors.push(Saved { name, shape: view.shape().to_vec(), values });
            }
            Dtype::U8 if name == STATE => state = Some(view.data().to_vec()),
            format => {
                let (name, format) = (visible(&name), format.to_string());
                return Err(CheckpointError::TensorFormat { name, format });
            }
        }
    }
    Ok(Contents { tensors, state, header })
}
