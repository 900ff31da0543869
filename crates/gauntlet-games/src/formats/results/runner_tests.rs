//! Tests of results from match runners: states, logs, and pairs of games in PGN.

use super::tests::read_text;
use super::*;
use crate::formats::LeftOut;

/// A state of fastchess.
fn state(engines: &[&str], stats: &[(&str, [u32; 9])]) -> String {
    let engines: Vec<_> = engines.iter().map(|name| serde_json::json!({ "name": name, "cmd": "x" })).collect();
    let keys = ["wins", "losses", "draws", "penta_WW", "penta_WD", "penta_WL", "penta_DD", "penta_LD", "penta_LL"];
    let entry = |(names, counts): &(&str, [u32; 9])| {
        let counts: Vec<String> =
            keys.iter().zip(counts).map(|(key, count)| format!("      \"{key}\": {count}")).collect();
        format!("    {}: {{\n{}\n    }}", serde_json::json!(names), counts.join(",\n"))
    };
    let stats: Vec<String> = stats.iter().map(entry).collect();
    format!(
        "{{\n  \"rounds\": 5,\n  \"engines\": {},\n  \"stats\": {{\n{}\n  }}\n}}\n",
        serde_json::json!(engines),
        stats.join(",\n")
    )
}

fn points(pairs: PairCounts) -> [u64; 5] {
    let PairCounts { win_win, win_draw, win_loss, draw_draw, draw_loss, loss_loss } = pairs;
    [loss_loss, draw_loss, win_loss + draw_draw, win_draw, win_win]
}

#[test]
fn a_state_of_fastchess_counts_pairs() {
    let (a, b) = ("low \"1\" vs x", "high");
    // The second entry has the other order of the names; the third has single games beside two pairs.
    let stats = [
        ("low \"1\" vs x vs high", [48, 52, 20, 5, 7, 31, 4, 5, 8]),
        ("high vs low \"1\" vs x", [3, 0, 1, 1, 1, 0, 0, 0, 0]),
        ("high vs c", [2, 1, 3, 0, 1, 1, 0, 0, 0]),
        ("c vs low \"1\" vs x", [0; 9]),
    ];
    let (results, source) = read_text(state(&[a, b, "c"], &stats).as_bytes(), false).expect("fine");
    assert_eq!((source.format, source.games, source.pairs), ("state of fastchess", 130, 64));
    assert_eq!(results.players(), [a, b, "c"]);
    let pairs = PairCounts { win_win: 5, win_draw: 7, win_loss: 31, draw_draw: 4, draw_loss: 6, loss_loss: 9 };
    assert_eq!(results.unordered_pairs[&[0, 1]], pairs);
    assert_eq!(results.unordered_pairs[&[1, 2]], PairCounts { win_draw: 1, win_loss: 1, ..PairCounts::default() });
    assert_eq!(results.uncoloured, BTreeMap::from([([1, 2], [0, 2, 0])]));
    // Without pairs, as with `-report penta=false` and in early versions.
    let single = state(&["A", "B"], &[("A vs B", [9, 8, 2, 0, 0, 0, 0, 0, 0])]);
    let (results, source) = read_text(single.as_bytes(), false).expect("fine");
    assert_eq!((source.games, source.pairs, &results.uncoloured[&[0, 1]]), (19, 0, &[9, 2, 8]));
    let early = "{\"stats\": {\"A vs B\": {\"wins\": 1, \"losses\": 2, \"draws\": 3}}}";
    assert_eq!(read_text(early.as_bytes(), false).expect("fine").0.uncoloured[&[0, 1]], [1, 3, 2]);
}

