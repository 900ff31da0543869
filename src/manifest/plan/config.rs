//! Configurations: resolved jobs without their seeds.

use std::sync::Arc;

use super::code::fingerprint;
use super::identity::config_key;
use crate::manifest::resolve::draft::{Dependency, Draft};
use crate::manifest::resolve::job::JobSpec;
use crate::manifest::resolve::rated::RatedConfig;
use crate::manifest::resolve::template::{Labels, label};
use crate::manifest::text::tree::Table;
use gauntlet_games::base::Key;

/// A job template with all axes set except the seed.
#[derive(Debug, Clone)]
pub struct Config {
    /// The stage it belongs to.
    pub stage: String,
    /// Axis and label, in the order of the axes.
    pub labels: Labels,
    /// The job specification that its jobs share.
    pub spec: Arc<JobSpec>,
    /// A short readable name that distinguishes it from others.
    pub slug: String,
    /// Its identity.
    pub key: Key,
    /// The fingerprint of the code that its jobs run.
    pub code: Key,
    /// The configurations whose results its jobs read.
    pub from: Vec<Dependency>,
    /// Its training seeds; those of its upstream configurations if it has any.
    pub(super) seeds: Vec<u64>,
    /// The resolved tree, in which axes are looked up.
    pub(super) tree: Table,
}

impl Config {
    /// The configuration of a manifest without mistakes; `None` if it has no job.
    pub(super) fn new(draft: Draft<'_>) -> Option<Config> {
        let spec = draft.spec?;
        Some(Config {
            stage: draft.stage.name.clone(),
            key: config_key(&spec),
            code: fingerprint(&spec),
            slug: spec.slug(),
            spec,
            labels: draft.labels,
            from: draft.from,
            seeds: draft.seeds.to_vec(),
            tree: draft.tree,
        })
    }

    /// The label of an axis: a swept axis, a named game or agent, or any value at the dotted path.
    #[must_use]
    pub fn label(&self, axis: &str) -> Option<String> {
        label(&self.labels, &self.tree, axis)
    }

    /// Whether another seed gives another player and not only more games: something is trained, or weights are drawn.
    #[must_use]
    pub fn varies_by_run(&self) -> bool {
        let players = self.spec.job().players();
        let is_drawn = players.iter().any(|(_, player)| player.agent().depends_on_seed());
        is_drawn || self.spec.kind() == "train" || !self.from.is_empty()
    }

    /// Its training seeds.
    #[must_use]
    pub fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    pub(super) fn rated(&self) -> RatedConfig<'_> {
        RatedConfig { spec: &self.spec, labels: &self.labels, from: &self.from }
    }

    /// The number of opponent runs that each of its runs meets.
    #[must_use]
    pub fn opponents_each(&self) -> usize {
        let runs = self.from.iter().map(|dependency| dependency.runs as usize).max().unwrap_or(1);
        runs.min(self.seeds.len())
    }

    /// The labels as one readable line.
    #[must_use]
    pub fn describe(&self) -> String {
        let labels = self.labels.iter().map(|(axis, label)| format!("{axis}={label}"));
        std::iter::once(self.stage.clone()).chain(labels).collect::<Vec<_>>().join(" ")
    }

    /// The cost class: jobs of one class share a correction factor of their estimated time.
    #[must_use]
    pub fn cost_class(&self) -> String {
        format!("{}-{}", self.spec.kind(), self.slug)
    }
}
