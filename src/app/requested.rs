//! The manifests that ran on a results tree, at the profiles that they ran at, from the notes of the store.

use std::collections::HashMap;
use std::path::Path;

use super::library::ManifestLibrary;
use super::options::Options;
use super::plans::{BUILT_IN, Planned, nearer, place_of};
use super::publish::has_report;
use gauntlet_games::base::visible;
use gauntlet_plan::manifest::written::BASE;
use gauntlet_run::scheduler::{JobState, Listener, RunEvent, id_of};
use gauntlet_store::{JobId, Requests, Store};

/// The states of jobs with a version by other code in the store.
const OLDER: [JobState; 3] = [JobState::Stale, JobState::Verified, JobState::Accepted];

/// A manifest that ran here.
pub enum RequestedManifest {
    /// At one of its profiles, possibly with code that has changed since.
    Planned(Box<Planned>),
    /// With other settings than those of its profiles, or without its file: the directories of its jobs.
    Other {
        /// Its name.
        name: String,
        /// The directories of all jobs that it has ever asked for.
        directories: Vec<String>,
    },
}

impl Options {
    /// The manifests that asked for results of this tree. Each is planned at every profile that it ran at; with
    /// overrides on the command line, with these alone. A manifest with problems is left out, with a message.
    ///
    /// # Errors
    /// If a note of the store cannot be read, or a results tree cannot be listed.
    pub fn asked(&self, store: &Store, listener: &mut dyn Listener) -> anyhow::Result<Vec<RequestedManifest>> {
        let library = ManifestLibrary::open().names();
        let places = library.into_iter().map(|name| Ok((place_of(&name)?, name)));
        let places: HashMap<String, String> = places.collect::<anyhow::Result<_>>()?;
        let mut asked = Vec::new();
        for requests in store.requests()? {
            let place = &requests.manifest;
            let built_in = place.strip_prefix(BUILT_IN).map(str::to_owned);
            let name = places.get(place).cloned().or(built_in).unwrap_or_else(|| nearer(place.clone()));
            if !places.contains_key(place) && !Path::new(&name).is_file() {
                asked.push(other(name, &requests));
                continue;
            }
            match self.ran(&name, &requests, store) {
                Ok(plans) if plans.is_empty() && self.is_plain() => asked.push(other(name, &requests)),
                Ok(plans) => {
                    asked.extend(plans.into_iter().map(|planned| RequestedManifest::Planned(Box::new(planned))))
                }
                Err(error) => {
                    listener.event(&RunEvent::Note(format!("{} is left out: {error}", visible(&name))));
                }
            }
        }
        Ok(asked)
    }

    /// Whether the command line changes no plan.
    pub fn is_plain(&self) -> bool {
        self.profile.is_none() && self.set.is_empty() && self.seeds.is_none() && self.only.is_empty()
    }

    /// The plans of a manifest that ran: those whose jobs were all asked for, or else those with a job that was; and those
    /// with a report.
    fn ran(&self, name: &str, requests: &Requests, store: &Store) -> anyhow::Result<Vec<Planned>> {
        if !self.is_plain() {
            return self.plans_with_profile(&[name.to_owned()]);
        }
        let mut plans: Vec<(u8, Planned)> = Vec::new();
        for profile in self.profiles(name)? {
            // Some manifests are incomplete without a profile.
            let Ok(planned) = self.at_profile(profile.as_deref()).planned(name) else { continue };
            let all = planned.plan.jobs.len();
            let is_asked = |id: &JobId| requests.jobs.contains_key(&id.directory());
            let mut asked = planned.plan.jobs.iter().filter(|job| is_asked(&id_of(&planned.plan, job))).count();
            let mut has_older = false;
            if asked < all {
                // Older programs gave some jobs other names.
                let batch = self.batch([&planned], store)?;
                asked = asked.max(batch.jobs.iter().filter(|job| is_asked(&job.id)).count());
                has_older = batch.jobs.iter().any(|job| OLDER.contains(&job.state));
            }
            let rank = match asked {
                0 if has_older => 2,
                0 => continue,
                asked if asked == all => 0,
                _ => 1,
            };
            plans.push((rank, planned));
        }
        Ok(self.shown(plans))
    }

    /// The plans of the best rank, and those with a report. Of profiles with the same jobs, those with a report, or else the
    /// first.
    fn shown(&self, plans: Vec<(u8, Planned)>) -> Vec<Planned> {
        let best = plans.iter().map(|(rank, _)| *rank).min();
        let has_report: Vec<bool> = plans.iter().map(|(_, planned)| has_report(self, planned)).collect();
        let keys = |planned: &Planned| planned.plan.jobs.iter().map(|job| job.key).collect::<Vec<_>>();
        let keys: Vec<_> = plans.iter().map(|(_, planned)| keys(planned)).collect();
        let is_shown = |at: usize, rank: u8| {
            let replaces = |other: usize| keys[other] == keys[at] && (has_report[other] || other < at);
            has_report[at] || Some(rank) == best && !(0..keys.len()).any(replaces)
        };
        let plans = plans.into_iter().enumerate();
        plans.filter(|(at, (rank, _))| is_shown(*at, *rank)).map(|(_, (_, planned))| planned).collect()
    }

    /// The profiles of a manifest: the default one first, the manifest without a profile last.
    fn profiles(&self, name: &str) -> anyhow::Result<Vec<Option<String>>> {
        let default = self.at_profile(None).plan(name)?;
        let others = default.written.profiles.iter().filter(|profile| **profile != default.profile).cloned();
        let base = (default.profile != BASE).then(|| BASE.to_owned());
        Ok(std::iter::once(None).chain(others.chain(base).map(Some)).collect())
    }
}

fn other(name: String, requests: &Requests) -> RequestedManifest {
    RequestedManifest::Other { name, directories: requests.jobs.keys().cloned().collect() }
}
