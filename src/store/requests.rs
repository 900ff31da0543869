//! Requests of jobs by manifests: a file for each manifest, outside of all hashes. Garbage collection depends on it;
//! results do not.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::atomic::read_if_there;
use super::error::Error;
use super::note::{change_note, notes_in};
use super::{JobId, Key, Store};

/// The version that is written, and the only one that can be read.
const VERSION: u32 = 1;

/// All requests of one manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requests {
    version: u32,
    /// The location of the manifest: the path of a file, or another identifier.
    pub manifest: String,
    /// Its own name.
    pub name: String,
    /// The time of the first request of each job, by the name of its directory: RFC 3339 instants.
    pub jobs: BTreeMap<String, String>,
}

impl Requests {
    fn is_understood(&self) -> bool {
        self.version == VERSION
    }
}

impl Store {
    /// Notes that a manifest requests these jobs now.
    ///
    /// # Errors
    /// If the note cannot be read or written.
    pub fn request<'a>(
        &self,
        manifest: &str,
        name: &str,
        jobs: impl IntoIterator<Item = &'a JobId>,
    ) -> Result<(), Error> {
        let file = format!("{}.json", Key::of("requests", &json!(manifest)));
        change_note(&self.root().join("requests").join(file), |before: Option<Requests>| {
            let before = before.filter(Requests::is_understood);
            let is_known = before.as_ref().is_some_and(|asked| asked.manifest == manifest && asked.name == name);
            let mut known = before.map_or(BTreeMap::new(), |asked| asked.jobs);
            let (now, count) = (jiff::Timestamp::now().to_string(), known.len());
            for job in jobs {
                known.entry(job.directory()).or_insert_with(|| now.clone());
            }
            let is_new = !is_known || known.len() > count;
            let (manifest, name) = (manifest.to_owned(), name.to_owned());
            is_new.then_some(Requests { version: VERSION, manifest, name, jobs: known })
        })
    }

    /// The requests of all manifests, by their locations. Notes that cannot be parsed are skipped.
    ///
    /// # Errors
    /// If the system refuses to read a note.
    pub fn requests(&self) -> Result<Vec<Requests>, Error> {
        let mut asked = Vec::new();
        for path in notes_in(&self.root().join("requests"))? {
            asked.extend(read_if_there(&path)?.and_then(|bytes| parse(&bytes)));
        }
        asked.sort_by(|one: &Requests, other| one.manifest.cmp(&other.manifest));
        Ok(asked)
    }

    /// The manifests that requested each job, by the name of its directory.
    ///
    /// # Errors
    /// Those of [`Store::requests`].
    pub fn requesters(&self) -> Result<HashMap<String, Vec<String>>, Error> {
        let mut requesters: HashMap<String, Vec<String>> = HashMap::new();
        for Requests { manifest, jobs, .. } in self.requests()? {
            jobs.into_keys().for_each(|job| requesters.entry(job).or_default().push(manifest.clone()));
        }
        Ok(requesters)
    }
}

fn parse(bytes: &[u8]) -> Option<Requests> {
    serde_json::from_slice(bytes).ok().filter(Requests::is_understood)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_job_keeps_everybody_who_asked_and_when_first() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        let job = |seed: u64| JobId { kind: "play".into(), slug: "x".into(), key: Key::of("run", &json!(seed)) };
        assert!(store.requests().unwrap().is_empty() && store.requesters().unwrap().is_empty());
        store.request("/a.toml", "a", [&job(1), &job(2)]).unwrap();
        let first = store.requests().unwrap();
        store.request("/a.toml", "a", [&job(2)]).unwrap();
        assert_eq!(store.requests().unwrap(), first, "nothing that was asked for is forgotten");
        store.request("/b.toml", "b", [&job(2)]).unwrap();
        assert_eq!(store.requesters().unwrap()[&job(2).directory()], ["/a.toml", "/b.toml"]);
        assert_eq!(store.requesters().unwrap()[&job(1).directory()], ["/a.toml"]);
        let mut names = fs::read_dir(root.path().join("requests")).unwrap().map(|entry| entry.unwrap().path());
        let torn = names.find(|path| path.extension().is_some()).unwrap();
        fs::write(torn, "{").unwrap();
        assert_eq!(store.requests().unwrap().len(), 1);
    }

    #[test]
    fn those_who_ask_at_the_same_time_lose_nothing() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        let job = |seed: u64| JobId { kind: "play".into(), slug: "x".into(), key: Key::of("run", &json!(seed)) };
        std::thread::scope(|scope| {
            for half in 0..2 {
                let store = &store;
                scope.spawn(move || {
                    (0..40).for_each(|at| store.request("/a.toml", "a", [&job(2 * at + half)]).unwrap())
                });
            }
        });
        assert_eq!(store.requests().unwrap()[0].jobs.len(), 80);
    }
}
