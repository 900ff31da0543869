//! Comparison of the files of two runs of one job: the first difference. Inventories list the files; timing and notes
//! are excluded.

use serde_json::{Value, json};

use gauntlet_play::jobs::{METRICS, RESULT, STATE, WEIGHTS};
use gauntlet_play::learning::TrainingResult;
use gauntlet_store::{Difference, Inventory, JobId, ReadError, Store, StoredState};

/// Extensions of files that are compared by lines.
const TEXTS: [&str; 2] = [".jsonl", ".csv"];

/// A finished job and the store that holds it.
type Place<'a> = (&'a Store, &'a JobId);

/// The first difference between the files of a repeated job and those of the stored one; `None` if all bytes are
/// equal.
///
/// # Errors
/// If a file cannot be read, or one of the jobs is incomplete.
pub fn compare_whole(stored: Place<'_>, new: Place<'_>) -> Result<Option<Difference>, ReadError> {
    let [before, after] = [inventory(stored)?, inventory(new)?];
    for entry in in_order(&before) {
        let file = entry.to_owned();
        match after.entry(entry) {
            None => return Ok(Some(Difference::Missing { file })),
            found if found == before.entry(entry) => {
                // Equal inventories do not suffice: reading checks the stored file itself.
                stored.0.read(stored.1, entry)?;
            }
            Some(_) => {
                let [one, other] = [stored.0.read(stored.1, entry)?, new.0.read(new.1, entry)?];
                return Ok(first_difference(entry, &one, &other));
            }
        }
    }
    let extra = after.files.iter().find(|entry| before.entry(&entry.name).is_none());
    Ok(extra.map(|entry| Difference::Extra { file: entry.name.clone() }))
}

