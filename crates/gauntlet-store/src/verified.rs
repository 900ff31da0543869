//! Verification results of finished jobs: a file for each job, program code and processor, outside of all hashes. No
//! result depends on them, but the acceptance of results of older code does.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::atomic::{read_if_there, remove, write_below};
use super::error::{At as _, Error};
use super::note::notes_in;
use super::own::is_real_directory;
use super::{Key, Store};

/// The version that is written, and the only one that can be read.
const VERSION: u32 = 1;

/// The note of a finished job that was run again by another program, or by the same one on another machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifiedNote {
    version: u32,
    /// The directory of the stored job.
    pub job: String,
    /// The fingerprint of the code that made it.
    pub stored: Key,
    /// The fingerprint of the code that ran it again.
    pub today: Key,
    /// The device class of both.
    pub device: String,
    /// The program that ran it again.
    pub program: Program,
    /// The model of the processor on which it was run again.
    pub processor: String,
    /// The number of first iterations that were run again; `None` for the whole job.
    pub iterations: Option<u32>,
    /// The first difference between the files; `None` if all bytes are equal.
    pub difference: Option<Difference>,
    /// Duration of the new run.
    pub seconds: f64,
    /// The [proof](Store::proof) of the stored job at that time. Older programs noted none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}

/// A program: the commit and the version of its source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The commit.
    pub commit: String,
    /// The version.
    pub version: String,
}

/// The first difference between the files of two runs of one job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Difference {
    /// In an iteration (or generation) of a training.
    Iteration {
        /// The file.
        file: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// In a line of a text.
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
    },
    /// In a byte of any other file.
    Byte {
        /// The file.
        file: String,
        /// Its offset.
        byte: u64,
    },
    /// The job no longer writes a file.
    Missing {
        /// The file.
        file: String,
    },
    /// The job writes a file that the stored one does not have.
    Extra {
        /// The file.
        file: String,
    },
    /// The job fails.
    Fails {
        /// The cause.
        reason: String,
    },
}

impl VerifiedNote {
    /// A note of this version.
    #[must_use]
    pub fn new(job: String, [stored, today]: [Key; 2], device: String, program: Program, processor: String) -> Self {
        let (iterations, difference, seconds, proof) = (None, None, 0.0, None);
        let version = VERSION;
        VerifiedNote { version, job, stored, today, device, program, processor, iterations, difference, seconds, proof }
    }

    /// The note of a finished run, with the iterations that were run (or all), the difference and the duration.
    #[must_use]
    pub fn ended(self, iterations: Option<u32>, difference: Option<Difference>, seconds: f64) -> VerifiedNote {
        VerifiedNote { iterations, difference, seconds, ..self }
    }

    /// Whether all compared bytes are equal.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.difference.is_none()
    }

    fn file(&self) -> String {
        let of = json!([self.job, self.stored.hex(), self.today.hex(), self.device, self.processor]);
        format!("{}.json", Key::of("verified", &of))
    }
}

impl Difference {
    /// A display text: `metrics.jsonl, iteration 7`.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Difference::Iteration { file, iteration } => format!("{file}, iteration {iteration}"),
            Difference::Line { file, line } => format!("{file}, line {line}"),
            Difference::Byte { file, byte } => format!("{file}, byte {byte}"),
            Difference::Missing { file } => format!("{file} is not written any more"),
            Difference::Extra { file } => format!("{file} is new"),
            Difference::Fails { reason } => format!("the job fails: {reason}"),
        }
    }
}

impl Store {
    /// Stores the result of a verification run.
    ///
    /// # Errors
    /// If the note cannot be written.
    pub fn note_verified(&self, note: &VerifiedNote) -> Result<(), Error> {
        let path = self.notes_of_verified().join(note.file());
        write_below(self.root(), &path, &serde_json::to_vec(note).expect("a note is plain data"))
    }

    /// All verification notes, sorted by job. Invalid notes and those of another version are skipped with a warning.
    ///
    /// # Errors
    /// If the system refuses to read a note.
    pub fn verified(&self) -> Result<Vec<VerifiedNote>, Error> {
        let mut notes: Vec<VerifiedNote> = Vec::new();
        for path in notes_in(&self.notes_of_verified())? {
            notes.extend(read(&path)?);
        }
        notes.sort_by(|one, other| one.job.cmp(&other.job).then(one.file().cmp(&other.file())));
        Ok(notes)
    }

