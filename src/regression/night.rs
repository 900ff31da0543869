//! What came out of a night, as it is written to JSON. No clock reading is in it: a replay gives the same bytes.

use serde::{Deserialize, Serialize};

use super::design::Promise;
use super::pairs::Pairs;
use super::ruling::Ruling;

/// How a match is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The baseline's player plays again, against the candidate.
    #[default]
    HeadToHead,
    /// The baseline's player and the candidate play the opponent in the same openings.
    Reference,
    /// The candidate plays the opponent, and its counts are compared with the baseline's.
    Counts,
}

impl Method {
    /// The words for it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Method::HeadToHead => "head to head",
            Method::Reference => "same openings against the opponent",
            Method::Counts => "against the baseline's counts",
        }
    }
}

/// A change of the score per game with its 95 % interval, in `[-1, 1]`. After a sequential test it is median-unbiased.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChangeEstimate {
    /// The change.
    pub change: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The numbers of one stage of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Counts of pairs by points, from 0 to 2. With common openings a "game" is won where the candidate did better.
    pub pairs: Pairs,
    /// Mean score per game.
    pub score: Option<f64>,
    /// Log-likelihood ratio of "no change" against "weaker by delta", where the test was sequential.
    pub llr: Option<f64>,
    /// p-value of "not weaker", where the test was against counts.
    pub p_worse: Option<f64>,
    /// What the change is.
    pub estimate: Option<ChangeEstimate>,
}

/// One match of a night.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// Its name in the suite.
    pub name: String,
    /// How it was ruled.
    pub ruling: Ruling,
    /// Why, in a few words.
    pub reason: String,
    /// How it was decided, if it was.
    pub method: Option<Method>,
    /// The game, for people.
    pub game: String,
    /// The candidate, for people.
    pub candidate: String,
    /// Whom it played.
    pub opponent: String,
    /// Id of the candidate's configuration.
    pub config: String,
    /// One round, or two where a red had to be confirmed.
    pub rounds: Vec<Round>,
    /// Number of games played.
    pub games: u64,
    /// Number of different games among them.
    pub distinct_games: u64,
}

/// A whole night.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Night {
    /// Version of this format.
    pub version: u32,
    /// Name of the suite.
    pub suite: String,
    /// The profile it ran at.
    pub profile: String,
    /// The worst ruling.
    pub ruling: Ruling,
    /// The commit under test.
    pub commit: String,
    /// Which attempt at this commit.
    pub attempt: u32,
    /// Where all random streams start; a replay is given this number.
    pub seed: u64,
    /// What ran it.
    pub device: String,
    /// What was promised.
    pub promise: Promise,
    /// Pairs that a stage of a match could take.
    pub cap: u64,
    /// Commit of the baseline, where there is one.
    pub baseline: Option<String>,
    /// What the baseline's counts were measured on.
    pub baseline_device: Option<String>,
    /// The matches, the worst first, then by name.
    pub matches: Vec<Match>,
}

impl Night {
    /// The version that is written.
    pub const VERSION: u32 = 2;

    /// Puts the worst match first and rules the night.
    pub fn close(&mut self) {
        self.matches.sort_by(|a, b| a.ruling.cmp(&b.ruling).then_with(|| a.name.cmp(&b.name)));
        self.ruling = Ruling::worst(self.matches.iter().map(|found| found.ruling));
    }

    /// What the baseline was measured on, where that is not what ran tonight.
    ///
    /// A player that plays again tonight is compared with one of tonight, whatever the device. Counts are not: a device
    /// class may compute other digits, and so other games.
    #[must_use]
    pub fn foreign_device(&self) -> Option<&str> {
        self.baseline_device.as_deref().filter(|&device| device != self.device)
    }

    /// How many matches were decided so.
    #[must_use]
    pub fn decided(&self, method: Method) -> usize {
        self.matches.iter().filter(|found| found.method == Some(method)).count()
    }

    /// How many matches were ruled so.
    #[must_use]
    pub fn count(&self, ruling: Ruling) -> usize {
        self.matches.iter().filter(|found| found.ruling == ruling).count()
    }
}
