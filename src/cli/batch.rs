//! Several plans whose common jobs run once, and what the store knows of each job.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use serde_json::Value;

use super::desk::Planned;
use crate::base::Key;
use crate::costs::{self, Speed};
use crate::manifest::{Config, Job, Plan};
use crate::store::{JobId, State, Store};

/// Several plans whose common jobs run once.
pub struct Batch {
    /// The plans.
    pub plans: Vec<Planned>,
    /// The jobs of all plans, each behind the jobs that it waits for.
    pub nodes: Vec<Node>,
    /// For every plan the node of each of its jobs.
    places: Vec<Vec<usize>>,
    /// For every plan and configuration, seconds here for a second of its estimate; empty before a measurement.
    slowness: Vec<Vec<f64>>,
}

/// One job of a batch; several plans may want it.
pub struct Node {
    /// What the store knows it by.
    pub id: JobId,
    /// The first plan that wants it, and its job there.
    origin: (usize, usize),
    /// The nodes that it waits for, one for each feed of its configuration.
    pub after: Vec<usize>,
    /// The run keys of the results that it reads, in the same order.
    pub upstream: Vec<Key>,
    /// Its state when the batch was made.
    pub state: NodeState,
}

/// Whether a job has to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    /// It is in the store.
    Cached,
    /// It is in the store, made by older code, and taken as it is.
    Accepted,
    /// It is not, and never was.
    New,
    /// Only an older version is: other code.
    Stale,
    /// It was, but is damaged.
    Broken,
}

impl NodeState {
    /// Whether there is nothing to run.
    #[must_use]
    pub fn is_done(self) -> bool {
        matches!(self, NodeState::Cached | NodeState::Accepted)
    }

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            NodeState::Cached => "cached",
            NodeState::Accepted => "accepted",
            NodeState::New => "new",
            NodeState::Stale => "stale",
            NodeState::Broken => "damaged",
        }
    }
}

impl Batch {
    /// Puts plans together and asks the store for the state of every job. With `accept_code`, results of older code
    /// stand in for jobs that are absent only because the code has changed.
    ///
    /// # Errors
    /// When the store cannot be listed.
    pub fn new(plans: Vec<Planned>, store: &Store, accept_code: bool) -> anyhow::Result<Batch> {
        let (nodes, places) = nodes_of(&plans);
        let mut batch = Batch { plans, nodes, places, slowness: Vec::new() };
        batch.look(store);
        let older = batch.older_versions(store)?;
        if accept_code {
            batch.accept(&older, store);
        } else {
            batch.mark_stale(&older);
        }
        Ok(batch)
    }

    /// The same plans, with what the store knows now.
    ///
    /// # Errors
    /// When the store cannot be listed.
    pub fn again(self, store: &Store, accept_code: bool) -> anyhow::Result<Batch> {
        let slowness = self.slowness;
        Ok(Batch { slowness, ..Batch::new(self.plans, store, accept_code)? })
    }

    fn look(&mut self, store: &Store) {
        self.nodes.par_iter_mut().with_min_len(64).for_each(|node| node.state = node_state(store, &node.id));
    }

    /// By lineage, the finished jobs of other code that could stand in for new ones.
    fn older_versions(&self, store: &Store) -> anyhow::Result<HashMap<String, JobId>> {
        let new = self.nodes.iter().filter(|node| node.state == NodeState::New);
        let families: HashSet<String> = new.map(|node| node.id.family()).collect();
        if families.is_empty() {
            return Ok(HashMap::new());
        }
        let known: HashSet<String> = self.nodes.iter().map(|node| node.id.directory()).collect();
        let mut relatives = store.directories()?;
        relatives
            .retain(|name| family_of(name).is_some_and(|family| families.contains(family)) && !known.contains(name));
        let version = |directory: &String| version(directory, &store.preimage_in(directory)?);
        let found: Vec<(String, JobId)> = relatives.par_iter().filter_map(version).collect();
        Ok(found.into_iter().filter(|(_, id)| matches!(store.state(id), State::Done(_))).collect())
    }

    fn mark_stale(&mut self, older: &HashMap<String, JobId>) {
        for at in 0..self.nodes.len() {
            if self.nodes[at].state == NodeState::New && older.contains_key(&self.lineage(at)) {
                self.nodes[at].state = NodeState::Stale;
            }
        }
    }

