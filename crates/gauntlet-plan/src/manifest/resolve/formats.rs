//! Number formats that a device does not have.

use super::config::Config;
use super::problem_set::ProblemSet;
use crate::manifest::read::written::WrittenManifest;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Table, Value};
use gauntlet_nets::nets::NumberFormat;

/// Refuses number formats other than `f32` on a CUDA device, whose precision is an option of the command line.
pub(in crate::manifest) fn check_formats(
    written: &WrittenManifest,
    configs: &[Config],
    device: &str,
    problems: &mut Vec<Problem>,
) {
    if device.starts_with("cpu") {
        return;
    }
    let mut found = ProblemSet::new(problems);
    for config in configs {
        let formats = config.sound_spec().into_iter().flat_map(|spec| spec.job().numbers());
        for numbers in formats.filter(|numbers| !numbers.is_f32()) {
            let message = format!("`{}` is a number format of the CPU, and this plan is for {device}", numbers.word());
            let place = place(&config.tree, numbers).or_else(|| Some(&written.stage(&config.stage)?.span));
            let hint = "leave `numbers` out, and choose the precision of a CUDA device with --precision";
            found.add(Problem::at(place.map_or(0..0, Span::clone), message).hint(hint));
        }
    }
}

/// The place of the key that sets a format.
fn place(tree: &Table, numbers: NumberFormat) -> Option<&Span> {
    tree.entries().iter().find_map(|entry| match &entry.node.value {
        Value::Text(word) if &*entry.key == "numbers" && &**word == numbers.word() => Some(&entry.node.span),
        Value::Table(table) => place(table, numbers),
        Value::List(nodes) => nodes.iter().filter_map(|node| node.table()).find_map(|table| place(table, numbers)),
        _ => None,
    })
}
