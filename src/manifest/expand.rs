//! From stages to configurations: every cell of every stage, resolved and checked.
//!
//! A cell with mistakes is carried on as far as it was understood, so that the stages behind it are checked too; the
//! same mistake in a thousand cells is told once, at the word that caused it.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::case::Case;
use super::feed::{Feed, candidates};
use super::identity::config_key;
use super::job::JobSpec;
use super::order::{in_order, seeds};
use super::plan::Config;
use super::resolve::{Labels, content};
use super::source::Problem;
use super::stage::{Stage, Variant};
use super::sweep::MOST;
use super::tree::{Table, Value};
use super::written::{Written, shown};

/// The configurations of a manifest, each behind the one that it takes from; every mistake becomes a problem.
pub fn configs(written: &Written, problems: &mut Vec<Problem>) -> Vec<Config> {
    let mut found = Findings { known: HashSet::new(), problems };
    let mut drafts: Vec<Draft> = Vec::new();
    let (order, mistakes) = in_order(&written.stages, &written.stage_names);
    mistakes.into_iter().for_each(|mistake| found.add(mistake));
    for stage in order {
        check_upstreams(written, stage, &drafts, &mut found);
        expand(written, stage, &mut drafts, &mut found);
    }
    check_axes(written, &drafts, &mut found);
    if !found.problems.is_empty() {
        return Vec::new();
    }
    drafts.into_par_iter().filter_map(Draft::finish).collect()
}

/// Problems, each told once.
struct Findings<'a> {
    known: HashSet<Problem>,
    problems: &'a mut Vec<Problem>,
}

impl Findings<'_> {
    fn add(&mut self, problem: Problem) {
        if !self.known.contains(&problem) {
            self.known.insert(problem.clone());
            self.problems.push(problem);
        }
    }
}

/// A configuration, resolved as far as it could be understood.
pub(super) struct Draft<'a> {
    pub(super) stage: &'a Stage,
    pub(super) labels: Labels,
    pub(super) tree: Table,
    pub(super) spec: Option<Arc<JobSpec>>,
    pub(super) from: Vec<Feed>,
}

impl Draft<'_> {
    /// Its labels on the axes that its own stage is expanded over.
    pub(super) fn axes(&self) -> impl Iterator<Item = &(Arc<str>, Arc<str>)> {
        let swept = self.stage.cells.first().map_or(&[][..], Vec::as_slice);
        let is_axis = |axis: &str| axis == "variant" || swept.iter().any(|setting| *setting.path == *axis);
        self.labels.iter().filter(move |(axis, _)| is_axis(axis))
    }

    fn finish(self) -> Option<Config> {
        let spec = self.spec?;
        Some(Config {
            stage: self.stage.name.clone(),
            key: config_key(&spec),
            slug: spec.slug(),
            cost: spec.cost(),
            spec,
            labels: self.labels,
            from: self.from,
            tree: self.tree,
        })
    }
}

/// Whether every upstream of a stage trains, with the same seeds as the others.
fn check_upstreams(written: &Written, stage: &Stage, drafts: &[Draft<'_>], found: &mut Findings<'_>) {
    let own = seeds(stage, &written.stages);
    for upstream in &stage.from {
        let (from, span) = &upstream.stage;
        let of_stage = || drafts.iter().filter(|draft| *draft.stage.name == **from);
        if of_stage().any(|draft| draft.tree.get("train").is_none()) {
            let message = format!("stage `{from}` trains nothing that `{}` could take over", stage.name);
            found.add(Problem::at(span.clone(), message));
        }
        let theirs = of_stage().next().map_or(own, |draft| seeds(draft.stage, &written.stages));
        if own != theirs {
            let first = &stage.from[0].stage.0;
            let message = format!("stage `{from}` has the seeds {theirs:?}, and stage `{first}` has {own:?}");
            let hint = "runs of several trainings meet by seed: give all of them the same `seeds`";
            found.add(Problem::at(span.clone(), message).hint(hint));
        }
    }
}

/// Appends the drafts of one stage: what it takes from, times variants, times cells.
fn expand<'a>(written: &'a Written, stage: &'a Stage, drafts: &mut Vec<Draft<'a>>, found: &mut Findings<'_>) {
    let bases: Vec<Option<usize>> = match stage.from.get(stage.leading()) {
        None => vec![None],
        Some(upstream) => match candidates(upstream, drafts) {
            Ok(bases) => bases.into_iter().map(Some).collect(),
            Err(problem) => return found.add(problem),
        },
    };
    let variants: Vec<Option<&Variant>> = match written.variants.as_slice() {
        [] => vec![None],
        _ if !stage.from.is_empty() || !stage.variants => vec![None],
        variants => variants.iter().map(Some).collect(),
    };
    if bases.len().saturating_mul(variants.len()).saturating_mul(stage.cells.len()) > MOST {
        found.add(Problem::at(stage.span.clone(), format!("stage `{}` has more than {MOST} cells", stage.name)));
        return;
    }
    let cases: Vec<Case<'_>> = bases
        .iter()
        .flat_map(|base| variants.iter().map(move |variant| (*base, *variant)))
        .flat_map(|(base, variant)| stage.cells.iter().map(move |cell| Case { written, stage, base, variant, cell }))
        .collect();
    for cases in cases.chunks(AT_A_TIME) {
        let resolved: Vec<(Draft<'a>, Vec<Problem>)> = cases.par_iter().map(|case| case.resolve(drafts)).collect();
        for (draft, problems) in resolved {
            drafts.push(draft);
            problems.into_iter().for_each(|problem| found.add(problem));
        }
    }
}

/// So many cells are resolved before they are put to the others.
const AT_A_TIME: usize = 4096;

/// The label of an axis: a swept one, a named game or agent, or any value that the dotted path leads to.
pub(super) fn label(labels: &Labels, tree: &Table, axis: &str) -> Option<String> {
    let swept = labels.iter().find(|(name, _)| **name == *axis).map(|(_, label)| label.to_string());
    swept.or_else(|| content(tree)?.lookup(axis).map(Value::label))
}

/// The axes that exhibits name are there.
fn check_axes(written: &Written, drafts: &[Draft<'_>], found: &mut Findings<'_>) {
    for (exhibit, node) in written.exhibits.iter().zip(&written.exhibit_nodes) {
        let of_stage = || drafts.iter().filter(|draft| draft.stage.name == exhibit.show.stage());
        let Some(first) = of_stage().next() else { continue };
        for axis in exhibit.show.axes() {
            if !of_stage().any(|draft| label(&draft.labels, &draft.tree, axis).is_some()) {
                let message = format!("stage `{}` has no axis `{axis}`", first.stage.name);
                let known = first.labels.iter().map(|(name, _)| &**name);
                found.add(Problem::at(shown(node, axis), message).nearest(axis, known));
            }
        }
    }
}
