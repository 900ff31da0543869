//! Tests of matches between trained players of several trainings or iterations: the manifest syntax, its
//! errors, and the choice of weights.

use std::process::Command;
use std::time::Duration;

use crate::workshop::{Ended, Workshop, assert_told, changed, plan_of};
use gauntlet_plan::manifest::{Overrides, Plan, Reading};
use serde_json::Value;

/// Four trainings, and the scores of their players in a tournament and in matches on two boards.
const ENTRANTS: &str = r#"schema = 1
name = "test/entrants"
title = "Trained players meet"

[games]
five.gomoku = { size = 5, row = 4 }

[agents]
naive.naive = {}
one.guided = { network = { saz = { hidden = 4 } }, search = { simulations = 4 } }
two.guided = { network = { saz = { hidden = 5 } }, search = { simulations = 4 } }

[stages.one]
seeds = 2
train.alpha-zero = { game = "five", agent = "one", settings = { iterations = 3, games = 4, epochs = 1, batch = 8, keep = [1, 2] } }

[stages.two]
seeds = 2
sweep = { "game.size" = [5, 6] }
train.alpha-zero = { game = "five", agent = "two", settings = { iterations = 1, games = 4, epochs = 1, batch = 8 } }

[stages.league]
from = { early = { stage = "one", iteration = 1 }, one = "one", two = { stage = "two", only = { "game.size" = 6 } } }
play.tournament = { players = ["naive", "early", "one", "two"], games = 2, format = "round-robin" }

[stages.test]
from = { agent = "one", opponent = "two" }
sweep = { "game.size" = [5, 6] }
play.match = { games = 4, openings = { random = { plies = 2 } } }

[[exhibit]]
[exhibit.show.means]
stage = "test"
rows = ["game.size"]
"#;

fn plan(changes: &[(&str, &str)]) -> Plan {
    plan_of(&changed(ENTRANTS, changes), &Overrides::default()).unwrap()
}

/// The inputs of a stage's first matching job, as `player job, iteration`.
fn reads(plan: &Plan, job: &str) -> Vec<String> {
    let job = plan.jobs.iter().find(|found| plan.describe(found) == job).unwrap_or_else(|| panic!("no job {job}"));
    let dependencies =
        plan.config(job).from.iter().zip(&job.after).filter(|(dependency, _)| dependency.reads == Reading::Weights);
    let line = |(dependency, &before): (&gauntlet_plan::manifest::Dependency, &usize)| {
        let iteration = dependency.iteration.map_or(String::new(), |iteration| format!(", {iteration}"));
        format!("{} {}{iteration}", dependency.player.as_deref().unwrap_or("-"), plan.describe(&plan.jobs[before]))
    };
    dependencies.map(line).collect()
}

#[test]
fn every_player_has_its_training() {
    let plan = plan(&[]);
    assert_eq!((plan.configs.len(), plan.jobs.len()), (1 + 2 + 6 + 1 + 2, 2 * 12));
    let (one, two) = ("one game=five agent=one seed=2", "two game=five agent=two game.size=6 seed=2");
    assert_eq!(
        reads(&plan, "league game=five agent=one seed=2"),
        [format!("early {one}, 1"), format!("one {one}"), format!("two {two}")]
    );
    assert_eq!(
        reads(&plan, "league meetings game=five agent=one meeting=early – two seed=2"),
        [format!("early {one}, 1"), format!("two {two}")],
    );
    assert_eq!(reads(&plan, "league meetings game=five agent=one meeting=naive – one seed=2"), [format!("one {one}")]);
    assert_eq!(
        reads(&plan, "test opponent=two game=five agent=one game.size=6 seed=2"),
        [format!("agent {one}"), format!("opponent {two}")]
    );
    let spec = serde_json::to_value(&**plan.spec(plan.jobs.last().unwrap())).unwrap();
    assert_eq!(spec["play"]["match"]["opponent"]["guided"]["weights"], "trained");
    assert_eq!(spec["play"]["match"]["opponent"]["guided"]["network"]["saz"]["hidden"], 5);
}

#[test]
fn one_stage_still_feeds_a_whole_tournament() {
    let from = "from = { early = { stage = \"one\", iteration = 1 }, one = \"one\", two = { stage = \"two\", only = { \"game.size\" = 6 } } }";
    let plan = plan(&[
        (from, "from = \"one\""),
        ("two.guided", "fed.guided = { network = { saz = { hidden = 4 } }, weights = \"trained\" }\ntwo.guided"),
        ("players = [\"naive\", \"early\", \"one\", \"two\"]", "players = [\"naive\", \"fed\"]"),
    ]);
    assert_eq!(
        reads(&plan, "league game=five agent=one seed=1"),
        ["- one game=five agent=one seed=1"],
        "and no `agent` is pushed into it"
    );
}

