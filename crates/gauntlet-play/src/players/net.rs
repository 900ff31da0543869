//! The greedy network player: the legal action with the greatest logit, ties broken at random.
//!
//! Schaul and Schmidhuber 2009, section 2.3. It does not search. The network is a [`Kernel`] with its weights, and all
//! turns of a call are one batch. Logits belong to sites, so that it only plays games whose actions are
//! placements: action `s` puts a stone on site `s`.

use std::any::Any;
use std::sync::Arc;

use rand::RngExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::{Agent, PlayOverrides, Source, Weights, require_fit};
use super::{Player, PlayerError, Turn};
use gauntlet_games::base::{Action, Rng, bounded};
use gauntlet_games::games::Game;
use gauntlet_nets::encoders::{LANES, Stones};
use gauntlet_nets::nets::{Checkpoint, Kernel, NetSpec, random_weights};

/// A network and the source of its weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NetAgent {
    /// The architecture.
    pub network: NetSpec,
    /// The source of its weights.
    #[serde(default)]
    pub weights: Weights,
    /// Standard deviation of random weights, above 0; 1 by default.
    #[serde(default, with = "Deviation", skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
}

bounded! {
    /// Standard deviation of random weights.
    Deviation: f64 above 0, "`deviation` is {value}: a standard deviation is {range}"
}

impl NetAgent {
    /// The weights, in the order that the architecture documents.
    ///
    /// # Errors
    /// If trained weights are required and there are none, or those of another network.
    pub fn draw(&self, game: &dyn Game, source: &Source<'_>) -> Result<Vec<f64>, PlayerError> {
        let untrained = |held| self.weights.missing(self.network.name(), held);
        if self.weights == Weights::Random {
            let count = self.network.weight_count(game.topology().sites());
            return Ok(random_weights(count, self.deviation.unwrap_or(1.0), &source.seed.child("weights", 0)));
        }
        let checkpoint = Checkpoint::from_bytes(source.checkpoint.ok_or_else(|| untrained(None))?)?;
        if checkpoint.net == self.network {
            Ok(checkpoint.weights)
        } else {
            Err(untrained(Some(checkpoint.net.name())))
        }
    }

    fn check_deviation(&self) -> Result<(), String> {
        match self.deviation {
            Some(_) if self.weights != Weights::Random => {
                Err("`deviation` applies to random weights only: remove it, or set `weights = \"random\"`".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn player(&self, game: &dyn Game, weights: &[f64]) -> Result<NetPlayer, PlayerError> {
        NetPlayer::new(self.network.kernel(game.topology(), weights)?, game)
    }
}

impl Agent for NetAgent {
    fn name(&self) -> String {
        self.network.name()
    }

    fn repeats(&self) -> bool {
        true
    }

    fn build(&self, game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(self.player(&**game, &self.draw(&**game, source)?)?))
    }

    fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        self.check_deviation()?;
        let weights = vec![0.0; self.network.weight_count(game.topology().sites())];
        self.player(&**game, &weights).map(|_| ()).map_err(|error| error.to_string())
    }

    fn weights(&self) -> Option<&Weights> {
        Some(&self.weights)
    }

    fn shares_network(&self, other: &dyn Agent) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<NetAgent>().is_some_and(|other| other.network == self.network)
    }

    fn check_transfer(&self, learned: &Arc<dyn Game>, played: &Arc<dyn Game>) -> Result<(), String> {
        let fits = self.network.scales() || learned.topology().sites() == played.topology().sites();
        require_fit(fits, &self.network.name(), &**learned, &**played)
    }

    fn play_overrides(&mut self) -> PlayOverrides<'_> {
        PlayOverrides { weights: Some(&mut self.weights), ..PlayOverrides::default() }
    }
}

/// A player with a network; its buffers are reused, so that it does not allocate once warm.
pub struct NetPlayer {
    kernel: Box<dyn Kernel>,
    sites: usize,
    stones: Stones,
    logits: Vec<f32>,
    actions: Vec<Action>,
}

impl NetPlayer {
    /// A player of `game` that follows `kernel`, which is bound to that game's board.
    ///
    /// # Errors
    /// [`PlayerError::Unsuited`] if the game's actions are not one for each site.
    pub fn new(kernel: Box<dyn Kernel>, game: &dyn Game) -> Result<NetPlayer, PlayerError> {
        let sites = game.topology().sites();
        if game.action_count() != sites {
            return Err(PlayerError::Unsuited {
                player: "a network over sites".to_owned(),
                game: game.name(),
                reason: format!("it has {} actions and {sites} sites", game.action_count()),
            });
        }
        Ok(NetPlayer { kernel, sites, stones: Stones::new(), logits: Vec::new(), actions: Vec::new() })
    }
}

