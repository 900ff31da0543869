//! Stages as written: a job template and the axes it is expanded over.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use super::seeds::Seeds;
use super::sweep::{self, Axes, SweepCell};
use super::upstream::{Upstream, read_upstreams};
use crate::manifest::text::reader::read;
use crate::manifest::text::source::{Problem, Span, nearest};
use crate::manifest::text::tree::{Entry, Node, Table, Value};

/// One stage: a job template and the axes it is expanded over.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// The stages whose jobs feed this one's, each once for every player that takes from it.
    pub from: Vec<Upstream>,
    /// Training seeds; none when they come from the stage before.
    pub seeds: Vec<u64>,
    /// Which of the manifest's variants are its arms, as read and as written; where nothing is said, all if it takes
    /// from no other stage.
    pub variants: Option<(Arms, Node)>,
    /// The cells that the axes other than the seed make, in order.
    pub cells: Vec<SweepCell>,
    /// What is left out by axes that come from the stage before, or from variants.
    pub excluded: Vec<SweepCell>,
    /// The job template: one of `train`, `play`, `measure` with its content.
    pub job: Table,
}

/// What stands in a stage besides its job and its axes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct StageHeader {
    /// Training seeds.
    seeds: Option<Seeds>,
    /// Which of the manifest's variants are arms of this stage: all or none of them, or a list of names. Default: all,
    /// or none where the stage takes from another one.
    variants: Option<Arms>,
}

/// Which variants are arms of a stage.
#[derive(Debug, Clone, PartialEq)]
pub enum Arms {
    /// All of them.
    All,
    /// None.
    None,
    /// These; what is a name is found out where variants are known.
    Named(Vec<String>),
}

/// `variants = false` or `variants = ["SAZ", "model3"]`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the variants tell the schema what can be written")]
enum ArmsWritten {
    Switch(bool),
    Names(Vec<String>),
}

impl JsonSchema for Arms {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Arms".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        ArmsWritten::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for Arms {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Arms, D::Error> {
        struct SwitchOrNames;

        impl<'de> Visitor<'de> for SwitchOrNames {
            type Value = Arms;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("true, false or a list of variants")
            }

            fn visit_bool<E: serde::de::Error>(self, all: bool) -> Result<Arms, E> {
                Ok(if all { Arms::All } else { Arms::None })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Arms, A::Error> {
                let mut names: Vec<String> = Vec::new();
                while let Some(name) = list.next_element()? {
                    if names.contains(&name) {
                        let message = format!("the variant `{name}` twice would count each run as two");
                        return Err(A::Error::custom(message));
                    }
                    names.push(name);
                }
                match names.is_empty() {
                    true => Err(A::Error::custom("a list of variants names at least one; `false` is none of them")),
                    false => Ok(Arms::Named(names)),
                }
            }
        }

        deserializer.deserialize_any(SwitchOrNames)
    }
}

/// The kinds of jobs, as keys of a stage.
const KINDS: [&str; 3] = ["train", "play", "measure"];

/// What else a stage holds, apart from [`sweep::KEYS`].
const HEADER: [&str; 3] = ["from", "seeds", "variants"];

impl Stage {
    /// Index of the upstream whose axes the stage goes on with: that of `agent`, or else the first.
    #[must_use]
    pub fn leading(&self) -> usize {
        self.from.iter().position(|upstream| upstream.player() == Some("agent")).unwrap_or(0)
    }
}

