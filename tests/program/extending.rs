//! Tests of trainings that continue shorter ones or start with trained weights, and of weights from a file.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use gauntlet_games::base::Key;
use gauntlet_plan::manifest::Overrides;

use crate::workshop::{ALPHA_ZERO, TRAINING, Workshop, assert_told, changed, plan_of};

/// The files of one training of a manifest, and the output of planning and running it.
fn trained(workshop: &Workshop, manifest: &str) -> (BTreeMap<String, Vec<u8>>, String, String) {
    workshop.write("m.toml", manifest);
    let planned = workshop.done("plan m.toml --only stage=train").stdout;
    let reported = workshop.done("run m.toml --only stage=train").stderr;
    (workshop.files("results/jobs", ""), planned, reported)
}

#[test]
fn a_longer_training_continues_a_shorter_one_to_the_same_bytes() {
    let alpha_zero = |length: u32, kept: &str, rates: &str| {
        let keep = format!("keep = [{kept}]\nrates = {rates}");
        changed(ALPHA_ZERO, &[("iterations = 30", &format!("iterations = {length}")), ("keep = [2, 30]", &keep)])
    };
    let steps = "{ steps = [{ from = 3, rate = 0.01 }, { from = 6, rate = 0.001 }] }";
    let evolution = |length: u32, kept: &str| {
        let settings = format!("generations = {length}{kept}");
        changed(TRAINING, &[("generations = 30", &settings), ("seeds = 2", "seeds = 1")])
    };
    for [short, long] in [
        [alpha_zero(4, "2, \"state\"", steps), alpha_zero(7, "2, 6, \"state\"", steps)],
        [evolution(7, ", keep = \"state\""), evolution(12, "")],
    ] {
        let (whole, ..) = trained(&Workshop::with(&long), &long);
        let workshop = Workshop::new();
        let (first, ..) = trained(&workshop, &short);
        let (both, planned, reported) = trained(&workshop, &long);
        assert!(
            planned.contains(" continues train-") && reported.contains(" continue a shorter training"),
            "{planned}{reported}"
        );
        assert!(first.keys().any(|name| name.ends_with("state.bin")) && both.len() == first.len() + whole.len());
        whole.iter().for_each(|(name, bytes)| assert!(both[name] == *bytes, "{name}"));
        // A training is not continued twice, and a longer one not by a shorter one.
        assert!(!trained(&workshop, &short).1.contains("continues"));
    }
}

#[test]
fn a_training_that_cannot_be_continued_says_so() {
    let of = |length: u32, rest: &str| {
        let settings = format!("iterations = {length}");
        changed(ALPHA_ZERO, &[("iterations = 30", &settings), ("keep = [2, 30]", rest)])
    };
    for (short, long, reason) in [
        ("", "", "it kept no state: `keep = \"state\"`"),
        (
            "keep = \"state\"\nrates.cosine = { last = 1e-5 }",
            "rates.cosine = { last = 1e-5 }",
            "its learning rates depend on its length",
        ),
    ] {
        let workshop = Workshop::new();
        trained(&workshop, &of(1, short));
        workshop.write("m.toml", &of(2, long));
        let planned = workshop.done("plan m.toml --explain").stdout;
        let reported = "starts over and does not continue train-othello-4x4-saz";
        assert!(planned.contains(reported) && planned.contains(reason), "{planned}");
    }
    // A training with another beginning is not continued.
    let workshop = Workshop::new();
    trained(&workshop, &of(1, "keep = \"state\""));
    workshop.write("m.toml", &of(2, "").replace("batch = 8", "batch = 9"));
    assert!(!workshop.done("plan m.toml --explain").stdout.contains("continue"));
}

/// A player with weights from a file, measured like those of a training.
const OF_FILE: &str = r#"schema = 1
name = "test/file"
title = "Weights from a file"
games.go.atari-go = { size = 5 }
agents.naive.naive = {}
agents.mine.net = { network = { mdlstm = { cells = 3 } }, weights = { file = "my.safetensors" } }
stages.test.measure.fitness = { game = "go", agent = "mine", opponent = "naive", games = 20 }
[[exhibit]]
show.means = { stage = "test", rows = ["agent"] }
"#;

