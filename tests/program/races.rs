//! Tests of races between settings: the course is a function of results, losers play no further games, and the winner is
//! measured by other games.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use crate::workshop::{Workshop, assert_told, json};

const RACE: &str = r#"schema = 1
name = "race"
title = "Which search is best?"
games.board.connect-four = {}

[agents]
uct.uct = { simulations = 8 }
weak.uct = { simulations = 8 }

[stages.race]
seeds = 60
sweep = { "agent.simulations" = [1, 2, 40] }
play.match = { game = "board", agent = "uct", opponent = "weak", games = 8, openings = { random = { plies = 2 } } }
tune = { error = 0.1 }

[stages.winner]
tuned = "race"
seeds = [101, 102]
play.match = { game = "board", agent = "uct", opponent = "weak", games = 20, openings = { random = { plies = 2 } } }

[[exhibit]]
name = "course"
show.tuning = { stage = "race" }

[[exhibit]]
name = "best"
show.means = { stage = "winner", rows = ["agent.simulations"], scale = "outcome" }
[[exhibit.success]]
claim = "The winner beats the other player"
of = { agent = "uct" }
over.number = 0.5
"#;

/// The number of matches by simulations and number of games.
fn matches(workshop: &Workshop) -> BTreeMap<(u64, u64), usize> {
    let mut found = BTreeMap::new();
    for job in workshop.jobs("play-") {
        let key = json(&std::fs::read_to_string(job.join("key.json")).unwrap());
        let own = &key["spec"]["play"]["match"];
        let number = |value: &serde_json::Value| value.as_u64().unwrap();
        *found.entry((number(&own["agent"]["uct"]["simulations"]), number(&own["games"]))).or_default() += 1;
    }
    found
}

#[test]
fn losers_play_no_further_round_and_the_winner_plays_games_of_its_own() {
    let workshop = Workshop::with(RACE);
    let plan = workshop.done("plan m.toml").stdout;
    // The first round, then at most 59 rounds of three settings and the two matches of a winner.
    assert!(plan.contains("186 jobs, 3 to run, then at most 179 more for races"), "{plan}");
    let run = workshop.done("run m.toml --jobs 2 --require-success");
    assert!(run.stderr.contains("race `race`: 1 of 3 settings is left, and it is decided"), "{}", run.stderr);
    let played = matches(&workshop);
    let rounds = [1, 2, 40].map(|simulations| played[&(simulations, 8)]);
    assert!(rounds[2] < 60 && rounds[0] <= rounds[2] && rounds[1] <= rounds[2], "{played:?}");
    assert_eq!(played.get(&(40, 20)), Some(&2), "the winner's own games: {played:?}");
    assert_eq!(played.len(), 4, "no other setting plays them: {played:?}");
    let table = workshop.read("reports/race/base/course.md");
    assert!(table.contains("1 of 3 settings is left after"), "{table}");
    assert!(table.contains("| 40 |") || table.contains("simulations 40"), "{table}");
    let report = workshop.done("report m.toml");
    assert!(!report.stderr.contains("have no result"), "jobs of losers are not missing: {}", report.stderr);
    let best = workshop.read("reports/race/base/best.md");
    assert!(best.contains("met") && !best.contains("n = 0"), "{best}");
    // Nothing is left to do, and every command agrees.
    assert!(workshop.done("plan m.toml").stdout.contains("186 jobs, 0 to run\n"));
    let all = workshop.done("plan m.toml --all").stdout;
    assert_eq!(all.lines().filter(|line| line.contains(" out ")).count(), 186 - rounds.iter().sum::<usize>() - 2);
    assert!(workshop.done("tune m.toml --apply").stdout.contains("set = { \"agent.simulations\" = 40 }"));
    workshop.done("verify m.toml --all");
    // The provenance counts the jobs that ran.
    let made = workshop.read("reports/race/base/.made/race.json");
    assert!(made.contains(&format!("{} jobs", rounds.iter().sum::<usize>() + 2)), "{made}");
}

#[test]
fn no_kill_and_no_executor_changes_the_course() {
    let whole = Workshop::with(RACE);
    whole.done("run m.toml --jobs 2");
    let (course, tables) = (matches(&whole), whole.tables());
    let killed = Workshop::with(RACE);
    for pause in 0..20 {
        let mut run =
            killed.command("run m.toml --jobs 2 --quiet").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(40 + 10 * pause));
        // It may have ended already.
        let _ = run.kill();
        run.wait().unwrap();
    }
    killed.done("run m.toml --jobs 1");
    assert_eq!(matches(&killed), course);
    assert!(killed.tables() == tables, "the tables differ");
    let apart = Workshop::with(RACE);
    apart.done("run m.toml --executor process --jobs 2 --only stage=winner");
    assert_eq!(matches(&apart), course, "the winner needs the whole race");
    std::fs::remove_dir_all(apart.path("reports")).unwrap();
    apart.done("run m.toml");
    assert!(apart.tables() == tables, "the tables differ");
}

