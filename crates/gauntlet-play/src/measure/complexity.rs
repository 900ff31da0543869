//! Size of a game, from its board alone, and of a network for it, for tables that compare games.
//!
//! Ben-Assayag and El-Yaniv 2021, Table 1, prints as states the cube of the number of points, `(n^2)^3`, which is not
//! a bound: with three contents a point there are up to `3^(n^2)` positions. Both are reported. Actions are those of
//! the rules here; the paper counts a pass in Gomoku too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::jobs::{Files, Given, Job, JobError, result};
use crate::players::{Agent as _, PlayerSpec};
use gauntlet_games::base::Sink;
use gauntlet_games::games::GameSpec;

/// Measures the size of a game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ComplexityJob {
    /// The game, on its board.
    pub game: GameSpec,
    /// A guided player, whose network's weights are counted. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<PlayerSpec>,
}

impl Job for ComplexityJob {
    fn slug(&self) -> String {
        format!("complexity {}", self.game.build().name())
    }

    fn check(&self) -> Result<(), String> {
        match &self.agent {
            None => Ok(()),
            Some(agent @ PlayerSpec::Guided(guided)) => {
                guided.check(&self.game.build()).map_err(|reason| format!("{}: {reason}", agent.name()))
            }
            Some(other) => Err(format!("{} has no network with weights to count", other.name())),
        }
    }

    fn run(&self, _given: &Given<'_>, _sink: &mut dyn Sink) -> Result<Files, JobError> {
        Ok(vec![result(&count(self))?])
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        self.agent.iter().map(|agent| ("agent", agent)).collect()
    }
}

/// The size of a game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Complexity {
    /// Points of the board.
    pub sites: usize,
    /// Actions, including the pass if the rules have one.
    pub actions: usize,
    /// The cube of the number of points.
    pub sites_cubed: f64,
    /// Decimal logarithm of `3^sites`, the number of assignments of nothing or a stone of either side to every point.
    pub log_states: f64,
    /// Trained weights of the player's network on this board, if a player is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<usize>,
}

/// Measures the size of the job's game.
#[must_use]
pub fn count(job: &ComplexityJob) -> Complexity {
    let game = job.game.build();
    let sites = game.topology().sites();
    let (sites_cubed, log_states) = ((sites as f64).powi(3), sites as f64 * 3f64.log10());
    let guided =
        job.agent.as_ref().and_then(|agent| if let PlayerSpec::Guided(agent) = agent { Some(agent) } else { None });
    let weights = guided.and_then(|agent| agent.weight_count(&*game));
    Complexity { sites, actions: game.action_count(), sites_cubed, log_states, weights }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Soemers et al. 2021, Table 1.
    #[test]
    fn the_weights_of_a_network_are_counted_with_the_game() {
        let job = |agent: &str| -> ComplexityJob {
            serde_json::from_str(&format!(r#"{{"game":{{"ludeme":{{"name":"yavalath"}}}},"agent":{agent}}}"#)).unwrap()
        };
        let poly = job(r#"{"guided":{"network":{"poly-cnn":{}}}}"#);
        poly.check().unwrap();
        assert_eq!(count(&poly).weights, Some(222_464));
        assert!(job(r#"{"random":{}}"#).check().unwrap_err().contains("no network"));
    }

    #[test]
    fn the_numbers_of_the_paper_are_cubes() {
        let of = |game: &str| {
            let found = count(&serde_json::from_str(&format!("{{\"game\":{game}}}")).unwrap());
            (found.sites_cubed, found.actions)
        };
        assert_eq!(of(r#"{"othello":{"size":8}}"#), (262_144.0, 65));
        assert_eq!(of(r#"{"othello":{"size":16}}"#), (16_777_216.0, 257));
        assert_eq!(of(r#"{"go":{"size":9}}"#), (531_441.0, 82));
        assert_eq!(of(r#"{"gomoku":{"size":17}}"#), (24_137_569.0, 289));
        let small = count(&serde_json::from_str(r#"{"game":{"mnk":{"rows":3,"columns":3,"row":3}}}"#).unwrap());
        assert!((small.log_states - 19_683f64.log10()).abs() < 1e-12);
    }
}
