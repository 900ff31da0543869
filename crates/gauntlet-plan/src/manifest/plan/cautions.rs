//! Cautions: facts about a valid manifest that its author should know before any job runs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Plan;
use super::missing_names::missing_names;
use super::power::weak_claims;
use super::race::Race;
use crate::manifest::resolve::config::Config;
use gauntlet_games::base::count;
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::PlaySpec;
use gauntlet_play::players::{EngineAgent, PlayerSpec};
use gauntlet_ratings::race::RaceRule;

/// The cautions of a plan: sentences that begin with a stage, and those about claims.
#[must_use]
pub fn cautions(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    for stage in &plan.written.stages {
        let configs: Vec<&Config> = plan.configs.iter().filter(|config| config.stage == stage.name).collect();
        let of_jobs: BTreeSet<String> = configs.iter().filter_map(|config| config.spec.job().caution()).collect();
        found.extend(
            of_jobs
                .into_iter()
                .chain(confounded(plan, &configs))
                .chain(missing_files(plan, &configs))
                .chain(idle_budget(&configs))
                .map(|what| format!("stage `{}`: {what}", stage.name)),
        );
    }
    found.extend(plan.engines().iter().flat_map(EngineAgent::cautions));
    found.extend(missing_names(plan));
    // The profile `smoke` only proves that a manifest runs.
    if plan.profile != "smoke" {
        found.extend(weak_claims(plan));
        found.extend(short_races(plan));
    }
    found
}

/// Cautions for races that no results can decide.
fn short_races(plan: &Plan) -> Vec<String> {
    // Only matches give a unit for each pair of games.
    let is_match = |race: &Race| {
        let first = race.settings[0].configs.first().map(|&at| &*plan.configs[at].spec);
        matches!(first, Some(JobSpec::Play(PlaySpec::Match(_))))
    };
    let units = |race: &Race| {
        let size = race.size();
        if is_match(race) { (size.games / size.jobs.max(1)).div_ceil(2).max(1) as usize } else { 1 }
    };
    let is_short = |race: &Race| race.settings.len() > 1 && !race.rule.can_decide(race.size(), units(race));
    let caution = |race: Race| {
        let unlimited = RaceRule { budget: None, ..race.rule.clone() };
        let (end, way) = match unlimited.can_decide(race.size(), units(&race)) {
            true => ("when its `budget` is spent".to_owned(), "a larger `budget`"),
            false => (format!("after {}", count(race.size().rounds, "round")), "more `seeds`"),
        };
        format!(
            "stage `{}`: its race cannot be decided: even if one setting wins everything, several are left {end}, and the \
             best mean is taken; give it {way}, or a larger `error`",
            race.stage
        )
    };
    plan.races().into_iter().filter(is_short).map(caution).collect()
}

/// Cautions for files that players need and that do not exist: `run` refuses their jobs.
fn missing_files(plan: &Plan, configs: &[&Config]) -> BTreeSet<String> {
    let of_program =
        |program: &EngineAgent| Some(program.directory.0.join(program.missing_file()?).display().to_string());
    let of_weights =
        |player: &PlayerSpec| player.weights_file().filter(|file| !plan.inputs.contains_key(*file)).map(str::to_owned);
    let files = configs.iter().map(|config| &config.spec).flat_map(|spec| {
        let of_programs =
            spec.started_programs().into_iter().filter_map(|program| of_program(&program)).collect::<Vec<_>>();
        of_programs.into_iter().chain(spec.job().players().into_iter().filter_map(|(_, player)| of_weights(player)))
    });
    files.map(|file| format!("there is no file `{file}`, which the job needs")).collect()
}

/// A caution if engines have a budget in games with a clock, which replaces it.
fn idle_budget(configs: &[&Config]) -> Option<String> {
    let timed = configs.iter().map(|config| config.spec.job()).filter(|job| job.is_timed());
    let has_budget =
        |player: &PlayerSpec| matches!(player.untuned(), PlayerSpec::Engine(engine) if engine.budget.is_some());
    let is_idle = timed.flat_map(|job| job.players()).any(|(_, player)| has_budget(player));
    is_idle.then(|| "its `clock` replaces the `budget` of its engines".to_owned())
}

