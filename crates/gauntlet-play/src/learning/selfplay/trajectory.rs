//! Trajectories of games: an example for each ply; targets are complete once the outcome is known.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Amount;
use crate::arena::{ArenaError, Listener, PlayedGame};
use crate::learning::PackedExamples;
use crate::players::Turn;
use gauntlet_games::base::{Action, Interrupted, Outcome, Record, Side};
use gauntlet_games::games::Position;
use gauntlet_nets::encoders::{Batch, Dims, Encoder};

/// The value target of a position, for the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueTarget {
    /// The outcome of the game.
    #[default]
    Outcome,
    /// `sum_a pi(a) Q(a)`, the search's expectation.
    Search,
}

/// The policy target of a position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyTarget {
    /// In proportion to the visits.
    #[default]
    Visits,
    /// The distribution that the move was drawn from: with the temperature of its ply.
    Played,
}

/// One game as training examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// An example for each of its plies, in order.
    pub examples: PackedExamples,
    /// The outcome; `None` if the game was cut off.
    pub outcome: Option<Outcome>,
    /// Sum over plies of the entropy of the policy targets, nats.
    pub entropy: f64,
    /// Sum over plies of `|v - z|`, with v the search value and z the outcome; 0 if the game was cut off.
    pub surprise: f64,
}

/// A callback with the amount played, in units, and the last finished game.
pub type OnProgress<'a> = &'a mut dyn FnMut(u64, Option<&Record>) -> Result<(), Interrupted>;

/// Records trajectories of the games of searching players.
pub struct Recorder<'a> {
    encoder: Box<dyn Encoder>,
    targets: (ValueTarget, PolicyTarget),
    amount: Amount,
    /// Called with the units played since the last call, and the last finished game.
    on_progress: OnProgress<'a>,
    batch: Batch,
    /// The games under way, by their index.
    under_way: HashMap<usize, OpenTrajectory>,
    trajectories: Vec<(usize, Trajectory)>,
}

impl<'a> Recorder<'a> {
    /// A recorder without games.
    pub fn new(
        encoder: Box<dyn Encoder>,
        targets: (ValueTarget, PolicyTarget),
        amount: Amount,
        on_progress: OnProgress<'a>,
    ) -> Recorder<'a> {
        let batch = Batch::new(encoder.dims());
        Recorder { encoder, targets, amount, on_progress, batch, under_way: HashMap::new(), trajectories: Vec::new() }
    }

    /// The games with their indices, in order, including cut-off ones.
    pub fn trajectories(mut self) -> Vec<(usize, Trajectory)> {
        let target = self.targets.0;
        let cut_off = self.under_way.into_iter().map(|(game, open)| (game, open.cut_off(target)));
        self.trajectories.extend(cut_off);
        self.trajectories.sort_unstable_by_key(|(game, _)| *game);
        self.trajectories
    }
}

impl Listener for Recorder<'_> {
    fn decided(&mut self, turns: &[Turn<'_>]) -> Result<(), ArenaError> {
        let positions: Vec<&dyn Position> = turns.iter().map(|turn| turn.position).collect();
        self.encoder.encode(&positions, &mut self.batch);
        for (index, turn) in turns.iter().enumerate() {
            let open = self.under_way.entry(turn.game).or_insert_with(|| OpenTrajectory::new(self.batch.dims()));
            open.note(turn, (&mut *self.encoder, &self.batch, index), self.targets.1);
        }
        Ok((self.on_progress)(self.amount.counted(0, turns.len() as u64), None)?)
    }

    fn ended(&mut self, played: PlayedGame) -> Result<(), ArenaError> {
        let open = self.under_way.remove(&played.game).unwrap_or_else(|| OpenTrajectory::new(self.batch.dims()));
        self.trajectories.push((played.game, open.end(played.outcome, self.targets.0)));
        Ok((self.on_progress)(self.amount.counted(1, 0), Some(&Record::from(played)))?)
    }
}

/// The examples of a game under way so far.
struct OpenTrajectory {
    examples: PackedExamples,
    /// The side to move of each example.
    sides: Vec<Side>,
    /// The search value in each example.
    found: Vec<f32>,
    entropy: f64,
}

impl OpenTrajectory {
    fn new(dims: Dims) -> OpenTrajectory {
        OpenTrajectory { examples: PackedExamples::new(dims), sides: Vec::new(), found: Vec::new(), entropy: 0.0 }
    }

    /// Adds a decision on the position at an index of an encoded batch.
    fn note(
        &mut self,
        turn: &Turn<'_>,
        (encoder, batch, index): (&mut dyn Encoder, &Batch, usize),
        target: PolicyTarget,
    ) {
        let found = turn.decision.found.as_ref().expect("players that learn search");
        let visits = (target == PolicyTarget::Visits).then(|| found.policy(1.0));
        let policy = visits.as_deref().unwrap_or(&turn.decision.policy);
        self.entropy -= policy.iter().filter(|&&p| p > 0.0).map(|&p| f64::from(p * p.ln())).sum::<f64>();
        let value = found.expectation(policy);
        let actions: Vec<Action> = found.children.iter().map(|branch| branch.action).collect();
        let mut slots = Vec::with_capacity(actions.len());
        encoder.slots(turn.position, &actions, &mut slots);
        let slots = slots.into_iter().map(|slot| slot as usize);
        self.examples.push(batch, index, slots.zip(policy.iter().copied()), value);
        self.found.push(found.value);
        self.sides.push(turn.position.side());
    }

    fn end(mut self, outcome: Outcome, target: ValueTarget) -> Trajectory {
        let outcomes: Vec<f32> = self.sides.iter().map(|&side| outcome.score(side) as f32).collect();
        let surprise = self.found.iter().zip(&outcomes).map(|(v, z)| f64::from((v - z).abs())).sum();
        if target == ValueTarget::Outcome {
            self.examples.values_mut().copy_from_slice(&outcomes);
        }
        Trajectory { examples: self.examples, outcome: Some(outcome), entropy: self.entropy, surprise }
    }

    /// Ends an unfinished game: the search's expectation is known, the outcome is not.
    fn cut_off(mut self, target: ValueTarget) -> Trajectory {
        if target == ValueTarget::Outcome {
            self.examples.forget_values();
        }
        Trajectory { examples: self.examples, outcome: None, entropy: self.entropy, surprise: 0.0 }
    }
}
