//! Games a second of a fitness: a random MDLSTM with three cells against the naive player, 100 games at a time.
//!
//! The unit that training pays for; one call is one candidate, with its kernel built anew.

use divan::{Bencher, counter::ItemsCount};
use gauntlet::arena::{EvenGames, fitness};
use gauntlet::base::Seed;
use gauntlet::games::GameSpec;
use gauntlet::nets::{NetSpec, random_weights};
use gauntlet::players::{Naive, NetPlayer};

fn main() {
    divan::main();
}

#[divan::bench(args = ["atari-go", "gomoku", "pente"], consts = [7, 19], max_time = 3)]
fn candidate<const SIZE: usize>(bencher: Bencher, name: &str) {
    let game = toml::from_str::<GameSpec>(&format!("{name} = {{ size = {SIZE} }}")).expect("a game").build();
    let net: NetSpec = toml::from_str("mdlstm = { cells = 3 }").expect("a network");
    let games = EvenGames::try_from(100).expect("even");
    let mut candidate = 0;
    bencher.counter(ItemsCount::new(100_usize)).bench_local(|| {
        candidate += 1;
        let weights = random_weights(net.weight_count(SIZE * SIZE), &Seed::new(candidate));
        let kernel = net.kernel(game.topology(), &weights).expect("the weights fit");
        let mut agent = NetPlayer::new(kernel, &*game).expect("an action for each site");
        fitness(&*game, &mut agent, &mut Naive::default(), games, &Seed::new(0)).expect("all games end")
    });
}