#[test]
fn a_report_with_a_fault_leaves_no_line_to_other_players() {
    let torn = "Results of A vs B (8+0.08):\nGames: 36, Wins: 5, Losses: 4, Draws: 25\nPtnml(0-2): [1, 2, 10, 3, 1]\n";
    let whole = "Results of C vs D (8+0.08):\nGames: 4, Wins: 2, Losses: 1, Draws: 1\nPtnml(0-2): [0, 1, 0, 0, 1]\n";
    let (results, source) = read_text(torn.as_bytes(), true).expect("left out");
    assert_eq!((results.players().len(), source.games, source.skipped), (0, 0, 1));
    let (results, source) = read_text([torn, whole].concat().as_bytes(), true).expect("left out");
    assert_eq!((results.players(), source.games), (&["C".to_owned(), "D".to_owned()][..], 4));
}

/// A log that ends between the lines of its last report: a few games more are left out, many count as single games.
#[test]
fn a_much_later_report_counts_without_its_pairs() {
    let report = |games: [u64; 3], pairs: &str| {
        let [wins, losses, draws] = games;
        let all = wins + losses + draws;
        format!(
            "Results of A vs B (1+0.01, 1t, 1MB):\nGames: {all}, Wins: {wins}, Losses: {losses}, Draws: {draws}\n{pairs}"
        )
    };
    let first = report([10, 10, 20], "Ptnml(0-2): [0, 0, 20, 0, 0]\n");
    let (results, source) = read_text(format!("{first}{}", report([11, 10, 22], "")).as_bytes(), false).expect("fine");
    assert_eq!((source.games, source.pairs, source.notes.len()), (40, 20, 0), "{:?}", results.players());
    let (results, source) =
        read_text(format!("{first}{}", report([600, 300, 100], "")).as_bytes(), false).expect("fine");
    assert_eq!((source.games, source.pairs, &results.uncoloured[&[0, 1]]), (1000, 0, &[600, 100, 300]));
    assert!(source.notes[0].contains("counts 1000 games without pairs, the one before it 40"), "{:?}", source.notes);
    let (torn, whole) = (report([40, 40, 80], ""), report([60, 60, 120], "Ptnml(0-2): [0, 0, 120, 0, 0]\n"));
    let (_, source) = read_text([&*first, &*torn, &*whole].concat().as_bytes(), false).expect("fine");
    assert_eq!((source.games, source.pairs, source.notes.len()), (240, 120, 0));
}

#[test]
fn faults_of_a_state_are_said_with_their_line() {
    let fine = ("A vs B", [2, 0, 0, 1, 0, 0, 0, 0, 0]);
    let whole = state(&["A", "B"], &[fine]);
    let cases: [(String, u64, &str); 9] = [
        (whole[..whole.len() - 8].to_owned(), 15, "the file ends in the middle"),
        (whole.replace("\"wins\": 2", "\"wins\": -2"), 6, "integer `-2`, expected u32"),
        (whole.replace("\"wins\": 2", "\"wins\": 4294967296"), 6, "integer `4294967296`, expected u32"),
        (whole.replace("\"penta_WW\": 1", "\"penta_WW\": \"1\""), 9, "invalid type: string"),
        (
            state(&["A", "B"], &[fine, ("A vs C", [1, 1, 0, 1, 0, 0, 0, 0, 0])]),
            16,
            "\"A vs C\": the counts contradict each other: 1 pairs have 2 wins, 0 draws and 0 losses, all games 1, 0 and 1",
        ),
        (state(&["A"], &[("A vs A", [1, 1, 0, 0, 0, 1, 0, 0, 0])]), 5, "\"A\" plays against itself"),
        (state(&["A"], &[("A", [1, 1, 0, 0, 0, 1, 0, 0, 0])]), 5, "does not name two players"),
        (state(&[], &[("a vs b vs c", [1, 1, 0, 0, 0, 1, 0, 0, 0])]), 5, "can be read as several pairs of names"),
        (state(&["A", "B"], &[fine, fine]), 16, "\"A vs B\" has two entries"),
    ];
    for (text, line, message) in cases {
        let error = read_text(text.as_bytes(), false).expect_err(message);
        assert!(error.line == Some(line) && error.what.contains(message), "{error}\n{text}");
        let (_, source) = read_text(text.as_bytes(), true).expect("left out");
        assert_eq!(source.skipped, 1, "{message}");
    }
    let other = read_text(b"{\"a\": 1}", false).expect_err("unknown");
    assert!(other.what.contains("no known results"), "{other}");
    // An entry that is left out takes no other with it.
    let two = state(&["A", "B", "C"], &[("A vs C", [1, 1, 0, 1, 0, 0, 0, 0, 0]), fine]);
    assert_eq!(read_text(two.as_bytes(), true).expect("one is left").1.games, 2);
}

