//! Tests of every result format and its faults.

use super::*;

/// Reads a text from a file of its own.
pub(super) fn read_text(text: &[u8], skip_bad: bool) -> Result<(GameResults, ReadFile), BadInput> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("games");
    std::fs::write(&path, text).expect("written");
    let mut results = GameResults::default();
    let source = read(path.to_str().expect("plain"), Reading { skip_bad, ..Reading::default() }, &mut results)?;
    Ok((results, source))
}

/// The number of distinct games in a PGN.
fn distinct(pgn: &str) -> Option<usize> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("games");
    std::fs::write(&path, pgn).expect("written");
    let mut results = GameResults::default();
    read(path.to_str().expect("plain"), Reading { moves: true, ..Reading::default() }, &mut results).expect("fine");
    results.distinct_games()
}

fn game(white: &str, black: &str, result: &str) -> String {
    format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 {result}\n\n")
}

/// The first line of records.
const HEADER: &str = "{\"records\":1,\"game\":{\"gomoku\":{\"size\":5}},\"players\":[\"A\",\"B\"]}\n";

/// A record whose first action is its opening.
fn record(game: usize, players: [usize; 2], actions: &[u32], outcome: &str) -> String {
    let opening = usize::from(!actions.is_empty());
    format!(
        "{{\"game\":{game},\"players\":{players:?},\"actions\":{actions:?},\"opening\":{opening},\"outcome\":{outcome}}}\n"
    )
}

#[test]
fn two_games_with_one_opening_and_swapped_colours_are_a_pair() {
    let (first, draw) = ("{\"win\":\"first\"}", "\"draw\"");
    let games = [
        record(0, [0, 1], &[1, 2], first),
        record(1, [1, 0], &[1, 7], draw),
        // Another opening, the same colours, other numbers: games of their own.
        record(2, [0, 1], &[1, 2], draw),
        record(3, [1, 0], &[2, 2 + 1], first),
        record(4, [0, 1], &[1], draw),
        record(5, [0, 1], &[1], draw),
        record(7, [0, 1], &[1], draw),
        record(8, [1, 0], &[1], draw),
    ];
    let (results, source) = read_text([HEADER.to_owned(), games.concat()].concat().as_bytes(), false).expect("fine");
    assert_eq!((source.format, source.games), ("records", 8));
    assert_eq!(results.pairs, BTreeMap::from([(([0, 1], [0, 1]), 1)]));
    assert_eq!(results.coloured, BTreeMap::from([([0, 1], [0, 4, 0]), ([1, 0], [1, 1, 0])]));
}

#[test]
fn every_format_counts_the_same_match() {
    let pgn = [game("A", "B", "1-0"), game("B", "A", "1/2-1/2"), game("B", "A", "1-0")].concat();
    let first = "{\"win\":\"first\"}";
    let (one, two) = (record(0, [0, 1], &[1, 2], first), record(2, [1, 0], &[1, 2], "\"draw\""));
    let records = [HEADER, &one, &two, &record(4, [1, 0], &[1, 2], first)].concat();
    for (format, text) in [("PGN", pgn), ("records", records)] {
        let (results, source) = read_text(text.as_bytes(), false).expect("fine");
        assert_eq!((source.format, source.games, source.skipped), (format, 3, 0));
        assert_eq!(results.coloured, BTreeMap::from([([0, 1], [1, 0, 0]), ([1, 0], [1, 1, 0])]), "{format}");
    }
    let csv =
        "wins_a,draws,losses_a,player_b,player_a,note\r\n1,1,1,\"B, \"\"the\"\"\",A,\"two\nlines\"\r\n\n2,0,0,A,C,\n";
    let rankings = r#"{"results": {"A": {"B": [1, 1, 1], "C": [0, 0, 2]}, "B": {"A": [1, 1, 1]}}}"#;
    for (format, text, second) in [("CSV", csv, "B, \"the\""), ("rankings", rankings, "B")] {
        let (results, source) = read_text(text.as_bytes(), false).expect("fine");
        assert_eq!((source.format, source.games), (format, 5));
        assert_eq!((results.players()[0].as_str(), results.players()[1].as_str()), ("A", second));
        assert_eq!(results.uncoloured[&[0, 1]], [1, 1, 1]);
        assert_eq!(results.uncoloured[&[0, 2]], [0, 0, 2]);
    }
}

