//! What every subcommand starts with: the flags turned into overrides, manifests into plans, plans into jobs.

use std::collections::{HashMap, HashSet};

use anyhow::Context as _;
use serde_json::Value;

use super::Flags;
use super::library::{Disk, Library};
use super::output::{BadManifest, Misuse};
use crate::base::Key;
use crate::manifest::{Overrides, Plan, Shelf, load};
use crate::store::{JobId, State, Store};

/// A plan with where its manifest came from.
pub struct Planned {
    /// Name of the manifest as it was asked for.
    pub name: String,
    /// Text of the manifest.
    pub text: String,
    /// The plan.
    pub plan: Plan,
    /// Whether the plan's jobs are those of the profile `paper`.
    pub comparable: bool,
    /// Each job's place in the batch.
    pub places: Vec<usize>,
}

/// One job of a batch; several plans may want it.
pub struct Node {
    /// What the store knows it by.
    pub id: JobId,
    /// Plan and job that it was first met as.
    pub origin: (usize, usize),
    /// The batch's job that it waits for.
    pub after: Option<usize>,
    /// Its state when the batch was made.
    pub state: NodeState,
}

/// Whether a job has to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    /// It is in the store.
    Cached,
    /// It is not, and never was.
    New,
    /// Only an older version is: other code.
    Stale,
    /// It was, but is damaged.
    Broken,
}

/// Several plans whose common jobs run once.
pub struct Batch {
    /// The plans.
    pub plans: Vec<Planned>,
    /// The jobs of all plans, each behind the job that it waits for.
    pub nodes: Vec<Node>,
    /// Whether results of older code stand in for some jobs.
    pub accepted: usize,
}

impl Flags {
    fn overrides(&self) -> Overrides {
        Overrides { profile: self.profile.clone(), set: self.set.clone(), seeds: self.seeds.clone() }
    }

    /// Jobs at a time.
    pub fn slots(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from)
    }

    /// Opens the store.
    pub fn store(&self) -> anyhow::Result<Store> {
        Ok(Store::open(&self.results)?)
    }

    /// The plan of a committed manifest, or of a file on disk.
    ///
    /// # Errors
    /// When the manifest has problems.
    pub fn planned(&self, name: &str) -> anyhow::Result<Planned> {
        let library = Library::open();
        if library.names().iter().any(|known| known == name) {
            self.planned_from(&library, &format!("{name}.toml"), name)
        } else {
            self.planned_from(&Disk, name, name)
        }
    }

    fn planned_from(&self, shelf: &dyn Shelf, file: &str, name: &str) -> anyhow::Result<Planned> {
        let bad = |problems| BadManifest { name: file.to_owned(), problems };
        let loaded = load(shelf, file, &self.overrides()).map_err(bad)?;
        let text = loaded.sources.main_text().to_owned();
        let mut plan = Plan::new(&loaded).map_err(bad)?.with_inputs(|file| self.hash_of(file));
        let hint = "for example --only game=gomoku,game.size=7";
        plan.only(&self.only).map_err(|message| Misuse::new(message, hint))?;
        if !self.only.is_empty() {
            plan.profile = "custom".to_owned();
        }
        let comparable = plan.written.paper.is_some() && self.is_paper_scale(shelf, file, &plan);
        Ok(Planned { name: name.to_owned(), text, plan, comparable, places: Vec::new() })
    }

    /// Whether a plan has exactly the jobs that the profile `paper` has.
    fn is_paper_scale(&self, shelf: &dyn Shelf, file: &str, plan: &Plan) -> bool {
        if plan.profile == "paper" {
            return true;
        }
        let overrides = Overrides { profile: Some("paper".to_owned()), ..Overrides::default() };
        let paper = load(shelf, file, &overrides).ok().and_then(|loaded| Plan::new(&loaded).ok());
        paper.is_some_and(|paper| {
            let keys = |plan: &Plan| plan.jobs.iter().map(|job| job.key).collect::<HashSet<Key>>();
            keys(&paper.with_inputs(|file| plan.inputs.get(file).cloned())) == keys(plan)
        })
    }

    /// The hash of a file of the data directory, if it is there.
    fn hash_of(&self, file: &str) -> Option<String> {
        let bytes = std::fs::read(self.data.as_ref()?.join(file)).ok()?;
        Some(blake3::hash(&bytes).to_hex().to_string())
    }

    /// The files that a job reads, as they were when the plan was made.
    ///
    /// # Errors
    /// When a file is not there, or no longer what it was.
    pub fn inputs(&self, plan: &Plan, job: &crate::manifest::Job) -> anyhow::Result<crate::measure::Inputs> {
        let mut inputs = crate::measure::Inputs::new();
        for file in plan.spec(job).inputs() {
            let path = self.data.as_ref().map(|data| data.join(file)).unwrap_or_default();
            let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let hash = blake3::hash(&bytes).to_hex().to_string();
            anyhow::ensure!(plan.inputs.get(file) == Some(&hash), "{} has changed meanwhile", path.display());
            inputs.insert(file.to_owned(), bytes);
        }
        Ok(inputs)
    }

    /// Several plans as one batch, with the state of every job.
    ///
    /// # Errors
    /// When a manifest has problems or the store cannot be listed.
    pub fn batch(&self, names: &[String], store: &Store) -> anyhow::Result<Batch> {
        let mut plans = names.iter().map(|name| self.planned(name)).collect::<anyhow::Result<Vec<_>>>()?;
        let nodes = nodes_of(&mut plans);
        let mut batch = Batch { plans, nodes, accepted: 0 };
        batch.look(store, self.accept_code)?;
        Ok(batch)
    }
}