#[test]
fn weights_of_a_file_play_as_those_of_their_training() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml --seeds 1 --only agent=mdlstm,game.size=5");
    let result = |kind: &str| fs::read(workshop.jobs(kind).remove(0).join("result.json")).unwrap();
    let (expected, job) = (result("measure"), workshop.jobs("train").remove(0));
    workshop.jobs("measure").iter().for_each(|job| fs::remove_dir_all(job).unwrap());
    workshop.write("file.toml", OF_FILE);
    let missing = workshop.run("run file.toml");
    assert!(missing.code == 2 && missing.stderr.contains("reads `my.safetensors`"), "{}", missing.stderr);
    let weights = fs::read(job.join("weights.safetensors")).unwrap();
    fs::create_dir(workshop.path("data")).unwrap();
    fs::write(workshop.path("data/my.safetensors"), &weights).unwrap();
    workshop.done("run file.toml --data data");
    assert_eq!(result("measure"), expected);
    // The job's key depends on the contents of the file.
    fs::rename(workshop.path("data"), workshop.path("elsewhere")).unwrap();
    assert!(workshop.done("run file.toml --data elsewhere").stderr.contains("nothing to do"));
    // An exported file has its own checksum, which a flipped bit breaks.
    let exported = workshop.path("sealed.safetensors");
    workshop.done(&format!("export {} sealed.safetensors", job.join("weights.safetensors").display()));
    let mut damaged = fs::read(exported).unwrap();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs::write(workshop.path("elsewhere/bad.safetensors"), damaged).unwrap();
    workshop.write("bad.toml", &OF_FILE.replace("my.safetensors", "bad.safetensors"));
    let refused = workshop.run("run bad.toml --data elsewhere");
    let reported = "`bad.safetensors` is damaged: its checksum is of something else";
    assert!(refused.code == 2 && refused.stderr.contains(reported), "{}", refused.stderr);
    let other = OF_FILE.replace("cells = 3", "cells = 4");
    workshop.write("file.toml", &other);
    let refused = workshop.run("run file.toml --data elsewhere");
    let reported = "`my.safetensors` holds weights of MDLSTM k=3, not of MDLSTM k=4";
    assert!(refused.code == 2 && refused.stderr.contains(reported), "{}", refused.stderr);
    assert!(refused.stderr.contains("take a player with the network that the weights are of"), "{}", refused.stderr);
    let training = TRAINING.replace("cells = 3 } }", "cells = 3 } }, weights = { file = \"../x\" }");
    workshop.write("m.toml", &training);
    assert!(workshop.run("check m.toml").stderr.contains("`../x` is not a file of the data directory"));
    let opponent = "naive.net = { network = { mdlstm = { cells = 3 } }, weights = { file = \"my.safetensors\" } }";
    let opponent = TRAINING.replace("naive.naive = {}", opponent);
    workshop.write("m.toml", &opponent);
    workshop.done("run m.toml --data elsewhere");
    workshop
        .write("m.toml", &opponent.replace("cells = 3 } }, weights = { file = ", "cells = 4 } }, weights = { file = "));
    let refused = workshop.run("run m.toml --data elsewhere");
    assert!(refused.code == 2 && refused.stderr.contains("holds weights of MDLSTM k=3"), "{}", refused.stderr);
    workshop.write("file.toml", &OF_FILE.replace("my.safe", "../my.safe"));
    assert!(workshop.run("check file.toml").stderr.contains("is not a file of the data directory"));
}

/// A training, one that continues with its network on a larger board, and a measurement of the result there.
const TUNING: &str = r#"schema = 1
name = "test/tuning"
title = "Learned on 4x4, tuned on 6x6"
games.small.othello = { size = 4 }
games.large.othello = { size = 6 }
agents.saz.guided = { network = { saz = { hidden = 8 } }, search = { simulations = 8 } }
agents.cnn.guided = { network = { az-cnn = { channels = 4, wide = 8, narrow = 6 } }, search = { simulations = 8 } }
agents.net.net = { network = { mdrnn = { units = 2 } } }

[stages.train]
seeds = [3]
train.alpha-zero = { game = "small", agent = "saz", settings = { iterations = 2, games = 4, steps = 2, batch = 8, keep = [1] } }

[stages.tune]
from = { agent = { stage = "train", iteration = 1 } }
[stages.tune.train.alpha-zero]
game = "large"
settings.iterations = 1
settings.games = 2
settings.steps = 2
settings.batch = 4
settings.evaluation = { every = 1, games = 6, opponent = { greedy = {} }, untrained = true }

[stages.test]
from = "tune"
play.match = { opponent = "net", games = 2 }
"#;

