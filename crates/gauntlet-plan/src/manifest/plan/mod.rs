//! The plan: every job with its identity and its dependencies.

mod causes;
pub mod cautions;
mod engines;
mod filter;
pub mod identity;
mod missing_names;
mod power;
pub mod race;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Value, json};

use super::read::exhibit::Exhibit;
use super::read::load::Loaded;
use super::read::sweep::MOST;
use super::read::written::WrittenManifest;
use super::resolve::config::Config;
use super::resolve::dependency::{Dependency, Reading};
use super::resolve::expand::configs;
use super::resolve::formats::check_formats;
use super::resolve::races::check_races;
use super::resolve::rated::rated_names;
use super::text::source::{Problem, Problems};
pub use filter::BadFilter;
use gauntlet_games::base::Key;
use gauntlet_jobs::JobSpec;
use identity::{Hashes, KeyInputs, Reads, code_free_key, files_of, key_inputs, run_key, trial_key};

/// The axis name of the opponent run's seed, if every run meets several opponent runs.
pub const OPPONENT_RUN: &str = "opponent.run";

/// Larger plans require confirmation.
pub const LARGE: usize = 100_000;

/// A resolved manifest with all its jobs.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The manifest.
    pub written: Arc<WrittenManifest>,
    /// The profile under which results are reported.
    pub profile: String,
    /// The resolved configurations, each after those that it depends on.
    pub configs: Vec<Config>,
    /// All jobs, each after its dependencies.
    pub jobs: Vec<PlanJob>,
    /// Hashes of the files that jobs read, of those that exist.
    pub inputs: Hashes,
    /// The device class that the jobs are planned for.
    pub device: String,
}

/// One node of the plan.
#[derive(Debug, Clone)]
pub struct PlanJob {
    /// Index of its configuration.
    pub config: usize,
    /// Its training seed.
    pub seed: u64,
    /// Indices of the jobs whose results it reads, one for each dependency of its configuration.
    pub after: Vec<usize>,
    /// Its run key, under which the store keeps it.
    pub key: Key,
    /// The run key without code fingerprints: equal for the same job run by other versions of the program.
    pub code_free_key: Key,
}

impl Plan {
    /// Expands a manifest for workers of a device class.
    ///
    /// # Errors
    /// As of [`Plan::without_jobs`].
    pub fn new(loaded: Loaded, device: &str) -> Result<Plan, Problems> {
        let plan = Plan::without_jobs(loaded, device)?;
        Ok(Plan { jobs: jobs(&plan.configs, &plan.inputs, &plan.device), ..plan })
    }

    /// Resolves a manifest to its configurations, for workers of a device class.
    ///
    /// # Errors
    /// All problems of the manifest, including those from reading it.
    pub fn without_jobs(loaded: Loaded, device: &str) -> Result<Plan, Problems> {
        let mut found = Vec::new();
        loaded.written.check_exhibits(&mut found);
        let configs = configs(&loaded.written, &mut found);
        check_formats(&loaded.written, &configs, device, &mut found);
        check_races(&loaded.written, &configs, &mut found);
        if configs.iter().map(|config| config.seeds.len() * config.opponents_each()).sum::<usize>() > MOST {
            let stage = loaded.written.stages.first().map_or(0..0, |stage| stage.span.clone());
            found.push(
                Problem::at(stage, format!("the plan has more than {MOST} jobs")).hint("fewer seeds, or fewer cells"),
            );
        }
        let problems = loaded.problems(found);
        if !problems.is_empty() {
            return Err(problems);
        }
        let Loaded { written, profile, .. } = loaded;
        let (written, device) = (Arc::new(written), device.to_owned());
        Ok(Plan { written, profile, configs, jobs: Vec::new(), inputs: Hashes::new(), device })
    }

