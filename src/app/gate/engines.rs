//! The engines of baselines: their files are kept in `results/baselines/engines/<hash>/`, so that the baseline's version
//! can play again.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::app::errors::Unmeasured;
use crate::app::kept_engines::keep_files;
use gauntlet_games::base::Place;
use gauntlet_plan::regression::BaselineEntry;
use gauntlet_play::engines::{MISSING, broken_seal, hash_of_files};
use gauntlet_play::players::{EngineAgent, PlayerSpec};
use gauntlet_store::create_directory;

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
        PlayerSpec::Engine(engine) => keep_files(engine, results, &place(engine, results)),
        _ => Ok(()),
    }
}

/// The engine of a baseline's match, if its player is one.
///
/// # Errors
/// As of [`restored`].
pub fn old_engine(entry: &BaselineEntry, results: &Path) -> anyhow::Result<Option<EngineAgent>> {
    // A player that this program does not know cannot play: the match says so.
    let Ok(player) = serde_json::from_value(entry.player.clone()) else { return Ok(None) };
    let PlayerSpec::Engine(engine) = restored(player, results)? else { return Ok(None) };
    Ok(Some(*engine))
}

/// The player of a baseline. An engine works on its kept files alone.
///
/// # Errors
/// If a file is not kept, or a program of the machine that is the whole engine has changed.
pub fn restored(player: PlayerSpec, results: &Path) -> anyhow::Result<PlayerSpec> {
    let PlayerSpec::Engine(mut engine) = player else { return Ok(player) };
    let (place, kept) = (place(&engine, results), engine.kept_files());
    let lost = |what: &str| Unmeasured::new(format!("{what} in {}", place.display()), HINT);
    match kept.keys().next() {
        Some(name) if !place.is_dir() => return Err(lost(&format!("`{name}` is missing"))),
        // Version control keeps no empty directory.
        _ => create_directory(results, &place)?,
    }
    engine.directory = Place(place.canonicalize().with_context(|| format!("cannot read {}", place.display()))?);
    if let Some(fault) = broken_seal(&engine.directory.0, &kept) {
        return Err(lost(&fault));
    }
    let now = engine.named_files();
    if let Some((name, _)) = now.iter().find(|(_, hash)| *hash == MISSING) {
        return Err(lost(&format!("`{name}` is not kept")));
    }
    // An interpreter of the machine may have changed: it is not the agent.
    if !kept.is_empty() {
        engine.files = kept;
    } else if let Some((name, _)) = engine.files.iter().find(|(name, hash)| now.get(*name) != Some(hash)) {
        return Err(lost(&format!("the program `{name}` has changed, and is not kept")));
    }
    Ok(PlayerSpec::Engine(engine))
}

/// The way out if an engine of a baseline cannot play as it did.
const HINT: &str = "restore the directory from version control (.gitignore and Git LFS may leave files out); or make the \
                    baseline again: --update-baseline MATCH --reason TEXT; or compare its counts: `method = \"counts\"`";