#[test]
fn what_is_read_is_part_of_the_key() {
    let keys = |changes: &[(&str, &str)]| -> Vec<_> {
        let plan = plan(changes);
        let of_play = plan.jobs.iter().filter(|job| plan.spec(job).kind() == "play");
        of_play.map(|job| job.key).collect()
    };
    let base = keys(&[]);
    let shared = |changes: &[(&str, &str)]| keys(changes).iter().filter(|key| base.contains(key)).count();
    assert_eq!(base.len(), 18);
    assert_eq!(shared(&[("iteration = 1 }, one", "iteration = 2 }, one")]), 10, "another iteration");
    assert_eq!(shared(&[("\"game.size\" = 6 }", "\"game.size\" = 5 }")]), 10, "another training");
    assert_eq!(
        shared(&[("{ agent = \"one\", opponent", "{ agent = { stage = \"one\", iteration = 2 }, opponent")]),
        14
    );
    let (early, one) = ("early = { stage = \"one\", iteration = 1 }, ", "one = \"one\", ");
    assert_eq!(shared(&[(&format!("{early}{one}"), &format!("{one}{early}"))]), 18, "the order of writing is none");
}

#[test]
fn every_run_meets_several_runs_of_its_opponent() {
    let crossed = |runs: u32| {
        let opponent = format!("opponent = {{ stage = \"two\", runs = {runs} }}");
        plan(&[
            ("seeds = 2\ntrain", "seeds = 3\ntrain"),
            ("seeds = 2\nsweep", "seeds = 3\nsweep"),
            ("opponent = \"two\"", &opponent),
        ])
    };
    let met = |plan: &Plan| -> Vec<_> {
        let of_board = plan
            .jobs
            .iter()
            .filter(|job| plan.config(job).describe().starts_with("test opponent=two game=five agent=one game.size=6"));
        of_board.map(|job| (job.seed, plan.opponent_run(job))).collect()
    };
    let two = crossed(2);
    let pairs = [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (3, 1)];
    assert_eq!(met(&two), pairs.map(|(seed, opponent_run)| (seed, Some(opponent_run))));
    assert_eq!(
        reads(&two, "test opponent=two game=five agent=one game.size=6 seed=3 opponent.run=1"),
        ["agent one game=five agent=one seed=3", "opponent two game=five agent=two game.size=6 seed=1"]
    );
    assert_eq!(met(&crossed(5)).len(), 9, "no more than there are");
    assert_eq!(met(&crossed(1)), [1, 2, 3].map(|seed| (seed, None)));
    let plain: Vec<_> = crossed(1).jobs.iter().map(|job| job.key).collect();
    let kept = plain.iter().filter(|key| two.jobs.iter().any(|job| job.key == **key)).count();
    assert_eq!(kept, plain.len(), "a match of equal seeds is the same job");
}

#[test]
fn trainings_that_do_not_meet_are_told_with_the_choices() {
    let problems = |from: &str, to: &str| {
        plan_of(&changed(ENTRANTS, &[(from, to)]), &Overrides::default()).err().unwrap_or_default()
    };
    let hint = "(runs of several trainings meet by seed: give all of them the same `seeds`)";
    let seeds = format!("stage `two` has the seeds [1, 2, 3], and stage `one` has [1, 2] {hint}");
    let expected = [23, 27].map(|line| format!("{line} \"two\": {seeds}"));
    assert_eq!(problems("seeds = 2\nsweep", "seeds = 3\nsweep"), expected);
    assert_eq!(
        problems("\"game.size\" = [5, 6] }\ntrain", "\"settings.batch\" = [8, 9] }\ntrain"),
        [
            "23 \"two\": no configuration of stage `two` has game.size=6 (there are: settings.batch=8; settings.batch=9)",
            "27 \"two\": 2 configurations of stage `two` fit this cell (choose one with `only = { axis = label }`: \
             settings.batch=8; settings.batch=9)",
        ]
    );
}

