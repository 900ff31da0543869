//! Tests of `gauntlet rate` and the artefacts of the AlphaGateau paper, as a user runs them.

use std::io::Read;
use std::time::Instant;

use crate::workshop::{Ended, Workshop, json, published_results};
use gauntlet_games::formats::pgn::PgnReader;
use serde_json::Value;

const ARTEFACTS: [&str; 8] = ["elo-table", "fig5", "fig6", "fig7", "fig8", "fig10", "fig12", "fig14"];

fn games(results: &[(&str, &str, &str)]) -> String {
    let game = |(white, black, result): &(&str, &str, &str)| {
        format!(
            "[Event \"t\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 e5 {result}\n\n"
        )
    };
    results.iter().map(game).collect()
}

/// Three players in a round robin with both colours, repeated several times.
fn tournament() -> String {
    let mut all = Vec::new();
    for (a, b, results) in [
        ("Anna", "Bert", ["1-0", "1-0", "1/2-1/2", "0-1", "1/2-1/2", "0-1"]),
        ("Anna", "Carl", ["1-0", "0-1", "1/2-1/2", "0-1", "1-0", "1/2-1/2"]),
        ("Bert", "Carl", ["1-0", "0-1", "0-1", "1/2-1/2", "1-0", "0-1"]),
    ] {
        for (round, result) in results.into_iter().enumerate() {
            all.push(if round % 2 == 0 { (a, b, result) } else { (b, a, result) });
        }
    }
    games(&all)
}

