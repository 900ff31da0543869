//! A configuration of a plan, as exhibits know it.

use std::sync::Arc;

use gauntlet_games::base::Key;

/// A configuration: the common part of its runs.
pub struct Configuration<'a> {
    /// The stage.
    pub stage: String,
    /// Axis and label, in the order of the axes.
    pub labels: &'a [(Arc<str>, Arc<str>)],
    /// The axes of its stage that its cell leaves to the job, each with the value there.
    pub left_axes: &'a [(Arc<str>, Arc<str>)],
    /// The kind of its jobs: `train`, `play` or `measure`.
    pub kind: &'static str,
    /// Its identity.
    pub key: Key,
    /// Whether its jobs read the results of other jobs.
    pub is_fed: bool,
    /// Whether another seed gives another player and not only more games.
    pub varies_by_run: bool,
    /// The number of opponent runs that each run meets.
    pub opponents_each: usize,
    /// The names of its rated players, in the order of its results.
    pub players: Vec<String>,
    /// The names of the opponents in the panel of its training.
    pub panel: Vec<String>,
    /// The number of opponents over which the score of an evaluation is a mean.
    pub scored: u64,
    /// Its other settings.
    pub settings: &'a dyn Settings,
}

/// The settings of a configuration, by their paths.
pub trait Settings: Sync {
    /// The label of an axis: a swept axis, a named game or agent, or any value at the dotted path.
    fn label(&self, axis: &str) -> Option<String>;

    /// A count, by its JSON pointer.
    fn count(&self, pointer: &str) -> Option<u64>;
}

impl Configuration<'_> {
    /// The label of an axis.
    #[must_use]
    pub fn label(&self, axis: &str) -> Option<String> {
        self.settings.label(axis)
    }

    /// The labels as one line.
    #[must_use]
    pub fn describe(&self) -> String {
        let labels = self.labels.iter().map(|(axis, label)| format!("{axis}={label}"));
        std::iter::once(self.stage.clone()).chain(labels).collect::<Vec<_>>().join(" ")
    }
}
