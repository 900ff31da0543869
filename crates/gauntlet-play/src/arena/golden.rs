//! Golden test: games between players of every kind, against recorded ones. Test code.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{ArenaError, Cohort, GameStart, Listener, PlayedGame, PlayedPair, Resign, Terms, fitness, play_pairs};
use crate::golden;
use crate::players::{Player, PlayerSpec, Source, Turn};
use gauntlet_games::base::Seed;
use gauntlet_games::formats::Opening;
use gauntlet_games::games::{Game, GameSpec};

/// The finished games, as text, and the number of decided batches.
#[derive(Default)]
struct Log(Vec<(usize, String)>, usize);

impl Listener for Log {
    fn ended(&mut self, played: PlayedGame) -> Result<(), ArenaError> {
        // The name of the type when the record was made.
        self.0.push((played.game, format!("{played:?}").replacen("PlayedGame", "Played", 1)));
        Ok(())
    }

    fn decided(&mut self, _: &[Turn<'_>]) -> Result<(), ArenaError> {
        self.1 += 1;
        Ok(())
    }
}

const PLAIN: [&str; 3] = ["random = {}", "naive = {}", "greedy = {}"];

const SEARCHERS: [&str; 5] = [
    "uct = { simulations = 15 }",
    "search = { search = { simulations = 12, reuse = \"keep\", ties = \"random\" }, temperature = 0.5 }",
    "search = { guide = { rollouts = { count = 2 } }, search = { simulations = 8, reuse = \"top-up\", solve = true } }",
    "guided = { network = { saz = { hidden = 6 } }, subgraphs = {}, search = { simulations = 8, reuse = \"keep\" } }",
    "guided = { network = { saz = { hidden = 6 } }, cache = 4, search = { simulations = 8, root-noise = { alpha = 1, at-play = true } } }",
];

/// Games and their players: random, naive and greedy if supported, the search players, and these.
const CASES: [(&str, &[&str]); 5] = [
    ("gomoku = { size = 6 }", &["benchmark = {}", "net = { network = { mdlstm = { cells = 3 } } }"]),
    ("atari-go = { size = 5 }", &["tactician = {}", "net = { network = { mlp = { hidden = 4 } } }"]),
    ("othello = { size = 4 }", &["guided = { network = { az-cnn = { channels = 4, wide = 8, narrow = 8 } } }"]),
    (
        "go = { size = 3, move-cap = 40 }",
        &["guided = { network = { agz-cnn = { channels = [4, 4, 4], hidden = 4 } } }"],
    ),
    ("mnk = { rows = 3, columns = 4, row = 3 }", &[]),
];

fn build(game: &Arc<dyn Game>, texts: &[&str]) -> Vec<Box<dyn Player>> {
    let seed = Seed::new(3);
    let build = |text: &&str| {
        let spec: PlayerSpec = toml::from_str(text).expect("a player");
        spec.check(game).ok()?;
        Some(spec.build(game, &Source { seed: &seed, checkpoint: None }).expect("it suits the game"))
    };
    texts.iter().filter_map(build).collect()
}

/// Every pair of players meets four times, few games at once, with openings, resignation and a limit of plies.
fn whole(game: &Arc<dyn Game>, players: &mut [&mut dyn Player]) -> Value {
    let (mut log, count) = (Log::default(), players.len());
    let mut starts = Vec::new();
    for index in 0..4 * count * count {
        let actions = game.start().random_action(&mut Seed::new(index as u64).rng());
        let opening =
            Opening { actions: if index % 3 == 0 { vec![actions] } else { Vec::new() }, ..Opening::default() };
        let pair = [index % count, index / count % count];
        starts.push(GameStart { played_out: index % 5 == 0, ..GameStart::new(index, pair, opening) });
    }
    let resign = Some(Resign { below: -0.3, plies: 2, played_out: 0.2 });
    let cohort = Cohort {
        games_at_once: 9,
        plies: None,
        terms: Terms { max_plies: Some(30), resign, keep_actions: true, ..Terms::default() },
    };
    cohort.play_each(&**game, players, starts, &Seed::new(5), &mut log).expect("no player fails");
    let Log(mut ended, batches) = log;
    ended.sort_unstable();
    // The record is older than clocks.
    let text = format!("{ended:?}").replace("times: None, ", "");
    json!({ "games": golden::hash(text.as_bytes()), "batches": batches })
}

/// Fitness and pairs of the first player against each other one.
fn scores(game: &Arc<dyn Game>, players: &mut [Box<dyn Player>]) -> Value {
    let (first, others) = players.split_first_mut().expect("there are players");
    let mut scores = Vec::new();
    for (index, other) in others.iter_mut().enumerate() {
        let (games, seed) = (8.try_into().expect("even"), Seed::new(index as u64));
        let fitness = fitness(&**game, &mut **first, &mut **other, games, &seed).expect("no player fails");
        let pairs = play_pairs(&**game, [&mut **first, &mut **other], 4, 1, &seed).expect("no player fails");
        // The record is older than their plies.
        let pair = |PlayedPair { points, lines, .. }: &PlayedPair| {
            format!("PlayedPair {{ points: {points:?}, lines: {lines:?} }}")
        };
        let pairs: Vec<String> = pairs.iter().map(pair).collect();
        scores.push(format!("{fitness:?} [{}]", pairs.join(", ")));
    }
    json!(golden::hash(scores.concat().as_bytes()))
}

#[test]
fn games_are_what_they_were() {
    let mut seen = serde_json::Map::new();
    for (text, own) in CASES {
        let game = toml::from_str::<GameSpec>(text).expect("a game").build();
        let texts: Vec<&str> = PLAIN.iter().chain(&SEARCHERS).chain(own).copied().collect();
        let mut players = build(&game, &texts);
        let mut all: Vec<&mut dyn Player> = players.iter_mut().map(|player| &mut **player as &mut dyn Player).collect();
        let (names, games) = (all.len(), whole(&game, &mut all));
        let scores = scores(&game, &mut players);
        seen.insert(game.name(), json!({ "players": names, "whole": games, "scores": scores }));
    }
    if golden::same_bits() {
        golden::compare("games/matches", &seen.into());
    }
}
