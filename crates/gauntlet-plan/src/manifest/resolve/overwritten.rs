//! Check: no two cells of a stage are one job because an axis replaces a value of a variant or of another axis. The label of
//! one would be false. A replaced value is fine where the cells differ: a variant can name a default.

use std::collections::HashMap;

use super::case::Case;
use super::config::Config;
use crate::manifest::read::sweep::SweepCell;
use crate::manifest::read::variant::Variant;
use crate::manifest::text::source::Problem;
use crate::manifest::text::tree::Setting;

/// The problems of cells of a stage that are one job because a value of one is replaced. Each cell comes with its
/// configuration.
pub(super) fn same_jobs<'a>(cells: impl Iterator<Item = (&'a Case<'a>, &'a Config)> + Clone) -> Vec<Problem> {
    let replaced = cells.clone().filter(|(_, config)| config.sound_spec().is_some());
    let replaced: Vec<_> = replaced
        .map(|(case, config)| (overwritten(case.variant, case.cell), config))
        .filter(|(it, _)| !it.is_empty())
        .collect();
    let identity = |config: &Config| (config.key, format!("{:?}", config.from));
    let mut count: HashMap<_, usize> = HashMap::new();
    if !replaced.is_empty() {
        cells.for_each(|(_, config)| *count.entry(identity(config)).or_default() += 1);
    }
    replaced.into_iter().filter(|(_, config)| count[&identity(config)] > 1).flat_map(|(problems, _)| problems).collect()
}

/// The problems of a cell's values that two of its axes set, or an axis and the variant. Names hold no values:
/// `agent = "uct"` beside `agent.simulations = 100` changes that agent.
fn overwritten(variant: Option<&Variant>, cell: &SweepCell) -> Vec<Problem> {
    let problem = |value: &Setting, both: String| {
        let message = format!("{both} both set `{}`, so that two cells are the same job", value.path);
        Problem::at(value.span.clone(), message).hint("leave it out of one of them")
    };
    let arm = variant.into_iter().flat_map(|arm| arm.set.iter().map(move |value| (&arm.name, value))).flat_map(
        |(name, value)| {
            let twice = cell.iter().filter_map(|axis| Some((axis, set_by_both(value, axis)?)));
            twice.map(move |(axis, both)| problem(both, format!("variant `{name}` and the axis `{}`", axis.path)))
        },
    );
    let axes = cell.iter().enumerate().flat_map(|(at, axis)| {
        let others = cell[..at].iter().filter(|other| other.path != axis.path);
        let twice = others.filter_map(|other| Some((other, set_by_both(other, axis)?)));
        twice.map(|(other, both)| problem(both, format!("the axes `{}` and `{}`", other.path, axis.path)))
    });
    arm.chain(axes).collect()
}

/// The one of two settings that sets a value of the other; the first one if both have one path.
fn set_by_both<'a>(one: &'a Setting, other: &'a Setting) -> Option<&'a Setting> {
    let is_within = |inner: &Setting, outer: &Setting| {
        let rest = inner.path.strip_prefix(&*outer.path).and_then(|rest| rest.strip_prefix('.'));
        rest.is_some_and(|rest| outer.node.table().is_some_and(|table| table.look_through(rest).is_some()))
    };
    match (one.path == other.path || is_within(one, other), is_within(other, one)) {
        (true, _) => Some(one),
        (false, true) => Some(other),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::manifest::testing;

    /// The problems of a variant's change beside the axes of its stage.
    fn problems(set: &str, axes: &str) -> Vec<String> {
        let text = format!(
            "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ng.mnk = {{ columns = 3, rows = 3, row = 3 }}\n[agents]\n\
             r.random = {{}}\nu.uct = {{ simulations = 4 }}\n[variant.base]\n[variant.strong.set]\n{set}\n\
             [stages.m]\nvariants = [\"base\", \"strong\"]\n{axes}\n\
             play.match = {{ game = \"g\", agent = \"u\", opponent = \"r\", games = 8 }}\n"
        );
        testing::problems(&text)
    }

    #[test]
    fn no_value_is_set_twice() {
        let arm = |value: &str, axis: &str| {
            format!("variant `strong` and the axis `{axis}` both set `{value}`, so that two cells are the same job")
        };
        let axes = |axis: &str, value: &str| {
            format!("the axes `{axis}` and `{value}` both set `{value}`, so that two cells are the same job")
        };
        let (simulations, plies) = ("agent.simulations", "openings.random.plies");
        let swept = "sweep = { \"agent.simulations\" = [2, 5] }";
        let tables = "openings = [{ random = { plies = 1 } }, { random = { plies = 2 } }]";
        let plain = "agent = [\"u\", \"r\"]";
        for (set, stage, expected) in [
            ("\"agent.simulations\" = 300", swept.to_owned(), vec![arm(simulations, simulations)]),
            ("agent = { uct = { simulations = 300 } }", swept.to_owned(), vec![arm(simulations, simulations)]),
            // A default, under another change.
            ("agent = { uct = { simulations = 300, c = 2.0 } }", swept.to_owned(), vec![]),
            ("agent = \"r\"", format!("sweep = {{ {plain} }}"), vec![arm("agent", "agent")]),
            (
                "openings = { random = { plies = 1 } }",
                "sweep = { \"openings.random.plies\" = [3, 4] }".to_owned(),
                vec![arm(plies, plies)],
            ),
            ("", format!("sweep = {{ {tables}, \"openings.random.plies\" = [3, 4] }}"), vec![axes("openings", plies)]),
            (
                "",
                format!("sweep = {{ \"openings.random.plies\" = [3, 4], {tables} }}"),
                vec![format!(
                    "the axes `{plies}` and `openings` both set `{plies}`, so that two cells are the same job"
                )],
            ),
            // Each of these changes a value of its own.
            ("\"agent.c\" = 2.0", swept.to_owned(), vec![]),
            ("agent = { uct = { c = 2.0 } }", swept.to_owned(), vec![]),
            ("agent = { uct = {} }", swept.to_owned(), vec![]),
            ("\"opponent\" = \"u\"", format!("sweep = {{ {plain} }}"), vec![]),
        ] {
            assert_eq!(problems(set, &stage), expected, "{set} {stage}");
        }
    }
}
