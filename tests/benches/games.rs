//! Benchmark of whole games of the stone players: the cost of a play-out and of the tactician's decisions.

use std::sync::Arc;

use divan::Bencher;
use gauntlet_games::base::{Rng, Seed};
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_play::players::{Player, PlayerSpec, Source, Turn};

const GAMES: [&str; 3] = ["atari-go", "gomoku", "pente"];

fn main() {
    divan::main();
}

fn build(game: &str, size: usize) -> Arc<dyn Game> {
    let spec: GameSpec = serde_json::from_value(serde_json::json!({ game: { "size": size } })).expect("a game");
    spec.build()
}

fn player(spec: serde_json::Value, game: &Arc<dyn Game>) -> Box<dyn Player> {
    let spec: PlayerSpec = serde_json::from_value(spec).expect("a player");
    spec.build(game, &Source { seed: &Seed::new(0), checkpoint: None }).expect("a player for this game")
}

/// One game of a player against itself; returns its length.
fn play(game: &dyn Game, player: &mut dyn Player, rng: &mut Rng) -> usize {
    let mut position = game.start();
    let mut plies = 0;
    while position.outcome().is_none() {
        let mut turns = [Turn::new(0, &*position, rng)];
        player.decide(&mut turns).expect("these players always answer");
        let action = turns[0].decision.action.expect("decided");
        position.play(action);
        plies += 1;
    }
    plies
}

fn bench_player(bencher: Bencher<'_, '_>, game: &str, size: usize, spec: serde_json::Value) {
    let game = build(game, size);
    let mut player = player(spec, &game);
    let mut rng = Seed::new(1).rng();
    bencher.bench_local(move || play(&*game, &mut *player, &mut rng));
}

#[divan::bench(args = GAMES, consts = [7, 19])]
fn random_game<const SIZE: usize>(bencher: Bencher<'_, '_>, game: &str) {
    bench_player(bencher, game, SIZE, serde_json::json!({ "random": {} }));
}

#[divan::bench(args = GAMES, consts = [7, 19])]
fn naive_game<const SIZE: usize>(bencher: Bencher<'_, '_>, game: &str) {
    bench_player(bencher, game, SIZE, serde_json::json!({ "naive": {} }));
}

#[divan::bench(args = GAMES, consts = [7, 19])]
fn rollout<const SIZE: usize>(bencher: Bencher<'_, '_>, game: &str) {
    let (position, mut rng) = (build(game, SIZE).start(), Seed::new(1).rng());
    bencher.bench_local(move || position.rollout(&mut rng));
}

#[divan::bench(consts = [7, 9, 19])]
fn tactician_game<const SIZE: usize>(bencher: Bencher<'_, '_>) {
    bench_player(bencher, "atari-go", SIZE, serde_json::json!({ "tactician": {} }));
}
