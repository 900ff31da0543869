//! The relation of a profile to the profile `paper`, from the text of the manifest: quick, as no job is resolved.
//!
//! It may be [`Other`](PaperScale::Other) for jobs that are the same, if a profile spells a default out. For the
//! judgement of published numbers, jobs are compared.

use std::collections::{BTreeMap, BTreeSet};

use crate::manifest::text::tree::{Entry, Node, Table, Value};

/// The relation of jobs to those of a profile `paper`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaperScale {
    /// They are the same.
    Same,
    /// They have the same configurations, with more runs.
    MoreRuns,
    /// There are other jobs, or there is no paper.
    Other,
}

/// Sections that no job depends on.
const SHOWN: [&str; 10] =
    ["schema", "name", "title", "paper", "profile", "exhibit", "labels", "cluster", "include", "suite"];

/// The relation of a manifest, with its profile and changes laid over it, to the one with the profile `paper`.
pub(super) fn scale(chosen: &Table, paper: &Table) -> PaperScale {
    let [ours, theirs] = [chosen, paper].map(Work::of);
    match (ours == theirs, ours.settings == theirs.settings && ours.runs_include(&theirs)) {
        (true, _) => PaperScale::Same,
        (false, true) => PaperScale::MoreRuns,
        (false, false) => PaperScale::Other,
    }
}

/// The settings that jobs are made from.
#[derive(PartialEq)]
struct Work {
    settings: String,
    /// The seeds, by the path of the table that holds them.
    seeds: BTreeMap<String, BTreeSet<i64>>,
}

impl Work {
    fn of(root: &Table) -> Work {
        let mut seeds = BTreeMap::new();
        let own = root.entries().iter().filter(|entry| !SHOWN.contains(&&*entry.key));
        let settings = Value::Table(without_seeds("", own, &mut seeds)).identity();
        Work { settings, seeds }
    }

    fn runs_include(&self, other: &Work) -> bool {
        self.seeds.keys().eq(other.seeds.keys())
            && self.seeds.iter().zip(other.seeds.values()).all(|((_, own), other)| own.is_superset(other))
    }
}

/// The entries as a table without seeds, which are collected by their paths.
fn without_seeds<'e>(
    path: &str,
    entries: impl Iterator<Item = &'e Entry>,
    seeds: &mut BTreeMap<String, BTreeSet<i64>>,
) -> Table {
    let kept = entries.filter_map(|entry| {
        if let Some(found) = Some(&entry.node.value).filter(|_| &*entry.key == "seeds").and_then(seeds_of) {
            seeds.insert(path.to_owned(), found);
            return None;
        }
        let value = match &entry.node.value {
            Value::Table(table) => {
                Value::Table(without_seeds(&format!("{path}/{}", entry.key), table.entries().iter(), seeds))
            }
            value => value.clone(),
        };
        Some(Entry { node: Node { span: entry.node.span.clone(), value }, ..entry.clone() })
    });
    Table::from(kept.collect::<Vec<_>>())
}

/// The seeds of a count or a list.
fn seeds_of(value: &Value) -> Option<BTreeSet<i64>> {
    match value {
        Value::Integer(count) => Some((1..=*count.min(&MOST)).collect()),
        Value::List(items) => {
            let seed = |item: &Node| if let Value::Integer(seed) = item.value { Some(seed) } else { None };
            items.iter().map(seed).collect()
        }
        _ => None,
    }
}

/// Most seeds of a stage.
const MOST: i64 = 1_000_000;
