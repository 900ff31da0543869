//! `checkpoint.bin`: the state of an unfinished job, bound to the job by its key. Immutable parts of the state are
//! segments, with one file each beside it.
//!
//! ```text
//! gauntlet checkpoint v3\n    the format
//! <64 digits>\n               the key of the job
//! <64 digits>\n               the hash of all following bytes
//! <8 bytes>                   the number of segments
//! <32 bytes> <8 bytes>        the hash and the length of each
//! <the head>
//! ```
//!
//! Segments are written before the first checkpoint that names them, and removed after the first one that does not,
//! once its name is on the disk. Hence a segment of an earlier checkpoint is not written again.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Key;
use super::atomic::{Flush, flush_directory, read_if_there, remove, replace};
use super::error::{At as _, Error};
use gauntlet_games::base::files::{LARGEST_DATA, LARGEST_NOTE, open_regular, read_regular};
use gauntlet_games::base::{ResumePoint, Segment};

/// First bytes of every checkpoint. Those of other versions are refused, and their jobs start over.
const MAGIC: &[u8; 23] = b"gauntlet checkpoint v3\n";

/// Hexadecimal digits of a key or a hash, with the end of the line.
const DIGITS: usize = 65;

/// The checkpoint file of an unfinished job.
pub(super) const CHECKPOINT: &str = "checkpoint.bin";

/// The progress of the job at its checkpoint: `{ "done": 12, "total": 40 }`, for display only.
const PROGRESS: &str = "checkpoint.json";

/// The progress of a job when its checkpoint was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointProgress {
    /// Finished units of work.
    pub done: u64,
    /// All units.
    pub total: u64,
}

/// The hash of a segment and its length.
type SegmentName = ([u8; 32], u64);

/// Prefix of the names of segments; the first digits of their hash follow.
const SEGMENT: &str = "segment-";

/// Reasons to refuse a checkpoint file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    /// From another version of the program, or not a checkpoint.
    #[error("its checkpoint is of another version, or incomplete")]
    Version,
    /// Copied from another job.
    #[error("its checkpoint is that of another job")]
    Foreign,
    /// Incomplete or changed.
    #[error("its checkpoint is damaged")]
    Damaged,
}

/// Replaces the checkpoint in a job's directory.
///
/// # Errors
/// If it cannot be written; the previous checkpoint then remains.
pub(super) fn write(directory: &Path, key: &Key, point: &ResumePoint) -> Result<(), Error> {
    let names: Vec<PathBuf> = point.segments.iter().map(|segment| segment_file(directory, segment.hash())).collect();
    let mut is_new = false;
    for (path, segment) in names.iter().zip(&point.segments).filter(|(path, _)| !path.exists()) {
        replace(path, segment.bytes(), Flush::Disk)?;
        is_new = true;
    }
    if is_new {
        flush_directory(directory)?;
    }
    replace(&directory.join(CHECKPOINT), &seal(key, point), Flush::Disk)?;
    let mut left = segment_files(directory)?;
    left.retain(|path| !names.contains(path));
    if left.is_empty() {
        return Ok(());
    }
    // After a loss of power the old checkpoint may have its name again, and then needs its segments.
    flush_directory(directory)?;
    left.iter().try_for_each(|path| remove(path))
}

/// The state of the job with this key, if it has one; or the reason to refuse the file: a checkpoint of another job or
/// version, or an incomplete one.
///
/// # Errors
/// If a file cannot be read, which implies nothing about its contents.
pub(super) fn read(directory: &Path, key: &Key) -> Result<Option<Result<ResumePoint, Refusal>>, Error> {
    let Some(content) = read_if_there(&directory.join(CHECKPOINT))? else { return Ok(None) };
    let (names, head) = match open(key, &content) {
        Ok(opened) => opened,
        Err(refusal) => return Ok(Some(Err(refusal))),
    };
    let mut segments = Vec::with_capacity(names.len());
    for (hash, length) in &names {
        let segment = read_if_there(&segment_file(directory, hash))?.map(Segment::new);
        match segment.filter(|segment| segment.hash() == hash && segment.bytes().len() as u64 == *length) {
            Some(segment) => segments.push(segment),
            None => return Ok(Some(Err(Refusal::Damaged))),
        }
    }
    Ok(Some(Ok(ResumePoint { head: head.to_vec(), segments })))
}

