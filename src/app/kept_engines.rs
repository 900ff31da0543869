//! Engines whose files are kept by hash, so that an old version can play again: in baselines, and in ladders.
//!
//! Files that the command or `needs` names in or below the working directory are kept. A program that is found
//! elsewhere, such as an interpreter, is that of the machine.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use anyhow::Context as _;

use crate::players::EngineAgent;
use crate::store::atomic_write;

/// Whether a file is kept: it lies in or below the working directory.
fn is_kept(name: &str, engine: &EngineAgent) -> bool {
    let path = Path::new(name);
    let is_below = path.is_relative() && !path.components().any(|part| part == Component::ParentDir);
    is_below && engine.directory.0.join(path).is_file()
}

/// The files that are kept, with their hashes.
#[must_use]
pub fn kept_files(engine: &EngineAgent) -> BTreeMap<String, String> {
    let files = engine.files.iter().filter(|(name, _)| is_kept(name, engine));
    files.map(|(name, hash)| (name.clone(), hash.clone())).collect()
}

/// A short hash of some files.
#[must_use]
pub fn hash_of_files(files: &BTreeMap<String, String>) -> String {
    let files = serde_json::to_vec(files).expect("names and hashes are plain data");
    blake3::hash(&files).to_hex()[..16].to_owned()
}

/// Copies the kept files of an engine to a directory.
///
/// # Errors
/// If a file cannot be read or written.
pub fn keep_files(engine: &EngineAgent, place: &Path) -> anyhow::Result<()> {
    for name in kept_files(engine).keys() {
        let (from, to) = (engine.directory.0.join(name), place.join(name));
        let bytes = std::fs::read(&from).with_context(|| format!("cannot read {}", from.display()))?;
        let directory = to.parent().unwrap_or(place);
        std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
        atomic_write(&to, &bytes)?;
        let rights = std::fs::metadata(&from).and_then(|found| std::fs::set_permissions(&to, found.permissions()));
        rights.with_context(|| format!("cannot set the permissions of {}", to.display()))?;
    }
    Ok(())
}
