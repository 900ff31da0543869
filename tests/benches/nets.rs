//! Benchmark of network evaluation on one core. For the time of one position, divide the time of an iteration by its
//! 96 positions, or read the throughput (items are positions).

use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet_games::base::Seed;
use gauntlet_nets::encoders::{Stones, Topology};
use gauntlet_nets::nets::NetSpec;
use rand::Rng as _;
use rand_distr::{Distribution, StandardNormal};

/// Positions of one iteration: six full blocks.
const POSITIONS: usize = 96;

fn main() {
    divan::main();
}

fn examples() -> Vec<Named> {
    NetSpec::examples().into_iter().map(Named).collect()
}

/// A network that prints its name.
struct Named(NetSpec);

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.name())
    }
}

#[divan::bench(args = examples())]
fn position_7x7(bencher: Bencher, net: &Named) {
    bench(bencher, net.0, 7);
}

#[divan::bench(args = examples())]
fn position_19x19(bencher: Bencher, net: &Named) {
    bench(bencher, net.0, 19);
}

fn bench(bencher: Bencher, net: NetSpec, size: usize) {
    let (topology, mut rng) = (Topology::square(size), Seed::new(1).rng());
    let weights: Vec<f64> = (0..net.weight_count(size * size)).map(|_| StandardNormal.sample(&mut rng)).collect();
    let mut stones = Stones::new();
    stones.clear(size * size, POSITIONS);
    for index in 0..POSITIONS {
        for site in 0..size * size {
            if rng.next_u32() % 3 != 0 {
                stones.put(index, site, rng.next_u32() % 2 == 0);
            }
        }
    }
    let mut kernel = net.kernel(&topology, &weights).expect("the weights fit the network");
    let mut logits = Vec::new();
    bencher.counter(ItemsCount::new(POSITIONS)).bench_local(|| {
        kernel.prefer(divan::black_box(&stones), &mut logits);
        divan::black_box(&logits);
    });
}
