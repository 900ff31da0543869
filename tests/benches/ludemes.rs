//! Benchmark of the described games: random play-outs, and the compilation of a description.

use divan::Bencher;
use gauntlet_games::base::Seed;
use gauntlet_games::games::Game as _;
use gauntlet_games::games::ludemes::library::{LIBRARY, described};
use gauntlet_games::games::ludemes::spec::LudemeSpec;

fn main() {
    divan::main();
}

fn names() -> Vec<&'static str> {
    LIBRARY.iter().map(|game| game.name).collect()
}

fn read(name: &str) -> LudemeSpec {
    let text = described(name).expect("a game of the library").text;
    LudemeSpec::read(name, text, &[], &[]).expect("a well-formed description")
}

#[divan::bench(args = names())]
fn rollout(bencher: Bencher<'_, '_>, name: &str) {
    let (position, mut rng) = (read(name).build().start(), Seed::new(1).rng());
    bencher.bench_local(move || position.rollout(&mut rng));
}

#[divan::bench(args = names())]
fn compile(bencher: Bencher<'_, '_>, name: &str) {
    bencher.bench_local(move || read(name).program());
}
