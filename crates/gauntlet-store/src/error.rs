//! Errors of files, with hints.

use std::io;
use std::path::{Path, PathBuf};

/// The store cannot be written or listed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An operation of the file system failed.
    #[error("cannot {action} {}", path.display())]
    File {
        /// The operation: `write`, `create`, ...
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file stands where a directory must be.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// A directory holds foreign files.
    #[error("{} holds `{found}`, and is not a results directory of Gauntlet", path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// One of the files.
        found: String,
    },
    /// A link stands in the place of a file or directory of the program's own.
    #[error("{} is a link, and nothing is written through links", path.display())]
    Link {
        /// The path.
        path: PathBuf,
    },
    /// The root of a tree is a link to nothing.
    #[error("{} is a link to {}, which does not exist", path.display(), target.display())]
    Dangling {
        /// The link.
        path: PathBuf,
        /// Its target.
        target: PathBuf,
    },
    /// A job's file has a name that could leave its directory or collide with the store's own files.
    #[error("`{name}` is not a valid name for a job's file")]
    Name {
        /// The refused name.
        name: String,
    },
}

impl Error {
    /// Whether the disk is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        matches!(self, Error::File { source, .. } if full.contains(&source.kind()))
    }

    /// The remedy, for the `hint:` line.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Error::NotADirectory { .. } => "name another directory with --results",
            Error::Foreign { .. } => {
                "name a new or an empty directory with --results; to adopt results of an older version, create the empty \
                 file `.gauntlet-results` in it"
            }
            Error::Link { .. } => "replace it by its target, or name another directory",
            Error::Dangling { .. } => "mount the disk of the target, or name another directory",
            Error::Name { .. } => {
                "names are plain: letters from a to z, digits, dots, dashes and underscores, no leading dot"
            }
            Error::File { .. } if self.is_full() => {
                "the disk is full: free some space and run again, finished jobs are kept"
            }
            Error::File { action: "read", path, .. } if path.iter().any(|part| part == "jobs") => {
                "make it readable, or remove its directory; the next run then repeats its job"
            }
            Error::File { action: "read", .. } => "make it readable",
            Error::File { source, .. } => match source.kind() {
                io::ErrorKind::InvalidInput => "put a regular file in its place, or name another one",
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    "make the directory writable, or name another one with --results"
                }
                _ => "run again when the file system works, finished jobs are kept",
            },
        }
    }
}

/// A result cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The job has not finished, or was discarded.
    #[error("{job} is not finished")]
    NotDone {
        /// The job's directory name.
        job: String,
    },
    /// The finished job does not have this file.
    #[error("{job} has no file `{name}`")]
    NoSuchFile {
        /// The job's directory name.
        job: String,
        /// The requested file.
        name: String,
    },
    /// The job's files differ from those it wrote. Discard it and run it again.
    #[error("{job} is damaged: {reason}")]
    Damaged {
        /// The job's directory name.
        job: String,
        /// The problem.
        reason: String,
    },
    /// The file system failed.
    #[error(transparent)]
    Store(#[from] Error),
}

impl ReadError {
    /// The remedy, for the `hint:` line.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            ReadError::NotDone { .. } | ReadError::NoSuchFile { .. } => "`gauntlet run` its manifest first",
            ReadError::Damaged { .. } => "remove its directory, and `gauntlet run` its manifest again",
            ReadError::Store(error) => error.hint(),
        }
    }
}

/// Adds the action and the path to a failed operation.
pub(super) trait At<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, Error>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, Error> {
        self.map_err(|source| Error::File { action, path: path.to_path_buf(), source })
    }
}
