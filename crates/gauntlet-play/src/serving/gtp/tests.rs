//! Tests of the GTP engine as a state machine.

use super::*;
use crate::players::PlayerSpec;
use gauntlet_games::base::Outcome;

fn engine(player: &str, game: &str) -> GtpServer {
    let player: PlayerSpec = toml::from_str(player).unwrap();
    let served = ServedPlayer { name: player.name(), player, weights: None, most: None };
    GtpServer::new(served, &toml::from_str(game).unwrap(), Seed::new(1)).unwrap()
}

/// The answer to some lines, with all slices of a search for a move.
fn said(engine: &mut GtpServer, lines: &str) -> String {
    let mut out = String::new();
    for line in lines.lines() {
        let mut next = engine.handle(Input::Line(line), &mut out);
        while next == Next::Busy {
            next = engine.think(&mut out);
        }
    }
    out
}

/// The answers, without their signs of success.
fn answers(engine: &mut GtpServer, lines: &str) -> Vec<String> {
    let said = said(engine, lines);
    let answers: Vec<String> = said.split("\n\n").map(str::to_owned).filter(|text| !text.is_empty()).collect();
    assert!(said.ends_with("\n\n"), "{said:?}");
    answers.into_iter().map(|text| text.strip_prefix("= ").map_or(text.clone(), str::to_owned)).collect()
}

fn go() -> GtpServer {
    engine("uct = { simulations = 20 }", "go = { size = 9, komi = 6.5 }")
}

#[test]
fn it_answers_about_itself() {
    let mut go = go();
    assert_eq!(said(&mut go, "1 protocol_version\n\n# comment\nname # or not"), "=1 2\n\n= Gauntlet UCT 20\n\n");
    let list = answers(&mut go, "list_commands").remove(0);
    for name in list.lines() {
        assert_eq!(said(&mut go, &format!("known_command {name}")), "= true\n\n");
    }
    assert!(list.contains("\nplay\n") && list.contains("fixed_handicap") && !list.contains("gogui-rules"));
    assert_eq!(
        said(&mut go, "known_command xyz\nxyz 1\n5 xyz"),
        "= false\n\n? unknown command\n\n?5 unknown command\n\n"
    );
    assert_eq!(go.handle(Input::Line("quit"), &mut String::new()), Next::Leave);
    assert_eq!(go.handle(Input::End, &mut String::new()), Next::Leave);
}

#[test]
fn a_game_is_played_and_taken_back() {
    let mut go = go();
    let lines = "boardsize 5\nclear_board\nkomi 0.5\nplay b C3\nplay w c3\nplay w Z9\nplay green C4\nplay W D4\nundo\nundo\nundo";
    let expected = [
        "=",
        "=",
        "=",
        "=",
        "? illegal move",
        "? illegal move: Z9",
        "? invalid color or coordinate",
        "=",
        "=",
        "=",
        "? cannot undo",
    ];
    assert_eq!(answers(&mut go, lines), expected);
    let moves = answers(&mut go, "7 genmove b\nreg_genmove w\ngenmove w\ngenmove w\ngenmove b");
    assert!(moves[0].starts_with("=7 ") && moves.iter().all(|name| !name.starts_with('?')), "{moves:?}");
    let stones = answers(&mut go, "final_status_list alive").remove(0);
    assert_eq!(stones.split(' ').count(), 4, "{stones}: advice is not played");
    let board = said(&mut go, "showboard");
    assert!(board.starts_with("=\n") && board.lines().count() >= 7 && !board.trim_end().contains("\n\n"), "{board}");
    assert_eq!(answers(&mut go, "gg-undo 3\nfinal_status_list alive\ngg-undo 9\ngg-undo x").len(), 4);
}

#[test]
fn the_same_commands_get_the_same_moves() {
    let lines = "boardsize 9\nplay b E5\ngenmove w\ngenmove b\ngenmove w";
    assert_eq!(said(&mut go(), lines), said(&mut go(), lines));
}

