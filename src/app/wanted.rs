//! The results that `gc` keeps: those that manifests ask for, or have asked for by the notes of the store.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::library::ManifestLibrary;
use super::options::Options;
use super::plans::{BUILT_IN, place_of};
use crate::manifest::Plan;
use crate::manifest::written::BASE;
use crate::scheduler::{Listener, RunEvent, id_of};
use crate::store::{JobId, Leftover, Store, family_of};
use gauntlet_games::base::visible;

/// The results that are kept.
#[derive(Default)]
pub struct Wanted {
    /// The jobs of all manifests that are there, at every profile.
    pub jobs: Vec<JobId>,
    /// Families of jobs that read files that are not there now: which of their results are wanted is not known.
    unread: HashSet<String>,
    /// The manifests that asked for each job, by its directory.
    requesters: HashMap<String, Vec<String>>,
    /// Jobs that a manifest asked for that is not there, by their directories.
    elsewhere: HashSet<String>,
}

/// Where the manifests lie that asked for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// All of them are there, and none wants it any more.
    Here,
    /// One of them is not there, or is no manifest any more.
    Elsewhere,
    /// No manifest is known to have asked.
    Unknown,
}

impl Wanted {
    /// The jobs of every manifest of the library, of those that asked for results here, and of the named ones, at every
    /// profile; of the named ones also with what the command line changes.
    ///
    /// # Errors
    /// When a named manifest has problems. For a manifest of the library there is a message, and its results are kept.
    pub fn of(
        named: &[String],
        options: &Options,
        store: &Store,
        listener: &mut dyn Listener,
    ) -> anyhow::Result<Wanted> {
        let mut wanted = Wanted { requesters: store.requesters()?, ..Wanted::default() };
        let library = ManifestLibrary::open().names();
        for name in named {
            wanted.add_all(options, name)?;
            wanted.add(&options.plan(name)?);
        }
        let mut places: HashSet<String> = named.iter().map(|name| place_of(name)).collect::<anyhow::Result<_>>()?;
        let mut broken: HashSet<String> = HashSet::new();
        for name in &library {
            let place = place_of(name)?;
            if places.contains(&place) || wanted.add_known(options, name, &place, listener) {
                places.insert(place);
            } else {
                broken.insert(place);
            }
        }
        for requests in store.requests()?.into_iter().filter(|requests| !places.contains(&requests.manifest)) {
            let place = &requests.manifest;
            let is_there = !place.starts_with(BUILT_IN) && Path::new(place).is_file() && !broken.contains(place);
            if !is_there || !wanted.add_known(options, place, place, listener) {
                wanted.elsewhere.extend(requests.jobs.into_keys());
            }
        }
        Ok(wanted)
    }

    /// As [`Wanted::add_all`], for a manifest that was not named, at a place. Returns whether it could be read.
    fn add_known(&mut self, options: &Options, name: &str, place: &str, listener: &mut dyn Listener) -> bool {
        let added = self.add_all(options, name);
        if let Err(error) = &added {
            let text = format!("{} has problems ({error}): whatever it asked for is kept", visible(place));
            listener.event(&RunEvent::Note(text));
        }
        added.is_ok()
    }

    /// The jobs of a manifest at every profile.
    fn add_all(&mut self, options: &Options, name: &str) -> anyhow::Result<()> {
        let default = options.at_profile(None).plan(name)?;
        self.add(&default);
        let known = default.profile.as_str();
        for profile in default.written.profiles.iter().filter(|profile| *profile != known) {
            self.add(&options.at_profile(Some(profile)).plan(name)?);
        }
        if known != BASE {
            // Not every manifest is complete without a profile.
            options.at_profile(Some(BASE)).plan(name).iter().for_each(|plan| self.add(plan));
        }
        Ok(())
    }

    fn add(&mut self, plan: &Plan) {
        for job in &plan.jobs {
            let config = plan.config(job);
            let id = id_of(plan, job);
            if config.spec.inputs().iter().any(|file| !plan.inputs.contains_key(*file)) {
                self.unread.insert(id.family());
            }
            self.jobs.push(id);
        }
    }

    /// Whether a job may be wanted, for all that is known without the files that it reads.
    pub fn may_be_wanted(&self, leftover: &Leftover) -> bool {
        family_of(&leftover.directory).is_some_and(|family| self.unread.contains(family))
    }

    /// Where the manifests lie that asked for a job.
    pub fn origin(&self, directory: &str) -> Origin {
        match self.requesters.contains_key(directory) {
            false => Origin::Unknown,
            true if self.elsewhere.contains(directory) => Origin::Elsewhere,
            true => Origin::Here,
        }
    }

    /// The manifests that asked for a job.
    pub fn requesters(&self, directory: &str) -> &[String] {
        self.requesters.get(directory).map_or(&[], Vec::as_slice)
    }
}
