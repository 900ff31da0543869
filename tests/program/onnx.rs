//! Players with the network of an ONNX file, and our own networks as such files.

use std::fs;
use std::path::PathBuf;

use crate::workshop::{TRAINING, Workshop, changed, json};

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
    assert!(checked.stderr.contains("there is no file `az.onnx`, which the job needs"), "{}", checked.stderr);
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
    let words = "the answers of az.check.safetensors are refused: `logits` and `value` have 182 and 7 numbers";
    assert!(refused.code == 2 && refused.stderr.contains(words), "{}", refused.stderr);
    let mut wrong = export("az-13.check.safetensors");
    // The last logit, before seven values: 1e4 in place of it.
    let last = wrong.len() - 8 * 4;
    wrong[last..last + 4].copy_from_slice(&1e4_f32.to_le_bytes());
    fs::write(&answers, wrong).unwrap();
    let refused = workshop.run("run m.toml --data data");
    assert!(
        refused.code == 2 && refused.stderr.contains("`logits` of position 6 is 10000, and the network's own is"),
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

/// Small networks on Gomoku, and one of moves.
const TRAINS: &str = r#"schema = 1
name = "test/own"
title = "Networks of our own"
games.board.gomoku = { size = 5, row = 4 }

[agents]
az-cnn.guided = { network = { az-cnn = { channels = 4, wide = 8, narrow = 6 } }, planes = { stones = "split" }, search = { simulations = 4 } }
saz.guided = { network = { saz = { hidden = 8, layers = 1 } }, search = { simulations = 4 } }

[stages.train]
sweep = { agent = ["az-cnn", "saz"] }

[stages.train.train.alpha-zero]
game = "board"
settings = { iterations = 1, games = 4, steps = 2, batch = 8 }
"#;

/// The directories of the trainings of these two networks, in this order.
fn trained(workshop: &Workshop) -> [String; 2] {
    workshop.done("run m.toml");
    let mut jobs: Vec<String> = workshop
        .jobs("train")
        .iter()
        .map(|job| job.strip_prefix(workshop.path("")).unwrap().display().to_string())
        .collect();
    jobs.sort_by_key(|job| job.contains("saz"));
    jobs.try_into().unwrap()
}

#[test]
fn our_own_networks_are_exported_and_play() {
    let workshop = Workshop::with(TRAINS);
    fs::create_dir(workshop.path("data")).unwrap();
    let [az, saz] = trained(&workshop);
    let said = workshop.done(&format!("export {az} data/az.onnx")).stderr;
    assert!(said.contains("AZ-CNN 4, from 2 x 5 x 5 numbers to 25 logits, written to data/az.onnx"), "{said}");
    workshop.done(&format!("export {az}/weights.safetensors data/again.onnx --quiet"));
    assert_eq!(fs::read(workshop.path("data/az.onnx")).unwrap(), fs::read(workshop.path("data/again.onnx")).unwrap());
    let text = workshop.done("explain data/az.onnx").stdout;
    for words in ["`planes` [?, 2, 5, 5]", "`logits` [?, 25], `value` [?, 1]", "gauntlet ", "All of its operators"] {
        assert!(text.contains(words), "{text}");
    }
    workshop.write("m.toml", PLAYS);
    workshop.done("run m.toml --data data");
    // The graph of a board, in one plane; its weights fit boards of other sizes.
    workshop.done(&format!("export {saz} data/az.onnx"));
    workshop.write("m.toml", &changed(PLAYS, &[("\"split\"", "\"canonical\"")]));
    workshop.done("run m.toml --data data");
    let said = workshop.done(&format!("export {saz} data/large.onnx --game go --size 7")).stderr;
    assert!(said.contains("SAZ 1x8, from 1 x 7 x 7 numbers to 50 logits"), "{said}");
}

#[test]
fn an_export_without_a_file_is_refused_with_the_reason() {
    let workshop = Workshop::with(TRAINS);
    let [az, saz] = trained(&workshop);
    let refused = |arguments: &str, words: [&str; 2]| {
        let ended = workshop.run(arguments);
        assert_eq!(ended.code, 2, "{arguments}: {}", ended.stderr);
        for part in words {
            assert!(ended.stderr.contains(part), "{arguments}: {part}: {}", ended.stderr);
        }
    };
    let of_another = "the weights of AZ-CNN are those of another board: 2 x 5 x 5 numbers and 25 logits";
    refused(&format!("export {az} x.onnx --size 6"), ["has no ONNX form", of_another]);
    refused(&format!("export {saz} x.onnx --game chess"), ["no plane shows chess", "name another game"]);
    refused("export nothing x.onnx", ["there is no model `nothing`", "hint: "]);
    refused(&format!("export {az} x.onx"), ["x.onx", "networks in .onnx"]);
    refused(&format!("export {az} x.safetensors --size 5"), ["x.safetensors is no ONNX file", "that end in .onnx"]);
    refused(&format!("export {az} x.onnx --columns a"), ["neither LaTeX nor a picture", "hint: "]);
    let gateau = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/models/alphagateau2024/gardner.safetensors");
    let moves = "AlphaGateau reads graphs whose edges are the moves of a position";
    refused(&format!("export {} x.onnx", gateau.display()), [moves, "become ONNX files"]);
    fs::create_dir(workshop.path("taken.onnx")).unwrap();
    let ended = workshop.run(&format!("export {az} taken.onnx"));
    assert!(ended.code == 1 && ended.stderr.contains("taken.onnx"), "{}", ended.stderr);
}

/// Networks of 2009 are one vector for a recurrence, not layers.
#[test]
fn a_network_of_2009_is_refused_by_its_name() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml --seeds 1 --only agent=mdlstm,game.size=5");
    let job = workshop.jobs("train").remove(0);
    let ended = workshop.ends(2, &["export", &job.display().to_string(), "x.onnx"]).stderr;
    assert!(ended.contains("is no network of layers") && ended.contains("MDLSTM"), "{ended}");
}