/// The text to replace, its replacement, and the start of the only error.
const MISTAKES: &[(&str, &str, &str)] = &[
    ("one = \"one\"", "one = \"oen\"", "23 \"oen\": there is no stage `oen` (did you mean `one`?)"),
    ("one = \"one\"", "one = \"league\"", "23 \"league\": stage `league` waits for itself"),
    ("one = \"one\"", "one = \"test\"", "23 \"test\": stage `test` trains nothing that `league` could take over"),
    ("one = \"one\"", "one = 3", "23 3: expected a table, found integer `3`"),
    ("iteration = 1 }", "iteration = 3 }", "23 3: stage `one` does not keep iteration 3 (kept: 1, 2)"),
    (
        "one = \"one\", two",
        "one = { stage = \"two\", iteration = 1 }, two",
        "23 1: stage `two` does not keep iteration 1 (add `keep = [1]` to the settings of an `alpha-zero`)",
    ),
    (
        "iterations = 3",
        "iterations = 1",
        "15 keep: iteration 2 cannot be kept: the last one is 1 (keep fewer, too: --set \
         'stages.one.train.alpha-zero.settings.keep=[1]')",
    ),
    ("iteration = 1 }", "itreation = 1 }", "23 itreation: unknown key `itreation` (did you mean `iteration`?)"),
    (
        "agent = \"one\", opponent",
        "agent = { stage = \"one\", runs = 2 }, opponent",
        "27 2: only the opponent of a match has several runs for each run of the agent (as in `from = { agent = \"train\", \
         opponent = { stage = \"rivals\", runs = 3 } }`)",
    ),
    (
        "opponent = \"two\"",
        "opponent = { stage = \"one\", runs = 2 }",
        "27 2: the runs of one training cannot be crossed with themselves: each would meet itself (train the opponent in a \
         stage of its own, or leave `runs` out)",
    ),
    (
        "one = \"one\", two",
        "one = { stage = \"one\", runs = 2 }, two",
        "23 2: only the opponent of a match has several runs for each run of the agent",
    ),
    ("early = {", "late = {", "23 late: `late` is not a player of stage `league`"),
    (
        "opponent = \"two\" }",
        "oponent = \"two\" }",
        "27 oponent: `oponent` is not a player of stage `test` (did you mean `opponent`?)",
    ),
    (
        "\"game.size\" = 6 }",
        "\"game.size\" = 7 }",
        "23 \"two\": no configuration of stage `two` has game.size=7 (there are: game.size=5; game.size=6)",
    ),
    (
        "opponent = \"two\" }\nsweep = { \"game.size\" = [5, 6] }",
        "opponent = \"two\" }\nsweep = { \"game.size\" = [5, 7] }",
        "27 \"two\": no configuration of stage `two` fits game.size=7 (there are: game.size=5; game.size=6)",
    ),
    (
        "two = { stage = \"two\", only = { \"game.size\" = 6 } }",
        "two = \"one\"",
        "23 two: `two` has another network than the one that stage `one` trains",
    ),
    (
        "from = { agent = \"one\", opponent = \"two\" }",
        "from = {}",
        "27 {}: `from` names a stage, or players with stages",
    ),
    (
        "play.match = { games = 4, openings = { random = { plies = 2 } } }",
        "measure.fitness = { games = 4 }",
        "27 opponent: only the `agent` of a measurement takes weights from a table (for example `from = { agent",
    ),
];

#[test]
fn every_mistake_has_its_word() {
    assert_told(ENTRANTS, MISTAKES);
}

#[test]
fn the_weights_of_every_player_arrive_and_are_kept() {
    let workshop = Workshop::with(ENTRANTS);
    let explained = workshop.done("plan m.toml --explain").stdout;
    assert!(explained.contains("    from early: one game=five agent=one seed=1, iteration 1\n"), "{explained}");
    workshop.done("run m.toml --jobs 2");
    assert_eq!(workshop.files("results", "weights-1.safetensors").len(), 2);
    assert_eq!(workshop.files("results", "weights-2.safetensors").len(), 2);
    assert_eq!(workshop.files("results", "weights.safetensors").len(), 2 + 4);
    for done in workshop.files("results", "done.json").values() {
        let done: Value = serde_json::from_slice(done).unwrap();
        let names: Vec<&str> =
            done["files"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
        assert_eq!(names.contains(&"weights-1.safetensors"), names.contains(&"weights-2.safetensors"), "{names:?}");
    }
    // The table of runs has keys, which depend on the code.
    let (games, csvs) = (workshop.files("results", "games.jsonl"), workshop.tables());
    assert!(games.len() == 18 && csvs.len() == 1, "{csvs:?}");
    workshop.done("gc m.toml --yes");
    assert!(workshop.done("run m.toml").stderr.contains("nothing to do"), "what is wanted is kept");
    // New jobs read results of older code.
    workshop.age();
    workshop.jobs("play").iter().for_each(|job| std::fs::remove_dir_all(job).unwrap());
    let accepted = workshop.done("run m.toml --accept-code");
    assert!(accepted.stderr.contains("6 results of older code are taken as they are"), "{}", accepted.stderr);
    assert_eq!(workshop.tables(), csvs);
    let again = workshop.files("results", "games.jsonl");
    assert!(again.values().eq(games.values()) || again.len() == games.len(), "{again:?}");
}

#[test]
fn an_interrupted_training_keeps_the_same_networks() {
    let text = changed(
        ENTRANTS,
        &[
            ("iterations = 3, games = 4", "iterations = 15, games = 4"),
            ("seeds = 2", "seeds = 1"),
            ("seeds = 2", "seeds = 1"),
        ],
    );
    let kept = |workshop: &Workshop| workshop.files("results", ".safetensors").into_values().collect::<Vec<_>>();
    let (whole, workshop) = (Workshop::with(&text), Workshop::with(&text));
    whole.done("run m.toml --only stage=one");
    let child = workshop.command("run m.toml --only stage=one").spawn().unwrap();
    while workshop.files("results", "checkpoint.bin").is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = Ended::from(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    assert!(kept(&workshop).is_empty(), "nothing is half done");
    workshop.done("run m.toml --only stage=one");
    assert_eq!(kept(&workshop), kept(&whole));
    assert_eq!(kept(&whole).len(), 3);
}
