//! `checkpoint.bin`: the state of an unfinished job, bound to the job by its key.
//!
//! ```text
//! gauntlet checkpoint v2\n    which format this is
//! <64 digits>\n               the key of the job
//! <64 digits>\n               the hash of the state
//! <the state>
//! ```

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::Key;

/// Opens every checkpoint. Those of other versions are refused, and their jobs start over.
const MAGIC: &[u8; 23] = b"gauntlet checkpoint v2\n";

/// Hexadecimal digits of a key or a hash, with the end of the line.
const DIGITS: usize = 65;

/// Bytes before the state.
const HEADER: usize = MAGIC.len() + 2 * DIGITS;

/// Why a file is no checkpoint of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    /// Written by another version of the program, or no checkpoint at all.
    #[error("its checkpoint is of another version, or torn")]
    Version,
    /// Copied from another job.
    #[error("its checkpoint is that of another job")]
    Foreign,
    /// Torn, or changed.
    #[error("its checkpoint is damaged")]
    Damaged,
}

/// The bytes of a checkpoint.
pub(super) fn seal(key: &Key, state: &[u8]) -> Vec<u8> {
    let mut content = Vec::with_capacity(HEADER + state.len());
    content.extend_from_slice(MAGIC);
    content.extend_from_slice(format!("{}\n{}\n", key.hex(), blake3::hash(state).to_hex()).as_bytes());
    content.extend_from_slice(state);
    content
}

/// The state in a checkpoint of the job with this key.
///
/// # Errors
/// For the checkpoint of another job or version, and for one that is not whole.
pub(super) fn open(key: &Key, mut content: Vec<u8>) -> Result<Vec<u8>, Refusal> {
    let rest = content.strip_prefix(MAGIC).ok_or(Refusal::Version)?;
    let (owner, rest) = rest.split_at_checked(DIGITS).ok_or(Refusal::Damaged)?;
    let (hash, state) = rest.split_at_checked(DIGITS).ok_or(Refusal::Damaged)?;
    if hash != line(blake3::hash(state).to_hex().as_str()) {
        return Err(Refusal::Damaged);
    }
    if owner != line(&key.hex()) {
        return Err(Refusal::Foreign);
    }
    Ok(content.split_off(HEADER))
}

/// Whether a file begins as a checkpoint of the job with this key does; its state is not looked at.
pub(super) fn is_of(key: &Key, path: &Path) -> bool {
    let mut header = [0; MAGIC.len() + DIGITS];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header.strip_prefix(MAGIC).is_some_and(|owner| owner == line(&key.hex()))
}

fn line(digits: &str) -> Vec<u8> {
    [digits.as_bytes(), b"\n"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(seed: u64) -> Key {
        Key::of("run", &json!(seed))
    }

    #[test]
    fn a_checkpoint_is_read_by_its_own_job_alone() {
        let sealed = seal(&key(1), b"generation 17");
        assert_eq!(open(&key(1), sealed.clone()).unwrap(), b"generation 17");
        assert_eq!(open(&key(2), sealed.clone()), Err(Refusal::Foreign));
        let older = [b"gauntlet checkpoint v1\n\0".as_slice(), &[7; 45]].concat();
        assert_eq!(open(&key(1), older), Err(Refusal::Version));
        assert!((0..sealed.len()).all(|length| open(&key(1), sealed[..length].to_vec()).is_err()));
        for at in 0..sealed.len() {
            let mut flipped = sealed.clone();
            flipped[at] ^= 1;
            assert!(open(&key(1), flipped).is_err(), "byte {at}");
        }
    }
}