#[test]
fn a_run_of_fishtest_is_read() {
    let run = |tag: &str, wins: u32| {
        format!(
            "{{\"args\": {{\"new_tag\": \"{tag}\", \"base_tag\": \"master\", \"tc\": \"10+0.1\"}},\n\"results\": \
             {{\"wins\": {wins}, \"losses\": 9, \"draws\": 15, \"crashes\": 0, \"pentanomial\": [1, 2, 10, 3, 1]}}}}"
        )
    };
    let (results, source) = read_text(run("patch", 10).as_bytes(), false).expect("fine");
    assert_eq!((source.format, source.games, source.pairs), ("run of fishtest", 34, 17));
    let pairs = PairCounts { win_win: 1, win_draw: 3, win_loss: 5, draw_draw: 5, draw_loss: 2, loss_loss: 1 };
    assert_eq!((results.players()[0].as_str(), results.unordered_pairs[&[0, 1]]), ("patch", pairs));
    assert!(read_text(run("patch", 9).as_bytes(), false).expect_err("too few").what.contains("contradict"));
    assert!(read_text(run("master", 10).as_bytes(), false).expect_err("one name").what.contains("against itself"));
}

const REPORT: &str = "Results of New (x) vs Base (10+0.1, 1t, 16MB, book.epd):
Elo: 2.0 +/- 3.0, nElo: 3.0 +/- 4.0
LOS: 90.00 %, DrawRatio: 50.00 %, PairsRatio: 1.20
Games: 14, Wins: 6, Losses: 4, Draws: 4, Points: 8.0 (57.14 %)
Ptnml(0-2): [0, 2, 3, 0, 2], WL/DD Ratio: 2.00
";

#[test]
fn the_last_report_of_a_match_counts() {
    let earlier = REPORT.replace("14, Wins: 6, Losses: 4, Draws: 4", "8, Wins: 2, Losses: 2, Draws: 4");
    let earlier = earlier.replace("Points: 8.0 (57.14 %)", "Points: 4.0 (50.00 %)");
    let earlier = earlier.replace("[0, 2, 3, 0, 2]", "[0, 2, 1, 0, 1]").replace('\n', "\r\n");
    let games = "Started game 1 of 20 (New (x) vs Base)\nFinished game 1 (New (x) vs Base): 1-0 {White mates}\n";
    let text = [games, &earlier, REPORT, "Finished match\n"].concat();
    let (results, source) = read_text(text.as_bytes(), false).expect("fine");
    assert_eq!((source.format, source.games, source.pairs), ("log", 14, 7));
    assert_eq!(results.players(), ["New (x)", "Base"]);
    let pairs = PairCounts { win_loss: 2, draw_draw: 1, draw_loss: 2, win_win: 2, ..PairCounts::default() };
    assert_eq!(results.unordered_pairs, BTreeMap::from([([0, 1], pairs)]));
    // Other matches: with another limit, with other order, with fewer games, and after another start.
    let other_limit = REPORT.replace("10+0.1", "60+0.6");
    let turned = REPORT.replace("New (x) vs Base", "Base vs New (x)");
    for (more, wins_of_new) in [(other_limit, 12), (turned, 10), (earlier, 8), ([games, REPORT].concat(), 12)] {
        let (results, source) = read_text([REPORT, &more].concat().as_bytes(), false).expect("fine");
        assert_eq!(source.games, 14 + if wins_of_new == 8 { 8 } else { 14 }, "{more}");
        assert_eq!(results.unordered_pairs[&[0, 1]].games()[0], wins_of_new, "{more}");
    }
}