impl Player for NetPlayer {
    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError> {
        self.stones.encode(self.sites, turns.iter().map(|turn| turn.position));
        self.kernel.prefer(&self.stones, &mut self.logits);
        for (index, turn) in turns.iter_mut().enumerate() {
            self.actions.clear();
            turn.position.actions(&mut self.actions);
            let logits = &self.logits[self.stones.at(index, 0)..];
            turn.decision.action = greediest(logits, &self.actions, turn.rng);
        }
        Ok(())
    }

    fn lanes(&self) -> usize {
        LANES
    }
}

/// The action with the greatest of the logits `[site][LANES]`, read in the first lane; `None` without actions.
fn greediest(logits: &[f32], actions: &[Action], rng: &mut Rng) -> Option<Action> {
    // Large weights can make a logit NaN; it then counts as the least.
    let logit = |action: &Action| logits[action.index() * LANES].max(f32::NEG_INFINITY);
    let mut greatest = f32::NEG_INFINITY;
    let mut first = 0;
    let mut ties = 0;
    for (index, action) in actions.iter().enumerate() {
        let logit = logit(action);
        if logit > greatest {
            (greatest, first, ties) = (logit, index, 1);
        } else if logit == greatest {
            ties += 1;
        }
    }
    if ties <= 1 {
        return actions.get(first).copied();
    }
    let chosen = rng.random_range(0..ties);
    actions.iter().filter(|action| logit(action) == greatest).nth(chosen).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::{GameSpec, Position};
    use gauntlet_nets::nets::NetSpec;

    fn choose(logits: &[f32], legal: &[u32], seed: u64) -> Option<u32> {
        let mut lanes = vec![f32::NAN; logits.len() * LANES];
        logits.iter().enumerate().for_each(|(site, &logit)| lanes[site * LANES] = logit);
        let actions: Vec<Action> = legal.iter().copied().map(Action).collect();
        greediest(&lanes, &actions, &mut Seed::new(seed).rng()).map(|action| action.0)
    }

    #[test]
    fn the_greatest_legal_preference_wins() {
        assert_eq!(choose(&[0.1, 9.0, 0.3, -2.0], &[0, 2, 3], 1), Some(2));
        assert_eq!(choose(&[f32::NAN, -9.0, f32::NEG_INFINITY], &[0, 1, 2], 1), Some(1));
        assert_eq!(choose(&[1.0], &[], 1), None);
    }

    #[test]
    fn ties_are_broken_evenly() {
        for logits in [[1.0, 1.0, 0.0, 1.0], [f32::NAN; 4]] {
            let mut counts = [0; 4];
            (0..3000).for_each(|seed| counts[choose(&logits, &[0, 1, 3], seed).expect("legal") as usize] += 1);
            assert_eq!(counts[2], 0);
            assert!([counts[0], counts[1], counts[3]].iter().all(|&count| (900..1100).contains(&count)), "{counts:?}");
        }
    }

    /// Positions after a few random plies, decided in batches of several sizes.
    #[test]
    fn an_answer_depends_on_its_position_and_stream_alone() {
        let game = toml::from_str::<GameSpec>("gomoku = { size = 7 }").expect("a game").build();
        let net: NetSpec = toml::from_str("mdlstm = { cells = 3 }").expect("a network");
        let weights: Vec<f64> = (0..93).map(|index| f64::from(index % 7) - 3.0).collect();
        let positions: Vec<Box<dyn Position>> = (0..50).map(|seed| after_random_plies(&*game, seed)).collect();
        let decide = |batch: usize| -> Vec<(Option<Action>, Rng)> {
            let kernel = net.kernel(game.topology(), &weights).expect("they fit");
            let mut player = NetPlayer::new(kernel, &*game).expect("gomoku has an action for each site");
            let mut rngs: Vec<Rng> = (0..50).map(|seed| Seed::new(seed).rng()).collect();
            let mut answers = Vec::new();
            for (positions, rngs) in positions.chunks(batch).zip(rngs.chunks_mut(batch)) {
                let turn = |(position, rng)| Turn::new(0, position, rng);
                let mut turns: Vec<Turn<'_>> = positions.iter().map(|p| &**p).zip(rngs).map(turn).collect();
                player.decide(&mut turns).expect("a network always answers");
                answers.extend(turns.iter().map(|turn| turn.decision.action));
            }
            answers.into_iter().zip(rngs).collect()
        };
        let whole = decide(50);
        [1, 3, 16, 17, 49].into_iter().for_each(|batch| assert_eq!(decide(batch), whole, "batches of {batch}"));
    }

    fn after_random_plies(game: &dyn Game, seed: u64) -> Box<dyn Position> {
        let (mut position, mut rng) = (game.start(), Seed::new(seed).rng());
        for _ in 0..seed % 6 {
            let action = position.random_action(&mut rng);
            position.play(action);
        }
        position
    }
}
