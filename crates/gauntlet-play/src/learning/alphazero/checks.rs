//! Checks of the settings of an AlphaZero training, before it runs.

use super::AlphaZeroSpec;
use crate::learning::Symmetries;
use crate::players::GuidedAgent;
use gauntlet_games::games::Game;
use gauntlet_nets::encoders::plays_on_sites;
use gauntlet_nets::nets::NumberFormat;

impl AlphaZeroSpec {
    /// Refuses more than one count of steps.
    pub(super) fn check_steps(&self) -> Result<(), String> {
        match (self.steps, self.reuse) {
            (Some(_), Some(_)) => {
                Err("`steps` and `reuse` both set the length of an iteration; leave one out".to_owned())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn check_batch(&self, agent: &GuidedAgent) -> Result<(), String> {
        let least = agent.network.architecture().least_batch();
        // A step has at most as many examples as there are.
        let counts = [("batch", Some(self.batch)), ("samples", self.samples)];
        match counts.into_iter().find_map(|(key, count)| Some((key, count.filter(|count| count.get() < least)?))) {
            Some((key, count)) => Err(format!(
                "{} has batch norm over the examples of a step, which says nothing of {count}: {key} = {least} is the \
                 least",
                agent.network.name(),
            )),
            None => Ok(()),
        }
    }

    /// Refuses symmetries for actions other than placements and for tensors: their effect there is not defined. A board
    /// without any, such as that of a described game, would make the setting one without effect.
    pub(super) fn check_symmetries(&self, game: &dyn Game, agent: &GuidedAgent) -> Result<(), String> {
        match (self.symmetries, plays_on_sites(game), agent.reads_tensors()) {
            (Symmetries::None, ..) => Ok(()),
            (_, true, false) if game.topology().symmetries().len() > 1 => Ok(()),
            (_, true, false) => Err(format!(
                "the rules of {} may not be symmetric, so that its board has no symmetry but the identity: \
                 `symmetries = \"none\"` is left",
                game.name()
            )),
            (_, _, true) => Err(format!(
                "the symmetries of a board move sites, and the tensors of {} have places of their own: `symmetries = \
                 \"none\"` is left",
                game.name()
            )),
            (_, false, false) => Err(format!(
                "the symmetries of a board move sites, and the actions of {} are none: `symmetries = \"none\"` is left",
                game.name()
            )),
        }
    }

    /// Refuses a number format that steps do not have.
    pub(super) fn check_numbers(&self) -> Result<(), String> {
        match self.numbers {
            NumberFormat::F32 | NumberFormat::Bf16 => Ok(()),
            NumberFormat::Int8 => {
                Err("steps of optimisation have no number format `int8`: write `numbers = \"f32\"` or \
                                  `\"bf16\"` here, and `numbers = \"int8\"` in the agent for its games"
                    .to_owned())
            }
        }
    }

    pub(super) fn check_kept(&self) -> Result<(), String> {
        match self.keep.iterations.last() {
            Some(last) if *last > self.iterations.get() => {
                Err(format!("iteration {last} cannot be kept: the last one is {}", self.iterations))
            }
            _ => Ok(()),
        }
    }

    /// A caution about settings without effect: others replace them, or the training ends before. A setting with its
    /// default value may not be written at all.
    pub(super) fn idle(&self) -> Option<String> {
        let usual = AlphaZeroSpec::default();
        let mut found = Vec::new();
        if self.reuse.is_some() && self.epochs != usual.epochs {
            found.push("its `reuse` replaces `epochs`".to_owned());
        }
        if self.window.is_some() && self.history != usual.history {
            found.push("its `window` replaces `history`".to_owned());
        }
        if let Some(late) = self.evaluation.as_ref().filter(|it| it.every > self.iterations && !it.untrained) {
            let (every, last) = (late.every, self.iterations);
            found.push(format!("its `evaluation` is never due: `every` is {every}, and the last iteration is {last}"));
        }
        (!found.is_empty()).then(|| found.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_without_effect_are_told() {
        let idle = |text: &str| toml::from_str::<AlphaZeroSpec>(text).unwrap().idle().unwrap_or_default();
        assert_eq!(idle("reuse = 2.0\nepochs = 3"), "its `reuse` replaces `epochs`");
        assert_eq!(idle("window = { frames = 90 }\nhistory = 5"), "its `window` replaces `history`");
        assert_eq!(idle("reuse = 2.0\nwindow = { frames = 90 }"), "");
        let evaluation = "evaluation = { every = 5, games = 2, opponent = { random = {} }";
        let late = "its `evaluation` is never due: `every` is 5, and the last iteration is 4";
        assert_eq!(idle(&format!("iterations = 4\n{evaluation} }}")), late);
        assert_eq!(idle(&format!("iterations = 4\n{evaluation}, untrained = true }}")), "");
        assert_eq!(idle(&format!("iterations = 5\n{evaluation} }}")), "");
        let both = idle(&format!("iterations = 4\nreuse = 2.0\nepochs = 3\n{evaluation} }}"));
        assert_eq!(both, format!("its `reuse` replaces `epochs`; {late}"));
    }
}
