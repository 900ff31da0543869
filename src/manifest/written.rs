//! A manifest as written: its sections, typed, before anything is expanded.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::exhibit::Exhibit;
use super::names::{ArtefactName, Name};
use super::paper::Paper;
use super::reader::read;
use super::source::{Problem, Span};
use super::tree::{Node, Table, Value};

/// The only version of the manifest language so far.
pub const SCHEMA: i64 = 1;

/// A manifest as written, after includes, profile and overrides were laid over each other.
#[derive(Debug, Clone)]
pub struct Written {
    /// Key of the artefact, or of the family of artefacts: `schaul2009/table1`.
    pub name: ArtefactName,
    /// One line for people.
    pub title: String,
    /// What it reproduces, if it reproduces something.
    pub paper: Option<Paper>,
    /// How axis values are shown: `atari-go = "Atari-Go"`.
    pub labels: BTreeMap<String, String>,
    /// Where the files that its jobs read are published.
    pub data: BTreeMap<String, String>,
    /// Named games, as trees (sweeps reach into them before they are read).
    pub games: Table,
    /// Named agents, as trees.
    pub agents: Table,
    /// Arms of an ablation; empty when there is none.
    pub variants: Vec<Variant>,
    /// Stages, in the order of the text.
    pub stages: Vec<Stage>,
    /// What is shown.
    pub exhibits: Vec<Exhibit>,
    /// Names of the profiles.
    pub profiles: Vec<String>,
}

/// One arm of an ablation: changes relative to the base job.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its name, the label on the axis `variant`.
    pub name: String,
    /// What it changes: dotted path, its place, value.
    pub set: Vec<Setting>,
}

/// One value that is set by a dotted path.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The dotted path within the job.
    pub path: String,
    /// Where the setting stands.
    pub span: Span,
    /// The value.
    pub value: Value,
}

/// One stage: a job template and the axes it is expanded over.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// The stage whose jobs feed this one's.
    pub from: Option<(String, Span)>,
    /// Training seeds; `None` when they come from the stage before.
    pub seeds: Option<Vec<u64>>,
    /// The cells that the axes other than the seed make, in order.
    pub cells: Vec<Vec<Setting>>,
    /// The job template: one of `train`, `play`, `measure` with its content.
    pub job: Table,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Header {
    schema: i64,
    name: ArtefactName,
    title: String,
    paper: Option<Paper>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    data: BTreeMap<String, String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct StageHeader {
    from: Option<String>,
    seeds: Option<Seeds>,
}

/// `seeds = 5` or `seeds = [3, 4]`.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "SeedsWritten")]
struct Seeds(Vec<u64>);

// The one untagged reading of the language: a number and a list cannot be mistaken for each other.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum SeedsWritten {
    Count(i64),
    List(Vec<i64>),
}

impl TryFrom<SeedsWritten> for Seeds {
    type Error = String;

    fn try_from(written: SeedsWritten) -> Result<Seeds, String> {
        let numbers: Vec<i64> = match written {
            SeedsWritten::Count(count @ 1..=1_000_000) => (1..=count).collect(),
            SeedsWritten::Count(count) => return Err(format!("{count} seeds are outside 1 to 1000000")),
            SeedsWritten::List(list) => list,
        };
        let mut distinct = numbers.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < numbers.len() {
            return Err("the same seed twice would count one run as two".to_owned());
        }
        let seeds =
            numbers.into_iter().map(|number| u64::try_from(number).map_err(|_| "a seed is negative".to_owned()));
        seeds.collect::<Result<Vec<u64>, String>>().map(Seeds)
    }
}

const SECTIONS: [&str; 6] = ["games", "agents", "variant", "stages", "exhibit", "profile"];

impl Written {
    /// Reads all sections; every mistake becomes a problem.
    pub fn read(root: &Table, problems: &mut Vec<Problem>) -> Option<Written> {
        let mut rest = root.clone();
        let mut sections: BTreeMap<&str, Node> = BTreeMap::new();
        for section in SECTIONS {
            if let Some(node) = rest.remove(section) {
                sections.insert(section, node);
            }
        }
        let header: Option<Header> = read_header(&rest, problems);
        let games = table_of(sections.get("games"), "games", problems);
        let agents = table_of(sections.get("agents"), "agents", problems);
        let variants = sections.get("variant").map_or(Vec::new(), |node| read_variants(node, problems));
        let stages = table_of(sections.get("stages"), "stages", problems);
        let stages: Vec<Stage> = stages
            .entries()
            .iter()
            .filter_map(|entry| read_stage(&entry.key, &entry.key_span, &entry.node, problems))
            .collect();
        let exhibits =
            sections.get("exhibit").and_then(|node| read::<Vec<Exhibit>>(node, problems)).unwrap_or_default();
        let profiles = table_of(sections.get("profile"), "profile", problems);
        let profiles = profiles.entries().iter().map(|entry| entry.key.clone()).collect();
        check_names(&games, problems);
        check_names(&agents, problems);
        let Header { name, title, paper, labels, data, .. } = header?;
        Some(Written { name, title, paper, labels, data, games, agents, variants, stages, exhibits, profiles })
    }
}

