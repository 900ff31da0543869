//! Resignation, and the rate of wrong resignations.
//!
//! A player resigns after its expected outcome has stayed below a threshold for several of its own moves in a row. In
//! a share of the pairs resigning is off: those games are played out, and show how many of their would-be resignations
//! were wrong (Silver et al. 2017, "Mastering the game of Go without human knowledge", section "Self-play", play 10 %
//! of the games out for this). Players without expected outcomes (random, naive, greedy, networks without a search)
//! never resign. Reports compute the interval of the rate.

use rand::RngExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_games::base::{Seed, Side, bounded};

/// The resignation rule: `{ below = -0.9, plies = 3, played-out = 0.1 }`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Resign {
    /// The expected outcome, -1 for a lost game to 1 for a won one, below which a move counts; above -1 and below 0.
    #[serde(with = "Threshold")]
    pub below: f64,
    /// Number of consecutive own moves below the threshold before a player resigns; 1 to 1000. Default: 3.
    #[serde(default = "usual_plies", with = "Streak")]
    pub plies: u32,
    /// Share of the pairs of games without resignation, in which mistakes are counted; above 0 and at most 1.
    /// Default: 0.1.
    #[serde(default = "usual_share", with = "PlayedOut")]
    pub played_out: f64,
}

fn usual_plies() -> u32 {
    3
}

fn usual_share() -> f64 {
    0.1
}

bounded! {
    /// An expected outcome that is nearly lost.
    Threshold: f64 above -1 below 0, "no resignation below {value}: the threshold lies between -1 and 0"
}
bounded! {
    /// Moves of a player in a row.
    Streak: u32 from 1 to 1000, "{value} moves in a row: resigning takes from {range}"
}
bounded! {
    /// Share of the pairs that are played out.
    PlayedOut: f64 above 0 to 1,
    "{value} of the games played out: above 0, as these games show how often resigning is wrong, and at most 1"
}

impl Resign {
    /// Whether both games of this pair are played out.
    #[must_use]
    pub fn plays_out(&self, pair: u64, seed: &Seed) -> bool {
        seed.child("played-out", pair).rng().random_bool(self.played_out)
    }
}

/// For each side, the number of its own consecutive moves with an expectation below the threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Streaks([u32; 2]);

impl Streaks {
    /// Counts the expectation of `side`, which is to move; returns whether it resigns.
    pub fn resigns(&mut self, rule: &Resign, side: Side, expected: Option<f32>) -> bool {
        let streak = &mut self.0[side.index()];
        let is_hopeless = expected.is_some_and(|value| f64::from(value) < rule.below);
        *streak = if is_hopeless { *streak + 1 } else { 0 };
        *streak >= rule.plies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Resign, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_streak_belongs_to_a_side_and_breaks() {
        let (rule, mut watch) = (read(r#"{"below":-0.9,"plies":2}"#).unwrap(), Streaks::default());
        let mut resigns = |side, value| watch.resigns(&rule, side, value);
        assert!(!resigns(Side::First, Some(-0.95)) && !resigns(Side::Second, Some(-1.0)));
        assert!(resigns(Side::First, Some(-0.91)));
        assert!(!resigns(Side::Second, Some(-0.9)), "not below the threshold");
        assert!(!resigns(Side::Second, Some(-0.95)) && !resigns(Side::Second, None));
        assert!(!resigns(Side::Second, Some(f32::NAN)) && !resigns(Side::Second, Some(-1.0)));
        assert!(resigns(Side::Second, Some(-1.0)));
    }

    #[test]
    fn the_stated_share_is_played_out() {
        let rule = read(r#"{"below":-0.5,"played-out":0.25}"#).unwrap();
        let played_out = (0..4000).filter(|&pair| rule.plays_out(pair, &Seed::new(1))).count();
        assert!((900..1100).contains(&played_out), "{played_out} of 4000");
        let all = Resign { played_out: 1.0, ..rule };
        assert!((0..100).all(|pair| all.plays_out(pair, &Seed::new(1))));
    }

    #[test]
    fn settings_are_read_back_and_mistakes_are_named() {
        let rule = read(r#"{"below":-0.9}"#).unwrap();
        assert_eq!((rule.plies, rule.played_out), (3, 0.1));
        assert_eq!(read(&serde_json::to_string(&rule).unwrap()), Ok(rule));
        for (text, message) in [
            ("{}", "missing field `below`"),
            (r#"{"below":-1.0}"#, "no resignation below -1: the threshold lies between -1 and 0"),
            (r#"{"below":0.2}"#, "no resignation below 0.2"),
            (r#"{"below":-0.9,"plies":0}"#, "0 moves in a row"),
            (r#"{"below":-0.9,"played-out":0.0}"#, "how often resigning is wrong"),
            (r#"{"below":-0.9,"played-out":1.5}"#, "1.5 of the games"),
            (r#"{"below":-0.9,"played_out":0.5}"#, "unknown field `played_out`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
