//! Configurations grouped by labels, and detection of groups that pool several configurations.

use std::collections::{BTreeMap, HashMap};

use super::config::Config;
use crate::manifest::read::exhibit::Labels;

/// The configurations with these labels.
pub(super) fn with_labels<'a>(configs: &[&'a Config], wanted: &Labels) -> Vec<&'a Config> {
    let has = |config: &Config| wanted.iter().all(|(axis, wanted)| config.label(axis).as_ref() == Some(wanted));
    configs.iter().copied().filter(|config| has(config)).collect()
}

/// Configurations by their labels on some axes; the label of an axis that a stage lacks is empty.
pub(super) type Groups<'a> = BTreeMap<Vec<String>, Vec<&'a Config>>;

/// Configurations by their labels on these axes.
pub(super) fn grouped<'a>(configs: &[&'a Config], axes: &[&str]) -> Groups<'a> {
    let mut groups = Groups::new();
    for config in configs {
        let labels = axes.iter().map(|axis| config.label(axis).unwrap_or_default()).collect();
        groups.entry(labels).or_default().push(config);
    }
    groups
}

/// Two configurations that have a seed in common and would be pooled, or whose players would be.
pub(super) struct Pooled<'a>(pub(super) [&'a Config; 2]);

impl<'a> Pooled<'a> {
    /// The first two, if there are any.
    pub(super) fn find(configs: &[&'a Config]) -> Option<Pooled<'a>> {
        let mut known: HashMap<u64, &Config> = HashMap::new();
        configs.iter().filter(|config| !config.is_alternative).find_map(|config| {
            let other = config.seeds.iter().find_map(|seed| known.insert(*seed, config))?;
            Some(Pooled([other, config]))
        })
    }

    /// The message without its subject: the names of the two.
    pub(super) fn message(&self) -> String {
        let [one, other] = self.0.map(Config::describe);
        format!("would take two configurations for one: `{one}` and `{other}`")
    }

    /// The axes that distinguish the two.
    fn axes(&self) -> Vec<&'a str> {
        let [one, other] = self.0;
        let mut axes: Vec<&str> = Vec::new();
        for (axis, _) in one.labels.iter().chain(&other.labels) {
            if one.label(axis) != other.label(axis) && !axes.contains(&&**axis) {
                axes.push(axis);
            }
        }
        axes
    }

    /// Whether some of these axes are of a kind.
    pub(super) fn differs(&self, is: impl Fn(&str) -> bool) -> bool {
        self.axes().into_iter().any(is)
    }

    /// The hint: the axes that distinguish the two.
    pub(super) fn way_out(&self, what: &str) -> String {
        let axes: Vec<String> = self.axes().iter().map(|axis| format!("`{axis}`")).collect();
        match axes.is_empty() {
            true => "show the stages apart".to_owned(),
            false => format!("{what} what tells them apart: {}", axes.join(" or ")),
        }
    }
}