#[test]
fn a_larger_budget_continues_a_smaller_one() {
    let small = RACE.replace("error = 0.1", "error = 0.1, budget = { games = 100 }");
    let workshop = Workshop::with(&small);
    let run = workshop.done("run m.toml --jobs 2");
    assert!(run.stderr.contains("the budget is spent"), "{}", run.stderr);
    let first: usize = matches(&workshop).iter().filter(|((_, games), _)| *games == 8).map(|(_, number)| number).sum();
    assert!(first * 8 <= 100 && first >= 9, "{first}");
    workshop.write("m.toml", RACE);
    workshop.done("run m.toml --jobs 2");
    let whole = Workshop::with(RACE);
    whole.done("run m.toml --jobs 2");
    let raced =
        |workshop: &Workshop| matches(workshop).into_iter().filter(|((_, games), _)| *games == 8).collect::<Vec<_>>();
    assert_eq!(raced(&workshop), raced(&whole));
    // A sweep over the same settings takes the matches of the race.
    let sweep = RACE
        .split("[stages.winner]")
        .next()
        .unwrap()
        .replace("tune = { error = 0.1 }", "")
        .replace("seeds = 60", "seeds = 1");
    whole.write("sweep.toml", &sweep);
    assert!(whole.done("plan sweep.toml").stdout.contains("3 jobs, 0 to run"));
}

/// Opponents as a panel: a unit is the mean over them, and every setting plays both in each round.
#[test]
fn a_panel_is_played_by_every_setting() {
    let panel = RACE
        .replace("sweep = {", "sweep = { opponent = [\"weak\", \"uct\"],")
        .replace("error = 0.1", "error = 0.1, panel = [\"opponent\"]");
    let workshop = Workshop::with(&panel);
    workshop.done("run m.toml --jobs 2");
    let played = matches(&workshop);
    assert!(played.iter().filter(|((_, games), _)| *games == 8).all(|(_, number)| number % 2 == 0), "{played:?}");
    assert_eq!(played.get(&(40, 20)), Some(&2));
}

#[test]
fn mistakes_of_races_are_told() {
    assert_told(
        RACE,
        &[
            ("error = 0.1", "error = 0.7", "14 tune: an error of 0.7 is not between 0 and 0.5"),
            ("error = 0.1", "within = 2.0", "14 tune: a margin of 2 is no score from 0 to 1"),
            (
                "error = 0.1",
                "budget = { games = 20 }",
                "14 tune: a budget of 20 games is too small: the first round has 24",
            ),
            ("error = 0.1", "panel = [\"rival\"]", "14 tune: stage `race` has no axis `rival`"),
            ("error = 0.1", "rungs = \"rival\"", "14 tune: stage `race` has no axis `rival`"),
            (
                "error = 0.1",
                "rungs = \"agent.simulations\"",
                "14 tune: stage `race` has one setting, and a race needs two",
            ),
            ("error = 0.1", "eror = 0.1", "14 eror: unknown key `eror`"),
            ("[1, 2, 40]", "[40]", "14 tune: stage `race` has one setting, and a race needs two"),
            ("tuned = \"race\"", "tuned = \"rase\"", "17 \"rase\": there is no stage `rase`"),
            ("tune = { error = 0.1 }", "tune = { error = \"x\" }", "14 \"x\": expected a number, found string \"x\""),
            (
                "show.tuning = { stage = \"race\" }",
                "show.tuning = { stage = \"winner\" }",
                "23 \"winner\": stage `winner` is no race",
            ),
            (
                "seeds = [101, 102]",
                "seeds = [60, 61]",
                "17 \"race\": the seed 60 of stage `winner` takes part in the race",
            ),
            (
                "show.tuning = { stage = \"race\" }",
                "show.means = { stage = \"race\", rows = [\"agent.simulations\"] }",
                "23 \"race\": stage `race` is a race: settings that lose early play fewer games",
            ),
            (
                "\"agent.simulations\" = [1, 2, 40] }",
                "\"agent.simulations\" = [1, 2], agent = [\"uct\", \"weak\"] }",
                "14 tune: the setting `agent=weak agent.simulations=1` is the same job as another one",
            ),
        ],
    );
    let workshop = Workshop::with(&RACE.replace("tune = { error = 0.1 }", ""));
    let told = workshop.ends(2, &["check", "m.toml"]).stderr;
    assert_eq!(told.matches("stage `race` is no race").count(), 2, "the winner's stage, and the exhibit: {told}");
    let workshop = Workshop::with(RACE);
    let told = workshop.ends(4, &["tune", "m.toml", "--apply"]);
    assert!(told.stdout.contains("it has no winner yet"), "{}", told.stdout);
}

