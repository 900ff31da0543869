//! Filling a job template: named games and agents, variants, axis values, and what a stage takes over from
//! the stage before it.

use std::sync::Arc;

use super::source::{Problem, Span};
use super::tree::{Entry, Node, Setting, Table, Value};

/// A job that is being filled.
pub struct Template<'a> {
    /// The job so far.
    pub tree: Table,
    /// Named games.
    pub games: &'a Table,
    /// Named agents.
    pub agents: &'a Table,
    /// Axis to label so far.
    pub labels: Labels,
}

/// Axis to label, in the order of the axes.
pub type Labels = Vec<(Arc<str>, Arc<str>)>;

/// Keys of a job that may name a game instead of writing it out.
const GAMES: [&str; 1] = ["game"];

/// Keys of a job that may name an agent instead of writing it out.
const AGENTS: [&str; 3] = ["agent", "opponent", "anchor"];

impl Template<'_> {
    /// Applies settings, short paths first, so that `game = "pente"` comes before `game.size = 7`.
    pub fn apply<'s>(&mut self, settings: impl Iterator<Item = &'s Setting>, problems: &mut Vec<Problem>) {
        let (mut deep, flat): (Vec<&Setting>, Vec<&Setting>) = settings.partition(|setting| setting.path.contains('.'));
        deep.sort_by_key(|setting| setting.path.matches('.').count());
        flat.into_iter().for_each(|setting| self.set(setting));
        self.write_out_names(problems);
        deep.into_iter().for_each(|setting| self.set(setting));
    }

    /// Labels a cell: each axis with its value.
    pub fn label_axes<'s>(&mut self, cell: impl Iterator<Item = &'s Setting>) {
        for setting in cell {
            let label = match &setting.node.value {
                Value::Text(text) => text.clone(),
                value => value.label().into(),
            };
            self.label(&setting.path, label);
        }
    }

    /// Sets or replaces the label of an axis.
    pub fn label(&mut self, axis: &Arc<str>, label: Arc<str>) {
        match self.labels.iter_mut().find(|(known, _)| known == axis) {
            Some((_, known)) => *known = label,
            None => self.labels.push((axis.clone(), label)),
        }
    }

    /// Gives the label of an axis, where it has one, to another axis.
    pub fn keep_label(&mut self, axis: &str, other: &str) {
        if let Some((name, _)) = self.labels.iter_mut().find(|(known, _)| **known == *axis) {
            *name = other.into();
        }
    }

    /// Sets one value; nothing lies below a name that could not be written out.
    fn set(&mut self, setting: &Setting) {
        let head = setting.path.split('.').next().unwrap_or_default();
        let is_below = head.len() < setting.path.len();
        if is_below && content(&self.tree).and_then(|job| job.get(head)).is_some_and(|node| node.text().is_some()) {
            return;
        }
        content_mut(&mut self.tree).set(&setting.path, &setting.span, setting.node.clone());
    }

    fn write_out_names(&mut self, problems: &mut Vec<Problem>) {
        let keys = GAMES.map(|key| (key, self.games)).into_iter().chain(AGENTS.map(|key| (key, self.agents)));
        for (key, named) in keys {
            let Some(Entry { key, node, .. }) = content(&self.tree).and_then(|job| job.entry(key)).cloned() else {
                continue;
            };
            let Value::Text(name) = &node.value else { continue };
            match named.get(name) {
                Some(found) => {
                    let node = Node { span: node.span.clone(), value: found.value.clone() };
                    content_mut(&mut self.tree).insert(Entry { key: key.clone(), key_span: node.span.clone(), node });
                    self.label(&key, name.clone());
                }
                None => problems.push(unknown(&key, name, &node.span, named)),
            }
        }
        self.write_out_players(problems);
    }

    /// Writes out the names in `players = ["naive", ...]`, keeping each as the player's name.
    fn write_out_players(&mut self, problems: &mut Vec<Problem>) {
        let players = content(&self.tree).and_then(|job| job.get("players"));
        let Some(Node { span, value: Value::List(players) }) = players.cloned() else { return };
        let written_out = players.into_iter().map(|node| {
            let Some(name) = node.text() else { return node };
            let Some(agent) = self.agents.get(name) else {
                problems.push(unknown("player", name, &node.span, self.agents));
                return node;
            };
            let entry = |key: &str, value: Value| {
                let node = Node { span: node.span.clone(), value };
                Entry { key: key.into(), key_span: node.span.clone(), node }
            };
            let name = entry("name", Value::Text(name.into()));
            let entrant = Table::from(vec![name, entry("agent", agent.value.clone())]);
            Node { span: node.span.clone(), value: Value::Table(entrant) }
        });
        let value = Value::List(written_out.collect());
        content_mut(&mut self.tree).set("players", &span.clone(), Node { span, value });
    }
}

