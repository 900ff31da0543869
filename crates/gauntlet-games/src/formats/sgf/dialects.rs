//! Tests of SGF as other programs and servers write it.

use proptest::prelude::*;
use serde_json::json;

use super::super::records::RecordsHeader;
use super::tests::{gomoku, played, spec, stone_games};
use super::*;
use crate::base::{Action, Outcome, Side};

fn go(size: u8) -> GameSpec {
    spec(&format!("{{\"go\":{{\"size\":{size}}}}}"))
}

/// The first game of a text, read in full.
fn one(text: &str, spec: &GameSpec) -> Result<Transcript, String> {
    first(text, spec, usize::MAX)
}

fn first(text: &str, spec: &GameSpec, most: usize) -> Result<Transcript, String> {
    read(text.as_bytes(), spec, most).map(|mut games| games.remove(0)).map_err(|error| error.to_string())
}

fn actions(text: &str, spec: &GameSpec) -> Vec<u32> {
    one(text, spec).unwrap().actions.into_iter().map(|Action(action)| action).collect()
}

#[test]
fn what_lies_beyond_the_wanted_plies_does_not_matter() {
    let game = |rest: &str| format!("(;GM[1]SZ[5]KM[7.5]RE[W+30.5];B[ab];W[ba];B[bb];W[ac]{rest})");
    for rest in [
        "",
        // White's stones are dead and stay on the board.
        ";B[bc];W[];B[ca];W[];B[]",
        ";B[];W[];B[ee];W[dd]",
        // Suicide, an occupied point, not a point, two moves of one side, two in a node.
        ";B[aa]",
        ";B[ab]",
        ";B[zz]",
        ";W[ee]",
        ";B[cc]W[dd]",
        ";B[cc][dd]",
        ";AB[ee]AW[dd]",
        ";AE[ab]",
    ] {
        let read = first(&game(rest), &go(5), 4).unwrap();
        assert_eq!(read.actions, [5, 1, 6, 10].map(Action), "{rest}");
        assert_eq!(read.outcome.is_some(), rest.is_empty(), "the end of a game that is cut off is not known");
    }
    assert!(one(&game(";B[zz]"), &go(5)).is_err());
    let wrong = one(&game(";B[];W[]").replace("W+30.5", "B+9"), &go(5)).unwrap_err();
    let advice = "dead stones count as alive here, and with `plies` the first moves alone are read";
    assert_eq!(wrong, format!("line 1: by the rules White wins, by the file Black wins; {advice}"));
}

#[test]
fn a_result_for_another_komi_is_the_file_s() {
    let rows = "B[ac];W[ad];B[bc];W[bd];B[cc];W[cd];B[dc];W[dd];B[ec];W[ed];B[];W[]";
    let game = |root: &str| one(&format!("(;GM[1]SZ[5]{root};{rows})"), &go(5));
    let (black, white) = (Some(Outcome::Win(Side::First)), Some(Outcome::Win(Side::Second)));
    for (root, outcome) in [
        ("KM[0.5]RE[B+4.5]", black),
        ("KM[6,5]RE[W+1.5]", white),
        ("KM[0]RE[B+5]", black),
        ("KM[7.5]RE[W+2.5]", white),
        ("KM[0.5]", white),
        ("KM[]RE[who knows]", white),
        ("RE[W+2.5]", white),
    ] {
        assert_eq!(game(root).unwrap().outcome, outcome, "{root}");
    }
    for root in ["KM[7.5]RE[B+4.5]", "RE[B+4.5]", "KM[?]RE[B+4.5]", "KM[7.50]RE[0]"] {
        assert!(game(root).unwrap_err().starts_with("line 1: by the rules White wins, by the file "), "{root}");
    }
}

#[test]
fn tt_is_a_pass_on_boards_that_have_no_such_point() {
    assert_eq!(actions("(;GM[1]SZ[9];B[cc];W[tt];B[ee];W[])", &go(9)), [20, 81, 40, 81]);
    assert_eq!(actions("(;GM[1]SZ[19];B[tt];W[ss])", &go(19)), [361, 360]);
    assert_eq!(actions("(;GM[1]SZ[21];B[tt];W[ss])", &go(21)), [19 * 21 + 19, 18 * 21 + 18]);
    assert!(
        one("(;GM[4]SZ[7];B[tt])", &gomoku()).unwrap_err().contains("a point of the board"),
        "a game without passes"
    );
}

