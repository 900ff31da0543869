//! The consent of the user: no engine starts without it, wherever its name comes from.
//!
//! The program asks in one place, before the first job, and notes here what is allowed. Workers of other processes are
//! started by a program that has asked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::error::EngineError;
use super::files::Naming;

/// The allowed programs of this process.
static ALLOWED: Mutex<Allowed> = Mutex::new(Allowed { all: false, programs: Vec::new() });

struct Allowed {
    all: bool,
    programs: Vec<(Vec<String>, PathBuf)>,
}

fn allowed<T>(work: impl FnOnce(&mut Allowed) -> T) -> T {
    work(&mut ALLOWED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Notes that a command may start in a directory.
pub fn allow(command: &[String], directory: &Path) {
    allowed(|allowed| allowed.programs.push((command.to_vec(), directory.to_owned())));
}

/// Notes that every engine may start: this process works for one that has asked.
pub fn allow_all() {
    allowed(|allowed| allowed.all = true);
}

/// Whether a command may start in a directory.
pub fn is_allowed(command: &[String], directory: &Path) -> bool {
    let is_noted = |(known, place): &(Vec<String>, PathBuf)| known == command && place == directory;
    allowed(|allowed| allowed.all || allowed.programs.iter().any(is_noted))
}

/// The name of a program in messages and tables: its own, or that of its file, and not of its interpreter or its flags.
/// `files` are those that its settings name.
#[must_use]
pub fn called(name: Option<&str>, command: &[String], files: &BTreeMap<String, String>) -> String {
    let own = command.iter().rev().find(|word| files.contains_key(*word)).or(command.first());
    let file = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    name.map(str::to_owned).or_else(|| own.map(file)).unwrap_or_default()
}

/// Requires the consent of the user to start a program, and the files that its job was planned with.
///
/// # Errors
/// If the program is not allowed, or one of its files has changed.
pub fn require_startable(
    name: &str,
    naming: &Naming<'_>,
    planned: &BTreeMap<String, String>,
) -> Result<(), EngineError> {
    let fault = if !is_allowed(naming.command, naming.directory) {
        "cannot start: its program is not allowed; add --allow-engines if you trust it".to_owned()
    } else if let Some(file) = naming.changed(planned) {
        format!(
            "cannot start: `{file}` has changed since the job was planned; run again, or name it in `writes` if the \
             program writes it"
        )
    } else {
        return Ok(());
    };
    Err(EngineError::broken(name.to_owned(), fault))
}