#[test]
fn a_quote_within_a_field_is_a_letter() {
    let csv = "white,black,result,date\nBob \"x,carol,1-0,2020\nalice,Bob \"x,0-1,2021\ncarol,alice,1-0,2022\n";
    let (results, source) = read_text(csv.as_bytes(), false).expect("fine");
    assert_eq!((source.games, results.players()), (3, &["Bob \"x", "carol", "alice"].map(str::to_owned)[..]));
    let open = "white,black,result\na,b,1-0\n\"a,b,0-1\nb,a,1-0\n";
    let found = read_text(open.as_bytes(), false).unwrap_err();
    assert_eq!((found.line, found.what.as_str()), (Some(3), "a quote is never closed"));
}

#[test]
fn what_is_wrong_is_said_with_file_line_and_count() {
    let fine = game("A", "B", "1-0");
    let record = record(0, [0, 1], &[], "\"draw\"");
    let head = "player_a,player_b,wins_a,draws,losses_a\nA,B,1,0,2\n";
    let per_game = "white,black,result\nA,B,1-0\n";
    let cases: [(String, u64, &str, u64); 26] = [
        (format!("{fine}[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n"), 7, "no Result tag", 1),
        (format!("{fine}{}", game("A", "B", "2-0")), 7, "unknown result \"2-0\"", 1),
        (format!("{fine}{}", game("A", "A", "1-0")), 7, "plays against itself", 1),
        ("\u{7f}ELF\0\0\0".to_owned(), 1, "binary", 0),
        ("just words\n".to_owned(), 1, "not PGN", 0),
        (String::new(), 1, "empty", 0),
        (format!("{head}A,B,-1,0,0\n"), 3, "`wins_a` is \"-1\", which is negative", 3),
        (format!("{head}A,B,1,0.5,0\n"), 3, "`draws` is \"0.5\", which is not a whole number", 3),
        (format!("{head}A,A,1,0,0\n"), 3, "\"A\" plays against itself", 3),
        (format!("{head}A,B,1\n"), 3, "`draws` is missing", 3),
        (format!("{head}{},B,1,0,0\n", "A".repeat(1 << 20)), 3, "longer than any row", 3),
        ("a,b\n1,2\n".to_owned(), 1, "no column `player_a`", 0),
        ("\n\na,b\n1,2\n".to_owned(), 3, "no column `player_a`", 0),
        (head.replace("wins_a", "draws,wins_a"), 1, "two columns `draws`", 0),
        (format!("{per_game}A,B,2-0\n"), 3, "`result` is \"2-0\", and not 1-0, 0-1 or 1/2-1/2", 1),
        (format!("{per_game}A,A,1-0\n"), 3, "\"A\" plays against itself", 1),
        (format!("{per_game}A,,1-0\n"), 3, "`black` is missing", 1),
        ("white,result\nA,1-0\n".to_owned(), 1, "no column `black`", 0),
        (head.replace(',', ";").replace("draws", "drawn"), 1, "no column `draws`", 0),
        (format!("{HEADER}{record}{}", &record[..40]), 3, "ends in the middle", 1),
        (format!("{HEADER}{record}{}", record.replace("[0, 1]", "[1, 1]")), 3, "\"B\" plays against itself", 1),
        ("[{\"white\": \"A\", \"black\": \"B\"}]\n".to_owned(), 1, "there is no key `result`", 0),
        ("[\n  [1, 0]\n]\n".to_owned(), 1, "this JSON is a list", 0),
        ("{\"id\": \"a\"}\n{\"id\": \"b\"}\n".to_owned(), 1, "these are lines of JSON", 0),
        ("{\"id\": \"a\"}\n".to_owned(), 1, "holds no known results", 0),
        (HEADER.replace("\"B\"", "\"A\""), 1, "two players are named \"A\"", 0),
    ];
    for (text, line, message, games) in cases {
        let error = read_text(text.as_bytes(), false).expect_err(message);
        assert!(error.line == Some(line) && error.what.contains(message) && error.read == games, "{error}");
        assert!(error.to_string().ends_with(&format!("(games read before it: {games})")), "{error}");
        let (_, source) = read_text(text.as_bytes(), true).expect("bad games are left out");
        assert_eq!((source.games, source.skipped), (games, 1), "{message}");
    }
}

