//! The results of evaluations against a panel of opponents, and their joint standing.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arena::{Encounter, Standing};
use crate::engines::EngineFacts;

/// The results of the network against one opponent of the panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PanelScore {
    /// The opponent; `iteration 10` is a past self.
    pub opponent: String,
    /// Mean score of the network, -1 to 1.
    pub score: f64,
    /// Pairs of games, `pairs[x][y]`: `x` is the network's result moving first, `y` moving second (0 loss, 1 draw, 2 win).
    pub pairs: [[u64; 3]; 3],
    /// Number of different games.
    pub distinct: u64,
    /// Actions played in all games.
    pub plies: u64,
    /// Facts about the opponent, if it is an engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineFacts>,
}

/// The results of one evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// Mean score against the opponent or, without one, against the panel without past selves, -1 to 1.
    pub score: Option<f64>,
    /// The results against the panel.
    pub panel: Vec<PanelScore>,
}

/// The name of a training's network after some iterations.
pub(super) fn iteration(number: u32) -> String {
    format!("iteration {number}")
}

/// All games of the evaluations as those of a tournament between the networks and their opponents; `None` without a panel.
///
/// `evaluated` has the results after each number of iterations.
pub(super) fn standing<'a>(evaluated: impl Iterator<Item = (u32, &'a [PanelScore])>) -> Option<Standing> {
    let (mut players, mut engines) = (Vec::new(), BTreeMap::new());
    let mut meetings = Vec::new();
    let mut place = |name: &str| {
        players.iter().position(|known| known == name).unwrap_or_else(|| {
            players.push(name.to_owned());
            players.len() - 1
        })
    };
    let (mut plies, mut games, mut distinct) = (0, 0, 0);
    for (number, against) in evaluated.flat_map(|(number, panel)| panel.iter().map(move |one| (number, one))) {
        let both = [place(&iteration(number)), place(&against.opponent)];
        let meeting = Encounter::counted(both, against.pairs, against.distinct);
        (plies, games, distinct) = (plies + against.plies, games + meeting.games, distinct + meeting.distinct);
        meetings.push(meeting);
        if let Some(facts) = &against.engine {
            let known: &mut EngineFacts = engines.entry(against.opponent.clone()).or_insert_with(|| facts.clone());
            known.repeatable &= facts.repeatable;
        }
    }
    if meetings.is_empty() {
        return None;
    }
    // Written out: trainings need none of the statistics with which matches count records.
    Some(Standing {
        players,
        games,
        distinct,
        adjudicated: 0,
        resignations: None,
        plies,
        meetings,
        agreed: 0,
        timed: None,
        engines,
        thinking: BTreeMap::new(),
    })
}
