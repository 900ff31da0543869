//! Checkpoints of flat networks: the safetensors format, with the specification in its metadata.
//!
//! This module opens no files and stores no optimiser state. One tensor, `weights`, `F64 [n]`, in the order that the
//! architecture documents; one metadata entry, `gauntlet`, the JSON of everything else with a version. The bytes are
//! a function of the checkpoint, and loading restores it bit by bit. Input is untrusted.

use std::collections::HashMap;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::deep::DeepError;
use super::{LARGEST_BOARD, NetError, NetSpec};

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

/// Maximum size of a file in bytes: room for the largest MLP.
const MOST_BYTES: usize = 16 << 20;

/// The metadata entry that holds everything but the weights.
const ENTRY: &str = "gauntlet";

/// The name of the one tensor.
const TENSOR: &str = "weights";

/// A network with its weights and their origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The architecture.
    pub net: NetSpec,
    /// Its weights, in the order that the architecture documents.
    pub weights: Vec<f64>,
    /// Side of the square board that the weights were made for.
    pub board: usize,
    /// Origin of the weights, for display.
    pub origin: String,
}

/// The metadata as written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightsHeader {
    version: u64,
    net: NetSpec,
    board: usize,
    origin: String,
}

/// The reason why bytes are not a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// Too many bytes for any network.
    #[error("a checkpoint has at most {MOST_BYTES} bytes, not {0}")]
    Size(usize),
    /// Truncated, or not this format at all.
    #[error("not a complete safetensors file")]
    Format(#[from] SafeTensorError),
    /// The metadata are missing or are not the JSON of a checkpoint.
    #[error("not a checkpoint of a network: {0}")]
    Header(String),
    /// Written by another version.
    #[error("checkpoint version {0} is not supported by this program")]
    Version(u64),
    /// Other tensors than the one list of weights.
    #[error("a checkpoint holds one list of 64-bit weights and nothing else")]
    Tensors,
    /// A tensor that the file names is not in it.
    #[error("tensor `{0}` is missing")]
    MissingTensor(String),
    /// A tensor that the network does not have.
    #[error("tensor `{0}` is not of this network")]
    OtherTensor(String),
    /// The numbers of a tensor of a deep network have another format.
    #[error("tensor `{name}` is {format}: F32 is needed")]
    TensorFormat {
        /// The tensor.
        name: String,
        /// The format of its numbers, as the file names it.
        format: String,
    },
    /// The board is impossible.
    #[error("a board of {0} rows is not within 1 to {LARGEST_BOARD}")]
    Board(usize),
    /// The weights do not fit the network.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The tensors do not fit the deep network.
    #[error(transparent)]
    Deep(#[from] DeepError),
}

impl Checkpoint {
    /// The bytes of a file.
    ///
    /// # Errors
    /// The errors of [`Checkpoint::from_bytes`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        self.check()?;
        let header = WeightsHeader { version: VERSION, net: self.net, board: self.board, origin: self.origin.clone() };
        let header = serde_json::to_string(&header).map_err(|error| CheckpointError::Header(error.to_string()))?;
        let data: Vec<u8> = self.weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
        let tensor = TensorView::new(Dtype::F64, vec![self.weights.len()], &data)?;
        let bytes = safetensors::serialize([(TENSOR, tensor)], Some(HashMap::from([(ENTRY.to_owned(), header)])))?;
        check_size(&bytes)?;
        Ok(bytes)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// If it is not a complete checkpoint of this version with weights that fit its network.
    pub fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        check_size(bytes)?;
        let header = read_header(bytes)?;
        let file = SafeTensors::deserialize(bytes)?;
        let weights = read_weights(&file)?;
        let checkpoint = Checkpoint { net: header.net, weights, board: header.board, origin: header.origin };
        checkpoint.check()?;
        Ok(checkpoint)
    }

    fn check(&self) -> Result<(), CheckpointError> {
        if !(1..=LARGEST_BOARD).contains(&self.board) {
            return Err(CheckpointError::Board(self.board));
        }
        Ok(self.net.check(self.board * self.board, &self.weights)?)
    }
}

fn check_size(bytes: &[u8]) -> Result<(), CheckpointError> {
    if bytes.len() > MOST_BYTES { Err(CheckpointError::Size(bytes.len())) } else { Ok(()) }
}

/// Reads a JSON header of this version: its `version` is checked before the fields that another version might change.
///
/// # Errors
/// [`CheckpointError::Version`], and [`CheckpointError::Header`] for an invalid header.
pub fn read_versioned<T: DeserializeOwned>(text: &[u8], version: u64) -> Result<T, CheckpointError> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u64,
    }
    let wrong = |error: serde_json::Error| CheckpointError::Header(error.to_string());
    match serde_json::from_slice::<Versioned>(text).map_err(wrong)?.version {
        found if found == version => serde_json::from_slice(text).map_err(wrong),
        other => Err(CheckpointError::Version(other)),
    }
}