#[test]
fn sizes_and_komi_are_rules() {
    let mut go = go();
    for (line, expected) in [
        ("boardsize 26", "? unacceptable size"),
        ("boardsize x", "? syntax error"),
        ("boardsize", "? syntax error"),
        ("boardsize 5 7", "? unacceptable size"),
        ("komi 1e9", "? komi 1000000000 is not a multiple of 0.5 between -1000 and 1000"),
        ("komi x", "? syntax error"),
        ("final_score", "W+6.5"),
        ("komi 0", "="),
        ("final_score", "0"),
        ("boardsize 5", "="),
        ("play b C3", "="),
        ("final_score", "B+25"),
        ("komi 30.5", "="),
        ("final_score", "W+5.5"),
    ] {
        assert_eq!(answers(&mut go, line), [expected], "{line}");
    }
    let mut gomoku = engine("naive = {}", "gomoku = { size = 9 }");
    assert_eq!(answers(&mut gomoku, "komi 6.5\nboardsize 7 7\nfixed_handicap 2"), ["=", "=", "? unknown command"]);
    let mut four = engine("random = {}", "connect-four = {}");
    assert_eq!(
        answers(&mut four, "boardsize 7 6\nboardsize 6 7\ngg-undo"),
        ["=", "? unacceptable size", "? cannot undo"]
    );
    let mut chess = engine("random = {}", "chess = {}");
    assert_eq!(answers(&mut chess, "boardsize 8\nboardsize 9"), ["=", "? unacceptable size"]);
}

#[test]
fn handicaps_are_placed_and_white_moves() {
    let mut go = go();
    let lines = "fixed_handicap 2\nfixed_handicap 2\ngenmove w\nclear_board\nset_free_handicap A1 B2 C3\nundo";
    let found = answers(&mut go, lines);
    assert_eq!([&found[0][..], &found[1], &found[3]], ["C3 G7", "? board not empty", "="]);
    assert_eq!((&found[4][..], &found[5][..]), ("A1 B2 C3", "? cannot undo"));
    for (line, reason) in [
        ("fixed_handicap 10", "? invalid number of stones"),
        ("fixed_handicap x", "? syntax error"),
        ("set_free_handicap A1 A1", "? bad vertex list"),
        ("set_free_handicap A1 pass", "? bad vertex list"),
    ] {
        assert_eq!(answers(&mut go, &format!("clear_board\n{line}"))[1], reason, "{line}");
    }
    assert_eq!(answers(&mut go, "place_free_handicap 40")[0].split(' ').count(), 9);
}

#[test]
fn a_passed_game_goes_on_and_another_one_is_over() {
    let mut go = go();
    let found = answers(&mut go, "play b pass\nplay w pass\nplay b E5\ngenmove w");
    assert!(found[..3].iter().all(|text| text == "=") && !found[3].starts_with('?'), "{found:?}");
    let mut line = engine("random = {}", "mnk = { rows = 3, columns = 3, row = 3 }");
    let found = answers(&mut line, "play b A1\nplay b B1\nplay b C1\nplay w A2\ngenmove w\nfinal_score");
    assert_eq!(found[3..], ["? illegal move", "? the game is over", "B+"]);
}

/// A described game has no passes, and no positions that could be set up.
#[test]
fn a_move_out_of_turn_is_no_end_of_the_game() {
    let mut konane = engine("random = {}", "ludeme = { name = \"konane\" }");
    let found = answers(&mut konane, "gogui-rules_side_to_move\ngenmove w\nlz-analyze w 1\ngenmove b");
    let refused = "? it is not white's turn, and this game cannot let a side move twice";
    assert_eq!(found[..3], ["black", refused, refused]);
    assert!(!found[3].starts_with('?'), "{found:?}");
}

#[test]
fn clocks_limit_searches() {
    let mut slow = engine("uct = { simulations = 10000000 }", "go = { size = 9 }");
    let begun = Instant::now();
    let lines =
        "time_settings 3 0 0\ngenmove b\ntime_left w 1 0\ngenmove w\ntime_left w 1 0 0\ntime_left w x 0\ntime_settings";
    let found = answers(&mut slow, lines);
    assert!(begun.elapsed().as_secs() < 3, "{:?}", begun.elapsed());
    assert!(found[0] == "=" && found[2] == "=" && found[4] == "? syntax error", "{found:?}");
    assert!(found[5..].iter().all(|text| text.starts_with("? syntax error")), "{found:?}");
    assert_eq!(answers(&mut slow, "kgs-time_settings none\nkgs-time_settings byoyomi 0 1 3"), ["=", "="]);
}

