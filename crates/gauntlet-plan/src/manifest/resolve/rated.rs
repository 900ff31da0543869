//! Names of rated players of a stage, and the check that an anchor is one of them.
//!
//! One name is one player. A tournament names its entrants. The players of a match get descriptive names (`uct 20`), on
//! both sides. If several different players would get the same name, they get their names in the manifest.

use std::collections::HashMap;

use super::config::Config;
use super::problem_set::ProblemSet;
use crate::manifest::read::exhibit::Exhibit;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::Node;
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::PlaySpec;
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

/// Checks that the anchor of an exhibit is a player of its stage. Players are shown by their labels, and so is the
/// anchor.
pub(super) fn check_anchor(
    (exhibit, node): (&Exhibit, &Node),
    configs: &[&Config],
    show: impl Fn(&str) -> String,
    found: &mut ProblemSet<'_>,
) {
    let about = exhibit.show.about();
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

fn anchor_place(exhibit: &Node) -> Span {
    let anchor = || exhibit.table()?.get("show")?.table()?.tagged()?.1.get("anchor");
    anchor().map_or(&exhibit.span, |anchor| &anchor.span).clone()
}