#[test]
fn summaries_of_test_servers_need_no_names() {
    let fishtest = "LLR: 2.94 (-2.94,2.94) <0.00,2.00>\nTotal: 34 W: 10 L: 9 D: 15\nPtnml(0-2): 1, 2, 10, 3, 1\n";
    let openbench = "Elo   | 1.0 +- 2.0 (95%)\nGames | N: 34 W: 10 L: 9 D: 15\nPenta | [1, 2, 10, 3, 1]\n";
    for text in [fishtest, openbench] {
        let (results, source) = read_text(text.as_bytes(), false).expect("fine");
        assert_eq!(
            (source.games, source.pairs, results.players()),
            (34, 17, &["new".to_owned(), "base".to_owned()][..])
        );
        assert_eq!(results.unordered_pairs[&[0, 1]].win_loss, 5);
        assert!(source.notes[0].contains("names no players"), "{source:?}");
        let error = read_text([text, text].concat().as_bytes(), false).expect_err("which players?");
        assert!(error.what.contains("second summary without names") && error.hint.is_some(), "{error}");
        let named = ["Results of A vs B:\n", text, "Results of C vs B:\n", text].concat();
        assert_eq!(read_text(named.as_bytes(), false).expect("named").0.unordered_pairs.len(), 2);
    }
    // As fishtest and OpenBench printed before they counted pairs.
    for text in [
        "LLR: 2.95 (-2.94,2.94) [0.00,5.00]\nTotal: 34 W: 10 L: 9 D: 15\n",
        "ELO   | 7.57 +- 6.08 (95%)\nSPRT  | 5.0+0.05s Threads=1 Hash=64MB\nGAMES | N: 34 W: 10 L: 9 D: 15\n",
    ] {
        let (results, source) = read_text(text.as_bytes(), false).expect("fine");
        assert_eq!((source.format, source.games, source.pairs), ("log", 34, 0));
        assert_eq!(results.uncoloured, BTreeMap::from([([0, 1], [10, 15, 9])]));
    }
    let (results, source) = read_text(b"Results of A vs B\nPtnml(0-2): 1, 2, 10, 3, 1\n", false).expect("fine");
    assert_eq!(points(results.unordered_pairs[&[0, 1]]), [1, 2, 10, 3, 1]);
    assert!(source.notes[0].contains("10 pairs of one point count as two draws each"), "{source:?}");
}

#[test]
fn games_of_a_log_without_reports_are_read_from_their_lines() {
    let table =
        "Rank Name   Elo   +/-   nElo   +/-   Games   Score   Draw   Ptnml(0-2)\n   1 a   1.0   [0, 0, 1, 0, 0]\n";
    let text = "Started game 1 of 6 (a vs b)\nFinished game 2 (b vs a): 0-1 {Black mates}\n\
                Finished game 3 (a vs c): 1-0 {White mates}\nFinished game 1 (a vs b): 1/2-1/2 {}\n\
                Finished game 5 (b vs c): 0-1 {x}\nFinished game 4 (a vs c): 0-1 {x}\nFinished game 6 (c vs b): * {No result}\n";
    let (results, source) = read_text([text, table].concat().as_bytes(), false).expect("fine");
    assert_eq!((source.games, source.pairs), (5, 1));
    assert_eq!(
        (results.players(), &results.pairs),
        (&["b", "a", "c"].map(str::to_owned)[..], &BTreeMap::from([(([0, 1], [2, 1]), 1)]))
    );
    assert_eq!(results.coloured.values().map(|counts| counts.iter().sum::<u64>()).sum::<u64>(), 3);
    let error = read_text(table.as_bytes(), false).expect_err("no games");
    assert!(error.what.contains("against all others") && error.hint.is_some(), "{error}");
    let scores = "Score of a vs b: 1 - 0 - 0  [1.000] 1\nScore of a vs b: 1 - 1 - 0  [0.500] 2\nElo difference: 0\n";
    assert_eq!(read_text(scores.as_bytes(), false).expect("fine").0.uncoloured, BTreeMap::from([([0, 1], [1, 0, 1])]));
}

