//! Checks of races: each round brings new evidence, and the number that decides is measured.

use super::config::Config;
use crate::manifest::read::tune::Objective;
use gauntlet_exhibits::Need;
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::{OpeningsSpec, PlaySpec};
use gauntlet_play::measure::MeasureSpec;
use gauntlet_play::players::PlayerSpec;

/// The problem of a race by evaluations that its trainings end without, and a hint.
pub(super) fn unmeasured(objective: Option<Objective>, config: &Config) -> Option<(String, String)> {
    let objective = objective.filter(|objective| objective.need() == Need::Skill)?;
    let (evaluation, training) = (config.spec.evaluation()?, config.spec.job().training()?);
    let message = || {
        let (stage, every, end) = (&config.stage, evaluation.every, training.end);
        format!(
            "stage `{stage}` has no {}: {end} iterations end before the first one, after {every}",
            objective.words()
        )
    };
    let hint = || "evaluate more often: `settings.evaluation.every`".to_owned();
    (evaluation.every.get() > training.end).then(|| (message(), hint()))
}

/// The problem of a race whose rounds all play the games of the first one, and a hint.
pub(super) fn repeated(rounds: usize, config: &Config) -> Option<(String, String)> {
    let draws = |player: &PlayerSpec| !player.agent().repeats();
    let is_same = !config.varies_by_run() && !config.spec.job().players().iter().any(|(_, player)| draws(player));
    let (what, hint) = match &*config.spec {
        JobSpec::Play(PlaySpec::Match(job)) if !matches!(job.openings, OpeningsSpec::Random(_)) => {
            ("games", "draw the openings: `openings = { random = { plies = 4 } }`")
        }
        JobSpec::Measure(MeasureSpec::Optimal(_)) => {
            ("positions and moves", "compare the settings in a table of means, whose errors are over positions")
        }
        _ => return None,
    };
    let message = format!(
        "every round of the race `{}` has the same {what}: its players choose no moves at random",
        config.stage
    );
    (is_same && rounds > 1).then(|| (message, hint.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::manifest::{Overrides, Plan, load};

    /// The problems of a race.
    fn problems(stage: &str) -> String {
        let text = format!(
            "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ng.mnk = {{ columns = 3, rows = 3, row = 3 }}\n[agents]\n\
             low.greedy = {{ ties = \"lowest\" }}\nen.engine = {{ command = [\"x\"], protocol = \"json\", deterministic = true }}\nr.random = {{}}\n\
             net.guided = {{ network.saz = {{ hidden = 4 }} }}\n[stages.race]\nseeds = 60\n{stage}\n"
        );
        let source = BTreeMap::from([("m.toml".to_owned(), text)]);
        match load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")) {
            Ok(_) => String::new(),
            Err(problems) => problems.list().iter().map(|problem| problem.message.clone()).collect(),
        }
    }

    #[test]
    fn rounds_of_a_race_are_no_repetitions() {
        let raced = |opponent: &str, openings: &str| {
            problems(&format!(
                "sweep = {{ \"agent.options.level\" = [1, 2] }}\ntune = {{ error = 0.05 }}\nplay.match = {{ game = \"g\", \
                 agent = \"en\", opponent = \"{opponent}\", games = 4{openings} }}"
            ))
        };
        let same = "every round of the race `race` has the same games: its players choose no moves at random";
        for (openings, expected) in [
            ("", same),
            (", openings = { list = [\"A1\", \"B2\", \"C3\"] }", same),
            (", openings = { random = { plies = 2 } }", ""),
        ] {
            assert_eq!(raced("low", openings), expected, "{openings}");
            assert_eq!(raced("r", openings), "", "{openings}");
        }
        let optimal = problems(
            "sweep = { \"agent.options.level\" = [1, 2] }\ntune = { error = 0.05 }\n\
             measure.optimal = { game = \"g\", agent = \"en\", plies = 3 }",
        );
        assert!(optimal.contains("has the same positions and moves"), "{optimal}");
    }

    #[test]
    fn a_race_by_evaluations_has_some() {
        let raced = |every: u32| {
            problems(&format!(
                "sweep = {{ \"settings.games\" = [4, 8] }}\ntune = {{ objective = \"evaluation\" }}\n\
                 train.alpha-zero = {{ game = \"g\", agent = \"net\", settings = {{ iterations = 5, \
                 evaluation = {{ every = {every}, opponent = \"r\", games = 4 }} }} }}"
            ))
        };
        assert_eq!(raced(5), "");
        let found = raced(6);
        assert!(found.contains("5 iterations end before the first one, after 6"), "{found}");
    }
}
