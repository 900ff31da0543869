//! From stages to configurations: every cell of every stage, resolved and checked.
//!
//! A cell with mistakes is carried on as far as it was understood, so that the stages behind it are checked too; the
//! same mistake in a thousand cells is told once, at the word that caused it.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::exhibit::{Exhibit, Success};
use super::identity::config_key;
use super::job::JobSpec;
use super::plan::Config;
use super::reader::read;
use super::resolve::{Labels, Template, content, inherit};
use super::source::{Problem, Span};
use super::stage::{Arms, Stage};
use super::sweep::{Cell, MOST};
use super::tree::{Node, Setting, Table, Value};
use super::variant::Variant;
use super::written::{Written, shown};

/// The configurations of a manifest, each behind the one that it takes from; every mistake becomes a problem.
pub fn configs(written: &Written, problems: &mut Vec<Problem>) -> Vec<Config> {
    let mut found = Findings { known: HashSet::new(), problems };
    let mut drafts: Vec<Draft> = Vec::new();
    for stage in in_order(&written.stages, &written.stage_names, &mut found) {
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
struct Draft<'a> {
    stage: &'a Stage,
    labels: Labels,
    tree: Table,
    spec: Option<Arc<JobSpec>>,
    from: Option<usize>,
    seeds: &'a [u64],
}

impl Draft<'_> {
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
            seeds: self.seeds.to_vec(),
            tree: self.tree,
        })
    }
}

/// The stages such that each stands behind the one that it takes from.
fn in_order<'a>(stages: &'a [Stage], names: &[String], found: &mut Findings<'_>) -> Vec<&'a Stage> {
    let mut order: Vec<&Stage> = Vec::new();
    let mut left: Vec<&Stage> = Vec::new();
    for stage in stages {
        let names = names.iter().map(String::as_str);
        match &stage.from {
            None => order.push(stage),
            Some((from, span)) if !names.clone().any(|name| name == from) => {
                let message = format!("there is no stage `{from}`");
                found.add(Problem::at(span.clone(), message).nearest(from, names).echo());
            }
            // A stage that could not be read feeds nobody; its own mistakes are told already.
            Some((from, _)) if stages.iter().any(|stage| stage.name == *from) => left.push(stage),
            Some(_) => {}
        }
    }
    loop {
        let is_ready = |stage: &&Stage| {
            let from = stage.from.as_ref().map(|(from, _)| from);
            order.iter().any(|done| Some(&done.name) == from)
        };
        let Some(at) = left.iter().position(is_ready) else { break };
        order.push(left.remove(at));
    }
    for stage in left {
        if let Some((from, span)) = &stage.from
            && waits_for_itself(stage, stages)
        {
            let message = match *from == stage.name {
                true => format!("stage `{from}` waits for itself"),
                false => format!("stage `{}` waits for itself by way of `{from}`", stage.name),
            };
            found.add(Problem::at(span.clone(), message));
        }
    }
    order
}

/// Whether a stage is on a circle (and not merely behind one, or behind a stage that has mistakes).
fn waits_for_itself(stage: &Stage, stages: &[Stage]) -> bool {
    let before = |stage: &Stage| {
        let (from, _) = stage.from.as_ref()?;
        stages.iter().find(|other| other.name == *from)
    };
    let chain = std::iter::successors(before(stage), |stage| before(stage));
    chain.take(stages.len()).any(|other| other.name == stage.name)
}