    /// Takes older results as they are. What reads one of them is another job than the planned one: its key says
    /// what it was really made from.
    fn accept(&mut self, older: &HashMap<String, JobId>, store: &Store) {
        for at in 0..self.nodes.len() {
            let upstream: Vec<Key> = self.nodes[at].after.iter().map(|&before| self.nodes[before].id.key).collect();
            if upstream != self.nodes[at].upstream {
                let (plan, job) = self.job(&self.nodes[at]);
                let key = plan.key_after(job, &upstream);
                let node = &mut self.nodes[at];
                (node.id.key, node.upstream) = (key, upstream);
                node.state = node_state(store, &node.id);
            }
            if self.nodes[at].state == NodeState::New
                && let Some(id) = older.get(&self.lineage(at))
            {
                self.nodes[at].id = id.clone();
                self.nodes[at].state = NodeState::Accepted;
            }
        }
    }

    fn lineage(&self, at: usize) -> String {
        self.job(&self.nodes[at]).1.lineage.hex()
    }

    /// The plan's job behind a node.
    #[must_use]
    pub fn job(&self, node: &Node) -> (&Plan, &Job) {
        let (plan, job) = node.origin;
        let plan = &self.plans[plan].plan;
        (plan, &plan.jobs[job])
    }

    /// One line that names a job, for people.
    #[must_use]
    pub fn describe(&self, node: &Node) -> String {
        let (plan, job) = self.job(node);
        plan.describe(job)
    }

    /// The preimage of a job's key.
    #[must_use]
    pub fn preimage(&self, node: &Node) -> Value {
        let (plan, job) = self.job(node);
        plan.preimage(job, &node.upstream)
    }

    /// Every plan with the nodes of its jobs.
    pub fn plans_with_places(&self) -> impl Iterator<Item = (&Planned, &[usize])> {
        self.plans.iter().zip(self.places.iter().map(Vec::as_slice))
    }

    /// How many jobs are in a state.
    #[must_use]
    pub fn count(&self, state: NodeState) -> usize {
        self.nodes.iter().filter(|node| node.state == state).count()
    }

    /// How many jobs are done.
    #[must_use]
    pub fn done(&self) -> usize {
        self.nodes.iter().filter(|node| node.state.is_done()).count()
    }

    /// Whether nothing is left to run.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.nodes.iter().all(|node| node.state.is_done())
    }

    /// Measures how fast this machine is with the networks of jobs that are left and whose like it never ran.
    pub fn measure(&mut self, store: &Store) {
        let (durations, mut speed) = (store.durations(), Speed::default());
        self.slowness = self.plans.iter().map(|planned| vec![1.0; planned.plan.configs.len()]).collect();
        for (plan, at) in self.configs_left() {
            let config = &self.plans[plan].plan.configs[at];
            if durations.seconds_per_unit(config.spec.kind(), &config.cost_class()).is_none() {
                self.slowness[plan][at] = speed.slowness(&config.spec);
            }
        }
    }

    /// The plans and configurations of the jobs that are left, what costs most first: time to measure may run out.
    fn configs_left(&self) -> Vec<(usize, usize)> {
        let mut costs: HashMap<(usize, usize), f64> = HashMap::new();
        for node in self.nodes.iter().filter(|node| !node.state.is_done()) {
            let (plan, job) = self.job(node);
            *costs.entry((node.origin.0, job.config)).or_default() += costs::seconds(&plan.configs[job.config].spec);
        }
        let mut configs: Vec<_> = costs.into_iter().collect();
        configs.sort_by(|(a, cost), (b, other)| other.total_cmp(cost).then(a.cmp(b)));
        configs.into_iter().map(|(config, _)| config).collect()
    }

    /// Seconds of one core that each node takes, with what earlier runs taught, or else what was measured.
    #[must_use]
    pub fn seconds(&self, store: &Store) -> Vec<f64> {
        let durations = store.durations();
        let of_configs = |(plan, planned): (usize, &Planned)| -> Vec<f64> {
            let measured = |at: usize| self.slowness.get(plan).map_or(1.0, |slowness| slowness[at]);
            let rate = |at: usize, config: &Config| {
                durations.seconds_per_unit(config.spec.kind(), &config.cost_class()).unwrap_or_else(|| measured(at))
            };
            let seconds = |(at, config): (usize, &Config)| costs::seconds(&config.spec) * rate(at, config);
            planned.plan.configs.par_iter().enumerate().map(seconds).collect()
        };
        let of_plans: Vec<Vec<f64>> = self.plans.iter().enumerate().map(of_configs).collect();
        let config = |(plan, job): (usize, usize)| self.plans[plan].plan.jobs[job].config;
        self.nodes.iter().map(|node| of_plans[node.origin.0][config(node.origin)]).collect()
    }

    /// Seconds of work that are left, where so many jobs run at a time.
    #[must_use]
    pub fn seconds_left(&self, store: &Store, slots: usize) -> f64 {
        if self.is_complete() {
            return 0.0;
        }
        let left = self.nodes.iter().zip(self.seconds(store)).filter(|(node, _)| !node.state.is_done());
        span(left.map(|(_, seconds)| seconds).collect(), slots)
    }

    /// How many of the jobs that are left continue from a checkpoint.
    #[must_use]
    pub fn begun(&self, store: &Store) -> usize {
        let left = self.nodes.par_iter().with_min_len(64).filter(|node| !node.state.is_done());
        left.filter(|node| store.has_checkpoint(&node.id)).count()
    }
}

