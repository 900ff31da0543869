//! The players of tournaments, matches and panels for exhibits: which stage, and which names.

use schemars::JsonSchema;
use serde::Deserialize;

use super::repeats::PlayedPair;
use super::{About, Basis, Context, Fact, Need, Unit, axes, config_ids};
use gauntlet_play::arena::Standing;

/// The players of a stage's tournaments (or matches). Games of several seeds are added up, by the players' names.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct League {
    /// The stage.
    pub stage: String,
    /// Axes whose values make tournaments that are rated separately.
    #[serde(default)]
    pub panels: Vec<String>,
    /// Axes whose values tell the players of matches apart: `["agent", "agent.simulations"]`. Those of `opponent` name the
    /// opponent, all others the agent. Default: the names of the players.
    #[serde(default)]
    pub players: Vec<String>,
}

impl League {
    /// A league without further names.
    pub fn of(stage: &str, panels: &[String]) -> League {
        League { stage: stage.to_owned(), panels: panels.to_vec(), players: Vec::new() }
    }

    /// The metadata of an exhibit of its results.
    pub fn about(&self, title: &'static str) -> About<'_> {
        let about = About::of_stage(title, Basis::Results, &self.stage, Need::Meetings);
        let [panels, players] = [&self.panels, &self.players].map(|list| axes(&[list]));
        About { cells: [&panels[..], &players].concat(), panels, unit: Unit::Players, ..about }
    }

    /// The names of the players of a result, as a table of the stage shows them.
    pub(super) fn names(&self, context: &Context<'_>, fact: &Fact<'_>) -> Vec<String> {
        let is_alone = config_ids(&context.facts.stage(&self.stage)).len() == 1;
        let named = NamedStanding::of(context, self, fact, is_alone);
        named.map_or(Vec::new(), |standing| standing.players)
    }

    /// The name of one player of a match by the axes; `None` if they do not name this one.
    fn player(&self, context: &Context<'_>, fact: &Fact<'_>, role: &str) -> Option<String> {
        let (axes, labels): (Vec<&String>, Vec<String>) =
            self.axes_of(role).map(|axis| (axis, fact.label(axis))).unzip();
        (!axes.is_empty()).then(|| context.named(&axes, &labels))
    }

    /// The axes that name the player of a role.
    pub fn axes_of<'a>(&'a self, role: &'a str) -> impl Iterator<Item = &'a String> {
        let is_opponents = |axis: &str| axis == "opponent" || axis.starts_with("opponent.");
        self.players.iter().filter(move |axis| is_opponents(axis) == (role == "opponent"))
    }
}

/// The counted results of a job, with the names of the players as tables of the stage show them.
pub(super) struct NamedStanding<'a> {
    pub players: Vec<String>,
    pub standing: &'a Standing,
    /// Its games, if repetitions may count.
    pub lines: &'a [PlayedPair],
}

impl<'a> NamedStanding<'a> {
    /// `is_alone` says that no other configuration has results, so that the networks of a training need no longer name.
    pub fn of(context: &Context<'_>, show: &League, fact: &Fact<'a>, is_alone: bool) -> Option<NamedStanding<'a>> {
        let (standing, names) = (fact.rated()?, &fact.config.players);
        let is_training = fact.iterations().is_some();
        let is_named = names.len() == standing.players.len() && !is_training;
        let mut players = if is_named { names.clone() } else { standing.players.clone() };
        if is_training && !(is_alone && show.players.is_empty()) {
            let labels: Vec<String> = fact.config.labels.iter().map(|(_, label)| label.to_string()).collect();
            let own = show.player(context, fact, "agent").unwrap_or_else(|| context.phrase(&labels));
            let networks = players.iter_mut().filter(|name| name.starts_with(ITERATION));
            networks.for_each(|name| *name = format!("{own}, {name}"));
        }
        let roles = if fact.matched().is_some() { ["agent", "opponent"].as_slice() } else { &[] };
        for (at, player) in players.iter_mut().enumerate() {
            let by_axes = roles.get(at).and_then(|role| show.player(context, fact, role));
            *player = by_axes.unwrap_or_else(|| context.show(player));
        }
        Some(NamedStanding { players, standing, lines: fact.row.lines.as_deref().unwrap_or_default() })
    }
}

/// The beginning of the name of a training's network after some iterations.
const ITERATION: &str = "iteration ";