    /// Removes the notes of jobs that no longer exist, and invalid ones or those of another version. Returns the
    /// number of freed bytes.
    ///
    /// # Errors
    /// If a note cannot be read or removed.
    pub fn forget_verified(&self) -> Result<u64, Error> {
        let directory = self.notes_of_verified();
        if !is_real_directory(&directory) {
            return Ok(0);
        }
        let mut freed = 0;
        for path in notes_in(&directory)? {
            if !self.is_of_use(read(&path)?)? {
                freed += fs::metadata(&path).map_or(0, |found| found.len());
                remove(&path)?;
            }
        }
        Ok(freed)
    }

    /// Whether the job of a note still exists.
    fn is_of_use(&self, note: Option<VerifiedNote>) -> Result<bool, Error> {
        let path = note.map(|note| self.jobs().join(note.job));
        path.map_or(Ok(false), |path| path.try_exists().at("read", &path))
    }

    fn notes_of_verified(&self) -> PathBuf {
        self.root().join("verified")
    }
}

/// Reads a note; an invalid one or one of another version counts as absent, with a warning.
fn read(path: &Path) -> Result<Option<VerifiedNote>, Error> {
    let Some(bytes) = read_if_there(path)? else { return Ok(None) };
    let note = serde_json::from_slice(&bytes).ok().filter(|note: &VerifiedNote| note.version == VERSION);
    if note.is_none() {
        tracing::warn!("{} counts as absent: it is incomplete, or of another version", path.display());
    }
    Ok(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(job: &str, difference: Option<Difference>) -> VerifiedNote {
        let program = Program { commit: "c0ffee".to_owned(), version: "1.0.0".to_owned() };
        let codes = [1, 2].map(|code| Key::of("code", &json!(code)));
        let (device, processor) = ("cpu".to_owned(), "X".to_owned());
        VerifiedNote::new(job.to_owned(), codes, device, program, processor).ended(None, difference, 1.5)
    }

    #[test]
    fn a_note_is_replaced_by_its_own_kind_alone() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        assert!(store.verified().unwrap().is_empty());
        let other = VerifiedNote { processor: "Y".to_owned(), ..note("a", None) };
        let differs = Difference::Iteration { file: "metrics.jsonl".to_owned(), iteration: 7 };
        [note("b", None), note("a", None), other.clone(), note("a", Some(differs.clone()))]
            .iter()
            .for_each(|note| store.note_verified(note).unwrap());
        let found = store.verified().unwrap();
        assert!(found.len() == 3 && found.contains(&other) && found.contains(&note("a", Some(differs))), "{found:?}");
    }

    #[test]
    fn what_cannot_be_understood_counts_as_absent_and_goes_with_the_notes_of_jobs_that_are_gone() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        store.note_verified(&note("kept", None)).unwrap();
        store.note_verified(&VerifiedNote { version: 2, ..note("newer", None) }).unwrap();
        fs::write(store.notes_of_verified().join("0123456789abcdef.json"), "{\"version\":1,").unwrap();
        assert_eq!(store.verified().unwrap(), [note("kept", None)]);
        fs::create_dir_all(store.jobs().join("kept")).unwrap();
        assert!(store.forget_verified().unwrap() > 0);
        assert_eq!(notes_in(&store.notes_of_verified()).unwrap().len(), 1);
        fs::remove_dir(store.jobs().join("kept")).unwrap();
        store.forget_verified().unwrap();
        assert_eq!(notes_in(&store.notes_of_verified()).unwrap().len(), 0);
    }

    #[test]
    fn a_note_of_an_older_program_has_no_proof() {
        let older = serde_json::to_value(note("a", None)).unwrap();
        assert!(older.get("proof").is_none());
        assert_eq!(serde_json::from_value::<VerifiedNote>(older).unwrap(), note("a", None));
        let proven = VerifiedNote { proof: Some("f".repeat(64)), ..note("a", None) };
        let text = serde_json::to_string(&proven).unwrap();
        assert_eq!(serde_json::from_str::<VerifiedNote>(&text).unwrap(), proven);
        assert_eq!(proven.file(), note("a", None).file(), "it replaces the older note");
    }

    #[test]
    fn a_difference_is_told_in_words() {
        let file = || "result.json".to_owned();
        assert_eq!(Difference::Byte { file: file(), byte: 17 }.sentence(), "result.json, byte 17");
        assert_eq!(Difference::Missing { file: file() }.sentence(), "result.json is not written any more");
    }
}
