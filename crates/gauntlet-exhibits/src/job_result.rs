//! The results of jobs, each as the type that its job writes.
//!
//! A result is read and checked once, when the frame of its plan is made.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use gauntlet_play::arena::{Encounter, MatchResult, SequentialResult, Standing};
use gauntlet_play::learning::{Generation, Iteration, Numbers, SpsaResult, TrainingResult};
use gauntlet_play::measure::{
    Complexity, Embedded, Hours, Measured, NetworkSize, Optimality, RandomPlay, RatedLadder, Solutions,
};

/// The result of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum JobResult {
    /// Of a `train.cma-es`.
    Evolution(TrainingResult<Generation>),
    /// Of a `train.alpha-zero`.
    AlphaZero(TrainingResult<Iteration>),
    /// Of a `train.external`.
    External(TrainingResult<Numbers>),
    /// Of a `train.spsa`.
    Spsa(SpsaResult),
    /// Of a `play.match`.
    Match(Box<MatchResult>),
    /// Of a `play.tournament`.
    Tournament(Box<Standing>),
    /// Of a `measure.fitness`.
    Fitness(Measured),
    /// Of a `measure.optimal`.
    Optimal(Optimality),
    /// Of a `measure.solutions`.
    Solutions(Solutions),
    /// Of a `measure.ladder`.
    Ladder(RatedLadder),
    /// Of a `measure.hours`.
    Hours(Hours),
    /// Of a `measure.complexity`.
    Complexity(Complexity),
    /// Of a `measure.network`.
    Network(NetworkSize),
    /// Of a `measure.random-play`.
    RandomPlay(RandomPlay),
    /// Of a `measure.embeddings`.
    Embeddings(Embedded),
}

/// Maximum plausible number of pairs of games in one cell.
const MOST_PAIRS: u64 = 100_000_000;

impl JobResult {
    /// Reads a result of this kind.
    ///
    /// # Errors
    /// If it has another form, or if its numbers contradict each other.
    pub fn read<'a, T: Deserialize<'a>>(result: &'a Value, kind: fn(T) -> JobResult) -> Result<JobResult, String> {
        let result = T::deserialize(result).map(kind).map_err(|error| error.to_string())?;
        if result.is_sound() { Ok(result) } else { Err("its numbers contradict each other".to_owned()) }
    }

    fn is_sound(&self) -> bool {
        match self {
            JobResult::Match(own) => is_sound(&own.standing) && own.sprt.as_ref().is_none_or(is_sound_test),
            JobResult::Tournament(standing) => is_sound(standing),
            JobResult::AlphaZero(own) => own.panel.as_ref().is_none_or(is_sound),
            JobResult::Evolution(own) => own.panel.as_ref().is_none_or(is_sound),
            _ => true,
        }
    }
}

fn is_sound(standing: &Standing) -> bool {
    let players = &standing.players;
    standing.meetings.iter().all(|Encounter { players: [a, b], pairs, .. }| {
        let few = pairs.iter().flatten().all(|&count| count < MOST_PAIRS);
        *a.max(b) < players.len() && few && (a == b || players[*a] != players[*b])
    })
}

fn is_sound_test(found: &SequentialResult) -> bool {
    let [low, high] = found.interval;
    low.is_finite() && high.is_finite() && low <= found.elo && found.elo <= high && found.test.check().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tournament(players: &str, meeting: &str) -> Result<JobResult, String> {
        let counts = r#""pentanomial":[0,0,0,0,0],"games":2,"distinct":1"#;
        let text = format!(
            r#"{{"players":{players},"games":2,"distinct":1,"adjudicated":0,"plies":9,"meetings":[{{{meeting},{counts}}}]}}"#
        );
        JobResult::read(&serde_json::from_str(&text).unwrap(), JobResult::Tournament)
    }

    #[test]
    fn unsound_results_are_not_believed() {
        for (players, meeting) in [
            (r#"["a","b"]"#, r#""players":[0,2],"pairs":[[0,0,0],[0,0,0],[0,0,1]]"#),
            (r#"["a","a"]"#, r#""players":[0,1],"pairs":[[0,0,0],[0,0,0],[0,0,1]]"#),
            (r#"["a","b"]"#, r#""players":[0,1],"pairs":[[0,0,0],[0,0,0],[0,0,99999999999]]"#),
        ] {
            assert_eq!(tournament(players, meeting).unwrap_err(), "its numbers contradict each other", "{meeting}");
        }
        let missing = tournament(r#"["a","b"]"#, r#""players":[0,1]"#).unwrap_err();
        assert!(missing.starts_with("missing field `pairs`"), "{missing}");
        assert!(tournament(r#"["a","b"]"#, r#""players":[0,1],"pairs":[[0,0,0],[0,0,0],[0,0,1]]"#).is_ok());
    }
}
