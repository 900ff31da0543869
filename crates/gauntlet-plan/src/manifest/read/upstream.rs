//! The upstream stages of a stage: `from` as written.
//!
//! `from = "train"` names one upstream stage for everything. As a table, `from` names for each player of a `play`, and
//! for the `agent` of any other job, the training that its weights come from, and the iteration.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;

use super::variant::settings;
use crate::manifest::text::reader::read;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Entry, Node, Setting, Table, Value};
use gauntlet_play::players::PlayerSpec;

/// One upstream stage.
#[derive(Debug, Clone)]
pub struct Upstream {
    /// The player that takes the weights, and its place in the text; `None` for all players whose weights are
    /// `"trained"`.
    pub player: Option<(Arc<str>, Span)>,
    /// The stage that trains, and its place in the text.
    pub stage: (Arc<str>, Span),
    /// The iteration of the network, and its place in the text; `None` for the last one.
    pub iteration: Option<(u32, Span)>,
    /// Labels that select one of several trainings, if no axis of the cell does.
    pub only: Vec<Setting>,
    /// The number of training runs that every run meets, and its place in the text; `None` for only the run of its own
    /// seed.
    pub runs: Option<(u32, Span)>,
}

/// `"train"`, or `{ agent = "train", opponent = { stage = "other", iteration = 5 } }`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the variants tell the schema what can be written")]
pub(super) enum FromWritten {
    Stage(String),
    Players(BTreeMap<String, PlayerWritten>),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the variants tell the schema what can be written")]
pub(super) enum PlayerWritten {
    Stage(String),
    Training(Training),
}

/// The training that a player takes its weights from.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Training {
    /// The stage that trains.
    stage: String,
    /// The iteration of the network, one of those that the training keeps. Default: the last one.
    iteration: Option<NonZeroU32>,
    /// Labels of its axes, as in `--only`, to select one of several trainings.
    #[serde(default)]
    #[expect(dead_code, reason = "read with its places")]
    only: BTreeMap<String, serde_json::Value>,
    /// The number of training runs that every run meets, for the opponent of a match: the run of its own seed and the
    /// next ones in the list of seeds, cyclically, or all if there are fewer. Default: 1.
    runs: Option<NonZeroU32>,
}

/// Reads `from`; every mistake becomes a problem. `None` if there was any.
pub(in crate::manifest) fn read_upstreams(from: &Node, problems: &mut Vec<Problem>) -> Option<Vec<Upstream>> {
    let example = "for example `from = \"train\"`, or `from = { opponent = \"train\" }`";
    match &from.value {
        Value::Text(stage) => Some(vec![Upstream::new(None, (stage.clone(), from.span.clone()))]),
        Value::Table(players) if !players.entries().is_empty() => {
            let players: Vec<_> = players.entries().iter().map(|entry| read_player(entry, problems)).collect();
            players.into_iter().collect()
        }
        _ => {
            problems.push(Problem::at(from.span.clone(), "`from` names a stage, or players with stages").hint(example));
            None
        }
    }
}

fn read_player(entry: &Entry, problems: &mut Vec<Problem>) -> Option<Upstream> {
    let player = Some((entry.key.clone(), entry.key_span.clone()));
    if let Value::Text(stage) = &entry.node.value {
        return Some(Upstream::new(player, (stage.clone(), entry.node.span.clone())));
    }
    let Training { stage, iteration, runs, .. } = read(&entry.node, problems)?;
    let node = |key: &str| entry.node.table().and_then(|table| table.get(key));
    let place = |key: &str| node(key).map_or(entry.node.span.clone(), |node| node.span.clone());
    Some(Upstream {
        iteration: iteration.map(|iteration| (iteration.get(), place("iteration"))),
        runs: runs.map(|runs| (runs.get(), place("runs"))),
        only: node("only").map_or(Vec::new(), |only| settings(only, problems)),
        ..Upstream::new(player, (stage.into(), place("stage")))
    })
}

/// The kinds of players whose settings name the source of their weights: an agent may be complete only later.
static WITH_WEIGHTS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let settings = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<PlayerSpec>().to_value();
    let kinds = schema["oneOf"].as_array().into_iter().flatten().filter_map(|kind| kind["properties"].as_object());
    let has_weights = |settings: &serde_json::Value| !settings["properties"]["weights"].is_null();
    kinds.flatten().filter(|(_, settings)| has_weights(settings)).map(|(kind, _)| kind.clone()).collect()
});

impl Upstream {
    fn new(player: Option<(Arc<str>, Span)>, stage: (Arc<str>, Span)) -> Upstream {
        Upstream { player, stage, iteration: None, only: Vec::new(), runs: None }
    }

    /// The player that takes the weights, if one is named.
    #[must_use]
    pub fn player(&self) -> Option<&str> {
        self.player.as_ref().map(|(player, _)| &**player)
    }

    /// Whether `only` selects among several trainings by this axis.
    #[must_use]
    pub fn chooses(&self, axis: &str) -> bool {
        self.only.iter().any(|setting| *setting.path == *axis)
    }

    /// The agent as one of the players, with trained weights; mistakes are reported at the player's name. An agent
    /// without weights is unchanged.
    #[must_use]
    pub fn trained(&self, agent: &Node) -> Node {
        let (_, span) = self.player.as_ref().unwrap_or(&self.stage);
        let is_net = agent.table().and_then(Table::tagged).is_some_and(|(tag, _)| WITH_WEIGHTS.contains(&*tag.key));
        let mut node = agent.clone();
        if let (true, Value::Table(table)) = (is_net, &mut node.value) {
            let weights = Node { span: span.clone(), value: Value::Text("trained".into()) };
            table.tagged_mut().expect("it was just looked at").set("weights", span, weights);
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::WITH_WEIGHTS;

    #[test]
    fn networks_are_known_by_their_settings() {
        assert_eq!(WITH_WEIGHTS.iter().collect::<Vec<_>>(), ["engine", "guided", "net", "tuned"]);
    }
}
