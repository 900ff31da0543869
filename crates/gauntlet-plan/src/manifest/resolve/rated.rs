//! Names of rated players of a stage, and the check that an anchor is one of them.
//!
//! One name is one player. A tournament names its entrants. The players of a match get descriptive names (`uct 20`), on
//! both sides. If several different players would get the same name, they get their names in the manifest.

use std::collections::HashMap;

use super::config::Config;
use super::pooled::{Pooled, grouped};
use super::problem_set::ProblemSet;
use crate::manifest::read::exhibit::Exhibit;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Entry, Node};
use gauntlet_exhibits::Unit;
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::{MatchJob, PlaySpec};
use gauntlet_play::players::PlayerSpec;

/// Players that are the same in every run, by descriptive name: the player, or `None` for several.
type Fixed<'a> = HashMap<String, Option<&'a PlayerSpec>>;

/// The names of the players of configurations of one stage, each list in the order of the results.
pub(in crate::manifest) fn rated_names(configs: &[&Config]) -> Vec<Vec<String>> {
    let mut fixed = Fixed::new();
    for player in configs.iter().flat_map(|config| config.fixed()).flatten() {
        let known = fixed.entry(player.name()).or_insert(Some(player));
        *known = known.filter(|other| *other == player);
    }
    configs.iter().map(|config| config.names(&fixed)).collect()
}

impl Config {
    /// The players of a match that are the same in every run.
    fn fixed<'a>(&'a self) -> Vec<Option<&'a PlayerSpec>> {
        let JobSpec::Play(PlaySpec::Match(job)) = &*self.spec else { return Vec::new() };
        let is_fed = |role: &str| self.from.iter().any(|dependency| dependency.player.as_deref() == Some(role));
        let fixed = |(role, player): (&str, &'a PlayerSpec)| {
            (!is_fed(role) && !player.agent().depends_on_seed()).then_some(player)
        };
        [("agent", &job.agent), ("opponent", &job.opponent)].map(fixed).to_vec()
    }

    fn as_match(&self) -> Option<&MatchJob> {
        if let JobSpec::Play(PlaySpec::Match(job)) = self.sound_spec()? { Some(job) } else { None }
    }

    /// A player of a match with its game and the training of its weights, as one text.
    fn rated_player(&self, is_agent: bool) -> String {
        let Some(job) = self.as_match() else { return String::new() };
        let (role, player) = if is_agent { ("agent", &job.agent) } else { ("opponent", &job.opponent) };
        let fed = self.from.iter().filter(|dependency| dependency.player.as_deref().unwrap_or("agent") == role);
        let fed: Vec<_> = fed.map(|dependency| (dependency.config, dependency.iteration)).collect();
        format!("{:?} {player:?} {fed:?}", job.game)
    }

    /// The names of the players in the results.
    fn result_names(&self) -> Vec<String> {
        match &*self.spec {
            JobSpec::Play(PlaySpec::Match(job)) => job.names(),
            spec => spec.job().players().into_iter().map(|(name, _)| name.to_owned()).collect(),
        }
    }

    fn names(&self, fixed: &Fixed<'_>) -> Vec<String> {
        let own = self.fixed().into_iter().chain(std::iter::repeat(None)).zip(["agent", "opponent"]);
        let mut names = self.result_names();
        for (name, (player, role)) in names.iter_mut().zip(own) {
            let Some(player) = player else { continue };
            let label = self.labels.iter().find(|(axis, _)| **axis == *role).map(|(_, label)| label.to_string());
            match (fixed.get(&player.name()), label) {
                (Some(Some(_)), _) => *name = player.name(),
                (_, Some(label)) => *name = label,
                (_, None) => {}
            }
        }
        match &*self.spec {
            // Variants may change one of two players with the same name.
            JobSpec::Play(PlaySpec::Match(job)) if names[0] == names[1] && job.agent != job.opponent => job.names(),
            _ => names,
        }
    }
}

/// The key with the rating of the anchor.
const ANCHOR_ELO: &str = "anchor-elo";