fn nodes_of(plans: &mut [Planned]) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut known: HashMap<Key, usize> = HashMap::new();
    for (plan_index, planned) in plans.iter_mut().enumerate() {
        let plan = &planned.plan;
        let mut places = Vec::with_capacity(plan.jobs.len());
        for (job_index, job) in plan.jobs.iter().enumerate() {
            let place = *known.entry(job.key).or_insert_with(|| {
                let spec = plan.spec(job);
                nodes.push(Node {
                    id: JobId { kind: spec.kind().to_owned(), slug: spec.slug(), key: job.key },
                    origin: (plan_index, job_index),
                    after: job.after.map(|before| places[before]),
                    state: NodeState::New,
                });
                nodes.len() - 1
            });
            places.push(place);
        }
        planned.places = places;
    }
    nodes
}

impl Batch {
    /// Whether every file that a job reads is there.
    ///
    /// # Errors
    /// The first that is not, with where it is published.
    pub fn require_inputs(&self) -> anyhow::Result<()> {
        for planned in &self.plans {
            let plan = &planned.plan;
            let wanted = plan.jobs.iter().flat_map(|job| plan.spec(job).inputs());
            let Some(missing) = wanted.into_iter().find(|file| !plan.inputs.contains_key(*file)) else { continue };
            let message = format!("{} is drawn from `{missing}`, which is not ours to ship", planned.name);
            let source =
                plan.written.data.get(missing).map_or(String::new(), |source| format!("get it from {source}, "));
            return Err(Misuse::new(
                message,
                format!("{source}then name the directory that holds it: --data DIR (or GAUNTLET_DATA)"),
            ));
        }
        Ok(())
    }

    /// Asks the store for the state of every job.
    fn look(&mut self, store: &Store, accept_code: bool) -> anyhow::Result<()> {
        let ids: Vec<JobId> = self.nodes.iter().map(|node| node.id.clone()).collect();
        for (node, state) in self.nodes.iter_mut().zip(store.states(&ids)) {
            node.state = match state {
                State::Done(_) => NodeState::Cached,
                State::Absent => NodeState::New,
                State::Broken(reason) => {
                    tracing::warn!("{} will run again: {reason}", node.id.directory());
                    NodeState::Broken
                }
            };
        }
        self.look_for_older_versions(store, accept_code)
    }

    /// Jobs that are absent only because their code has changed are stale, or taken as they are.
    fn look_for_older_versions(&mut self, store: &Store, accept_code: bool) -> anyhow::Result<()> {
        if !self.nodes.iter().any(|node| node.state == NodeState::New) {
            return Ok(());
        }
        let mut older: HashMap<String, JobId> = HashMap::new();
        for directory in store.directories()? {
            let found = store.preimage_in(&directory).and_then(|preimage| version(&directory, &preimage));
            if let Some((lineage, id)) = found
                && matches!(store.state(&id), State::Done(_))
            {
                older.insert(lineage, id);
            }
        }
        for at in 0..self.nodes.len() {
            let node = &self.nodes[at];
            if node.state != NodeState::New {
                continue;
            }
            let (plan, job) = node.origin;
            let plan = &self.plans[plan].plan;
            let Some(id) = older.get(&plan.jobs[job].lineage.hex()) else { continue };
            if accept_code {
                self.nodes[at].id = id.clone();
                self.nodes[at].state = NodeState::Cached;
                self.accepted += 1;
            } else {
                self.nodes[at].state = NodeState::Stale;
            }
        }
        Ok(())
    }

    /// The plan's job behind a node.
    pub fn job(&self, node: &Node) -> (&Plan, &crate::manifest::Job) {
        let (plan, job) = node.origin;
        let plan = &self.plans[plan].plan;
        (plan, &plan.jobs[job])
    }

    /// How many jobs are in a state.
    pub fn count(&self, state: NodeState) -> usize {
        self.nodes.iter().filter(|node| node.state == state).count()
    }

    /// Seconds of work of one core that are left, with what earlier runs taught.
    pub fn seconds_left(&self, store: &Store) -> f64 {
        let durations = store.durations();
        let left = self.nodes.iter().filter(|node| node.state != NodeState::Cached);
        left.map(|node| {
            let (plan, job) = self.job(node);
            let spec = plan.spec(job);
            spec.cost() * durations.seconds_per_unit(spec.kind(), &spec.cost_class()).unwrap_or(1.0)
        })
        .sum()
    }
}

/// The lineage and identity of a job directory, from the preimage in it.
fn version(directory: &str, preimage: &Value) -> Option<(String, JobId)> {
    let lineage = preimage.get("lineage")?.as_str()?.to_owned();
    let key: Key = preimage.get("key")?.as_str()?.parse().ok()?;
    let family = directory.strip_suffix(&format!("-{key}"))?;
    let (kind, slug) = family.split_once('-')?;
    Some((lineage, JobId { kind: kind.to_owned(), slug: slug.to_owned(), key }))
}
