//! Configurations grouped by labels, and detection of groups that pool several configurations.

use std::collections::{BTreeMap, HashMap};

use super::draft::Draft;
use super::template::label;
use crate::manifest::read::exhibit::Labels;

/// The configurations with these labels.
pub(super) fn with_labels<'a, 'b>(drafts: &[&'b Draft<'a>], wanted: &Labels) -> Vec<&'b Draft<'a>> {
    let has = |draft: &Draft<'_>| {
        wanted.iter().all(|(axis, wanted)| label(&draft.labels, &draft.tree, axis).as_ref() == Some(wanted))
    };
    drafts.iter().copied().filter(|draft| has(draft)).collect()
}

/// Configurations by their labels on some axes; the label of an axis that a stage lacks is empty.
pub(super) type Groups<'a, 'b> = BTreeMap<Vec<String>, Vec<&'b Draft<'a>>>;

/// Configurations by their labels on these axes.
pub(super) fn grouped<'a, 'b>(drafts: &[&'b Draft<'a>], axes: &[&str]) -> Groups<'a, 'b> {
    let mut groups = Groups::new();
    for draft in drafts {
        let labels = axes.iter().map(|axis| label(&draft.labels, &draft.tree, axis).unwrap_or_default()).collect();
        groups.entry(labels).or_default().push(draft);
    }
    groups
}

/// Two configurations that have a seed in common and would be pooled.
pub(super) struct Pooled<'a, 'b>([&'b Draft<'a>; 2]);

impl<'a, 'b> Pooled<'a, 'b> {
    /// The first two, if there are any.
    pub(super) fn find(drafts: &[&'b Draft<'a>]) -> Option<Pooled<'a, 'b>> {
        let mut known: HashMap<u64, &Draft<'_>> = HashMap::new();
        drafts.iter().find_map(|draft| {
            let other = draft.seeds.iter().find_map(|seed| known.insert(*seed, draft))?;
            Some(Pooled([other, draft]))
        })
    }

    /// The message without its subject: the names of the two.
    pub(super) fn message(&self) -> String {
        let [one, other] = self.0.map(|draft| {
            let labels = draft.labels.iter().map(|(axis, label)| format!("{axis}={label}"));
            std::iter::once(draft.stage.name.clone()).chain(labels).collect::<Vec<_>>().join(" ")
        });
        format!("would take two configurations for one: `{one}` and `{other}`")
    }

    /// The hint: the axes that distinguish the two.
    pub(super) fn way_out(&self, what: &str) -> String {
        let [one, other] = self.0;
        let label_of = |draft: &Draft<'_>, axis: &str| label(&draft.labels, &draft.tree, axis);
        let mut axes: Vec<String> = Vec::new();
        for (axis, _) in one.labels.iter().chain(&other.labels) {
            let name = format!("`{axis}`");
            if label_of(one, axis) != label_of(other, axis) && !axes.contains(&name) {
                axes.push(name);
            }
        }
        match axes.is_empty() {
            true => "show the stages apart".to_owned(),
            false => format!("{what} what tells them apart: {}", axes.join(" or ")),
        }
    }
}