/// Reads one stage; every mistake becomes a problem. `others` are the names of all stages, `trainings` what
/// `train = "name"` can name.
pub(super) fn read_stage(
    entry: &Entry,
    others: &[&str],
    trainings: &Table,
    problems: &mut Vec<Problem>,
) -> Option<Stage> {
    let (name, span) = (&entry.key, &entry.key_span);
    let Some(mut table) = entry.node.table().cloned() else {
        problems.push(Problem::at(entry.node.span.clone(), format!("stage `{name}` is a table")));
        return None;
    };
    let strangers = take_strangers(&mut table, problems);
    let job: Vec<Entry> = KINDS.iter().filter_map(|kind| table.remove(kind)).collect();
    let job = Table::from(job.into_iter().map(|entry| written_out(entry, trainings, problems)).collect::<Vec<_>>());
    let Axes { cells, excluded } = sweep::axes(&mut table, problems);
    let from = table.remove("from");
    let header: Option<StageHeader> =
        read(&Node { value: Value::Table(table.clone()), ..entry.node.clone() }, problems);
    if job.tagged().and_then(|(_, job)| job.tagged()).is_none() {
        let is_typo = strangers.iter().any(|stranger| nearest(stranger, &KINDS).is_some());
        let is_unknown = job.entries().iter().any(|entry| &*entry.key == "train" && entry.node.text().is_some());
        if !is_typo && !is_unknown {
            problems.push(no_job(&job, name, span, others));
        }
        return None;
    }
    let from = from.map_or(Some(Vec::new()), |from| upstreams(&from, &job, problems))?;
    // With a mistake in its header, a stage stays, so that its cells are checked, too.
    let StageHeader { seeds, variants } = header.unwrap_or(StageHeader { seeds: None, variants: None });
    if let (false, Some(_), Some(node)) = (from.is_empty(), &seeds, table.get("seeds")) {
        let message = format!("stage `{name}` takes its seeds from the stage before it");
        problems.push(Problem::at(node.span.clone(), message).hint("leave `seeds` out, or leave `from` out"));
    }
    let seeds = match (from.is_empty(), seeds) {
        (false, _) => Vec::new(),
        (true, Some(Seeds(seeds))) => seeds,
        (true, None) => vec![1],
    };
    let variants = variants.zip(table.get("variants").cloned());
    let span = span.clone();
    Some(Stage { name: name.to_string(), span, from, seeds, variants, cells, excluded, job })
}

/// `train = "name"` with the training of that name in its place.
fn written_out(entry: Entry, trainings: &Table, problems: &mut Vec<Problem>) -> Entry {
    let Some(name) = entry.node.text().filter(|_| &*entry.key == "train") else { return entry };
    match trainings.get(name) {
        Some(found) => Entry { node: Node { value: found.value.clone(), ..entry.node }, ..entry },
        None => {
            let message = format!("unknown training `{name}`");
            problems.push(Problem::at(entry.node.span.clone(), message).nearest(name, trainings.keys()).echo());
            entry
        }
    }
}

/// What a stage takes from others, where that is understood. A `play` has players to name, a training its agent.
fn upstreams(from: &Entry, job: &Table, problems: &mut Vec<Problem>) -> Option<Vec<Upstream>> {
    let found = read_upstreams(&from.node, problems)?;
    let kind = job.tagged().map_or("", |(kind, _)| &*kind.key);
    let is_fine = |player: &str| kind == "play" || kind == "train" && player == "agent";
    let mut named = found.iter().filter_map(|upstream| upstream.player.as_ref());
    let Some((_, span)) = named.find(|(player, _)| !is_fine(player)) else { return Some(found) };
    let (message, hint) = match kind {
        "train" => (
            "only the `agent` of a training begins with trained weights".to_owned(),
            "for example `from = { agent = { stage = \"train\", iteration = 5 } }`",
        ),
        _ => (
            format!("only a `play` takes players from a table, and this stage has `{kind}`"),
            "name one stage: `from = \"train\"`",
        ),
    };
    problems.push(Problem::at(span.clone(), message).hint(hint));
    None
}

/// Takes out the keys that no stage has, and returns them.
fn take_strangers(table: &mut Table, problems: &mut Vec<Problem>) -> Vec<String> {
    let known: Vec<&str> = HEADER.into_iter().chain(sweep::KEYS).chain(KINDS).collect();
    let strangers: Vec<String> = table.keys().filter(|key| !known.contains(key)).map(str::to_owned).collect();
    for stranger in &strangers {
        let entry = table.remove(stranger).expect("its key was just found");
        let message = format!("unknown key `{stranger}` in a stage");
        problems.push(Problem::at(entry.key_span, message).nearest(stranger, known.iter().copied()));
    }
    strangers
}

fn no_job(job: &Table, name: &str, span: &Span, others: &[&str]) -> Problem {
    // A dotted path of a profile or the command line that misses a stage makes a new one.
    let others: Vec<&str> = others.iter().copied().filter(|other| *other != name).collect();
    let (place, kind) = match job.entries() {
        [] => (span, None),
        [only] => (&only.node.span, Some(&only.key)),
        [.., last] => (&last.key_span, None),
    };
    let message = match kind {
        Some(kind) => format!("`{kind}` of stage `{name}` needs exactly one job in it"),
        None => format!("stage `{name}` needs exactly one of `train`, `play` and `measure`"),
    };
    let problem = Problem::at(place.clone(), message).echo();
    match nearest(name, &others) {
        Some(near) if job.entries().is_empty() => problem.hint(format!("did you mean the stage `{near}`?")),
        _ => problem.hint("for example `measure.fitness = { ... }`"),
    }
}
