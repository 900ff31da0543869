//! Tests of games as tools write them, and of malformed ones.

use std::io::{self, Read};

use proptest::prelude::*;

use super::game::LONGEST_GAME;
use super::*;
use crate::base::{Action, Ending, Outcome, Record, Seed, Side};
use crate::formats::records::RecordsHeader;
use crate::formats::{LeftOut, Transcript};
use crate::games::GameSpec;

/// Names, outcome and line of a game, or line and message of the fault.
pub(super) type Found = Result<(String, String, Outcome, u64), (u64, String)>;

pub(super) fn games(text: &[u8]) -> Vec<Found> {
    let mut reader = PgnReader::new(text);
    let mut games = Vec::new();
    loop {
        match reader.next_game() {
            Ok(None) => return games,
            Ok(Some(game)) => games.push(Ok((game.first.into(), game.second.into(), game.outcome, game.line))),
            Err(PgnError::Bad { line, what }) => games.push(Err((line, what))),
            Err(error) => panic!("{error}"),
        }
    }
}

pub(super) fn game(white: &str, black: &str, result: &str) -> String {
    format!("[Event \"x\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 e5 {result}\n\n")
}

#[test]
fn tags_are_read_and_everything_else_is_passed() {
    let text = "\u{feff}% escaped [White \"no\"]\r\n[Event \"a \"quoted\" event\"]\r\n[White \"A \\\"x\\\" \\\\\"]\r\n\
        [Black \"B\"] [Result \"1-0\"]\r\n\r\n1. e4 {a comment\n[White \"inside\"]\n} e5 ; [Result \"0-1\"]\n\
        [%clk 0:01] 2. Nf3\n(2. d4 d5) 1-0\n[Event \"next\"]\n[White \"C\"]\n[Black \"D\"]\n[Result \"1/2-1/2\"]";
    let found = games(text.as_bytes());
    let first = ("A \"x\" \\".to_owned(), "B".to_owned(), Outcome::Win(Side::First), 2);
    assert_eq!(found, [Ok(first), Ok(("C".into(), "D".into(), Outcome::Draw, 11))]);
}

#[test]
fn a_bad_game_is_one_error_with_its_line_and_the_next_one_is_read() {
    let no_result = "[Event \"x\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n\n";
    let torn = "[Event \"x\"]\n[White \"A\n[Black \"B\"]\n[Result \"1-0\"]\n\n1-0\n\n";
    let cases = [
        (no_result.to_owned(), 8, "no Result tag"),
        (game("A", "B", "1-O"), 8, "unknown result \"1-O\""),
        (game("A", "A", "1-0"), 8, "\"A\" plays against itself"),
        (game("", "B", "1-0"), 8, "no player as White"),
        (torn.to_owned(), 9, "a tag reads"),
    ];
    for (bad, line, message) in cases {
        let text = format!("{}{bad}{}", game("A", "B", "1-0"), game("C", "D", "0-1"));
        let found = games(text.as_bytes());
        assert_eq!(found.len(), 3, "{found:?}");
        let (at, what) = found[1].as_ref().expect_err("the second game is bad");
        assert!(*at == line && what.contains(message), "{at} {what}");
        assert!(found[2].as_ref().is_ok_and(|game| game.0 == "C"), "{found:?}");
    }
}

/// A writer was killed anywhere in the second of three games, and another one went on.
#[test]
fn a_torn_game_hides_no_other_one() {
    let whole = |white: &str| {
        let tags = format!("[Event \"e\"]\n[Site \"s\"]\n[White \"{white}\"]\n[Black \"x\"]\n[Result \"1-0\"]\n");
        format!("{tags}\n1. e4 {{+0.31/12 0.1s}} e5 {{a\nb}}\n2. Nf3 1-0\n\n")
    };
    let torn = whole("torn");
    for between in ["", "\n"] {
        for cut in 1..torn.len() {
            let text = [&whole("A"), &torn[..cut], between, &whole("B"), &whole("C")].concat();
            let found = games(text.as_bytes());
            let names: Vec<&str> = found.iter().flatten().map(|game| game.0.as_str()).collect();
            assert!(names.starts_with(&["A"]) && names.ends_with(&["B", "C"]), "{cut}: {found:?} in\n{text}");
            assert!(names.len() + found.iter().filter(|found| found.is_err()).count() <= 4, "{cut}: {found:?}");
        }
    }
}

