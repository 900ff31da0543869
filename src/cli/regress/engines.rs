//! The engines of baselines: their files are kept in `results/baselines/engines/<hash>/`, so that the baseline's version
//! can play again.

use std::path::{Path, PathBuf};

use crate::app::{hash_of_files, keep_files, kept_files};
use crate::engines::changed_file;
use crate::players::{EngineAgent, Place, PlayerSpec};

/// The directory of the kept files of an engine.
fn place(engine: &EngineAgent, results: &Path) -> PathBuf {
    results.join("baselines/engines").join(hash_of_files(&engine.files))
}

/// Keeps the files of a player, if it is an engine.
///
/// # Errors
/// If a file cannot be read or written.
pub fn keep(player: &PlayerSpec, results: &Path) -> anyhow::Result<()> {
    match player {
        PlayerSpec::Engine(engine) => keep_files(engine, &place(engine, results)),
        _ => Ok(()),
    }
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
    // Programs of the machine may have changed: they are not the agent.
    engine.files = kept_files(&engine);
    match changed_file(&engine.files, &engine.command, &engine.needs, &engine.directory.0) {
        Some(file) => Err(format!("`{file}` has changed in {}", engine.directory.0.display())),
        None => Ok(PlayerSpec::Engine(engine)),
    }
}
