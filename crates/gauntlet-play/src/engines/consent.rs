//! The consent of the user: no engine starts without it, wherever its name comes from.
//!
//! The program asks in one place, before the first job, and notes here what is allowed. Workers of other processes are
//! started by a program that has asked.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

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
