//! `done.json`: the inventory of a finished job.
//!
//! It contains no clock reading and no host, so that the same job has the same bytes on every machine.

use serde::{Deserialize, Serialize};

use super::Key;

/// The version of `done.json` that this program writes and reads.
const VERSION: u32 = 1;

/// One file of a finished job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name within the job's directory.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// The BLAKE3 hash of its bytes, in hexadecimal.
    pub blake3: String,
}

impl FileEntry {
    /// The entry of a file with these bytes.
    #[must_use]
    pub fn new(name: &str, bytes: &[u8]) -> FileEntry {
        FileEntry { name: name.to_string(), size: bytes.len() as u64, blake3: blake3::hash(bytes).to_hex().to_string() }
    }

    /// The difference between these bytes and the entry; `None` if there is none.
    #[must_use]
    pub fn fault(&self, bytes: &[u8]) -> Option<String> {
        if bytes.len() as u64 != self.size {
            return Some(format!("`{}` has {} bytes instead of {}", self.name, bytes.len(), self.size));
        }
        let intact = blake3::hash(bytes).to_hex().as_str() == self.blake3;
        (!intact).then(|| self.changed())
    }

    /// The fault of a file with other bytes of the same number.
    pub(super) fn changed(&self) -> String {
        format!("the content of `{}` has changed", self.name)
    }
}

/// All files of a finished job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    version: u32,
    key: Key,
    /// The files, in the order of writing.
    pub files: Vec<FileEntry>,
}

impl Inventory {
    pub(super) fn new(key: Key, files: Vec<FileEntry>) -> Inventory {
        Inventory { version: VERSION, key, files }
    }

    /// The bytes of `done.json`.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("an inventory is plain data");
        bytes.push(b'\n');
        bytes
    }

    /// Reads `done.json` of any job, or returns the reason why it is invalid.
    pub(super) fn parse_any(bytes: &[u8]) -> Result<Inventory, String> {
        let found: Inventory = serde_json::from_slice(bytes).map_err(|error| format!("done.json: {error}"))?;
        match found.version {
            VERSION => Ok(found),
            other => Err(format!("done.json has version {other} instead of {VERSION}")),
        }
    }

    /// Reads `done.json` of the job with this key, or returns the reason why it is invalid.
    pub(super) fn parse(bytes: &[u8], key: &Key) -> Result<Inventory, String> {
        let found = Inventory::parse_any(bytes)?;
        if found.key != *key {
            return Err(format!("done.json belongs to the key {}", found.key.hex()));
        }
        Ok(found)
    }

    /// The entry of the file `name`.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&FileEntry> {
        self.files.iter().find(|entry| entry.name == name)
    }

    /// The entry of the file `name`, without the others.
    #[must_use]
    pub fn into_entry(self, name: &str) -> Option<FileEntry> {
        self.files.into_iter().find(|entry| entry.name == name)
    }
}
