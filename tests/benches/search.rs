//! Benchmark of the tree search alone: simulations a second with a uniform evaluator on one core. Items are
//! simulations, or play-outs if ten of them evaluate a leaf.
//!
//! A call decides 32 positions of different games in lockstep, each a few random plies from the start.

use std::hint::black_box;
use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet_games::base::Seed;
use gauntlet_games::games::{Game, GameSpec, Position};
use gauntlet_nets::encoders::{Batch, Encoder};
use gauntlet_play::players::GuidedAgent;
use gauntlet_play::search::{
    Evaluations, Evaluator, Leaf, Rollouts, SearchError, SearchSpec, SearchTask, Searcher, Tree, Uniform,
};

/// Games of one call.
const GAMES: usize = 32;

fn main() {
    divan::main();
}

fn positions(game: &str) -> Vec<Box<dyn Position>> {
    let game = toml::from_str::<GameSpec>(game).expect("a game").build();
    let position = |index: usize| {
        let (mut position, mut rng) = (game.start(), Seed::new(index as u64).rng());
        for _ in 0..index % 10 {
            let action = position.random_action(&mut rng);
            position.play(action);
        }
        position
    };
    (0..GAMES).map(position).filter(|position| position.outcome().is_none()).collect()
}

/// Searches with `each` items for each simulation.
fn bench(bencher: Bencher<'_, '_>, game: &str, spec: &str, evaluator: &mut dyn Evaluator, each: usize) {
    let spec: SearchSpec = toml::from_str(spec).expect("settings");
    let (simulations, positions) = (spec.simulations.most() as usize, positions(game));
    let mut searcher = Searcher::new(spec);
    let mut trees: Vec<Tree> = positions.iter().map(|_| Tree::new()).collect();
    bencher.counter(ItemsCount::new(simulations * positions.len() * each)).bench_local(|| {
        let pairs = trees.iter_mut().zip(&positions);
        let mut tasks: Vec<SearchTask<'_>> =
            pairs.map(|(tree, position)| SearchTask { tree, position: &**position, seed: Seed::new(1) }).collect();
        searcher.search(&mut tasks, evaluator).expect("uniform priors are sound");
    });
}

const BOARDS: [&str; 3] = ["gomoku = { size = 9 }", "atari-go = { size = 9 }", "othello = { size = 8 }"];

#[divan::bench(args = BOARDS, consts = [100, 500])]
fn uniform<const SIMULATIONS: u32>(bencher: Bencher<'_, '_>, game: &str) {
    bench(bencher, game, &format!("simulations = {SIMULATIONS}"), &mut Uniform, 1);
}

#[divan::bench(args = BOARDS)]
fn uniform_with_noise_everywhere(bencher: Bencher<'_, '_>, game: &str) {
    bench(bencher, game, "noise = { alpha = 0.3 }", &mut Uniform, 1);
}

#[divan::bench(args = BOARDS)]
fn uct_with_one_rollout(bencher: Bencher<'_, '_>, game: &str) {
    let count = 1.try_into().expect("one is not zero");
    bench(bencher, game, "rule.uct = {}", &mut Rollouts { count, most_plies: u32::MAX }, 1);
}

#[divan::bench(args = BOARDS)]
fn rave_with_one_rollout(bencher: Bencher<'_, '_>, game: &str) {
    let count = 1.try_into().expect("one is not zero");
    bench(bencher, game, "rule.uct.rave = {}", &mut Rollouts { count, most_plies: u32::MAX }, 1);
}

/// The opponent of Soemers et al. 2021.
#[divan::bench(args = ["ludeme = { name = \"yavalath\" }", "ludeme = { name = \"squava\" }", "hex = { size = 11 }"])]
fn ten_rollouts_a_leaf(bencher: Bencher<'_, '_>, game: &str) {
    let count = 10.try_into().expect("ten is not zero");
    let spec = "simulations = 50\nrule.puct = { c = 1.1, unvisited = \"siblings\" }\nforced-visits = 2";
    bench(bencher, game, spec, &mut Rollouts { count, most_plies: 200 }, 10);
}

/// Uniform priors, after encoding the leaves for a network and finding the slots of their actions.
struct Encoded {
    encoder: Box<dyn Encoder>,
    batch: Batch,
    slots: Vec<u32>,
}

impl Encoded {
    /// The encoding of the convolutional network in AlphaGateau's paper.
    fn new(game: &Arc<dyn Game>) -> Encoded {
        let agent = "network = { res-net-v2 = {} }\nplanes = { history = true }\nsearch = {}";
        let agent: GuidedAgent = toml::from_str(agent).expect("an agent");
        let encoder = agent.encoder(std::slice::from_ref(game));
        Encoded { batch: Batch::new(encoder.dims()), encoder, slots: Vec::new() }
    }
}

impl Evaluator for Encoded {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        let positions: Vec<&dyn Position> = leaves.iter().map(|leaf| leaf.position).collect();
        self.encoder.encode(&positions, &mut self.batch);
        for leaf in leaves {
            self.slots.clear();
            self.encoder.slots(leaf.position, leaf.actions, &mut self.slots);
        }
        black_box((&self.batch, &self.slots));
        Uniform.evaluate(leaves, out)
    }

    fn fork(&self) -> Option<Box<dyn Evaluator>> {
        None
    }
}

/// Chess without a network, but with its encoding.
#[divan::bench(args = ["chess = {}"])]
fn uniform_behind_planes(bencher: Bencher<'_, '_>, game: &str) {
    let built = toml::from_str::<GameSpec>(game).expect("a game").build();
    bench(bencher, game, "simulations = 100", &mut Encoded::new(&built), 1);
}