const CIRCLE: &str = r#"schema = 1
name = "circle"
title = "A race over trainings of its own winner"
games.board.atari-go = { size = 5 }

[agents]
weak.uct = { simulations = 8 }
net.net = { network.mdrnn.units = 3 }

[stages.train]
tuned = "race"
train.cma-es = { game = "board", agent = "net", opponent = "weak" }

[stages.race]
from = "train"
sweep = { "opponent.simulations" = [1, 2] }
measure.fitness = { opponent = "weak", games = 2 }
tune = {}
"#;

#[test]
fn stages_in_a_circle_are_told() {
    let told = Workshop::with(CIRCLE).ends(2, &["check", "m.toml"]).stderr;
    assert!(told.contains("the race `race` waits for its own winner"), "{told}");
    let other = "[stages.other]\ntuned = \"race\"\nseeds = [9]\n\
        train.cma-es = { game = \"board\", agent = \"net\", opponent = \"weak\" }\n[stages.race]";
    let circle = CIRCLE.replace("tuned = \"race\"", "from = \"race\"").replace("[stages.race]", other);
    let told = Workshop::with(&circle).ends(2, &["check", "m.toml"]).stderr;
    assert!(told.contains("stage `train` waits for itself by way of `race`"), "{told}");
}

const TRAININGS: &str = r#"schema = 1
name = "trainings"
title = "Which recipe learns best?"
games.go.atari-go = { size = 5 }
agents.naive.naive = {}
agents.net.net = { network.mdrnn.units = 3 }

[stages.race]
seeds = 8
sweep = { "settings.sigma" = [0.01, 1.0] }
train.cma-es = { game = "go", agent = "net", opponent = "naive", settings = { generations = 3, games = 6 } }
tune = { error = 0.4, objective = "mean-fitness" }

[stages.again]
tuned = "race"
seeds = [101]
train.cma-es = { game = "go", agent = "net", opponent = "naive", settings = { generations = 3, games = 6 } }

[[exhibit]]
name = "course"
show.tuning = { stage = "race" }
"#;

/// Trainings race by a number of their own results; the leader has the best mean of it.
#[test]
fn trainings_race_by_their_own_numbers() {
    for (tune, sign) in [("mean-fitness\"", 1.0), ("mean-fitness\", less = true", -1.0)] {
        let workshop = Workshop::with(&TRAININGS.replace("mean-fitness\"", tune));
        workshop.done("run m.toml --jobs 2");
        let mut means: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut again = Vec::new();
        for job in workshop.jobs("train") {
            let [key, result] =
                ["key.json", "result.json"].map(|file| json(&std::fs::read_to_string(job.join(file)).unwrap()));
            let sigma = key["spec"]["train"]["cma-es"]["settings"]["sigma"].to_string();
            match key["seed"].as_u64() {
                Some(101) => again.push(sigma),
                _ => means.entry(sigma).or_default().push(result["curve"][2]["mean"].as_f64().unwrap()),
            }
        }
        let mean = |own: &Vec<f64>| own.iter().sum::<f64>() / own.len() as f64;
        let best = means.iter().max_by(|one, other| (sign * mean(one.1)).total_cmp(&(sign * mean(other.1)))).unwrap();
        assert_eq!(again, std::slice::from_ref(best.0), "the leader trains again: {means:?}");
        let table = workshop.read("reports/trainings/base/course.csv");
        let shown = table.lines().find_map(|line| line.split_once(",mean fitness,")?.1.split(',').next());
        let shown: f64 = shown.expect("the best one is first").parse().unwrap();
        assert!((shown - mean(best.1)).abs() < 1e-12, "{table} {means:?}");
        let page = workshop.read("reports/trainings/base/course.md");
        let chosen = if sign > 0.0 { "Its mean fitness is too high" } else { "Its mean fitness is too low" };
        assert!(page.contains(chosen) && page.contains("| Mean fitness |"), "{page}");
    }
}

