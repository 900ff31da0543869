//! Precedence of success criteria: for each criterion, which of its jobs were done when both were
//! first planned together. It depends on no clock, and later runs do not change it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::atomic::read_if_there;
use super::error::Error;
use super::note::change_note;
use super::{Key, Store};

/// The version that is written, and the only one that can be read.
const VERSION: u32 = 1;

/// Whether a criterion existed before the result of one of its jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precedence {
    /// The job was not done when it was first planned with the criterion.
    Before,
    /// The job was done.
    After,
    /// The job was done, and its requesters are unknown: it is older than such notes, or from another results tree.
    Unknown,
}

/// The note of one criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct CriterionNote {
    version: u32,
    /// The text of the claim.
    claim: String,
    /// Time of its first plan: an RFC 3339 instant.
    first: String,
    /// Precedence by the job's key without code.
    jobs: BTreeMap<String, Precedence>,
}

impl CriterionNote {
    fn is_understood(&self) -> bool {
        self.version == VERSION
    }
}

impl Store {
    /// Notes the precedence of a criterion and jobs that are planned together now; earlier notes stay.
    /// Jobs are identified by their keys without code, so that another version of the program changes nothing.
    ///
    /// # Errors
    /// If the note cannot be read or written.
    pub fn note_criterion(&self, key: &Key, claim: &str, jobs: &[(Key, Precedence)]) -> Result<(), Error> {
        change_note(self.root(), &self.criterion(key), |before: Option<CriterionNote>| {
            let mut noted = before.filter(CriterionNote::is_understood).unwrap_or_else(|| CriterionNote {
                version: VERSION,
                claim: claim.to_owned(),
                first: jiff::Timestamp::now().to_string(),
                jobs: BTreeMap::new(),
            });
            let known = noted.jobs.len();
            for (job, precedence) in jobs {
                noted.jobs.entry(job.hex()).or_insert(*precedence);
            }
            (noted.jobs.len() > known).then_some(noted)
        })
    }

    /// The notes of a criterion, by the keys of jobs without code in hexadecimal digits.
    ///
    /// # Errors
    /// If the system refuses to read the note.
    pub fn criterion_notes(&self, key: &Key) -> Result<BTreeMap<String, Precedence>, Error> {
        Ok(read(&self.criterion(key))?.map_or(BTreeMap::new(), |noted| noted.jobs))
    }

    fn criterion(&self, key: &Key) -> PathBuf {
        self.root().join("criteria").join(format!("{key}.json"))
    }
}

/// Reads a note; one that cannot be parsed counts as absent.
fn read(path: &Path) -> Result<Option<CriterionNote>, Error> {
    let noted = read_if_there(path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(noted.filter(CriterionNote::is_understood))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_noted_first_stays() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        let key = |number: u64| Key::of("test", &json!(number));
        assert!(store.criterion_notes(&key(0)).unwrap().is_empty());
        store.note_criterion(&key(0), "more", &[(key(1), Precedence::Before)]).unwrap();
        store.note_criterion(&key(0), "more", &[(key(1), Precedence::After), (key(2), Precedence::After)]).unwrap();
        let noted = store.criterion_notes(&key(0)).unwrap();
        assert_eq!(noted, [(key(1).hex(), Precedence::Before), (key(2).hex(), Precedence::After)].into());
        assert!(store.criterion_notes(&key(1)).unwrap().is_empty());
    }
}