/// Appends the drafts of one stage: what it takes from, times variants, times cells.
fn expand<'a>(written: &'a Written, stage: &'a Stage, drafts: &mut Vec<Draft<'a>>, found: &mut Findings<'_>) {
    let bases: Vec<Option<usize>> = match &stage.from {
        None => vec![None],
        Some((from, span)) => {
            let is_base = |(_, draft): &(usize, &Draft<'_>)| draft.stage.name == *from;
            let bases: Vec<usize> = drafts.iter().enumerate().filter(is_base).map(|(at, _)| at).collect();
            if bases.iter().any(|&at| drafts[at].tree.get("train").is_none()) {
                let message = format!("stage `{from}` trains nothing that `{}` could take over", stage.name);
                found.add(Problem::at(span.clone(), message));
            }
            bases.into_iter().map(Some).collect()
        }
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
    for cases in cases.chunks(AT_A_TIME) {
        let resolved: Vec<_> = cases.par_iter().map(|case| case.resolve(drafts)).collect();
        for (draft, problems) in resolved.into_iter().flatten() {
            drafts.push(draft);
            problems.into_iter().for_each(|problem| found.add(problem));
        }
    }
}

/// The arms of a stage; one that changes nothing where it has none.
fn arms<'a>(written: &'a Written, stage: &Stage, found: &mut Findings<'_>) -> Vec<Option<&'a Variant>> {
    let all = || written.variants.iter().map(Some).collect();
    match &stage.variants {
        None if stage.from.is_some() || written.variants.is_empty() => vec![None],
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

/// So many cells are resolved before they are put to the others.
const AT_A_TIME: usize = 4096;

/// One cell of one stage, for one variant and one configuration that it takes from.
struct Case<'a> {
    written: &'a Written,
    stage: &'a Stage,
    base: Option<usize>,
    variant: Option<&'a Variant>,
    cell: &'a Cell,
}

impl<'a> Case<'a> {
    /// The draft with its problems; nothing where it is excluded.
    fn resolve(&self, drafts: &[Draft<'a>]) -> Option<(Draft<'a>, Vec<Problem>)> {
        let mut problems = Vec::new();
        let settings = self.settings();
        let template = self.fill(drafts, &settings, &mut problems);
        let has = |unwanted: &Arc<Setting>| {
            label(&template.labels, &template.tree, &unwanted.path) == Some(unwanted.node.value.label())
        };
        if self.stage.excluded.iter().any(|unwanted| unwanted.iter().all(has)) {
            return None;
        }
        let mut spec = self.read(&template.tree, &mut problems);
        if self.base.is_some_and(|base| drafts[base].spec.is_none()) {
            // What was taken over with mistakes is told where it comes from.
            problems.retain(|problem| problem.span.as_ref() != Some(&self.stage.span));
            spec = None;
        }
        if let Some(message) = spec.as_ref().and_then(|spec| spec.check().err()) {
            problems.push(Problem::at(self.culprit(drafts, &settings), message));
            spec = None;
        }
        let Template { tree, mut labels, .. } = template;
        labels.shrink_to_fit();
        let seeds = self.variant.and_then(|variant| variant.seeds.as_ref()).unwrap_or(&self.stage.seeds);
        let draft = Draft { stage: self.stage, labels, tree, spec: spec.map(Arc::new), from: self.base, seeds };
        Some((draft, problems))
    }

    /// Everything that is set in the template.
    fn settings(&self) -> Vec<&'a Setting> {
        let changes = self.variant.map_or(&[][..], |variant| &variant.set);
        changes.iter().chain(self.cell.iter().map(|setting| &**setting)).collect()
    }

    fn fill(&self, drafts: &[Draft<'_>], settings: &[&Setting], problems: &mut Vec<Problem>) -> Template<'a> {
        let mut tree = self.stage.job.clone();
        let labels = match self.base.map(|base| &drafts[base]) {
            Some(before) => inherit(&mut tree, &self.stage.span, &before.tree, &before.labels),
            None => Labels::new(),
        };
        let mut template = Template { tree, games: &self.written.games, agents: &self.written.agents, labels };
        if let Some(variant) = self.variant {
            template.keep_label("variant", "trained");
            template.label(&"variant".into(), variant.name.as_str().into());
        }
        template.apply(settings.iter().copied(), problems);
        template.label_axes(self.cell.iter().map(|setting| &**setting));
        template
    }

    /// Reads the filled job. Where a name is unknown already, its type is no second problem.
    fn read(&self, tree: &Table, problems: &mut Vec<Problem>) -> Option<JobSpec> {
        let mut found = Vec::new();
        let spec = read(&Node { span: self.stage.span.clone(), value: Value::Table(tree.clone()) }, &mut found);
        found.retain(|new| !problems.iter().any(|known| known.span == new.span));
        problems.append(&mut found);
        spec
    }

    /// Where the setting stands without which the job would be sound; the job's name where there is none.
    fn culprit(&self, drafts: &[Draft<'_>], settings: &[&Setting]) -> Span {
        let is_sound_without = |left_out: &usize| {
            let kept: Vec<&Setting> =
                settings.iter().enumerate().filter(|(at, _)| at != left_out).map(|(_, setting)| *setting).collect();
            let tree = self.fill(drafts, &kept, &mut Vec::new()).tree;
            self.read(&tree, &mut Vec::new()).is_some_and(|spec| spec.check().is_ok())
        };
        let job = self.stage.job.tagged().and_then(|(_, job)| job.tagged());
        let place = job.map_or(&self.stage.span, |(entry, _)| &entry.key_span);
        let found = (0..settings.len()).rev().find(is_sound_without);
        found.map_or(place, |at| &settings[at].node.span).clone()
    }
}

/// The label of an axis: a swept one, a named game or agent, or any value that the dotted path leads to.
pub(super) fn label(labels: &Labels, tree: &Table, axis: &str) -> Option<String> {
    let swept = labels.iter().find(|(name, _)| **name == *axis).map(|(_, label)| label.to_string());
    swept.or_else(|| content(tree)?.lookup(axis).map(Value::label))
}

/// The axes that exhibits name are there.
fn check_axes(written: &Written, drafts: &[Draft<'_>], found: &mut Findings<'_>) {
    for (exhibit, node) in written.exhibits.iter().zip(&written.exhibit_nodes) {
        let stages = exhibit.show.stages();
        let of_stage = || drafts.iter().filter(|draft| stages.contains(&draft.stage.name.as_str()));
        let Some(first) = of_stage().next() else { continue };
        for axis in exhibit.show.axes() {
            if !of_stage().any(|draft| label(&draft.labels, &draft.tree, axis).is_some()) {
                found.add(no_axis(first, axis, shown(node, axis)));
            }
        }
        check_success(exhibit, node, &of_stage().collect::<Vec<_>>(), found);
    }
    check_excluded(written, drafts, found);
}

fn no_axis(draft: &Draft<'_>, axis: &str, place: Span) -> Problem {
    let message = format!("stage `{}` has no axis `{axis}`", draft.stage.name);
    Problem::at(place, message).nearest(axis, draft.labels.iter().map(|(name, _)| &**name))
}

/// The labels that success criteria name are there.
fn check_success(exhibit: &Exhibit, node: &Node, drafts: &[&Draft<'_>], found: &mut Findings<'_>) {
    let labels_of = |axis: &str| -> Vec<String> {
        drafts.iter().filter_map(|draft| label(&draft.labels, &draft.tree, axis)).collect()
    };
    for axis in exhibit.success.iter().flat_map(|success| &success.each) {
        if labels_of(axis).is_empty() {
            found.add(no_axis(drafts[0], axis, node.place_of(axis).unwrap_or(&node.span).clone()));
        }
    }
    for (axis, wanted) in exhibit.success.iter().flat_map(Success::labels) {
        let known = labels_of(axis);
        let place = node.place_of(wanted).unwrap_or(&node.span).clone();
        if known.is_empty() {
            found.add(no_axis(drafts[0], axis, place));
        } else if !known.contains(wanted) {
            let message = format!("nothing has the label `{wanted}` on the axis `{axis}`");
            found.add(Problem::at(place, message).nearest(wanted, known.iter().map(String::as_str)));
        }
    }
}

/// The axes that are excluded by are there, in a stage where all is well.
fn check_excluded(written: &Written, drafts: &[Draft<'_>], found: &mut Findings<'_>) {
    for stage in &written.stages {
        let Some(first) = drafts.iter().find(|draft| draft.stage.name == stage.name) else { continue };
        for setting in stage.excluded.iter().flatten() {
            if label(&first.labels, &first.tree, &setting.path).is_none() {
                found.add(no_axis(first, &setting.path, setting.span.clone()));
            }
        }
    }
}
