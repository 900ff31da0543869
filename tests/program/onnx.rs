//! Players with the network of an ONNX file.

use std::fs;
use std::path::PathBuf;

use crate::workshop::{Workshop, changed, json};

/// A guided player with an export of PyTorch, for two planes of 5 x 5 and 25 actions.
const PLAYS: &str = r#"schema = 1
name = "test/onnx"
title = "A network of another program"
games.board.gomoku = { size = 5, row = 4 }
agents.chance.random = {}

[agents.net.guided]
network = { onnx = { file = "az.onnx" } }
planes = { stones = "split" }
search = { simulations = 12 }

[stages.match.play.match]
game = "board"
agent = "net"
opponent = "chance"
games = 6
"#;

fn export(name: &str) -> Vec<u8> {
    fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("crates/gauntlet-nets/tests/onnx").join(name)).unwrap()
}

/// A workshop with the manifest and the file.
fn workshop() -> Workshop {
    let workshop = Workshop::with(PLAYS);
    fs::create_dir(workshop.path("data")).unwrap();
    fs::write(workshop.path("data/az.onnx"), export("az-13.onnx")).unwrap();
    workshop
}

#[test]
fn a_manifest_plays_with_the_network_of_a_file() {
    let workshop = workshop();
    let checked = workshop.done("check m.toml");
    assert!(checked.stderr.contains("there is no file `az.onnx`, which a player needs"), "{}", checked.stderr);
    assert!(!workshop.done("check m.toml --data data").stderr.contains("caution: stage `match`: there is no file"));
    workshop.done("run m.toml --data data");
    let directory = workshop.jobs("play").remove(0);
    let games = fs::read_to_string(directory.join("games.jsonl")).unwrap();
    assert_eq!(games.lines().count(), 1 + 6, "a header and the games: {games}");
    assert!(fs::read_to_string(directory.join("key.json")).unwrap().contains("az.onnx"));
    assert!(workshop.done("run m.toml --data data").stderr.contains("nothing to do"));
    // Another file of the same name is another job.
    fs::write(workshop.path("data/az.onnx"), export("az-18-dynamo.onnx")).unwrap();
    workshop.done("run m.toml --data data");
    assert_eq!(workshop.jobs("play").len(), 2);
    // No game depends on the cores, nor on the games beside it.
    let other = Workshop::with(PLAYS);
    fs::rename(workshop.path("data"), other.path("data")).unwrap();
    other.done("run m.toml --data data --threads-per-job 2");
    let mine = workshop.files("results/jobs", "games.jsonl");
    assert!(other.files("results/jobs", "games.jsonl").values().all(|games| mine.values().any(|own| own == games)));
}

/// The answers of ONNX Runtime beside the file are those of the network, and others are refused.
#[test]
fn answers_beside_a_file_are_compared() {
    let workshop = workshop();
    let answers = workshop.path("data/az.check.safetensors");
    fs::write(&answers, export("az-13.check.safetensors")).unwrap();
    workshop.done("check m.toml --data data");
    fs::write(&answers, export("res-13.check.safetensors")).unwrap();
    let refused = workshop.run("check m.toml --data data");
    assert!(refused.code == 2 && refused.stderr.contains("have 350, 182 and 7 numbers"), "{}", refused.stderr);
    let mut wrong = export("az-13.check.safetensors");
    // The last logit, before seven values: 1e4 in place of it.
    let last = wrong.len() - 8 * 4;
    wrong[last..last + 4].copy_from_slice(&1e4_f32.to_le_bytes());
    fs::write(&answers, wrong).unwrap();
    let refused = workshop.run("run m.toml --data data");
    assert!(
        refused.code == 2 && refused.stderr.contains("its answers differ from the given ones by up to 1.0e4"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_file_that_does_not_fit_is_refused_before_a_job() {
    for (change, reason) in [
        (
            ("size = 5", "size = 6"),
            "its input is `planes` [?, 2, 5, 5], and the positions of the game are [positions, 2, 6, 6]",
        ),
        (("\"split\"", "\"canonical\""), "the positions of the game are [positions, 1, 5, 5]"),
        (
            ("az.onnx\" }", "az.onnx\", value = \"odds\" }"),
            "it has no output called `odds` for the value; its outputs are `logits`",
        ),
        (
            ("az.onnx\" }", "az.onnx\", logits = 1 }"),
            "its output `value` for the logits has 1 numbers for 1 position(s), not 25 each",
        ),
        (("gomoku = { size = 5, row = 4 }", "go = { size = 5 }"), "has 25 numbers for 1 position(s), not 26 each"),
    ] {
        let workshop = workshop();
        workshop.write("m.toml", &changed(PLAYS, &[change]));
        for command in ["check m.toml --data data", "run m.toml --data data"] {
            let refused = workshop.run(command);
            assert!(refused.code == 2 && refused.stderr.contains(reason), "{}", refused.stderr);
        }
        assert!(workshop.files("results/jobs", "").is_empty());
    }
    let workshop = workshop();
    fs::write(workshop.path("data/az.onnx"), &export("az-13.onnx")[..5000]).unwrap();
    let refused = workshop.run("check m.toml --data data");
    assert!(refused.code == 2 && refused.stderr.contains("not a complete ONNX file"), "{}", refused.stderr);
    for (change, reason) in [
        (("planes =", "weights = \"trained\"\nplanes ="), "it has the weights of its file: leave `weights` out"),
        (("play.match]", "train.alpha-zero]"), "plays alone: it does not learn"),
        (("az.onnx", "../az.onnx"), "is not a file of the data directory"),
    ] {
        let text = changed(PLAYS, &[change]).replace(
            "train.alpha-zero]\ngame = \"board\"\nagent = \"net\"\nopponent = \"chance\"\ngames = 6",
            "train.alpha-zero]\ngame = \"board\"\nagent = \"net\"",
        );
        workshop.write("m.toml", &text);
        let refused = workshop.run("check m.toml");
        assert!(refused.code == 2 && refused.stderr.contains(reason), "{}", refused.stderr);
    }
}

#[test]
fn a_file_is_explained() {
    let workshop = workshop();
    let text = workshop.done("explain data/az.onnx").stdout;
    for words in [
        "`planes` [?, 2, 5, 5]",
        "`logits` [?, 25], `value` [?, 1]",
        "All of its operators are supported",
        "LogSoftmax",
    ] {
        assert!(text.contains(words), "{text}");
    }
    let listed = json(&workshop.done("explain data/az.onnx --json").stdout);
    assert_eq!(
        (&listed[0]["opset"], &listed[0]["operators"]["Conv"], &listed[0]["unreadable"]),
        (&json("13"), &json("2"), &json("null"))
    );
    fs::write(workshop.path("data/no.onnx"), b"no").unwrap();
    let refused = workshop.run("explain data/no.onnx");
    assert!(refused.code == 2 && refused.stderr.contains("not a complete ONNX file"), "{}", refused.stderr);
}
