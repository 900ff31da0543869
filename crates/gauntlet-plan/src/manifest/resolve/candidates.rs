//! Selection of the configurations from which a cell takes its trained players.

use std::sync::Arc;

use super::config::Config;
use super::dependency::{Dependency, Reading};
use super::template::{Template, label};
use crate::manifest::read::upstream::Upstream;
use crate::manifest::read::written::WrittenManifest;
use crate::manifest::text::source::Problem;
use crate::manifest::text::tree::Setting;

/// The dependency from a configuration.
///
/// # Errors
/// If its training does not keep the iteration. A configuration with mistakes is not checked.
pub(super) fn dependency(upstream: &Upstream, config: usize, configs: &[Config]) -> Result<Dependency, Problem> {
    let runs = upstream.runs.as_ref().map_or(1, |(runs, _)| *runs);
    let from = |iteration| Dependency {
        player: upstream.player().map(Arc::from),
        config,
        iteration,
        runs,
        reads: Reading::Weights,
    };
    let Some((iteration, span)) = &upstream.iteration else { return Ok(from(None)) };
    let training = configs[config].sound_spec().and_then(|spec| spec.job().training());
    let Some(kept) = training.map(|training| training.kept).filter(|kept| !kept.contains(iteration)) else {
        return Ok(from(Some(*iteration)));
    };
    let message = format!("stage `{}` does not keep iteration {iteration}", upstream.stage.0);
    let kept: Vec<String> = kept.iter().map(u32::to_string).collect();
    Err(Problem::at(span.clone(), message).hint(match kept.is_empty() {
        true => format!("add `keep = [{iteration}]` to the settings of an `alpha-zero`"),
        false => format!("kept: {}", kept.join(", ")),
    }))
}

/// The configurations of an upstream with the labels that `only` selects.
///
/// # Errors
/// If there are configurations, but none with these labels.
pub(super) fn candidates(
    upstream: &Upstream,
    written: &WrittenManifest,
    configs: &[Config],
) -> Result<Vec<usize>, Problem> {
    let of_stage = |at: &usize| *configs[*at].stage == *upstream.stage.0;
    let all: Vec<usize> = (0..configs.len()).filter(of_stage).collect();
    let has = |at: &usize, (axis, wanted): &(&str, String)| configs[*at].label(axis).is_some_and(|own| own == *wanted);
    let only: Vec<(&str, String)> = upstream.only.iter().map(|setting| (&*setting.path, wanted(setting))).collect();
    let chosen: Vec<usize> = all.iter().copied().filter(|at| only.iter().all(|label| has(at, label))).collect();
    if !chosen.is_empty() || all.is_empty() {
        return Ok(chosen);
    }
    let only: Vec<String> = only.iter().map(|(axis, wanted)| format!("{axis}={wanted}")).collect();
    Err(refusal(upstream, &format!("has {}", only.join(" ")), &all, (written, configs)))
}

fn wanted(setting: &Setting) -> String {
    setting.node.text().map_or_else(|| setting.node.value.label(), str::to_owned)
}

/// The one configuration of an upstream that fits a cell: it has the same labels on all axes that both have.
///
/// # Errors
/// If none fits, or several. `None` if the upstream has no configuration: the reason is reported elsewhere.
pub(super) fn fitting(
    upstream: &Upstream,
    written: &WrittenManifest,
    configs: &[Config],
    cell: &Template<'_>,
) -> Result<usize, Option<Problem>> {
    let candidates = candidates(upstream, written, configs)?;
    let there = |axis: &str| if upstream.chooses(axis) { None } else { label(&cell.labels, &cell.tree, axis) };
    let stage = written.stage(&upstream.stage.0);
    let fits = |at: &usize| configs[*at].axes(stage).all(|(axis, own)| there(axis).is_none_or(|label| *label == **own));
    let fitting: Vec<usize> = candidates.iter().copied().filter(fits).collect();
    match fitting.as_slice() {
        [one] => Ok(*one),
        [] => Err(candidates.first().map(|first| {
            let axes = configs[*first].axes(stage).filter_map(|(axis, _)| Some(format!("{axis}={}", there(axis)?)));
            refusal(upstream, &format!("fits {}", axes.collect::<Vec<_>>().join(" ")), &candidates, (written, configs))
        })),
        several => {
            let message = format!("{} configurations of stage `{}` fit this cell", several.len(), upstream.stage.0);
            let hint = format!(
                "choose one with `only = {{ axis = label }}`: {}",
                choices(upstream, several, (written, configs))
            );
            Err(Some(Problem::at(upstream.stage.1.clone(), message).hint(hint)))
        }
    }
}

fn refusal(upstream: &Upstream, what: &str, all: &[usize], among: (&WrittenManifest, &[Config])) -> Problem {
    let message = format!("no configuration of stage `{}` {what}", upstream.stage.0);
    Problem::at(upstream.stage.1.clone(), message).hint(format!("there are: {}", choices(upstream, all, among)))
}

/// Maximum number of choices in a list.
const MOST_CHOICES: usize = 10;

/// Configurations by their labels, for messages.
fn choices(upstream: &Upstream, some: &[usize], (written, configs): (&WrittenManifest, &[Config])) -> String {
    let stage = written.stage(&upstream.stage.0);
    let one = |at: &usize| {
        configs[*at].axes(stage).map(|(axis, label)| format!("{axis}={label}")).collect::<Vec<_>>().join(" ")
    };
    let mut choices: Vec<String> = some.iter().take(MOST_CHOICES).map(one).collect();
    if some.len() > MOST_CHOICES {
        choices.push("...".to_owned());
    }
    choices.join("; ")
}
