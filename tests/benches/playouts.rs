//! Benchmark of random play-outs from the start of the game: one item is one whole game, or one ply if only the
//! rules for draws limit the length of games.

use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet_games::base::Seed;
use gauntlet_games::games::GameSpec;

/// Play-outs in a sample, so that the overhead of the clock is negligible.
const GAMES: usize = 20;

const SPECS: [&str; 12] = [
    "othello = { size = 8 }",
    "othello = { size = 6 }",
    "othello = { size = 12 }",
    "othello = { size = 16 }",
    "othello = { size = 20 }",
    "go = { size = 9 }",
    "go = { size = 9, superko = \"draw\" }",
    "go = { size = 19 }",
    "gomoku = { size = 15 }",
    "mnk = { rows = 9, columns = 9, row = 5 }",
    "hex = { size = 11 }",
    "breakthrough = { size = 8 }",
];

fn main() {
    divan::main();
}

#[divan::bench(args = SPECS)]
fn playouts(bencher: Bencher<'_, '_>, spec: &str) {
    let position = toml::from_str::<GameSpec>(spec).expect("a game").build().start();
    let mut rng = Seed::new(1).rng();
    bencher.counter(ItemsCount::new(GAMES)).bench_local(|| {
        for _ in 0..GAMES {
            divan::black_box(position.rollout(&mut rng));
        }
    });
}

#[divan::bench(args = ["chess = { size = 8 }", "chess = { size = 5 }"])]
fn plies(bencher: Bencher<'_, '_>, spec: &str) {
    let start = toml::from_str::<GameSpec>(spec).expect("a game").build().start();
    let plies = || {
        let (mut rng, mut plies) = (Seed::new(1).rng(), 0usize);
        for _ in 0..GAMES {
            let mut position = start.fork();
            while position.outcome().is_none() {
                let action = position.random_action(&mut rng);
                position.play(action);
                plies += 1;
            }
        }
        plies
    };
    bencher.counter(ItemsCount::new(plies())).bench_local(|| divan::black_box(plies()));
}
