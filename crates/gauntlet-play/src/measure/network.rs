//! Size of a network on a board, and the cost of a position, from its settings alone, for tables that
//! compare networks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::jobs::{Files, Given, Job, JobError, result};
use crate::players::{GuidedAgent, PlayerSpec};
use gauntlet_games::base::Sink;
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::deep::DeepSpec;

/// Measures the size of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NetworkJob {
    /// The game, on its board.
    pub game: GameSpec,
    /// The guided player whose network is measured.
    pub agent: PlayerSpec,
}

/// The size of a network on a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct NetworkSize {
    /// Trained weights.
    pub weights: usize,
    /// Approximate floating-point operations of evaluating a position: a product and a sum are two.
    pub operations: f64,
    /// Sites of the board, which are a graph's nodes.
    pub sites: usize,
    /// Logits: for a network over moves, its edges.
    pub logits: usize,
}

impl NetworkJob {
    fn agent(&self) -> Result<&GuidedAgent, String> {
        match &self.agent {
            PlayerSpec::Guided(agent) => Ok(agent),
            other => Err(format!("{} has no network to count: a guided player has", other.name())),
        }
    }
}

impl Job for NetworkJob {
    fn slug(&self) -> String {
        format!("network {} {}", self.game.build().name(), self.agent.name())
    }

    fn check(&self) -> Result<(), String> {
        let agent = self.agent()?;
        self.agent.check(&self.game.build())?;
        // The weights of others are not counted, which `size` says.
        match agent.network {
            DeepSpec::Onnx(_) | DeepSpec::External(_) => size(self).map(drop),
            _ => Ok(()),
        }
    }

    fn run(&self, _given: &Given<'_>, _sink: &mut dyn Sink) -> Result<Files, JobError> {
        Ok(vec![result(&size(self)?)?])
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        vec![("agent", &self.agent)]
    }
}

/// Measures the size of the job's network.
///
/// # Errors
/// If the player has no network, or one that cannot read the game.
pub fn size(job: &NetworkJob) -> Result<NetworkSize, String> {
    let (agent, game) = (job.agent()?, job.game.build());
    let extent = agent.encoding().extent(&*game);
    let weights = agent.network.architecture().weight_count(extent.dims);
    Ok(NetworkSize {
        weights: weights.ok_or_else(|| match agent.network {
            DeepSpec::Onnx(_) => format!("the weights of {} are in its file, and are not counted", job.agent.name()),
            DeepSpec::External(_) => "the weights are in the network's program, and are not counted".to_owned(),
            _ => format!("{} does not read {}", job.agent.name(), game.name()),
        })?,
        operations: agent.flops(&*game),
        sites: extent.sites,
        logits: extent.slots,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AlphaGateau with W_g, without it, and the CNN, counted in the authors' code; its edges have 19 features.
    #[test]
    fn the_weights_of_the_paper_s_networks_are_counted() {
        let of = |network: &str, planes: &str| {
            let agent = format!(r#"{{"guided":{{"network":{network}{planes}}}}}"#);
            let job = serde_json::from_str(&format!(r#"{{"game":{{"chess":{{"size":8}}}},"agent":{agent}}}"#)).unwrap();
            let found = size(&job).unwrap();
            (found.weights, found.sites, found.logits)
        };
        assert_eq!(of(r#"{"gateau":{"edges":"code"}}"#, ""), (1_049_485, 64, 1858));
        let unsynced = r#"{"gateau":{"edges":"code","blocks":10,"sync-updates":false}}"#;
        assert_eq!(of(unsynced, ""), (1_716_375, 64, 1858));
        let cnn = of(r#"{"res-net-v2":{}}"#, r#","planes":{"history":true}"#);
        assert_eq!((cnn.0, cnn.2), (2_227_402, 4672));
    }

    #[test]
    fn who_has_no_network_is_refused() {
        let job: NetworkJob = serde_json::from_str(r#"{"game":{"chess":{"size":5}},"agent":{"random":{}}}"#).unwrap();
        assert_eq!(job.check().unwrap_err(), "random has no network to count: a guided player has");
    }
}
