//! Positions and targets for the checks.

use std::sync::Arc;

use gauntlet_games::base::Seed;
use gauntlet_games::games::{Game, GameSpec, Position};
use gauntlet_nets::encoders::Batch;
use gauntlet_nets::nets::deep::DeepSpec;
use gauntlet_play::learning::Targets;
use gauntlet_play::players::GuidedAgent;

/// The game of a setting.
pub fn build(spec: &str) -> Arc<dyn Game> {
    toml::from_str::<GameSpec>(spec).expect("the games are well-formed").build()
}

/// Positions after a few random plies each.
pub fn positions(game: &dyn Game, count: usize) -> Vec<Box<dyn Position>> {
    let position = |index: usize| {
        let (mut position, mut rng) = (game.start(), Seed::new(index as u64).rng());
        for _ in 0..index % 8 {
            position.play(position.random_action(&mut rng));
        }
        position
    };
    (0..count).map(position).collect()
}

/// Positions of a game, as a network reads them.
pub fn batch(spec: &DeepSpec, game: &Arc<dyn Game>, count: usize) -> Batch {
    let mut encoder = GuidedAgent::trained(spec.clone()).encoder(std::slice::from_ref(game));
    let mut batch = Batch::new(encoder.dims());
    let positions = positions(&**game, count);
    encoder.encode(&positions.iter().map(|position| &**position).collect::<Vec<_>>(), &mut batch);
    batch
}

/// Targets for a batch: each position has one best move and a value.
pub fn targets(batch: &Batch) -> Targets {
    let mut targets = Targets { values: Vec::new(), ..Targets::default() };
    targets.legal.resize(batch.logits(), true);
    targets.policy.resize(batch.logits(), 0.0);
    for index in 0..batch.positions() {
        targets.values.push([-1.0, 0.0, 1.0][index % 3]);
        targets.policy[batch.span(index).start + index % batch.span(index).len()] = 1.0;
    }
    targets
}
