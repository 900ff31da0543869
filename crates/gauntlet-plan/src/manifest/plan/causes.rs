//! The weights that two jobs share: those of a training that both read, or those that a seed draws and one of them plays
//! with. Criteria compare runs of equal seeds as pairs only if they share weights.
//!
//! An untrained network shares its weights with the training that starts from it: they are the whole cause of its results.
//! Two trainings that start from the same weights do not count as sharing them, since training leaves no trace of its start:
//! over 35 runs, the correlations of two such trainings were -0.31 and -0.15 (SAZ and model3 of `saz2021`). Neither do shared
//! openings and opponents without weights: they act on single games, whose noise averages out within a run.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Plan;
use gauntlet_exhibits::Comparison;
use gauntlet_games::games::GameSpec;
use gauntlet_play::players::{PlayerSpec, Weights};

/// A network with weights that a seed draws.
struct Drawn<'a> {
    /// Whether the job itself plays with them, and no training changed them.
    is_played: bool,
    seed: u64,
    /// The role of its player, or its name in a tournament: each role draws its own weights.
    role: &'a str,
    player: &'a PlayerSpec,
    /// The settings of the draw besides the network.
    law: [Value; 2],
    game: Option<GameSpec>,
}

impl Plan {
    /// The weights that two jobs share, by their indices; `None` if they share none.
    #[must_use]
    pub fn shared_weights(&self, one: usize, other: usize) -> Option<Comparison> {
        let [before, others] = [one, other].map(|at| self.with_dependencies(at));
        let keys = |jobs: &BTreeSet<usize>| {
            let trainings = jobs.iter().filter(|&&at| self.spec(&self.jobs[at]).kind() == "train");
            trainings.map(|&at| self.jobs[at].key).collect::<BTreeSet<_>>()
        };
        if !keys(&before).is_disjoint(&keys(&others)) {
            return Some(Comparison::TrainedWeights);
        }
        let drawn = |jobs: &BTreeSet<usize>| jobs.iter().flat_map(|&at| self.drawn(at)).collect::<Vec<_>>();
        let others = drawn(&others);
        let is_shared = drawn(&before).iter().any(|one| others.iter().any(|other| one.is_same(other)));
        is_shared.then_some(Comparison::DrawnWeights)
    }

    /// A job with all jobs that it depends on, by their indices.
    fn with_dependencies(&self, at: usize) -> BTreeSet<usize> {
        let (mut found, mut open) = (BTreeSet::new(), vec![at]);
        while let Some(at) = open.pop() {
            if found.insert(at) {
                open.extend(&self.jobs[at].after);
            }
        }
        found
    }

    /// The networks whose weights the seed of a job draws.
    fn drawn(&self, at: usize) -> Vec<Drawn<'_>> {
        let planned = &self.jobs[at];
        let job = self.spec(planned).job();
        // Evolution starts from a mean of its own, and not from the weights of the player.
        let evolves = job.training().is_some_and(|training| matches!(training.agent, Some(PlayerSpec::Net(_))));
        let is_drawn = |(role, player): &(&str, &PlayerSpec)| {
            player.agent().weights() == Some(&Weights::Random) && !(evolves && *role == "agent")
        };
        let (seed, game) = (planned.seed, job.game());
        let is_played = job.training().is_none();
        let drawn = |(role, player)| Drawn { is_played, seed, role, player, law: law(player), game: game.clone() };
        job.players().into_iter().filter(is_drawn).map(drawn).collect()
    }
}

/// The initialisation of a player's weights.
fn law(player: &PlayerSpec) -> [Value; 2] {
    let settings = json!(player);
    let settings = settings.as_object().and_then(|settings| settings.values().next());
    ["init", "deviation"].map(|key| settings.and_then(|settings| settings.get(key)).cloned().unwrap_or_default())
}