fn read_header(bytes: &[u8]) -> Result<WeightsHeader, CheckpointError> {
    let (_, metadata) = SafeTensors::read_metadata(bytes)?;
    let entry = metadata.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
    let text = entry.ok_or_else(|| CheckpointError::Header(format!("metadata without `{ENTRY}`")))?;
    read_versioned(text.as_bytes(), VERSION)
}

fn read_weights(file: &SafeTensors<'_>) -> Result<Vec<f64>, CheckpointError> {
    let tensor = file.tensor(TENSOR).map_err(|_| CheckpointError::Tensors)?;
    if file.len() != 1 || tensor.dtype() != Dtype::F64 || tensor.shape().len() != 1 {
        return Err(CheckpointError::Tensors);
    }
    Ok(tensor.data().as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(net: NetSpec) -> Checkpoint {
        let weights = (0..net.weight_count(49)).map(|i| (i as f64 * 0.7).sin() / 3.0).collect();
        Checkpoint { net, weights, board: 7, origin: "a test, with \"quotes\" and \u{fc}".to_owned() }
    }

    /// A file with the given metadata entry and tensor.
    fn forge(header: &str, dtype: Dtype, shape: &[usize], data: &[u8]) -> Vec<u8> {
        let tensor = TensorView::new(dtype, shape.to_vec(), data).unwrap();
        safetensors::serialize([(TENSOR, tensor)], Some(HashMap::from([(ENTRY.to_owned(), header.to_owned())])))
            .unwrap()
    }

    #[test]
    fn what_was_saved_is_loaded_to_the_bit() {
        for net in NetSpec::examples() {
            let mut saved = checkpoint(net);
            saved.weights[..4].copy_from_slice(&[-0.0, f64::MIN_POSITIVE / 8.0, 1.0 + f64::EPSILON, -1e15]);
            let bytes = saved.to_bytes().unwrap();
            let loaded = Checkpoint::from_bytes(&bytes).unwrap();
            assert_eq!(loaded, saved);
            assert!(loaded.weights.iter().zip(&saved.weights).all(|(a, b)| a.to_bits() == b.to_bits()));
            assert_eq!(loaded.to_bytes().unwrap(), bytes);
        }
    }

    #[test]
    fn truncated_and_prolonged_bytes_are_refused() {
        let mut bytes = checkpoint(NetSpec::examples()[0]).to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert!(Checkpoint::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        bytes.push(0);
        assert!(matches!(Checkpoint::from_bytes(&bytes), Err(CheckpointError::Format(_))));
        assert!(matches!(Checkpoint::from_bytes(&vec![0; MOST_BYTES + 1]), Err(CheckpointError::Size(_))));
    }

    #[test]
    fn what_is_inside_is_checked() {
        let text = |version: u64, units: i64, board: u64| {
            format!(r#"{{"version":{version},"net":{{"mdrnn":{{"units":{units}}}}},"board":{board},"origin":""}}"#)
        };
        let data = [0; 21 * 8];
        let read = |header: &str| Checkpoint::from_bytes(&forge(header, Dtype::F64, &[21], &data));
        assert!(read(&text(1, 3, 7)).is_ok());
        assert!(matches!(read(&text(2, 3, 7)), Err(CheckpointError::Version(2))));
        assert!(matches!(read(&text(1, 0, 7)), Err(CheckpointError::Header(_))));
        assert!(matches!(read(&text(1, 3, 0)), Err(CheckpointError::Board(0))));
        assert!(matches!(read(&text(1, 2, 7)), Err(CheckpointError::Net(NetError::WeightCount { .. }))));
        assert!(matches!(read("{}"), Err(CheckpointError::Header(_))));
        let header = text(1, 3, 7);
        let tensors = |bytes: &[u8]| matches!(Checkpoint::from_bytes(bytes), Err(CheckpointError::Tensors));
        assert!(tensors(&forge(&header, Dtype::F64, &[3, 7], &data)));
        assert!(tensors(&forge(&header, Dtype::F32, &[42], &data)));
        let nan: Vec<u8> = [f64::NAN; 21].iter().flat_map(|weight| weight.to_le_bytes()).collect();
        let refused = Checkpoint::from_bytes(&forge(&header, Dtype::F64, &[21], &nan));
        assert!(matches!(refused, Err(CheckpointError::Net(NetError::Weight { index: 0, .. }))));
    }

    #[test]
    fn weights_that_do_not_fit_are_not_saved() {
        let mut wrong = checkpoint(NetSpec::examples()[1]);
        wrong.weights.pop();
        assert!(matches!(wrong.to_bytes(), Err(CheckpointError::Net(NetError::WeightCount { .. }))));
    }
}