#[test]
fn games_of_tournaments_without_a_result_of_two_players_are_told_apart() {
    let stated = |text: &str| match PgnReader::new(text.as_bytes()).next_game() {
        Ok(game) => game.map(|game| (Some(game.outcome), game.is_unplayed, None)).expect("a game"),
        Err(PgnError::LeftOut { reason, line: 1 }) => (None, false, Some(reason)),
        Err(error) => panic!("{error}"),
    };
    let won = Some(Outcome::Win(Side::First));
    assert_eq!(stated(&game("A", "B", "1-0")), (won, false, None));
    for (result, reason) in [
        ("*", LeftOut::Unfinished),
        ("0-0", LeftOut::DoubleLoss),
        ("-/-", LeftOut::DoubleLoss),
        ("+/+", LeftOut::DoubleWin),
        ("1/2-0", LeftOut::Uneven),
    ] {
        assert_eq!(stated(&game("A", "B", result)), (None, false, Some(reason)), "{result}");
        assert_eq!(
            stated(&game("A", "B", result).replace(&format!("e5 {result}"), "e5 *")).2,
            Some(reason),
            "{result}"
        );
    }
    for (result, moves) in [("1F-0F", "1F-0F"), ("+/-", "*"), ("1-0F", ""), ("+:-", "1-0")] {
        let text = game("A", "B", result).replace(&format!("1. e4 e5 {result}"), moves);
        assert_eq!(stated(&text), (won, true, None), "{result} {moves}");
    }
    for moves in ["1-0", "", "{no show} 1-0", "1. 1-0"] {
        assert_eq!(stated(&game("A", "B", "1-0").replace("1. e4 e5 1-0", moves)), (won, true, None), "{moves}");
    }
    for moves in ["1. e4 1-0", "1. e4", "e4 {x} 1-0", "1. 11-15 1-0", "1. O-O"] {
        assert_eq!(stated(&game("A", "B", "1-0").replace("1. e4 e5 1-0", moves)), (won, false, None), "{moves}");
    }
    for (termination, is_unplayed) in
        [("Unplayed", true), ("forfeit", true), ("time forfeit", false), ("normal", false)]
    {
        let text = format!("[Termination \"{termination}\"]\n{}", game("A", "B", "1-0"));
        assert_eq!(stated(&text), (won, is_unplayed, None), "{termination}");
    }
    let contradiction = game("A", "B", "+/-").replace("e5 +/-", "e5 0-1");
    assert!(games(contradiction.as_bytes())[0].is_err());
}

#[test]
fn a_comment_that_is_never_closed_swallows_no_game() {
    let open = game("A", "B", "1-0").replace("e5", "{oops");
    let text = format!("{open}{}{}", game("C", "D", "0-1").replace("e5", "{fine}"), game("E", "F", "1-0"));
    let found = games(text.as_bytes());
    assert!(matches!(&found[0], Err((6, what)) if what.ends_with("a `}` is missing")), "{found:?}");
    assert!(matches!(&found[1..], [Ok(c), Ok(e)] if c.0 == "C" && e.0 == "E"), "{found:?}");
    let found = games(open.as_bytes());
    assert!(matches!(&found[..], [Err((6, what))] if what.contains("never closed")), "{found:?}");
    // Behind the result it costs nothing, whichever game it belongs to.
    for begun in ["{", "{White mates\n\n", ",{", "*\n", "some text\n\n", "some\n\ntext\n\n{", "[Event *\n"] {
        let text = [&game("A", "B", "1-0"), begun, &game("C", "D", "0-1")].concat();
        let found = games(text.as_bytes());
        assert!(matches!(&found[..], [Ok(a), Ok(c)] if a.0 == "A" && c.0 == "C"), "{begun}: {found:?}");
    }
    // A comment may hold tags and empty lines.
    let noted = game("A", "B", "1-0").replace("e5", "{as in\n[White \"C\"]\n\nand\n\n[this one} e5");
    assert!(matches!(&games(noted.as_bytes())[..], [Ok(a)] if a.0 == "A"));
}

#[test]
fn text_before_the_first_tag_is_no_pgn() {
    let found = games(b"\n1. e4 e5 1-0\n\n");
    assert!(matches!(&found[..], [Err((2, what))] if what.contains("not PGN")), "{found:?}");
    assert_eq!(games(b"  \n\n"), []);
}

