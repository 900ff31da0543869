//! Tests of results in the files of others: tables, SGF, tournaments with forfeits, and torn files of every format.

use proptest::prelude::*;

use super::tests::read_text;
use super::*;
use crate::formats::LeftOut;

fn read_fine(text: &str) -> (GameResults, ReadFile) {
    read_text(text.as_bytes(), false).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

/// Wins, draws and losses of the first player of a file against the second one.
fn total(results: &GameResults) -> [u64; 3] {
    let mut sum = results.uncoloured.get(&[0, 1]).copied().unwrap_or_default();
    let mut add = |[wins, draws, losses]: [u64; 3]| {
        sum.iter_mut().zip([wins, draws, losses]).for_each(|(sum, count)| *sum += count);
    };
    results.coloured.get(&[0, 1]).into_iter().for_each(|counts| add(*counts));
    results.coloured.get(&[1, 0]).into_iter().for_each(|&[wins, draws, losses]| add([losses, draws, wins]));
    results.unordered_pairs.get(&[0, 1]).into_iter().for_each(|pairs| add(pairs.games()));
    sum
}

#[test]
fn tables_of_every_form_and_separator_are_the_same_games() {
    let tables = [
        "player_a,player_b,wins_a,draws,losses_a\nx,y,2,1,1\n",
        "white,black,result\nx,y,1-0\ny,x,1/2-1/2\nx,y,1-0\nx,y,0-1\n",
        "Black,Score,White\ny,1,x\ny,0.5,x\ny,1.0,x\ny,0,x\n",
        "id,model_a,model_b,winner\n1,x,y,model_a\n2,x,y,model_a\n3,x,y,model_b\n4,x,y,tie (bothbad)\n",
        "player1,player2,score\nx,y,1\ny,x,0\nx,y,0.5\nx,y,0\n",
        "winner,loser,note\nx,y,\nx,y,\ny,x,\n",
    ];
    for table in tables {
        let wanted = if table.starts_with("winner") { [2, 0, 1] } else { [2, 1, 1] };
        for separator in [",", ";", "\t", "|"] {
            for head in ["", "\u{feff}", "\n\n"] {
                let text = [head, &table.replace(',', separator)].concat();
                let (results, source) = read_fine(&text);
                assert_eq!((source.format, total(&results)), ("CSV", wanted), "{text}");
            }
        }
    }
    let (results, _) = read_fine("sep=;\nplayer1;player2;score\n\"x;z\";y;0,5\nx;y;\"0,5\"\n");
    assert_eq!((results.players(), total(&results)), (&["x;z", "y", "x"].map(str::to_owned)[..], [0, 1, 0]));
    let score_is_ignored = "white,black,result,score\nx,y,1-0,whatever\n";
    assert_eq!(total(&read_fine(score_is_ignored).0), [1, 0, 0]);
}

/// A second header begins another table: its columns may have another order, and its players are no others.
#[test]
fn joined_tables_and_records_keep_their_players() {
    let counts = "player_a,player_b,wins_a,draws,losses_a\nx,y,2,1,0\n";
    let turned = "losses_a,wins_a,draws,player_b,player_a\n1,0,0,y,x\n";
    let won = "winner,loser\nx,y\nx,y\n";
    for (text, wanted) in [
        ([won, "loser,winner\nx,y\n"].concat(), [2, 0, 1]),
        ([won, "\n\u{feff}", won].concat(), [4, 0, 0]),
        ([won, "result,note,black,white\n1-0,\"a, b\",x,y\n"].concat().replace("loser\n", "loser,a,b\n"), [2, 0, 1]),
        ([counts, turned].concat(), [2, 1, 1]),
        ("model_a,model_b,winner\nx,y,tie\nwinner,model_a,model_b\nmodel_b,x,y\n".to_owned(), [0, 1, 1]),
    ] {
        let (results, source) = read_fine(&text);
        assert_eq!((results.players().len(), total(&results), source.skipped), (2, wanted, 0), "{text}");
    }
    assert_eq!(read_fine("winner,loser\nloser,x\nwinner,x\n").0.players(), ["loser", "x", "winner"]);

    let records = |players: [&str; 2]| {
        let header = format!("{{\"records\":1,\"game\":{{\"gomoku\":{{\"size\":5}}}},\"players\":{players:?}}}\n");
        header + "{\"game\":0,\"players\":[0,1],\"actions\":[1],\"outcome\":{\"win\":\"first\"}}\n"
    };
    let [one, other] = [records(["x", "y"]), records(["u", "v"])];
    for between in ["", "\n", "\u{feff}"] {
        let (results, source) = read_fine(&[between, &one, between, &other].concat());
        assert_eq!((results.players().len(), source.games), (4, 2), "{between:?}");
    }
    let torn = [&one, "{\"game\":1,\"pla", &other].concat();
    assert_eq!(read_text(torn.as_bytes(), false).unwrap_err().line, Some(3));
    let (results, source) = read_text(torn.as_bytes(), true).expect("left out");
    assert_eq!((results.players().len(), source.games, source.skipped), (4, 2, 1));
    let (results, source) =
        read_text([&*one, &other.replace(":1,", ":9,")].concat().as_bytes(), true).expect("left out");
    assert_eq!((results.players().len(), source.games, source.skipped), (2, 1, 1), "no record of an unknown version");
}

/// A file may have a line, or an object, that is longer than its first bytes, and come in pieces.
#[test]
fn long_and_broken_objects_are_read() {
    let game = |note: &str| format!("{{\"white\":\"x\",\"note\":\"{note}\",\"black\":\"y\",\"result\":\"1-0\"}}");
    let long = game(&"a ".repeat(100_000));
    let pretty = game("a").replace(',', ",\n  ");
    for (text, format) in [
        (format!("{long}\n{}\n", game("a")), "JSON lines"),
        (format!("\u{feff} {long}\n{}\n", game("a")), "JSON lines"),
        (format!("{pretty}\n{pretty}\n"), "JSON"),
        (format!("[{long},\n{pretty}]\n"), "JSON"),
    ] {
        let (results, source) = read_fine(&text);
        assert_eq!((source.format, total(&results)), (format, [2, 0, 0]));
    }
    let (header, record) = (
        "{\"records\":1,\"game\":{\"gomoku\":{\"size\":5}},\"players\":[\"x\",\"y\"]}\n",
        "{\"game\":0,\"players\":[0,1],\"actions\":[1],\"outcome\":\"draw\"}\n",
    );
    assert_eq!(read_fine(&["\u{feff}", header, record].concat()).1.games, 1);
    let error = read_text(b"{\"id\":\n1}\n{\"id\": 2}\n", false).unwrap_err();
    assert!(error.what.contains("none of the keys of a game"), "{error}");
}

/// A runner that is being read from a pipe writes one line first.
#[test]
fn the_format_follows_from_more_than_the_first_piece() {
    use std::io::Read as _;
    for pieces in [
        ["Indexing opening suite...\n", "Score of x vs y: 1 - 0 - 0\n", "Score of x vs y: 2 - 0 - 0\n"],
        ["{ a comment }\n", "[White \"x\"]\n[Black \"y\"]\n[Result", " \"1-0\"]\n\n1. e4 1-0\n"],
        ["", "winner", ",loser\nx,y\n"],
    ] {
        let [one, two, three] = pieces.map(str::as_bytes);
        let input = one.chain(two).chain(three);
        let mut results = GameResults::default();
        let source = super::read::read_input("-", Box::new(input), Reading::default(), &mut results).expect("fine");
        assert_eq!((source.games > 0, results.players()), (true, &["x", "y"].map(str::to_owned)[..]), "{pieces:?}");
    }
}

/// Free text within a file may have the words of a log.
#[test]
fn a_file_that_quotes_a_log_is_no_log() {
    let quoted = "Score of A vs B: 3 - 1 - 2  [0.667] 6";
    let game = "(;GM[1]PB[x]PW[y]RE[B+R];B[aa])";
    for (text, format) in [
        (format!("model_a,model_b,winner,prompt\nx,y,model_a,\"{quoted} - what is this?\"\n"), "CSV"),
        ("model_a,model_b,winner,prompt\nx,y,model_a,\"Explain the Results of the election\"\n".to_owned(), "CSV"),
        (format!("player1,player2,score,note\nx,y,1,{quoted}\n"), "CSV"),
        (format!("first,second,score,opening,note\nx,y,1,,{quoted}\n"), "CSV"),
        (format!("White;Black;Result;Site\nx;y;1-0;{quoted}\n"), "CSV"),
        (format!("winner\tloser\tnote\nx\ty\t{quoted}\n"), "CSV"),
        (format!("[\n  {{\"winner\": \"x\", \"loser\": \"y\",\n   \"note\": \"{quoted}\"}}\n]\n"), "JSON"),
        (format!("Results of the cup\n\n{game}\n"), "SGF"),
        ("(;GM[1]PB[x]PW[y]RE[B+R]C[\nScore of A vs B: 3 - 1 - 2\n];B[aa])".to_owned(), "SGF"),
        (format!("[Event\"x\"]\n[White\"x\"]\n[Black\"y\"]\n[Result\"1-0\"]\n\n1. e4 {{\n{quoted}\n}} 1-0\n"), "PGN"),
    ] {
        let (results, source) = read_fine(&text);
        assert_eq!(
            (source.format, results.players(), total(&results)),
            (format, &["x", "y"].map(str::to_owned)[..], [1, 0, 0])
        );
    }
    for head in ["", "[12:00:01] ", "[INFO] \"", "a, b, c\n", "\"scores\", today\n", "the winner, or not\n"] {
        let (results, source) = read_fine(&[head, quoted, "\n"].concat());
        assert_eq!((source.format, source.games, results.players().len()), ("log", 6, 2), "{head}");
    }
    let error = read_text(format!("white,black,points,note\nx,y,1-0,{quoted}\n").as_bytes(), false).unwrap_err();
    assert!(error.what.contains("there is no column `result`"), "{error}");
}

#[test]
fn line_ends_within_quotes_are_text() {
    let (head, last) = ("prompt,model_a,model_b,winner\n", "hi,x,y,model_b\n");
    for first in ["\"Write a poem\nabout Go\",x,y,model_a\n", "\"a \"\"poem\n\n, in \"\" lines\",x,y,model_a\n"] {
        assert_eq!(total(&read_fine(&[head, first, last].concat()).0), [1, 0, 1], "{first}");
    }
    let long = format!("\"{}\",x,y,model_a\n", "a line of a long text\n".repeat(9000));
    assert_eq!(total(&read_fine(&[head, &long, last].concat()).0), [1, 0, 1]);
    let endless = ["\"", &"a line\n".repeat(200_000), last].concat();
    let error = read_text([head, &endless].concat().as_bytes(), false).unwrap_err();
    assert!(error.line == Some(2) && error.what.contains("longer than any row"), "{error}");
    // The closing line is another row.
    let row = "\"never closed,x,y,model_a\n\"hi\",x,y,model_b\n";
    assert!(read_text([head, row].concat().as_bytes(), false).unwrap_err().what.contains("a quote is n"));
    let within = "\"never closed,x,y,model_a\nhi,x,y,model_b\nhi\",x,y,model_b\n";
    assert!(read_text([head, within].concat().as_bytes(), false).unwrap_err().what.contains("before line 3"));
}

/// The program writes an apostrophe before a name that a spreadsheet would evaluate.
#[test]
fn the_apostrophe_of_the_program_is_no_part_of_a_name() {
    for (written, name) in [
        ("'-b", "-b"),
        ("'=1+2", "=1+2"),
        ("''@b", "'@b"),
        ("' -b", "-b"),
        ("'b", "'b"),
        ("'t Hart", "'t Hart"),
        ("-b", "-b"),
    ] {
        let (results, _) = read_fine(&format!("first,second,score\n{written},a,1.0\n"));
        assert_eq!(results.players()[0], name, "{written}");
    }
}

#[test]
fn objects_of_json_are_rows() {
    let rows = [
        r#"{"model_a": "x", "model_b": "y", "winner": "model_a", "turn": 1, "conversation": [{"a": 1}]}"#,
        r#"{"winner": "tie", "model_b": "y", "model_a": "x"}"#,
        r#"{"model_a": "x", "model_b": "y", "winner": "tie (bothbad)"}"#,
    ];
    for (text, format) in [(rows.join("\n"), "JSON lines"), (format!("[\n{}\n]\n", rows.join(",\n")), "JSON")] {
        let (results, source) = read_fine(&text);
        assert_eq!((source.format, source.games, total(&results)), (format, 3, [1, 2, 0]));
        let bad = read_text(text.replace("\"tie\"", "\"who\"").as_bytes(), false).unwrap_err();
        assert_eq!(bad.line, Some(if format == "JSON" { 3 } else { 2 }), "{bad}");
    }
    let scores = "{\"player1\": \"x\", \"player2\": \"y\", \"score\": 0.5}\n\n{\"player1\":\"y\",\"player2\":\"x\",\"score\":0}\n";
    assert_eq!(total(&read_fine(scores).0), [1, 1, 0]);
    let games = "{\"white\":\"x\",\"black\":\"y\",\"result\":\"1-0\",\"opening\":7}\n{\"white\":\"y\",\"black\":\"x\",\"result\":\"1-0\",\"opening\":7}\n";
    assert_eq!(read_fine(games).1.pairs, 1);
}

#[test]
fn collections_of_sgf_are_rated_by_their_results() {
    let game =
        |black: &str, white: &str, rest: &str| format!("(;FF[4]GM[1]PB[{black}]PW[{white}]{rest};B[aa];W[bb])\n");
    let text = [
        game("x", "y", "RE[B+R]"),
        game("y", "x", "RE[B+3.5]"),
        game("x", "y", "RE[0]"),
        game("x", "y", "RE[W+T]C[a comment (;GM[1\\] with\nbrackets]"),
        game("x", "y", "RE[Void]"),
        game("x", "y", "RE[?]"),
        game("x", "y", "RE[B+F]"),
        "(;PB[y]PW[x]RE[W+R])".to_owned(),
    ]
    .concat();
    let (results, source) = read_fine(&text);
    assert_eq!((source.format, source.games, total(&results)), ("SGF", 6, [3, 1, 2]));
    assert_eq!(source.left_out.keys().copied().collect::<Vec<_>>(), [LeftOut::Unfinished, LeftOut::Void]);
    assert_eq!(source.unplayed, Counted { games: 2, line: 8 });
    let mail = format!("From: a server\nSubject: games, two\n\n{text}");
    assert_eq!(read_fine(&mail).1.games, 6);
    for (bad, message) in [
        (game("x", "", "RE[B+R]"), "names no player as PB or PW"),
        (game("x", "x", "RE[B+R]"), "\"x\" plays against itself"),
        (game("x", "y", "RE[who knows]"), "the unknown result \"who knows\""),
        (game("x", "y", "RE[B+R]RE[W+R]"), "the game states two results: B+R and W+R"),
    ] {
        let error = read_text([&text, &bad].map(String::as_str).concat().as_bytes(), false).unwrap_err();
        assert!(error.line == Some(9) && error.what.contains(message), "{error}");
    }
}

/// Rounds that number the games of a pair give pairs; those of tournaments give none.
#[test]
fn rounds_of_sgf_give_pairs() {
    let game = |names: [&str; 2], round: &str| {
        format!("(;FF[4]GM[1]PB[{}]PW[{}]RE[B+R]{round};B[aa];W[bb])\n", names[0], names[1])
    };
    let pairs = |first: &str, second: &str| read_fine(&(game(["x", "y"], first) + &game(["y", "x"], second))).1.pairs;
    assert_eq!(pairs("RO[3.1]", "RO[3.2]"), 1);
    assert_eq!(pairs("EV[cup]RO[3.1]", "RO[3.2]"), 0, "another event");
    assert_eq!([pairs("RO[3.1]", "RO[4.2]"), pairs("RO[3]", "RO[3]"), pairs("", ""), pairs("RO[3.1]", "")], [0; 4]);
}

#[test]
fn games_without_play_may_be_left_out() {
    let text = "[White \"x\"]\n[Black \"y\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n\
                [White \"x\"]\n[Black \"z\"]\n[Result \"+/-\"]\n\n*\n\n\
                [White \"y\"]\n[Black \"x\"]\n[Result \"1-0\"]\n[Termination \"Unplayed\"]\n\n1-0\n";
    let (results, source) = read_fine(text);
    assert_eq!((source.games, source.unplayed, results.players().len()), (3, Counted { games: 2, line: 7 }, 3));
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("games");
    std::fs::write(&path, text).expect("written");
    let (how, mut results) = (Reading { leave_unplayed: true, ..Reading::default() }, GameResults::default());
    let source = read(path.to_str().expect("plain"), how, &mut results).expect("fine");
    assert_eq!((source.games, source.unplayed.games, results.players().len()), (1, 2, 2));
}

#[test]
fn games_of_several_kinds_are_counted_by_kind() {
    let kinds = |text: &str| read_fine(text).1.kinds.into_iter().collect::<Vec<_>>();
    let pgn = |tag: &str| format!("[White \"x\"]\n[Black \"y\"]\n[Result \"1-0\"]\n{tag}\n\n1. e4 1-0\n\n");
    let mixed = [
        pgn("[Variant \"Atomic\"]"),
        pgn(""),
        pgn("[Variant \"Standard\"]"),
        pgn("[FEN \"rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1\"]\n[Variant \"atomic\"]"),
        pgn("[FEN \"rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1\"]"),
        pgn("[FEN \"15/15 x\"]"),
        pgn("[Variant \"Fischerandom\"]"),
        pgn("[Variant \"Chess 960\"]"),
    ];
    let wanted = [("", 2), ("15x2", 1), ("5x5", 1), ("atomic", 2), ("chess960", 2)];
    assert_eq!(kinds(&mixed.concat()), wanted.map(|(kind, games)| (kind.to_owned(), games)));
    let sgf = |root: &str| format!("(;{root}PB[x]PW[y]RE[B+R];B[aa])");
    let boards =
        [sgf("GM[1]SZ[9]KM[7]"), sgf("GM[1]SZ[19]KM[7.5]"), sgf("GM[1]SZ[19]KM[0]HA[4]"), sgf("GM[1]SZ[9]KM[7]")];
    assert_eq!(kinds(&boards.concat()).len(), 3);
    let named = [sgf("GM[4]SZ[19]"), sgf("GM[Pente]SZ[19]"), sgf("GM[]")];
    let wanted = ["Go (GM[1]), board 19", "Gomoku, Renju or Pente (GM[4]), board 19", "Pente, board 19"];
    assert_eq!(kinds(&named.concat()), wanted.map(|kind| (kind.to_owned(), 1)));
}

#[test]
fn the_column_game_of_a_table_names_kinds() {
    let kinds = |columns: &str, games: [&str; 6]| {
        let rows = games.map(|game| format!("x,y,1,{game}\n")).concat();
        read_fine(&format!("first,second,score,{columns}\n{rows}")).1.kinds.into_iter().collect::<Vec<_>>()
    };
    let wanted = [("go", 3), ("hex", 2)].map(|(kind, games)| (kind.to_owned(), games));
    assert_eq!(kinds("game", ["go", "hex", "go", "hex", "go", ""]), wanted);
    let sizes = ["go,7,{}", "go,7,{}", "go,7,{}", "go,9,{}", "go,9,{}", "go,9,{}"];
    let wanted = [("go, size 7", 3), ("go, size 9", 3)].map(|(kind, games)| (kind.to_owned(), games));
    assert_eq!(kinds("game,game.size,first.settings", sizes), wanted);
    assert_eq!(kinds("game,game.size,settings", sizes), [("go".to_owned(), 6)], "a table of another program");
    assert!(kinds("game", ["1", "1", "1", "2", "2", "2"]).is_empty(), "numbers of games");
    let pairs = ["a,{}", "a,{}", "b,{}", "b,{}", "c,{}", "c,{}"];
    assert!(kinds("game,settings", pairs).is_empty(), "names of pairs");
    assert_eq!(kinds("game,first.settings", pairs).len(), 3, "a table of this program");
}

#[test]
fn a_comment_before_the_tags_may_begin_with_a_quote() {
    for comment in ["{\"Club\" championship}", "{ \"Club\": finals, 1st round }\n{x}", "{}"] {
        let text = format!("{comment}\n[White \"x\"]\n[Black \"y\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n");
        assert_eq!(read_fine(&text).1.format, "PGN", "{comment}");
    }
}

#[test]
fn the_last_score_of_two_players_counts_in_every_dialect() {
    for words in [" after {} games", " ({} games)", " [{}]", ", game {}", " so far", ""] {
        let score = |games: u64| {
            let words = words.replace("{}", &games.to_string());
            format!("Score of dev vs master{words}: {} - 3 - 21 (0.5{})\n", games - 24, 0)
        };
        let score = |games: u64| score(games).replace(" (0.50)", "");
        let finished = "Started game 1 of 99 (dev vs master)\nFinished game 1 (dev vs master): 1-0 {x}\n";
        for log in [
            format!("{}{}{}", score(26), score(28), score(30)),
            format!("{finished}{}{}{}", score(26), finished.replace('1', "2").replace("2-0", "1-0"), score(30)),
        ] {
            let (results, source) = read_fine(&log);
            assert_eq!((results.players().len(), source.games, total(&results)), (2, 30, [6, 21, 3]), "{log}");
        }
    }
    // A dialect that no rule knows, by the names of the games.
    let log = "Started game 1 of 9 (dev vs master)\nScore of dev vs master now: 1 - 0 - 0\nScore of dev vs master then: 2 - 0 - 0\n";
    assert_eq!(read_fine(log).1.games, 2);
}

/// A number in a name is no count of games: the count follows the score, or the number stays while the score changes.
#[test]
fn numbers_in_names_stay_in_every_line() {
    for name in ["SF (10)", "UCT [10]", "SF #10", "SF - 10", "End Game 10", "SF 10", "game 10"] {
        for behind in [true, false] {
            let score = |wins: u64| {
                let (total, share) = (wins + 6, (wins as f64 + 1.5) / (wins as f64 + 6.0));
                let number = if behind { format!("  [{share:.3}] {total}") } else { String::new() };
                format!("Score of A vs {name}: {wins} - 3 - 3{number}\n")
            };
            let (results, source) = read_fine(&[score(3), score(4), score(5)].concat());
            assert_eq!((results.players(), source.games), (&["A", name].map(str::to_owned)[..], 11), "{behind}");
            // Lines of games tell the names, in either order.
            for title in [format!("A vs {name}"), format!("{name} vs A")] {
                let game = format!("Started game 1 of 99 ({title})\nFinished game 1 ({title}): 1-0 {{x}}\n");
                let (results, source) = read_fine(&[game, score(4), score(5)].concat());
                assert_eq!((results.players(), source.games), (&["A", name].map(str::to_owned)[..], 11), "{title}");
            }
        }
    }
    let two = "Score of A vs UCT [9]: 6 - 1 - 2  [0.778] 9\nScore of A vs UCT [10]: 5 - 4 - 1  [0.550] 10\n";
    assert_eq!(read_fine(two).0.players(), ["A", "UCT [9]", "UCT [10]"]);
    let counted = "Score of A vs UCT [9]: 6 - 1 - 2\nScore of A vs UCT [10]: 6 - 2 - 2\n";
    assert_eq!((read_fine(counted).1.games, read_fine(counted).0.players().len()), (10, 2));
}

/// The name of one player may begin that of another.
#[test]
fn a_match_goes_to_its_own_players() {
    let game = |number: u64, title: &str| {
        format!("Started game {number} of 2 ({title})\nFinished game {number} ({title}): 1-0 {{x}}\n")
    };
    let first = [
        game(1, "A vs SF"),
        "Score of A vs SF: 1 - 0 - 0  [1.000] 1\n".to_owned(),
        game(2, "SF vs A"),
        "Score of A vs SF: 1 - 1 - 0  [0.500] 2\n".to_owned(),
    ];
    let second = [game(1, "SF dev vs A"), "Score of A vs SF dev: 0 - 1 - 0  [0.000] 1\n".to_owned()];
    let (results, source) = read_fine(&[first.concat(), second.concat()].concat());
    assert_eq!((source.games, results.players()), (3, &["A", "SF", "SF dev"].map(str::to_owned)[..]));
    assert_eq!((results.uncoloured[&[0, 1]], results.uncoloured[&[0, 2]]), ([1, 0, 1], [0, 0, 1]));
    // Words behind known names are no part of them.
    let words = [first.concat(), "Score of A vs SF today: 2 - 1 - 0\n".to_owned()].concat();
    assert_eq!(read_fine(&words).0.players(), ["A", "SF"]);
}

#[test]
fn the_distribution_of_pairs_is_read() {
    let log = "Score of dev vs master after 30 games: 6 - 3 - 21 (0.55)\nPtnml:        WW     WD  DD/WL     LD     LL\n\
               Distr:         0      6      7      1      1\nStats:  W: 20.0%   L: 10.0%   D: 70.0%   TF: 0\n";
    let (results, source) = read_fine(log);
    assert_eq!((source.games, source.pairs, total(&results)), (30, 15, [6, 21, 3]));
}

#[test]
fn redundant_numbers_and_colours_of_a_log_are_checked() {
    for text in [
        "Score of x vs y: 3 - 1 - 6  [0.600] 12\n",
        "Score of x vs y: 3 - 1 - 6  [0.700] 10\n",
        "Score of x vs y after 12 games: 3 - 1 - 6\n",
        "Results of x vs y:\nGames: 10, Wins: 3, Losses: 1, Draws: 6, Points: 6.5 (60.00 %)\n",
        "Results of x vs y:\nGames: 10, Wins: 3, Losses: 1, Draws: 6, Points: 6.0 (61.00 %)\n",
    ] {
        let error = read_text(text.as_bytes(), false).unwrap_err();
        assert_eq!(error.line, Some(text.lines().count() as u64), "{error}");
    }
    let plain = "Score of x vs y: 3 - 1 - 6  [0.600] 10\n";
    let coloured = "\u{1b}[1mScore of \u{1b}[32mx\u{1b}[0m vs \u{1b}[38;5;9my\u{1b}[0m: 3 - 1 - \u{1b}[31m6\u{1b}[K\u{1b}[0m  [0.600] 10\n";
    let (results, source) = read_fine(&[plain, coloured].concat());
    assert_eq!((results.players().len(), source.games), (2, 10));
    assert_eq!(read_fine(coloured).0.players(), ["x", "y"]);
}

#[test]
fn a_torn_report_takes_no_summary_with_it() {
    let torn = "Results of A vs B (8+0.08):\nGames: 36, Wins: 5, Losses: 4, Draws: 25\n";
    for summary in [
        "LLR: 2.94 (-2.94,2.94) <0.00,2.00>\nTotal: 34 W: 10 L: 9 D: 15\nPtnml(0-2): 1, 2, 10, 3, 1\n",
        "Games | N: 34 W: 10 L: 9 D: 15\nPenta | [1, 2, 10, 3, 1]\n",
    ] {
        let (results, source) = read_text([torn, summary].concat().as_bytes(), true).expect("left out");
        assert_eq!((results.players().len(), source.games, source.skipped), (2, 34, 1), "{summary}");
    }
}

/// How many games of a file are accounted for: counted, left out, or named as bad.
fn accounted(source: &ReadFile) -> u64 {
    source.games + source.skipped + source.left_out.values().map(|left| left.games).sum::<u64>()
}

/// Formats with a game a block: whole blocks of numbered players.
fn blocks(format: usize, player: usize) -> String {
    match format {
        0 => format!(
            "[Event \"e\"]\n[White \"p{player}\"]\n[Black \"x\"]\n[Result \"1-0\"]\n\n1. e4 {{a\nb}} e5 1-0\n\n"
        ),
        1 => format!("(;FF[4]GM[1]PB[p{player}]PW[x]RE[B+R]C[(a) b];B[aa]C[c](;W[bb])(;W[cc]))\n"),
        2 => format!("p{player},x,1-0,\"a, b\"\n"),
        3 => format!("{{\"white\":\"p{player}\",\"black\":\"x\",\"result\":\"1-0\",\"note\":{{\"a\":1}}}}\n"),
        _ => format!("Finished game {player} (p{player} vs x): 1-0 {{White mates}}\n"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// A writer was killed within one block, and another one went on, in the same line or the next.
    #[test]
    fn a_torn_game_hides_no_other_one(format in 0..5_usize, cut in 1..120_usize, line_end: bool, games in 2..5_usize) {
        let head = if format == 2 { "white,black,result,note\n" } else { "" };
        let torn = blocks(format, 0);
        let cut = cut.min(torn.len() - 1);
        let later: String = (2..=games).map(|player| blocks(format, player)).collect();
        let between = if line_end { "\n" } else { "" };
        let text = [head, &blocks(format, 1), &torn[..cut], between, &later].concat();
        let (results, source) = read_text(text.as_bytes(), true).expect("readable");
        for player in 1..=games {
            // The row of a table that goes on in the same line is one with the torn row.
            if !(format == 2 && !line_end && player == 2) {
                let name = format!("p{player}");
                prop_assert!(results.players().contains(&name), "{} is lost: {:?} in\n{}", name, source, text);
            }
        }
        prop_assert!(accounted(&source) + 1 >= games as u64, "{:?}", source);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// One block was damaged: a part is missing, or there are signs that the formats give a meaning.
    #[test]
    fn a_damaged_game_hides_no_other_one(
        format in 0..5_usize, at in 0..120_usize, length in 0..9_usize, signs in "[\"{}()\\[\\];,:\\\\%* 01aB]{0,3}",
        bad in 1..4_usize,
    ) {
        let head = if format == 2 { "white,black,result,note\n" } else { "" };
        let games: Vec<String> = (0..5).map(|player| blocks(format, player)).collect();
        let mut damaged = games[bad].clone();
        let at = at.min(damaged.len() - 2);
        // The line ends of the last line stay.
        damaged.replace_range(at..(at + length).min(damaged.trim_end().len()).max(at), &signs);
        let text: String = [head].into_iter()
            .chain((0..5).map(|player| if player == bad { damaged.as_str() } else { games[player].as_str() })).collect();
        let (results, source) = read_text(text.as_bytes(), true).expect("readable");
        for player in (0..5).filter(|player| *player != bad) {
            let name = format!("p{player}");
            prop_assert!(results.players().contains(&name), "{} is lost: {:?} in\n{}", name, source, text);
        }
    }
}

#[test]
fn a_quote_that_is_never_closed_costs_its_row_alone() {
    let head = "white,black,result,note\n";
    for torn in ["x,y,1-0,\"never closed\n", "\"x,y,1-0,never closed\n", "x,\"y,1-0,a\n"] {
        for rest in [
            "y,x,1-0,\nx,y,1/2-1/2,b\n",
            "y,x,1-0,\"fine\"\nx,y,1/2-1/2,\"also \"\"fine\"\"\"\n",
            "y,x,1-0,\"\"\nx,y,1/2-1/2,\"a\nb\"\n",
        ] {
            let text = [head, torn, rest].concat();
            let error = read_text(text.as_bytes(), false).unwrap_err();
            assert!(
                error.line == Some(2) && error.what.contains("a quote is n") || error.what.contains("several lines"),
                "{error} in\n{text}"
            );
            let (_, source) = read_text(text.as_bytes(), true).expect("left out");
            assert_eq!((source.games, source.skipped), (2, 1), "{text}");
        }
    }
    let several_lines = [head, "x,y,1-0,\"two\nlines, and\n\nmore\"\ny,x,1-0,b\n"].concat();
    assert_eq!(read_fine(&several_lines).1.games, 2);
}

#[test]
fn a_record_within_a_torn_line_is_read() {
    let head = "{\"records\":1,\"game\":{\"gomoku\":{\"size\":5}},\"players\":[\"A\",\"B\"]}\n";
    let record = |game: u32| {
        format!("{{\"game\":{game},\"players\":[0,1],\"actions\":[{game}],\"outcome\":{{\"win\":\"first\"}}}}")
    };
    let torn = record(1);
    for cut in 1..torn.len() {
        let text = format!("{head}{}\n{}{}\n{}\n", record(0), &torn[..cut], record(2), record(3));
        let (_, source) = read_text(text.as_bytes(), true).expect("left out");
        assert_eq!((source.games, source.skipped), (3, 1), "{cut}");
    }
}

#[test]
fn missing_lines_of_a_log_are_told() {
    let notes = |text: &str| read_fine(text).1.notes.join("; ");
    let game = |number: u64| format!("Finished game {number} (x vs y): 1-0 {{White mates}}\n");
    assert_eq!(notes(&[game(1), game(2)].concat()), "");
    assert!(notes(&[game(1), game(4)].concat()).contains("the lines of 2 games are missing"));
    let started = "Started game 1 of 4 (x vs y)\nStarted game 2 of 4 (y vs x)\n";
    assert!(
        notes(&[started, &game(1)].concat())
            .contains("1 games that started have no line of their end, the first in line 2")
    );
    let later = ["Score of x vs y: 1 - 0 - 0\n", &game(1), &game(2), &game(3)].concat();
    assert!(notes(&later).contains("2 finished games came after the last report"));
    assert!(notes("Score of x vs y: 1 - 0 - 0\nResults of x vs y (8+0.08):\n").contains("has no counts"));
}

/// A file whose writer was killed: the tag has the result, and the moves end in the middle.
#[test]
fn moves_without_a_result_behind_them_are_told() {
    let game = |moves: &str| format!("[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n{moves}\n\n");
    let notes = |text: &str| read_fine(text).1.notes.join("; ");
    assert_eq!(notes(&[game("1. e4 e5 1-0"), game(""), game("1-0"), game("1. e4 {x} 1-0 {mate}")].concat()), "");
    let forfeit = game("+/-").replace("[Result \"1-0", "[Result \"+/-");
    assert_eq!(notes(&[game("1. e4 1-0"), forfeit].concat()), "");
    for torn in ["1. e4 e5 2. Nf", "1. e4 e5 2.", "1. e4 {+0.3} e5 {-0.2}", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0"] {
        let found = notes(&[game("1. e4 1-0"), game(torn), game("1. e4 1-0"), game(torn)].concat());
        assert!(
            found.starts_with("2 games have no result") && found.ends_with("the first begins in line 7"),
            "{found}"
        );
    }
}
