//! Bundles: the files of a directory in one safetensors file, each a tensor of bytes under its name.
//!
//! This module opens no files. The bytes are a function of the files and their origin. Input is untrusted.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path};

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::{CheckpointError, read_versioned};

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

/// The metadata entry with the header.
const ENTRY: &str = "gauntlet";

/// The name that the format keeps for its metadata.
const RESERVED: &str = "__metadata__";

/// The files of a directory, such as those that a trainer of another program wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// Contents by name. A name is a path below the directory, with `/` between its parts.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Origin of the files, for display.
    pub origin: String,
}

/// The metadata as written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BundleHeader {
    version: u64,
    bundle: String,
}

impl Bundle {
    /// The bytes of a safetensors file.
    ///
    /// # Errors
    /// Errors of the format, and a name that [`Bundle::from_bytes`] refuses.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        self.files.keys().try_for_each(|name| require_name(name))?;
        let header = BundleHeader { version: VERSION, bundle: self.origin.clone() };
        let header = serde_json::to_string(&header).map_err(|error| CheckpointError::Header(error.to_string()))?;
        let view = |(name, bytes)| Ok((name, TensorView::new(Dtype::U8, vec![<[u8]>::len(bytes)], bytes)?));
        let views = self.files.iter().map(|(name, bytes)| view((name.as_str(), &**bytes)));
        let views = views.collect::<Result<Vec<_>, CheckpointError>>()?;
        Ok(safetensors::serialize(views, Some(HashMap::from([(ENTRY.to_owned(), header)])))?)
    }

    /// Reads the output of [`Bundle::to_bytes`].
    ///
    /// # Errors
    /// If it is not a complete bundle, or has a name that leads out of a directory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Bundle, CheckpointError> {
        let (_, metadata) = SafeTensors::read_metadata(bytes)?;
        let entry = metadata.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
        let text = entry.ok_or_else(|| CheckpointError::Header(format!("metadata without `{ENTRY}`")))?;
        let header: BundleHeader = read_versioned(text.as_bytes(), VERSION)?;
        let mut files = BTreeMap::new();
        for (name, view) in SafeTensors::deserialize(bytes)?.tensors() {
            require_name(&name)?;
            if view.dtype() != Dtype::U8 || view.shape().len() != 1 {
                return Err(refused(&name));
            }
            files.insert(name, view.data().to_vec());
        }
        Ok(Bundle { files, origin: header.bundle })
    }
}

/// Requires that a name is that of a file below a directory, and not the format's own.
fn require_name(name: &str) -> Result<(), CheckpointError> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let is_below = !name.is_empty() && !name.contains('\\') && Path::new(name).components().all(is_plain);
    if is_below && !name.ends_with('/') && name != RESERVED { Ok(()) } else { Err(refused(name)) }
}

fn refused(name: &str) -> CheckpointError {
    CheckpointError::Header(format!("`{}` is no file of a bundle", name.escape_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(files: &[(&str, &[u8])]) -> Bundle {
        let files = files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
        Bundle { files, origin: "a trainer".to_owned() }
    }

    #[test]
    fn files_come_back_as_they_were() {
        for files in [&[("a.pt", &b"one"[..]), ("b/c.json", b"{}"), ("empty", b"")][..], &[]] {
            let whole = bundle(files);
            let bytes = whole.to_bytes().unwrap();
            assert_eq!(Bundle::from_bytes(&bytes).unwrap(), whole);
            assert_eq!(whole.to_bytes().unwrap(), bytes, "the bytes are a function of the files");
            for end in 0..bytes.len() {
                assert!(Bundle::from_bytes(&bytes[..end]).is_err(), "{end}");
            }
        }
    }

    #[test]
    fn names_stay_below_their_directory() {
        let whole = bundle(&[("abcde", b"x")]).to_bytes().unwrap();
        for name in ["../ab", "/abcd", "a/../", "./../", "abcd/", "a\\\\bc", "a//.."] {
            // The same file with another name of this length.
            let text = name.replace("\\\\", "\\");
            let at = whole.windows(5).position(|bytes| bytes == b"abcde").unwrap();
            let mut forged = whole.clone();
            forged[at..at + 5].copy_from_slice(name.as_bytes());
            for error in [Bundle::from_bytes(&forged).unwrap_err(), bundle(&[(&text, b"x")]).to_bytes().unwrap_err()] {
                assert!(error.to_string().contains("is no file of a bundle"), "{name}: {error}");
            }
        }
        for name in ["", RESERVED] {
            assert!(bundle(&[(name, b"x")]).to_bytes().is_err(), "{name}");
        }
    }
}
