//! Tests of the fifteen games, move by move, against recordings of the reference system.

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

use flate2::read::GzDecoder;
use rand::RngExt as _;
use serde_json::Value;

use super::compile::compile;
use super::library::LIBRARY;
use super::machine::{DescribedPosition, Move, Tables};
use super::program::{MoveKind, Program};
use super::text::Source;
use crate::base::{Rng, Seed};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracles/ludemes")
}

fn program(name: &str) -> Program {
    let game = super::library::described(name).unwrap();
    compile(Source { name, text: game.text }, &[], &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// The lines of a packed file, each a JSON value.
fn lines(folder_name: &str, name: &str) -> Vec<Value> {
    let path = folder().join(folder_name).join(format!("{}.jsonl.gz", name.replace('-', "_")));
    let Ok(bytes) = std::fs::read(&path) else {
        eprintln!("skipped: ../shared/oracles/ludemes/{folder_name} is not there");
        return Vec::new();
    };
    let mut text = String::new();
    GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The rank of a kind of move in checksums, and its name.
fn kind(kind: MoveKind) -> (i64, &'static str) {
    match kind {
        MoveKind::Place => (1, "place"),
        MoveKind::Step => (2, "step"),
        MoveKind::Slide => (3, "slide"),
        MoveKind::Hop => (4, "hop"),
        MoveKind::Select => (5, "select"),
        MoveKind::Pass => (6, "pass"),
        MoveKind::Swap => (7, "swap"),
        MoveKind::Drop => (8, "drop"),
        MoveKind::Promote => (9, "promote"),
        MoveKind::Propose => (10, "propose"),
        MoveKind::Vote => (11, "vote"),
        MoveKind::Remove => (12, "remove"),
        MoveKind::Move => (13, "move"),
    }
}

fn site(at: u16) -> i64 {
    if at == u16::MAX { -1 } else { i64::from(at) }
}

/// A legal move: kind, sites, text, and the move itself (`None` for a forced pass and a swap).
type Legal = (MoveKind, i64, i64, Option<String>, Option<Move>);

fn legal<const W: usize, const S: usize>(position: &DescribedPosition<W, S>) -> Vec<Legal> {
    let mut list = Vec::new();
    position.moves(&mut list);
    let program = position.program();
    let mut all: Vec<Legal> = list
        .iter()
        .map(|made| {
            let rule = &program.rules[usize::from(made.rule)];
            let text = match rule.change {
                super::program::Change::Propose(text) | super::program::Change::Vote(text) => {
                    Some(program.texts[usize::from(text)].clone())
                }
                _ => None,
            };
            (rule.kind, site(made.from), site(made.to), text, Some(*made))
        })
        .collect();
    if all.is_empty() {
        all.push((MoveKind::Pass, -1, -1, None, None));
    }
    if position.may_swap() {
        all.push((MoveKind::Swap, -1, -1, None, None));
    }
    all
}

fn checksum(legal: &[Legal]) -> i64 {
    const P: i64 = 1_000_003;
    legal.iter().fold(0, |sum, (of, from, to, _, _)| {
        let v = ((kind(*of).0 * 1000 + from + 2) * 1000 + to + 2) % P;
        (sum + (v * v + 7 * v) % P) % P
    })
}

fn distinct(legal: &[Legal]) -> usize {
    let mut keys: Vec<_> =
        legal.iter().map(|(of, from, to, text, _)| (kind(*of).0, *from, *to, text.clone())).collect();
    keys.sort();
    keys.dedup();
    keys.len()
}

fn make<const W: usize, const S: usize>(position: &mut DescribedPosition<W, S>, made: &Legal) {
    use super::super::State;
    use crate::base::Action;
    let find = |wanted: super::program::ActionKind| {
        position.program().actions.iter().position(|action| *action == wanted).unwrap()
    };
    match (&made.4, made.0) {
        (Some(made), _) => {
            let number = position.number(made);
            let mut listed = Vec::new();
            State::actions(position, &mut listed);
            assert!(listed.contains(&Action(number)));
            State::play(position, Action(number));
        }
        (None, MoveKind::Swap) => State::play(position, Action::from(find(super::program::ActionKind::Swap))),
        (None, _) => State::play(position, Action::from(find(super::program::ActionKind::Pass))),
    }
}

/// Sites whose pieces vanished, as the oracle lists them.
fn vanished<const W: usize, const S: usize>(
    before: &DescribedPosition<W, S>,
    after: &DescribedPosition<W, S>,
    from: i64,
) -> Vec<i64> {
    let enemy = usize::from(3 - before.board.mover);
    let gone = before.board.own[enemy].without(&after.board.own[enemy]);
    gone.into_iter().map(|site| site as i64).filter(|&site| site != from).collect()
}

fn choose<const W: usize, const S: usize>(
    position: &DescribedPosition<W, S>,
    legal: &[Legal],
    wanted: &Value,
) -> Option<DescribedPosition<W, S>> {
    let text = wanted[5]["s"].as_str();
    let piece = wanted[5]["p"].as_u64();
    let fits = |(of, from, to, own, _): &&Legal| {
        kind(*of).1 == wanted[0] && *from == wanted[1] && *to == wanted[2] && own.as_deref() == text
    };
    let after = legal.iter().filter(fits).map(|made| {
        let mut next = position.clone();
        make(&mut next, made);
        (made, next)
    });
    let mut after: Vec<_> = after.collect();
    if let Some(piece) = piece {
        after.retain(|(made, next)| u64::from(next.board.piece(made.2 as usize)) == piece || wanted[5]["x"].is_array());
    }
    if after.len() > 1 && wanted[5]["x"].is_array() {
        let gone: Vec<i64> = serde_json::from_value(wanted[5]["x"].clone()).unwrap();
        after.retain(|(made, next)| vanished(position, next, made.1) == gone);
    }
    let (_, next) = after.into_iter().next()?;
    Some(next)
}

fn shown<const W: usize, const S: usize>(position: &DescribedPosition<W, S>) -> Vec<Value> {
    let (program, board) = (position.program(), &position.board);
    let owner = |piece: u8| program.pieces[usize::from(piece)].owner;
    let mut all = Vec::new();
    for site in (0..program.sites).filter(|&site| board.piece(site) != 0) {
        all.push(if program.stacking {
            let pieces: Vec<_> = (0..board.height(site))
                .map(|level| board.level(site, level))
                .map(|piece| (owner(piece), piece))
                .collect();
            serde_json::json!([site, pieces])
        } else {
            let count = site.checked_sub(program.board_sites()).map_or(1, |place| board.counts[place]);
            serde_json::json!([site, owner(board.piece(site)), board.piece(site), count])
        });
    }
    all
}

fn check_dump<const W: usize, const S: usize>(position: &DescribedPosition<W, S>, dump: &Value, over: bool, at: &str) {
    assert_eq!(Value::from(shown(position)), dump["b"], "board {at}");
    let board = &position.board;
    if over {
        return;
    }
    assert_eq!(dump["mover"], board.mover, "{at}");
    assert_eq!(dump["turn"], board.turns, "turn {at}");
    assert_eq!(dump["ctr"], board.counter, "counter {at}");
    assert_eq!(dump["ph"], serde_json::json!(board.phase[1..]), "phases {at}");
}

fn check_game<const W: usize, const S: usize>(start: &DescribedPosition<W, S>, game: &Value, at: &str) {
    let mut position = start.clone();
    let dumps = game["dumps"].as_array().unwrap();
    let plies = game["plies"].as_array().unwrap();
    for (ply, played) in plies.iter().enumerate() {
        let at = format!("{at} ply {ply}");
        if let Some(dump) = dumps.iter().find(|dump| dump["t"] == ply) {
            check_dump(&position, dump, false, &at);
        }
        let legal = legal(&position);
        assert_eq!(position.board.ended, None, "{at}");
        let show =
            || legal.iter().map(|(of, from, to, _, _)| format!("{} {from} {to}", kind(*of).1)).collect::<Vec<_>>();
        let dump = || dumps.iter().find(|dump| dump["t"] == ply).map(|dump| dump["legal"].to_string());
        assert_eq!(played[1], legal.len(), "raw {at} {played} {:?} {:?}", show(), dump());
        assert_eq!(played[2], distinct(&legal), "distinct {at}");
        assert_eq!(played[3], position.board.mover, "mover {at}");
        assert_eq!(played[5], checksum(&legal), "checksum {at} {:?}", show());
        let mover = position.board.mover;
        let next = choose(&position, &legal, &played[0]);
        position = next.unwrap_or_else(|| panic!("{} is not legal at {at}", played[0]));
        let again = played[0][5]["again"] == 1;
        assert!(position.board.ended.is_some() || again == (position.board.mover == mover), "again {at} {}", played[0]);
    }
    let at = format!("{at} end");
    if let Some(dump) = dumps.iter().find(|dump| dump["t"] == plies.len()) {
        check_dump(&position, dump, true, &at);
    }
    match game["winner"].as_i64().unwrap() {
        -1 => assert_eq!(position.board.ended, None, "{at}"),
        winner => assert_eq!(position.board.ended.map(i64::from), Some(winner), "{at}"),
    }
}

/// Maximum number of leaves of a tree of moves in the test.
const LEAVES: u64 = 20_000;

/// Number of leaves of the tree of moves of this depth.
fn leaves<const W: usize, const S: usize>(position: &DescribedPosition<W, S>, depth: usize) -> u64 {
    if position.board.ended.is_some() {
        return 0;
    }
    let legal = legal(position);
    if depth == 1 {
        return legal.len() as u64;
    }
    let after = |made: &Legal| {
        let mut next = position.clone();
        make(&mut next, made);
        leaves(&next, depth - 1)
    };
    legal.iter().map(after).sum()
}

/// Checks the trees of moves from the start and from positions in the middle of games.
fn check_trees<const W: usize, const S: usize>(start: &DescribedPosition<W, S>, title: &str) {
    let Ok(text) = std::fs::read_to_string(folder().join("perft.json")) else { return };
    let truth: Value = serde_json::from_str(&text).unwrap();
    for entry in truth["games"][title].as_array().unwrap() {
        let mut position = start.clone();
        for played in entry["moves"].as_array().unwrap() {
            position = choose(&position, &legal(&position), played).unwrap();
        }
        let raw: Vec<u64> = serde_json::from_value(entry["raw"].clone()).unwrap();
        for (depth, &count) in (1..).zip(&raw).filter(|(_, count)| **count <= LEAVES) {
            assert_eq!(leaves(&position, depth), count, "{title} {} depth {depth}", entry["id"]);
        }
    }
}

/// A random game over the moves as the reference system lists them: its plies and the winner, 0 for a draw.
fn random_game<const W: usize, const S: usize>(start: &DescribedPosition<W, S>, rng: &mut Rng) -> [f64; 2] {
    let (mut position, mut plies) = (start.clone(), 0.0);
    loop {
        if let Some(winner) = position.board.ended {
            return [plies, f64::from(winner)];
        }
        let legal = legal(&position);
        make(&mut position, &legal[rng.random_range(0..legal.len())]);
        plies += 1.0;
    }
}

/// Approximate number of plies in all random games of one game.
const PLIES: f64 = 60_000.0;

/// Checks that random games have the length and outcome frequencies of the reference system, within three standard
/// errors of the difference.
fn check_random_play<const W: usize, const S: usize>(start: &DescribedPosition<W, S>, title: &str) {
    let Ok(text) = std::fs::read_to_string(folder().join("stats.json")) else { return };
    let truth = &serde_json::from_str::<Value>(&text).unwrap()["games"][title];
    let fact = |key: &str| truth[key].as_f64().unwrap();
    let games = (PLIES / fact("mean_len")).clamp(100.0, 2000.0) as usize;
    let mut rng = Seed::new(2).rng();
    let played: Vec<[f64; 2]> = (0..games).map(|_| random_game(start, &mut rng)).collect();
    let (ours, theirs) = (games as f64, fact("n"));
    let near = |key: &str, mean: f64, deviation: f64| {
        let error = deviation * (1.0 / ours + 1.0 / theirs).sqrt();
        assert!((mean - fact(key)).abs() <= 3.0 * error, "{title} {key}: {mean} +- {error}, not {}", fact(key));
    };
    near("mean_len", played.iter().map(|game| game[0]).sum::<f64>() / ours, fact("sd_len"));
    for (winner, key) in [(1.0, "p1_win"), (2.0, "p2_win"), (0.0, "draw")] {
        let share = played.iter().filter(|game| game[1] == winner).count() as f64 / ours;
        // An outcome that did not occur in the reference games may still occur here.
        let likely = fact(key).clamp(1.0 / theirs, 1.0 - 1.0 / theirs);
        near(key, share, (likely * (1.0 - likely)).sqrt());
    }
}

fn check<const W: usize, const S: usize>(program: Program, name: &str) {
    let title = program.name.clone();
    let tables = Arc::new(Tables::<W>::new(program));
    let start = DescribedPosition::<W, S>::start(&tables);
    check_trees(&start, &title);
    check_random_play(&start, &title);
    for folder in ["playouts", "playouts_extra"] {
        for (number, game) in lines(folder, name).iter().skip(1).enumerate() {
            check_game(&start, game, &format!("{folder} {name} game {number}"));
        }
    }
}

fn check_named(name: &str) {
    let program = program(name);
    match (program.sites.div_ceil(64), program.stacking) {
        (1, true) => check::<1, 1>(program, name),
        (1, false) => check::<1, 0>(program, name),
        (2, _) => check::<2, 0>(program, name),
        (3 | 4, _) => check::<4, 0>(program, name),
        _ => check::<6, 0>(program, name),
    }
}

macro_rules! games {
    ($($test:ident $name:literal,)*) => {
        $(#[test] fn $test() { check_named($name); })*
        #[test]
        fn every_game_of_the_library_is_here() {
            assert_eq!(LIBRARY.iter().map(|game| game.name).collect::<Vec<_>>(), [$($name),*]);
        }
    };
}

games! {
    breakthrough "breakthrough",
    connect6 "connect6",
    dai_hasami_shogi "dai-hasami-shogi",
    fanorona "fanorona",
    feed_the_ducks "feed-the-ducks",
    gomoku "gomoku",
    hex "hex",
    hexentafl "hexentafl",
    konane "konane",
    lasca "lasca",
    minishogi "minishogi",
    pentalath "pentalath",
    squava "squava",
    surakarta "surakarta",
    yavalath "yavalath",
}
