//! Expansion of stages into configurations: every cell of every stage is resolved and checked.
//!
//! A cell with mistakes is kept as far as it was understood, so that downstream stages are checked too. The same
//! mistake in a thousand cells is reported once, at the word that caused it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::candidates::candidates;
use super::case::Case;
use super::config::{Config, Part};
use super::dependency::{Dependency, Reading};
use super::display_names::check_display_names;
use super::labels::check_labels;
use super::order::in_order;
use super::overwritten::same_jobs;
use super::problem_set::ProblemSet;
use super::races::mark_alternatives;
use super::template::has_entrants;
use crate::manifest::read::stage::{Arms, Stage};
use crate::manifest::read::sweep::{MOST, hits_nothing};
use crate::manifest::read::upstream::Upstream;
use crate::manifest::read::variant::Variant;
use crate::manifest::read::written::WrittenManifest;
use crate::manifest::text::source::Problem;
use crate::manifest::text::tree::Table;
use gauntlet_games::base::Key;

/// The configurations of a manifest, each after its upstream; every mistake becomes a problem, and if there is any, the
/// list is empty.
pub(in crate::manifest) fn configs(written: &WrittenManifest, problems: &mut Vec<Problem>) -> Vec<Config> {
    let mut found = ProblemSet::new(problems);
    let mut configs: Vec<Config> = Vec::new();
    let (order, mistakes) = in_order(&written.stages, &written.stage_names);
    mistakes.into_iter().for_each(|mistake| found.add(mistake));
    for stage in order {
        if check_upstreams(stage, &configs, &mut found) {
            expand(written, stage, &mut configs, &mut found);
        }
    }
    mark_alternatives(written, &mut configs);
    check_labels(written, &configs, &mut found);
    check_display_names(written, &configs, &mut found);
    if found.is_empty() { configs } else { Vec::new() }
}

/// Whether every upstream of a stage trains, and those of a training in the same way, unless it tunes numbers of a trained
/// player. False if no upstream job could be resolved.
fn check_upstreams(stage: &Stage, configs: &[Config], found: &mut ProblemSet<'_>) -> bool {
    let first = |from: &str| configs.iter().find(|config| *config.stage == *from);
    let mut is_fine = true;
    stage.from.iter().filter_map(|upstream| misplaced_runs(stage, upstream)).for_each(|problem| found.add(problem));
    for (from, span) in stage.from.iter().map(|upstream| &upstream.stage) {
        let Some(config) = first(from) else { continue };
        match (trainer(&stage.job), trainer(&config.tree)) {
            (_, None) => {
                let message = format!("stage `{from}` trains nothing that `{}` could take over", stage.name);
                found.add(Problem::at(span.clone(), message));
            }
            (Some(own), Some(before)) if own != before && own != TUNING => {
                let message = format!("stage `{from}` trains with `{before}`, and `{own}` trains other networks");
                let hint = format!("take the weights from a stage that trains with `{own}`");
                found.add(Problem::at(span.clone(), message).hint(hint));
                is_fine = false;
            }
            (_, Some(_)) => {}
        }
    }
    is_fine
}

/// The problem of `runs` for a player that is not the opponent of a match.
fn misplaced_runs(stage: &Stage, upstream: &Upstream) -> Option<Problem> {
    let (_, span) = upstream.runs.as_ref().filter(|(runs, _)| *runs > 1)?;
    let is_opponent = upstream.player() == Some("opponent") && !has_entrants(&stage.job);
    let message = "only the opponent of a match has several runs for each run of the agent";
    let hint = "as in `from = { agent = \"train\", opponent = { stage = \"rivals\", runs = 3 } }`";
    (!is_opponent || trainer(&stage.job).is_some()).then(|| Problem::at(span.clone(), message).hint(hint))
}

/// The training method that takes the weights of every other one.
const TUNING: &str = "spsa";

/// The training method of a job, `cma-es` or `alpha-zero`; `None` if it does not train.
fn trainer(job: &Table) -> Option<&str> {
    let (_, training) = job.tagged().filter(|(kind, _)| &*kind.key == "train")?;
    Some(&training.tagged()?.0.key)
}

/// Appends the configurations of one stage: upstream configurations times variants times cells.
fn expand(written: &WrittenManifest, stage: &Stage, configs: &mut Vec<Config>, found: &mut ProblemSet<'_>) {
    let bases: Vec<Option<usize>> = match stage.from.get(stage.leading()) {
        None => vec![None],
        Some(upstream) => match candidates(upstream, written, configs) {
            Ok(bases) => bases.into_iter().map(Some).collect(),
            Err(problem) => return found.add(problem),
        },
    };
    let variants = arms(written, stage, found);
    if bases.len().saturating_mul(variants.len()).saturating_mul(stage.cells.len()) > MOST {
        found.add(Problem::at(stage.span.clone(), format!("stage `{}` has more than {MOST} cells", stage.name)));
        return;
    }
    let cases: Vec<Case<'_>> = bases
        .iter()
        .flat_map(|base| variants.iter().map(move |variant| (*base, *variant)))
        .flat_map(|(base, variant)| stage.cells.iter().map(move |cell| Case { written, stage, base, variant, cell }))
        .collect();
    let first = configs.len();
    let (mut hit, mut planned) = (vec![false; stage.excluded.len()], Vec::with_capacity(cases.len()));
    for cases in cases.chunks(AT_A_TIME) {
        let resolved: Vec<_> = cases.par_iter().map(|case| (case, case.resolve(configs))).collect();
        for (case, resolved) in resolved {
            match resolved {
                Ok((config, problems)) => {
                    planned.push(case);
                    configs.push(config);
                    problems.into_iter().for_each(|problem| found.add(problem));
                }
                Err(exclusions) => exclusions.into_iter().for_each(|at| hit[at] = true),
            }
        }
    }
    look_up_left(stage, &mut configs[first..]);
    same_jobs(planned.into_iter().zip(&configs[first..])).into_iter().for_each(|problem| found.add(problem));
    check_exclusions(stage, cases.len(), &configs[first..], &hit, found);
    divide(configs, first);
}