fn read_header(rest: &Table, problems: &mut Vec<Problem>) -> Option<Header> {
    let node = Node { span: 0..0, value: Value::Table(rest.clone()) };
    let before = problems.len();
    let header: Option<Header> = read(&node, problems);
    for problem in &mut problems[before..] {
        // Sections are read apart; a typo in a section's name is nearest to one of them.
        let word = problem.message.split('`').nth(1).unwrap_or_default().to_owned();
        if problem.message.starts_with("unknown field")
            && problem.hint.is_none()
            && let Some(near) = super::source::nearest(&word, &SECTIONS)
        {
            problem.hint = Some(format!("did you mean `[{near}]`?"));
        }
    }
    if let Some(header) = &header
        && header.schema != SCHEMA
    {
        let span = rest.get("schema").map(|node| node.span.clone()).unwrap_or(0..0);
        problems.push(Problem::at(span, format!("schema {} is not known", header.schema)).hint("write `schema = 1`"));
    }
    header
}

fn table_of(node: Option<&Node>, section: &str, problems: &mut Vec<Problem>) -> Table {
    match node {
        None => Table::default(),
        Some(Node { value: Value::Table(table), .. }) => table.clone(),
        Some(node) => {
            problems.push(Problem::at(node.span.clone(), format!("`{section}` is a table of names")));
            Table::default()
        }
    }
}

fn check_names(table: &Table, problems: &mut Vec<Problem>) {
    for entry in table.entries() {
        if let Err(message) = Name::try_from(entry.key.clone()) {
            problems.push(Problem::at(entry.key_span.clone(), message));
        }
    }
}

fn read_variants(node: &Node, problems: &mut Vec<Problem>) -> Vec<Variant> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Head {
        name: Name,
    }
    let Value::List(list) = &node.value else {
        problems.push(Problem::at(node.span.clone(), "variants are written `[[variant]]`"));
        return Vec::new();
    };
    let mut variants: Vec<Variant> = Vec::new();
    for item in list {
        let mut table = item.table().cloned().unwrap_or_default();
        let set = table.remove("set").map_or(Vec::new(), |set| settings(&set, problems));
        let head = Node { span: item.span.clone(), value: Value::Table(table) };
        let Some(head) = read::<Head>(&head, problems) else { continue };
        if variants.iter().any(|known| known.name == head.name.as_str()) {
            problems.push(Problem::at(item.span.clone(), format!("two variants are named `{}`", head.name)));
        }
        variants.push(Variant { name: head.name.to_string(), set });
    }
    variants
}

fn settings(node: &Node, problems: &mut Vec<Problem>) -> Vec<Setting> {
    let Some(table) = node.table() else {
        problems.push(Problem::at(node.span.clone(), "expected a table of `path = value`"));
        return Vec::new();
    };
    let setting = |entry: &super::tree::Entry| Setting {
        path: entry.key.clone(),
        span: entry.key_span.clone(),
        value: entry.node.value.clone(),
    };
    table.entries().iter().map(setting).collect()
}

const KINDS: [&str; 3] = ["train", "play", "measure"];

fn read_stage(name: &str, span: &Span, node: &Node, problems: &mut Vec<Problem>) -> Option<Stage> {
    let Some(mut table) = node.table().cloned() else {
        problems.push(Problem::at(node.span.clone(), format!("stage `{name}` is a table")));
        return None;
    };
    if let Err(message) = Name::try_from(name.to_owned()) {
        problems.push(Problem::at(span.clone(), message));
    }
    let mut job = Table::default();
    for kind in KINDS {
        if let Some(entry) = table.entry(kind).cloned() {
            table.remove(kind);
            job.insert(entry);
        }
    }
    let cells = super::sweep::cells(&mut table, problems);
    let header: StageHeader = read(&Node { span: node.span.clone(), value: Value::Table(table.clone()) }, problems)?;
    if job.only_table().and_then(Table::only_table).is_none() {
        let message = format!("stage `{name}` needs exactly one of `train`, `play` and `measure`, and one job in it");
        problems.push(Problem::at(span.clone(), message).hint("for example `measure.fitness = { ... }`"));
        return None;
    }
    let from = header.from.map(|from| (from, table.get("from").map_or(span.clone(), |node| node.span.clone())));
    if from.is_some() && header.seeds.is_some() {
        let place = table.get("seeds").map_or(span.clone(), |node| node.span.clone());
        problems.push(
            Problem::at(place, format!("stage `{name}` takes its seeds from the stage before it"))
                .hint("leave `seeds` out, or leave `from` out"),
        );
    }
    let seeds = match (&from, header.seeds) {
        (Some(_), _) => None,
        (None, Some(Seeds(seeds))) => Some(seeds),
        (None, None) => Some(vec![1]),
    };
    Some(Stage { name: name.to_owned(), span: span.clone(), from, seeds, cells, job })
}

/// The JSON schema of what this file reads itself.
#[must_use]
pub fn header_schema(generator: &mut schemars::SchemaGenerator) -> [schemars::Schema; 2] {
    [generator.subschema_for::<Header>(), generator.subschema_for::<StageHeader>()]
}
