//! Tests of PGN as written by other programs and by hand.

use proptest::prelude::*;

use super::tests::{Drops, Found, game, games, gomoku, played};
use super::*;
use crate::base::{Outcome, Record, Side};
use crate::formats::Transcript;
use crate::formats::records::RecordsHeader;
use crate::games::GameSpec;

fn chess() -> GameSpec {
    serde_json::from_str(r#"{"chess":{}}"#).unwrap()
}

fn read_chess(text: &str) -> Result<Vec<Transcript>, String> {
    read(text.as_bytes(), &chess(), usize::MAX).map_err(|error| error.to_string())
}

/// The moves of the first game in standard notation.
fn moves(text: &str) -> String {
    let (game, transcript) = (chess().build(), read_chess(text).unwrap().remove(0));
    let mut position = game.begin(transcript.start.as_deref()).unwrap();
    let name = |action| {
        let name = game.write_move(&*position, action);
        position.play(action);
        name
    };
    transcript.actions.into_iter().map(name).collect::<Vec<_>>().join(" ")
}

/// The moves of the only game of a stream, or line and message of the fault.
fn streamed(text: &str) -> Result<String, (u64, String)> {
    match PgnReader::new(text.as_bytes()).with_moves().next_game() {
        Ok(game) => Ok(game.expect("a game").moves.to_owned()),
        Err(PgnError::Bad { line, what }) => Err((line, what)),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn castling_with_zeros_and_figurines_are_moves() {
    let castled = "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 0-0 5. d3 d6 *";
    assert_eq!(moves(castled), "Nf3 Nf6 g3 g6 Bg2 Bg7 O-O O-O d3 d6");
    let long = "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n\n1. 0-0-0+ o-o 2.Kb1 *";
    assert_eq!(moves(long), "O-O-O O-O Kb1");
    let figurines = "1. \u{2659}e4 e5 2. \u{2658}f3 \u{265e}c6 3.\u{2657}\u{fe0e}b5 a6 4.\u{2657}xc6 \u{265f}dxc6 *";
    assert_eq!(moves(figurines), "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6");
    let becomes = "[FEN \"7k/2P5/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. c8=\u{2655}+ *";
    assert_eq!(moves(becomes), "c8=Q+");
    let text = game("A", "B", "1-0").replace("e4 e5", "e4 e5 2. \u{2658}f3 \u{265e}c6 3. \u{2657}b5 \u{265e}f6 4. 0-0");
    assert_eq!(streamed(&text).unwrap(), "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O");
}

#[test]
fn a_word_that_is_no_part_of_a_game_is_an_error_with_its_line() {
    for word in ["@e4", "2.@c6", "\u{41a}f3", "\u{444}d8", "00", "0-0-0-0", "2-0", "{}\u{a7}", "e4)", "<x>", "$x"] {
        let text = game("A", "B", "1-0").replace("e4 e5", &format!("e4 e5\n\n{word} d4"));
        let (line, what) = streamed(&text).unwrap_err();
        let known = ["is not a move, number, comment, glyph or result", "a `(` is missing"];
        assert!(line == 8 && known.iter().any(|known| what.contains(known)), "{word}: {line} {what}");
        assert!(games(text.as_bytes())[0].is_ok(), "no move is read unless asked for");
        let error = read_chess(&text).unwrap_err();
        assert!(error.starts_with("line 8: "), "{word}: {error}");
        let cut = read(text.as_bytes(), &chess(), 2).unwrap();
        assert_eq!(cut[0].actions.len(), 2, "what is cut off is not read");
    }
    let open = game("A", "B", "1-0").replace("e5", "e5\n(1... c5 2. Nf3");
    assert_eq!(streamed(&open).unwrap_err(), (7, "a variation is never closed: a `)` is missing".to_owned()));
    assert!(read_chess(&open).unwrap_err().contains("line 7: a variation is never closed"));
}

/// A novelty behind a move is a note; behind a number it is a move that broke off.
#[test]
fn a_move_that_broke_off_is_no_note() {
    assert_eq!(read_chess("1. e4 e5 N 2. Nf3 D *").unwrap()[0].actions.len(), 3);
    let error = read_chess("1. e4 e5 2. N").unwrap_err();
    assert!(error.starts_with("line 1: "), "{error}");
}

#[test]
fn numbers_glyphs_and_signs_are_passed_over() {
    let text = "1.e4! $1 1\u{2026}e5?! += 2. Nf3$13 {a} ! Nc6 +- (2... d6 = (2... f6)) 3 . Bb5 $146 *";
    assert_eq!(moves(&text.replace("3 .", "3.")), "e4 e5 Nf3 Nc6 Bb5");
    assert_eq!(moves("\u{feff}1. e4 \u{feff}e5 *"), "e4 e5");
    let old = [game("A", "B", "1-0"), game("B", "A", "1-0")].join("\u{c}") + "\u{1a}";
    assert_eq!(games(old.as_bytes()).iter().filter(|found| found.is_ok()).count(), 2);
    assert_eq!(read_chess(&old).unwrap().len(), 2);
}

#[test]
fn a_result_that_contradicts_its_tag_is_an_error_that_names_both() {
    for (tag, written) in [
        ("1-0", "1/2-1/2"),
        ("1/2-1/2", "0-1"),
        ("0-1", "1-0"),
        ("1-0", "*"),
        ("*", "1-0"),
        ("1/2", "{White resigns} 0-1 ; so"),
        ("1-0", "0-1 $1"),
    ] {
        let text =
            game("A", "B", "1-0").replace("e5 1-0", &format!("e5\n{written}")).replace("1-0\"", &format!("{tag}\""));
        let written = written.split(' ').find(|word| results::result_of(word).is_some()).unwrap();
        if !text.contains('$') {
            let found = [games(text.as_bytes()).remove(0).unwrap_err(), streamed(&text).unwrap_err()];
            for (line, what) in found {
                assert!(
                    line == 7 && what.contains(&format!("{tag:?}")) && what.contains(&format!("{written:?}")),
                    "{what}"
                );
            }
        }
        let error = read_chess(&text).unwrap_err();
        let both = error.contains(&format!("{tag:?}")) && error.contains(&format!("{written:?}"));
        assert!(both && error.starts_with("line 7: ") && error.contains("begins in line 1"), "{error}");
        assert!(read(text.as_bytes(), &chess(), 1).is_ok(), "what is cut off does not matter");
    }
    for fine in ["1-0", "1-0 {x}", "1-0 ; x", "{1/2-1/2} 1-0", "(1... c5 1/2-1/2) 1-0", ""] {
        let text = game("A", "B", "1-0").replace("e5 1-0", &format!("e5 {fine}"));
        assert!(games(text.as_bytes())[0].is_ok() && streamed(&text).is_ok() && read_chess(&text).is_ok(), "{fine}");
    }
}

#[test]
fn a_result_that_contradicts_the_board_is_an_error() {
    let mate = "1. f3 e5 2. g4 Qh4# ";
    for (tag, text, message) in [
        ("1-0", "1-0", "line 1: by the rules Black wins, by the file White wins"),
        ("1/2-1/2", "1/2-1/2", "line 1: by the rules Black wins, by the file the game is drawn"),
        ("1-0", "", "line 1: by the rules Black wins, by the file White wins"),
    ] {
        assert_eq!(read_chess(&format!("[Result \"{tag}\"]\n\n{mate}{text}\n")).unwrap_err(), message);
    }
    let bare = read_chess(&format!("1. e4 *\n{mate}\n1-0\n")).unwrap_err();
    assert_eq!(bare, "line 3: by the rules Black wins, by the file White wins");
    let stalemate = "[FEN \"7k/5Q2/8/8/8/8/8/K7 b - - 0 1\"]\n[Result \"1-0\"]\n\n1-0\n";
    assert_eq!(read_chess(stalemate).unwrap_err(), "line 1: by the rules the game is drawn, by the file White wins");
    assert!(read_chess(&format!("[Result \"0-1\"]\n\n{mate}0-1\n")).is_ok());
    assert!(read_chess("[Result \"1-0\"]\n\n1. e4 e5 1-0\n").is_ok(), "a player may resign");
    let cut = read(format!("[Result \"1-0\"]\n\n{mate}1-0\n").as_bytes(), &chess(), 3);
    assert!(cut.is_ok(), "what is cut off does not matter");
}

#[test]
fn games_without_tags_and_results_begin_with_move_one() {
    let plies =
        |text: &str| -> Vec<usize> { read_chess(text).unwrap().iter().map(|game| game.actions.len()).collect() };
    assert_eq!(plies("1. e4 e5\n\n1. d4 d5 2. c4\n1.Nf3\n"), [2, 3, 1]);
    assert_eq!(plies("1. e4 1... e5 2. Nf3 (1. d4 d5) { 1. c4 } 2... Nc6"), [4]);
    assert_eq!(plies("1. e4 e5 1-0\n1. d4 *\n"), [2, 1]);
    assert_eq!(plies("1. e4 1. e5 2. Nf3 2. Nc6"), [4], "each side has its number");
    assert_eq!(plies("1. e4\r\n1. d4\r1. c4"), [1, 1, 1], "one ply each");
    assert_eq!(plies("1. e4 e5 1. d4 d5"), [2, 2]);
    let error = read_chess("1. e4 e5\n1. d5\n").unwrap_err();
    assert_eq!(error, "line 2: move 1, d5, is not legal");
}

#[test]
fn dots_of_a_reply_begin_no_game() {
    let plies =
        |text: &str| -> Vec<usize> { read_chess(text).unwrap().iter().map(|game| game.actions.len()).collect() };
    for reply in ["1. ... e5", "1... e5", "1. \u{2026} e5", "1. ...e5", "1.\n... e5", "1.\u{2026} e5"] {
        assert_eq!(plies(&format!("1. e4 {{the centre}}\n{reply} 2. Nf3 *")), [3], "{reply}");
    }
    assert_eq!(plies("1. e4 {c}\n1. d4 d5 2. c4 *\n1. c4\n1.\nNf3 *"), [1, 3, 1, 1], "games begin");
    let text = "1. H8 {the centre}\n1. ... H9 2. J9 J10 *";
    let gomoku: GameSpec = serde_json::from_str(r#"{"gomoku":{"size":15}}"#).unwrap();
    assert_eq!(read(text.as_bytes(), &gomoku, 9).unwrap()[0].actions.len(), 4);
}

/// Every one of several joined files may have a mark, and a file on a disk that lost its power NUL bytes.
#[test]
fn marks_and_zeros_between_games_are_no_moves() {
    for between in ["\u{feff}", "\0\0\0\0", "\u{feff}\u{feff}", "\0\n\0 "] {
        let [fine, next] = [game("A", "B", "1-0"), game("B", "A", "0-1")];
        for mark in ["", "\u{feff}"] {
            let found = games([mark, &fine, between, &next].concat().as_bytes());
            assert!(matches!(&found[..], [Ok(one), Ok(two)] if one.0 == "A" && two.0 == "B"), "{found:?}");
            let found = games([mark, &fine.replace("e5 1-0", "e5 0-1"), between, &next].concat().as_bytes());
            assert!(matches!(&found[..], [Err((6, what)), Ok(_)] if what.contains("but the tag Result")), "{found:?}");
        }
        let unplayed = [&fine.replace("1. e4 e5 1-0", ""), between, &next].concat();
        let mut reader = PgnReader::new(unplayed.as_bytes()).with_moves();
        assert!(reader.next_game().unwrap().unwrap().is_unplayed, "{between:?}");
        assert!(!reader.breaks_off());
        assert_eq!(reader.next_game().unwrap().unwrap().moves, "e4 e5");
    }
    assert_eq!(moves("1. e4 e5\n\u{feff}2. Nf3 *"), "e4 e5 Nf3");
}

#[test]
fn a_bad_position_is_named_with_its_line() {
    let error = read_chess("[Event \"x\"]\n[Site \"y\"]\n[FEN \"8/8\"]\n\n1. e4 *\n").unwrap_err();
    assert!(error.starts_with("line 3: "), "{error}");
}

#[test]
fn castling_has_any_dash() {
    for castling in ["O\u{2013}O", "0\u{2013}0", "o\u{2212}o", "O-O"] {
        let text = format!("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. {castling} *");
        assert_eq!(read_chess(&text).map(|games| games[0].actions.len()), Ok(7), "{castling}");
    }
}

#[test]
fn tags_and_moves_may_share_a_line() {
    let one = "[White \"A\"] [Black \"B\"] [Result \"1-0\"] 1. e4 e5 2. Nf3 1-0";
    let two = "[White \"B\"][Black \"A\"][Result \"0-1\"]1. d4 {[Event \"x\"]} d5 0-1";
    for between in ["\n", " ", "\n\n", "\r", "\u{feff}"] {
        let text = format!("{one}{between}{two}{between}");
        let found = games(text.as_bytes());
        let names: Vec<_> = found.iter().map(|found| found.as_ref().map(|game| (game.0.as_str(), game.2))).collect();
        let (first, second) = (Outcome::Win(Side::First), Outcome::Win(Side::Second));
        assert_eq!(names, [Ok(("A", first)), Ok(("B", second))], "{between:?}");
        let transcripts = read_chess(&text).unwrap();
        assert_eq!(transcripts.iter().map(|game| game.actions.len()).collect::<Vec<_>>(), [3, 2]);
    }
    // Comments may stand between tags.
    let text = "[White \"A\"] {[White \"x\"]\n} [Black \"B\"] ; x\n\n[Result \"1-0\"] ; [Event \"y\"]\n1. e4\n@ 1-0\n";
    assert!(matches!(&games(text.as_bytes())[..], [Ok(game)] if game.0 == "A" && game.3 == 1));
    assert_eq!(streamed(text).unwrap_err().0, 6, "the line is right");
    assert_eq!(streamed(&text.replace('@', "")).unwrap(), "e4");
}

#[test]
fn small_chess_names_its_variant() {
    let chess = |size: u32| serde_json::from_str::<GameSpec>(&format!(r#"{{"chess":{{"size":{size}}}}}"#)).unwrap();
    let written = |spec: GameSpec| {
        let record = Record::new(0, [0, 1], Vec::new(), Outcome::Draw);
        write(&RecordsHeader::new(spec, vec!["A".into(), "B".into()]), [&record]).unwrap()
    };
    assert!(written(chess(5)).contains("[Variant \"Gardner\"]") && !written(chess(8)).contains("Variant"));
}

#[test]
fn other_rules_than_those_of_chess_are_refused() {
    let text = |variant: &str| format!("[Event \"x\"]\n[Variant \"{variant}\"]\n\n1. e4 e5 *\n");
    for standard in ["Standard", "standard", "Chess", "NORMAL", "From Position", "from-position", "Classical", "?", ""]
    {
        assert_eq!(read_chess(&text(standard)).map(|games| games.len()), Ok(1), "{standard}");
    }
    for other in ["Crazyhouse", "Atomic", "King of the Hill", "Three-check", "suicide", "Gardner"] {
        let wanted = format!("line 2: this is a game of {other:?} (tag Variant), not of chess 8x8");
        assert_eq!(read_chess(&text(other)).unwrap_err(), wanted);
    }
    for shuffled in ["Chess960", "chess 960", "Fischerandom", "Fischer Random"] {
        let error = read_chess(&text(shuffled)).unwrap_err();
        assert!(error.contains("castling is not read") && error.starts_with("line 2: "), "{error}");
    }
    let small: GameSpec = serde_json::from_str(r#"{"chess":{"size":5}}"#).unwrap();
    assert!(read(b"[Variant \"Gardner\"]\n\n1. b3 *", &small, 9).is_ok());
    assert!(read(b"[Variant \"Renju\"]\n\n1. a1 *", &gomoku(), 9).is_ok(), "the tag is one of chess");
    let found = games(game("A", "B", "1-0").replace("[Event", "[Variant \"Crazyhouse\"]\n[Event").as_bytes());
    assert!(found[0].is_ok(), "games of any rules can be rated");
}

#[test]
fn castling_of_chess960_says_why_it_is_not_read() {
    for fen in ["1k1r3r/8/8/8/8/8/8/1K1R3R w KQkq - 0 1", "1k1r3r/8/8/8/8/8/8/1K1R3R w HDhd - 0 1"] {
        let error = read_chess(&format!("[FEN \"{fen}\"]\n\n1. O-O *\n")).unwrap_err();
        assert!(error.contains("Chess960 is not read"), "{error}");
    }
    // The same squares as in chess, named by their files.
    let fen = "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1\"]\n\n1. O-O O-O-O *\n";
    assert_eq!(moves(fen), "O-O O-O-O");
}

#[test]
fn names_of_tags_may_have_signs() {
    let text =
        game("A", "B", "1-0").replace("[Event \"x\"]", "[BlackType: \"x\"]\n[White-Elo \"1\"]\n[\u{11a}lo: \"1\"]");
    assert!(matches!(&games(text.as_bytes())[..], [Ok(game)] if game.0 == "A"));
    let text = game("A", "B", "1-0").replace("[White ", "[White: ");
    assert!(matches!(&games(text.as_bytes())[..], [Ok(game)] if game.0 == "A"));
}

#[test]
fn a_pawn_that_promotes_names_its_piece() {
    let text = |word: &str| format!("[FEN \"3r3k/2P5/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. {word} *\n");
    for (word, written) in
        [("c8", "c8=Q"), ("cxd8", "cxd8=Q"), ("c7xd8+", "c7xd8=Q"), ("Pc8", "Pc8=Q"), ("c7-c8", "c7-c8=Q")]
    {
        let error = read_chess(&text(word)).unwrap_err();
        assert_eq!(error, format!("line 3: move 1, {word}, lacks the piece that the pawn becomes: {written}"));
    }
    for (word, written) in
        [("c8=Q", "c8=Q"), ("c8R", "c8=R"), ("cxd8=N", "cxd8=N"), ("c7c8", "c8=Q"), ("c7c8n", "c8=N")]
    {
        assert_eq!(moves(&text(word)), written);
    }
    for (word, written) in [
        ("c8(Q)", "c8=Q"),
        ("c8(Q)+", "c8=Q"),
        ("cxd8(n)", "cxd8=N"),
        ("c7-c8(R)!", "c8=R"),
        ("1.c8(\u{2655})", "c8=Q"),
        ("c8=(Q)", "c8=Q"),
        ("c8=Q(N)", "c8=Q"),
        ("c8=Q(1. c8R)", "c8=Q"),
    ] {
        assert_eq!(moves(&text(word)), written, "{word}");
    }
    assert_eq!(moves("1. e4 e5 2. Ke2 Ke7 3. Ke1(D) Ke8(3... d6) *"), "e4 e5 Ke2 Ke7 Ke1 Ke8", "variations");
    assert_eq!(read_chess(&text("Kd8")).unwrap_err(), "line 3: move 1, Kd8, is not legal");
}

#[test]
fn a_forced_pass_need_not_be_written() {
    let othello: GameSpec = serde_json::from_str(r#"{"othello":{"size":6}}"#).unwrap();
    let (game, spec) = (othello.build(), othello);
    let mut skipped = 0;
    for seed in 0..40 {
        let record = played(&spec, seed, usize::MAX, false);
        let mut position = game.start();
        let mut words = Vec::new();
        for &action in &record.actions {
            words.push(game.write_move(&*position, action));
            position.play(action);
        }
        let written = words.iter().filter(|word| *word != "pass").cloned().collect::<Vec<_>>();
        skipped += words.len() - written.len();
        let games = read(written.join(" ").as_bytes(), &spec, usize::MAX).unwrap();
        assert_eq!(games[0].actions, record.actions);
        let cut = read(written.join(" ").as_bytes(), &spec, words.len() - 2).unwrap();
        assert_eq!(cut[0].actions, record.actions[..words.len() - 2]);
    }
    assert!(skipped > 5, "only {skipped} passes");
}

/// A text with these line ends in turn. A CR before an empty line would form one line end with the LF after it.
fn with_ends(text: &str, ends: &[&str]) -> String {
    let (mut ended, mut ends) = (String::new(), ends.iter().cycle());
    for line in text.split_inclusive('\n') {
        let end = ends.next().unwrap();
        let joins = line == "\n" && ended.ends_with('\r') && *end == "\n";
        ended += &line.replace('\n', if joins { "\r" } else { end });
    }
    ended
}

#[test]
fn a_bracket_ends_a_word_wherever_the_buffer_ends() {
    let text = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. a1 }[ 1-0\n";
    let whole = streamed_games(text.as_bytes(), usize::MAX);
    assert!(matches!(&whole[..], [(Err((5, what)), _)] if what.starts_with("\"}\" is not a move")), "{whole:?}");
    (1..40).for_each(|size| assert_eq!(streamed_games(text.as_bytes(), size), whole, "{size}"));
}

fn streamed_games(bytes: &[u8], size: usize) -> Vec<(Found, String)> {
    let mut reader = PgnReader::new(Drops(bytes, size)).with_moves();
    let mut games = Vec::new();
    loop {
        match reader.next_game() {
            Ok(None) => return games,
            Ok(Some(game)) => {
                let found = (game.first.into(), game.second.into(), game.outcome, game.line);
                games.push((Ok(found), game.moves.to_owned()));
            }
            Err(PgnError::Bad { line, what }) => games.push((Err((line, what)), String::new())),
            Err(error) => panic!("{error}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn line_ends_of_every_kind_give_the_same_games(
        at in 0..GameSpec::examples().len(), seed: u64, bad in "[a-e1-9 (){};\n%\\[\"@]{0,20}", size in 1..40_usize,
        ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r"]), 1..5),
    ) {
        let spec = GameSpec::examples().swap_remove(at);
        let record = played(&spec, seed, 30, false);
        let header = RecordsHeader::new(spec.clone(), vec!["a".to_owned(), "b".to_owned()]);
        let text = write(&header, [&record, &record]).unwrap();
        let text = format!("{text}{}\n{bad}\n\n{text}", "1. a1 {a\n\nb} ; c\n% d\n");
        let wanted = streamed_games(text.as_bytes(), usize::MAX);
        let ended = with_ends(&text, &ends);
        prop_assert_eq!(&streamed_games(ended.as_bytes(), size), &wanted);
        let whole = |text: &str| read(text.as_bytes(), &spec, 5).map_err(|error| error.to_string());
        prop_assert_eq!(whole(&ended), whole(&text));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in "[\\[\"{}();%*A-Ea-e0-9 .\r\n$\u{2658}\u{fe0e}\\\\-]{0,80}|\\PC{0,40}", size in 1..9_usize) {
        let _ = streamed_games(bytes.as_bytes(), size);
        let _ = read(bytes.as_bytes(), &chess(), usize::MAX);
        let mut cut = bytes.into_bytes();
        cut.pop();
        let _ = streamed_games(&cut, size);
    }
}

#[test]
fn line_separators_of_unicode_are_white_space() {
    let tags = |names: [&str; 2], result: &str| {
        format!("[Event \"a\"]\n[White \"{}\"]\n[Black \"{}\"]\n[Result \"{result}\"]\n\n", names[0], names[1])
    };
    let moves = ["1. e4 e5\n2. Nf3\n1-0\n\n", "1. d4 {a\nnote} d5\n*\n"];
    let [one, other] = [tags(["x", "y"], "1-0") + moves[0], tags(["y", "x"], "0-1") + &moves[1].replace('*', "0-1")];
    for separator in ["\n", "\u{85}", "\u{2028}", "\u{2029}", "\u{85}\n"] {
        let text = (one.clone() + &other).replace('\n', separator);
        let mut reader = PgnReader::new(text.as_bytes()).with_moves();
        for (first, winner, moves) in [("x", Side::First, "e4 e5 Nf3"), ("y", Side::Second, "d4 d5")] {
            let game = reader.next_game().unwrap().expect(separator);
            assert_eq!((game.first, game.outcome, game.moves), (first, Outcome::Win(winner), moves), "{separator:?}");
            assert!(!reader.breaks_off(), "{separator:?}");
        }
        assert!(reader.next_game().unwrap().is_none());
        let torn = (tags(["x", "y"], "0-1") + moves[0]).replace('\n', separator);
        let error = PgnReader::new(torn.as_bytes()).next_game().unwrap_err().to_string();
        assert!(error.contains("the moves end with \"1-0\", but the tag Result says \"0-1\""), "{error}");
        let unplayed = tags(["x", "y"], "1-0").replace('\n', separator) + "1-0" + separator;
        assert!(PgnReader::new(unplayed.as_bytes()).next_game().unwrap().unwrap().is_unplayed);
    }
    let text = tags(["a\u{2028}b", "y"], "1-0") + moves[0];
    assert_eq!(PgnReader::new(text.as_bytes()).next_game().unwrap().unwrap().first, "a\u{2028}b");
}