#[test]
fn results_in_any_words_are_read() {
    for result in
        ["White wins", "1-0", "B+", "Black+Resign", "?", "", "unfinished", "\u{9ed1}\u{80dc}", "W+T\\]", "]RE["]
    {
        let text = format!("(;GM[1]SZ[9]RE[{result}];B[cc];W[ee])");
        assert_eq!(actions(&text, &go(9)), [20, 40], "{result}");
    }
}

#[test]
fn passes_after_the_end_are_skipped_and_moves_are_refused() {
    let ended = one("(;GM[1]SZ[9]RE[B+72.5];B[ee];W[];B[];W[tt])", &go(9)).unwrap();
    assert_eq!(ended.actions.len(), 3);
    let error = one("(;GM[1]SZ[9];B[ee]\n;W[];B[]\n;W[dd])", &go(9)).unwrap_err().to_string();
    assert_eq!(error, "line 3: move 4, D6, comes after the end of the game by the rules of go 9x9 komi 7.5");
}

/// As GTP's `loadsgf` does.
#[test]
fn the_first_game_is_read_under_its_own_size_and_komi() {
    let first = |text: &str| read_first(text.as_bytes(), &go(9), 99).map(|(spec, game)| (json!(spec), game));
    let (spec, game) = first("(;GM[1]SZ[5]KM[6,5]RE[W+R];B[cc];W[];B[];W[])(;GM[1]SZ[7])").unwrap();
    assert_eq!((&spec["go"]["size"], &spec["go"]["komi"]), (&json!(5), &json!(6.5)));
    assert_eq!((game.actions.len(), game.outcome), (3, Some(Outcome::Win(Side::Second))), "dead stones were removed");
    let (spec, _) = first("(;GM[1];B[pd];W[dp])").unwrap();
    assert_eq!(spec["go"]["size"], json!(19), "the size without SZ");
    for (komi, wanted) in [("5.75", 5.5), ("6.25", 6.5), ("-0.25", -0.5), ("6.9", 6.5)] {
        let (spec, _) = first(&format!("(;GM[1]SZ[5]KM[{komi}];B[cc])")).unwrap();
        assert_eq!(spec["go"]["komi"], json!(wanted), "{komi}");
    }
    for komi in ["abc", "1e1", "NaN", "inf", "6.5.1", "99999"] {
        let error = first(&format!("(;GM[1]SZ[5]\nKM[{komi}];B[cc])")).unwrap_err().to_string();
        assert!(error.starts_with("line 2: ") && error.contains("komi"), "{komi}: {error}");
    }
    assert_eq!(first("(;GM[1]SZ[5]KM[];B[cc])").unwrap().0, json!(go(5)));
    assert!(first("").unwrap_err().to_string().starts_with("line 1: "));
    assert!(first("(;GM[2];B[cc])").is_err());
}

#[test]
fn stones_are_set_up_in_any_node_before_the_first_move() {
    let start = |text: &str| one(text, &go(9)).unwrap().start;
    let wanted = Some("9/9/2x6/9/9/9/6o2/9/9 x".to_owned());
    for text in [
        "(;GM[1]SZ[9]AB[cc]AW[gg]PL[B];B[ee];W[dd])",
        "(;GM[1]SZ[9];AB[cc]AW[gg]PL[B];B[ee];W[dd])",
        "(;GM[1]SZ[9]AB[cc];C[x];AW[gg];PL[black];B[ee];W[dd])",
        "(;GM[1]SZ[9]AB[cc][dd]AW[gg];AE[dd]PL[B];B[ee])",
        "(;GM[1]SZ[9]AB[cc]B[ee]AW[gg];W[dd])",
        "(;GM[1]SZ[9]AB[cc]AW[gg]PL[B])",
    ] {
        assert_eq!(start(text), wanted, "{text}");
    }
    let rectangle = Some("9/1xx6/1xx6/9/9/9/9/9/9 x".to_owned());
    for corners in ["bb:cc", "cc:bb", "bc:cb", "cb:bc"] {
        assert_eq!(start(&format!("(;GM[1]SZ[9]PL[B]AB[{corners}];B[ee])")), rectangle, "{corners}");
    }
    let cleared = one("(;GM[1]SZ[9]AE[aa];B[aa])", &go(9)).unwrap();
    assert_eq!((cleared.start, cleared.actions), (None, vec![Action(0)]));
}