/// Files that were joined: every list counts, and so do objects behind one.
#[test]
fn nothing_behind_a_list_is_lost() {
    let game = |white: &str, black: &str| format!("{{\"white\":\"{white}\",\"black\":\"{black}\",\"result\":\"1-0\"}}");
    let lists = format!("[{},{}]\n[{}]\n{}\n", game("A", "B"), game("B", "A"), game("C", "A"), game("D", "A"));
    assert_eq!(read_text(lists.as_bytes(), false).expect("fine").1.games, 4);
    for (behind, message) in [("trailing", "expected a list of games"), ("[", "EOF"), ("]", "has not begun")] {
        let error = read_text(format!("[{}]\n{behind}", game("A", "B")).as_bytes(), false).expect_err(behind);
        assert!(error.line == Some(2) && error.what.contains(message), "{error}");
    }
}

#[test]
fn a_row_with_more_fields_than_columns_is_refused() {
    let counts = "player_a,player_b,wins_a,draws,losses_a\n";
    let games = "white,black,result,opening\n";
    for (header, row, fields, columns) in [
        (counts, "a,b,1,234,300,400", 6, 5),
        (counts, "a,b,12,0,3,0,5,0", 8, 5),
        (counts, "b,Elo 1,500,12,3,5", 6, 5),
        (games, "a,b,1-0,Sicilian, Najdorf", 5, 4),
    ] {
        let error = read_text(format!("{header}{row}\n").as_bytes(), false).unwrap_err().to_string();
        let wanted = format!(":2: this row has {fields} fields, and the first line has {columns} columns");
        assert!(error.contains(&wanted), "{error}");
        let (results, source) = read_text(format!("{header}{row}\n").as_bytes(), true).expect("left out");
        assert_eq!((results.players().len(), source.games, source.skipped), (0, 0, 1), "{row}");
    }
    for row in ["a,b,12,3,5,", "a,b,12,3,5,, ,"] {
        assert_eq!(read_text(format!("{counts}{row}\n").as_bytes(), false).expect("fine").1.games, 20, "{row}");
    }
    let error = read_text(b"white,black,points\na,b,1-0\n", false).unwrap_err().to_string();
    assert!(error.contains("there is no column `result`; the first line must name"), "{error}");
}

#[test]
fn distinct_games_differ_in_start_or_moves_and_not_in_spelling() {
    let game = |fen: &str, moves: &str| {
        let fen = if fen.is_empty() { String::new() } else { format!("[FEN \"{fen}\"]\n") };
        format!("[White \"A\"]\n[Black \"B\"]\n{fen}[Result \"1-0\"]\n\n{moves} 1-0\n\n")
    };
    let all = |games: &[(&str, &str)]| games.iter().map(|(fen, moves)| game(fen, moves)).collect::<String>();
    assert_eq!(distinct(&all(&[("x", "1. e4"), ("y", "1. e4"), ("y", "1. e4"), ("", "1. e4")])), Some(3));
    assert_eq!(distinct(&all(&[("x", ""), ("y", "")])), Some(0), "games without moves do not count");
    assert_eq!(distinct(&all(&[("", "1. Qxf7+"), ("", "1. Qxf7"), ("", "1. Qxf7#")])), Some(1));
    let promotions = ["1. e8=Q", "1. e8Q", "1. e8=q", "1. e8=Q+"].map(|moves| ("", moves));
    assert_eq!(distinct(&all(&promotions)), Some(1));
    assert_eq!(distinct(&all(&[("", "1. e8=Q"), ("", "1. e8=N"), ("", "1. e8")])), Some(3));
    assert_eq!(
        distinct(&all(&[("", "1. exd6"), ("", "1. exd6 e.p."), ("", "1. exd6ep"), ("", "1. exd6/ep")])),
        Some(1)
    );
}

