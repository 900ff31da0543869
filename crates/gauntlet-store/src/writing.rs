//! Where the program writes: it opens every file that it writes to here, and creates every directory.
//!
//! A checkout or an archive can bring links. No file is opened through one, and no directory below the root of a tree
//! may be one: all writes stay in the trees that the user named. The root itself may be a link, such as one to a larger
//! disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::error::{At as _, Error};
use gauntlet_games::base::files::link_below;

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// It must not exist.
    New,
    /// Its content stays, and grows; it is created if it does not exist.
    Append,
    /// Its content is replaced; it is created if it does not exist.
    Replace,
}

/// Opens a file for writing: a regular one, and never through a link.
///
/// # Errors
/// If it cannot be opened, is a link, or is not a regular file.
pub fn open_to_write(path: &Path, opening: Opening) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(opening != Opening::Replace).write(true);
    options.create(opening != Opening::New).create_new(opening == Opening::New);
    // A pipe must not block, a terminal must not become that of this process.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    let refused = |reason| io::Error::new(ErrorKind::InvalidInput, reason);
    let opened = options.custom_flags(flags).open(path);
    let file = opened.map_err(|error| if path.is_symlink() { refused("it is a link") } else { error })?;
    if !file.metadata()?.is_file() {
        return Err(refused("it is not a regular file"));
    }
    if opening == Opening::Replace {
        file.set_len(0)?;
    }
    Ok(file)
}

/// Creates a directory of a tree with those above it.
///
/// # Errors
/// If it cannot be created, and those of [`require_no_link`].
pub fn create_directory(tree: &Path, directory: &Path) -> Result<(), Error> {
    require_no_link(tree, directory)?;
    fs::create_dir_all(directory).at("create", directory)
}

/// Requires that no existing part of a path below the root of a tree is a link.
///
/// # Errors
/// The link; also if the root is a link to nothing.
pub fn require_no_link(tree: &Path, path: &Path) -> Result<(), Error> {
    require_root(tree)?;
    link_below(tree, path).map_or(Ok(()), |path| Err(Error::Link { path }))
}

/// Requires that neither a root nor a directory above it is a link to nothing, such as to a disk that is not mounted.
///
/// # Errors
/// The link with its target.
pub fn require_root(root: &Path) -> Result<(), Error> {
    let is_dangling = |path: &&Path| path.is_symlink() && !path.exists();
    match root.ancestors().find(is_dangling) {
        Some(path) => {
            let target = fs::read_link(path).unwrap_or_default();
            Err(Error::Dangling { path: path.to_path_buf(), target })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    const OPENINGS: [Opening; 3] = [Opening::New, Opening::Append, Opening::Replace];

    #[test]
    fn nothing_but_a_regular_file_is_opened_for_writing() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::write(at("theirs"), "theirs").unwrap();
        symlink(at("theirs"), at("link")).unwrap();
        symlink(at("none"), at("loose")).unwrap();
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        for opening in OPENINGS {
            for name in ["link", "loose", "pipe", "."] {
                let error = open_to_write(&at(name), opening).unwrap_err();
                assert_eq!(error.to_string() == "it is a link", ["link", "loose"].contains(&name), "{name}: {error}");
            }
        }
        assert_eq!(fs::read(at("theirs")).unwrap(), b"theirs");
        assert!(!at("none").exists());
    }

    #[test]
    fn a_file_grows_or_is_replaced() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        for (opening, found) in [(Opening::New, "a"), (Opening::Append, "aa"), (Opening::Replace, "a")] {
            open_to_write(&path, opening).unwrap().write_all(b"a").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), found, "{opening:?}");
        }
        assert!(open_to_write(&path, Opening::New).is_err());
    }
}
