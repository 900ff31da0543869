//! Files from outside: regular ones only, up to a size, and without waiting.
//!
//! A pipe in the place of a file would block, and a device has no end. Both are refused before they are opened.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Component, Path, PathBuf};

/// The most bytes of a note, a table or a page: 64 MiB.
pub const LARGEST_NOTE: u64 = 64 << 20;

/// The most bytes of weights, games, programs and checkpoints: 4 GiB.
pub const LARGEST_DATA: u64 = 4 << 30;

/// Opens a regular file; links are followed.
///
/// # Errors
/// If it cannot be opened, or is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    require_regular(&path.metadata()?)?;
    let mut options = OpenOptions::new();
    // The file may have been replaced since: a pipe must not block.
    let file = options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file that the user names for reading once: a regular one, or a pipe such as the output of another program.
///
/// # Errors
/// If it cannot be opened, or is a directory or a device.
pub fn open_stream(path: &Path) -> io::Result<File> {
    if path.metadata()?.file_type().is_fifo() { File::open(path) } else { open_regular(path) }
}

/// The bytes of a regular file with at most `largest` bytes; links are followed.
///
/// # Errors
/// If it cannot be read, is not a regular file, or is larger.
pub fn read_regular(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(largest)).unwrap_or_default());
    if length <= largest && file.take(largest + 1).read_to_end(&mut bytes)? as u64 <= largest {
        return Ok(bytes);
    }
    Err(io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {largest} bytes")))
}

/// The hash of the bytes of a regular file; links are followed.
///
/// # Errors
/// If it cannot be read, or is not a regular file.
pub fn content_hash(path: &Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    Ok(hasher.update_reader(open_regular(path)?)?.finalize())
}

/// The text of a regular file with at most `largest` bytes; links are followed.
///
/// # Errors
/// Those of [`read_regular`], and if it is not UTF-8.
pub fn read_text(path: &Path, largest: u64) -> io::Result<String> {
    let no_text = |_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text");
    String::from_utf8(read_regular(path, largest)?).map_err(no_text)
}

/// The bytes of a regular file of a tree; a link below the tree's root is refused, since its target may be a file that
/// must not be copied.
///
/// # Errors
/// Those of [`read_regular`], and if a part of the path below `tree` is a link or leads upwards.
pub fn read_unlinked(tree: &Path, path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    match link_below(tree, path) {
        Some(link) => Err(io::Error::new(ErrorKind::InvalidInput, format!("{} is a link", link.display()))),
        None => read_regular(path, largest),
    }
}

/// The first part of a path below the root of a tree that is a link or leads upwards; the root itself may be a link. A
/// path that is not below the root has one part: itself.
#[must_use]
pub fn link_below(tree: &Path, path: &Path) -> Option<PathBuf> {
    let mut place = tree.to_owned();
    let Ok(below) = path.strip_prefix(tree) else { return Some(path.to_owned()).filter(|path| path.is_symlink()) };
    let mut parts = below.components().map(|part| {
        place.push(part);
        (part, place.clone())
    });
    parts.find(|(part, place)| *part == Component::ParentDir || place.is_symlink()).map(|(_, place)| place)
}

fn require_regular(found: &Metadata) -> io::Result<()> {
    let (kind, word) = match found.file_type() {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => (ErrorKind::IsADirectory, "a directory"),
        kind if kind.is_fifo() => (ErrorKind::InvalidInput, "a pipe"),
        kind if kind.is_socket() => (ErrorKind::InvalidInput, "a socket"),
        _ => (ErrorKind::InvalidInput, "a device"),
    };
    Err(io::Error::new(kind, format!("it is not a regular file but {word}")))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    fn refusal(path: &Path) -> String {
        read_regular(path, 4).unwrap_err().to_string()
    }

    #[test]
    fn regular_files_are_read_up_to_their_limit_and_no_others() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::write(at("four"), "four").unwrap();
        fs::write(at("five."), "five.").unwrap();
        symlink(at("four"), at("linked")).unwrap();
        File::create(at("sparse")).unwrap().set_len(1 << 40).unwrap();
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let _socket = UnixListener::bind(at("socket")).unwrap();
        assert_eq!(read_regular(&at("four"), 4).unwrap(), b"four");
        assert_eq!(read_text(&at("linked"), 4).unwrap(), "four");
        assert_eq!(refusal(&at("five.")), "it has more than 4 bytes");
        assert_eq!(refusal(&at("sparse")), "it has more than 4 bytes");
        assert_eq!(refusal(&at("pipe")), "it is not a regular file but a pipe");
        assert_eq!(refusal(&at("socket")), "it is not a regular file but a socket");
        assert_eq!(refusal(Path::new("/dev/zero")), "it is not a regular file but a device");
        assert_eq!(read_regular(root.path(), 4).unwrap_err().kind(), ErrorKind::IsADirectory);
        assert_eq!(read_regular(&at("none"), 4).unwrap_err().kind(), ErrorKind::NotFound);
        assert!(open_stream(Path::new("/dev/zero")).is_err() && open_stream(&at("four")).is_ok());
    }

    #[test]
    fn files_of_a_tree_are_not_read_through_links() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("tree/below")).unwrap();
        fs::create_dir(at("secret")).unwrap();
        for file in ["tree/below/own", "secret/key"] {
            fs::write(at(file), "four").unwrap();
        }
        symlink("../secret/key", at("tree/key")).unwrap();
        symlink(at("secret"), at("tree/linked")).unwrap();
        symlink(at("tree"), at("root")).unwrap();
        let read = |tree: &str, file: &str| read_unlinked(&at(tree), &at(tree).join(file), 4);
        assert_eq!(read("tree", "below/own").unwrap(), b"four");
        assert_eq!(read("root", "below/own").unwrap(), b"four", "the root may be a link");
        for (file, part) in [("key", "key is a link"), ("linked/key", "linked is a link"), ("../secret/key", "..")] {
            assert!(read("tree", file).unwrap_err().to_string().contains(part), "{file}");
        }
    }
}