#[test]
fn a_small_tournament_is_rated_and_written_in_every_format() {
    let workshop = Workshop::new();
    workshop.write("games.pgn", &tournament());
    let Ended { stdout, stderr, .. } = workshop.ends(0, &["rate", "games.pgn"]);
    assert!(!workshop.path("reports").exists() && !stderr.contains("written"), "{stderr}");
    let refusal = workshop.ends(2, &["rate", "games.pgn", "--name", "ours"]).stderr;
    assert!(refusal.contains("no file is written") && refusal.contains("--reports DIR"), "{refusal}");
    workshop.ends(0, &["rate", "games.pgn", "--reports", "reports"]);
    insta::assert_snapshot!(stdout, @r"
     #  player  Elo     ± 95 %  WLS     ± 95 %  games  score   draws   opponents
     1  Anna    1135.1  132.9   1110.5  147.5   12     75.0 %  33.3 %  2
     2  Bert    1023.0  134.3   1018.6  140.8   12     54.2 %  25.0 %  2
     3  Carl    841.9   145.7   870.9   152.0   12     20.8 %  25.0 %  2
    ");
    assert!(stderr.contains("games.pgn: 18 games (PGN)"), "{stderr}");
    for extension in ["csv", "json", "md", "tex", "png", "svg"] {
        assert!(workshop.path(&format!("reports/rate/ratings.{extension}")).metadata().unwrap().len() > 100);
    }
    let csv = workshop.read("reports/rate/ratings.csv");
    assert!(csv.starts_with("player,bt_elo,bt_error,bt_low,bt_high,wls_elo,"), "{csv}");
    assert_eq!(csv.lines().count(), 4);
}

#[test]
fn options_move_the_zero_and_the_width() {
    let workshop = Workshop::new();
    workshop.write("games.pgn", &tournament());
    let rated = |more: &[&str]| {
        let stdout = workshop.ends(0, &[&["rate", "games.pgn", "--json"], more].concat()).stdout;
        let value: Value = serde_json::from_str(&stdout).unwrap();
        let elo = |name: &str| {
            let players = value["players"].as_array().unwrap();
            let player = players.iter().find(|player| player["name"] == name).unwrap();
            [&player["likelihood"]["elo"], &player["least_squares"]["elo"]].map(|elo| elo.as_f64().unwrap())
        };
        ([elo("Anna"), elo("Bert"), elo("Carl")], value)
    };
    let (plain, value) = rated(&[]);
    assert_eq!(value["components"], 1);
    let (anchored, _) = rated(&["--anchor", "Bert=2500"]);
    for method in 0..2 {
        assert!((anchored[1][method] - 2500.0).abs() < 1e-6);
        assert!((anchored[0][method] - anchored[1][method] - (plain[0][method] - plain[1][method])).abs() < 1e-5);
    }
    let (moved, _) = rated(&["--mean", "-100"]);
    assert!((moved.iter().map(|elo| elo[0]).sum::<f64>() + 300.0).abs() < 1e-6);
    let (prior, _) = rated(&["--prior", "4"]);
    assert!((prior[0][0] - prior[1][0]).abs() < (plain[0][0] - plain[1][0]).abs());
    // White scored 8.5 of 18.
    let (_, fitted) = rated(&["--advantage", "fit"]);
    assert!(fitted["advantage"]["elo"].as_f64().unwrap() < 0.0 && fitted["advantage"]["error"].is_f64());
    let stderr = workshop.ends(2, &["rate", "games.pgn", "--anchor", "Bart=0"]).stderr;
    assert!(stderr.contains("who played no game") && stderr.contains("did you mean `Bert`?"), "{stderr}");
    let stderr = workshop.ends(2, &["rate", "games.pgn", "--anchor", "Zzz=0"]).stderr;
    assert!(stderr.contains("the players are ") && stderr.contains("Bert"), "{stderr}");
}

#[test]
fn bad_input_is_one_message_and_exit_2_unless_it_may_be_skipped() {
    let workshop = Workshop::new();
    let fine = tournament();
    let with = |bad: &[(&str, &str, &str)]| [fine.clone(), games(bad)].concat();
    let no_result = games(&[("Anna", "Bert", "1-0")]).replace("[Result \"1-0\"]\n", "");
    let csv = "player_a,player_b,wins_a,draws,losses_a\nAnna,Bert,3,1,2\n";
    let files: [(&str, String, &str); 12] = [
        ("missing.pgn", [fine.clone(), no_result].concat(), "missing.pgn:127: the game that starts here has no Result"),
        (
            "unknown.pgn",
            with(&[("Anna", "Bert", "2-1")]),
            "unknown.pgn:127: the game that starts here has the unknown result",
        ),
        ("self.pgn", with(&[("Anna", "Anna", "1-0")]), "self.pgn:127: \"Anna\" plays against itself"),
        ("binary.pgn", "\x7fELF\0\x01\x02".to_owned(), "binary.pgn:1: this is a binary or compressed file"),
        ("negative.csv", format!("{csv}Anna,Carl,-3,0,0\n"), "negative.csv:3: `wins_a` is \"-3\""),
        ("fraction.csv", format!("{csv}Anna,Carl,2.5,0,0\n"), "fraction.csv:3: `wins_a` is \"2.5\""),
        ("self.csv", format!("{csv}Anna,Anna,2,0,0\n"), "self.csv:3: \"Anna\" plays against itself"),
        ("quote.csv", csv.replace("Bert,3", "\"Bert,3"), "quote.csv:2: a quote is never closed"),
        (
            "game.sgf",
            "(;GM[1]PB[Anna, of A]PW[Bert]RE[who?];B[aa])".to_owned(),
            "game.sgf:1: the unknown result \"who?\"",
        ),
        (
            "huge.json",
            "{\"results\": {\"Anna\": {\"Bert\": [18446744073709551615, 1, 2]}}}".to_owned(),
            "huge.json:1: invalid value: integer `18446744073709551615`, expected u32",
        ),
        (
            "torn.json",
            "{\"results\": {\"Anna\": {\"Bert\": [1, 2".to_owned(),
            "torn.json:1: the file ends in the middle",
        ),
        (
            "torn.jsonl",
            "{\"records\":1,\"game\":{\"gomoku\":".to_owned(),
            "torn.jsonl:1: the record ends in the middle",
        ),
    ];
    workshop.write("fine.pgn", &fine);
    for (name, text, message) in &files {
        workshop.write(name, text);
        let Ended { stdout, stderr, .. } = workshop.ends(2, &["rate", "fine.pgn", name]);
        assert!(stdout.is_empty() && stderr.contains(message) && stderr.contains("games read before it: "), "{stderr}");
        assert_eq!(stderr.matches("error:").count(), 1, "{stderr}");
        let stderr = workshop.ends(0, &["rate", "fine.pgn", name, "--skip-bad"]).stderr;
        assert!(stderr.contains("1 bad entries were left out") && stderr.contains(message), "{stderr}");
    }
    assert!(!workshop.path("reports/rate/torn.csv").exists());
    let stderr = workshop.ends(2, &["rate", "nowhere.pgn"]).stderr;
    assert!(stderr.contains("nowhere.pgn: cannot read it") && !stderr.contains("games read before"), "{stderr}");
    workshop.write("headless.csv", "Anna,Bert,3,1,2\n");
    let stderr = workshop.ends(2, &["rate", "headless.csv"]).stderr;
    assert!(stderr.contains("headless.csv:1: there is no column `player_a`\n"), "{stderr}");
    let columns = "player_a,player_b,wins_a,draws,losses_a";
    let way = format!("the first line must name the columns: {columns} for counts, or white,black,result");
    assert!(stderr.contains(&way), "{stderr}");
    let help = workshop.ends(0, &["rate", "--help"]).stdout;
    assert!(help.contains(columns), "{help}");
}

#[test]
fn files_without_a_good_game_name_the_first_fault() {
    let workshop = Workshop::new();
    workshop.write("unfinished.pgn", "[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n");
    let stderr = workshop.ends(2, &["rate", "unfinished.pgn", "--skip-bad"]).stderr;
    let wanted = "no game was read: --skip-bad left out 1, the first at unfinished.pgn:1: the game that starts here";
    assert!(stderr.contains(wanted), "{stderr}");
}

#[test]
fn a_file_of_another_kind_says_how_to_mend_it() {
    let workshop = Workshop::new();
    workshop.write("list.json", "[1, 0]\n");
    let stderr = workshop.ends(2, &["rate", "list.json"]).stderr;
    assert!(stderr.contains("hint: write each game as a row of a CSV") && !stderr.contains("--skip-bad"), "{stderr}");
}

#[test]
fn games_of_tournaments_that_are_no_results_are_named_once() {
    let workshop = Workshop::new();
    let unfinished = games(&[("Anna", "Bert", "*"), ("Bert", "Anna", "*"), ("Anna", "Carl", "0-0")]);
    let forfeits = games(&[("Anna", "Dora", "1F-0F"), ("Dora", "Bert", "-/+")]).replace("1. e4 e5 ", "");
    let variant = games(&[("Anna", "Bert", "1-0")]).replace("[White", "[Variant \"Atomic\"]\n[White");
    workshop.write("all.pgn", &[tournament(), unfinished.clone(), forfeits.clone(), variant].concat());
    let Ended { stderr, .. } = workshop.ends(0, &["rate", "all.pgn", "--prior", "2"]);
    for note in [
        "3 games are left out: 2 unfinished, 1 lost by both players; the first is in line 127",
        "2 games without play (forfeits, or no move) count; --unplayed leave leaves them out; the first is in line 148",
        "rated together; hint: rate each kind alone (20 without a variant, 1 of atomic)",
    ] {
        assert_eq!(stderr.matches(note).count(), 1, "{note}: {stderr}");
    }
    let json = workshop.ends(0, &["rate", "all.pgn", "--prior", "2", "--unplayed", "leave", "--json"]).stdout;
    let rated: Value = serde_json::from_str(&json).unwrap();
    let file = &rated["files"][0];
    assert_eq!((&file["games"], &file["unplayed"], &file["left_out"]), (&19.into(), &2.into(), &3.into()));
    assert_eq!(rated["players"].as_array().unwrap().len(), 3);
    workshop.write("unfinished.pgn", &unfinished);
    let stderr = workshop.ends(2, &["rate", "unfinished.pgn"]).stderr;
    assert!(stderr.contains("no game counts: 3 games are left out: 2 unfinished"), "{stderr}");
    workshop.write("forfeits.pgn", &forfeits);
    let stderr = workshop.ends(2, &["rate", "forfeits.pgn", "--unplayed", "leave"]).stderr;
    assert!(stderr.contains("no game counts: 2 games without play"), "{stderr}");
}

#[test]
fn names_from_outside_are_harmless_everywhere() {
    let workshop = Workshop::new();
    let evil = "=cmd|' /C\u{1b}[31m <b>&_%\u{202e}";
    workshop.write("games.pgn", &games(&[(evil, "B", "1-0"), ("B", evil, "1-0"), (evil, "B", "1/2-1/2")]));
    let Ended { stdout, stderr, .. } = workshop.ends(0, &["rate", "games.pgn", "--reports", "reports"]);
    let files = ["csv", "json", "md", "tex", "svg"]
        .map(|extension| workshop.read(&format!("reports/rate/ratings.{extension}")));
    for text in [&stdout, &stderr].into_iter().chain(&files) {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
    let [csv, _, md, tex, svg] = files;
    assert!(csv.contains("'=cmd") && tex.contains(r"\&\_\%") && !md.contains("<b>") && !svg.contains("<b>"));
}

#[test]
fn different_games_are_counted_when_moves_are_read() {
    let workshop = Workshop::new();
    let other = tournament().replacen("1. e4 e5", "1. d4 {clock} d5", 1);
    workshop.write("games.pgn", &other);
    let stdout = workshop.ends(0, &["rate", "games.pgn", "--moves", "--json"]).stdout;
    // Six ordered pairs of players, all with the same moves except for one game.
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap()["distinct_games"], 7);
}

/// An endless stream of games, up to a number of bytes.
struct Stream<'a> {
    game: &'a [u8],
    at: usize,
    left: usize,
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len().min(self.game.len() - self.at).min(self.left);
        buffer[..n].copy_from_slice(&self.game[self.at..self.at + n]);
        self.at = (self.at + n) % self.game.len();
        self.left -= n;
        Ok(n)
    }
}

