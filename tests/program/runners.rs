//! Tests of `gauntlet rate` with the results of match runners: states, logs, and pairs of games in PGN.

use crate::workshop::Workshop;
use serde_json::Value;

/// A report as fastchess prints it, with pairs by points and the wins, draws and losses of all games.
fn report(names: &str, pairs: [u64; 5], [wins, draws, losses]: [u64; 3]) -> String {
    let games = wins + draws + losses;
    let points = wins as f64 + draws as f64 / 2.0;
    let percent = 100.0 * points / games as f64;
    format!(
        "Results of {names} (8+0.08, 1t, 16MB, book.epd):\nElo: 1.00 +/- 2.00, nElo: 1.00 +/- 2.00\n\
         LOS: 50.00 %, DrawRatio: 50.00 %, PairsRatio: 1.00\n\
         Games: {games}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {points:.1} ({percent:.2} %)\n\
         Ptnml(0-2): {pairs:?}, WL/DD Ratio: 1.00\n"
    )
}

/// The likelihood's rating and error of a player, with the other one at 0.
fn rated_against(workshop: &Workshop, file: &str, player: &str, other: &str) -> [f64; 2] {
    let anchor = format!("{other}=0");
    let stdout = workshop.ends(0, &["rate", file, "--json", "--anchor", &anchor]).stdout;
    let value: Value = serde_json::from_str(&stdout).unwrap();
    let players = value["players"].as_array().unwrap();
    let found = players.iter().find(|found| found["name"] == player).unwrap();
    ["elo", "error"].map(|key| found["likelihood"][key].as_f64().unwrap())
}

#[test]
fn errors_of_counted_pairs_are_those_of_fastchess() {
    let workshop = Workshop::new();
    // Pairs by points; wins, draws and losses; Elo and half of the 95 % interval as fastchess 1.5 prints them; Elo and
    // error by an independent computation from the pairs.
    let cases = [
        ([8, 5, 35, 7, 5], [48, 20, 52], [-11.59, 45.61], [-11.585_499, 23.704_7]),
        ([34, 54, 63, 64, 75], [0; 3], [55.58, 27.65], [55.579_8, 14.127_9]),
        ([332, 433, 498, 333, 334], [0; 3], [-8.64, 10.33], [-8.642_7, 5.274_0]),
        ([7895, 8757, 5685, 568, 9999], [0; 3], [-21.04, 2.95], [-21.043_5, 1.502_7]),
    ];
    for (pairs, games, printed, computed) in cases {
        let [a, b, c, d, e] = pairs;
        let games = if games == [0; 3] { [2 * e + d + c, b + d, 2 * a + b + c] } else { games };
        workshop.write("match.log", &report("New vs Base", pairs, games));
        let [elo, error] = rated_against(&workshop, "match.log", "New", "Base");
        // The third digits: fastchess has no correction for small samples, which is 2 % for 60 pairs.
        assert!((elo - printed[0]).abs() < 0.006, "{elo} {printed:?}");
        assert!((1.959_964 * error / printed[1] - 1.0).abs() < 0.02, "{error} {printed:?}");
        assert!((elo - computed[0]).abs() < 1e-3 && (error - computed[1]).abs() < 1e-4, "{elo} {error} {computed:?}");
    }
}

#[test]
fn a_state_a_log_and_pgn_of_one_match_have_one_rating() {
    let workshop = Workshop::new();
    // Three rounds whose games finish in another order: wins of both colours, a draw and a win, two losses.
    let rounds = [
        ("1", "A", "1-0"),
        ("2", "B", "0-1"),
        ("1", "B", "1-0"),
        ("3", "A", "0-1"),
        ("3", "B", "1-0"),
        ("2", "A", "1/2-1/2"),
    ];
    let game = |(round, white, result): (&str, &str, &str)| {
        let black = if white == "A" { "B" } else { "A" };
        format!(
            "[Event \"e\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n{result}\n\n"
        )
    };
    workshop.write("match.pgn", &rounds.map(game).concat());
    workshop.write("match.log", &report("A vs B", [1, 0, 1, 1, 0], [2, 1, 3]));
    let state = "{\"engines\": [{\"name\": \"A\"}, {\"name\": \"B\"}],\n\"stats\": {\"A vs B\": {\"wins\": 2, \"losses\": 3, \
                 \"draws\": 1, \"penta_WW\": 0, \"penta_WD\": 1, \"penta_WL\": 1, \"penta_DD\": 0, \"penta_LD\": 0, \
                 \"penta_LL\": 1}}}";
    workshop.write("match.json", state);
    workshop.write("torn.json", &state[..state.len() - 2]);
    let found = ["match.pgn", "match.log", "match.json"].map(|file| rated_against(&workshop, file, "A", "B"));
    assert!(found.iter().all(|other| (0..2).all(|k| (other[k] - found[0][k]).abs() < 1e-9)), "{found:?}");
    for (file, format) in [("match.pgn", "PGN"), ("match.log", "log"), ("match.json", "state of fastchess")] {
        let stderr = workshop.ends(0, &["rate", file]).stderr;
        assert!(stderr.contains(&format!("{file}: 6 games ({format}), in 3 pairs")), "{stderr}");
    }
    let stderr = workshop.ends(2, &["rate", "torn.json"]).stderr;
    assert!(stderr.contains("torn.json:2: the file ends in the middle") && stderr.contains("hint"), "{stderr}");
    // Colours of counted pairs are unknown.
    let stderr = workshop.ends(0, &["rate", "match.log", "match.pgn", "--advantage", "fit"]).stderr;
    assert!(stderr.contains("3 pairs count as single games: their colours are unknown"), "{stderr}");
    let again = [rounds.map(game).concat(), game(("2", "B", "1-0"))].concat();
    workshop.write("again.pgn", &again);
    let stderr = workshop.ends(0, &["rate", "again.pgn"]).stderr;
    assert!(stderr.contains("again.pgn: 7 games (PGN), 4 of them in 2 pairs and 3 single"), "{stderr}");
    assert!(stderr.contains("3 games could belong to more than one pair"), "{stderr}");
}

#[test]
fn extreme_counts_of_pairs_have_an_answer() {
    let workshop = Workshop::new();
    for (pairs, games, rated) in [
        ([0, 0, 0, 0, 9], [18, 0, 0], false),
        ([0, 0, 1, 0, 0], [1, 0, 1], true),
        ([0, 0, 1, 0, 0], [0, 2, 0], true),
        ([0, 0, 9, 0, 0], [9, 0, 9], true),
        ([0, 0, 0, 0, 0], [3, 1, 2], true),
        ([1_000_000_000; 5], [4_000_000_000, 2_000_000_000, 4_000_000_000], true),
    ] {
        workshop.write("match.log", &report("New vs Base", pairs, games));
        let stdout = workshop.ends(0, &["rate", "match.log", "--json"]).stdout;
        let value: Value = serde_json::from_str(&stdout).unwrap();
        let likelihood = &value["players"][0]["likelihood"];
        assert_eq!(likelihood["error"].as_f64().is_some_and(|error| error > 0.0), rated, "{pairs:?} {likelihood}");
        assert_eq!(value["files"][0]["pairs"], pairs.iter().sum::<u64>());
    }
    workshop.write("match.log", &report("New vs Base", [0; 5], [0; 3]));
    let stderr = workshop.ends(2, &["rate", "match.log"]).stderr;
    assert!(stderr.contains("no game was read"), "{stderr}");
}