/// A caution if trained players are compared whose search also differs, because they come from different stages.
fn confounded(plan: &Plan, configs: &[&Config]) -> Option<String> {
    let mut groups: BTreeMap<Vec<String>, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for config in configs {
        let Some(search) = inherited_search(config) else { continue };
        let values = groups.entry(own_labels(plan, config)).or_default();
        for (key, value) in search {
            values.entry(key).or_default().insert(value.to_string());
        }
    }
    let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (key, values) in groups.values().flatten().filter(|(_, values)| values.len() > 1) {
        keys.entry(key).or_default().extend(values.iter().map(String::as_str));
    }
    let differing = |(key, values): (&&str, &BTreeSet<&str>)| {
        format!("`agent.search.{key}` ({})", values.iter().copied().collect::<Vec<_>>().join(" or "))
    };
    let differing: Vec<String> = keys.iter().map(differing).collect();
    (!differing.is_empty()).then(|| {
        format!(
            "its trained players differ in {}, which also acts outside self-play. Their games compare trainings and \
             searches at once. Set it in this stage to compare the trainings alone",
            differing.join(", ")
        )
    })
}

/// The search of a trained agent, key by key.
fn inherited_search(config: &Config) -> Option<serde_json::Map<String, Value>> {
    let is_fed =
        config.trainings().any(|dependency| dependency.player.as_deref().is_none_or(|player| player == "agent"));
    let players = config.spec.job().players();
    let (_, agent) =
        players.iter().find(|(role, _)| *role == "agent").filter(|_| is_fed && config.spec.kind() != "train")?;
    let Value::Object(mut search) = serde_json::to_value(agent.agent().played_search()?).ok()? else { return None };
    // The temperature acts only in self-play.
    search.remove("temperature");
    Some(search)
}