fn unknown(what: &str, name: &str, span: &Span, known: &Table) -> Problem {
    Problem::at(span.clone(), format!("unknown {what} `{name}`")).nearest(name, known.keys()).echo()
}

/// The settings of a job, below its kind and its name: what `measure.fitness` holds.
#[must_use]
pub fn content(job: &Table) -> Option<&Table> {
    Some(job.tagged()?.1.tagged()?.1)
}

/// As [`content`], to be changed.
///
/// # Panics
/// When the job has no kind and name; the reading of stages has seen to that.
fn content_mut(job: &mut Table) -> &mut Table {
    let content = job.tagged_mut().and_then(Table::tagged_mut);
    content.expect("the shape of every stage's job was checked")
}

/// Takes over from the stage before, which trains: its game and opponent where this stage names none, its agent,
/// trained, and the labels of what was taken over.
pub fn inherit(job: &mut Table, span: &Span, before: &Table, labels: &Labels) -> Labels {
    let own = content_mut(job);
    let named: Vec<String> = own.keys().map(str::to_owned).collect();
    for key in ["game", "opponent", "agent"] {
        let entry: Option<&Entry> = content(before).and_then(|before| before.entry(key));
        if let (None, Some(entry)) = (own.get(key), entry) {
            own.insert(entry.clone());
        }
    }
    if own.get("agent").is_some_and(|agent| agent.table().is_some()) {
        own.set("agent.weights", span, Node { span: span.clone(), value: Value::Text("trained".into()) });
    }
    let is_own = |axis: &str| named.iter().any(|name| axis.split('.').next() == Some(name));
    labels.iter().filter(|(axis, _)| !is_own(axis)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::parse::parse;
    use crate::manifest::source::Sources;

    fn tree(text: &str) -> Table {
        parse(&mut Sources::default(), "test.toml", text).0
    }

    fn settings(text: &str) -> Vec<Setting> {
        tree(text).entries().iter().map(Setting::from).collect()
    }

    const GAMES: &str = "g = { gomoku = { size = 9 } }\np = { pente = { size = 7 } }";
    const AGENTS: &str = "a = { net = { weights = \"random\" } }\nn = { naive = {} }";

    /// The filled job, its labels and the messages of its problems, all as text.
    fn fill(job: &str, cell: &str) -> (String, String, String) {
        let (games, agents) = (tree(GAMES), tree(AGENTS));
        let mut template = Template { tree: tree(job), games: &games, agents: &agents, labels: Vec::new() };
        let (cell, mut problems) = (settings(cell), Vec::new());
        template.apply(cell.iter(), &mut problems);
        template.label_axes(cell.iter());
        let labels: Vec<String> = template.labels.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
        let problems: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
        (Value::Table(template.tree).label(), labels.join(" "), problems.join("; "))
    }

    #[test]
    fn names_are_written_out_before_paths_reach_into_them() {
        let (job, labels, problems) =
            fill("measure.fitness = { game = \"g\", agent = \"a\" }", "\"game.size\" = 5\ngame = \"p\"");
        assert_eq!(job, "measure fitness game pente size 5 agent net weights random");
        assert_eq!(labels, "game=p agent=a game.size=5");
        assert_eq!(problems, "");
    }

    #[test]
    fn unknown_names_are_told() {
        let (_, _, problems) = fill("measure.fitness = { game = \"x\", opponent = \"m\" }", "");
        assert_eq!(problems, "unknown game `x`; unknown opponent `m`");
    }

    #[test]
    fn a_stage_takes_over_what_it_does_not_name() {
        let before = tree(
            "train.cma-es = { game = { gomoku = { size = 9 } }, opponent = { naive = {} }, agent = { net = { k = 3 } }, sigma = 1 }",
        );
        let labels: Labels = [("game", "g"), ("game.size", "9"), ("opponent", "n"), ("sigma", "1")]
            .map(|(a, l)| (a.into(), l.into()))
            .into();
        let mut job = tree("measure.fitness = { game = \"p\" }");
        let labels = inherit(&mut job, &(0..1), &before, &labels);
        assert_eq!(Value::Table(job).label(), "measure fitness game p opponent naive agent net k 3 weights trained");
        assert_eq!(labels, [("opponent".into(), "n".into()), ("sigma".into(), "1".into())]);
    }
}
