//! Filling of job templates: named games and agents, trained players, variants, axis values.

use std::sync::Arc;

use crate::manifest::read::named::{AGENTS, unknown, write_out, write_out_below};
use crate::manifest::read::swept::swept;
use crate::manifest::read::upstream::Upstream;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Entry, Node, Setting, Table, Value};

/// A job template during filling.
pub struct Template<'a> {
    /// The job so far.
    pub tree: Table,
    /// Named games.
    pub games: &'a Table,
    /// Named agents.
    pub agents: &'a Table,
    /// Players that take their weights from trainings.
    pub trained: Vec<TrainedPlayer<'a>>,
    /// Axis and label so far.
    pub labels: Labels,
}

/// A player that takes its weights from a training.
pub struct TrainedPlayer<'a> {
    /// Its upstream.
    pub upstream: &'a Upstream,
    /// Its name, or its role.
    pub name: &'a str,
    /// The agent of its training, as resolved there; none if another program trains.
    pub agent: Option<Node>,
    /// The agent's name there, if it has one.
    pub label: Option<Arc<str>>,
}

impl<'a> TrainedPlayer<'a> {
    /// The player that an upstream names, with the agent of a resolved training.
    #[must_use]
    pub fn new(upstream: &'a Upstream, training: &Table, labels: &Labels) -> Option<TrainedPlayer<'a>> {
        let agent = content(training)?.get("agent").cloned();
        let label = labels.iter().find(|(axis, _)| **axis == *"agent").map(|(_, label)| label.clone());
        Some(TrainedPlayer { upstream, name: upstream.player()?, agent, label })
    }
}

/// Axis and label, in the order of the axes.
pub type Labels = Vec<(Arc<str>, Arc<str>)>;

impl Template<'_> {
    /// Applies settings, short paths first, so that `game = "pente"` comes before `game.size = 7`.
    pub fn apply<'s>(&mut self, settings: impl Iterator<Item = &'s Setting>, problems: &mut Vec<Problem>) {
        let (mut deep, flat): (Vec<&Setting>, Vec<&Setting>) = settings.partition(|setting| setting.path.contains('.'));
        deep.sort_by_key(|setting| setting.path.matches('.').count());
        flat.into_iter().for_each(|setting| self.set(setting));
        self.write_out_names(problems);
        for setting in deep {
            self.set(setting);
            self.write_out_below(problems);
        }
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

    /// Copies the label of an axis, if it has one, to another axis.
    pub fn keep_label(&mut self, axis: &str, other: &str) {
        if let Some((name, _)) = self.labels.iter_mut().find(|(known, _)| **known == *axis) {
            *name = other.into();
        }
    }

    /// Sets one value; paths below an unresolved name are ignored.
    fn set(&mut self, setting: &Setting) {
        let head = setting.path.split('.').next().unwrap_or_default();
        let is_below = head.len() < setting.path.len();
        if is_below && content(&self.tree).and_then(|job| job.get(head)).is_some_and(|node| node.text().is_some()) {
            return;
        }
        content_mut(&mut self.tree).set(&setting.path, &setting.span, setting.node.clone());
    }

    fn write_out_names(&mut self, problems: &mut Vec<Problem>) {
        for (key, name) in write_out(content_mut(&mut self.tree), self.games, self.agents, problems) {
            self.label(&key, name);
        }
        self.train_roles();
        self.write_out_below(problems);
        self.write_out_players(problems);
    }

    fn write_out_below(&mut self, problems: &mut Vec<Problem>) {
        write_out_below(content_mut(&mut self.tree), self.agents, problems);
    }

    /// Gives trained weights to the agents in the fed roles.
    fn train_roles(&mut self) {
        for player in &self.trained {
            let entry = content(&self.tree).and_then(|job| job.entry(player.name)).cloned();
            if let Some(entry) = entry.filter(|_| AGENTS.contains(&player.name)) {
                let node = player.upstream.trained(&entry.node);
                content_mut(&mut self.tree).insert(Entry { node, ..entry });
            }
        }
    }

    /// Resolves the names in `players = ["naive", ...]`, and keeps each as the player's name.
    fn write_out_players(&mut self, problems: &mut Vec<Problem>) {
        let players = content(&self.tree).and_then(|job| job.get("players"));
        let Some(Node { span, value: Value::List(players) }) = players.cloned() else { return };
        let written_out = players.into_iter().map(|node| match node.text() {
            Some(name) => self.entrant(name, &node.span).unwrap_or_else(|problem| {
                problems.push(problem);
                node
            }),
            None => self.trained_entrant(node),
        });
        let written_out: Vec<Node> = written_out.collect();
        let value = Value::List(written_out.into_iter().flat_map(|entrant| swept(entrant, problems)).collect());
        content_mut(&mut self.tree).set("players", &span.clone(), Node { span, value });
    }

    /// A resolved player of a tournament, with trained weights if it is fed.
    fn trained_entrant(&self, mut node: Node) -> Node {
        let name = node.table().and_then(|table| table.get("name")?.text()).map(str::to_owned);
        let trained = self.trained.iter().find(|player| name.as_deref() == Some(player.name));
        if let (Some(player), Value::Table(table)) = (trained, &mut node.value)
            && let Some(agent) = table.get_mut("agent")
        {
            *agent = player.upstream.trained(agent);
        }
        node
    }

    /// The named player of a tournament, with the agent of that name or else that of its training.
    fn entrant(&self, name: &str, span: &Span) -> Result<Node, Problem> {
        let trained = self.trained.iter().find(|player| player.name == name);
        let Some(agent) = self.agents.get(name).or(trained.and_then(|player| player.agent.as_ref())) else {
            let trained = self.trained.iter().map(|player| player.name).filter(|name| self.agents.get(name).is_none());
            let known = self.agents.keys().chain(trained);
            return Err(unknown("player", name, span, known));
        };
        let agent = trained.map_or_else(|| agent.clone(), |player| player.upstream.trained(agent));
        let entry = |key: &str, value: Value| {
            let node = Node { span: span.clone(), value };
            Entry { key: key.into(), key_span: span.clone(), node }
        };
        let entrant = Table::from(vec![entry("name", Value::Text(name.into())), entry("agent", agent.value)]);
        Ok(Node { span: span.clone(), value: Value::Table(entrant) })
    }
}