#[test]
fn an_analysis_ends_with_the_next_line() {
    let mut go = go();
    for (line, form) in
        [("3 lz-analyze b 1", "winrate 5"), ("kata-analyze interval 1 maxmoves 2", "winrate 0."), ("analyze", "")]
    {
        let mut out = String::new();
        let mut next = go.handle(Input::Line(line), &mut out);
        for _ in 0..20 {
            assert_eq!(next, Next::Think, "{line}");
            next = go.think(&mut out);
        }
        next = go.handle(Input::Line("9 version"), &mut out);
        assert_eq!(next, Next::Listen);
        let (id, rest) = out.split_once('\n').unwrap();
        assert!(id == if line.starts_with('3') { "=3" } else { "=" }, "{out}");
        let (infos, version) = rest.split_once("\n\n").unwrap();
        assert!(infos.lines().all(|line| line.starts_with("info move ")) && infos.contains(form), "{out}");
        assert_eq!(infos.contains("order 2"), !line.starts_with("kata"), "{out}");
        assert!(version.starts_with("=9 "), "{out}");
    }
    assert!(answers(&mut go, "final_status_list alive")[0] == "=", "nothing was played");
    let mut out = String::new();
    go.handle(Input::Line("lz-analyze"), &mut out);
    assert_eq!(go.handle(Input::End, &mut out), Next::Leave);
    let played = said(&mut go, "4 lz-genmove_analyze b 1\nkata-genmove_analyze w");
    assert!(played.starts_with("=4\ninfo move ") && played.matches("\nplay ").count() == 2, "{played}");
    assert_eq!(answers(&mut go, "final_status_list alive")[0].split(' ').count(), 2);
    let mut random = engine("random = {}", "go = { size = 5 }");
    assert!(said(&mut random, "lz-genmove_analyze b 1").contains("info move "));
}

#[test]
fn a_game_is_loaded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a game.sgf");
    let name = path.to_str().unwrap();
    std::fs::write(&path, "(;GM[1]FF[4]SZ[5]KM[0.5];B[cc];W[dd];B[bb];W[tt])").unwrap();
    let mut go = go();
    assert_eq!(answers(&mut go, &format!("loadsgf {name}")), ["black"]);
    assert_eq!(answers(&mut go, "final_status_list alive")[0].split(' ').count(), 3);
    assert_eq!(answers(&mut go, &format!("loadsgf {name} 3\nfinal_status_list alive")), ["black", "C3 D2"]);
    assert!(answers(&mut go, "undo\nundo\nundo")[2].contains("cannot undo"));
    let reason = |line: &str, go: &mut GtpServer| answers(go, line).remove(0);
    assert!(reason("loadsgf none.sgf", &mut go).starts_with("? cannot load file: "));
    assert!(reason("loadsgf", &mut go) == "? syntax error");
    std::fs::write(&path, "(;GM[1]SZ[9]KM[6,5]RE[W+R];B[cc];W[];B[];W[])").unwrap();
    assert_eq!(answers(&mut go, &format!("komi 0\nloadsgf {name}\nfinal_score")), ["=", "white", "B+74.5"]);
    for (komi, score) in [("375", "B+73.5"), ("3.75", "B+73.5"), ("5.5pts", "B+75.5")] {
        std::fs::write(&path, format!("(;GM[1]SZ[9]KM[{komi}];B[cc];W[];B[];W[])")).unwrap();
        assert_eq!(answers(&mut go, &format!("komi 0\nloadsgf {name}\nfinal_score"))[2], score, "{komi}");
    }
    std::fs::write(&path, "(;GM[1]SZ[52];B[cc])").unwrap();
    let said = reason(&format!("loadsgf {name}"), &mut go);
    assert!(said.contains("52 is outside"), "{said}");
    std::fs::write(&path, "(;GM[1]SZ[5];B[cc];W[cc])").unwrap();
    assert!(reason(&format!("loadsgf {name}"), &mut go).contains("cannot load file: "));
}