/// The first difference between the first iterations of a training and those of the stored one, by its metrics, its
/// result and the intermediate networks.
///
/// # Errors
/// If a file cannot be read, or one of the jobs is incomplete.
pub fn compare_prefix(stored: Place<'_>, new: Place<'_>, iterations: u32) -> Result<Option<Difference>, ReadError> {
    let [before, after] = [inventory(stored)?, inventory(new)?];
    let both = |name: &str| Ok::<_, ReadError>([stored.0.read(stored.1, name)?, new.0.read(new.1, name)?]);
    for name in in_order(&after).into_iter().filter(|name| ![WEIGHTS, STATE].contains(name)) {
        if before.entry(name).is_none() {
            return Ok(Some(Difference::Missing { file: name.to_owned() }));
        }
        let [one, other] = both(name)?;
        let found = match name {
            METRICS => differing_line(&one, &other, iterations as usize),
            RESULT => differing_entry(&one, &other, iterations as usize),
            _ => first_difference(name, &one, &other),
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn inventory((store, job): Place<'_>) -> Result<Inventory, ReadError> {
    match store.state(job)? {
        StoredState::Done(inventory) => Ok(inventory),
        StoredState::Absent => Err(ReadError::NotDone { job: job.directory() }),
        StoredState::Broken(reason) => Err(ReadError::Damaged { job: job.directory(), reason }),
    }
}

/// The names of files, most informative first.
fn in_order(inventory: &Inventory) -> Vec<&str> {
    let mut names: Vec<&str> = inventory.files.iter().map(|entry| &*entry.name).collect();
    names.sort_by_key(|name| (*name != METRICS, !is_text(name), *name != RESULT));
    names
}

fn is_text(name: &str) -> bool {
    TEXTS.iter().any(|ending| name.ends_with(ending))
}

/// The first difference of two files.
fn first_difference(name: &str, one: &[u8], other: &[u8]) -> Option<Difference> {
    if one == other {
        return None;
    }
    let byte = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (file, line) = (name.to_owned(), 1 + one[..byte].iter().filter(|&&byte| byte == b'\n').count() as u64);
    Some(match name {
        METRICS => Difference::Iteration { file, iteration: line },
        name if is_text(name) => Difference::Line { file, line },
        _ => Difference::Byte { file, byte: byte as u64 },
    })
}

/// The first different line among the first `count`.
fn differing_line(stored: &[u8], new: &[u8], count: usize) -> Option<Difference> {
    let lines = |text: &'_ [u8]| -> Vec<Vec<u8>> {
        text.split_inclusive(|&byte| byte == b'\n').take(count).map(<[u8]>::to_vec).collect()
    };
    differing_item(METRICS, &lines(stored), &lines(new))
}

/// The first different entry among the first `count` of a curve. The measurement before the training counts as the
/// first.
fn differing_entry(stored: &[u8], new: &[u8], count: usize) -> Option<Difference> {
    let items = |bytes: &[u8]| -> Vec<Value> {
        let result = serde_json::from_slice::<TrainingResult<Value>>(bytes);
        let Ok(TrainingResult { mut curve, untrained, .. }) = result else { return Vec::new() };
        curve.truncate(count);
        curve.first_mut().into_iter().for_each(|first| *first = json!([first.take(), untrained]));
        curve
    };
    differing_item(RESULT, &items(stored), &items(new))
}

fn differing_item<T: PartialEq>(file: &str, stored: &[T], new: &[T]) -> Option<Difference> {
    let same = stored.iter().zip(new).take_while(|(a, b)| a == b).count();
    let differs = same < stored.len().max(new.len());
    differs.then(|| Difference::Iteration { file: file.to_owned(), iteration: same as u64 + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Key;
    use gauntlet_store::Claim;

    fn finished(store: &Store, seed: u64, files: &[(&str, &str)]) -> JobId {
        let id = JobId { kind: "train".into(), slug: "x".into(), key: Key::of("run", &json!(seed)) };
        let Ok(Claim::Mine(directory)) = store.begin(&id, &json!({})) else { panic!("not mine") };
        let files: Vec<_> = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
        directory.commit(&files, "c", 1.0).unwrap();
        id
    }

    fn compared(stored: &[(&str, &str)], new: &[(&str, &str)], iterations: Option<u32>) -> Option<String> {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        let [one, other] = [finished(&store, 1, stored), finished(&store, 2, new)];
        let (one, other) = ((&store, &one), (&store, &other));
        let found = match iterations {
            None => compare_whole(one, other),
            Some(iterations) => compare_prefix(one, other, iterations),
        };
        found.unwrap().map(|difference| difference.sentence())
    }

    #[test]
    fn the_first_difference_is_named_where_it_says_most() {
        let stored = [("weights.safetensors", "abc"), (METRICS, "1\n2\n3\n"), ("games.jsonl", "a\nb\n")];
        let with = |at: usize, text| {
            let mut new = stored;
            new[at].1 = text;
            compared(&stored, &new, None)
        };
        assert_eq!(with(0, "abc"), None);
        assert_eq!(with(0, "abd").as_deref(), Some("weights.safetensors, byte 2"));
        assert_eq!(with(1, "1\n2\n4\n").as_deref(), Some("metrics.jsonl, iteration 3"));
        assert_eq!(with(2, "a\nc\n").as_deref(), Some("games.jsonl, line 2"));
        let changed = [("weights.safetensors", "abd"), (METRICS, "1\n3\n3\n"), ("games.jsonl", "x\nb\n")];
        assert_eq!(compared(&stored, &changed, None).as_deref(), Some("metrics.jsonl, iteration 2"));
        assert_eq!(compared(&stored, &stored[..2], None).as_deref(), Some("games.jsonl is not written any more"));
        assert_eq!(compared(&stored[1..], &stored, None).as_deref(), Some("weights.safetensors is new"));
    }

    #[test]
    fn a_prefix_is_compared_as_far_as_it_goes() {
        let stored = [
            (RESULT, r#"{"curve":[{"a":1},{"a":2},{"a":3}],"games":9,"untrained":0.5}"#),
            (METRICS, "1\n2\n3\n"),
            ("weights.safetensors", "end"),
            ("weights-2.safetensors", "two"),
            ("state.bin", "state"),
        ];
        let curve = |curve: &'static str, metrics, two| {
            let new =
                [(RESULT, curve), (METRICS, metrics), ("weights.safetensors", "new"), ("weights-2.safetensors", two)];
            compared(&stored, &new, Some(2))
        };
        let same = r#"{"curve":[{"a":1},{"a":2}],"games":6,"untrained":0.5}"#;
        assert_eq!(curve(same, "1\n2\n", "two"), None);
        assert_eq!(curve(same, "1\n3\n", "two").as_deref(), Some("metrics.jsonl, iteration 2"));
        assert_eq!(curve(same, "1\n", "two").as_deref(), Some("metrics.jsonl, iteration 2"));
        assert_eq!(curve(same, "1\n2\n", "tow").as_deref(), Some("weights-2.safetensors, byte 1"));
        let other = r#"{"curve":[{"a":1},{"a":2}],"games":6,"untrained":0.25}"#;
        assert_eq!(curve(other, "1\n2\n", "two").as_deref(), Some("result.json, iteration 1"));
    }
}