/// Trainings race by their lengths: longer ones continue those of the rung before, for the settings that are left.
#[test]
fn trainings_race_by_rungs() {
    let rungs = "\"settings.sigma\" = [0.01, 1.0], \"settings.generations\" = [2, 4]";
    let text = TRAININGS
        .replace("\"settings.sigma\" = [0.01, 1.0]", rungs)
        .replace("error = 0.4", "error = 0.05, rungs = \"settings.generations\"")
        .replacen("generations = 3", "keep = \"state\"", 1);
    let workshop = Workshop::with(&text);
    let plan = workshop.done("plan m.toml").stdout;
    assert!(plan.contains("34 jobs, 2 to run, then at most 31 more for races"), "{plan}");
    // Some rounds, a kill, and the rest.
    for pause in [300, 900] {
        let mut run = workshop.command("run m.toml --jobs 1 --quiet").stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        let _ = run.kill();
        run.wait().unwrap();
    }
    workshop.done("run m.toml --jobs 2");
    let mut counts: BTreeMap<(String, u64), usize> = BTreeMap::new();
    for job in workshop.jobs("train") {
        let [key, result] =
            ["key.json", "result.json"].map(|file| json(&std::fs::read_to_string(job.join(file)).unwrap()));
        let settings = &key["spec"]["train"]["cma-es"]["settings"];
        let generations = settings["generations"].as_u64().unwrap();
        assert_eq!(result["curve"].as_array().unwrap().len() as u64, generations);
        if key["seed"].as_u64().unwrap() < 101 {
            *counts.entry((settings["sigma"].to_string(), generations)).or_default() += 1;
        } else {
            assert_eq!(generations, 4, "the winner trains to the last rung");
        }
    }
    // With this error, eight runs of the first rung take nothing out.
    let of = |sigma: &str, generations: u64| counts.get(&(sigma.to_owned(), generations)).copied().unwrap_or(0);
    assert_eq!([of("0.01", 2), of("1.0", 2)], [8, 8], "{counts:?}");
    assert!(of("0.01", 4) >= 6 && of("0.01", 4) == of("1.0", 4), "{counts:?}");
    let page = workshop.read("reports/trainings/base/course.md");
    assert!(
        page.contains("The rungs are 2, 4") && page.contains("at rung 4") && !page.contains("is then among"),
        "{page}"
    );
    let whole = Workshop::with(&text);
    whole.done("run m.toml --jobs 1");
    assert!(whole.tables() == workshop.tables(), "the tables differ");
    // A longer training continues the one of the rung before.
    let fresh = Workshop::with(&text.replace("seeds = 8", "seeds = 1"));
    let run = fresh.done("run m.toml --jobs 1");
    let planned = Workshop::with(
        &text
            .replace("seeds = 8", "seeds = 1")
            .replace("[2, 4]", "[2]")
            .replace(", rungs = \"settings.generations\"", ""),
    );
    planned.done("run m.toml --jobs 1 --only stage=race");
    planned.write("m.toml", &text.replace("seeds = 8", "seeds = 1"));
    let plan = planned.done("plan m.toml");
    assert!(plan.stdout.contains("continue"), "{} {}", plan.stdout, run.stderr);
}

#[test]
fn rungs_that_are_no_lengths_of_all_settings_are_refused() {
    let rungs = "\"settings.sigma\" = [0.01, 1.0], \"settings.generations\" = [4, 2]";
    let of = |tune: &str, exclude: &str| {
        let text = TRAININGS.replace("\"settings.sigma\" = [0.01, 1.0]", rungs).replace("error = 0.4", tune);
        text.replace("tune = {", &format!("{exclude}\ntune = {{"))
    };
    let own = "rungs = \"settings.generations\"";
    let two = "exclude = [{ \"settings.sigma\" = 0.01, \"settings.generations\" = 2 }]";
    let names = TRAININGS
        .replace("agents.naive.naive = {}", "agents.naive.naive = {}\nagents.5.random = {}")
        .replace("\"settings.sigma\" = [0.01, 1.0]", "\"settings.sigma\" = [0.01, 1.0], opponent = [\"5\", \"naive\"]");
    for (text, wanted) in [
        (of(own, two), "the setting `settings.sigma=0.01` does not have every place of the panel at every rung"),
        (of(&format!("{own}, panel = [\"settings.generations\"]"), ""), "is in `rungs` and in `panel`"),
        (names.replace("error = 0.4", "rungs = \"opponent\""), "are not two numbers or more of a setting"),
    ] {
        let refused = Workshop::with(&text).ends(2, &["check", "m.toml"]).stderr;
        assert!(refused.contains(wanted), "{wanted}: {refused}");
    }
    // The smallest number comes first, however they are written.
    let workshop = Workshop::with(&of(own, ""));
    assert!(
        workshop
            .done("plan m.toml --all")
            .stdout
            .lines()
            .any(|line| line.contains("generations=4") && line.contains("later"))
    );
}

#[test]
fn an_objective_that_results_lack_is_refused() {
    let own = "mean-fitness";
    let none = "stage `race` is `train`, which has no score for a race";
    for (objective, wanted) in [
        ("objective = \"policy-loss\"", "which has no policy loss"),
        ("objective = \"lost\"", "which has no value lost"),
        ("objective = \"speed\"", "unknown choice `speed`"),
        ("within = 0.1", none),
    ] {
        let workshop = Workshop::with(&TRAININGS.replace(&format!("objective = \"{own}\""), objective));
        let refused = workshop.ends(2, &["check", "m.toml"]).stderr;
        assert!(refused.contains(wanted), "{refused}");
    }
}
