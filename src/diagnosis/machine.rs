//! The machine: processor, memory, and the file system of the results.

use std::fs::{self, File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use super::Finding;
use crate::app::{machine_memory, processor};
use gauntlet_games::base::bytes;
use gauntlet_nets::nets::instructions;

const SUBJECT: &str = "machine";

/// Free space below which a run may not end, bytes.
const LEAST_SPACE: u64 = 1 << 30;

/// Maximum difference between the clocks of this machine and of its file system.
const CLOCK: Duration = Duration::from_secs(5);

/// The facts and checks.
pub fn lines(results: &Path) -> Vec<Finding> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let [plain, few] = instructions();
    let mut lines = vec![
        Finding::fact(SUBJECT, "processor", format!("{}, {cores} core(s)", processor())),
        Finding::fact(SUBJECT, "kernels", format!("{plain} for f32, {few} for bf16 and int8")),
        Finding::fact(SUBJECT, "memory", machine_memory().map_or("unknown".to_owned(), |size| bytes(size as u64))),
    ];
    let place = existing(results);
    lines.push(space(&place));
    match tempfile::Builder::new().prefix(".doctor-").tempdir_in(&place) {
        Ok(scratch) => lines.extend([synced(scratch.path()), locked(scratch.path()), clock(scratch.path())]),
        Err(error) => {
            let text = format!("{} cannot be written: {error}", place.display());
            lines.push(Finding::failed(SUBJECT, "files", &text, "choose another directory with --results"));
        }
    }
    lines
}

/// The directory, or the nearest one above it that exists.
fn existing(directory: &Path) -> PathBuf {
    let full = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    full.ancestors().find(|path| path.is_dir()).map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// The free space, by the program `df` of POSIX.
fn space(place: &Path) -> Finding {
    let output = Command::new("df").arg("-Pk").arg(place).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let free = text.lines().nth(1).and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
    let Some(free) = free.map(|kilobytes| 1024 * kilobytes) else {
        return Finding::skipped(SUBJECT, "disk", "the program `df` does not report its free space");
    };
    let text = format!("{} free at {}", bytes(free), place.display());
    let hint = "remove what no manifest wants with `gauntlet gc`, or choose another disk with --results";
    Finding::check(SUBJECT, "disk", free >= LEAST_SPACE, text, hint)
}

/// Whether a file can be written, synced and renamed, and the median time of that.
fn synced(scratch: &Path) -> Finding {
    let once = |index: usize| -> std::io::Result<Duration> {
        let (from, to, start) = (scratch.join(format!("{index}.tmp")), scratch.join(index.to_string()), Instant::now());
        let mut file = File::create(&from)?;
        file.write_all(&[7; 4096])?;
        file.sync_all()?;
        fs::rename(&from, &to)?;
        File::open(scratch)?.sync_all()?;
        let taken = start.elapsed();
        match fs::read(&to)? == [7; 4096] {
            true => Ok(taken),
            false => Err(std::io::Error::other("a file that was written and synced reads differently")),
        }
    };
    match (0..7).map(once).collect::<Result<Vec<_>, _>>() {
        Ok(mut times) => {
            times.sort();
            let text = format!("a result is written, synced and renamed in {:.1} ms", 1e3 * times[3].as_secs_f64());
            Finding::check(SUBJECT, "files", true, text, "")
        }
        Err(error) => Finding::failed(SUBJECT, "files", &error, "choose another directory with --results"),
    }
}

/// Whether a lock keeps a second one out.
fn locked(scratch: &Path) -> Finding {
    let hint = "run one `gauntlet run` at a time on this directory, or choose a local disk with --results";
    let path = scratch.join("lock");
    let both = || -> std::io::Result<[Result<(), TryLockError>; 2]> {
        let (first, second) = (File::create(&path)?, File::open(&path)?);
        Ok([first.try_lock(), second.try_lock()])
    };
    match both() {
        Ok([Ok(()), Err(TryLockError::WouldBlock)]) => {
            Finding::check(SUBJECT, "file locks", true, "a second lock is refused", hint)
        }
        Ok([Ok(()), Ok(())]) => Finding::failed(SUBJECT, "file locks", &"a second lock is granted", hint),
        Ok([Err(error), _] | [_, Err(error)]) => Finding::failed(SUBJECT, "file locks", &error, hint),
        Err(error) => Finding::failed(SUBJECT, "file locks", &error, hint),
    }
}

/// Whether the clock of the file system is that of the machine.
fn clock(scratch: &Path) -> Finding {
    let path = scratch.join("clock");
    let written = fs::write(&path, "x").and_then(|()| fs::metadata(&path)?.modified());
    match written {
        Ok(written) => {
            let now = SystemTime::now();
            let apart = now.duration_since(written).or_else(|_| written.duration_since(now)).unwrap_or_default();
            let text = format!("those of machine and disk differ by {:.1} s", apart.as_secs_f64());
            let hint = "synchronise the clocks (NTP): workers of a cluster are judged by the times of their files";
            Finding::check(SUBJECT, "clock", apart < CLOCK, text, hint)
        }
        Err(error) => Finding::failed(SUBJECT, "clock", &error, "choose another directory with --results"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn a_local_disk_is_good_and_a_missing_directory_is_that_above() {
        let scratch = tempfile::tempdir().unwrap();
        let lines = lines(&scratch.path().join("not/there/yet"));
        let bad: Vec<&Finding> =
            lines.iter().filter(|line| line.verdict == Verdict::Bad && line.name != "disk").collect();
        assert!(bad.is_empty(), "{bad:?}");
        for name in ["processor", "kernels", "memory", "disk", "files", "file locks", "clock"] {
            assert_eq!(lines.iter().filter(|line| line.name == name).count(), 1, "{name}");
        }
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left");
    }
}
