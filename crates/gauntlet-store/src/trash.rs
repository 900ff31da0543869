//! The trash: complete directories of removed jobs, by the day of removal, kept for a week.
//!
//! To restore a job, move its directory to `jobs`.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::atomic::unique;
use super::error::{At as _, Error};
use super::own::{is_real_directory, remove_job};
use super::writing::create_directory;
use super::{Removal, Store};

/// Number of days before the trash is emptied.
const DAYS: i32 = 7;

impl Store {
    /// The directory of removed jobs.
    #[must_use]
    pub fn trash(&self) -> PathBuf {
        self.root().join("trash")
    }

    /// Moves the directory of a job to the trash.
    pub(super) fn throw_away(&self, path: &Path, directory: &str) -> Result<(), Error> {
        let day = self.trash().join(today().to_string());
        create_directory(self.root(), &day)?;
        let free = |place: &PathBuf| !place.exists();
        let again = || day.join(format!("{directory}.{}", unique()));
        let place = Some(day.join(directory)).filter(free).unwrap_or_else(again);
        fs::rename(path, &place).at("move to the trash", path)
    }

    /// Removes the jobs that have been in the trash for more than a week, or all of them. Returns the number of freed
    /// bytes.
    ///
    /// # Errors
    /// If a file or directory cannot be removed.
    pub fn empty_trash(&self, removal: Removal) -> Result<u64, Error> {
        let is_old = |date: Date| removal == Removal::ForGood || (today() - date).get_days() > DAYS;
        if !is_real_directory(&self.trash()) {
            return Ok(0);
        }
        let mut freed = 0;
        for day in fs::read_dir(self.trash()).into_iter().flatten().flatten() {
            let date = day.file_name().to_string_lossy().parse::<Date>();
            if date.is_ok_and(is_old) {
                freed += empty(&day.path())?;
            }
        }
        // Succeeds only for an empty directory.
        let _ = fs::remove_dir(self.trash());
        Ok(freed)
    }
}

/// Removes the jobs of a day, and the day's directory if it is then empty.
fn empty(day: &Path) -> Result<u64, Error> {
    if !is_real_directory(day) {
        return Ok(0);
    }
    let mut freed = 0;
    for job in fs::read_dir(day).at("list", day)? {
        freed += remove_job(&job.at("list", day)?.path())?;
    }
    let _ = fs::remove_dir(day);
    Ok(freed)
}

fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}
