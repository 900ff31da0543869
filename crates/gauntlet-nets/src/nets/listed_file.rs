//! A safetensors file as a list of its tensors and metadata, whether it is a checkpoint or not.

use std::collections::BTreeMap;

use safetensors::SafeTensors;
use serde_json::Value;

use super::CheckpointError;

/// The tensors and metadata of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedFile {
    /// The tensors: those of a checkpoint in the order of its network, others in the order of the file.
    pub tensors: Vec<StoredTensor>,
    /// The metadata.
    pub metadata: BTreeMap<String, String>,
}

/// A tensor in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTensor {
    /// Its name.
    pub name: String,
    /// Its type of numbers, as the format writes it: `F32`.
    pub dtype: String,
    /// Its shape; the last index is the fastest.
    pub shape: Vec<usize>,
}

impl ListedFile {
    /// Lists the bytes of a file.
    ///
    /// # Errors
    /// [`CheckpointError::Format`] if they are not a complete safetensors file.
    pub fn list(bytes: &[u8]) -> Result<ListedFile, CheckpointError> {
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        let metadata: BTreeMap<String, String> = header.metadata().clone().unwrap_or_default().into_iter().collect();
        let stored = |name: String| {
            let tensor = header.info(&name)?;
            Some(StoredTensor { dtype: tensor.dtype.to_string(), shape: tensor.shape.clone(), name })
        };
        let mut tensors: Vec<StoredTensor> = header.offset_keys().into_iter().filter_map(stored).collect();
        let order = order(&metadata);
        tensors.sort_by_key(|tensor| order.iter().position(|name| *name == tensor.name));
        Ok(ListedFile { tensors, metadata })
    }
}

/// The network's order of the tensors, if the metadata tell it.
fn order(metadata: &BTreeMap<String, String>) -> Vec<String> {
    let facts = metadata.get("gauntlet").and_then(|text| serde_json::from_str::<Value>(text).ok());
    let names = facts.as_ref().and_then(|facts| facts["order"].as_array());
    names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
