//! From a manifest as written to the plan: every job with its identity and what it waits for.
//!
//! Three nested ids (DESIGN, section 5): the *config* is the resolved job without seed and code, the *trial*
//! adds the seed, the *run key* adds upstream run keys, the code fingerprint and the device class.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::json;

use super::code::{device_class, fingerprint};
use super::exhibit::Exhibit;
use super::job::JobSpec;
use super::load::Loaded;
use super::reader::read;
use super::resolve::{Template, content_ref, inherit};
use super::source::{Problem, Problems};
use super::tree::{Node, Table, Value};
use super::written::{Setting, Stage, Variant, Written};
use crate::base::Key;

/// Larger plans ask first.
pub const LARGE: usize = 100_000;

/// What a manifest asks for, resolved.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The manifest.
    pub written: Arc<Written>,
    /// The profile that results go under.
    pub profile: String,
    /// The resolved configurations.
    pub configs: Vec<Config>,
    /// All jobs, each behind the jobs that it waits for.
    pub jobs: Vec<Job>,
    /// Hashes of the files that jobs read, by their names in the data directory.
    pub inputs: Inputs,
}

/// Hash of each file of the data directory that is there.
pub type Inputs = BTreeMap<String, String>;

/// A job template with all axes but the seed set.
#[derive(Debug, Clone)]
pub struct Config {
    /// The stage it belongs to.
    pub stage: String,
    /// Axis to label, in the order of the axes.
    pub labels: Vec<(String, String)>,
    /// What its jobs do.
    pub spec: Arc<JobSpec>,
    /// Its identity.
    pub key: Key,
    /// The configuration whose jobs feed this one's.
    pub from: Option<usize>,
    /// The resolved tree, which later stages inherit from and axes are looked up in.
    tree: Table,
}

/// One node of the plan.
#[derive(Debug, Clone)]
pub struct Job {
    /// Index of its configuration.
    pub config: usize,
    /// Its training seed.
    pub seed: u64,
    /// The job whose result it reads, if any.
    pub after: Option<usize>,
    /// Its run key: what the store knows it by.
    pub key: Key,
    /// The run key without any code: equal for the same job run by other versions of the program.
    pub lineage: Key,
}

impl Config {
    /// The label of an axis: a swept one, a named game or agent, or any value that the dotted path leads to.
    #[must_use]
    pub fn label(&self, axis: &str) -> Option<String> {
        let swept = self.labels.iter().find(|(name, _)| name == axis).map(|(_, label)| label.clone());
        swept.or_else(|| content_ref(&self.tree)?.lookup(axis).map(Value::label))
    }

    /// The labels as one line for people.
    #[must_use]
    pub fn describe(&self) -> String {
        let labels = self.labels.iter().map(|(axis, label)| format!("{axis}={label}"));
        std::iter::once(self.stage.clone()).chain(labels).collect::<Vec<_>>().join(" ")
    }
}

impl Plan {
    /// Expands a manifest.
    ///
    /// # Errors
    /// Every problem of the manifest in one go.
    pub fn new(loaded: &Loaded) -> Result<Plan, Problems> {
        let written = Arc::new(loaded.written.clone());
        let mut problems = Vec::new();
        let order = order_of_stages(&written.stages, &mut problems);
        check_exhibits(&written, &mut problems);
        let mut configs: Vec<Config> = Vec::new();
        for stage in order {
            expand(&written, stage, &mut configs, &mut problems);
        }
        check_axes(&written.exhibits, &configs, &mut problems);
        if !problems.is_empty() {
            return Err(Problems::new(loaded.sources.clone(), problems));
        }
        let inputs = Inputs::new();
        let jobs = jobs_of(&written, &configs, &inputs);
        Ok(Plan { written, profile: loaded.profile.clone(), configs, jobs, inputs })
    }

    /// Makes the contents of input files part of the identity of the jobs that read them. Without, such jobs have
    /// keys under which nothing is ever stored.
    #[must_use]
    pub fn with_inputs(self, hash: impl Fn(&str) -> Option<String>) -> Plan {
        let wanted = self.configs.iter().flat_map(|config| config.spec.inputs());
        let inputs: Inputs = wanted.filter_map(|file| Some((file.to_owned(), hash(file)?))).collect();
        if inputs.is_empty() {
            return self;
        }
        Plan { jobs: jobs_of(&self.written, &self.configs, &inputs), inputs, ..self }
    }

    /// The configuration of a job.
    #[must_use]
    pub fn config(&self, job: &Job) -> &Config {
        &self.configs[job.config]
    }

    /// What a job does.
    #[must_use]
    pub fn spec(&self, job: &Job) -> &Arc<JobSpec> {
        &self.config(job).spec
    }

