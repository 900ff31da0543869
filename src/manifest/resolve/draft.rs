//! Drafts: configurations during resolution, before all mistakes are known.

use std::sync::Arc;

use super::job::JobSpec;
use super::template::Labels;
use crate::manifest::read::stage::Stage;
use crate::manifest::text::tree::Table;

/// A configuration, resolved as far as it was understood.
pub(in crate::manifest) struct Draft<'a> {
    pub(in crate::manifest) stage: &'a Stage,
    pub(in crate::manifest) labels: Labels,
    pub(in crate::manifest) tree: Table,
    pub(in crate::manifest) spec: Option<Arc<JobSpec>>,
    pub(in crate::manifest) from: Vec<Dependency>,
    pub(in crate::manifest) seeds: &'a [u64],
}

impl Draft<'_> {
    /// Its labels on the axes of its own stage.
    pub(super) fn axes(&self) -> impl Iterator<Item = &(Arc<str>, Arc<str>)> {
        let swept = self.stage.cells.first().map_or(&[][..], Vec::as_slice);
        let is_axis = |axis: &str| axis == "variant" || swept.iter().any(|setting| *setting.path == *axis);
        self.labels.iter().filter(move |(axis, _)| is_axis(axis))
    }
}

/// A dependency on another configuration: each run reads the run of the same seed, or several runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The player that takes the weights; `None` for all players whose weights are `"trained"`.
    pub player: Option<Arc<str>>,
    /// Index of the configuration.
    pub config: usize,
    /// The iteration of the network; `None` for the last one.
    pub iteration: Option<u32>,
    /// The number of its runs that every run meets: 1 except for an opponent with crossed runs.
    pub runs: u32,
}
