//! Trainings that continue shorter ones, and weights that come from a file.

use std::collections::BTreeMap;
use std::fs;

use crate::workshop::{ALPHA_ZERO, TRAINING, Workshop, changed};

/// The files of one training of a manifest, and what planning and running it said.
fn trained(workshop: &Workshop, manifest: &str) -> (BTreeMap<String, Vec<u8>>, String, String) {
    workshop.write("m.toml", manifest);
    let planned = workshop.done("plan m.toml --only stage=train").stdout;
    let told = workshop.done("run m.toml --only stage=train").stderr;
    (workshop.files("results/jobs", ""), planned, told)
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
        let (both, planned, told) = trained(&workshop, &long);
        assert!(
            planned.contains(" continues train-") && told.contains(" continue a shorter training"),
            "{planned}{told}"
        );
        assert!(first.keys().any(|name| name.ends_with("state.bin")) && both.len() == first.len() + whole.len());
        whole.iter().for_each(|(name, bytes)| assert!(both[name] == *bytes, "{name}"));
        // Nothing is continued twice, and no longer one by a shorter one.
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
        let told = "starts over and does not continue train-othello-4x4-saz";
        assert!(planned.contains(told) && planned.contains(reason), "{planned}");
    }
    // Another beginning is no beginning of this one.
    let workshop = Workshop::new();
    trained(&workshop, &of(1, "keep = \"state\""));
    workshop.write("m.toml", &of(2, "").replace("batch = 8", "batch = 9"));
    assert!(!workshop.done("plan m.toml --explain").stdout.contains("continue"));
}

/// A player with weights from a file, which is measured as those of a training are.
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
    // The job is known by what is in the file.
    fs::rename(workshop.path("data"), workshop.path("elsewhere")).unwrap();
    assert!(workshop.done("run file.toml --data elsewhere").stderr.contains("nothing to do"));
    let other = OF_FILE.replace("cells = 3", "cells = 4");
    workshop.write("file.toml", &other);
    let refused = workshop.run("run file.toml --data elsewhere");
    assert!(refused.code == 1 && refused.stderr.contains("`my.safetensors` has no weights of"), "{}", refused.stderr);
    let training = TRAINING.replace("cells = 3 } }", "cells = 3 } }, weights = { file = \"../x\" }");
    workshop.write("m.toml", &training);
    assert!(workshop.run("check m.toml").stderr.contains("nobody in a training has weights of a file"));
    workshop.write("file.toml", &OF_FILE.replace("my.safe", "../my.safe"));
    assert!(workshop.run("check file.toml").stderr.contains("is no file of the data directory"));
}