#[test]
fn faults_of_a_log_are_said_with_their_line() {
    for (text, line, message) in [
        (REPORT.replace("Wins: 6", "Wins: 7"), 4, "7 wins, 4 draws and 4 losses are not 14 games"),
        (
            REPORT.replace("Losses: 4, Draws: 4, Points: 8.0 (57.14 %)", "Losses: 5, Draws: 3"),
            5,
            "contradict each other",
        ),
        (REPORT.replace("14, Wins: 6, Losses: 4", "14, Wins: 7, Losses: 3"), 4, "are 9.0 points, and not 8.0"),
        (REPORT.replace("[0, 2, 3", "[0, 2, 9"), 5, "13 pairs have"),
        (REPORT.replace("2], WL", "2, WL"), 5, "torn"),
        (REPORT.replace("0, 2], WL/DD Ratio: 2.00\n", ""), 5, "torn"),
        (REPORT.replace("[0, 2,", "[0, -2,"), 5, "\"-2\" is not a count"),
        (REPORT.replace("New (x)", "Base"), 5, "\"Base\" plays against itself"),
        (REPORT.replace("New (x)", "a vs b"), 5, "several pairs of names"),
    ] {
        let error = read_text(text.as_bytes(), false).expect_err(message);
        assert!(error.line == Some(line) && error.what.contains(message), "{error}\n{text}");
        assert_eq!(read_text(text.as_bytes(), true).expect("left out").1.skipped, 1, "{message}");
    }
    let utf16: Vec<u8> = format!("\u{feff}{REPORT}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(read_text(&utf16, false).expect_err("another encoding").what.contains("UTF-16"));
}

/// A game with a round, an optional start and movetext.
fn game(round: &str, players: [&str; 2], result: &str, start: Option<&str>, moves: &str) -> String {
    let [white, black] = players;
    let start = start.map_or(String::new(), |fen| format!("[FEN \"{fen}\"]\n"));
    format!(
        "[Event \"e\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n{start}\
         [Opening \"{white}\"]\n\n{moves} {result}\n\n"
    )
}

const AB: [&str; 2] = ["A", "B"];
const BA: [&str; 2] = ["B", "A"];

#[test]
fn games_of_one_round_are_a_pair_wherever_they_are() {
    let games = [
        game("1", AB, "1-0", Some("x"), "1. a {book} 1... b {0.1}"),
        game("2", AB, "1-0", Some("y"), ""),
        game("1", ["A", "C"], "1-0", Some("x"), ""),
        game("2", BA, "1/2-1/2", Some("y"), ""),
        game("3", BA, "0-1", None, "1. d4 {book} d5\n{book} 2. c4 {+0.1/2}"),
        game("1", BA, "0-1", Some("x"), "1. a {book} 1... c {0.1}"),
        game("1", ["C", "A"], "1-0", Some("x"), ""),
        game("3", AB, "1-0", None, "1. d4 {book}\nd5 {book} 2. Nf3 {+0.2/2}"),
    ];
    let (results, source) = read_text(games.concat().as_bytes(), false).expect("fine");
    assert_eq!((source.games, source.pairs, source.notes.len()), (8, 4, 0));
    let wanted = [(([0, 1], [0, 1]), 1), (([0, 1], [0, 2]), 2), (([0, 2], [0, 0]), 1)];
    assert_eq!((&results.pairs, results.coloured.len()), (&BTreeMap::from(wanted), 0));
    // A comment before the tags, or between them, is not one of the moves.
    for comment in ["{ a match }\n\n", "; a match\n\n"] {
        let (commented, _) = read_text(format!("{comment}{}", games.concat()).as_bytes(), false).expect("fine");
        assert_eq!(commented.pairs, results.pairs, "{comment}");
    }
    let between = games.concat().replacen("[Result", "{ a remark }\n[Result", 1);
    assert_eq!(read_text(between.as_bytes(), false).expect("fine").0.pairs, results.pairs);
    // The same games in any order are the same pairs.
    let (backwards, _) = read_text(games.into_iter().rev().collect::<String>().as_bytes(), false).expect("fine");
    assert_eq!(backwards.n_pairs(), 4);
}

#[test]
fn games_without_one_partner_stay_single_and_are_counted() {
    let (x, y) = (Some("x"), Some("y"));
    for (games, pairs, ambiguous) in [
        (vec![game("1", AB, "1-0", x, ""), game("1", BA, "1-0", y, "")], 0, 0),
        (vec![game("1", AB, "1-0", x, ""), game("2", BA, "1-0", x, "")], 0, 0),
        (vec![game("1", AB, "1-0", x, ""), game("1", AB, "1-0", x, "")], 0, 0),
        (vec![game("?", AB, "1-0", x, ""), game("?", BA, "1-0", x, "")], 0, 0),
        (vec![game("-", AB, "1-0", x, ""), game("-", BA, "1-0", x, "")], 0, 0),
        (vec![game("1", AB, "1-0", x, ""), game("1", BA, "1-0", x, ""), game("1", AB, "0-1", x, "")], 0, 3),
        (vec![game("1", AB, "1-0", x, "").replace("\"e\"", "\"f\""), game("1", BA, "1-0", x, "")], 0, 0),
        (
            vec![
                game("1", AB, "1-0", None, "1. e4 {book} e5 {0.1}"),
                game("1", BA, "1-0", None, "1. d4 {book} d5 {0}"),
            ],
            0,
            0,
        ),
        (vec![game("1", AB, "1-0", None, "1. e4 e5 {0.1}"), game("1", BA, "1-0", None, "1. d4 d5 {0}")], 1, 0),
        // Numbers of games in a round: a pair in any order, but two numbers with two games each are two pairs.
        (vec![game("3.2", BA, "1-0", x, ""), game("4.1", AB, "1-0", x, ""), game("3.1", AB, "1-0", x, "")], 1, 0),
        (vec![game("3.1", AB, "1-0", x, ""), game("3.1", BA, "1-0", x, "")], 1, 0),
        (
            vec![
                game("3.1", AB, "1-0", x, ""),
                game("3.1", BA, "1-0", x, ""),
                game("3.2", AB, "1-0", x, ""),
                game("3.2", BA, "0-1", x, ""),
            ],
            2,
            0,
        ),
        (vec![game("3.14", AB, "1-0", x, ""), game("3.14", BA, "1-0", x, "")], 1, 0),
    ] {
        let (results, source) = read_text(games.concat().as_bytes(), false).expect("fine");
        let single: u64 = results.coloured.values().flatten().sum();
        assert_eq!(
            (source.games, source.pairs, single),
            (games.len() as u64, pairs, source.games - 2 * pairs),
            "{games:?}"
        );
        assert_eq!(source.notes.first().map_or(0, |note| note.split(' ').next().unwrap().parse().unwrap()), ambiguous);
    }
}

#[test]
fn two_matches_with_numbered_rounds_in_one_file_keep_their_pairs() {
    let one = [game("1.1", AB, "1-0", None, ""), game("1.2", BA, "1-0", None, "")].concat();
    let (results, _) = read_text([one.as_str(), &one].concat().as_bytes(), false).expect("fine");
    assert_eq!(results.n_pairs(), 2);
}

#[test]
fn an_unfinished_game_leaves_its_partner_single() {
    let text = [game("1", AB, "1-0", None, ""), game("1", BA, "*", None, "")].concat();
    let (results, source) = read_text(text.as_bytes(), false).expect("one is left out");
    assert_eq!((source.games, source.pairs, source.skipped), (1, 0, 0));
    assert_eq!(source.left_out[&LeftOut::Unfinished], Counted { games: 1, line: 10 });
    assert_eq!(results.coloured[&[0, 1]], [1, 0, 0]);
}