    /// Leaves out the jobs that no filter wants, but keeps what wanted jobs wait for. A filter is
    /// `axis=label`, `stage=name` or `seed=number`; several separated by commas hold together.
    ///
    /// # Errors
    /// When a filter has no `=`.
    pub fn only(&mut self, filters: &[String]) -> Result<(), String> {
        if filters.is_empty() {
            return Ok(());
        }
        let filters = filters.iter().map(|filter| conditions(filter)).collect::<Result<Vec<_>, String>>()?;
        let mut wanted: Vec<bool> = self.jobs.iter().map(|job| filters.iter().any(|f| self.fits(job, f))).collect();
        for at in (0..self.jobs.len()).rev() {
            if let (true, Some(before)) = (wanted[at], self.jobs[at].after) {
                wanted[before] = true;
            }
        }
        let mut place = vec![None; self.jobs.len()];
        let mut kept = Vec::new();
        for (at, job) in self.jobs.iter().enumerate().filter(|(at, _)| wanted[*at]) {
            place[at] = Some(kept.len());
            kept.push(Job { after: job.after.and_then(|before| place[before]), ..job.clone() });
        }
        self.jobs = kept;
        Ok(())
    }

    fn fits(&self, job: &Job, conditions: &[(String, String)]) -> bool {
        let config = self.config(job);
        conditions.iter().all(|(axis, wanted)| match axis.as_str() {
            "stage" => config.stage == *wanted,
            "seed" => job.seed.to_string() == *wanted,
            _ => config.label(axis).as_ref() == Some(wanted),
        })
    }
}

fn conditions(filter: &str) -> Result<Vec<(String, String)>, String> {
    let parts = filter.split(',').map(|part| match part.split_once('=') {
        Some((axis, label)) => Ok((axis.trim().to_owned(), label.trim().to_owned())),
        None => Err(format!("`{part}` is no filter: write axis=label, stage=name or seed=number")),
    });
    parts.collect()
}

/// The stages such that each stands behind the one that it takes from.
fn order_of_stages<'a>(stages: &'a [Stage], problems: &mut Vec<Problem>) -> Vec<&'a Stage> {
    let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
    let mut left: Vec<&Stage> = Vec::new();
    for stage in stages {
        match &stage.from {
            Some((from, span)) if !names.contains(&from.as_str()) => {
                problems.push(
                    Problem::at(span.clone(), format!("there is no stage `{from}`")).nearest(from, names.clone()),
                );
            }
            _ => left.push(stage),
        }
    }
    let mut order: Vec<&Stage> = Vec::new();
    loop {
        let ready = |stage: &&Stage| match &stage.from {
            None => true,
            Some((from, _)) => order.iter().any(|done| done.name == *from),
        };
        let Some(at) = left.iter().position(ready) else { break };
        let stage = left.remove(at);
        order.push(stage);
    }
    for stage in left {
        if let Some((from, span)) = &stage.from {
            let message = format!("stage `{}` waits for itself by way of `{from}`", stage.name);
            problems.push(Problem::at(span.clone(), message));
        }
    }
    order
}

fn check_exhibits(written: &Written, problems: &mut Vec<Problem>) {
    let stages: Vec<&str> = written.stages.iter().map(|stage| stage.name.as_str()).collect();
    for exhibit in &written.exhibits {
        let stage = exhibit.show.stage();
        if !stages.contains(&stage) {
            let problem = Problem::general(format!("an exhibit shows stage `{stage}`, which there is not"));
            problems.push(problem.nearest(stage, stages.clone()));
        }
    }
    let mut names: Vec<_> = written.exhibits.iter().map(|exhibit| exhibit.name.clone()).collect();
    names.sort();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        problems.push(Problem::general("two exhibits have the same name").hint("give each `[[exhibit]]` a `name`"));
    }
}

fn check_axes(exhibits: &[Exhibit], configs: &[Config], problems: &mut Vec<Problem>) {
    for exhibit in exhibits {
        let Some(config) = configs.iter().find(|config| config.stage == exhibit.show.stage()) else { continue };
        for axis in exhibit.show.axes() {
            if config.label(axis).is_none() {
                let known = config.labels.iter().map(|(name, _)| name.as_str());
                let message = format!("an exhibit names the axis `{axis}`, which stage `{}` has not", config.stage);
                problems.push(Problem::general(message).nearest(axis, known));
            }
        }
    }
}

/// Appends the configurations of one stage: what it takes from, times variants, times cells.
fn expand(written: &Written, stage: &Stage, configs: &mut Vec<Config>, problems: &mut Vec<Problem>) {
    let bases: Vec<Option<usize>> = match &stage.from {
        None => vec![None],
        Some((from, _)) => {
            configs.iter().enumerate().filter(|(_, config)| config.stage == *from).map(|(at, _)| Some(at)).collect()
        }
    };
    let none = [Variant { name: String::new(), set: Vec::new() }];
    let variants: &[Variant] =
        if written.variants.is_empty() || stage.from.is_some() { &none } else { &written.variants };
    let cells: Vec<(Option<usize>, &Variant, &Vec<Setting>)> = bases
        .iter()
        .flat_map(|base| variants.iter().map(move |variant| (*base, variant)))
        .flat_map(|(base, variant)| stage.cells.iter().map(move |cell| (base, variant, cell)))
        .collect();
    let resolved: Vec<(Option<Config>, Vec<Problem>)> =
        cells.par_iter().map(|cell| resolve(written, stage, cell, configs)).collect();
    for (config, mut found) in resolved {
        configs.extend(config);
        // The same mistake in every cell is one mistake.
        found.retain(|problem| !problems.contains(problem));
        problems.append(&mut found);
    }
}

