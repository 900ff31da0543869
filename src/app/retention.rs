//! The results that `gc` keeps: manifests request them, or have requested them according to the notes of the store.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use rayon::prelude::*;
use serde::Deserialize;

use super::library::ManifestLibrary;
use super::options::Options;
use super::plans::{BUILT_IN, place_of};
use gauntlet_games::base::{Key, visible};
use gauntlet_plan::manifest::Plan;
use gauntlet_plan::manifest::written::BASE;
use gauntlet_run::scheduler::{Listener, RunEvent, id_of};
use gauntlet_store::{Error, JobId, Leftover, Store, StoredState, family_of};

/// The results that are kept. Manifests plan many more jobs than a store holds, so that jobs without a directory leave
/// no more than a key here.
#[derive(Default)]
pub struct Wanted {
    /// The keys in the names of the store's directories.
    stored: HashSet<String>,
    /// The store's directories that no manifest has wanted so far. Two of them may have one key.
    left: HashSet<String>,
    /// The jobs of all existing manifests, at every profile, that have a directory in the store.
    pub jobs: Vec<JobId>,
    /// Families of jobs that read missing files: their wanted results are unknown.
    unread: HashSet<String>,
    /// The manifests that requested each job, by its directory.
    requesters: HashMap<String, Vec<String>>,
    /// Jobs that a missing manifest requested, by their directories.
    elsewhere: HashSet<String>,
    /// Jobs that a manifest with problems requested, by their directories.
    unplanned: HashSet<String>,
    /// The code-free keys of all wanted jobs.
    versions: HashSet<Key>,
    /// Those of [`Wanted::jobs`], by their code-free keys.
    versions_here: HashMap<Key, Vec<JobId>>,
    /// The device class and the seeds of each wanted configuration.
    devices: HashMap<Key, (String, HashSet<u64>)>,
}

/// The part of the key inputs of a stored job that tells of which job it is a version.
#[derive(Deserialize)]
struct StoredIdentity {
    #[serde(rename = "lineage")]
    code_free_key: Key,
    config: Key,
    seed: u64,
    device: String,
}

/// The places of the manifests that requested a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// All of them exist, and none requests it any more.
    Here,
    /// One of them is missing.
    Elsewhere,
    /// One of them has problems, so that its jobs are unknown.
    Unplanned,
    /// No manifest is known to have requested it.
    Unknown,
}

impl Wanted {
    /// The jobs of every manifest of the library, of those that requested results here, and of the named ones, at
    /// every profile; of the named ones also with the overrides of the command line.
    ///
    /// # Errors
    /// If a named manifest has problems. A manifest of the library with problems causes a message, and its results are
    /// kept.
    pub fn of(
        named: &[String],
        options: &Options,
        store: &Store,
        listener: &mut dyn Listener,
    ) -> anyhow::Result<Wanted> {
        let left: HashSet<String> = store.directories()?.into_iter().collect();
        let stored = left.iter().filter_map(|name| Some(name.rsplit_once('-')?.1.to_owned())).collect();
        let mut wanted = Wanted { stored, left, requesters: store.requesters()?, ..Wanted::default() };
        let requests = store.requests()?;
        let library = ManifestLibrary::open().names().into_iter().map(|name| Ok((place_of(&name)?, name)));
        let mut known = library.collect::<anyhow::Result<Vec<(String, String)>>>()?;
        for place in requests.iter().map(|requests| &requests.manifest) {
            let is_there = !place.starts_with(BUILT_IN) && Path::new(place).is_file();
            if is_there && !known.iter().any(|(other, _)| other == place) {
                known.push((place.clone(), place.clone()));
            }
        }
        // Those that requested results here come first: often nothing is left for the others.
        known.sort_by_key(|(place, _)| !requests.iter().any(|requests| requests.manifest == *place));
        for name in named {
            wanted.add_all(options, name)?;
            wanted.add(&options.plan(name)?);
        }
        let mut places: HashSet<String> = named.iter().map(|name| place_of(name)).collect::<anyhow::Result<_>>()?;
        let mut broken: HashSet<String> = HashSet::new();
        for (place, name) in known {
            if wanted.is_complete() {
                return Ok(wanted);
            }
            if places.contains(&place) || wanted.add_known(options, &name, &place, listener) {
                places.insert(place);
            } else {
                broken.insert(place);
            }
        }
        for requests in requests.into_iter().filter(|requests| !places.contains(&requests.manifest)) {
            let into = if broken.contains(&requests.manifest) { &mut wanted.unplanned } else { &mut wanted.elsewhere };
            into.extend(requests.jobs.into_keys());
        }
        Ok(wanted)
    }