#[test]
fn games_without_moves_and_latin_letters() {
    let mut text = b"[White \"J\xf6rg\"]\n[Black \"B\"]\n[Result \"0-1\"]\n\n".to_vec();
    text.extend_from_slice(b"[White \"C\"]\n[Black \"D\"]\n[Result \"1-0\"]\n");
    let found = games(&text);
    assert!(matches!(&found[..], [Ok(a), Ok(c)] if a.0 == "J\u{f6}rg" && c.0 == "C"), "{found:?}");
}

#[test]
fn moves_come_without_decoration() {
    let text = format!(
        "{}1. d4",
        game("A", "B", "1-0").replace(
            "1. e4 e5 1-0",
            "1. e4! {best} 1... e5 $1 2.Nf3 (2. d4 (2. c4) exd4) (2. f4) Nc6?! ; comment\n3. O-O-O a1=Q# -- 1-0",
        )
    );
    let mut reader = PgnReader::new(text.as_bytes()).with_moves();
    let game = reader.next_game().expect("readable").expect("a game");
    assert_eq!(game.moves, "e4 e5 Nf3 Nc6 O-O-O a1=Q# -- d4");
}

#[test]
fn lines_may_end_anywhere_in_the_buffer() {
    let text = game("Alice", "Bob", "1-0").replace("e5", "{ [White \"x\"] ; }\n{\n[Black \"y\"]\n} e5").repeat(20);
    for size in 1..9 {
        let mut reader = PgnReader::new(Drops(text.as_bytes(), size)).with_moves();
        let mut n = 0;
        while let Some(game) = reader.next_game().expect("all are fine") {
            assert_eq!((game.first, game.second, game.moves), ("Alice", "Bob", "e4 e5"));
            n += 1;
        }
        assert_eq!(n, 20);
    }
}

/// A reader that returns at most this many bytes at a time.
pub(super) struct Drops<'a>(pub &'a [u8], pub usize);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.0.len().min(buffer.len()).min(self.1);
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