#[test]
fn a_training_begins_with_the_weights_of_another() {
    let tuning = changed(TUNING, &[("opponent = \"net\"", "opponent = { random = {} }")]);
    let workshop = Workshop::with(&tuning);
    let run = workshop.done("run m.toml");
    assert!(run.stderr.contains("3 jobs"), "{}", run.stderr);
    let tuned = |job: &PathBuf| job.to_string_lossy().contains("train-othello-6x6");
    let files = |workshop: &Workshop| {
        let job = workshop.jobs("train").into_iter().find(tuned).unwrap();
        ["weights.safetensors", "result.json"].map(|name| fs::read(job.join(name)).unwrap())
    };
    assert!(String::from_utf8_lossy(&files(&workshop)[1]).contains("\"untrained\":"));
    workshop.done("export m.toml metrics.csv");
    let table = workshop.read("metrics.csv");
    let (heads, rows) =
        (table.lines().next().unwrap(), table.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>()));
    let [step, score] = ["step", "score"].map(|name| heads.split(',').position(|head| head == name).unwrap());
    let of_tuning: Vec<Vec<&str>> = rows.filter(|row| row[0] == "tune").collect();
    assert_eq!(of_tuning.iter().map(|row| row[step]).collect::<Vec<_>>(), ["0", "1"], "{table}");
    assert!(of_tuning.iter().all(|row| (0.0..=1.0).contains(&row[score].parse::<f64>().unwrap())), "{table}");
    let before = workshop.files("results/jobs", "weights-1.safetensors").into_values().next().unwrap();
    // The same weights from a file give the same training.
    let of_file = changed(
        &tuning,
        &[
            (
                "agents.net.net",
                "agents.mine.guided = { network = { saz = { hidden = 8 } }, search = { simulations = 8 }, \
          weights = { file = \"w.safetensors\" } }\nagents.net.net",
            ),
            ("from = { agent = { stage = \"train\", iteration = 1 } }", "seeds = [3]"),
            ("game = \"large\"", "game = \"large\"\nagent = \"mine\""),
        ],
    );
    let other = Workshop::with(&of_file);
    fs::create_dir(other.path("data")).unwrap();
    fs::write(other.path("data/w.safetensors"), before).unwrap();
    other.done("run m.toml --data data --only stage=tune");
    assert!(files(&other) == files(&workshop));
    // Its key depends on the key of the other one.
    let key = |text: &str| -> Key {
        let plan = plan_of(text, &Overrides::default()).unwrap();
        plan.jobs.iter().find(|job| plan.config(job).stage == "tune").unwrap().key
    };
    assert_ne!(key(&tuning), key(&changed(&tuning, &[("games = 4", "games = 5")])));
    assert_ne!(key(&tuning), key(&changed(&tuning, &[("{ stage = \"train\", iteration = 1 }", "\"train\"")])));
}

#[test]
fn what_a_training_cannot_begin_with_is_said_before() {
    let tuning = changed(TUNING, &[("opponent = \"net\"", "opponent = { random = {} }")]);
    let (game, agent) = ("game = \"large\"", "game = \"large\"\nagent");
    let from = "from = { agent = { stage = \"train\", iteration = 1 } }";
    let network = format!("{agent} = \"cnn\"");
    let unfed = "seeds = 1\ntrain.alpha-zero.agent.guided = { network = { saz = {} }, weights = \"trained\" }";
    let kept = from.replace('1', "2");
    assert_told(
        &tuning,
        &[
            (game, &network, "15 agent: `agent` has another network than the one that stage `train` trains (leave"),
            (from, &kept, "15 2: stage `train` does not keep iteration 2 (kept: 1)"),
            (
                from,
                "from = { opponent = \"train\" }",
                "15 opponent: only the `agent` of a training begins with trained",
            ),
            ("agent = \"saz\"", "agent = \"cnn\"", "15 \"train\": AZ-CNN 4 is made for one board"),
            (
                "greedy = {}",
                "guided = { network = { saz = {} }, weights = \"trained\" }",
                "14 tune: the weights of `opponent`",
            ),
        ],
    );
    let of_images = changed(&tuning, &[("agent = \"saz\"", "agent = \"cnn\""), (game, "game = \"small\"")]);
    let split = "game = \"small\"\nagent.guided = { network = { az-cnn = { channels = 4, wide = 8, narrow = 6 } }, \
        planes = { stones = \"split\" } }";
    let planes = "15 agent: `agent` sees other planes than the one that stage `train` trains (leave";
    assert_told(&of_images, &[("game = \"small\"\nsettings", &format!("{split}\nsettings"), planes)]);
    // In one line, so that the whole stage can be replaced.
    let stage = tuning.split("[stages.tune]\n").nth(1).unwrap().split("[stages.test]").next().unwrap();
    let evolution =
        "from = \"train\"\ntrain.cma-es = { game = \"large\", agent = \"net\", opponent = { random = {} } }\n";
    let unfed = format!("{unfed}\ntrain.alpha-zero.game = \"large\"\n");
    assert_told(
        &tuning,
        &[
            (
                stage,
                evolution,
                "15 \"train\": stage `train` trains with `alpha-zero`, and `cma-es` trains other networks",
            ),
            (stage, &unfed, "16 agent: the weights of `agent` are \"trained\", and it takes them from no training"),
        ],
    );
}
