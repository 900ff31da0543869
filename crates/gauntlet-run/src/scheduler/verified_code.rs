//! Results of older code whose jobs were run again and compared. One verdict holds for all jobs with the same change of
//! code.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_games::base::Key;
use gauntlet_nets::nets::deep::portable_class;
use gauntlet_store::{Error, Store, VerifiedNote};

/// The results of older code that may replace jobs that are absent only because the code has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Older {
    /// None: the code of every job must be today's.
    Nothing,
    /// Those of verified code: some of its results were run again and were identical.
    Verified,
    /// All.
    Everything,
}

/// The jobs with the same change of code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeGroup {
    /// The fingerprint of the code that made them.
    pub stored: Key,
    /// The fingerprint of the code that runs them today.
    pub today: Key,
    /// Their device class.
    pub device: String,
}

/// The results of comparisons, by group.
#[derive(Debug, Clone, Default)]
pub struct VerifiedCode {
    notes: BTreeMap<CodeGroup, Vec<VerifiedNote>>,
}

impl CodeGroup {
    /// The two fingerprints in short form.
    #[must_use]
    pub fn words(&self) -> String {
        let short = |key: Key| key.hex()[..8].to_owned();
        format!("{} -> {}", short(self.stored), short(self.today))
    }
}

impl VerifiedCode {
    /// All comparisons of a store.
    ///
    /// # Errors
    /// If the system refuses to read a note.
    pub fn read(store: &Store) -> Result<VerifiedCode, Error> {
        Ok(store.verified()?.into_iter().collect())
    }

    /// Adds the comparisons of other groups.
    pub(super) fn extend(&mut self, other: VerifiedCode) {
        self.notes.extend(other.notes);
    }

    /// The comparisons of a group.
    #[must_use]
    pub fn of(&self, group: &CodeGroup) -> &[VerifiedNote] {
        self.notes.get(group).map_or(&[], Vec::as_slice)
    }

    /// Whether a group is verified: some of its results were run again, and none of them differs.
    #[must_use]
    pub fn is_same(&self, group: &CodeGroup) -> bool {
        let notes = self.of(group);
        !notes.is_empty() && notes.iter().all(VerifiedNote::is_same)
    }

    /// A job of a group whose result differed.
    #[must_use]
    pub fn differing(&self, group: &CodeGroup) -> Option<&VerifiedNote> {
        self.of(group).iter().find(|note| !note.is_same())
    }
}

impl FromIterator<VerifiedNote> for VerifiedCode {
    fn from_iter<I: IntoIterator<Item = VerifiedNote>>(all: I) -> VerifiedCode {
        let mut notes: BTreeMap<CodeGroup, Vec<VerifiedNote>> = BTreeMap::new();
        for note in all {
            // Jobs without networks once had the whole class in their key. Their code is no other job's.
            let classes = BTreeSet::from([note.device.clone(), portable_class(&note.device).to_owned()]);
            for device in classes {
                let group = CodeGroup { stored: note.stored, today: note.today, device };
                notes.entry(group).or_default().push(note.clone());
            }
        }
        VerifiedCode { notes }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use gauntlet_store::{Difference, Program};

    #[test]
    fn one_difference_decides_for_its_whole_group_and_for_no_other() {
        let key = |number: u32| Key::of("code", &json!(number));
        let group = |stored: u32| CodeGroup { stored: key(stored), today: key(9), device: "cpu".to_owned() };
        let note = |job: &str, stored: u32, difference: Option<Difference>| {
            let program = Program { commit: String::new(), version: String::new() };
            let codes = [key(stored), key(9)];
            let note = VerifiedNote::new(job.to_owned(), codes, "cpu".to_owned(), program, String::new());
            note.ended(None, difference, 1.0)
        };
        let differs = Some(Difference::Missing { file: "a".to_owned() });
        let verified_code: VerifiedCode =
            [note("a", 1, None), note("b", 1, differs), note("c", 2, None)].into_iter().collect();
        assert_eq!([1, 2, 3].map(|stored| verified_code.is_same(&group(stored))), [false, true, false]);
        assert_eq!(verified_code.differing(&group(1)).expect("one differs").job, "b");
        assert!(verified_code.differing(&group(2)).is_none() && verified_code.of(&group(3)).is_empty());
        assert!(!verified_code.is_same(&CodeGroup { device: "cuda".to_owned(), ..group(2) }));
    }
}
