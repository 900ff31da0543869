//! The output of an AlphaZero training: its network, intermediate networks, and its curve.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PanelScore;
use crate::arena::Standing;
use crate::engines::EngineFacts;
use crate::learning::LearningError;
use crate::learning::metrics::json_lines;
use crate::learning::selfplay::Trajectory;
use gauntlet_games::base::{Segment, Side};
use gauntlet_nets::nets::deep::DeepCheckpoint;

/// The measurements of an iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Iteration {
    /// Finished games so far.
    pub games: u64,
    /// Examples of this iteration.
    pub examples: u64,
    /// Mean number of plies of its games; 0 if none finished.
    pub length: f64,
    /// Mean score of the first side, -1 to 1; 0 if no game finished.
    pub first: f64,
    /// Mean entropy of the policy targets, nats.
    pub target_entropy: f64,
    /// Mean of `|v - z|`, with v the search value and z the outcome; 0 if no game finished.
    pub value_error: f64,
    /// Mean loss of the values, before each step. Examples of games that `plies` cut off have no outcome, and add 0.
    pub value_loss: f64,
    /// Mean loss of the policies, before each step, nats.
    pub policy_loss: f64,
    /// Mean entropy of the network's policies, nats, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// Steps of the optimiser.
    pub steps: u64,
    /// Evaluations by the network so far, subgraphs counted.
    pub evaluations: u64,
    /// Floating-point operations so far.
    pub compute: u64,
    /// Seconds of processor time so far, with a budget of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_seconds: Option<f64>,
    /// Mean Kullback-Leibler divergence of the combined priors from the network's own, nats, with subgraph
    /// sampling: over all leaves of self-play, including cached ones, if it is finite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divergence: Option<f64>,
    /// The candidate's share of the points against the champion, 0 to 1, with a gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<f64>,
    /// Whether the candidate was promoted, with a gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted: Option<bool>,
    /// Mean score against the opponent of the evaluations, or against their panel, -1 to 1, if there was an evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Numbers that the program of a network tells: means over the steps that tell them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
    /// The results against each opponent of the panel, if there was an evaluation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panel: Vec<PanelScore>,
}

impl Iteration {
    /// The statistics of the games of an iteration, after `before` games of earlier ones.
    pub(super) fn of(trajectories: &[Trajectory], before: u64) -> Iteration {
        let ended = || trajectories.iter().filter_map(|trajectory| Some((trajectory, trajectory.outcome?)));
        let plies = trajectories.iter().map(|trajectory| trajectory.examples.len()).sum::<usize>();
        let (games, within) =
            (ended().count(), ended().map(|(trajectory, _)| trajectory.examples.len()).sum::<usize>());
        // In environments, possibly no game ends.
        let mean = |sum: f64, count: usize| if count == 0 { 0.0 } else { sum / count as f64 };
        Iteration {
            games: before + games as u64,
            examples: plies as u64,
            length: mean(within as f64, games),
            first: mean(ended().map(|(_, outcome)| outcome.score(Side::First)).sum::<f64>(), games),
            target_entropy: mean(trajectories.iter().map(|trajectory| trajectory.entropy).sum::<f64>(), plies),
            value_error: mean(ended().map(|(trajectory, _)| trajectory.surprise).sum::<f64>(), within),
            value_loss: 0.0,
            policy_loss: 0.0,
            entropy: Some(0.0),
            steps: 0,
            evaluations: 0,
            compute: 0,
            processor_seconds: None,
            divergence: None,
            gate: None,
            promoted: None,
            score: None,
            metrics: BTreeMap::new(),
            panel: Vec::new(),
        }
    }
}

/// An intermediate network, as the bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The last iteration of its training, from 1.
    pub iteration: u32,
    /// The bytes of a [`DeepCheckpoint`].
    pub weights: Arc<Segment>,
}

/// The result of a training.
#[derive(Debug, Clone, PartialEq)]
pub struct AlphaZeroTrained {
    /// The network.
    pub network: DeepCheckpoint,
    /// The networks of the kept iterations that the training reached.
    pub kept: Vec<Snapshot>,
    /// One entry for each iteration.
    pub curve: Vec<Iteration>,
    /// Mean score of the network before its training, -1 to 1, if it was evaluated.
    pub untrained: Option<f64>,
    /// All games of the panel, if there are any.
    pub panel: Option<Standing>,
    /// The facts about the program of its network, if it is that of another program.
    pub program: Option<EngineFacts>,
    /// The last state, from which a longer training continues, if it is kept.
    pub state: Option<Vec<u8>>,
}

impl AlphaZeroTrained {
    /// The curve as JSON lines, an object for each iteration.
    ///
    /// # Errors
    /// Errors of the format.
    pub fn metrics(&self) -> Result<Vec<u8>, LearningError> {
        metrics(&self.curve)
    }
}

/// The curve as JSON lines. The scores against a panel are numbers of their own, `score greedy`, and so are those of a
/// program, under their names.
pub(super) fn metrics(curve: &[Iteration]) -> Result<Vec<u8>, LearningError> {
    json_lines(curve.iter().map(|entry| {
        let panel = entry.panel.iter().map(|against| (format!("score {}", against.opponent), against.score));
        let numbers = panel.chain(entry.metrics.clone()).collect();
        let entry = Iteration { panel: Vec::new(), metrics: BTreeMap::new(), ..entry.clone() };
        IterationMetrics { entry, numbers }
    }))
}

/// The names of the numbers of every iteration, and of its own number.
const OWN: [&str; 21] = [
    "step",
    "games",
    "examples",
    "length",
    "first",
    "target_entropy",
    "value_error",
    "value_loss",
    "policy_loss",
    "entropy",
    "steps",
    "evaluations",
    "compute",
    "processor_seconds",
    "divergence",
    "gate",
    "promoted",
    "score",
    "metrics",
    "panel",
    "",
];

/// Whether a name is that of a number of every iteration, or of a score against a panel.
pub(super) fn is_of_iteration(name: &str) -> bool {
    OWN.contains(&name) || name.starts_with("score ")
}

/// The metrics of an iteration.
#[derive(Serialize)]
struct IterationMetrics {
    #[serde(flatten)]
    entry: Iteration,
    /// The scores against a panel, and the numbers of a program.
    #[serde(flatten)]
    numbers: BTreeMap<String, f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_all_numbers_are_known() {
        let all = schemars::schema_for!(Iteration).to_value();
        let names = all["properties"].as_object().expect("an iteration has properties");
        for name in names.keys() {
            assert!(is_of_iteration(name), "{name}");
        }
        assert_eq!(names.len() + 2, OWN.len(), "`step`, and a name without letters");
        assert!(is_of_iteration("score greedy") && !is_of_iteration("norm"));
    }
}
