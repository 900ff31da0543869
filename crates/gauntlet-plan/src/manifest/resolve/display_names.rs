//! Check: no label is another value of an axis. Two rows of a table would have one name.

use std::collections::{BTreeMap, BTreeSet};

use super::config::Config;
use super::problem_set::ProblemSet;
use crate::manifest::read::written::WrittenManifest;
use crate::manifest::text::source::Problem;

/// The axes of names, whose labels the reading of a manifest checks.
const NAMED: [&str; 4] = ["game", "agent", "opponent", "variant"];

/// Checks that no label of a value is another value of the same axis, unless that one has a label of its own.
pub(super) fn check_display_names(written: &WrittenManifest, configs: &[Config], found: &mut ProblemSet<'_>) {
    let is_renamed = |(value, label): &(&String, &String)| value != label && !written.labels.contains_key(*label);
    let renamed: Vec<(&String, &String)> = written.labels.iter().filter(is_renamed).collect();
    if renamed.is_empty() {
        return;
    }
    let mut axes: BTreeMap<[&str; 2], BTreeSet<&str>> = BTreeMap::new();
    for config in configs {
        let values = config.labels.iter().chain(&config.left_axes).filter(|(axis, _)| !NAMED.contains(&&**axis));
        for (axis, value) in values {
            axes.entry([&config.stage, axis]).or_default().insert(value);
        }
    }
    for (value, label) in renamed {
        let has_both = |values: &BTreeSet<&str>| values.contains(value.as_str()) && values.contains(label.as_str());
        let Some(([_, axis], _)) = axes.iter().find(|(_, values)| has_both(values)) else { continue };
        let message = format!("the label of `{value}` is another value of the axis `{axis}`: `{label}`");
        let place = written.label_nodes.get(value).map_or(0..0, |node| node.span.clone());
        let hint = "tables could not tell them apart: give each a label of its own";
        found.add(Problem::at(place, message).hint(hint));
    }
}

#[cfg(test)]
mod tests {
    use crate::manifest::testing;

    #[test]
    fn a_label_is_no_other_value_of_its_axis() {
        let problems = |labels: &str| {
            testing::problems(&format!(
                "schema = 1\nname = \"a/b\"\ntitle = \"t\"\nlabels = {{ {labels} }}\n[games]\n\
                 g.mnk = {{ columns = 3, rows = 3, row = 3 }}\n[agents]\nr.random = {{}}\nu.uct = {{ simulations = 4 }}\n\
                 [stages.m]\nsweep = {{ \"agent.simulations\" = [5, 10], games = [2, 6] }}\n\
                 play.match = {{ game = \"g\", agent = \"u\", opponent = \"r\", games = 8 }}\n"
            ))
        };
        let message = "the label of `5` is another value of the axis `agent.simulations`: `10`";
        assert_eq!(problems("5 = \"10\""), [message]);
        for fine in ["5 = \"five\"", "5 = \"10\", 10 = \"5\"", "5 = \"6\"", "5 = \"10\", 10 = \"ten\""] {
            assert_eq!(problems(fine), [""; 0], "{fine}");
        }
    }
}
