//! Random play-outs from the start of the game: one item is one whole game.

use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet::base::Seed;
use gauntlet::games::GameSpec;

/// Play-outs to a sample, so that the clock's own cost does not show.
const GAMES: usize = 20;

const SPECS: [&str; 10] = [
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