fn resolve(
    written: &Written,
    stage: &Stage,
    (base, variant, cell): &(Option<usize>, &Variant, &Vec<Setting>),
    configs: &[Config],
) -> (Option<Config>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut labels = base.map_or(Vec::new(), |base| configs[base].labels.clone());
    if !variant.name.is_empty() {
        labels.push(("variant".to_owned(), variant.name.clone()));
    }
    let mut tree = stage.job.clone();
    if let Some(base) = base {
        inherit(&mut tree, &configs[*base].tree, &stage.span);
    }
    let mut template = Template { tree, games: &written.games, agents: &written.agents, labels };
    template.apply(&variant.set, false, &mut problems);
    template.apply(cell, true, &mut problems);
    let Template { tree, labels, .. } = template;
    let node = Node { span: stage.span.clone(), value: Value::Table(tree.clone()) };
    let spec: Option<JobSpec> = if problems.is_empty() { read(&node, &mut problems) } else { None };
    if let Some(message) = spec.as_ref().and_then(|spec| spec.check().err()) {
        problems.push(Problem::at(stage.span.clone(), format!("stage `{}`: {message}", stage.name)));
    }
    let config = spec.map(|spec| {
        let value = serde_json::to_value(&spec).expect("a job is plain data");
        let key = Key::of("config", &value);
        Config { stage: stage.name.clone(), labels, spec: Arc::new(spec), key, from: *base, tree }
    });
    (config, problems)
}

fn jobs_of(written: &Written, configs: &[Config], inputs: &Inputs) -> Vec<Job> {
    let codes: BTreeMap<&str, Key> = ["train", "play", "measure"].map(|kind| (kind, fingerprint(kind))).into();
    let device = device_class();
    let mut jobs: Vec<Job> = Vec::new();
    let mut of_config: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, config) in configs.iter().enumerate() {
        let start = jobs.len();
        let runs: Vec<(u64, Option<usize>)> = match config.from {
            Some(from) => of_config[from].clone().map(|before| (jobs[before].seed, Some(before))).collect(),
            None => {
                let stage = written.stages.iter().find(|stage| stage.name == config.stage);
                let seeds = stage.and_then(|stage| stage.seeds.clone()).unwrap_or_default();
                seeds.into_iter().map(|seed| (seed, None)).collect()
            }
        };
        let code = codes[config.spec.kind()];
        let own = inputs_of(&config.spec, inputs);
        let new = runs.par_iter().map(|(seed, after)| {
            let before = after.map(|before: usize| &jobs[before]);
            let key = run_key(config.key, *seed, before.map(|job| job.key), Some(code), &device, &own);
            let lineage = run_key(config.key, *seed, before.map(|job| job.lineage), None, &device, &own);
            Job { config: at, seed: *seed, after: *after, key, lineage }
        });
        let new: Vec<Job> = new.collect();
        jobs.extend(new);
        of_config.push(start..jobs.len());
    }
    jobs
}

/// The seed added to a configuration.
#[must_use]
pub fn trial_key(config: Key, seed: u64) -> Key {
    Key::of("trial", &json!([config.hex(), seed]))
}

fn run_key(
    config: Key,
    seed: u64,
    upstream: Option<Key>,
    code: Option<Key>,
    device: &str,
    inputs: &[(&str, Option<&String>)],
) -> Key {
    let hex = |key: Option<Key>| key.map(|key| key.hex());
    let key = json!([trial_key(config, seed).hex(), hex(upstream), hex(code), device]);
    if inputs.is_empty() { Key::of("run", &key) } else { Key::of("run", &json!([key, inputs])) }
}

/// The hash of each file that a job reads, where the file is there.
fn inputs_of<'a>(spec: &'a JobSpec, inputs: &'a Inputs) -> Vec<(&'a str, Option<&'a String>)> {
    spec.inputs().into_iter().map(|file| (file, inputs.get(file))).collect()
}

impl Plan {
    /// The preimage of a job's run key, field by field, for `plan --explain`.
    #[must_use]
    pub fn preimage(&self, job: &Job) -> serde_json::Value {
        let config = self.config(job);
        json!({
            "key": job.key.hex(),
            "lineage": job.lineage.hex(),
            "config": config.key.hex(),
            "spec": *config.spec,
            "seed": job.seed,
            "upstream": job.after.map(|before| self.jobs[before].key.hex()),
            "inputs": inputs_of(&config.spec, &self.inputs),
            "code": fingerprint(config.spec.kind()).hex(),
            "device": device_class(),
        })
    }
}
