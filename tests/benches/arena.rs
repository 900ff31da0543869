//! Games a second of a fitness: a random MDLSTM with three cells against the naive player, 100 games at a time.
//!
//! This is the unit cost of training; one call is one candidate, with its kernel built anew. Also measured: decisions
//! a second of the benchmark player of Gomoku.

use divan::{Bencher, counter::ItemsCount};
use gauntlet_games::base::Seed;
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::{NetSpec, random_weights};
use gauntlet_play::arena::{EvenGames, fitness};
use gauntlet_play::players::{Benchmark, Naive, NetPlayer, Player, Turn};

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
        let weights = random_weights(net.weight_count(SIZE * SIZE), 1.0, &Seed::new(candidate));
        let kernel = net.kernel(game.topology(), &weights).expect("the weights fit");
        let mut agent = NetPlayer::new(kernel, &*game).expect("an action for each site");
        fitness(&*game, &mut agent, &mut Naive::default(), games, &Seed::new(0)).expect("all games end")
    });
}

/// Positions that the benchmark player decides at once, each some random plies from the start.
const GAMES: usize = 32;

#[divan::bench(consts = [9, 15])]
fn benchmark_player<const SIZE: usize>(bencher: Bencher) {
    let game = toml::from_str::<GameSpec>(&format!("gomoku = {{ size = {SIZE} }}")).expect("a game").build();
    let mut player = Benchmark::new(&game).expect("it is gomoku");
    let mut rngs: Vec<_> = (0..GAMES).map(|index| Seed::new(index as u64).rng()).collect();
    let mut positions: Vec<_> = (0..GAMES).map(|_| game.start()).collect();
    for (plies, (position, rng)) in positions.iter_mut().zip(&mut rngs).enumerate() {
        for _ in 0..=plies / 2 {
            let action = position.random_action(rng);
            position.play(action);
        }
    }
    bencher.counter(ItemsCount::new(GAMES)).bench_local(|| {
        let turns = positions.iter().zip(&mut rngs).enumerate();
        let mut turns: Vec<Turn<'_>> = turns.map(|(game, (position, rng))| Turn::new(game, &**position, rng)).collect();
        player.decide(&mut turns).expect("it knows the game");
        turns.iter().filter(|turn| turn.decision.action.is_some()).count()
    });
}
