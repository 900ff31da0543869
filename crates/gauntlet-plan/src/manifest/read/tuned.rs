//! `tuned`: a stage that runs the winner of a race alone.

use super::stage::Stage;
use super::sweep::SweepCell;
use crate::manifest::text::source::{Problem, nearest};
use crate::manifest::text::tree::Value;

/// Gives each stage that runs the winner of a race the settings of that race, times its own cells.
pub(super) fn take_settings(stages: &mut [Stage], names: &[&str], problems: &mut Vec<Problem>) {
    for at in 0..stages.len() {
        let Some((raced, span)) = stages[at].tuned.clone() else { continue };
        let race = stages.iter().find(|stage| *stage.name == *raced);
        match race {
            Some(Stage { tune: Some((tune, _)), .. }) => {
                let mut settings = settings(stages, &raced, stages[at].from.is_empty(), &tune.panel, stages.len());
                tune.rungs.iter().for_each(|axis| keep_last(axis, &mut settings));
                let own = std::mem::take(&mut stages[at].cells);
                let joined = |setting: &SweepCell| {
                    own.iter().map(|cell| setting.iter().chain(cell).cloned().collect()).collect::<Vec<SweepCell>>()
                };
                stages[at].cells = settings.iter().flat_map(joined).collect();
            }
            // Of a race with mistakes in `tune`, these are reported.
            Some(stage) if stage.has_tune => {}
            Some(_) => {
                let problem = Problem::at(span, format!("stage `{raced}` is no race"));
                problems.push(problem.hint("a race has `tune = {}`"));
            }
            // A stage with mistakes is not among the stages that were read.
            None if names.contains(&&*raced) => {}
            None => {
                let problem = Problem::at(span, format!("there is no stage `{raced}`"));
                problems.push(match nearest(&raced, names) {
                    Some(near) => problem.hint(format!("did you mean `{near}`?")),
                    None => problem,
                });
            }
        }
    }
}

/// Keeps the cells of the last rung of a race.
fn keep_last(axis: &str, cells: &mut Vec<SweepCell>) {
    let rung = |cell: &SweepCell| match cell.iter().find(|own| *own.path == *axis)?.node.value {
        Value::Integer(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    };
    let last = cells.iter().filter_map(rung).fold(f64::NEG_INFINITY, f64::max);
    cells.retain(|cell| rung(cell).is_none_or(|own| own == last));
}

/// The cells of a race without the axes of its panel, and, for a stage without an upstream, times those of the trainings
/// that the race takes, through at most `depth` stages: stages that wait for each other are reported elsewhere.
fn settings(stages: &[Stage], name: &str, with_trainings: bool, panel: &[String], depth: usize) -> Vec<SweepCell> {
    let Some(stage) = stages.iter().find(|stage| stage.name == name) else { return vec![SweepCell::new()] };
    let own = stage.cells.iter().map(|cell| -> SweepCell {
        cell.iter().filter(|setting| !panel.iter().any(|axis| **axis == *setting.path)).cloned().collect()
    });
    let before = match stage.from.get(stage.leading()) {
        Some(upstream) if with_trainings && depth > 0 => settings(stages, &upstream.stage.0, true, panel, depth - 1),
        _ => vec![SweepCell::new()],
    };
    let mut cells: Vec<SweepCell> = Vec::new();
    for own in own {
        for before in &before {
            let cell: SweepCell = before.iter().chain(&own).cloned().collect();
            let same = |known: &SweepCell| {
                known
                    .iter()
                    .zip(&cell)
                    .all(|(one, other)| one.path == other.path && one.node.value.same(&other.node.value))
            };
            if !cells.iter().any(same) {
                cells.push(cell);
            }
        }
    }
    cells
}
