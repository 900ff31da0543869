//! Stages as written: a job template with its axes.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use super::search::{AxisValues, Search};
use super::seeds::Seeds;
use super::sweep::{self, Axes, SweepCell};
use super::tune::Tune;
use super::upstream::{FromWritten, Upstream, read_upstreams};
use super::variant::Paths;
use crate::manifest::text::later::ReadLater;
use crate::manifest::text::reader::{read_known, unknown_keys};
use crate::manifest::text::source::{Problem, Span, nearest};
use crate::manifest::text::tree::{Entry, Node, Table};
use gauntlet_play::arena::PlaySpec;
use gauntlet_play::learning::TrainSpec;
use gauntlet_play::measure::MeasureSpec;

/// One stage: a job template with its axes.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// The place of its name in the text.
    pub span: Span,
    /// The upstream stages, one for each player that takes weights.
    pub from: Vec<Upstream>,
    /// Training seeds; empty if they come from the upstream stage.
    pub seeds: Vec<u64>,
    /// Its arms: a selection of the manifest's variants, as read and as written. Default: all if the stage has no
    /// upstream.
    pub variants: Option<(Arms, Node)>,
    /// The cells of all axes except the seed, in order.
    pub cells: Vec<SweepCell>,
    /// Exclusions by axes of the upstream stage or by `variant`.
    pub excluded: Vec<SweepCell>,
    /// The race between its settings, and its place in the text.
    pub tune: Option<(Tune, Span)>,
    /// Whether it has `tune`, with mistakes or without.
    pub has_tune: bool,
    /// The race whose winner alone it runs, and its place in the text.
    pub tuned: Option<(Arc<str>, Span)>,
    /// The job template: one of `train`, `play`, `measure` with its content.
    pub job: Table,
}

/// A stage as written: its axes, and at most one kind of job.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(inline, extend("not" = { "anyOf": [
    { "required": ["train", "play"] }, { "required": ["train", "measure"] }, { "required": ["play", "measure"] },
] }))]
pub(super) struct WrittenStage {
    /// Training seeds.
    seeds: Option<Seeds>,
    /// The arms of this stage: all or none of the manifest's variants, or a list of names. Default: all, or none if the
    /// stage has a `from`.
    variants: Option<Arms>,
    /// The upstream stage whose trainings it uses, or one for each player.
    from: ReadLater<FromWritten>,
    /// Axes: dotted paths into the job, each with a list of values; every combination is a cell.
    sweep: ReadLater<BTreeMap<String, AxisValues>>,
    /// Axes that advance together, each group a table of lists of equal length.
    zip: ReadLater<Vec<Paths>>,
    /// Axes whose values are drawn together: one cell a sample.
    search: ReadLater<Search>,
    /// More cells, each a table of axes with values. Other axes keep the values of the job.
    include: ReadLater<Vec<Paths>>,
    /// Exclusions: cells with these values are left out.
    exclude: ReadLater<Vec<Paths>>,
    /// A race between the settings of this stage: each seed is a round, and settings that others beat play no further one.
    tune: Option<Tune>,
    /// A stage that is a race: this one runs with the settings of its winner, and with seeds of its own.
    tuned: Option<String>,
    /// A job that trains a network.
    train: ReadLater<TrainWritten>,
    /// A job that plays games and keeps them.
    play: ReadLater<PlaySpec>,
    /// A job that measures numbers.
    measure: ReadLater<MeasureSpec>,
}

/// `train = "name"`, or a training as a table.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "the variants tell the schema what can be written")]
enum TrainWritten {
    /// A name of `[trainings]`.
    Named(String),
    Written(TrainSpec),
}

/// The selection of variants as arms of a stage.
#[derive(Debug, Clone, PartialEq)]
pub enum Arms {
    /// All of them.
    All,
    /// None.
    None,
    /// The variants of these names; names are checked when all variants are known.
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
pub(super) const KINDS: [&str; 3] = ["train", "play", "measure"];

impl Stage {
    /// Index of the upstream whose axes the stage continues: that of `agent`, or else the first.
    #[must_use]
    pub fn leading(&self) -> usize {
        self.from.iter().position(|upstream| upstream.player() == Some("agent")).unwrap_or(0)
    }
}

/// Reads one stage; every mistake becomes a problem. `others` are the names of all stages, `trainings` the trainings
/// for `train = "name"`.
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
    let mut found = Vec::new();
    let written: Option<WrittenStage> = read_known(&entry.node, &mut found);
    let mut is_typo = false;
    for (stranger, problem) in unknown_keys(&table, &mut found) {
        problem.message.push_str(" in a stage");
        is_typo |= nearest(&stranger.key, &KINDS).is_some();
    }
    problems.append(&mut found);
    let job: Vec<Entry> = KINDS.iter().filter_map(|kind| table.remove(kind)).collect();
    let job = Table::from(job.into_iter().map(|entry| written_out(entry, trainings, problems)).collect::<Vec<_>>());
    let Axes { cells, excluded } = sweep::axes(&mut table, problems);
    if job.tagged().and_then(|(_, job)| job.tagged()).is_none() {
        let is_unknown = job.entries().iter().any(|entry| &*entry.key == "train" && entry.node.text().is_some());
        if !is_typo && !is_unknown {
            problems.push(no_job(&job, name, span, others));
        }
        return None;
    }
    let from = table.get("from").map_or(Some(Vec::new()), |from| upstreams(from, &job, problems))?;
    // A stage with a mistake in its header is kept, so that its cells are checked, too.
    let WrittenStage { seeds, variants, tune, .. } = written.unwrap_or_default();
    let tune = tune.zip(table.entry("tune").map(|entry| entry.key_span.clone()));
    let has_tune = table.get("tune").is_some();
    let tuned = table.get("tuned").and_then(|node| Some((node.text()?.into(), node.span.clone())));
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
    Some(Stage { name: name.to_string(), span, from, seeds, variants, cells, excluded, tune, has_tune, tuned, job })
}

/// Replaces `train = "name"` by the training of this name.
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

/// The upstreams of a stage, if they are valid. Those of a `play` are its players, that of any other job its agent.
fn upstreams(from: &Node, job: &Table, problems: &mut Vec<Problem>) -> Option<Vec<Upstream>> {
    let found = read_upstreams(from, problems)?;
    let kind = job.tagged().map_or("", |(kind, _)| &*kind.key);
    let is_fine = |player: &str| kind == "play" || player == "agent";
    let mut named = found.iter().filter_map(|upstream| upstream.player.as_ref());
    let Some((_, span)) = named.find(|(player, _)| !is_fine(player)) else { return Some(found) };
    let message = match kind {
        "train" => "only the `agent` of a training begins with trained weights",
        _ => "only the `agent` of a measurement takes weights from a table",
    };
    let hint = "for example `from = { agent = { stage = \"train\", iteration = 5 } }`";
    problems.push(Problem::at(span.clone(), message).hint(hint));
    None
}

fn no_job(job: &Table, name: &str, span: &Span, others: &[&str]) -> Problem {
    // A mistyped stage in a dotted path of a profile or the command line creates a new stage.
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
