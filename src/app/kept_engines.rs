//! Engines whose files are kept by hash, so that an old version can play again: in baselines, and in ladders.
//!
//! All files that the settings name are kept, except a program of the machine, such as an interpreter.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::errors::Misuse;
use gauntlet_games::base::files::{LARGEST_DATA, link_below, read_regular};
use gauntlet_games::base::visible;
use gauntlet_play::engines::{broken_seal, is_outside, kept_name};
use gauntlet_play::players::EngineAgent;
use gauntlet_store::write_below;

/// Copies the kept files of an engine to a directory of a tree, which then holds these files alone.
///
/// # Errors
/// If a file is a link, or cannot be read or written, or the directory has others.
pub fn keep_files(engine: &EngineAgent, tree: &Path, place: &Path) -> anyhow::Result<()> {
    if let Some(special) = special_file(engine) {
        let hint = "name a regular file, so that its content is kept";
        return Err(Misuse::new(format!("{} is not a regular file, and is not kept", special.display()), hint));
    }
    let files = engine.kept_files();
    for name in files.keys() {
        let from = engine.place_of(name);
        let link = match is_outside(name) {
            true => Some(from.clone()).filter(|from| from.is_symlink()),
            false => link_below(&engine.directory.0, &from),
        };
        if let Some(link) = link {
            let hint = "name the file itself, so that its content is kept and no other one";
            return Err(Misuse::new(format!("{} is a link, and is not kept", link.display()), hint));
        }
        let bytes = keep_file(&from, tree, &place.join(kept_name(name)))?;
        let today = engine.directory.0.as_os_str().as_encoded_bytes();
        if today.len() > 1 && bytes.windows(today.len()).any(|part| part == today) {
            let (name, today) = (visible(name), engine.directory.0.display());
            tracing::warn!("`{name}` contains the path {today}: old versions, too, open the present files there");
        }
    }
    let wrong = |fault| Misuse::new(format!("{fault} in {}", place.display()), "remove this directory, and try again");
    broken_seal(place, &files).map_or(Ok(()), |fault| Err(wrong(fault)))
}

/// A pipe, a device or a socket in the place of a file that the command or `needs` names, other than those of the system.
fn special_file(engine: &EngineAgent) -> Option<PathBuf> {
    let named = engine.command.iter().chain(&engine.needs).map(|name| engine.directory.0.join(name));
    named.filter(|path| !path.starts_with("/dev")).find(|path| path.exists() && !path.is_file() && !path.is_dir())
}

/// Copies a file, and returns its bytes.
fn keep_file(from: &Path, tree: &Path, to: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = read_regular(from, LARGEST_DATA).with_context(|| format!("cannot read {}", from.display()))?;
    write_below(tree, to, &bytes)?;
    let rights = std::fs::metadata(from).and_then(|found| std::fs::set_permissions(to, found.permissions()));
    rights.with_context(|| format!("cannot set the permissions of {}", to.display()))?;
    Ok(bytes)
}