#[test]
fn pgn_streams_quickly() {
    let moves: String = (1..=40).map(|n| format!("{n}. Nf3 {{ +0.31/12 0.52s }} Nc6 {{ -0.28/13 0.49s }}\n")).collect();
    let game = games(&[("Anna", "Bert", "1-0")]).replace("1. e4 e5", &moves);
    let bytes = game.len() * 30_000;
    let mut reader = PgnReader::new(Stream { game: game.as_bytes(), at: 0, left: bytes });
    let start = Instant::now();
    let mut n = 0;
    while reader.next_game().unwrap().is_some() {
        n += 1;
    }
    let rate = bytes as f64 / 1e6 / start.elapsed().as_secs_f64();
    eprintln!("{n} games, {:.0} MB at {rate:.0} MB/s", bytes as f64 / 1e6);
    assert_eq!(n, 30_000);
    // A loose bound, for busy machines.
    assert!(rate > 40.0, "{rate}");
}

#[test]
fn manifests_resolve_without_the_data_and_say_what_they_want() {
    let workshop = Workshop::new();
    let names = ARTEFACTS.map(|artefact| format!("alphagateau2024/{artefact}"));
    let names = names.each_ref().map(String::as_str);
    let stdout = workshop.ends(0, &[&["check"], &names[..]].concat()).stdout;
    assert_eq!(stdout.matches(": ok,").count(), names.len(), "{stdout}");
    workshop.ends(0, &[&["plan"], &names[..]].concat());
    for artefact in ["alphagateau2024/elo-table", "alphagateau2024/fig10"] {
        let stderr = workshop.ends(2, &["reproduce", artefact]).stderr;
        assert!(
            stderr.contains("rankings.json") && stderr.contains("https://github.com/Akulen/AlphaGateau"),
            "{stderr}"
        );
        assert!(stderr.contains("--data") && !workshop.path("reports").exists(), "{stderr}");
    }
}