    /// The identity of the resolved manifest: its configurations with their seeds, and its criteria.
    #[must_use]
    pub fn key(&self) -> Key {
        let from = |one: &Dependency| json!([one.player.as_deref(), one.config, one.iteration, one.runs]);
        let config = |config: &Config| {
            let from: Vec<Value> = config.from.iter().map(from).collect();
            json!([config.stage, config.key.hex(), config.seeds, from])
        };
        let configs: Vec<Value> = self.configs.iter().map(config).collect();
        let criteria = |exhibit: &Exhibit| exhibit.success.iter().map(|one| exhibit.criterion_key(one).hex()).collect();
        let criteria: Vec<Vec<String>> = self.written.exhibits.iter().map(criteria).collect();
        Key::of("manifest", &json!([self.written.name.as_str(), self.profile, configs, criteria]))
    }

    /// Adds the contents of files to the identity of the jobs that read them. `hash` returns the hash of a file of the
    /// data directory, by its name, if the file exists. Without this call, such jobs have keys under which nothing is
    /// ever stored.
    #[must_use]
    pub fn with_inputs(self, hash: impl Fn(&str) -> Option<String>) -> Plan {
        let wanted: BTreeSet<&str> = self.configs.iter().flat_map(|config| config.spec.inputs()).collect();
        let inputs: Hashes = wanted.into_iter().filter_map(|file| Some((file.to_owned(), hash(file)?))).collect();
        if inputs.is_empty() {
            return self;
        }
        let jobs = jobs(&self.configs, &inputs, &self.device);
        Plan { jobs, inputs, ..self }
    }

    /// The first missing file that a job reads.
    #[must_use]
    pub fn missing_input(&self) -> Option<&str> {
        let wanted = self.jobs.iter().flat_map(|job| self.spec(job).inputs());
        wanted.into_iter().find(|file| !self.inputs.contains_key(*file))
    }

    /// The names of the rated players of each configuration of a stage, in the order of its results, by the keys of the
    /// configurations. One name is one player.
    #[must_use]
    pub fn rated_names(&self, stage: &str) -> HashMap<Key, Vec<String>> {
        let configs: Vec<&Config> = self.configs.iter().filter(|config| config.stage == stage).collect();
        configs.iter().map(|config| config.key).zip(rated_names(&configs)).collect()
    }

    /// The configuration of a job.
    #[must_use]
    pub fn config(&self, job: &PlanJob) -> &Config {
        &self.configs[job.config]
    }

    /// The specification of a job.
    #[must_use]
    pub fn spec(&self, job: &PlanJob) -> &Arc<JobSpec> {
        &self.config(job).spec
    }

    /// One readable line that names a job.
    #[must_use]
    pub fn describe(&self, job: &PlanJob) -> String {
        let opponent_run = self.opponent_run(job).map_or(String::new(), |seed| format!(" {OPPONENT_RUN}={seed}"));
        format!("{} seed={}{opponent_run}", self.config(job).describe(), job.seed)
    }

    /// The seed of the opponent run of a job, if every run meets several.
    #[must_use]
    pub fn opponent_run(&self, job: &PlanJob) -> Option<u64> {
        let config = self.config(job);
        let mut dependencies = config.from.iter().zip(&job.after).filter(|_| config.opponents_each() > 1);
        dependencies.find(|(dependency, _)| dependency.runs > 1).map(|(_, &before)| self.jobs[before].seed)
    }

    /// The same jobs for workers of another device class.
    #[must_use]
    pub fn for_class(&self, device: &str) -> Plan {
        let mut plan = Plan { device: device.to_owned(), ..self.clone() };
        for at in 0..plan.jobs.len() {
            let job = &plan.jobs[at];
            let common = Common::new(plan.config(job), &plan.inputs, device);
            let [key, code_free_key] = common.keys(job.seed, &job.after, &plan.jobs);
            (plan.jobs[at].key, plan.jobs[at].code_free_key) = (key, code_free_key);
        }
        plan
    }

