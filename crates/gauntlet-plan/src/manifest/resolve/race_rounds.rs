//! Checks of races: each round brings new evidence, and the number that decides is measured.

use super::config::Config;
use crate::manifest::read::tune::Objective;
use gauntlet_exhibits::Need;
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::{OpeningsSpec, PlaySpec};
use gauntlet_play::learning::TrainSpec;
use gauntlet_play::measure::MeasureSpec;
use gauntlet_play::players::PlayerSpec;

/// The problem of the rounds of a race, and a hint. The configurations are those of each setting.
pub(super) fn round_problem(
    objective: Option<Objective>,
    seeds: usize,
    settings: &[Vec<&Config>],
) -> Option<(String, String)> {
    // A mean over a panel has the chance of its places, and a single setting meets others that have some.
    let same = |setting: &Vec<&Config>| {
        let mut all = setting.iter().map(|config| repeated(config));
        all.next().flatten().filter(|_| all.all(|other| other.is_some()))
    };
    let mut configs = settings.iter().flatten();
    let missing = configs.find_map(|config| unmeasured(objective, config).or_else(|| cut_off(objective, config)));
    missing.or_else(|| settings.iter().filter_map(same).nth(1).filter(|_| seeds > 1))
}

/// The problem of a race by evaluations that its trainings end without, and a hint.
fn unmeasured(objective: Option<Objective>, config: &Config) -> Option<(String, String)> {
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

/// The problem of a race by numbers of values whose trainings cut games off, and a hint: a setting whose games never end
/// would learn no values, and be the best one.
fn cut_off(objective: Option<Objective>, config: &Config) -> Option<(String, String)> {
    let objective = objective.filter(|own| matches!(own, Objective::ValueLoss | Objective::ValueError))?;
    let JobSpec::Train(TrainSpec::AlphaZero(job)) = &*config.spec else { return None };
    job.settings.plies.as_ref()?;
    let (stage, words) = (&config.stage, objective.words());
    let message = format!("stage `{stage}` cuts games off by `plies`: those without an outcome add 0 to the {words}");
    Some((message, "race by `objective = \"evaluation\"` or `\"policy-loss\"`, or leave `plies` out".to_owned()))
}

/// The problem of a setting whose rounds all play the games of the first one, and a hint.
fn repeated(config: &Config) -> Option<(String, String)> {
    let draws = |player: &PlayerSpec| !player.agent().repeats();
    let is_same = !config.varies_by_run() && !config.spec.job().players().iter().any(|(_, player)| draws(player));
    let (what, hint) = match &*config.spec {
        JobSpec::Play(PlaySpec::Match(job)) if !is_drawn(&job.openings) => {
            ("games", "draw the openings: `openings = { random = { plies = 4 } }`")
        }
        JobSpec::Measure(MeasureSpec::Optimal(_)) => {
            ("positions and moves", "compare the settings in a table of means, whose errors are over positions")
        }
        _ => return None,
    };
    let message = format!(
        "every round of the race `{}` has the same {what} for two settings: their players choose no moves at random",
        config.stage
    );
    is_same.then(|| (message, hint.to_owned()))
}

fn is_drawn(openings: &OpeningsSpec) -> bool {
    matches!(openings, OpeningsSpec::Random(random) if random.plies > 0)
}

#[cfg(test)]
mod tests {
    use crate::manifest::testing;

    /// The problems of a race.
    fn problems(stage: &str) -> String {
        let text = format!(
            "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ng.mnk = {{ columns = 3, rows = 3, row = 3 }}\n[agents]\n\
             low.greedy = {{ ties = \"lowest\" }}\nen.engine = {{ command = [\"x\"], protocol = \"json\", deterministic = true }}\nr.random = {{}}\n\
             net.guided = {{ network.saz = {{ hidden = 4 }} }}\n[stages.race]\nseeds = 60\n{stage}\n"
        );
        testing::problems(&text).concat()
    }

    #[test]
    fn a_race_by_values_needs_outcomes() {
        let raced = |objective: &str, games: &str| {
            problems(&format!(
                "sweep = {{ \"settings.steps\" = [1, 2] }}\ntune = {{ error = 0.05, objective = \"{objective}\" }}\n\
                 train.alpha-zero = {{ game = \"g\", agent = \"net\", settings = {{ iterations = 2, {games} }} }}"
            ))
        };
        let plies = "plies = { environments = 4, each = 4 }";
        for objective in ["value-loss", "value-error"] {
            let found = raced(objective, plies);
            assert!(found.starts_with("stage `race` cuts games off by `plies`: those without"), "{objective}: {found}");
            assert_eq!(raced(objective, "games = 4"), "", "{objective}");
        }
        assert_eq!(raced("policy-loss", plies), "");
    }

    #[test]
    fn rounds_of_a_race_are_no_repetitions() {
        let raced = |opponent: &str, openings: &str| {
            problems(&format!(
                "sweep = {{ \"agent.options.level\" = [1, 2] }}\ntune = {{ error = 0.05 }}\nplay.match = {{ game = \"g\", \
                 agent = \"en\", opponent = \"{opponent}\", games = 4{openings} }}"
            ))
        };
        let same = "every round of the race `race` has the same games for two settings: their players choose no moves at random";
        for (openings, expected) in [
            ("", same),
            (", openings = { list = [\"A1\", \"B2\", \"C3\"] }", same),
            (", openings = { random = { plies = 0 } }", same),
            (", openings = { random = { plies = 2 } }", ""),
        ] {
            assert_eq!(raced("low", openings), expected, "{openings}");
            assert_eq!(raced("r", openings), "", "{openings}");
        }
        // One setting without chance meets others with it, and a mean over a panel has the chance of its places.
        for axes in [
            "sweep = { agent = [\"en\", \"r\"] }\ntune = { error = 0.05 }",
            "sweep = { \"agent.options.level\" = [1, 2], opponent = [\"low\", \"r\"] }\n\
             tune = { error = 0.05, panel = [\"opponent\"] }",
        ] {
            let found = problems(&format!(
                "{axes}\nplay.match = {{ game = \"g\", agent = \"en\", opponent = \"low\", games = 4 }}"
            ));
            assert_eq!(found, "", "{axes}");
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
