//! The engines of baselines: their files are kept by hash, so that the baseline's version can play again.
//!
//! Files that the command or `needs` names relative to the working directory are kept, in
//! `results/baselines/engines/<hash>/`. A program that is found elsewhere, such as an interpreter, is that of the machine.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::engines::changed_file;
use crate::players::{EngineAgent, Place, PlayerSpec};
use crate::store::atomic_write;

/// The directory of the kept files of an engine.
fn place(engine: &EngineAgent, results: &Path) -> PathBuf {
    let files = serde_json::to_vec(&engine.files).expect("names and hashes are plain data");
    results.join("baselines/engines").join(&blake3::hash(&files).to_hex()[..16])
}

/// Whether a file is kept: it lies in or below the working directory.
fn is_kept(name: &str, engine: &EngineAgent) -> bool {
    let path = Path::new(name);
    let is_below = path.is_relative() && !path.components().any(|part| part == std::path::Component::ParentDir);
    is_below && engine.directory.0.join(path).is_file()
}

/// Keeps the files of a player, if it is an engine.
///
/// # Errors
/// If a file cannot be read or written.
pub fn keep(player: &PlayerSpec, results: &Path) -> anyhow::Result<()> {
    let PlayerSpec::Engine(engine) = player else { return Ok(()) };
    let place = place(engine, results);
    for name in engine.files.keys().filter(|name| is_kept(name, engine)) {
        let (from, to) = (engine.directory.0.join(name), place.join(name));
        let bytes = std::fs::read(&from).with_context(|| format!("cannot read {}", from.display()))?;
        let directory = to.parent().unwrap_or(&place);
        std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
        atomic_write(&to, &bytes)?;
        let rights = std::fs::metadata(&from).and_then(|found| std::fs::set_permissions(&to, found.permissions()));
        rights.with_context(|| format!("cannot set the permissions of {}", to.display()))?;
    }
    Ok(())
}

/// The player of a baseline. An engine works on its kept files.
///
/// # Errors
/// If a kept file is missing or has changed: a message.
pub fn restored(player: PlayerSpec, results: &Path) -> Result<PlayerSpec, String> {
    let PlayerSpec::Engine(mut engine) = player else { return Ok(player) };
    let place = place(&engine, results);
    let place = place.canonicalize().map_err(|_| format!("its files are not kept in {}", place.display()))?;
    engine.directory = Place(place);
    let kept: Vec<String> = engine.files.keys().filter(|name| is_kept(name, &engine)).cloned().collect();
    // Programs of the machine may have changed: they are not the agent.
    engine.files.retain(|name, _| kept.contains(name));
    match changed_file(&engine.files, &engine.command, &engine.needs, &engine.directory.0) {
        Some(file) => Err(format!("`{file}` has changed in {}", engine.directory.0.display())),
        None => Ok(PlayerSpec::Engine(engine)),
    }
}
