//! Checksums within safetensors files, for files outside the store, where no inventory records their contents.
//!
//! The checksum is one more metadata entry, `blake3`: the hash of the whole file without this entry. Readers of the
//! format ignore it.

use serde_json::Value;

use super::CheckpointError;

/// The metadata entry.
const ENTRY: &str = "blake3";

/// The result of comparing a file with its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksum {
    /// There is no checksum.
    Missing,
    /// The checksum matches.
    Right,
    /// The checksum does not match: the file was damaged or edited.
    Wrong,
}

/// The same file with its checksum.
///
/// # Errors
/// If the bytes are not a safetensors file with metadata.
pub fn with_checksum(bytes: &[u8]) -> Result<Vec<u8>, CheckpointError> {
    let (mut header, data) = parts(bytes)?;
    let metadata = metadata(&mut header)?;
    metadata.remove(ENTRY);
    let hash = blake3::hash(&joined(&header, data)).to_hex().to_string();
    self::metadata(&mut header)?.insert(ENTRY.to_owned(), Value::String(hash));
    Ok(joined(&header, data))
}

/// Compares a file with its checksum.
///
/// # Errors
/// As for [`with_checksum`].
pub fn checksum(bytes: &[u8]) -> Result<Checksum, CheckpointError> {
    let (mut header, data) = parts(bytes)?;
    let Some(written) = metadata(&mut header)?.remove(ENTRY) else { return Ok(Checksum::Missing) };
    let is_right = written.as_str() == Some(blake3::hash(&joined(&header, data)).to_hex().as_str());
    Ok(if is_right { Checksum::Right } else { Checksum::Wrong })
}

/// The header and the data after it.
fn parts(bytes: &[u8]) -> Result<(Value, &[u8]), CheckpointError> {
    let torn = || CheckpointError::Header("the file ends in its header".to_owned());
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(torn)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| torn())?;
    let (header, data) = rest.split_at_checked(length).ok_or_else(torn)?;
    let header = serde_json::from_slice(header).map_err(|error| CheckpointError::Header(error.to_string()))?;
    Ok((header, data))
}

fn metadata(header: &mut Value) -> Result<&mut serde_json::Map<String, Value>, CheckpointError> {
    let metadata = header.get_mut("__metadata__").and_then(Value::as_object_mut);
    metadata.ok_or_else(|| CheckpointError::Header("there are no metadata".to_owned()))
}

/// A file of these parts; the data begin at a multiple of eight bytes, as the format recommends.
fn joined(header: &Value, data: &[u8]) -> Vec<u8> {
    let mut text = header.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(8), b' ');
    [&(text.len() as u64).to_le_bytes(), text.as_slice(), data].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nets::{Checkpoint, NetSpec};

    #[test]
    fn every_flipped_bit_is_noticed() {
        let net = NetSpec::examples()[0];
        let weights = (0..net.weight_count(9)).map(|at| at as f64 * 0.1).collect();
        let saved = Checkpoint { net, weights, board: 3, origin: "a test".to_owned() };
        let plain = saved.to_bytes().unwrap();
        assert_eq!(checksum(&plain).unwrap(), Checksum::Missing);
        let sealed = with_checksum(&plain).unwrap();
        assert_eq!((checksum(&sealed).unwrap(), Checkpoint::from_bytes(&sealed).unwrap()), (Checksum::Right, saved));
        assert_eq!(with_checksum(&sealed).unwrap(), sealed);
        let header = 8 + u64::from_le_bytes(sealed[..8].try_into().unwrap()) as usize;
        for at in header..sealed.len() {
            let mut flipped = sealed.clone();
            flipped[at] ^= 16;
            assert_eq!(checksum(&flipped).unwrap(), Checksum::Wrong, "byte {at}");
        }
        assert!(with_checksum(b"no model").is_err() && checksum(&sealed[..20]).is_err());
    }
}