/// Looks up the axes of a stage that single cells leave to the job.
fn look_up_left(stage: &Stage, configs: &mut [Config]) {
    let mut known = HashSet::new();
    let axes = stage.cells.iter().flatten().map(|setting| &setting.path);
    let axes: Vec<&Arc<str>> = axes.filter(|axis| known.insert(*axis)).collect();
    configs.par_iter_mut().for_each(|config| config.look_up_left(&axes));
}

/// Puts the parts of the configurations from `first` before them. Cells with the same positions share their solutions.
fn divide(configs: &mut Vec<Config>, first: usize) {
    let cells = configs.split_off(first);
    let parts: Vec<Vec<Part>> = cells.par_iter().map(Config::parts).collect();
    let mut solutions: HashMap<Key, usize> = HashMap::new();
    let mut divided = Vec::with_capacity(cells.len());
    for (mut cell, parts) in cells.into_iter().zip(parts) {
        for Part { name, reads, config } in parts {
            let next = configs.len();
            let place = match reads {
                Reading::Solutions => *solutions.entry(config.key).or_insert(next),
                Reading::Games | Reading::Weights => next,
            };
            configs.extend((place == next).then_some(config));
            cell.from.push(Dependency { player: Some(name), config: place, iteration: None, runs: 1, reads });
        }
        divided.push(cell);
    }
    configs.extend(divided);
}

/// Checks that every exclusion matches a cell, and that some of the `cases` remain. After other mistakes neither is
/// reported, as it may follow from them.
fn check_exclusions(stage: &Stage, cases: usize, configs: &[Config], hit: &[bool], found: &mut ProblemSet<'_>) {
    if !found.is_empty() || cases == 0 {
        return;
    }
    let Some(one) = configs.first() else {
        let message = format!("all cells of stage `{}` are excluded", stage.name);
        return found.add(Problem::at(stage.span.clone(), message).hint("exclude fewer"));
    };
    // Axes that do not exist are reported in the check of labels.
    let is_known = |axis: &str| one.label(axis).is_some();
    for (unwanted, _) in stage.excluded.iter().zip(hit).filter(|(_, hit)| !**hit) {
        if unwanted.iter().all(|setting| is_known(&setting.path)) {
            found.add(hits_nothing(unwanted[0].span.clone()));
        }
    }
}

/// The arms of a stage; one `None` if it has no variants.
fn arms<'a>(written: &'a WrittenManifest, stage: &Stage, found: &mut ProblemSet<'_>) -> Vec<Option<&'a Variant>> {
    let all = || written.variants.iter().map(Some).collect();
    match &stage.variants {
        None if !stage.from.is_empty() || written.variants.is_empty() => vec![None],
        None => all(),
        Some((Arms::None, _)) => vec![None],
        Some((Arms::All, _)) => all(),
        Some((Arms::Named(names), node)) => {
            let arm = |name: &String| {
                let arm = written.variants.iter().find(|variant| variant.name == *name);
                if arm.is_none() {
                    let place = node.place_of(name).unwrap_or(&node.span).clone();
                    let known = written.variants.iter().map(|variant| variant.name.as_str());
                    found.add(Problem::at(place, format!("unknown variant `{name}`")).nearest(name, known).echo());
                }
                arm
            };
            names.iter().filter_map(arm).map(Some).collect()
        }
    }
}

/// Number of cells that are resolved in one batch.
const AT_A_TIME: usize = 4096;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::manifest::{Overrides, Plan, load};

    #[test]
    fn a_cell_without_an_axis_has_the_value_of_the_job() {
        let text = "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ng.mnk = { columns = 3, rows = 3, row = 3 }\n\
            [agents]\nr.random = {}\nu.uct = { simulations = 4, c = 2.0 }\n[stages.m]\n\
            zip = [{ \"agent.c\" = [0.5, 1.0] }]\ninclude = [{ \"agent.simulations\" = 20 }]\n\
            play.match = { game = \"g\", agent = \"u\", opponent = \"r\", games = 8 }\n";
        let source = BTreeMap::from([("m.toml".to_owned(), text.to_owned())]);
        let loaded = load(&source, "m.toml", &Overrides::default()).unwrap();
        let plan = Plan::new(loaded, "cpu").unwrap();
        let left = plan.configs.iter().map(|config| {
            let axes = config.left_axes.iter().map(|(axis, label)| format!("{axis}={label}"));
            axes.collect::<Vec<_>>().join(" ")
        });
        assert_eq!(left.collect::<Vec<_>>(), ["agent.simulations=4", "agent.simulations=4", "agent.c=2"]);
    }
}