    /// Whether every job of the store is wanted, so that no further manifest matters.
    fn is_complete(&self) -> bool {
        self.left.is_empty()
    }

    /// Like [`Wanted::add_all`], for an unnamed manifest at a place. Returns whether it could be read.
    fn add_known(&mut self, options: &Options, name: &str, place: &str, listener: &mut dyn Listener) -> bool {
        let added = self.add_all(options, name);
        if let Err(error) = &added {
            let text = format!("{} has problems ({error}): the results that it requested are kept", visible(place));
            listener.event(&RunEvent::Note(text));
        }
        added.is_ok()
    }

    /// The jobs of a manifest at every profile.
    fn add_all(&mut self, options: &Options, name: &str) -> anyhow::Result<()> {
        let default = options.at_profile(None).plan(name)?;
        let known = default.profile.as_str();
        let others: Vec<&String> = default.written.profiles.iter().filter(|profile| *profile != known).collect();
        let at_profile = |profile: &str| options.at_profile(Some(profile)).plan(name);
        let others =
            others.into_par_iter().map(|profile| at_profile(profile)).collect::<anyhow::Result<Vec<Plan>>>()?;
        // Some manifests are incomplete without a profile.
        let base = (known != BASE).then(|| at_profile(BASE).ok()).flatten();
        others.iter().chain(&base).chain([&default]).for_each(|plan| self.add(plan));
        Ok(())
    }

    fn add(&mut self, plan: &Plan) {
        for config in &plan.configs {
            let device = config.spec.device_class(&plan.device).to_owned();
            let (_, seeds) = self.devices.entry(config.key).or_insert((device, HashSet::new()));
            seeds.extend(config.seeds());
        }
        for job in &plan.jobs {
            self.versions.insert(job.code_free_key);
            if plan.spec(job).inputs().iter().any(|file| !plan.inputs.contains_key(*file)) {
                self.unread.insert(id_of(plan, job).family());
            }
            if self.stored.contains(&job.key.to_string()) {
                let id = id_of(plan, job);
                self.left.remove(&id.directory());
                self.versions_here.entry(job.code_free_key).or_default().push(id.clone());
                self.jobs.push(id);
            }
        }
    }

    /// Whether a job may be wanted, as far as is known without the files that it reads.
    pub fn may_be_wanted(&self, leftover: &Leftover) -> bool {
        family_of(&leftover.directory).is_some_and(|family| self.unread.contains(family))
    }

    /// Whether a stored job can still serve a wanted one: as a version by other code while today's code has no result,
    /// or as the result of another device class.
    ///
    /// # Errors
    /// If the system refuses to read its key inputs, or the state of a wanted job.
    pub fn can_serve(&self, store: &Store, leftover: &Leftover) -> Result<bool, Error> {
        let Some(stored) = store.key_inputs_in::<StoredIdentity>(&leftover.directory)? else { return Ok(false) };
        if self.versions.contains(&stored.code_free_key) {
            let versions = self.versions_here.get(&stored.code_free_key).into_iter().flatten();
            let states = versions.map(|id| store.state(id)).collect::<Result<Vec<_>, Error>>()?;
            return Ok(!states.iter().any(|state| matches!(state, StoredState::Done(_))));
        }
        let planned = self.devices.get(&stored.config).filter(|(_, seeds)| seeds.contains(&stored.seed));
        Ok(planned.is_some_and(|(device, _)| *device != stored.device))
    }

    /// The places of the manifests that requested a job.
    pub fn origin(&self, directory: &str) -> Origin {
        match self.requesters.contains_key(directory) {
            false => Origin::Unknown,
            true if self.unplanned.contains(directory) => Origin::Unplanned,
            true if self.elsewhere.contains(directory) => Origin::Elsewhere,
            true => Origin::Here,
        }
    }

    /// The manifests that requested a job.
    pub fn requesters(&self, directory: &str) -> &[String] {
        self.requesters.get(directory).map_or(&[], Vec::as_slice)
    }
}