/// Checks that the anchor of an exhibit is a player of its stage, and that a rating is that of an anchor. Players are
/// shown by their labels, and so is the anchor.
pub(super) fn check_anchor(
    (exhibit, node): (&Exhibit, &Node),
    configs: &[&Config],
    show: impl Fn(&str) -> String,
    found: &mut ProblemSet<'_>,
) {
    let about = exhibit.show.about();
    if let (None, Some(elo)) = (about.anchor, setting(node, ANCHOR_ELO)) {
        let problem = Problem::at(elo.key_span.clone(), "`anchor-elo` is the rating of an anchor, and there is none");
        found.add(problem.hint("name the player: `anchor = \"...\"`"));
    }
    let stage = about.stage();
    let own: Vec<&Config> = configs.iter().copied().filter(|config| config.stage == stage).collect();
    let Some(anchor) = about.anchor.filter(|_| own.iter().all(|config| config.is_sound)) else { return };
    let names: Vec<String> = rated_names(&own).into_iter().flatten().collect();
    // A program without a name is called after its script, and its files are not read yet.
    let is_program = || {
        let mut programs = own.iter().flat_map(|config| config.spec.started_programs());
        let is_script = |word: &String| word.rsplit('/').next() == Some(anchor);
        programs.any(|program| program.name.is_none() && program.command.iter().any(is_script))
    };
    if !names.is_empty() && names.iter().all(|name| show(name) != show(anchor)) && !is_program() {
        let mut known: Vec<&str> = names.iter().map(String::as_str).collect();
        known.sort_unstable();
        known.dedup();
        let message = format!("stage `{stage}` has no player `{anchor}`");
        found.add(Problem::at(anchor_place(node), message).nearest(anchor, known));
    }
}

/// The role of the player that an axis belongs to; `None` for an axis of the game, of a variant and others.
pub(super) fn role(axis: &str) -> Option<&'static str> {
    let is_of = |role: &&str| axis.strip_prefix(role).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    ["agent", "opponent"].into_iter().find(is_of)
}

/// Checks that axes which name the players of matches give two players, and players of two games, two names.
pub(super) fn check_rated(exhibit: &Exhibit, node: &Node, configs: &[&Config], found: &mut ProblemSet<'_>) {
    let about = exhibit.show.about();
    let axes = about.cells.get(about.panels.len()..).unwrap_or_default();
    if about.unit != Unit::Players || axes.is_empty() {
        return;
    }
    let matches = configs.iter().filter(|config| config.stage == about.stage());
    let matches: Vec<&Config> = matches.copied().filter(|config| config.as_match().is_some()).collect();
    let place = node.table().and_then(|table| table.entry("show")).map_or(&node.span, |show| &show.key_span);
    for panel in grouped(&matches, &about.panels).into_values() {
        let mut known: HashMap<String, (String, &Config)> = HashMap::new();
        for (config, is_agent) in panel.iter().flat_map(|config| [(*config, true), (*config, false)]) {
            let own = axes.iter().filter(|axis| (role(axis) != Some("opponent")) == is_agent);
            let labels: Vec<String> = own.filter_map(|axis| config.label(axis)).collect();
            let (name, player) = (labels.join(", "), config.rated_player(is_agent));
            let same = known.entry(name.clone()).or_insert((player.clone(), config));
            if name.is_empty() || same.0 == player {
                continue;
            }
            let message = format!("the exhibit would rate two players under one name: `{name}`");
            let hint = Pooled([same.1, config]).way_out("name among its `players`, or in its `panels`,");
            found.add(Problem::at(place.clone(), message).hint(hint));
            return;
        }
    }
}

fn anchor_place(exhibit: &Node) -> Span {
    setting(exhibit, "anchor").map_or(&exhibit.span, |anchor| &anchor.node.span).clone()
}

/// A setting of an exhibit, with its key.
fn setting<'a>(exhibit: &'a Node, key: &str) -> Option<&'a Entry> {
    exhibit.table()?.get("show")?.table()?.tagged()?.1.entry(key)
}
