//! Tests of `gauntlet play`, with scripts as input.

use std::fs;
use std::io::{Seek as _, Write as _};
use std::process::{Command, Stdio};

use crate::workshop::{Ended, MEASUREMENTS, Workshop};
use gauntlet_games::base::{Outcome, Side};
use gauntlet_games::formats::records::Records;
use gauntlet_games::formats::sgf;
use gauntlet_games::games::GameSpec;
use serde_json::Value;

fn play(command: &mut Command, script: &str) -> Ended {
    // From a file: a long script in a pipe could deadlock with the program's unread output.
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(script.as_bytes()).unwrap();
    file.rewind().unwrap();
    Ended::from(command.stdin(Stdio::from(file)).output().unwrap())
}

const BENCHMARK: &str = "play --agent benchmark --game gomoku --size 9";

/// A small convolutional network trains for two iterations, a small graph network for one.
const TRAININGS: &str = r#"schema = 1
name = "test/models"
title = "Two networks begin to learn"
games.gomoku.gomoku = { size = 5, row = 4 }
[agents.cnn.guided]
network = { az-cnn = { channels = 4, wide = 8, narrow = 8 } }
search = { simulations = 12, reuse = "keep" }
[agents.saz.guided]
network = { saz = { hidden = 8 } }
search = { simulations = 10 }
[stages.train]
sweep = { agent = ["cnn", "saz"] }
[stages.train.train.alpha-zero]
game = "gomoku"
agent = "cnn"
settings = { iterations = 2, games = 4, epochs = 1, batch = 16 }
[[exhibit]]
[exhibit.show.means]
stage = "train"
rows = ["agent"]
values = ["games"]
"#;