/// A random game of at most `most` plies, optionally from a position that was set up.
pub(super) fn played(spec: &GameSpec, seed: u64, most: usize, set_up: bool) -> Record {
    let (game, mut rng) = (spec.build(), Seed::new(seed).rng());
    let (mut position, mut start, mut actions) = (game.start(), None, Vec::new());
    for _ in 0..if set_up { 3 } else { 0 } {
        let action = position.random_action(&mut rng);
        position.play(action);
    }
    if let Some((text, again)) =
        game.write_position(&*position).and_then(|text| Some((text.clone(), game.read_position(&text).ok()?)))
        && set_up
    {
        (position, start) = (again, Some(text));
    } else {
        position = game.start();
    }
    while position.outcome().is_none() && actions.len() < most {
        actions.push(position.random_action(&mut rng));
        position.play(actions[actions.len() - 1]);
    }
    let ending = if position.outcome().is_none() { Ending::MaxPlies } else { Ending::Rules };
    let (outcome, opening) = (position.outcome().unwrap_or(Outcome::Draw), (actions.len() as u32).min(3));
    Record { start, opening, ending, ..Record::new(6, [1, 0], actions, outcome) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn written_pgn_is_read_back(
        at in 0..GameSpec::examples().len(), seed: u64, most in 0..99_usize, set_up: bool,
        one in "[ -~\u{e4}]{1,12}[!-~&&[^?]]", two in "[!-~&&[^?]][ -~]{1,12}[\\\\\"\\]x]",
    ) {
        let spec = GameSpec::examples().swap_remove(at);
        let record = played(&spec, seed, most, set_up);
        let header = RecordsHeader::new(spec.clone(), vec![one.trim().to_owned(), two]);
        let text = write(&header, [&record, &record]).unwrap();
        prop_assert!(text.lines().all(|line| line.len() < 80 || line.starts_with('[')), "{}", text);
        let wanted = header.transcript(&record);
        prop_assert_eq!(read(text.as_bytes(), &spec, usize::MAX).unwrap(), vec![wanted.clone(), wanted.clone()]);
        // The streaming reader finds the same players, result and number of moves.
        let mut reader = PgnReader::new(text.as_bytes()).with_moves();
        if let Ok(Some(game)) = reader.next_game() {
            prop_assert_eq!((game.first, game.second), (&*wanted.names[0], &*wanted.names[1]));
            prop_assert_eq!((Some(game.outcome), game.moves.split_whitespace().count()), (wanted.outcome, record.actions.len()));
        }
        let cut = read(text.as_bytes(), &spec, 2).unwrap();
        prop_assert!(cut.iter().all(|game| game.actions.len() == record.actions.len().min(2)));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\"{}();%*A-Ea-e1-9 .\n-]{0,80}") {
        let _ = read(text.as_bytes(), &gomoku(), 5);
    }
}

pub(super) fn gomoku() -> GameSpec {
    serde_json::from_str(r#"{"gomoku":{"size":5}}"#).unwrap()
}

#[test]
fn a_written_game_looks_like_others() {
    let start = Some("5/5/2x2/5/5 o".to_owned());
    let resigned = Record::new(2, [0, 1], [0, 1, 2].map(Action).to_vec(), Outcome::Win(Side::Second));
    let record = Record { start, opening: 1, ending: Ending::Resigned, ..resigned };
    let text = write(&RecordsHeader::new(gomoku(), vec!["A \"x\"".into(), String::new()]), [&record]).unwrap();
    insta::assert_snapshot!(text, @r#"
    [Event "gomoku 5x5"]
    [Site "?"]
    [Date "????.??.??"]
    [Round "2.1"]
    [White "A \"x\""]
    [Black "?"]
    [Result "0-1"]
    [SetUp "1"]
    [FEN "5/5/2x2/5/5 o"]
    [PlyCount "3"]
    [Opening "A5"]
    [OpeningPlies "1"]
    [Termination "resignation"]

    1... A5 2. B5 C5 0-1
    "#);
}

#[test]
fn files_of_moves_may_be_bare() {
    let text = "% a book\n1. a1 a2 {why not} b1 $3 (1... b2 2. c2) 1... b2!? * 1. c3 ; all\n1-0\n\n\
        [White \"?\"]\n[Event \"x\"]\n\n1.d4 d5 2.e5\n[Event \"y\"]\n[FEN \"24x x\"]\n\n*\n";
    let games = read(text.as_bytes(), &gomoku(), usize::MAX).unwrap();
    let moves: Vec<usize> = games.iter().map(|game| game.actions.len()).collect();
    assert_eq!(moves, [4, 1, 3, 0]);
    assert_eq!(games[2].names, [String::new(), String::new()]);
    assert_eq!(games[3].start.as_deref(), Some("5/5/5/5/4x x"));
    assert_eq!(read(b"", &gomoku(), 9).unwrap(), Vec::<Transcript>::new());
    let othello: GameSpec = serde_json::from_str(r#"{"othello":{"size":8}}"#).unwrap();
    let games = read(b"1. d3 c3 2. C4 c5", &othello, usize::MAX).unwrap();
    assert_eq!(games[0].actions.iter().map(|action| action.0).collect::<Vec<_>>(), [19, 18, 26, 34]);
}

#[test]
fn mistakes_of_moves_are_named_with_their_line() {
    for (text, message) in [
        ("[Event \"x\"]\n\n1. a1 {\n\n} a2\n2. a1", "line 6: move 3, a1, is not legal"),
        ("1. a1\n; x\n% y\n2. z9 *", "line 4: move 2, z9, is not legal"),
        ("[Event \"x\n\n1. a1", "line 1: a tag reads [Name \"value\"]; this one does not"),
        (
            "\n[FEN \"5/5 x\"]\n\n*",
            "line 2: the position \"5/5 x\" cannot be set up: 2 rows were given for a board of 5",
        ),
        (
            "\n[Result \"0-1\"]\n1. a1 a2 b1 b2 c1 c2 d1 d2 e1 0-1",
            "line 2: by the rules White wins, by the file Black wins",
        ),
        ("\n1. a1 a2 b1 b2 c1 c2 d1 d2 e1\n1/2-1/2", "line 3: by the rules White wins, by the file the game is drawn"),
    ] {
        assert_eq!(read(text.as_bytes(), &gomoku(), usize::MAX).unwrap_err().to_string(), message);
    }
    let long = format!("1. {}", "a1 ".repeat(LONGEST_GAME));
    let error = read(long.as_bytes(), &gomoku(), 1).unwrap_err().to_string();
    assert!(error.starts_with("line 1: a game of 1") && error.ends_with("is more than 1048576"), "{error}");
}

#[test]
fn a_word_may_be_cut_by_the_buffer() {
    let text = game("A", "B", "1-0").replace("e4 e5", &"Nf3 Nc6 ".repeat(50_000));
    let mut reader = PgnReader::new(text.as_bytes()).with_moves();
    let game = reader.next_game().expect("readable").expect("a game");
    assert!(game.moves.split(' ').all(|word| matches!(word, "Nf3" | "Nc6")) && game.moves.len() == 8 * 100_000 / 2 - 1);
}