/// The settings of a job, below its kind and name: the content of `measure.fitness`.
#[must_use]
pub fn content(job: &Table) -> Option<&Table> {
    Some(job.tagged()?.1.tagged()?.1)
}

/// The label of an axis: a swept axis, a named game or agent, or any value at the dotted path.
pub(in crate::manifest) fn label(labels: &Labels, tree: &Table, axis: &str) -> Option<String> {
    let swept = labels.iter().find(|(name, _)| **name == *axis).map(|(_, label)| label.to_string());
    swept.or_else(|| content(tree)?.lookup(axis).map(Value::label))
}

/// Like [`content`], but mutable.
///
/// # Panics
/// If the job has no kind and name; the reading of stages has checked that.
pub(super) fn content_mut(job: &mut Table) -> &mut Table {
    let content = job.tagged_mut().and_then(Table::tagged_mut);
    content.expect("the shape of every stage's job was checked")
}

/// Whether the players of a job are entrants with names, as in a tournament, instead of roles.
#[must_use]
pub fn has_entrants(job: &Table) -> bool {
    job.tagged().and_then(|(_, job)| job.tagged()).is_some_and(|(name, _)| &*name.key == "tournament")
}

/// The names of the players of a job: its entrants, or else its roles. `None` if it names none.
#[must_use]
pub fn player_names(job: &Table) -> Option<Vec<&str>> {
    if !has_entrants(job) {
        return Some(vec!["agent", "opponent"]);
    }
    let Value::List(players) = &content(job)?.get("players")?.value else { return None };
    Some(players.iter().filter_map(|node| node.text().or_else(|| node.table()?.get("name")?.text())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::text::parse::parse;
    use crate::manifest::text::source::Sources;

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
        let mut template =
            Template { tree: tree(job), games: &games, agents: &agents, trained: Vec::new(), labels: Vec::new() };
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
}
