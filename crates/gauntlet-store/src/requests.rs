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
    /// The resolved forms that it had, in the order of their first request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plannings: Vec<Planning>,
}

/// A resolved form of a manifest, and the first time that its jobs were requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planning {
    /// The hash of the resolved manifest.
    pub resolved: String,
    /// The commit of the program.
    pub commit: String,
    /// Whether this commit holds a manifest of this form, and nothing was changed since.
    pub is_held: bool,
    /// The time, an RFC 3339 instant.
    pub time: String,
}

impl Planning {
    /// A form that is requested now, by a program of this commit.
    #[must_use]
    pub fn now(resolved: Key, commit: &str, is_held: bool) -> Planning {
        let time = jiff::Timestamp::now().to_string();
        Planning { resolved: resolved.hex(), commit: commit.to_owned(), is_held, time }
    }

    fn is_same(&self, other: &Planning) -> bool {
        (&self.resolved, &self.commit, self.is_held) == (&other.resolved, &other.commit, other.is_held)
    }
}

impl Requests {
    fn is_understood(&self) -> bool {
        self.version == VERSION
    }
}

impl Store {
    /// Notes that a manifest of this form requests these jobs, at the time of its planning.
    ///
    /// # Errors
    /// If the note cannot be read or written.
    pub fn request<'a>(
        &self,
        manifest: &str,
        name: &str,
        planning: &Planning,
        jobs: impl IntoIterator<Item = &'a JobId>,
    ) -> Result<(), Error> {
        let file = format!("{}.json", Key::of("requests", &json!(manifest)));
        change_note(self.root(), &self.root().join("requests").join(file), |before: Option<Requests>| {
            let before = before.filter(Requests::is_understood);
            let is_known = before.as_ref().is_some_and(|asked| asked.manifest == manifest && asked.name == name);
            let (mut known, mut plannings) =
                before.map_or((BTreeMap::new(), Vec::new()), |asked| (asked.jobs, asked.plannings));
            let count = known.len();
            for job in jobs {
                known.entry(job.directory()).or_insert_with(|| planning.time.clone());
            }
            let is_new_form = !plannings.iter().any(|other| planning.is_same(other));
            plannings.extend(is_new_form.then(|| planning.clone()));
            let is_new = !is_known || is_new_form || known.len() > count;
            let (manifest, name) = (manifest.to_owned(), name.to_owned());
            is_new.then_some(Requests { version: VERSION, manifest, name, jobs: known, plannings })
        })
    }

    /// The requests of all manifests, by their locations. Notes that cannot be parsed are skipped.
    ///
    /// # Errors
    /// If the system refuses to read a note.
    pub fn requests(&self) -> Result<Vec<Requests>, Error> {
        let mut asked = Vec::new();
        for path in notes_in(&self.root().join("requests"))? {
            let Some(bytes) = read_if_there(&path)? else { continue };
            let found = parse(&bytes);
            if found.is_none() {
                tracing::warn!(
                    "{} is damaged, or of another version: the requests that it noted are unknown",
                    path.display()
                );
            }
            asked.extend(found);
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

    fn form() -> Planning {
        Planning::now(Key::of("form", &json!(0)), "c0ffee", false)
    }

    #[test]
    fn a_form_is_noted_once() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        let form = |seed: u64| Planning::now(Key::of("form", &json!(seed)), "c0ffee", seed == 2);
        for planning in [form(1), form(1), form(2), form(1)] {
            store.request("/a.toml", "a", &planning, []).unwrap();
        }
        let [asked] = &store.requests().unwrap()[..] else { panic!("one manifest") };
        assert_eq!(asked.plannings.iter().map(|one| one.is_held).collect::<Vec<_>>(), [false, true]);
        assert!(asked.plannings[0].time < asked.plannings[1].time, "{asked:?}");
    }

    #[test]
    fn a_job_keeps_everybody_who_asked_and_when_first() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        let job = |seed: u64| JobId { kind: "play".into(), slug: "x".into(), key: Key::of("run", &json!(seed)) };
        assert!(store.requests().unwrap().is_empty() && store.requesters().unwrap().is_empty());
        store.request("/a.toml", "a", &form(), [&job(1), &job(2)]).unwrap();
        let first = store.requests().unwrap();
        store.request("/a.toml", "a", &form(), [&job(2)]).unwrap();
        assert_eq!(store.requests().unwrap(), first, "nothing that was asked for is forgotten");
        store.request("/b.toml", "b", &form(), [&job(2)]).unwrap();
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
                    (0..40).for_each(|at| store.request("/a.toml", "a", &form(), [&job(2 * at + half)]).unwrap())
                });
            }
        });
        assert_eq!(store.requests().unwrap()[0].jobs.len(), 80);
    }
}
