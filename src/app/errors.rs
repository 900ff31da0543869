//! Errors of the whole program: wrong usage, manifests with problems, and files that cannot be written.

use std::path::Path;

use gauntlet_games::base::{count, visible};
use gauntlet_plan::manifest::Problems;
use gauntlet_store::{holds_job, write_below};

/// A manifest with problems, as an error.
#[derive(Debug, thiserror::Error)]
#[error("{} {}", count(.problems.list().len(), "problem"), self.place())]
pub struct BadManifest {
    /// The manifest.
    pub name: String,
    /// Its problems.
    pub problems: Problems,
}

impl BadManifest {
    /// The place of the problems: overrides on the command line are no fault of the file.
    fn place(&self) -> String {
        let is_flag = |problem| self.problems.locate(problem).is_some_and(|(text, _)| text.starts_with("--"));
        let flags = self.problems.list().iter().filter(|problem| is_flag(problem)).count();
        match self.problems.list().len() - flags {
            0 => "on the command line".to_owned(),
            _ if flags > 0 => format!("in {} and on the command line", visible(&self.name)),
            _ => format!("in {}", visible(&self.name)),
        }
    }
}

/// Wrong usage, as an error.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Misuse {
    /// The mistake.
    pub message: String,
    /// The suggested fix.
    pub hint: String,
}

impl Misuse {
    /// An error with a suggested fix.
    #[expect(clippy::new_ret_no_self, reason = "it is only ever handed on as an error")]
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Misuse { message: message.into(), hint: hint.into() }.into()
    }
}

/// A comparison that cannot be made, as an error.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Unmeasured {
    /// The reason.
    pub message: String,
    /// The suggested fix.
    pub hint: String,
}

impl Unmeasured {
    /// An error with a suggested fix.
    #[expect(clippy::new_ret_no_self, reason = "it is only ever handed on as an error")]
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Unmeasured { message: message.into(), hint: hint.into() }.into()
    }
}

/// The kind of file that cannot be written, as the context of an error.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("no {what} is written")]
pub struct Unwritten {
    what: &'static str,
    /// How to choose another place.
    hint: &'static str,
}

impl Unwritten {
    /// How to choose another place.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        self.hint
    }
}

/// Reports of any kind.
pub const REPORT: Unwritten =
    Unwritten { what: "report", hint: "make the directory writable, or name another one with --reports" };

/// A file that the user named.
pub const FILE: Unwritten = Unwritten { what: "file", hint: "make its directory writable, or name another file" };

/// Requires that files can be written into a directory, or into the nearest existing one above it, before work whose
/// results go there. It creates no directory, as the work may be stopped.
///
/// # Errors
/// If a file there cannot be written.
pub fn require_writable(directory: &Path, asked: Unwritten) -> anyhow::Result<()> {
    let mut places = directory.ancestors().filter(|place| !place.as_os_str().is_empty());
    let existing = places.find(|place| place.symlink_metadata().is_ok()).unwrap_or(Path::new("."));
    // Below a file, the error of the directory itself names it.
    let probe_in = if existing.is_dir() { existing } else { directory };
    let probe = probe_in.join(format!(".writable-{}", std::process::id()));
    write(probe_in, &probe, b"", asked)?;
    // A probe that stays does no harm.
    let _ = std::fs::remove_file(probe);
    Ok(())
}

/// Writes a file below the directory `tree` that the user named, and creates the directories above it.
///
/// # Errors
/// If a directory cannot be created or is a link, or the file cannot be written.
pub fn write(tree: &Path, path: &Path, bytes: &[u8], asked: Unwritten) -> anyhow::Result<()> {
    write_below(tree, path, bytes).map_err(|error| {
        let hint = if error.is_full() { "the disk is full: free some space and try again" } else { asked.hint };
        anyhow::Error::new(error).context(Unwritten { hint, ..asked })
    })
}

/// Writes a file that the user named.
///
/// # Errors
/// If it cannot be written, or would be one of a job in a results tree.
pub fn write_named(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let path = std::path::absolute(path)?;
    if path.parent().is_some_and(holds_job) {
        let what = format!("{} would be a file of the job in this directory", visible(&path.to_string_lossy()));
        return Err(Misuse::new(what, "name a file outside of the results tree"));
    }
    write(path.parent().unwrap_or(&path), &path, bytes, FILE)
}