    /// The run key of a job that reads other results than the planned ones.
    #[must_use]
    pub fn key_after(&self, job: &PlanJob, upstream: &[Key]) -> Key {
        let config = self.config(job);
        let reads = Reads::new(&config.spec, &config.from, upstream, &self.inputs);
        run_key(config.code, trial_key(config.key, job.seed), &reads, config.spec.device_class(&self.device))
    }

    /// The key inputs of a job that reads the results of `upstream`.
    #[must_use]
    pub fn key_inputs(&self, job: &PlanJob, upstream: &[Key]) -> KeyInputs {
        let config = self.config(job);
        let reads = Reads::new(&config.spec, &config.from, upstream, &self.inputs);
        let device = config.spec.device_class(&self.device);
        key_inputs(&config.spec, [config.key, config.code, job.code_free_key], job.seed, &reads, device)
    }
}

/// The dependencies of the run at an index: the jobs of its own seed, and of a crossed opponent the job `behind` places
/// later, cyclically. `first_of` are the first jobs of configurations.
fn before(config: &Config, first_of: &[usize], index: usize, behind: usize) -> Vec<usize> {
    let place = |dependency: &Dependency| match dependency.reads {
        Reading::Solutions => 0,
        _ if dependency.runs > 1 => (index + behind) % config.seeds.len(),
        _ => index,
    };
    config.from.iter().map(|dependency| first_of[dependency.config] + place(dependency)).collect()
}

/// The part of keys that the jobs of a configuration share.
struct Common<'a> {
    config: &'a Config,
    files: Vec<(&'a str, Option<&'a str>)>,
    device: &'a str,
}

impl<'a> Common<'a> {
    fn new(config: &'a Config, inputs: &'a Hashes, device: &'a str) -> Common<'a> {
        Common { config, files: files_of(&config.spec, inputs), device: config.spec.device_class(device) }
    }

    /// The run key of a job that reads the results of some of the jobs before it, and the same without code.
    fn keys(&self, seed: u64, after: &[usize], jobs: &[PlanJob]) -> [Key; 2] {
        let Config { key, code, from, .. } = self.config;
        let trial = trial_key(*key, seed);
        let reads = |key: fn(&PlanJob) -> Key| {
            let keys: Vec<Key> = after.iter().map(|&before| key(&jobs[before])).collect();
            Reads::of(from, &keys, self.files.clone())
        };
        let of_code = run_key(*code, trial, &reads(|job| job.key), self.device);
        [of_code, code_free_key(trial, &reads(|job| job.code_free_key), self.device)]
    }
}

fn jobs(configs: &[Config], inputs: &Hashes, device: &str) -> Vec<PlanJob> {
    let mut jobs: Vec<PlanJob> =
        Vec::with_capacity(configs.iter().map(|config| config.seeds.len() * config.opponents_each()).sum());
    let mut first_of: Vec<usize> = Vec::with_capacity(configs.len());
    // Configurations of one stage do not depend on each other: their jobs are created together.
    for stage in configs.chunk_by(|a, b| a.stage == b.stage) {
        let first = first_of.len();
        let mut wanted: Vec<(usize, u64, Vec<usize>)> = Vec::new();
        for (at, config) in (first..).zip(stage) {
            first_of.push(jobs.len() + wanted.len());
            let (runs, behind) = (0..config.seeds.len(), 0..config.opponents_each());
            let meetings = runs.flat_map(|index| behind.clone().map(move |behind| (index, behind)));
            let job = |(index, behind)| (at, config.seeds[index], before(config, &first_of, index, behind));
            wanted.extend(meetings.map(job));
        }
        let common: Vec<Common<'_>> = stage.par_iter().map(|config| Common::new(config, inputs, device)).collect();
        let new: Vec<PlanJob> = wanted
            .into_par_iter()
            .map(|(config, seed, after)| {
                let [key, code_free_key] = common[config - first].keys(seed, &after, &jobs);
                PlanJob { config, seed, after, key, code_free_key }
            })
            .collect();
        jobs.extend(new);
    }
    jobs
}