/// Writes the progress of the checkpoint beside it. Nothing but its display depends on it.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_progress(directory: &Path, progress: CheckpointProgress) -> Result<(), Error> {
    let bytes = serde_json::to_vec(&progress).expect("it is plain data");
    replace(&directory.join(PROGRESS), &bytes, Flush::System)
}

/// The progress of the checkpoint in a directory, if it is known.
pub(super) fn read_progress(directory: &Path) -> Option<CheckpointProgress> {
    serde_json::from_slice(&read_regular(&directory.join(PROGRESS), LARGEST_NOTE).ok()?).ok()
}

/// The head of a checkpoint without segments, for display: its bytes are whole, whichever job they belong to.
pub(super) fn head(directory: &Path) -> Option<Vec<u8>> {
    let content = read_regular(&directory.join(CHECKPOINT), LARGEST_DATA).ok()?;
    let owner = content.get(MAGIC.len()..MAGIC.len() + DIGITS - 1)?;
    let key: Key = std::str::from_utf8(owner).ok()?.parse().ok()?;
    let (names, head) = open(&key, &content).ok()?;
    names.is_empty().then(|| head.to_vec())
}

/// Removes the checkpoint of a job and its segments.
///
/// # Errors
/// If a file cannot be removed.
pub(super) fn clear(directory: &Path) -> Result<(), Error> {
    remove(&directory.join(PROGRESS))?;
    remove(&directory.join(CHECKPOINT))?;
    segment_files(directory)?.iter().try_for_each(|path| remove(path))
}

/// Whether a file is the checkpoint of its directory or a segment.
pub(super) fn is_part(name: &str) -> bool {
    [CHECKPOINT, PROGRESS].contains(&name) || is_segment(name)
}

/// Whether a name is reserved for checkpoints, so that a job's file cannot have it.
pub(super) fn is_reserved(name: &str) -> bool {
    [CHECKPOINT, PROGRESS].contains(&name) || name.starts_with(SEGMENT)
}

fn segment_file(directory: &Path, hash: &[u8; 32]) -> PathBuf {
    let digits = blake3::Hash::from_bytes(*hash).to_hex();
    directory.join(format!("{SEGMENT}{}.bin", &digits[..32]))
}