impl Drawn<'_> {
    fn is_same(&self, other: &Drawn<'_>) -> bool {
        let (own, others) = (self.player.agent(), other.player.agent());
        (self.is_played || other.is_played)
            && (self.seed, self.role, &self.law) == (other.seed, other.role, &other.law)
            && own.shares_network(others)
            && own.shares_input(others)
            && self.fits(other)
    }

    /// Whether the weights for one game are those for the other one.
    fn fits(&self, other: &Drawn<'_>) -> bool {
        let (Some(own), Some(others)) = (&self.game, &other.game) else { return self.game == other.game };
        own == others || self.player.agent().check_transfer(&own.build(), &others.build()).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::manifest::{Overrides, load};

    const MANIFEST: &str = r#"
schema = 1
name = "a/b"
title = "t"
[games]
othello.othello = { size = 6 }
[agents]
random.random = {}
[agents.saz.guided.network.saz]
hidden = 4
[trainings.zero.alpha-zero]
game = "othello"
agent = "saz"
[variant.plain]
[variant.slow.set]
"settings.games" = 6
[variant.cnn.set]
"agent.network" = { az-cnn = { channels = 4, wide = 4, narrow = 4 } }
[variant.other-start.set]
"agent.init" = "glorot"
[variant.untrained.set]
agent = "saz"
[variant.low-bits.set]
"agent.numbers" = "int8"
[variant.weak.set]
agent = "random"
[stages.train]
seeds = 2
variants = ["plain", "slow", "cnn", "other-start"]
train = "zero"
[stages.test]
from = "train"
sweep = { "game.size" = [6, 8] }
exclude = [{ variant = "cnn", "game.size" = 8 }]
play.match = { opponent = "random", games = 2 }
[stages.bits]
from = { agent = { stage = "train", only = { variant = "plain" } } }
variants = ["low-bits"]
play.match = { game = "othello", agent = "saz", opponent = "random", games = 2 }
[stages.floors]
seeds = 2
variants = ["untrained", "weak"]
play.match = { game = "othello", agent = "saz", opponent = "random", games = 2 }
[stages.met]
seeds = 2
variants = ["weak"]
play.match = { game = "othello", agent = "saz", opponent = "saz", games = 2 }
"#;

    #[test]
    fn runs_share_the_weights_that_both_read_or_that_one_starts_from() {
        let source = BTreeMap::from([("m.toml".to_owned(), MANIFEST.to_owned())]);
        let plan = load(&source, "m.toml", &Overrides::default())
            .and_then(|loaded| Plan::new(loaded, "cpu"))
            .expect("it is sound");
        let job = |stage: &str, variant: &str, size: &str, seed: u64| {
            let is_it = |at: &usize| {
                let (job, config) = (&plan.jobs[*at], plan.config(&plan.jobs[*at]));
                let has = |axis: &str, label: &str| label.is_empty() || config.label(axis).as_deref() == Some(label);
                config.stage == stage && has("variant", variant) && has("game.size", size) && job.seed == seed
            };
            (0..plan.jobs.len()).find(is_it).unwrap_or_else(|| panic!("{stage} {variant} {size} {seed}"))
        };
        let trained = |variant: &str| job("test", variant, "6", 1);
        let untrained = job("floors", "untrained", "", 1);
        let (same, start) = (Some(Comparison::TrainedWeights), Some(Comparison::DrawnWeights));
        for (one, other, shared) in [
            (trained("plain"), job("test", "plain", "8", 1), same),
            (trained("plain"), job("bits", "low-bits", "", 1), same),
            (trained("plain"), untrained, start),
            (job("test", "plain", "8", 1), untrained, start),
            (trained("slow"), untrained, start),
            (trained("plain"), trained("slow"), None),
            (trained("plain"), job("floors", "untrained", "", 2), None),
            (trained("plain"), job("test", "plain", "6", 2), None),
            (trained("cnn"), untrained, None),
            (trained("plain"), trained("cnn"), None),
            (trained("plain"), trained("other-start"), None),
            (trained("plain"), job("floors", "weak", "", 1), None),
            // The opponent draws weights of its own.
            (untrained, job("met", "weak", "", 1), None),
        ] {
            assert_eq!(plan.shared_weights(one, other), shared, "{one} {other}");
            assert_eq!(plan.shared_weights(other, one), shared, "{other} {one}");
        }
    }
}
