//! The trash: removed jobs, whole, below the day on which they were removed, for a week.
//!
//! Whoever wants a job back moves its directory to `jobs`.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::atomic::unique;
use super::error::{At as _, Error};
use super::{Removal, Store};

/// Days that the trash is kept.
const DAYS: i32 = 7;

impl Store {
    /// Where removed jobs are.
    #[must_use]
    pub fn trash(&self) -> PathBuf {
        self.root().join("trash")
    }

    /// Moves the directory of a job to the trash.
    pub(super) fn throw_away(&self, path: &Path, directory: &str) -> Result<(), Error> {
        let day = self.trash().join(today().to_string());
        fs::create_dir_all(&day).at("create", &day)?;
        let free = |place: &PathBuf| !place.exists();
        let again = || day.join(format!("{directory}.{}", unique()));
        let place = Some(day.join(directory)).filter(free).unwrap_or_else(again);
        fs::rename(path, &place).at("move to the trash", path)
    }

    /// Removes what has been in the trash for more than a week, or all of it. Returns the bytes that were freed.
    ///
    /// # Errors
    /// When something cannot be removed.
    pub fn empty_trash(&self, removal: Removal) -> Result<u64, Error> {
        let is_old = |date: Date| removal == Removal::ForGood || (today() - date).get_days() > DAYS;
        let mut freed = 0;
        for day in fs::read_dir(self.trash()).into_iter().flatten().flatten() {
            let date = day.file_name().to_string_lossy().parse::<Date>();
            if date.is_ok_and(is_old) {
                freed += size(&day.path());
                fs::remove_dir_all(day.path()).at("remove", &day.path())?;
            }
        }
        // Only an empty one goes.
        let _ = fs::remove_dir(self.trash());
        Ok(freed)
    }
}

fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// Bytes of the files below a directory.
pub(super) fn size(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => size(&entry.path()),
        found => found.map_or(0, |found| found.len()),
    };
    entries.map(bytes).sum()
}