/// Rows of an artefact's CSV as maps; no text contains a line break.
fn rows(text: &str) -> Vec<std::collections::HashMap<String, String>> {
    let split = |line: &str| {
        let mut quoted = false;
        let fields = line.split(|c: char| {
            quoted ^= c == '"';
            c == ',' && !quoted
        });
        fields.map(|field| field.trim_matches('"').to_owned()).collect::<Vec<String>>()
    };
    let head = split(text.lines().next().unwrap());
    text.lines().skip(1).map(|line| head.iter().cloned().zip(split(line)).collect()).collect()
}

#[test]
fn the_paper_s_numbers_come_out_of_the_artefact() {
    let Some(data) = published_results() else { return };
    let data = data.to_str().unwrap();
    let workshop = Workshop::new();
    let names: Vec<String> = ARTEFACTS.iter().map(|artefact| format!("alphagateau2024/{artefact}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let stderr = workshop.ends(0, &[&["reproduce", "--data", data, "-q"], &names[..]].concat()).stderr;
    assert!(stderr.is_empty(), "{stderr}");
    let reports = "reports/alphagateau2024/laptop";
    let table = rows(&workshop.read(&format!("{reports}/elo-table.csv")));
    let papers = table.iter().filter(|row| row["column"].starts_with("Weighted"));
    let number = |row: &std::collections::HashMap<String, String>, column: &str| row[column].parse::<f64>().unwrap();
    let found: Vec<[f64; 4]> = papers
        .map(|row| {
            assert_eq!((row["verdict"].as_str(), row["n_runs"].as_str()), ("agrees", "1"));
            let two_sigma = |column| 2.0 * number(row, column);
            [number(row, "value"), two_sigma("error"), number(row, "published"), two_sigma("published_error")]
        })
        .collect();
    let expected = [
        [2104.86, 42.45, 2105.0, 42.0],
        [667.23, 37.80, 667.0, 38.0],
        [806.53, 46.39, 807.0, 46.0],
        [1181.08, 49.63, 1181.0, 50.0],
        [1876.42, 46.61, 1876.0, 47.0],
    ];
    assert_eq!(found.len(), 5);
    for (ours, expected) in found.iter().zip(expected) {
        assert!(ours.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.005), "{ours:?} {expected:?}");
    }
    let markdown = workshop.read(&format!("{reports}/elo-table.md"));
    assert!(markdown.contains("2104.86 ± 42.45") && markdown.contains("2105 ± 42"), "{markdown}");
    let hours = rows(&workshop.read(&format!("{reports}/running-times.csv")));
    let hours: Vec<[f64; 2]> = hours
        .iter()
        .filter(|row| row["column"] == "Hours")
        .map(|row| [(number(row, "value") * 10.0).floor() / 10.0, number(row, "published")])
        .collect();
    assert_eq!(hours[..2], [[278.9, 328.0], [198.0, 243.0]]);

    every_player_is_the_published_one(&workshop);
    let curves = rows(&workshop.read(&format!("{reports}/fig12.csv")));
    assert_eq!(curves.len(), 2 * 150);
    // Six GPUs for 123.1 hours are eight for 92.3.
    let last = curves.iter().rfind(|row| row["row"].contains("fine-tuned")).unwrap();
    assert!((number(last, "x") - 92.31).abs() < 0.01, "{last:?}");
    let again = workshop.ends(0, &["reproduce", "--data", data, "alphagateau2024/fig5"]).stderr;
    assert!(again.contains("all jobs are cached"), "{again}");
}

/// The stored job against the authors' own columns.
fn every_player_is_the_published_one(workshop: &Workshop) {
    let jobs = std::fs::read_dir(workshop.path("results/jobs")).unwrap().flatten();
    let ladder = jobs.map(|job| job.path()).find(|path| path.to_string_lossy().contains("measure-ladder")).unwrap();
    let ladder: Value = serde_json::from_slice(&std::fs::read(ladder.join("result.json")).unwrap()).unwrap();
    let players = ladder["players"].as_array().unwrap();
    assert_eq!((players.len(), &ladder["pairs"], &ladder["games"]), (1933, &12_026.into(), &745_300.into()));
    assert_eq!((&ladder["groups"], &ladder["df"]), (&1.into(), &10_094.into()));
    for player in players {
        let pair = |key: &str| [0, 1].map(|k| player[key][k].as_f64().unwrap());
        let ([elo, error], [stored, stored_error]) = (pair("wls"), pair("stored"));
        assert_eq!(elo.trunc(), stored, "{player}");
        assert!((error / stored_error - 1.0).abs() < 1e-9, "{player}");
    }
}

#[test]
fn changed_data_are_other_jobs() {
    let workshop = Workshop::new();
    let result = |wins: u32| {
        format!("{{\"results\": {{\"a/1\": {{\"b/1\": [{wins}, 5, 5]}}, \"b/1\": {{\"c/1\": [9, 1, 3]}}}}}}")
    };
    workshop.write("rankings.json", &result(7));
    workshop.write(
        "m.toml",
        "schema = 1\nname = \"m\"\ntitle = \"m\"\n[stages.l]\nmeasure.ladder = { results = \"rankings.json\" }\n",
    );
    let run = || workshop.ends(0, &["run", "m.toml", "--data", "."]).stderr;
    assert!(run().contains("1 new"));
    assert!(run().contains("1 cached"));
    workshop.write("rankings.json", &result(8));
    assert!(run().contains("1 new"));
    workshop.write(
        "m2.toml",
        "schema = 1\nname = \"m\"\ntitle = \"m\"\n[stages.l]\nmeasure.ladder = { results = \"../x\" }\n",
    );
    assert!(workshop.ends(2, &["check", "m2.toml"]).stderr.contains("not a file of the data directory"));
}

const NAMESAKES: &str = r#"
schema = 1
name = "namesakes"
title = "One name, two players"
games.go.atari-go = { size = 5 }

[agents]
random.random = {}
uct.uct = { simulations = 20 }
net.net = { network = { mdrnn = { units = 3 } } }

[stages.search]
sweep = { "agent.c" = [1.4, 0.01] }
play.match = { game = "go", agent = "uct", opponent = "random", games = 20 }

[stages.both.play.match]
game = "go"
agent = { uct = { simulations = 20, c = 1.4 } }
opponent = { uct = { simulations = 20, c = 0.01 } }
games = 20

[stages.nets]
seeds = 3
play.match = { game = "go", agent = "net", opponent = "random", games = 20 }
"#;

/// The names in the rating of some files.
fn rated(workshop: &Workshop, files: &[String]) -> (Vec<String>, String) {
    let arguments: Vec<&str> =
        ["rate", "--json", "--prior", "2"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let ended = workshop.ends(0, &arguments);
    let ranking = json(&ended.stdout);
    let players = ranking["players"].as_array().unwrap().iter();
    let mut names: Vec<String> = players.map(|player| player["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    let reported = workshop.ends(0, &arguments.into_iter().filter(|word| *word != "--json").collect::<Vec<_>>());
    (names, reported.stderr)
}

/// Records name players by kind and main setting. Other settings are in `key.json`, and tell them apart; so do exported
/// games.
#[test]
fn players_of_one_name_with_other_settings_are_told_apart() {
    let workshop = Workshop::with(NAMESAKES);
    workshop.done("run m.toml --quiet");
    let records: Vec<String> = workshop.files("results/jobs", "games.jsonl").into_keys().collect();
    let (names, reported) = rated(&workshop, &records);
    assert_eq!(names, ["MDRNN k=3", "UCT 20 (c = 0.01)", "UCT 20 (c = 1.4)", "random"]);
    assert!(reported.contains("MDRNN k=3 is 3 networks of one configuration"), "{reported}");
    let mut exported = Vec::new();
    for (at, file) in records.iter().enumerate() {
        for ending in ["pgn", "jsonl"] {
            workshop.ends(0, &["export", file, &format!("{at}.{ending}")]);
        }
        exported.push(format!("{at}.pgn"));
    }
    assert_eq!(rated(&workshop, &exported).0, names);
    let copies: Vec<String> = (0..records.len()).map(|at| format!("{at}.jsonl")).collect();
    assert_eq!(rated(&workshop, &copies).0, names);
    // One player alone keeps its name.
    let random: Vec<String> = records.iter().filter(|file| file.contains("mdrnn")).cloned().collect();
    assert_eq!(rated(&workshop, &random).0, ["MDRNN k=3", "random"]);
}

/// Players that no game links, and a given rating, are marked on pages; the same games in two files are named.
#[test]
fn copies_groups_and_given_ratings_are_named() {
    let workshop = Workshop::new();
    let table = "white,black,result\nA,B,1-0\nB,A,1-0\nC,D,1-0\nD,C,1-0\n";
    ["a.csv", "b.csv"].iter().for_each(|name| workshop.write(name, table));
    let ended = workshop.done("rate a.csv b.csv --anchor A=1500 --reports r");
    assert!(ended.stderr.contains("b.csv has the bytes of a.csv"), "{}", ended.stderr);
    let page = workshop.read("r/rate/ratings.md");
    assert!(page.contains("| Group |") && page.contains("1500.00 (given)"), "{page}");
    assert!(!workshop.read("r/rate/ratings.svg").contains("no error is known"));
    workshop.write("c.log", "Started game 1 of 2 (A vs B)\n");
    let ended = workshop.done("rate a.csv c.log");
    assert!(ended.stderr.contains("no game was found in this file"), "{}", ended.stderr);
    let alone = workshop.done("rate a.csv");
    assert!(!alone.stderr.contains("has the bytes"), "{}", alone.stderr);
}