#[test]
fn a_property_that_comes_twice_has_the_values_of_both() {
    let text = "(;GM[1]FF[4]SZ[9]HA[2]KM[0]AB[cg]AB[gc]C[one]C[two];W[ee];B[cc])";
    let read = one(text, &go(9)).unwrap();
    assert_eq!(read.start.as_deref(), Some("9/9/6x2/9/9/9/2x6/9/9 o"));
    assert_eq!(read.actions, [40, 20].map(Action));
}

#[test]
fn the_stones_of_a_handicap_may_be_moves() {
    let read = one("(;GM[1]SZ[9]HA[2];B[cg];C[x];B[gc];W[ee];B[cc])", &go(9)).unwrap();
    assert_eq!(read.start.as_deref(), Some("9/9/6x2/9/9/9/2x6/9/9 o"));
    assert_eq!(read.actions, [40, 20].map(Action));
    let plain = one("(;GM[1]SZ[9]HA[2];B[cg];W[ee])", &go(9)).unwrap();
    assert_eq!((plain.start, plain.actions.len()), (None, 2), "nobody is given stones");
    for text in ["(;GM[1]SZ[9]HA[0];B[cg];W[ee])", "(;GM[1]SZ[9]HA[1];B[cg];W[ee])", "(;GM[1]SZ[9]HA[];B[cg];W[ee])"] {
        assert_eq!(one(text, &go(9)).unwrap().actions.len(), 2, "{text}");
    }
    let lost = one("(;GM[1]SZ[9]\nHA[2];W[ee])", &go(9)).unwrap_err();
    assert_eq!(lost, "line 2: HA says that Black is given 2 stones, and no AB says where they stand");
    let white = one("(;GM[1]SZ[9];W[ee];B[cc])", &go(9)).unwrap();
    assert_eq!(white.start.as_deref(), Some("9/9/9/9/9/9/9/9/9 o"), "who moves first begins");
}

#[test]
fn a_torn_game_hides_no_other_one() {
    let whole = "(;GM[1]SZ[9]PB[a]C[it (;ends\\] here];B[cc])";
    assert_eq!(read(whole.repeat(2).as_bytes(), &go(9), 9).unwrap().len(), 2);
    for cut in (1..whole.len()).filter(|cut| whole.is_char_boundary(*cut)) {
        for between in ["", "\n"] {
            let text = format!("{whole}\n{}{between}{whole}{whole}", &whole[..cut]);
            let found: Vec<bool> = Trees::new(&text).map(|tree| tree.is_ok()).collect();
            let wanted: &[bool] = if cut < 4 { &[true, true, true] } else { &[true, false, true, true] };
            assert!(found == wanted || found == [true, false, true, true], "{cut}: {found:?} in {text}");
        }
    }
}

#[test]
fn text_around_the_trees_is_passed_over() {
    let tree = "(;GM[1]SZ[9];B[cc])";
    for text in [
        format!("From: server (x)\nSubject: game :-)\n\n{tree}"),
        format!("{tree}\n-- \nend (of file)\u{1a}"),
        format!("; (\n( \n{tree}"),
    ] {
        assert_eq!(actions(&text, &go(9)), [20], "{text}");
    }
    let two = read(format!("1. {tree} and 2. ( {}", &tree[1..]).as_bytes(), &go(9), 9).unwrap();
    assert_eq!(two.len(), 2);
    let late = one("From: x\n\n(;GM[1]SZ[9]\n;B[zz])", &go(9)).unwrap_err();
    assert!(late.starts_with("line 4: "), "{late}");
    let none = one("no games (at all)\n", &go(9)).unwrap_err();
    assert_eq!(none, "line 2: expected `(;`, found the end of the file");
}

