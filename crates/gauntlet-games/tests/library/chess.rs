//! Tests of chess on 8x8 and 5x5 against node counts, play-outs and games of other programs.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;

use flate2::read::GzDecoder;
use gauntlet_games::base::{Action, Record, Side};
use gauntlet_games::formats::records::RecordsHeader;
use gauntlet_games::formats::{Transcript, pgn};
use gauntlet_games::games::{Game, GameSpec, Lookback, Past, Position};
use serde_json::{Value, json};

#[test]
fn node_counts_are_those_of_other_engines() {
    let Some(bytes) = shared("oracles/perft.json") else { return };
    let oracle: Value = serde_json::from_slice(&bytes).unwrap();
    let mut compared = 0;
    for (variant, size) in [("chess", 8), ("gardner", 5)] {
        let game = game(json!({ "size": size }));
        for count in oracle["positions"].as_array().unwrap().iter().filter(|count| count["variant"] == variant) {
            let start = game.begin(count["fen"].as_str()).unwrap();
            if count["nodes"].as_u64().unwrap() < 10_000_000 {
                let depth = count["depth"].as_u64().unwrap() as usize;
                assert_eq!(perft(&*start, depth), count["nodes"], "{count}");
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "only {compared} counts");
}

fn perft(position: &dyn Position, depth: usize) -> u64 {
    let mut actions = Vec::new();
    position.actions(&mut actions);
    if depth == 1 {
        return actions.len() as u64;
    }
    let mut next = position.fork();
    let below = |action| {
        next.assign(position);
        next.play(action);
        perft(&*next, depth - 1)
    };
    actions.into_iter().map(below).sum()
}

#[test]
fn play_outs_are_those_of_openspiel() {
    agrees("oracles/playouts/chess-8x8", &json!({ "size": 8, "ply-cap": 0 }));
}

#[test]
fn play_outs_are_those_of_pgx() {
    let rules = |size: u8| json!({ "size": size, "passant-key": "always" });
    for (file, size) in
        [("gardner-5x5", 5), ("gardner-5x5-special", 5), ("chess-8x8-pgx", 8), ("chess-8x8-pgx-special", 8)]
    {
        agrees(&format!("oracles/alphagateau/playouts/{file}"), &rules(size));
    }
}

/// Replays every play-out: legal counts at each ply, the end, the result (OpenSpiel gives Black's first) and the
/// final position; every move is written and read back in standard notation.
fn agrees(file: &str, rules: &Value) {
    let Some(bytes) = shared(&format!("{file}.jsonl.gz")) else { return };
    let game = game(rules.clone());
    let mut games = 0;
    for line in BufReader::new(GzDecoder::new(&*bytes)).lines().skip(1) {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        games += 1;
        let mut position = game.begin(line["start"].as_str()).unwrap();
        let moves = line["moves"].as_array().unwrap();
        for (ply, (name, count)) in moves.iter().zip(line["legal_counts"].as_array().unwrap()).enumerate() {
            let place = format!("{file}, game {games}, ply {ply}");
            assert_eq!(position.outcome(), None, "{place}");
            let legal = legal(&*position);
            assert_eq!(legal.len() as u64, *count, "{place}");
            let action = game.read_move(&*position, name.as_str().unwrap()).unwrap();
            let written = game.write_move(&*position, action);
            assert_eq!(game.read_move(&*position, &written), Some(action), "{place}: {written}");
            if line["reasons"].is_null() {
                assert_eq!(written, name.as_str().unwrap(), "{place}");
            }
            position.play(action);
        }
        let place = format!("{file}, game {games}");
        let returns = &line["returns"];
        let white = if line["reasons"].is_null() { &returns[1] } else { &returns[0] };
        assert_eq!(position.outcome().map(|end| end.score(Side::First)), white.as_f64(), "{place}");
        let fen = game.write_position(&*position).unwrap();
        assert_eq!(fen, line["final"].as_str().unwrap(), "{place}");
        let again = game.read_position(&fen).unwrap();
        assert_eq!(game.write_position(&*again), Some(fen), "{place}");
    }
    assert!(games >= 20, "{file} is short");
}

/// The last eight positions with their repetitions, and the plies: the node features of pgx, from the point of view
/// of the side to move.
#[test]
fn the_past_is_that_of_pgx() {
    let Some(bytes) = shared("oracles/alphagateau/chess_features.json.gz") else { return };
    let mut text = String::new();
    GzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
    let oracle: Value = serde_json::from_str(&text).unwrap();
    let (mut past, mut repeated) = (Past::new(), 0);
    for (name, size, most) in [("8x8", 8, 512.0), ("5x5", 5, 256.0)] {
        let game = game(json!({ "size": size, "passant-key": "always" }));
        for expected in oracle[name]["positions"].as_array().unwrap() {
            let moves = oracle[name]["games"][expected["game"].as_u64().unwrap() as usize].as_array().unwrap();
            let mut position = game.start();
            for text in &moves[..expected["ply"].as_u64().unwrap() as usize] {
                position.play(game.read_move(&*position, text.as_str().unwrap()).unwrap());
            }
            position.past(Lookback { actions: 0, positions: 8 }, &mut past);
            let place = format!("{name}, {}", expected["fen"]);
            let node = |site: usize| {
                let (row, column) = (site / size, site % size);
                column * size + if position.side() == Side::First { size - 1 - row } else { row }
            };
            let on = |channel: usize| {
                let everywhere = expected["const"].get(channel.to_string()) == Some(&json!(1.0));
                let ones = expected["ones"].get(channel.to_string()).and_then(Value::as_array);
                let ones = ones.into_iter().flatten().map(|node| node.as_u64().unwrap() as usize);
                if everywhere { (0..size * size).collect() } else { ones.collect::<Vec<usize>>() }
            };
            for plies in 0..8 {
                let known = plies < past.positions();
                let repetitions = if known { past.repetitions[plies] } else { 0 };
                repeated += usize::from(repetitions > 0);
                assert_eq!(on(14 * plies + 12).is_empty(), repetitions > 0, "{place}: {plies} plies ago");
                assert_eq!(on(14 * plies + 13).is_empty(), repetitions == 0, "{place}: {plies} plies ago");
                let pieces = if known { past.position(plies) } else { &[] };
                for (side, kind) in Side::BOTH.into_iter().flat_map(|side| (0..6).map(move |kind| (side, kind))) {
                    let stands = |&site: &usize| (pieces[site].side(), pieces[site].kind()) == (Some(side), kind);
                    let mut nodes: Vec<usize> = (0..pieces.len()).filter(stands).map(node).collect();
                    nodes.sort_unstable();
                    let channel = 14 * plies + usize::from(side != position.side()) * 6 + usize::from(kind);
                    assert_eq!(nodes, on(channel), "{place}: {plies} plies ago, {side:?} {kind}");
                }
            }
            let plies = expected["const"]["113"].as_f64().unwrap_or(0.0);
            assert!((f64::from(past.plies) / most - plies).abs() < 1e-6, "{place}");
        }
    }
    assert!(repeated > 20, "only {repeated} positions had come before");
}

fn legal(position: &dyn Position) -> Vec<Action> {
    let mut legal = Vec::new();
    position.actions(&mut legal);
    legal
}

fn game(settings: Value) -> Arc<dyn Game> {
    serde_json::from_value::<GameSpec>(json!({ "chess": settings })).unwrap().build()
}

fn beside(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name)
}

/// A file beside the project, if it exists.
fn shared(name: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    match std::fs::File::open(beside(name)) {
        Ok(mut file) => file.read_to_end(&mut bytes).map(|_| bytes).ok(),
        Err(_) => {
            println!("skipped: {name} is not beside the project");
            None
        }
    }
}

/// Games that AlphaGateau's authors published, in long notation: read, replayed to their result, and written back.
#[test]
fn published_games_are_replayed_and_written_back() {
    let Ok(files) = std::fs::read_dir(beside("data/alphagateau/pgn")) else {
        return println!("skipped: the published games are not beside the project");
    };
    let spec: GameSpec =
        serde_json::from_value(json!({ "chess": { "size": 8, "passant-key": "always", "ply-cap": 256 } })).unwrap();
    let game = spec.build();
    let mut games = 0;
    for file in files {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let read = pgn::read(&bytes, &spec, usize::MAX).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let written = text.lines().filter(|line| line.starts_with("1. "));
        for (transcript, line) in read.iter().zip(written) {
            let words = line.split(' ').filter(|word| !word.ends_with('.') && !word.starts_with("1/2"));
            let words: Vec<&str> = words.filter(|word| !["1-0", "0-1", "*"].contains(word)).collect();
            let mut position = game.start();
            for (&action, word) in transcript.actions.iter().zip(&words) {
                assert_eq!(game.write_long_move(&*position, action), *word);
                position.play(action);
            }
            assert_eq!((transcript.actions.len(), position.outcome()), (words.len(), transcript.outcome));
            games += 1;
        }
        let names = read.iter().flat_map(|transcript| transcript.names.clone()).collect();
        let record = |(at, transcript): (usize, &Transcript)| {
            let record = Record::new(at, [2 * at, 2 * at + 1], transcript.actions.clone(), transcript.outcome?);
            Some(Record { start: transcript.start.clone(), ..record })
        };
        let records: Vec<Record> = read.iter().enumerate().filter_map(record).collect();
        let standard = pgn::write(&RecordsHeader::new(spec.clone(), names), &records).unwrap();
        let again = pgn::read(standard.as_bytes(), &spec, usize::MAX).unwrap();
        let moves = |games: &[Transcript]| games.iter().map(|game| game.actions.clone()).collect::<Vec<_>>();
        assert_eq!(moves(&again), moves(&read));
    }
    assert_eq!(games, 240);
}