#[test]
fn a_game_in_long_notation_or_with_a_written_start_is_the_same_game() {
    let game =
        |tags: &str, moves: &str| format!("[White \"A\"]\n[Black \"B\"]\n{tags}[Result \"1-0\"]\n\n{moves} 1-0\n\n");
    let count =
        |games: &[(&str, &str)]| distinct(&games.iter().map(|(tags, moves)| game(tags, moves)).collect::<String>());
    for (one, other) in [
        ("1. Nf3", "1. Ng1f3"),
        ("1. Nf3", "1. Ngf3"),
        ("1. Nf3", "1. Ng1-f3"),
        ("1. e4 d5 2. exd5", "1. Pe4 d7d5 2. e4xd5"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O", "1. e2-e4 e5 2. Nf3 Nb8c6 3. Bf1b5 a6 4. O-O"),
    ] {
        assert_eq!(count(&[("", one), ("", other), ("", "1. h4 h5 2. h3")]), Some(2), "{other}");
    }
    let start = "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n";
    assert_eq!(count(&[("", "1. e4"), (start, "1. e4")]), Some(1));
    assert_eq!(count(&[("", "1. e4"), ("[Variant \"Atomic\"]\n", "1. e4")]), Some(2), "other rules");
    assert_eq!(
        count(&[("", "1. Ng1f3 e5 2. Qh8"), ("", "1. Nf3 e5 2. Qh8")]),
        Some(2),
        "illegal moves stay as written"
    );
}

#[test]
fn a_game_torn_within_a_tag_is_named_and_costs_no_other() {
    let whole = "[Event \"e\"]\n[Site \"s\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n";
    for cut in ["[Event \"e", "[Event \"e\"]\n[Site \"s", "[Event \"e\"]\n[Site \"s\"]\n[Round \"1."] {
        let text = format!("{whole}{cut}{whole}{whole}");
        let error = read_text(text.as_bytes(), false).unwrap_err().to_string();
        let line = 9 + cut.matches('\n').count();
        assert!(error.contains(&format!(":{line}: ")), "{cut:?}: {error}");
        let (_, source) = read_text(text.as_bytes(), true).expect("the others are whole");
        assert_eq!((source.games, source.skipped), (3, 1), "{cut:?}");
    }
    let quoted = whole.replace("\"s\"", "\"a [remote] \\\"site\\\"\"");
    assert_eq!(read_text(quoted.as_bytes(), false).expect("brackets in a value").1.games, 1);
}

#[test]
fn a_key_that_comes_twice_and_a_name_that_is_no_text_are_faults() {
    for (text, wanted) in [
        ("{\"white\":\"A\",\"black\":\"B\",\"result\":\"1-0\",\"result\":\"0-1\"}", "the key `result` comes twice"),
        ("{\"white\":{\"name\":\"A\"},\"black\":\"B\",\"result\":\"1-0\"}", "`white` is an object or a list"),
        ("[{\"white\":\"A\",\"black\":\"B\",\"black\":\"C\",\"result\":\"1-0\"}]", "the key `black` comes twice"),
        ("white,black,result\n\"Bo\"An,B,1-0\n", "text follows the quotes of a field"),
        ("(;GM[1]PB[A]PB[C]PW[B]RE[B+R];B[aa])", "the game names two players as PB: A and C"),
    ] {
        let error = read_text(text.as_bytes(), false).map(|found| found.1.games).unwrap_err().to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
    for text in [
        "(;GM[1]SZ[9];PB[A]PW[B]RE[B+R];B[dd])",
        "(;GM[1]PB[A]PW[B];B[dd]RE[B+R])",
        "white,black,result\n\"The Rock\" Johnson,\"B\",1-0\n",
        "{\"white\":\"A\",\"black\":\"B\",\"result\":\"1-0\",\"opening\":{\"eco\":\"C50\"},\"x\":1,\"x\":2}",
        "winner,loser,score\nA,B,0.5\n",
    ] {
        assert_eq!(read_text(text.as_bytes(), false).expect(text).1.games, 1, "facts behind the root");
    }
}

#[test]
fn stones_and_passes_of_sgf_have_one_spelling() {
    let count = |games: &[&str]| {
        let game = |text: &&str| format!("(;GM[1]PB[A]PW[B]RE[B+R]{text})");
        distinct(&games.iter().map(game).collect::<String>())
    };
    for [one, other] in [
        ["SZ[9];B[cc];W[]", "SZ[9];B[cc];W[tt]"],
        ["SZ[9]AB[aa][bb];W[cc]", "SZ[9]AB[bb][aa];W[cc]"],
        ["SZ[9]AB[aa:ab];W[cc]", "SZ[9]AB[aa][ab];W[cc]"],
    ] {
        assert_eq!(count(&[one, other, "SZ[9];B[dd]"]), Some(2), "{other}");
    }
    assert_eq!(count(&["SZ[9];B[cc]", "SZ[13];B[cc]"]), Some(2), "other boards");
    assert_eq!(count(&["SZ[9];B[cc]", "SZ[9];B[cd]"]), Some(2));
    assert_eq!(count(&[";B[cc]", "SZ[19];B[cc]", "SZ[19:19];B[cc]"]), Some(1), "the usual board");
    let games = "(;GM[1]PB[A]PW[B]RE[B+R]SZ[9];B[cc])(;GM[4]PB[A]PW[B]RE[B+R]SZ[9];B[cc])";
    assert_eq!(distinct(games), Some(2), "other games");
}

#[test]
fn comments_may_come_before_the_first_tag() {
    for comment in ["{ Club championship }", "{ [White \"x\"]\n }", "; a comment", "{ one }\n; two\n\n{ three }"] {
        let (results, source) =
            read_text(format!("{comment}\n\n{}", game("A", "B", "1-0")).as_bytes(), false).expect(comment);
        assert_eq!((source.format, source.games, results.players()[0].as_str()), ("PGN", 1, "A"), "{comment}");
    }
    for text in ["{ a book }\n1. e4 e5 1-0\n", "; a book\n1. e4 *\n", "1. e4 e5 1-0\n"] {
        let error = read_text(text.as_bytes(), false).unwrap_err().to_string();
        assert!(error.contains("this is not PGN: there is text before the first tag"), "{text}: {error}");
    }
    let error = read_text(b"{ never closed\n", false).unwrap_err().to_string();
    assert!(error.contains("a comment is never closed"), "{error}");
}

#[test]
fn a_tag_that_comes_twice_is_named() {
    for (tags, name) in [
        ("[White \"A\"]\n[White \"C\"]\n[Black \"B\"]\n[Result \"1-0\"]", "White"),
        ("[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n[Result \"1-0\"]", "Result"),
    ] {
        let error = read_text(format!("{tags}\n\n1. e4 1-0\n").as_bytes(), false).unwrap_err().to_string();
        assert!(error.contains(&format!("the tag {name} comes twice")), "{error}");
    }
    let apart = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n[White \"A\"]\n[Black \"B\"]\n[Result \"2-0\"]\n";
    let error = read_text(apart.as_bytes(), false).unwrap_err().to_string();
    assert!(error.contains("unknown result") && !error.contains("twice"), "{error}");
    let headers = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n".repeat(2);
    assert_eq!(read_text(headers.as_bytes(), false).expect("two games without moves").1.games, 2);
}

#[test]
fn headers_may_be_quoted_and_late_and_have_other_columns() {
    for (head, row) in [
        (
            "\"player_a\",\"player_b\",\"wins_a\",\"draws\",\"losses_a\",\"note\"",
            "A,B,3,2,1,Score of A vs B: 3 - 1 - 2",
        ),
        ("result,player_a,player_b,wins_a,draws,losses_a", "won,A,B,3,2,1"),
        ("\n \nplayer_a,player_b,wins_a,draws,losses_a", "A,B,3,2,1"),
    ] {
        let (results, source) = read_text(format!("{head}\n{row}\n").as_bytes(), false).expect(head);
        assert_eq!((source.format, results.uncoloured[&[0, 1]]), ("CSV", [3, 2, 1]), "{head}");
    }
    let games = "\"white\",\"black\",\"result\",\"note\"\nA,B,1-0,Score of A vs B: 1 - 0 - 0\n";
    assert_eq!(read_text(games.as_bytes(), false).expect("games").0.coloured[&[0, 1]], [1, 0, 0]);
    let latin = read_text(b"player_a,player_b,wins_a,draws,losses_a\nM\xfcller,B,1,0,0\n", false).expect_err("Latin 1");
    assert_eq!((latin.line, latin.hint), (Some(2), Some("save the file as UTF-8")));
}

#[test]
fn a_row_that_is_too_long_costs_itself_alone() {
    let long = format!("{},B,1,0,0", "A".repeat(1 << 20));
    let text = format!("player_a,player_b,wins_a,draws,losses_a\nA,B,1,0,2\n{long}\nA,C,0,1,0\n");
    let (_, source) = read_text(text.as_bytes(), true).expect("the row is left out");
    assert_eq!((source.games, source.skipped), (4, 1));
}

#[test]
fn games_of_a_csv_with_one_opening_and_swapped_colours_are_a_pair() {
    let text = "opening,Result,white,black,date\nE4,1-0,A,B,1\nD4,1/2-1/2,A,B,1\nE4,0-1,A,B,2\nE4,1-0,B,A,2\n\
                ,0-1,B,A,2\nD4,0-1,A,B,3\n";
    let (results, source) = read_text(text.as_bytes(), false).expect("fine");
    assert_eq!((source.format, source.games), ("CSV", 6));
    // The last game of the opening E4 that A began, and the one that B began.
    assert_eq!(results.pairs, BTreeMap::from([(([0, 1], [2, 0]), 1)]));
    assert_eq!(results.coloured, BTreeMap::from([([0, 1], [1, 1, 1]), ([1, 0], [0, 0, 1])]));
}

#[test]
fn more_players_or_bytes_than_are_held_are_refused_even_when_bad_games_are_skipped() {
    let row = |k: usize| format!("p{k},p{},1-0\n", k + 1);
    let games = |n: usize| format!("white,black,result\n{}", (1..n).map(row).collect::<String>());
    let (results, _) = read_text(games(100_000).as_bytes(), true).expect("few enough");
    assert_eq!(results.players().len(), 100_000);
    let pairs = |n: usize| (1..n).map(|k| format!("p{k},p{},1,0,0\n", k + 1)).collect::<String>();
    let counts = format!("player_a,player_b,wins_a,draws,losses_a\n{}", pairs(100_001));
    for text in [games(100_001), counts] {
        let refused = read_text(text.as_bytes(), true).expect_err("too many").to_string();
        assert!(refused.contains("more than 100000 players"), "{refused}");
    }
    let blanks = vec![b' '; 64 << 20];
    let refused = read_text(&[b"{\n", &*blanks].concat(), true).expect_err("too large");
    assert!(refused.what.contains("more than 64 MB") && refused.hint.is_some(), "{refused}");
}

#[test]
fn torn_or_contradicting_rankings_are_refused() {
    let whole = "{\"results\": {\"A\":\n {\"B\": [1, 1, 1]}}}";
    for (text, message) in [
        (&whole[..whole.len() - 3], "ends in the middle"),
        (&whole.replace("[1, 1", "[-1, 1"), "invalid value: integer `-1`"),
        (&whole.replace("[1, 1", "[1.5, 1"), "floating point `1.5`"),
        (&whole.replace("[1, 1", "[4294967296, 1"), "integer `4294967296`, expected u32"),
        (&whole.replace("[1, 1", "[18446744073709551615, 1"), "each below 2^32"),
        (&whole.replace("\"B\"", "\"A\""), "\"A\" plays against itself"),
    ] {
        let error = read_text(text.as_bytes(), false).expect_err(message);
        assert!(error.line.is_some() && error.what.contains(message), "{error}");
    }
    let twice = "{\"results\": {\"A\": {\"B\": [1, 1, 1],\n\"B\": [5, 5, 5]}}}";
    let error = read_text(twice.as_bytes(), false).expect_err("which one?");
    assert!(error.line == Some(2) && error.what.starts_with("\"B\" has two entries"), "{error}");
    let contradiction = r#"{"results": {"A": {"B": [1, 0, 0]}, "B": {"A": [1, 0, 0]}}}"#;
    assert!(read_text(contradiction.as_bytes(), false).expect_err("both won").what.contains("contradict"));
}

#[test]
fn contradicting_results_are_counted_as_bad() {
    let conflict = game("A", "B", "1-0").replace("e4 1-0", "e4 1/2-1/2");
    let text = [game("A", "B", "1-0"), conflict, game("B", "A", "0-1")].concat();
    let error = read_text(text.as_bytes(), false).expect_err("a contradiction");
    let what = "the moves end with \"1/2-1/2\", but the tag Result says \"1-0\" (the game begins in line 7)";
    assert_eq!((error.line, error.what.as_str(), error.read), (Some(11), what, 1));
    let (results, source) = read_text(text.as_bytes(), true).expect("the game is left out");
    assert_eq!((source.games, source.skipped), (2, 1));
    assert!(source.first_skipped.is_some_and(|first| first.ends_with(&format!(":11: {what}"))));
    assert_eq!(results.coloured, BTreeMap::from([([0, 1], [1, 0, 0]), ([1, 0], [0, 0, 1])]));
}

#[test]
fn lines_of_every_format_may_end_with_a_lone_cr() {
    let counts = "player_a,player_b,wins_a,draws,losses_a\nA,B,1,1,1\n\nA,C,2,0,0\n";
    let games = "white,black,result\nA,B,1-0\nB,A,1/2-1/2\n";
    let pgn = [game("A", "B", "1-0"), game("B", "A", "1/2-1/2")].concat();
    for (text, count) in [(counts, 5), (games, 2), (pgn.as_str(), 2)] {
        let (wanted, _) = read_text(text.as_bytes(), false).expect("fine");
        for end in ["\r", "\r\n"] {
            let (results, source) = read_text(text.replace('\n', end).as_bytes(), false).expect("fine");
            assert_eq!((source.games, results.players()), (count, wanted.players()), "{text}");
            assert_eq!((&results.coloured, &results.uncoloured), (&wanted.coloured, &wanted.uncoloured));
        }
    }
    let error = read_text(counts.replace("2,0", "-2,0").replace('\n', "\r").as_bytes(), false).expect_err("negative");
    assert_eq!(error.line, Some(4));
}

#[test]
fn names_that_look_alike_are_told() {
    let text = [game("J\u{f6}rg", "Bob", "1-0"), game("bob ", "Jo\u{308}rg", "1-0"), game("Bo b", "C", "1-0")].concat();
    let (results, _) = read_text(text.as_bytes(), false).expect("fine");
    assert_eq!(results.look_alikes(), [vec!["Bob", "bob", "Bo b"], vec!["J\u{f6}rg", "Jo\u{308}rg"]]);
}

#[test]
fn a_missing_file_is_an_error_even_when_bad_games_are_skipped() {
    let error = read("no/such/file.pgn", Reading { skip_bad: true, ..Reading::default() }, &mut GameResults::default());
    assert!(error.expect_err("it is not there").to_string().starts_with("no/such/file.pgn: cannot read it"));
}

/// A table of all players against all has each match twice; counts of single games are no such table.
#[test]
fn a_cross_table_gets_a_note() {
    let cases = [
        ("a,b,12,3,5\nb,a,5,3,12\na,c,7,0,2\nc,a,2,0,7\n", 1),
        // Rows of one match are added up.
        ("a,b,12,3,5\nb,a,5,0,2\nb,a,0,3,10\n", 1),
        ("a,b,12,3,5\nb,a,5,3,12\na,c,7,0,2\n", 0),
        ("a,b,12,3,5\nb,a,5,3,11\n", 0),
        ("a,b,12,3,5\nb,a,12,3,5\n", 0),
        ("a,b,1,0,0\nb,a,0,0,1\n", 0),
        ("", 0),
    ];
    for (rows, notes) in cases {
        let text = format!("player_a,player_b,wins_a,draws,losses_a\n{rows}");
        let (_, source) = read_text(text.as_bytes(), false).expect("counts");
        assert_eq!(source.notes.len(), notes, "{rows}");
    }
}