/// Seconds from the first to the last of these jobs on so many slots, about: no order is faster than that every slot is
/// always busy, nor than that of the `k slots + 1` longest jobs some `k + 1` share a slot.
fn span(mut seconds: Vec<f64>, slots: usize) -> f64 {
    seconds.sort_by(|a, b| b.total_cmp(a));
    let shared = seconds.iter().step_by(slots).enumerate().map(|(others, job)| (others + 1) as f64 * job);
    shared.fold(seconds.iter().sum::<f64>() / slots as f64, f64::max)
}

/// The jobs of all plans, each once, and for every plan the node of each of its jobs.
fn nodes_of(plans: &[Planned]) -> (Vec<Node>, Vec<Vec<usize>>) {
    let mut nodes: Vec<Node> = Vec::new();
    let mut known: HashMap<Key, usize> = HashMap::new();
    let mut all_places: Vec<Vec<usize>> = Vec::new();
    for (plan_index, Planned { plan, .. }) in plans.iter().enumerate() {
        let mut places: Vec<usize> = Vec::with_capacity(plan.jobs.len());
        for (job_index, job) in plan.jobs.iter().enumerate() {
            let place = *known.entry(job.key).or_insert_with(|| {
                let config = plan.config(job);
                let id = JobId { kind: config.spec.kind().to_owned(), slug: config.slug.clone(), key: job.key };
                let after = job.after.iter().map(|&before| places[before]).collect();
                let upstream = job.after.iter().map(|&before| plan.jobs[before].key).collect();
                nodes.push(Node { id, origin: (plan_index, job_index), after, upstream, state: NodeState::New });
                nodes.len() - 1
            });
            places.push(place);
        }
        all_places.push(places);
    }
    (nodes, all_places)
}

fn node_state(store: &Store, id: &JobId) -> NodeState {
    match store.state(id) {
        State::Done(_) => NodeState::Cached,
        State::Absent => NodeState::New,
        State::Broken(reason) => {
            tracing::warn!("{} will run again: {reason}", id.directory());
            NodeState::Broken
        }
    }
}

/// The part of a job directory's name before the key.
pub fn family_of(directory: &str) -> Option<&str> {
    let dash = directory.rfind('-')?;
    Some(&directory[..=dash])
}

/// The lineage and identity of a job directory, from the preimage in it.
fn version(directory: &str, preimage: &Value) -> Option<(String, JobId)> {
    let lineage = preimage.get("lineage")?.as_str()?.to_owned();
    let key: Key = preimage.get("key")?.as_str()?.parse().ok()?;
    let (kind, slug) = directory.strip_suffix(&format!("-{key}"))?.split_once('-')?;
    Some((lineage, JobId { kind: kind.to_owned(), slug: slug.to_owned(), key }))
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn few_long_jobs_leave_slots_idle() {
        assert_eq!(span(vec![1.0, 10.0, 10.0, 10.0], 2), 20.0);
        assert_eq!(span(vec![1.0; 10], 2), 5.0);
        assert_eq!(span(vec![3.0, 7.0], 8), 7.0);
        assert_eq!(span(Vec::new(), 2), 0.0);
    }
}
