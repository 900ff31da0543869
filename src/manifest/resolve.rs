//! Filling a job template: named games and agents, variants, axis values, and what a stage takes over from
//! the stage before it.

use super::source::{Problem, Span};
use super::tree::{Node, Table, Value};
use super::written::Setting;

/// A job that is being filled.
pub struct Template<'a> {
    /// The job so far.
    pub tree: Table,
    /// Named games.
    pub games: &'a Table,
    /// Named agents.
    pub agents: &'a Table,
    /// Axis to label so far.
    pub labels: Vec<(String, String)>,
}

/// Keys of a job that may name a game or an agent instead of writing it out.
const NAMED: [(&str, bool); 4] = [("game", true), ("agent", false), ("opponent", false), ("anchor", false)];

impl Template<'_> {
    /// Applies settings, short paths first, so that `game = "pente"` comes before `game.size = 7`.
    pub fn apply(&mut self, settings: &[Setting], axes: bool, problems: &mut Vec<Problem>) {
        let mut ordered: Vec<&Setting> = settings.iter().collect();
        ordered.sort_by_key(|setting| setting.path.matches('.').count());
        let deep = ordered.iter().position(|setting| setting.path.contains('.')).unwrap_or(ordered.len());
        for setting in &ordered[..deep] {
            self.set(setting);
        }
        self.write_out_names(problems);
        for setting in &ordered[deep..] {
            self.set(setting);
        }
        if axes {
            let new = settings.iter().map(|setting| (setting.path.clone(), setting.value.label()));
            for (axis, label) in new.collect::<Vec<_>>() {
                self.label(axis, label);
            }
        }
    }

    fn set(&mut self, setting: &Setting) {
        content(&mut self.tree).set(&setting.path, &setting.span, setting.value.clone());
    }

    fn label(&mut self, axis: String, label: String) {
        match self.labels.iter_mut().find(|(known, _)| *known == axis) {
            Some((_, known)) => *known = label,
            None => self.labels.push((axis, label)),
        }
    }

    fn write_out_names(&mut self, problems: &mut Vec<Problem>) {
        for (key, is_game) in NAMED {
            let table = if is_game { self.games } else { self.agents };
            let Some(node) = content(&mut self.tree).get_mut(key) else { continue };
            let Some(name) = node.text().map(str::to_owned) else { continue };
            match table.get(&name) {
                Some(named) => {
                    node.value = named.value.clone();
                    self.label(key.to_owned(), name);
                }
                None => {
                    let known: Vec<&str> = table.entries().iter().map(|entry| entry.key.as_str()).collect();
                    let message = format!("unknown {key} `{name}`");
                    problems.push(Problem::at(node.span.clone(), message).nearest(&name, known));
                }
            }
        }
        self.write_out_players(problems);
    }

    /// Writes out the names in `players = ["naive", ...]`, keeping each as the player's name.
    fn write_out_players(&mut self, problems: &mut Vec<Problem>) {
        let Some(Node { value: Value::List(players), .. }) = content(&mut self.tree).get_mut("players") else { return };
        for node in players {
            let Some(name) = node.text().map(str::to_owned) else { continue };
            let Some(agent) = self.agents.get(&name) else {
                let known = self.agents.entries().iter().map(|entry| entry.key.as_str());
                let problem = Problem::at(node.span.clone(), format!("unknown player `{name}`"));
                problems.push(problem.nearest(&name, known));
                continue;
            };
            let mut entrant = Table::default();
            entrant.set("name", &node.span, Value::Text(name));
            entrant.set("agent", &node.span, agent.value.clone());
            node.value = Value::Table(entrant);
        }
    }
}

/// The settings of a job, below its kind and its name: what `measure.fitness` holds.
///
/// # Panics
/// When the job has no kind and name; the reading of stages has seen to that.
pub fn content(job: &mut Table) -> &mut Table {
    let name = job.only_table_mut().and_then(Table::only_table_mut);
    name.expect("the shape of every stage's job was checked")
}

/// As [`content`], to be looked at.
#[must_use]
pub fn content_ref(job: &Table) -> Option<&Table> {
    job.only_table().and_then(Table::only_table)
}

/// Takes over from the stage before: its game and opponent where this stage names none, and its agent, trained.
pub fn inherit(job: &mut Table, before: &Table, span: &Span) {
    let own = content(job);
    for key in ["game", "opponent", "agent"] {
        let entry = content_ref(before).and_then(|before| before.entry(key));
        if let (None, Some(entry)) = (own.get(key), entry) {
            own.insert(entry.clone());
        }
    }
    if own.get("agent").is_some() {
        own.set("agent.weights", span, Value::Text("trained".to_owned()));
    }
}