#[test]
fn a_board_that_is_not_square_is_named() {
    for size in ["9:7", "9 : 7"] {
        let error = one(&format!("(;GM[1]SZ[{size}];B[cc])"), &go(9)).unwrap_err();
        let wanted = "line 1: this is a game of 9 columns and 7 rows (boards are square here), not of go 9x9 komi 7.5";
        assert_eq!(error, wanted);
    }
    assert!(one("(;GM[1]SZ[9:9];B[cc])", &go(9)).is_ok());
}

#[test]
fn a_forced_pass_of_othello_need_not_be_written() {
    let spec = spec(r#"{"othello":{"size":6}}"#);
    let mut skipped = 0;
    for seed in 0..40 {
        let record = played(&spec, seed, usize::MAX);
        let text = write(&RecordsHeader::new(spec.clone(), vec!["a".into(), "b".into()]), [&record]).unwrap();
        let silent = text.replace(";B[]", "").replace(";W[]", "");
        skipped += (text.len() - silent.len()) / 4;
        let same = one(&silent, &spec).unwrap();
        assert_eq!((&same.actions, same.outcome), (&record.actions, Some(record.outcome)));
        let most = record.actions.len() - 2;
        assert_eq!(first(&silent, &spec, most).unwrap().actions, record.actions[..most]);
    }
    assert!(skipped > 5, "only {skipped} passes");
    let wrong = one("(;GM[2]SZ[6];B[cb];B[bc])", &spec).unwrap_err();
    assert!(wrong.contains("a move of the other side"), "{wrong}");
}

#[test]
fn names_are_read_in_their_encoding() {
    let name = |bytes: &[u8]| read(bytes, &go(9), 1).unwrap().remove(0).names[0].clone();
    assert_eq!(name(b"(;GM[1]SZ[9]CA[ISO-8859-1]PB[J\xf6rg];B[cc])"), "Jörg");
    assert_eq!(name(b"(;GM[1]SZ[9]PB[J\xf6rg Gr\xfcn];B[cc])"), "Jörg Grün");
    assert_eq!(name(b"(;GM[1]SZ[9]CA[Shift_JIS]PB[\x83\x5c\x83\x5d];B[cc])"), "ソゾ", "bytes like `\\` and `]`");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn line_ends_of_every_kind_give_the_same_games(
        at in 0..stone_games().len(), seed: u64, ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r"]), 1..5),
        bad in "[;BW\\[\\]a-c(\n]{0,6}",
    ) {
        let spec = stone_games().swap_remove(at);
        let record = played(&spec, seed, 20);
        let header = RecordsHeader::new(spec.clone(), vec!["a b".to_owned(), "c d".to_owned()]);
        let text = write(&header, [&record]).unwrap().replace("a b", "a\nb\\\nc").replace(';', "\n;") + &bad;
        let mut turns = ends.iter().cycle();
        let parts: Vec<&str> = text.split('\n').collect();
        let mut ended = String::new();
        for (at, part) in parts.iter().enumerate() {
            ended += part;
            if at + 1 < parts.len() {
                let end = turns.next().unwrap();
                let joins = part.is_empty() && ended.ends_with('\r') && *end == "\n";
                ended += if joins { "\r" } else { end };
            }
        }
        prop_assert_eq!(one(&ended, &spec), one(&text, &spec), "{:?}", ended);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in "[(;)ABWEHKMPRSZLCat0-9\\[\\]:\\\\ \r\n]{0,80}", more: Vec<u8>, most in 0..5_usize) {
        for spec in [gomoku(), go(9), spec(r#"{"othello":{"size":6}}"#)] {
            let _ = read(bytes.as_bytes(), &spec, most);
            let _ = read(&[b"(;GM[1]SZ[9]", bytes.as_bytes(), &more].concat(), &spec, most);
        }
    }
}
