//! Tests of SGF: round trips, corner cases of the format, and malicious files.

use proptest::prelude::*;

use super::super::records::RecordsHeader;
use super::board::number;
use super::*;
use crate::base::{Action, Ending, Outcome, Record, Seed, Side};

pub(super) fn spec(text: &str) -> GameSpec {
    serde_json::from_str(text).unwrap()
}

pub(super) fn gomoku() -> GameSpec {
    spec(r#"{"gomoku":{"size":7,"row":4}}"#)
}

pub(super) fn played(spec: &GameSpec, seed: u64, most: usize) -> Record {
    let game = spec.build();
    let (mut position, mut actions, mut rng) = (game.start(), Vec::new(), Seed::new(seed).rng());
    while position.outcome().is_none() && actions.len() < most {
        actions.push(position.random_action(&mut rng));
        position.play(actions[actions.len() - 1]);
    }
    let (outcome, opening) = (position.outcome().unwrap_or(Outcome::Draw), (actions.len() as u32).min(3));
    Record { opening, ..Record::new(4, [1, 0], actions, outcome) }
}

pub(super) fn stone_games() -> Vec<GameSpec> {
    GameSpec::examples().into_iter().filter(|spec| number(spec).is_some()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn written_sgf_is_read_back(at in 0..stone_games().len(), seed: u64, most in 0..99_usize, names: [String; 2]) {
        let spec = stone_games().swap_remove(at);
        let record = played(&spec, seed, most);
        let header = RecordsHeader::new(spec.clone(), names.to_vec());
        let text = write(&header, [&record, &record]).unwrap();
        let read = read(text.as_bytes(), &spec, usize::MAX).unwrap();
        let spaced = |name: &String| name.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect::<String>();
        let names = [spaced(&names[1]), spaced(&names[0])];
        let wanted = Transcript { names, ..header.transcript(&record) };
        prop_assert_eq!(read, vec![wanted.clone(), wanted]);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[(;)A-Za-z\\[\\]:\\\\ \n]{0,80}") {
        let _ = read(text.as_bytes(), &gomoku(), 3);
    }
}

#[test]
fn the_main_line_of_a_foreign_file_is_read() {
    let text = "\u{feff}\n( ;FF[4]GaMe[4] SZ[7:7]\nPB[A \\] B\\\nC]RE[W+R]C[a [b\\] (;]\n;B[aa](;W[bb];B[cc](;W[dd])(;W[ee]))(;W[ff]))";
    let games = read(text.as_bytes(), &gomoku(), usize::MAX).unwrap();
    assert_eq!(games[0].names, ["A ] BC".to_owned(), String::new()]);
    assert_eq!(games[0].actions, [0, 8, 16, 24].map(Action));
    assert_eq!(games[0].outcome, Some(Outcome::Win(Side::Second)), "white won by resignation");
}

#[test]
fn the_authors_stone_of_pente_is_set_up() {
    let spec = spec(r#"{"pente":{"size":7}}"#);
    let text = write(&RecordsHeader::new(spec.clone(), vec!["a".into(), "b".into()]), [&played(&spec, 1, 2)]).unwrap();
    assert!(text.starts_with("(;FF[4]CA[UTF-8]AP[gauntlet]GM[4]SZ[7]RU[pente 7x7]AW[dd]PB[b]PW[a]RE[0]"), "{text}");
    assert!(read(b"(;GM[4]SZ[7]AW[dd:dd];B[aa])", &spec, usize::MAX).is_ok());
}

/// Most programs let White begin on the centre of an empty board, and write that stone as a move.
#[test]
fn white_s_first_move_on_the_centre_is_the_authors_stone() {
    let [authors, paper] = [r#"{"pente":{"size":7}}"#, r#"{"pente":{"size":7,"rules":"paper"}}"#].map(spec);
    let game = read(b"(;GM[4]SZ[7]PB[b]PW[w]RE[W+];W[dd];B[ee];W[ff])", &authors, usize::MAX).unwrap().remove(0);
    assert_eq!(
        (game.start, game.actions, game.names),
        (None, vec![Action(32), Action(40)], ["b", "w"].map(str::to_owned))
    );
    assert_eq!(game.outcome, Some(Outcome::Win(Side::Second)));
    assert_eq!(read(b"(;GM[4]SZ[7];W[dd])", &authors, usize::MAX).unwrap()[0].actions, []);
    assert_eq!(read(b"(;GM[4]SZ[7];B[dd];W[ee])", &paper, usize::MAX).unwrap()[0].actions, [24, 32].map(Action));
    for (text, spec, name, side) in [
        ("(;GM[4]SZ[7];B[dd])", &authors, "pente 7x7", "black"),
        ("(;GM[4]SZ[7];W[ee])", &authors, "pente 7x7", "white"),
        ("(;GM[4]SZ[7];W[dd])", &paper, "pente 7x7 paper", "white"),
    ] {
        let error = read(text.as_bytes(), spec, usize::MAX).unwrap_err().to_string();
        let begins =
            "begins with other stones or the other side: this game begins with 0 stones of black and 0 of white";
        assert!(
            error.starts_with(&format!("line 1: {name} {begins}, and {side} moves first; Pente begins")),
            "{error}"
        );
    }
    let error = read(b"(;GM[4]SZ[7];W[dd];W[ee])", &authors, usize::MAX).unwrap_err().to_string();
    assert!(error.contains("1 of white, and white moves first"), "{error}");
}

#[test]
fn positions_that_were_set_up_and_resignations_come_back() {
    let start = Some("7/7/2x4/7/7/7/6o o".to_owned());
    let plain = Record::new(1, [0, 1], vec![Action(1), Action(2)], Outcome::Win(Side::Second));
    let record = Record { start, ending: Ending::Resigned, ..plain };
    let header = RecordsHeader::new(gomoku(), vec!["a".into(), "b".into()]);
    let text = write(&header, [&record]).unwrap();
    assert!(text.contains("AB[cc]AW[gg]PL[W]PB[a]PW[b]RE[W+R]") && text.ends_with(";W[ba];B[ca])\n"), "{text}");
    assert_eq!(read(text.as_bytes(), &gomoku(), usize::MAX).unwrap(), [header.transcript(&record)]);
    // The first move determines the side to move if `PL` is missing.
    let read_start = |text: &[u8]| read(text, &gomoku(), usize::MAX).unwrap()[0].start.clone();
    assert_eq!(read_start(b"(;GM[4]SZ[7]AB[aa];W[bb])").as_deref(), Some("x6/7/7/7/7/7/7 o"));
    assert_eq!(read_start(b"(;GM[4]SZ[7]AB[aa])").as_deref(), Some("x6/7/7/7/7/7/7 x"));
    assert_eq!(read_start(b"(;GM[4]SZ[7]PL[B];B[bb])"), None);
}

#[test]
fn othello_begins_with_four_discs_that_need_not_be_written() {
    let spec = spec(r#"{"othello":{"size":8}}"#);
    let names = ["you".to_owned(), "it".to_owned()];
    let transcript = Transcript { names, actions: vec![Action(19)], ..Transcript::default() };
    let text = write_game(&spec, &transcript).unwrap();
    assert!(text.contains("GM[2]SZ[8]RU[othello 8x8]AB[ed][de]AW[dd][ee]") && text.ends_with(";B[dc])\n"), "{text}");
    assert_eq!(read(text.as_bytes(), &spec, usize::MAX).unwrap(), [transcript]);
    assert_eq!(read(b"(;GM[2];B[dc];W[cc])", &spec, usize::MAX).unwrap()[0].actions, [Action(19), Action(18)]);
    let large = self::spec(r#"{"othello":{"size":60}}"#);
    let error = write_game(&large, &Transcript::default()).unwrap_err().to_string();
    assert!(error.contains("a board of 60 is more than 52"), "{error}");
    let wide = self::spec(r#"{"othello":{"size":52}}"#);
    let mut legal = Vec::new();
    wide.build().start().actions(&mut legal);
    let transcript = Transcript { actions: legal.split_off(3), ..Transcript::default() };
    let text = write_game(&wide, &transcript).unwrap();
    assert!(text.ends_with(";B[AB])\n"), "{text}");
    assert_eq!(read(text.as_bytes(), &wide, usize::MAX).unwrap()[0].actions, transcript.actions);
}

#[test]
fn a_game_that_is_not_over_has_no_result_and_a_pass_no_point() {
    let spec = spec(r#"{"go":{"size":5}}"#);
    let names = ["you".to_owned(), "it".to_owned()];
    let transcript = Transcript { names, actions: vec![Action(0), Action(25)], ..Transcript::default() };
    let text = write_game(&spec, &transcript).unwrap();
    assert!(text.contains("GM[1]") && text.ends_with("RE[?];B[aa];W[])\n"), "{text}");
    assert_eq!(read(text.as_bytes(), &spec, usize::MAX).unwrap(), [transcript]);
}

#[test]
fn komi_is_written_in_go_alone() {
    for (text, komi) in [("go = { size = 5, komi = 0.5 }", "KM[0.5]"), ("go = { size = 5, komi = 7 }", "KM[7]")] {
        let spec: GameSpec = toml::from_str(text).unwrap();
        let file = write_game(&spec, &Transcript::default()).unwrap();
        assert!(file.contains(komi), "{file}");
        assert_eq!(read_first(file.as_bytes(), &self::spec(r#"{"go":{"size":9}}"#), 0).unwrap().0, spec);
    }
    let spec: GameSpec = toml::from_str("gomoku = { size = 7 }").unwrap();
    assert!(!write_game(&spec, &Transcript::default()).unwrap().contains("KM"));
}

#[test]
fn mistakes_are_named_with_their_line() {
    for (text, message) in [
        ("", "line 1: expected `(;`, found the end of the file"),
        ("\0\u{1}\n", "line 2: expected `(;`, found the end of the file"),
        ("(;GM[4]SZ[7]\n;B[aa]\n;W[aa])", "line 3: move 2, A7, is not legal"),
        ("(;GM[4]SZ[7]\n;B[aa]\n;B[bb])", "line 3: move 2: expected a move of the other side, found one of black"),
        ("(;GM[4]SZ[7]\n;B[ah])", "line 2: move 1: expected a point of the board, found \"ah\""),
        ("(;GM[4]SZ[7]\n;B[])", "line 2: move 1: expected a point of the board, found \"\""),
        ("(;GM[4]SZ[7]\n;B[aa]W[bb])", "line 2: move 1: expected one move, found two in one node"),
        ("(;GM[4]SZ[9])", "line 1: this is a game of size 9, not of gomoku 7x7 row 4"),
        ("(;GM[4]SZ[x])", "line 1: expected a number, found \"x\""),
        ("(;GM[4]SZ[7]PL[?])", "line 1: expected a side, B or W, found \"?\""),
        ("(;GM[4]SZ[7]\n;B[aa]\n;AW[bb])", "line 3: stones are set up or taken away in the midst of the game"),
        ("(;GM[4]SZ[7];B[aa]\n;AE[aa])", "line 2: stones are set up or taken away in the midst of the game"),
        ("(;GM[4]SZ[7]\nAB[ah])", "line 2: expected a point of the board, found \"ah\""),
        ("(;GM[4]SZ[7]\n;B[aa", "line 2: expected `]`, found the end of the file"),
        ("(;GM[4]SZ[7];B)", "line 1: expected `[`, found ')'"),
        ("(;GM[4]SZ[7];B[aa]B[bb])", "line 1: move 1: expected one point, found 2 values"),
        ("()", "line 1: expected `(;`, found the end of the file"),
        ("(;GM[4]SZ[7]@)", "line 1: expected `;`, a variation or `)`, found '@'"),
        ("(;GM[4]SZ[7]", "line 1: expected `)`, found the end of the file"),
        (
            "(;GM[4]SZ[7]RE[W+];B[aa];W[ba];B[ab];W[bb];B[ac];W[bc];B[ad])",
            "line 1: by the rules Black wins, by the file White wins",
        ),
    ] {
        assert_eq!(read(text.as_bytes(), &gomoku(), usize::MAX).unwrap_err().to_string(), message);
    }
    let error = read(b"(;GM[4]\nC[\xff\0])", &gomoku(), usize::MAX).unwrap_err().to_string();
    assert_eq!(error, "line 2: this is not text in a known encoding");
}

#[test]
fn deep_nesting_and_long_values_are_refused() {
    let deep = "(;".repeat(200_000);
    assert!(read(deep.as_bytes(), &gomoku(), usize::MAX).unwrap_err().to_string().contains("a depth of 100001"));
    let long = format!("(;C[{}])", "x".repeat(2 << 20));
    assert!(read(long.as_bytes(), &gomoku(), usize::MAX).unwrap_err().to_string().contains("a value of 1048577"));
}