fn segment_files(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).at("list", directory)? {
        let entry = entry.at("list", directory)?;
        if is_segment(&entry.file_name().to_string_lossy()) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// Whether a file has the name of a segment: `segment-<32 hexadecimal digits>.bin`.
fn is_segment(name: &str) -> bool {
    let digits = name.strip_prefix(SEGMENT).and_then(|rest| rest.strip_suffix(".bin"));
    digits.is_some_and(|digits| digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// The bytes of a checkpoint; segments appear by name only.
fn seal(key: &Key, point: &ResumePoint) -> Vec<u8> {
    let named = point.segments.iter().flat_map(|segment| {
        let length = (segment.bytes().len() as u64).to_le_bytes();
        segment.hash().iter().copied().chain(length)
    });
    let count = (point.segments.len() as u64).to_le_bytes();
    let state: Vec<u8> = count.into_iter().chain(named).chain(point.head.iter().copied()).collect();
    let lines = format!("{}\n{}\n", key.hex(), blake3::hash(&state).to_hex());
    [MAGIC, lines.as_bytes(), &state].concat()
}

/// The hashes and lengths of the segments that a checkpoint of the job with this key names, and its head.
fn open<'a>(key: &Key, content: &'a [u8]) -> Result<(Vec<SegmentName>, &'a [u8]), Refusal> {
    let rest = content.strip_prefix(MAGIC).ok_or(Refusal::Version)?;
    let (owner, rest) = rest.split_at_checked(DIGITS).ok_or(Refusal::Damaged)?;
    let (hash, state) = rest.split_at_checked(DIGITS).ok_or(Refusal::Damaged)?;
    if hash != line(blake3::hash(state).to_hex().as_str()) {
        return Err(Refusal::Damaged);
    }
    if owner != line(&key.hex()) {
        return Err(Refusal::Foreign);
    }
    let (count, mut rest) = state.split_first_chunk::<8>().ok_or(Refusal::Damaged)?;
    let mut next = || {
        let (hash, behind) = rest.split_first_chunk::<32>()?;
        let (length, behind) = behind.split_first_chunk::<8>()?;
        rest = behind;
        Some((*hash, u64::from_le_bytes(*length)))
    };
    let named = (0..u64::from_le_bytes(*count)).map(|_| next().ok_or(Refusal::Damaged));
    let named = named.collect::<Result<Vec<_>, _>>()?;
    Ok((named, rest))
}

/// Whether a file starts like a checkpoint of the job with this key; its state is not read.
pub(super) fn is_of(key: &Key, path: &Path) -> bool {
    let mut header = [0; MAGIC.len() + DIGITS];
    let read = open_regular(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header.strip_prefix(MAGIC).is_some_and(|owner| owner == line(&key.hex()))
}

fn line(digits: &str) -> Vec<u8> {
    [digits.as_bytes(), b"\n"].concat()
}

#[cfg(test)]
mod tests {
    use super::super::atomic::{crash, is_temporary};
    use super::*;
    use serde_json::json;

    fn key(seed: u64) -> Key {
        Key::of("run", &json!(seed))
    }

    fn point(head: &[u8], segments: &[&[u8]]) -> ResumePoint {
        let segments = segments.iter().map(|bytes| Segment::new(bytes.to_vec())).collect();
        ResumePoint { head: head.to_vec(), segments }
    }

    #[test]
    fn a_checkpoint_is_read_by_its_own_job_alone() {
        let sealed = seal(&key(1), &point(b"generation 17", &[b"one"]));
        let (named, head) = open(&key(1), &sealed).unwrap();
        assert_eq!((named, head), (vec![(*blake3::hash(b"one").as_bytes(), 3)], b"generation 17".as_slice()));
        assert_eq!(open(&key(2), &sealed), Err(Refusal::Foreign));
        let older = [b"gauntlet checkpoint v2\n\0".as_slice(), &[7; 45]].concat();
        assert_eq!(open(&key(1), &older), Err(Refusal::Version));
        assert!((0..sealed.len()).all(|length| open(&key(1), &sealed[..length]).is_err()));
        for at in 0..sealed.len() {
            let mut flipped = sealed.clone();
            flipped[at] ^= 1;
            assert!(open(&key(1), &flipped).is_err(), "byte {at}");
        }
    }

    /// A loss of power may undo an unflushed rename, but not a removal after it.
    #[test]
    fn a_checkpoint_has_its_name_on_the_disk_before_segments_of_the_old_one_go() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), &key(1), &point(b"1", &[b"a"])).unwrap();
        let steps = crash::traced(|| write(root.path(), &key(1), &point(b"2", &[b"b"])).unwrap());
        let at = |what: &str| steps.iter().rposition(|step| *step == what).unwrap();
        assert!(at("rename") < at("flush") && at("flush") < at("remove"), "{steps:?}");
    }

    /// After a crash at any step, the checkpoint is the old one or the new one, and the next one removes leftovers.
    #[test]
    fn segments_are_written_once_and_go_when_nobody_names_them() {
        let (first, second) = (point(b"1", &[b"a", b"b"]), point(b"2", &[b"b", b"c", b"c"]));
        for steps in 0..30 {
            let root = tempfile::tempdir().unwrap();
            let directory = root.path();
            let found = || read(directory, &key(1)).unwrap().unwrap().unwrap();
            write(directory, &key(1), &first).unwrap();
            let written = |bytes: &[u8]| {
                fs::metadata(segment_file(directory, blake3::hash(bytes).as_bytes())).unwrap().modified().unwrap()
            };
            let before = written(b"b");
            let ended = crash::after(steps, || write(directory, &key(1), &second).is_ok());
            assert!(found() == second || found() == first && !ended);
            assert_eq!(written(b"b"), before);
            write(directory, &key(1), &second).unwrap();
            assert_eq!((found(), segment_files(directory).unwrap().len()), (second.clone(), 2));
            let path = segment_file(directory, blake3::hash(b"c").as_bytes());
            fs::write(&path, b"d").unwrap();
            assert_eq!(read(directory, &key(1)).unwrap(), Some(Err(Refusal::Damaged)));
            fs::remove_file(&path).unwrap();
            assert_eq!(read(directory, &key(1)).unwrap(), Some(Err(Refusal::Damaged)));
            clear(directory).unwrap();
            assert!(fs::read_dir(directory).unwrap().all(|entry| is_temporary(&entry.unwrap().file_name())));
        }
    }
}