/// The labels of the axes that the stage itself sweeps.
fn own_labels(plan: &Plan, config: &Config) -> Vec<String> {
    let stage = plan.written.stage(&config.stage);
    let cells = || stage.iter().flat_map(|stage| &stage.cells).flatten();
    let before = || config.trainings().flat_map(|dependency| &plan.configs[dependency.config].labels);
    let is_own =
        |axis: &str| cells().any(|setting| *setting.path == *axis) || before().all(|(known, _)| **known != *axis);
    config.labels.iter().filter(|(axis, _)| is_own(axis)).map(|(axis, label)| format!("{axis}={label}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Overrides, load};

    const HEAD: &str = "schema = 1\nname = \"m\"\ntitle = \"m\"\n[games]\ng.othello = { size = 6 }\n[agents]\n\
        net.guided = { network = { saz = { hidden = 8 } }, search = { simulations = 8 } }\nrandom.random = {}\n";

    fn found(stages: &str) -> Vec<String> {
        let source = BTreeMap::from([("m.toml".to_owned(), format!("{HEAD}{stages}"))]);
        cautions(&load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")).unwrap())
    }

    #[test]
    fn players_that_draw_no_lots_need_openings() {
        let play = |rest: &str| {
            found(&format!(
                "[stages.t.train.alpha-zero]\ngame = \"g\"\nagent = \"net\"\nsettings = {{ iterations = 1, games = 2 }}\n\
                 [stages.p]\nfrom = {{ agent = \"t\", opponent = \"t\" }}\nplay.match = {{ opponent = \"net\", games = 40{rest} }}\n"
            ))
        };
        let reported = play("");
        assert!(reported.len() == 1 && reported[0].contains("40 games are 2 different ones"), "{reported:?}");
        assert_eq!(play(", openings = { random = { plies = 2 } }"), [""; 0]);
    }

    #[test]
    fn a_fitness_of_players_that_draw_no_lots_is_told() {
        let measure = |opponent: &str| {
            found(&format!(
                "[agents.still]\ngreedy = {{ ties = \"lowest\" }}\n\
                 [stages.m]\nmeasure.fitness = {{ game = \"g\", agent = \"still\", opponent = \"{opponent}\", games = 40 }}\n"
            ))
        };
        let reported = measure("still");
        assert!(reported.len() == 1 && reported[0].contains("40 games are 2 different ones"), "{reported:?}");
        assert_eq!(measure("random"), [""; 0]);
    }

    #[test]
    fn a_race_that_cannot_end_is_told() {
        let race = |seeds: usize, games: usize| {
            found(&format!(
                "[agents.uct]\nuct = {{ simulations = 4 }}\n[stages.r]\nseeds = {seeds}\n\
                 sweep = {{ \"agent.simulations\" = [4, 8] }}\ntune = {{ error = 0.05 }}\n\
                 play.match = {{ game = \"g\", agent = \"uct\", opponent = \"random\", games = {games}, openings = {{ random = {{ plies = 2 }} }} }}\n"
            ))
        };
        let short =
            |found: Vec<String>| found.iter().filter(|text| text.contains("its race cannot be decided")).count();
        assert_eq!([(1, 2), (1, 4), (100, 2), (2, 100)].map(|(seeds, games)| short(race(seeds, games))), [1, 1, 0, 0]);
        // Six runs that train or draw their weights are the fewest that decide.
        let drawn = |seeds: usize| {
            found(&format!(
                "[games.stones]\ngomoku = {{ size = 5 }}\n[agents.small]\nnet.network.mdrnn.units = 2\n[stages.r]\nseeds = {seeds}\n\
                 sweep = {{ \"agent.network.mdrnn.units\" = [2, 3] }}\ntune = {{ error = 0.05 }}\n\
                 play.match = {{ game = \"stones\", agent = \"small\", opponent = \"random\", games = 4 }}\n"
            ))
        };
        assert_eq!([3, 12].map(|seeds| short(drawn(seeds))), [1, 0]);
    }

    #[test]
    fn names_that_readers_take_for_missing_values_are_told() {
        let play = |agent: &str| {
            let rest = format!("agent = \"{agent}\", opponent = \"random\", games = 4");
            found(&format!("[agents.{agent}]\nuct = {{}}\n[stages.p]\nplay.match = {{ game = \"g\", {rest} }}\n"))
        };
        for name in ["NA", "null", "nan"] {
            let reported = play(name);
            assert!(
                reported.len() == 1 && reported[0].contains(&format!("the name `{name}` for a missing value")),
                "{reported:?}"
            );
        }
        assert_eq!(play("na"), [""; 0]);
    }

    #[test]
    fn missing_files_of_players_are_told() {
        let play = |agent: &str| {
            found(&format!(
                "[agents.other]\n{agent}\n[stages.p]\nplay.match = {{ game = \"g\", agent = \"other\", opponent = \"random\", games = 4 }}\n"
            ))
        };
        let reported =
            play("guided = { network = { saz = { hidden = 8 } }, weights = { file = \"none.safetensors\" } }");
        assert_eq!(reported, ["stage `p`: there is no file `none.safetensors`, which the job needs"]);
        assert_eq!(play("guided = { network = { saz = { hidden = 8 } } }"), [""; 0]);
    }

    #[test]
    fn a_budget_beside_a_clock_is_told() {
        let play = |rest: &str| {
            found(&format!(
                "[agents.e.engine]\ncommand = [\"sh\"]\nprotocol = \"gtp\"\nbudget = {{ time-ms = 1000 }}\n\
                 [stages.p]\nplay.match = {{ game = \"g\", agent = \"e\", opponent = \"random\", games = 4{rest} }}\n"
            ))
        };
        let reported = "stage `p`: its `clock` replaces the `budget` of its engines".to_owned();
        assert!(play(", clock = { seconds = 60 }").contains(&reported));
        assert!(!play("").contains(&reported));
    }

    #[test]
    fn searches_that_come_with_a_training_are_told() {
        let reported = |own: &str| {
            found(&format!(
                "[stages.t]\nsweep = {{ \"agent.search.simulations\" = [8, 64] }}\n\
                 train.alpha-zero = {{ game = \"g\", agent = \"net\", settings = {{ iterations = 1, games = 2 }} }}\n\
                 [stages.p]\nfrom = \"t\"\n{own}play.match = {{ opponent = \"random\", games = 4 }}\n"
            ))
        };
        let inherited = reported("");
        assert!(inherited.len() == 1 && inherited[0].contains("`agent.search.simulations` (64 or 8)"), "{inherited:?}");
        for own in ["[16]", "[8, 64]"] {
            assert_eq!(reported(&format!("sweep = {{ \"agent.search.simulations\" = {own} }}\n")), [""; 0], "{own}");
        }
    }
}
