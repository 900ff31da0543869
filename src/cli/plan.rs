//! `gauntlet plan`: what would run, and why.

use clap::Args;
use serde_json::{Value, json};

use super::desk::{Batch, Node, NodeState};
use super::output::{self, duration, result, table};
use super::{Exit, Flags};
use crate::store::Store;

/// Show the jobs of manifests and their states, and run nothing
#[derive(Debug, Args)]
pub struct PlanCommand {
    /// Manifest files, or artefacts
    #[arg(required = true, value_name = "MANIFEST")]
    manifests: Vec<String>,
    /// Say for every job that would run why it would
    #[arg(long)]
    explain: bool,
    /// Show every job, not only a line for each configuration
    #[arg(long)]
    all: bool,
}

impl PlanCommand {
    /// Prints the plan.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let store = flags.store()?;
        let batch = flags.batch(&self.manifests, &store)?;
        if flags.json {
            output::json(&batch.nodes.iter().map(|node| as_json(&batch, node)).collect::<Vec<_>>());
            return Ok(Exit::Done);
        }
        if self.explain {
            explain(&batch, &store);
        } else if self.all {
            result(&table(&["job", "state", "directory"], batch.nodes.iter().map(|node| job_row(&batch, node))));
        } else {
            result(&table(&["configuration", "jobs", "cached"], config_rows(&batch)));
        }
        let seconds = batch.seconds_left(&store) / flags.slots() as f64;
        let left = batch.nodes.len() - batch.count(NodeState::Cached);
        result(&format!("{} jobs, {left} to run, about {}", batch.nodes.len(), duration(seconds)));
        Ok(Exit::Done)
    }
}

fn name(batch: &Batch, node: &Node) -> String {
    let (plan, job) = batch.job(node);
    format!("{} seed={}", plan.config(job).describe(), job.seed)
}

fn state(node: &Node) -> &'static str {
    match node.state {
        NodeState::Cached => "cached",
        NodeState::New => "new",
        NodeState::Stale => "stale",
        NodeState::Broken => "damaged",
    }
}

fn as_json(batch: &Batch, node: &Node) -> Value {
    let (plan, job) = batch.job(node);
    json!({ "job": name(batch, node), "state": state(node), "directory": node.id.directory(),
        "preimage": plan.preimage(job) })
}

fn job_row(batch: &Batch, node: &Node) -> Vec<String> {
    vec![name(batch, node), state(node).to_owned(), node.id.directory()]
}

fn config_rows(batch: &Batch) -> Vec<Vec<String>> {
    let mut rows: Vec<(String, usize, usize)> = Vec::new();
    for node in &batch.nodes {
        let (plan, job) = batch.job(node);
        let name = plan.config(job).describe();
        let cached = usize::from(node.state == NodeState::Cached);
        // Jobs of one configuration stand together.
        match rows.last_mut() {
            Some(row) if row.0 == name => {
                row.1 += 1;
                row.2 += cached;
            }
            _ => rows.push((name, 1, cached)),
        }
    }
    rows.into_iter().map(|(name, jobs, cached)| vec![name, jobs.to_string(), cached.to_string()]).collect()
}

/// One line a job that would run, with the fields in which it differs from the nearest job in the store.
fn explain(batch: &Batch, store: &Store) {
    for node in batch.nodes.iter().filter(|node| node.state != NodeState::Cached) {
        let (plan, job) = batch.job(node);
        let why = match node.state {
            NodeState::Broken => "it is in the store, but damaged".to_owned(),
            _ => nearest(store, node, &plan.preimage(job)),
        };
        result(&format!("{}: {why}", name(batch, node)));
    }
}

fn nearest(store: &Store, node: &Node, wanted: &Value) -> String {
    let family = node.id.family();
    let directories = store.directories().unwrap_or_default();
    let relatives = directories.iter().filter(|directory| directory.starts_with(&family));
    let differences = relatives.filter_map(|directory| Some(differences(&store.preimage_in(directory)?, wanted, "")));
    match differences.min_by_key(Vec::len) {
        None => "nothing like it was ever run".to_owned(),
        Some(fields) if fields.is_empty() => "it was started and never finished".to_owned(),
        Some(fields) => format!("differs from what was run in {}", fields.join(", ")),
    }
}

/// Fields in which two preimages differ, without those that follow from others.
fn differences(known: &Value, wanted: &Value, path: &str) -> Vec<String> {
    match (known, wanted) {
        (Value::Object(known), Value::Object(wanted)) => {
            let mut keys: Vec<&String> = known.keys().chain(wanted.keys()).collect();
            keys.sort();
            keys.dedup();
            keys.retain(|key| !matches!(key.as_str(), "key" | "lineage" | "config"));
            let null = Value::Null;
            let below = |key: &String| {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                differences(known.get(key).unwrap_or(&null), wanted.get(key).unwrap_or(&null), &path)
            };
            keys.into_iter().flat_map(below).collect()
        }
        (known, wanted) if known == wanted => Vec::new(),
        (known, wanted) if matches!(path, "code" | "upstream" | "device") => {
            let _ = (known, wanted);
            vec![path.to_owned()]
        }
        (known, wanted) => vec![format!("{path} ({known} -> {wanted})")],
    }
}