#[test]
fn every_game_with_names_is_played() {
    for game in GameSpec::examples() {
        let player = toml::from_str("random = {}").unwrap();
        let served = ServedPlayer { name: "r".to_owned(), player, weights: None, most: None };
        let mut engine = GtpServer::new(served, &game, Seed::new(1)).unwrap();
        let name = game.build().name();
        let before = answers(&mut engine, "gauntlet-legal_moves").remove(0);
        let colours = [Side::First, Side::Second].map(|side| colour(&*game.build(), side));
        let lines = colours.map(|colour| format!("genmove {colour}\n")).concat() + "undo\nundo\nshowboard";
        let moves = answers(&mut engine, &lines);
        assert!(before.split(' ').any(|legal| legal == moves[0]) || moves[0].starts_with('?'), "{name}: {moves:?}");
        assert_eq!(answers(&mut engine, "gauntlet-legal_moves").remove(0), before, "{name}");
    }
    let mut othello = engine("greedy = {}", "othello = { size = 6 }");
    let found = answers(
        &mut othello,
        "gogui-rules_game_id\ngogui-rules_board_size\ngogui-rules_side_to_move\ngogui-rules_final_result\ngogui-rules_board\ngogui-analyze_commands",
    );
    assert_eq!(found[..4], ["Othello", "6", "black", "The game is not over."]);
    assert!(found[4].starts_with("=\n. . . . . .\n") && found[5].contains("plist/"), "{found:?}");
    // GoGui puts the first line on the row with the highest number: C2 stands in the last but one.
    let board = answers(&mut othello, "play b C2\ngogui-rules_board").remove(1);
    let rows: Vec<&str> = board.lines().skip(1).collect();
    assert_eq!(rows, [". . . . . .", ". . . . . .", ". . X O . .", ". . X X . .", ". . X . . .", ". . . . . ."]);
    for (game, is_shown) in [
        ("ludeme = { name = \"squava\" }", true),
        ("hex = { size = 5 }", true),
        ("gomoku = { size = 15 }", true),
        ("connect-four = {}", false),
        // Columns of described boards have an I, and sites may be stacks or hands.
        ("ludeme = { name = \"connect6\" }", false),
        ("ludeme = { name = \"lasca\" }", false),
        ("ludeme = { name = \"minishogi\" }", false),
    ] {
        let found = answers(
            &mut engine("random = {}", game),
            "gogui-rules_board\ngogui-rules_game_id\nknown_command gogui-rules_board\nlist_commands",
        );
        assert_eq!(found[0].starts_with("?"), !is_shown, "{game}: {found:?}");
        assert_eq!(found[2], is_shown.to_string(), "{game}");
        assert_eq!(found[3].lines().any(|name| name == "gogui-rules_board"), is_shown, "{game}");
        assert!(found[1].chars().next().is_some_and(char::is_uppercase), "{found:?}");
    }
    let squava = answers(&mut engine("random = {}", "ludeme = { name = \"squava\" }"), "play b A1\ngogui-rules_board");
    assert!(squava[1].ends_with("\nX . . . ."), "{squava:?}");
    let mut chess = engine("random = {}", "chess = {}");
    assert_eq!(answers(&mut chess, "gogui-rules_side_to_move\nplay white e2e4\nplay black Nf6"), ["white", "=", "="]);
}

/// Random games, some of which end by a repetition or at a limit of moves, with the pieces as they lie.
#[test]
fn the_final_score_is_that_of_the_record() {
    let small = |text: &str| toml::from_str::<GameSpec>(text).unwrap();
    let rules = ["positional", "simple", "draw"]
        .map(|ko| small(&format!("go = {{ size = 3, komi = 0.5, superko = \"{ko}\" }}")));
    let short = [small("go = { size = 4, komi = 2, superko = \"draw\", move-cap = 9 }")];
    let games = rules.into_iter().chain(short).map(|game| (game, 600));
    let mut uncounted = 0;
    for (spec, number) in games.chain(GameSpec::examples().into_iter().map(|game| (game, 2))) {
        for seed in 0..number {
            let (game, mut rng) = (spec.build(), Seed::new(seed).rng());
            let (mut position, mut board) = (game.start(), Board::new(Arc::clone(&game)));
            while position.outcome().is_none() {
                let action = position.random_action(&mut rng);
                board.play_from(position.fork(), action);
                position.play(action);
            }
            let score = rules::reply("final_score", &[], &board, &spec).unwrap().unwrap();
            let (name, expected) = (game.name(), position.outcome().unwrap());
            match expected {
                Outcome::Draw => assert_eq!(score, "0", "{name}"),
                Outcome::Win(side) => {
                    let letter = colour(&*game, side)[..1].to_uppercase();
                    assert!(score.starts_with(&format!("{letter}+")), "{name}: {score} of {expected:?}");
                }
            }
            let has_count =
                matches!(spec, GameSpec::Go(_)) && position.lead(Side::First).is_some_and(|lead| lead != 2.0);
            uncounted += usize::from(has_count && score == "0");
        }
    }
    assert!(uncounted > 0, "{uncounted} games ended by a repetition");
}

#[test]
fn no_input_breaks_the_engine() {
    let mut go = go();
    for line in [
        "\u{0}\u{1}",
        "play",
        "play b",
        "genmove green",
        "genmove b w",
        "time_left b",
        "999999999999999999999999 name",
        "lz-analyze interval",
        "1 1 1",
    ] {
        let out = said(&mut go, line);
        assert!(out.is_empty() || out.starts_with('?'), "{line}: {out}");
    }
    let long = format!("play b {}", "x".repeat(100_000));
    assert!(said(&mut go, &long).len() < 200);
    let mut out = String::new();
    assert_eq!(go.handle(Input::TooLong, &mut out), Next::Listen);
    assert_eq!(out, "? a line is too long\n\n");
}