#[test]
fn a_game_against_the_benchmark_player_is_saved_and_read_again() {
    let workshop = Workshop::new();
    let script = "I5\nE5\nE5\nundo\nundo\nE5\nhint\nsave here.sgf\nsave here.png\nsave here.jsonl\nresign\n";
    let ended = play(workshop.command(BENCHMARK).args(["--sgf", "game.sgf"]), script);
    assert_eq!(ended.code, 0, "{ended:?}");
    for said in [
        "`I5` is not a move on this board of A1 to J9",
        "E5 is not legal: a stone stands there",
        "there is no move of yours to take back",
        "has to end in .sgf, .pgn or .jsonl",
        "save it as .pgn or .sgf",
    ] {
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
    for said in ["you are X and move first", "(O)", "it would play", "you resigned after 2 plies"] {
        assert!(ended.stdout.contains(said), "{said}: {}", ended.stdout);
    }
    assert!(!ended.stdout.contains('\u{1b}'), "no colours without a terminal");
    let answers: Vec<&str> = ended.stdout.lines().filter(|line| line.starts_with("benchmark plays")).collect();
    assert!(answers.len() == 2 && answers[0] == answers[1], "a move made again is answered alike: {answers:?}");
    let spec: GameSpec = serde_json::from_str(r#"{"gomoku":{"size":9}}"#).unwrap();
    let read = |name: &str| sgf::read(&fs::read(workshop.path(name)).unwrap(), &spec, usize::MAX).unwrap().remove(0);
    let game = read("game.sgf");
    assert_eq!((game.names, game.actions.len()), (["human".to_owned(), "benchmark".to_owned()], 2));
    assert_eq!(game.outcome, Some(Outcome::Win(Side::Second)));
    assert_eq!((read("here.sgf").actions, read("here.sgf").outcome), (game.actions, None));
}

#[test]
fn the_second_player_loses_to_five_in_a_row_and_the_record_says_so() {
    let workshop = Workshop::new();
    let script = "A1\nA2\nB1\nB2\nC1\nC2\nD1\nD2\nF1\nF2\n";
    let ended = play(workshop.command(BENCHMARK).args(["--second", "--json", "--seed", "3"]), script);
    let reported: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, &reported["players"][0]), (0, &Value::from("benchmark")));
    assert_eq!((&reported["moves"][0], &reported["outcome"]["win"]), (&Value::from("E5"), &Value::from("first")));
    assert!(ended.stderr.contains("benchmark wins"), "{}", ended.stderr);
    let moves: Vec<&str> = reported["moves"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let again: String = moves.iter().skip(1).step_by(2).map(|name| format!("{name}\n")).collect();
    let again = play(workshop.command(BENCHMARK).args(["--second", "--json", "--seed", "3"]), &again);
    assert_eq!(again.stdout, ended.stdout, "the same moves and the same seed make the same game");
}

#[test]
fn a_trained_network_can_be_named_by_job_file_and_model() {
    let workshop = Workshop::with(TRAININGS);
    workshop.done("run m.toml");
    for (job, kind) in workshop.jobs("train").into_iter().zip(["az-cnn", "saz"]) {
        let directory = job.file_name().unwrap().to_str().unwrap().to_owned();
        let key = directory.rsplit('-').next().unwrap().to_owned();
        let by_key = play(&mut workshop.command(&format!("play {key} --sgf {kind}.sgf")), "hint\nC3\nquit\n");
        assert_eq!(by_key.code, 0, "{by_key:?}");
        let table = by_key.stdout.lines().find(|line| line.starts_with("move")).unwrap();
        assert_eq!(table.split_whitespace().collect::<Vec<_>>(), ["move", "network", "search"]);
        assert!(by_key.stdout.contains("\nvalue") && by_key.stdout.contains("left unfinished, after 2 plies"));
        let spec: GameSpec = serde_json::from_str(r#"{"gomoku":{"size":5,"row":4}}"#).unwrap();
        let saved = sgf::read(&fs::read(workshop.path(&format!("{kind}.sgf"))).unwrap(), &spec, usize::MAX).unwrap();
        assert_eq!((saved[0].actions.len(), saved[0].outcome), (2, None));
        // The file alone determines the game and the search, in any directory.
        fs::create_dir_all(workshop.path("results/models/test")).unwrap();
        let model = workshop.path(&format!("results/models/test/{kind}.safetensors"));
        fs::copy(job.join("weights.safetensors"), &model).unwrap();
        let answers = |who: &str| {
            let ended = play(&mut workshop.command(&format!("play {who} --json")), "C3\n");
            assert_eq!(ended.code, 0, "{ended:?}");
            serde_json::from_str::<Value>(&ended.stdout).unwrap()["moves"].clone()
        };
        let file = model.to_str().unwrap().to_owned();
        let all = [&directory, &format!("test/{kind}"), &file].map(|who| answers(who));
        assert!(all[0] == all[1] && all[1] == all[2] && all[0].as_array().unwrap().len() == 2, "{all:?}");
    }
    let scaled = play(&mut workshop.command("play test/saz --size 7 --simulations 5 --temperature 0.5"), "D7\nquit\n");
    assert!(scaled.code == 0 && scaled.stdout.contains("gomoku 7x7 row 4"), "{scaled:?}");
    let unfit = workshop.run("play test/az-cnn --size 7");
    assert!(unfit.code == 2 && unfit.stderr.contains("another board: leave --size"), "{unfit:?}");
    let unknown = workshop.run("play test/sax");
    assert!(unknown.code == 2 && unknown.stderr.contains("did you mean test/saz?"), "{unknown:?}");
}

#[test]
fn the_model_that_comes_with_the_program_plays() {
    let workshop = Workshop::new();
    let ended = play(&mut workshop.command("play gomoku-agz/II --simulations 5"), "E5\nhint\nquit\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    for said in ["gomoku 9x9", "gomoku-agz/II plays", "network", "search", "value", "left unfinished, after 2 plies"] {
        assert!(ended.stdout.contains(said), "{said}: {}", ended.stdout);
    }
}

#[test]
fn the_players_of_a_reproduced_tournament_can_be_named() {
    let workshop = Workshop::new();
    let untrained = workshop.run("play gomoku-agz/I-13 --profile smoke");
    assert_eq!(untrained.code, 2, "{untrained:?}");
    assert!(untrained.stderr.contains("gomoku-agz/I-13 is not trained at the profile smoke"), "{}", untrained.stderr);
    assert!(untrained.stderr.contains("`gauntlet reproduce gomoku-agz/fig3 --profile smoke` trains it"));
    workshop.done("reproduce gomoku-agz/fig3 --profile smoke");
    for name in ["I-13", "I-26", "II-5", "II-10"] {
        let run = format!("play gomoku-agz/{name} --profile smoke --temperature 0 --second --json");
        let ended = play(&mut workshop.command(&run), "quit\n");
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(ended.stderr.contains(&format!("gomoku-agz/{name} plays")), "{}", ended.stderr);
    }
    let elsewhere = workshop.run("play gomoku-agz/I-13");
    assert!(elsewhere.code == 2 && elsewhere.stderr.contains("the profile laptop"), "{elsewhere:?}");
    let unknown = workshop.run("play gomoku-agz/I-27 --profile smoke");
    assert!(unknown.code == 2 && unknown.stderr.contains("did you mean gomoku-agz/I"), "{unknown:?}");
}

#[test]
fn a_network_of_a_manifest_is_untrained_and_says_so() {
    let workshop = Workshop::new();
    let run = "play --manifest gomoku-agz/fig3 --agent model-I --simulations 4";
    let ended = play(&mut workshop.command(run), "E5\nquit\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("model-I, untrained plays"), "{}", ended.stdout);
    assert!(ended.stderr.contains("model-I plays with random weights"), "{}", ended.stderr);
}

#[test]
fn a_manifest_names_agent_and_game() {
    let workshop = Workshop::new();
    let run = "play --manifest gomoku-agz/matrices-classical --agent uct-100 --simulations 20 --hint";
    let ended = play(&mut workshop.command(run), "E5\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("gomoku 9x9") && ended.stdout.contains("uct-100 plays"), "{}", ended.stdout);
    assert!(ended.stdout.contains("move   search"), "{}", ended.stdout);
}

/// Names that only the command line uses are no mistake of it.
#[test]
fn an_agent_and_a_game_may_come_from_the_command_line() {
    let workshop = Workshop::with(MEASUREMENTS);
    let run = "play --manifest m.toml --set agents.mine.uct.simulations=9 --set games.big.atari-go.size=11";
    let ended = play(&mut workshop.command(&format!("{run} --agent mine --game big")), "E5\nquit\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("atari-go 11x11") && ended.stdout.contains("mine plays"), "{}", ended.stdout);
    let ended = play(&mut workshop.command(&format!("{run} --agent naive --game big")), "quit\n");
    assert!(ended.code == 2 && ended.stderr.contains("`mine` is new in `agents`, and nothing uses it"), "{ended:?}");
}

#[test]
fn every_game_can_be_played_to_its_end() {
    let workshop = Workshop::new();
    for spec in GameSpec::examples() {
        let game = spec.build();
        let all: String = (0..game.action_count()).map(|at| game.action_name(at.into()) + "\n").collect();
        // Where captures free points, points are tried again.
        let script = all.repeat(if game.action_count() < 30 { 40 } else { 12 }) + "save game.jsonl\n";
        let mut command = workshop.command("play --agent random --second --json --quiet --game");
        let ended = play(command.arg(toml::to_string(&spec).unwrap()), &script);
        let reported: Value =
            serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}: {ended:?}", game.name()));
        let mut position = game.start();
        for name in reported["moves"].as_array().unwrap() {
            position.play(game.read_move(&*position, name.as_str().unwrap()).unwrap());
        }
        let reported: Option<Outcome> = serde_json::from_value(reported["outcome"].clone()).unwrap();
        assert_eq!((ended.code, reported), (0, position.outcome()), "{}", game.name());
    }
}

#[test]
fn a_described_game_that_uses_a_part_of_its_board_marks_and_names_that_part() {
    let workshop = Workshop::new();
    let hole = "(game \"Hole\" (players 2) (equipment { (board (square 4)) (piece \"Disc\" Each) }) (rules
        (play (move Add (to (difference (sites Empty) (sites Centre)))))
        (end (if (is Line 3) (result Mover Win)))))";
    workshop.write("hole.lud", hole);
    let mut command = workshop.command("play --agent random --game");
    let ended = play(command.arg("ludeme = { file = \"hole.lud\" }"), "B2\nA9\nA1\nA1\nhelp\nquit\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    let board = "A4  + + + +  D4\nA3  + . . +  D3\nA2  + . . +  D2\nA1  + + + +  D1";
    assert!(ended.stdout.contains(board), "{}", ended.stdout);
    for reported in [
        "`B2` is a point on which this game never plays",
        "`A9` is not a move on this board of A1 to D4",
        "A1 is not legal: a stone stands there",
        "pass        where the rules allow it",
    ] {
        assert!(ended.stderr.contains(reported), "{reported}: {}", ended.stderr);
    }
}

#[test]
fn a_finished_game_is_kept_as_a_record() {
    let workshop = Workshop::new();
    let game = "mnk = { rows = 3, columns = 4, row = 2 }";
    let mut command = workshop.command("play --agent random --seed 5 --game");
    let ended = play(command.arg(game), "B2\nhelp\nA1\nA2\nA3\nC1\nC2\nC3\n");
    assert!(ended.code == 0 && ended.stdout.contains("you win, after 3 plies"), "{ended:?}");
    let mut command = workshop.command("play --agent random --game chess --size 5 --sgf game.pgn");
    let chess = play(&mut command, "a3\n");
    assert!(chess.code == 0 && chess.stdout.contains("left unfinished, after 2 plies"), "{chess:?}");
    assert!(workshop.read("game.pgn").contains("\n1. a3 "), "{}", workshop.read("game.pgn"));
    let refused = workshop.command("play --agent random --sgf x.sgf --game").arg(game).output().unwrap();
    let refused = Ended::from(refused);
    assert!(refused.code == 2 && refused.stderr.contains("has no SGF"), "{refused:?}");
    assert!(Records::open(&b""[..]).is_err());
}

#[test]
fn wrong_usage_says_the_way_out() {
    let workshop = Workshop::new();
    workshop.write("torn.safetensors", "no model at all");
    for (arguments, message) in [
        ("play", "no opponent is given"),
        ("play --game chess", "or a player: --agent uct"),
        ("play --agent utc --game chess", "did you mean uct?"),
        ("play --agent uct --game ches", "did you mean chess?"),
        ("play --agent uct --game chess --sgf game.sgf", "PGN holds every game: --save game.pgn"),
        ("play --agent uct --game chess --save game.png", "did you mean game.pgn?"),
        ("play benchmark", "write --agent benchmark"),
        ("play nobody", "there is no model `nobody`"),
        ("play torn.safetensors", "is not a model"),
        ("play gomoku-agz/II --agent benchmark", "benchmark asks no network"),
        ("play --agent benchmark", "name one: --game gomoku --size 9"),
        ("play --agent benchmark --game othello --size 8", "benchmark cannot play othello"),
        ("play --agent benchmark --game gomoku --size 99", "board size 99"),
        ("play --agent benchmark --game gomoko --size 9", "no game `gomoko`"),
        ("play --agent uct --game gomoku", "error: game `gomoku` needs a size: --size 9"),
        ("play --agent uct --game gomoku --size 100", "error: game `gomoku`: board size 100 is outside 5 to 25"),
        ("play --agent clever --game gomoku --size 9", "no agent `clever`"),
        ("play --agent naive --game gomoku --size 9 --simulations 9", "naive has no simulations"),
        ("play --agent uct --game gomoku --size 9 --temperature 1", "has no temperature"),
        ("play --agent naive --game gomoku --size 9 --first --second", "cannot be used with"),
    ] {
        let ended = workshop.run(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{arguments}: {ended:?}");
        assert!(ended.stderr.contains(message), "{arguments}: {}", ended.stderr);
    }
}
