//! What decisions cost, roughly: for estimates that people see before anything runs.
//!
//! No result depends on these numbers, and no clock is read here: whoever has one lets a [`Probe`] work for a moment, and
//! learns by how much this machine differs from what they assume.

use std::sync::Arc;

use super::{Guide, GuidedAgent, PlayerError, PlayerSpec, Source};
use crate::base::{Action, Seed};
use crate::games::{Game, Position};
use crate::nets::deep::at_play;
use crate::search::{Evaluations, Evaluator, Leaf, SearchError};

/// Floating-point operations of evaluations in a second of one core, where they are many: 0.9e11 to 2.5e11 by network.
const OPERATIONS_PER_SECOND: f64 = 2e11;

/// Seconds of one core that an evaluation takes besides, for each node of the board and its subgraphs.
const SECONDS_PER_NODE: f64 = 1.7e-7;

/// Seconds of one core that a simulation takes besides its evaluation.
pub const SECONDS_PER_SIMULATION: f64 = 1.2e-6;

/// Seconds of one core that a ply of a random play-out takes.
const SECONDS_PER_PLY: f64 = 1.5e-7;

/// Random games whose length is taken for that of others.
const SAMPLE: u64 = 4;

/// Rough number of plies of a game, from some random ones.
#[must_use]
pub fn plies(game: &dyn Game) -> f64 {
    let length = |index| {
        let (mut position, mut rng, mut plies) = (game.start(), Seed::new(index).rng(), 0.0);
        while position.outcome().is_none() {
            let action = position.random_action(&mut rng);
            position.play(action);
            plies += 1.0;
        }
        plies
    };
    (0..SAMPLE).map(length).sum::<f64>() / SAMPLE as f64
}

impl GuidedAgent {
    /// Rough seconds of one core that judging a position of this game takes, its subgraphs too.
    #[must_use]
    pub fn evaluation_seconds(&self, game: &dyn Game) -> f64 {
        self.flops(game) / OPERATIONS_PER_SECOND + self.nodes(game) * SECONDS_PER_NODE
    }
}

/// Nodes of boards that a probe evaluates at once, about.
const NODES: usize = 256;

impl PlayerSpec {
    /// Rough seconds of one core that a decision on this board takes, besides a look at each action.
    #[must_use]
    pub fn seconds(&self, game: &dyn Game) -> f64 {
        // A play-out begins somewhere between the start and a full board.
        let playout = game.topology().sites() as f64 / 2.0 * SECONDS_PER_PLY;
        let (simulations, evaluation) = match self {
            PlayerSpec::Uct(agent) => (agent.simulations, f64::from(agent.rollouts.get()) * playout),
            PlayerSpec::Search(agent) => match agent.guide {
                Guide::Uniform(_) => (agent.search.simulations, 0.0),
                Guide::Rollouts(playouts) => (agent.search.simulations, f64::from(playouts.count.get()) * playout),
            },
            PlayerSpec::Guided(agent) => (agent.search.simulations, agent.evaluation_seconds(game)),
            _ => (0, 0.0),
        };
        f64::from(simulations) * (evaluation + SECONDS_PER_SIMULATION)
    }

    /// The network that guides the player, if one does.
    #[must_use]
    pub fn guided(&self) -> Option<&GuidedAgent> {
        match self {
            PlayerSpec::Guided(agent) => Some(agent),
            _ => None,
        }
    }
}

/// A guided player's evaluator at work on some positions of a game.
pub struct Probe {
    evaluator: Box<dyn Evaluator>,
    positions: Vec<Box<dyn Position>>,
    actions: Vec<Action>,
    out: Evaluations,
    /// What evaluating the positions is estimated to take.
    seconds: f64,
}

impl Probe {
    /// The agent with random weights on this game.
    ///
    /// # Errors
    /// When the network cannot be built for the game.
    pub fn new(agent: &GuidedAgent, game: &Arc<dyn Game>) -> Result<Probe, PlayerError> {
        let untrained = GuidedAgent { weights: super::Weights::Random, cache: 0, ..agent.clone() };
        let (boards, seed) = ([Arc::clone(game)], Seed::new(0));
        let net = untrained.net(&boards, &Source { seed: &seed, checkpoint: None })?;
        let inference = at_play(net).map_err(crate::nets::CheckpointError::from)?;
        let count = (NODES / (game.topology().sites() + 1)).max(1);
        let (positions, mut actions) = ((0..count).map(|_| game.start()).collect(), Vec::new());
        game.start().actions(&mut actions);
        let evaluator = untrained.evaluator(&boards, inference, &seed);
        let seconds = count as f64 * agent.evaluation_seconds(&**game);
        Ok(Probe { evaluator, positions, actions, out: Evaluations::new(), seconds })
    }

    /// Evaluates the positions once. Seconds of one core that this is estimated to take.
    ///
    /// # Errors
    /// When the network fails.
    pub fn work(&mut self) -> Result<f64, SearchError> {
        let seed = Seed::new(0);
        let Probe { evaluator, positions, actions, out, .. } = self;
        let leaves =
            positions.iter().map(|position| Leaf { position: &**position, actions, seed: &seed, simulation: 0 });
        let leaves: Vec<Leaf<'_>> = leaves.collect();
        out.prepare(&leaves);
        evaluator.evaluate(&leaves, out)?;
        Ok(self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameSpec;

    fn player(text: &str) -> PlayerSpec {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn what_is_counted_beforehand_is_about_what_is_done() {
        for (agent, size) in [
            ("guided = { network = { saz = { hidden = 8 } } }", 6),
            ("guided = { network = { saz = { hidden = 32 } }, subgraphs = {} }", 8),
            ("guided = { network = { az-cnn = { channels = 16, wide = 32, narrow = 16 } } }", 8),
        ] {
            let game = toml::from_str::<GameSpec>(&format!("othello = {{ size = {size} }}")).unwrap().build();
            let agent = player(agent);
            let agent = agent.guided().unwrap();
            let mut probe = Probe::new(agent, &game).unwrap();
            probe.work().unwrap();
            let done = probe.out.total_work().operations as f64 / probe.positions.len() as f64;
            let counted = agent.flops(&*game);
            assert!((0.7..1.4).contains(&(counted / done)), "{}: {counted} {done}", agent.name());
        }
    }

    #[test]
    fn games_are_as_long_as_random_ones() {
        let plies = |text: &str| plies(&*toml::from_str::<GameSpec>(text).unwrap().build());
        assert!((50.0..=64.0).contains(&plies("othello = { size = 8 }")));
        let gomoku = plies("gomoku = { size = 9 }");
        assert!((20.0..81.0).contains(&gomoku), "{gomoku}");
    }

    #[test]
    fn searching_costs_and_looking_does_not() {
        let game = toml::from_str::<GameSpec>("othello = { size = 8 }").unwrap().build();
        let seconds = |text: &str| player(text).seconds(&*game);
        assert_eq!(seconds("greedy = {}"), 0.0);
        let [few, many] = [50, 500].map(|n| seconds(&format!("uct = {{ simulations = {n} }}")));
        assert!((many / few - 10.0).abs() < 1e-9 && few > 0.0);
        let net = |hidden| seconds(&format!("guided = {{ network = {{ saz = {{ hidden = {hidden} }} }} }}"));
        assert!(net(512) > 50.0 * net(32));
    }
}
